"""Folding of many documents at once: characters through tables, sequences that compose through `strings.compose`."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.strings import compose
from simhash_doc.engines.unicode_tables import ALPHABETIC as ALPHABETIC_CLASS
from simhash_doc.engines.unicode_tables import CONTINUA as CONTINUA_CLASS
from simhash_doc.engines.unicode_tables import (
    COPY,
    DROP,
    MARK,
    NORMALIZE,
    SECOND,
    WORD,
    CodePoints,
    tables,
    to_code_points,
)
from simhash_doc.reference import NONSTARTER_LIMIT
from simhash_doc.unicode_data import CODE_POINTS, CUTTABLE

# A character and its properties in 32 bits: its code point,
CODE_POINT = np.uint32((1 << 21) - 1)
# flags of a folded character,
CONTINUA = np.uint32(1 << 21)  # a word character of scriptio continua
ALPHABETIC = np.uint32(1 << 22)
OUTSIDE = np.uint32(1 << 23)  # in no word and not ASCII; or scriptio continua, whose tokens are bigrams
_CUTTABLE = np.uint32(1 << 24)
# its kind in `tables().actions`, and whether it is mapped to no character, or to several.
_ACTION = 25
_UNEQUAL = np.uint32(1 << 28)

_ROW = NONSTARTER_LIMIT - 1
_NEAR = 64  # characters between two stretches that are folded as one, because a call costs as much
_NEAR_UNEQUAL = 1 << 12
_EXPANDED = 1 << 13  # characters that are expanded at once, so that they stay in a cache of the processor


class Targets(NamedTuple):
    """The mapping of each character, decomposed if it may interact with its neighbours. Indexed by code point.

    Attributes:
        first: the first character of the mapping, with its properties.
        lengths: the number of characters.
        starts: where the characters begin in `pool`, if there are several.
        pool: the characters, with their properties.
    """

    first: CodePoints
    lengths: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.uint32]
    pool: CodePoints


@cache
def _known() -> CodePoints:
    """Return each character with its properties, by code point."""
    data = tables()
    points = np.arange(CODE_POINTS, dtype=np.uint32)
    is_word = data.classes & np.uint8(WORD) != 0
    is_continua = is_word & (data.classes & np.uint8(CONTINUA_CLASS) != 0)
    known = points | data.actions.astype(np.uint32) << np.uint32(_ACTION)
    known[is_continua] |= CONTINUA
    known[data.classes & np.uint8(ALPHABETIC_CLASS) != 0] |= ALPHABETIC
    known[is_continua | ~is_word & (points >= 0x80)] |= OUTSIDE
    known[[ord(character) for character in CUTTABLE]] |= _CUTTABLE
    return known


@cache
def targets() -> Targets:
    """Return the mappings, computed at the first call."""
    data, known = tables(), _known()
    copied_points = to_code_points(data.copied.tobytes().decode("utf-8"))
    # Each character has one byte that is not 10xxxxxx.
    edges = np.append(0, np.cumsum(data.copied & 0xC0 != 0x80))[data.copy_starts]
    lengths = np.concatenate((np.diff(edges), np.diff(data.nfd_starts))).astype(np.uint8)
    pool = known[np.concatenate((copied_points, data.nfd))]
    starts = np.cumsum(lengths, dtype=np.uint32) - lengths
    copied = np.flatnonzero(data.actions == COPY)
    decomposed = np.flatnonzero((data.actions == NORMALIZE) & (data.records > 0))
    records = np.concatenate((data.records[copied], data.records[decomposed] + (len(edges) - 1)))
    copied = np.concatenate((copied, decomposed))
    found = Targets(known.copy(), (data.actions != DROP).astype(np.uint8), np.zeros(CODE_POINTS, np.uint32), pool)
    found.first[copied] = pool[starts[records]]
    found.lengths[copied] = lengths[records]
    found.starts[copied] = starts[records]
    found.first[found.lengths != 1] |= _UNEQUAL
    return found


def fold_code_points(given: CodePoints) -> CodePoints:
    """Return the folded text; each character has its flags."""
    mapped = _mapped(given)
    special = np.flatnonzero(mapped >= MARK << _ACTION)
    return _compose_at(mapped, _needs_compose(mapped, special), special) if len(special) else mapped


def to_text(folded: CodePoints) -> str:
    """Return characters, with or without flags, as a string."""
    return (folded & CODE_POINT).tobytes().decode("utf-32-le")


def _mapped(given: CodePoints) -> CodePoints:
    """Return a text with each character mapped, decomposed where it may interact (SD-FOLD-1, SD-FOLD-2)."""
    mapped = targets().first.take(given)
    unequal = np.flatnonzero(mapped >= _UNEQUAL)
    if not len(unequal):
        return mapped
    starts, ends = _joined_stretches(unequal, unequal + 1, _NEAR_UNEQUAL)
    parts: list[CodePoints] = []
    done = 0
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        parts.append(mapped[done:start])
        for first in range(start, end, _EXPANDED):
            part = slice(first, min(first + _EXPANDED, end))
            parts.append(_expanded(given[part], mapped[part]))
        done = end
    return np.concatenate((*parts, mapped[done:]))


def _expanded(given: CodePoints, mapped: CodePoints) -> CodePoints:
    """Return a mapped text with all characters of each mapping, given one with the first of each."""
    to = targets()
    lengths = to.lengths.take(given)
    expanded = np.repeat(mapped, lengths)
    is_many = lengths > 1
    if is_many.any():
        counts = lengths[is_many].astype(np.intp)
        starts = to.starts.take(given[is_many]).astype(np.intp)
        # Positions in the pool: each is one more than the last, except the first of each mapping.
        steps = np.ones(counts.sum(), np.intp)
        steps[np.cumsum(counts[:-1])] = starts[1:] - starts[:-1] - counts[:-1] + 1
        steps[0] = starts[0]
        expanded[np.repeat(is_many, lengths)] = to.pool.take(np.cumsum(steps))
    return expanded


def _joined_stretches(
    starts: npt.NDArray[np.intp], ends: npt.NDArray[np.intp], near: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return stretches of a text, joined where they are near to each other."""
    apart = np.flatnonzero(starts[1:] - ends[:-1] > near)
    return starts[np.append(0, apart + 1)], ends[np.append(apart, len(ends) - 1)]


