"""Folding of many documents at once (SD-FOLD-1 to SD-FOLD-5).

Nearly every character of ordinary text folds to one character, whatever is next to it: one look-up in an array folds
them all. The stretches around the others are folded as strings.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.strings import compose
from simhash_doc.engines.unicode_tables import (
    CODE_POINT,
    COMPOSES_FIRST,
    COMPOSES_SECOND,
    DECOMPOSES,
    MARK,
    UNEQUAL,
    CodePoints,
    combining_classes,
    folded_characters,
    to_code_points,
)
from simhash_doc.reference import NONSTARTER_LIMIT
from simhash_doc.unicode_data import fold_map

_Places = npt.NDArray[np.intp]

_NEAR = 256  # characters between two stretches that are folded as one, because a call costs as much
_FEW = 20  # distinct characters that are replaced one after the other; with more, `translate` is faster
# A long run of non-starters has this many special characters in a row, because each folds to at most two
# non-starters, and the starter before the run ends with at most two.
_ROW = NONSTARTER_LIMIT // 2


def fold_to_code_points(text: str) -> CodePoints:
    """Return the folded text; each character has its properties."""
    folded = folded_characters().take(to_code_points(text))
    special = np.flatnonzero(folded >= MARK)  # MARK, SECOND or UNEQUAL
    long_runs = bool((special[_ROW - 1 :] - special[: 1 - _ROW] == _ROW - 1).any())
    unsettled = special if long_runs else special[_is_unsettled(folded, special)]
    if not len(unsettled):
        return folded
    characters = folded[unsettled]
    unequal = np.unique(characters[characters >= UNEQUAL] & CODE_POINT).tolist()
    changes = {chr(character): fold_map()[character] for character in unequal}
    parts: list[CodePoints] = []
    done = 0
    for first, last in _joined(unsettled):
        if last < done:
            continue
        # No character changes together with one beyond a space.
        start = max(text.rfind(" ", done, first) + 1, done)
        end = text.find(" ", last)
        end = len(text) if end < 0 else end
        composed = compose(_replaced(to_text(folded[start:end]), changes), long_runs=long_runs)
        parts += (folded[done:start], folded_characters().take(to_code_points(composed)))
        done = end
    return np.concatenate((*parts, folded[done:]))


def to_text(folded: CodePoints) -> str:
    """Return characters, with or without properties, as a string."""
    return (folded & CODE_POINT).tobytes().decode("utf-32-le")


def _is_unsettled(folded: CodePoints, special: _Places) -> npt.NDArray[np.bool_]:
    """Return which of the special characters may change, or change the text before them.

    A few that do not are among them, such as a mark that composes with other letters than the one before it.
    """
    here, before = folded[special], folded[special - 1]
    ccc, ccc_before = (combining_classes().take(characters & CODE_POINT) for characters in (here, before))
    composes = (here & COMPOSES_SECOND != 0) & ((before & COMPOSES_FIRST != 0) | (ccc_before > 0))
    # A mark is reordered after a mark of a higher class, and within the parts of a character that decomposes.
    moves = (ccc > 0) & ((before & DECOMPOSES != 0) | (ccc_before > ccc))
    unsettled: npt.NDArray[np.bool_] = composes | moves | (here & UNEQUAL != 0)
    return unsettled


def _joined(places: _Places) -> list[tuple[int, int]]:
    """Return (first, last) of each sequence of places that are near to each other."""
    apart = np.flatnonzero(np.diff(places) > _NEAR)
    return list(zip(places[np.append(0, apart + 1)].tolist(), places[np.append(apart, -1)].tolist(), strict=True))


def _replaced(text: str, changes: dict[str, str]) -> str:
    """Return a text with the characters replaced that fold to several, or to none; all others are folded."""
    if len(changes) > _FEW:
        return text.translate(fold_map())
    # In any order: folding changes no character of what another folds to.
    for character, target in changes.items():
        text = text.replace(character, target)
    return text
