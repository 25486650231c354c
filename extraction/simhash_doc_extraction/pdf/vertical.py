"""Lines from top to bottom, as in Chinese and Japanese books, which follow each other from right to left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np
import numpy.typing as npt

from simhash_doc_extraction.pdf.pieces import Bits, Boxes, Piece, is_unspaced

_Indexes = npt.NDArray[np.intp]
_Row = list[Piece]
_LEAST_COLUMN = 3

_ASIDE = 0.5  # sides of a character
_BELOW = 2.0


def steps_down(boxes: Boxes) -> Bits:
    """Return an array that is true for each box but the first that is directly below the one before it."""
    left, bottom, right, top = boxes.T
    side = np.maximum(right - left, top - bottom)
    side = np.maximum(side[1:], side[:-1])
    aside = np.abs(np.diff(left + right)) / 2
    below = -np.diff(bottom + top) / 2
    is_under = top[1:] < (bottom + top)[:-1] / 2
    found: Bits = (aside < _ASIDE * side) & is_under & (below < _BELOW * side)
    return found


def columns(boxes: Boxes, unspaced: Bits) -> tuple[_Indexes, _Indexes]:
    """Return the numbers of the characters with which a new column begins, and of those below another in a column.

    Args:
        boxes: of the characters of a page in the order of their content.
        unspaced: whether each is of a script without spaces.
    """
    if len(boxes) < _LEAST_COLUMN:
        return np.zeros(0, np.intp), np.zeros(0, np.intp)
    down = steps_down(boxes) & unspaced[1:] & unspaced[:-1]
    in_column = down.copy()
    in_column[1:] &= down[:-1]
    in_column[:-1] |= in_column[1:] & down[:-1]  # a column has three characters at least
    left, bottom, right, top = boxes.T
    side = np.maximum(right - left, top - bottom)
    is_aside = np.abs(np.diff(left + right)) / 2 > _ASIDE * np.maximum(side[1:], side[:-1])
    is_level = (bottom[1:] < top[:-1]) & (top[1:] > bottom[:-1])
    first = np.flatnonzero((is_aside & ~is_level)[1:] & in_column[:-1]) + 2
    return first, np.flatnonzero(in_column) + 1


def is_column(line: Piece) -> bool:
    """Return True for a line that is written from top to bottom."""
    return len(line.text) > 1 and line.height > 1.5 * (line.right - line.left) > 0 and is_unspaced(line.text[0])


def with_columns_from_right(rows: Sequence[_Row]) -> list[_Row]:
    """Return rows in which columns of vertical writing, beside each other, go from right to left."""
    ordered: list[_Row] = []
    for is_vertical, group in groupby(rows, lambda row: len(row) == 1 and is_column(row[0])):
        ordered += (
            [row for band in _bands(list(group)) for row in sorted(band, key=_from_right)] if is_vertical else group
        )
    return ordered


def _from_right(row: _Row) -> float:
    return -row[0].right


def _bands(rows: list[_Row]) -> Iterator[list[_Row]]:
    """Yield the columns that are beside each other, from the highest to the lowest."""
    band: list[_Row] = []
    low = float("inf")
    for row in sorted(rows, key=lambda row: -row[0].top):
        if band and row[0].top <= low:
            yield band
            band, low = [], float("inf")
        band.append(row)
        low = min(low, row[0].bottom)
    yield band
