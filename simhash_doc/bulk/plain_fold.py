"""Folding of many documents at once with numpy: characters one to one, all else by `tokens.fold`."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from simhash_doc.bulk.tables import COPY, DROP, MARK, NORMALIZE, SECOND, tables
from simhash_doc.pinned import CODE_POINTS, CUTTABLE
from simhash_doc.reference import NONSTARTER_LIMIT
from simhash_doc.tokens import fold

_NEAR = 64  # characters between two stretches that are folded as one: a call costs as much

CodePoints = npt.NDArray[np.uint32]


@cache
def _one_to_one() -> tuple[CodePoints, npt.NDArray[np.uint8]]:
    """Return what each character folds to if that is one character, and the actions, NORMALIZE for the others."""
    data = tables()
    targets = np.arange(CODE_POINTS, dtype=np.uint32)
    actions = data.actions.copy()
    texts: dict[int, str] = {}
    starts = data.copy_starts.tolist()
    for record, (start, end) in enumerate(zip(starts, starts[1:], strict=False)):
        texts[record] = data.copied[start:end].tobytes().decode()
    copied = np.flatnonzero(actions == COPY)
    single = np.array([ord(texts[record]) if len(texts[record]) == 1 else 0 for record in range(len(texts))], np.uint32)
    targets[copied] = single[data.records[copied]]
    actions[copied[targets[copied] == 0]] = NORMALIZE
    return targets, actions


@cache
def _composing() -> npt.NDArray[np.uint64]:
    """Return the pairs that compose, sorted."""
    pairs = tables().pairs
    return np.sort(pairs[pairs != ~np.uint64(0)])


def to_code_points(text: str) -> CodePoints:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def fold_code_points(given: CodePoints) -> CodePoints:
    """Return the folded form of a text."""
    targets, kinds = _one_to_one()
    actions = kinds[given]
    if (dropped := actions == DROP).any():
        given, actions = given[~dropped], actions[~dropped]
    folded = targets[given]
    special = np.flatnonzero(actions >= MARK)
    if not len(special):
        return folded
    return _fold_slowly(given, folded, _unsettled(given, folded, actions, special))


def _unsettled(
    given: CodePoints, folded: CodePoints, actions: npt.NDArray[np.uint8], special: npt.NDArray[np.intp]
) -> npt.NDArray[np.intp]:
    """Return which of the special characters do not stay as they are: those that are composed, reordered or expanded."""
    data = tables()
    ccc = data.ccc[folded[special]]
    at_start = special == 0
    before = folded[special - 1]
    before_ccc = np.where(at_start, 0, data.ccc[before])
    is_mark = ccc > 0
    bad = actions[special] == NORMALIZE
    # After a starter that decomposes, a mark may slip between its parts; after a higher class, it is reordered.
    bad |= is_mark & (before_ccc == 0) & (_decomposes()[before] | (actions[special - 1] == NORMALIZE))
    bad |= is_mark & (before_ccc > ccc)
    seconds = actions[special] == SECOND
    pairs = before.astype(np.uint64) << np.uint64(21) | folded[special]
    bad |= seconds & (_isin(pairs, _composing()) | (is_mark & (before_ccc > 0)))
    # A long run of marks may be over the limit once it is decomposed.
    marks = special[is_mark]
    if len(marks) > NONSTARTER_LIMIT - 2:
        ends = marks[NONSTARTER_LIMIT - 2 :]
        bad |= np.isin(special, ends[ends - marks[: -(NONSTARTER_LIMIT - 2)] == NONSTARTER_LIMIT - 2])
    return special[bad & ~(at_start & ~(actions[special] == NORMALIZE))]


@cache
def _decomposes() -> npt.NDArray[np.bool_]:
    data = tables()
    return (data.records > 0) & (data.actions != COPY)


def _isin(values: npt.NDArray[np.uint64], sorted_values: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    places = np.minimum(np.searchsorted(sorted_values, values), len(sorted_values) - 1)
    return sorted_values[places] == values


@cache
def _cuttable() -> npt.NDArray[np.bool_]:
    cuttable = np.zeros(CODE_POINTS, bool)
    cuttable[[ord(character) for character in CUTTABLE]] = True
    return cuttable


def _fold_slowly(given: CodePoints, folded: CodePoints, bad: npt.NDArray[np.intp]) -> CodePoints:
    """Return the folded text, the stretches between places to cut that hold a bad character folded as strings."""
    if not len(bad):
        return folded
    edges = np.concatenate(([-1], np.flatnonzero(_cuttable()[given]), [len(given)]))
    stretches = np.unique(np.searchsorted(edges, bad))
    starts, ends = edges[stretches - 1] + 1, edges[stretches]
    apart = np.flatnonzero(starts[1:] - ends[:-1] > _NEAR)
    starts, ends = starts[np.append(0, apart + 1)], ends[np.append(apart, len(ends) - 1)]
    parts = []
    done = 0
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        parts.append(folded[done:start])
        parts.append(to_code_points(fold(given[start:end].tobytes().decode("utf-32-le", "surrogatepass"))))
        done = end
    return np.concatenate((*parts, folded[done:]))
