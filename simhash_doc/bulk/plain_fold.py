"""Folding of many documents at once with numpy: characters one to one, what is composed by `tokens.compose`."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simhash_doc.bulk.tables import COPY, DROP, MARK, NORMALIZE, SECOND, tables
from simhash_doc.pinned import CODE_POINTS, CUTTABLE
from simhash_doc.reference import NONSTARTER_LIMIT
from simhash_doc.tokens import compose

_ROW = NONSTARTER_LIMIT - 1
_NEAR = 64  # characters between two stretches that are folded as one: a call costs as much

CodePoints = npt.NDArray[np.uint32]


class Targets(NamedTuple):
    """What each character is mapped to, decomposed if that may interact with its neighbours."""

    first: CodePoints  # the character, or the first of them
    lengths: npt.NDArray[np.uint8]  # how many they are
    starts: npt.NDArray[np.uint32]  # where they begin in `pool`, if they are more
    pool: CodePoints


@cache
def targets() -> Targets:
    """Return what each character is mapped to, made when it is first asked for."""
    data = tables()
    edges = data.copy_starts.tolist()
    texts = [to_code_points(data.copied[start:end].tobytes().decode()) for start, end in pairwise(edges)]
    lengths = np.concatenate((np.array([len(text) for text in texts], np.uint8), np.diff(data.nfd_starts)))
    pool = np.concatenate((*texts, data.nfd))
    starts = np.cumsum(lengths, dtype=np.uint32) - lengths
    copied = np.flatnonzero(data.actions == COPY)
    decomposed = np.flatnonzero((data.actions == NORMALIZE) & (data.records > 0))
    records = np.concatenate((data.records[copied], data.records[decomposed] + len(texts)))
    copied = np.concatenate((copied, decomposed))
    made = Targets(
        np.arange(CODE_POINTS, dtype=np.uint32),
        (data.actions != DROP).astype(np.uint8),
        np.zeros(CODE_POINTS, np.uint32),
        pool,
    )
    made.first[copied] = pool[starts[records]]
    made.lengths[copied] = lengths[records]
    made.starts[copied] = starts[records]
    return made


def _mapped(given: CodePoints) -> CodePoints:
    """Return a text with each character mapped (SD-FOLD-1, SD-FOLD-2), decomposed where it may interact."""
    to = targets()
    lengths = to.lengths[given]
    mapped = to.first[given]
    if (lengths == 1).all():
        return mapped
    many = np.flatnonzero(lengths > 1)
    ends = np.cumsum(lengths, dtype=np.int64)
    mapped = np.repeat(mapped, lengths)
    if len(many):
        counts = lengths[many].astype(np.int64)
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        mapped[np.repeat(ends[many] - counts, counts) + within] = to.pool[
            np.repeat(to.starts[given[many]], counts) + within
        ]
    return mapped


@cache
def _composing() -> npt.NDArray[np.uint64]:
    """Return the pairs that compose, sorted."""
    pairs = tables().pairs
    return np.sort(pairs[pairs != ~np.uint64(0)])


def to_code_points(text: str) -> CodePoints:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def fold_code_points(given: CodePoints) -> CodePoints:
    """Return the folded form of a text."""
    mapped = _mapped(given)
    actions = tables().actions[mapped]
    special = np.flatnonzero(actions >= MARK)
    return _fold_slowly(mapped, _unsettled(mapped, actions, special), special) if len(special) else mapped


def _unsettled(
    mapped: CodePoints, actions: npt.NDArray[np.uint8], special: npt.NDArray[np.intp]
) -> npt.NDArray[np.intp]:
    """Return which of the special characters are composed or reordered, and do not stay as they are."""
    ccc = tables().ccc[mapped[special]]
    at_start = special == 0
    before = mapped[special - 1]
    before_ccc = np.where(at_start, 0, tables().ccc[before])
    is_mark = ccc > 0
    # After a starter that decomposes, a mark may slip between its parts; after a higher class, it is reordered.
    moved = is_mark & (before_ccc == 0) & _decomposes()[before]
    moved |= is_mark & (before_ccc > ccc)
    pairs = before.astype(np.uint64) << np.uint64(21) | mapped[special]
    composed = (actions[special] == SECOND) & (_isin(pairs, _composing()) | (is_mark & (before_ccc > 0)))
    bad = ~at_start & (moved | composed)
    # A long run of marks may be over the limit once it is decomposed.
    marks = special[is_mark]
    if len(marks) > NONSTARTER_LIMIT - 2:
        ends = marks[NONSTARTER_LIMIT - 2 :]
        bad |= np.isin(special, ends[ends - marks[: -(NONSTARTER_LIMIT - 2)] == NONSTARTER_LIMIT - 2])
    unsettled: npt.NDArray[np.intp] = special[bad]
    return unsettled


@cache
def _decomposes() -> npt.NDArray[np.bool_]:
    data = tables()
    decomposes: npt.NDArray[np.bool_] = (data.records > 0) & (data.actions != COPY)
    return decomposes


def _isin(values: npt.NDArray[np.uint64], sorted_values: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    places = np.minimum(np.searchsorted(sorted_values, values), len(sorted_values) - 1)
    found: npt.NDArray[np.bool_] = sorted_values[places] == values
    return found


@cache
def _cuttable() -> npt.NDArray[np.bool_]:
    cuttable = np.zeros(CODE_POINTS, bool)
    cuttable[[ord(character) for character in CUTTABLE]] = True
    return cuttable


def _fold_slowly(mapped: CodePoints, bad: npt.NDArray[np.intp], special: npt.NDArray[np.intp]) -> CodePoints:
    """Return the folded text, the stretches between places to cut that hold a bad character composed as strings."""
    if not len(bad):
        return mapped
    edges = np.concatenate(([-1], np.flatnonzero(_cuttable()[mapped]), [len(mapped)]))
    stretches = np.unique(np.searchsorted(edges, bad))
    starts, ends = edges[stretches - 1] + 1, edges[stretches]
    apart = np.flatnonzero(starts[1:] - ends[:-1] > _NEAR)
    starts, ends = starts[np.append(0, apart + 1)], ends[np.append(apart, len(ends) - 1)]
    # A starter ends with two non-starters at most, so a run over the limit has a row of 29 here.
    long_runs = special[_ROW - 1 :][special[_ROW - 1 :] - special[: 1 - _ROW] == _ROW - 1]
    first_runs, behind_runs = np.searchsorted(long_runs, starts).tolist(), np.searchsorted(long_runs, ends).tolist()
    parts = []
    done = 0
    for i, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        parts.append(mapped[done:start])
        text = mapped[start:end].tobytes().decode("utf-32-le")
        parts.append(to_code_points(compose(text, long_runs=behind_runs[i] > first_runs[i])))
        done = end
    return np.concatenate((*parts, mapped[done:]))