@cache
def _composing() -> npt.NDArray[np.uint64]:
    """Return the pairs that compose, sorted."""
    pairs = tables().pairs
    return np.sort(pairs[pairs != ~np.uint64(0)])


def _needs_compose(mapped: CodePoints, special: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Return the positions of those special characters that are composed or reordered."""
    characters, before = mapped[special] & CODE_POINT, mapped[special - 1] & CODE_POINT
    ccc = tables().ccc[characters]
    at_start = special == 0
    before_ccc = np.where(at_start, 0, tables().ccc[before])
    is_mark = ccc > 0
    # After a starter that decomposes, a mark may slip between its parts; after a higher class, it is reordered.
    moved = is_mark & (before_ccc == 0) & _decomposes()[before]
    moved |= is_mark & (before_ccc > ccc)
    pairs = before.astype(np.uint64) << np.uint64(21) | characters
    is_second = tables().actions[characters] == SECOND
    composed = is_second & (_isin(pairs, _composing()) | (is_mark & (before_ccc > 0)))
    bad = ~at_start & (moved | composed)
    # A long run of marks may be over the limit once it is decomposed.
    marks = special[is_mark]
    if len(marks) > NONSTARTER_LIMIT - 2:
        ends = marks[NONSTARTER_LIMIT - 2 :]
        bad |= np.isin(special, ends[ends - marks[: -(NONSTARTER_LIMIT - 2)] == NONSTARTER_LIMIT - 2])
    found: npt.NDArray[np.intp] = special[bad]
    return found


@cache
def _decomposes() -> npt.NDArray[np.bool_]:
    data = tables()
    decomposes: npt.NDArray[np.bool_] = (data.records > 0) & (data.actions != COPY)
    return decomposes


def _isin(values: npt.NDArray[np.uint64], sorted_values: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    places = np.minimum(np.searchsorted(sorted_values, values), len(sorted_values) - 1)
    found: npt.NDArray[np.bool_] = sorted_values[places] == values
    return found


def _compose_at(mapped: CodePoints, bad: npt.NDArray[np.intp], special: npt.NDArray[np.intp]) -> CodePoints:
    """Return the folded text, given the positions at which characters have to be composed.

    The stretches around these positions, up to places where text may be cut, are composed as strings.
    """
    if not len(bad):
        return mapped
    edges = np.concatenate(([-1], np.flatnonzero(mapped & _CUTTABLE), [len(mapped)]))
    stretches = np.unique(np.searchsorted(edges, bad))
    starts, ends = _joined_stretches(edges[stretches - 1] + 1, edges[stretches], _NEAR)
    # A mapping ends with two non-starters at most, so a run over the limit has 29 special characters in a row.
    long_runs = special[_ROW - 1 :][special[_ROW - 1 :] - special[: 1 - _ROW] == _ROW - 1]
    first_runs, end_runs = np.searchsorted(long_runs, starts).tolist(), np.searchsorted(long_runs, ends).tolist()
    parts: list[CodePoints] = []
    done = 0
    for i, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        composed = compose(to_text(mapped[start:end]), long_runs=end_runs[i] > first_runs[i])
        parts += (mapped[done:start], _known()[to_code_points(composed)])
        done = end
    return np.concatenate((*parts, mapped[done:]))
