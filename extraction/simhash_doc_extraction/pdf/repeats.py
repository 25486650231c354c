"""Text that is printed twice at one place: to look bold, as a shadow, or under a picture of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import product

import numpy as np
import numpy.typing as npt

from simhash_doc_extraction.pdf.pieces import Bits, Boxes, Piece

_Numbers = npt.NDArray[np.int64]
_Sides = npt.NDArray[np.float64]
_PLACE = 1.5  # points
_CELL = 8.0  # points
_MOST_IN_CELL = 8
_BESIDE = 0.25, 0.15  # heights and widths of a word
_ABOVE = 0.35  # heights
_LEAST_WIDTH = 0.5  # of the other


def repeated_words(text: str, places: npt.NDArray[np.intp], points: _Numbers, boxes: Boxes, turned: Bits) -> Bits:
    """Return an array that is true for the characters of words that are printed a second time at one place.

    Args:
        text: the characters of a page.
        places: numbers of the characters that have boxes.
        points: their code points.
        boxes: their boxes.
        turned: whether they are in another direction: each is a word.
    """
    found = np.zeros(len(places), bool)
    if not len(places):
        return found
    left, bottom, right, top = boxes.T
    goes_back = (left[1:] < left[:-1]) | (bottom[1:] >= top[:-1]) | (top[1:] <= bottom[:-1])
    is_alone = turned[1:].copy()
    after = np.flatnonzero(is_alone) + 1
    is_alone[after - 1] = (boxes[after] != boxes[after - 1]).any(axis=1)  # letters of a ligature share a box
    starts = np.flatnonzero(np.concatenate(([True], (np.diff(places) > 1) | goes_back | is_alone)))
    ends = np.append(starts[1:], len(places))
    sides = (
        np.minimum.reduceat(left, starts),
        np.minimum.reduceat(bottom, starts),
        np.maximum.reduceat(right, starts),
        np.maximum.reduceat(top, starts),
    )
    words = np.column_stack(sides)
    likeness = ((points[starts] * 31 + points[ends - 1]) * 31 + ends - starts) % _LIKENESSES
    index = _Index()
    for at in _with_like_near(likeness, words):
        word = text[places[starts[at]] : places[ends[at] - 1] + 1]
        found[starts[at] : ends[at]] = index.has(Piece(word, *words[at].tolist()))
    return found | _parts_of_others(points, boxes, np.repeat(np.arange(len(starts)), ends - starts), found)


_LIKENESSES = 1 << 20
"""Words can be equal only if their first letters, last letters and lengths give the same number below this."""


def _with_like_near(likeness: _Numbers, boxes: Boxes) -> list[int]:
    """Return the numbers of words that have a like one in their cell or in one beside it: few do."""
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    shifts = list(product((0.0, 0.5), (0.0, 0.5)))
    pairs = _equal_in_cell(likeness, x / (2 * _CELL), y / (2 * _CELL), shifts)
    return sorted({*pairs[0].tolist(), *pairs[1].tolist()})


def _parts_of_others(points: _Numbers, boxes: Boxes, words: _Numbers, repeated: Bits) -> Bits:
    """Return an array that is true for the characters of words of which another one has all characters at one place.

    Some programs print a part of a word, and then the word. The later one is left out only if it is whole in others.

    Args:
        points: code point of each character.
        boxes: their boxes.
        words: number of the word of each.
        repeated: characters that are left out already.
    """
    first, again = _pairs(points, boxes, words, repeated)
    dropped = np.zeros(len(points), bool)
    if not len(first):
        return dropped
    for one, other in ((again, first), (first, again)):
        matched = np.zeros(len(points), bool)
        matched[one[~dropped[other]]] = True
        whole = np.bincount(words, matched) == np.bincount(words)
        dropped |= whole[words] & ~dropped
    return dropped


def _pairs(points: _Numbers, boxes: Boxes, words: _Numbers, repeated: Bits) -> tuple[_Numbers, _Numbers]:
    """Return the characters that a later word prints again at their places, and the later ones."""
    kept = np.flatnonzero(~repeated)
    left, bottom, _, top = boxes.take(kept, axis=0).T
    one, other = _equal_in_cell(points[kept], left / _PLACE, bottom / _PLACE, ((0.0, 0.0), (0.5, 0.5)))
    near = SHIFT * (top - bottom)[one]
    same = (words[kept[one]] < words[kept[other]]) & (abs(left[one] - left[other]) < near)
    same &= abs(bottom[one] - bottom[other]) < near
    return kept[one[same]], kept[other[same]]


_MOST_CELLS = 1 << 19


def _equal_in_cell(
    values: _Numbers, column: _Sides, row: _Sides, shifts: Sequence[tuple[float, float]]
) -> tuple[_Numbers, _Numbers]:
    """Return pairs of equal values in one cell, each with the next one.

    Args:
        values: numbers below 2²¹.
        column: the place of each, in cells, with fractions.
        row: the same in the other direction.
        shifts: by which columns and rows the cells are moved, one after the other.
    """
    aside, up = np.array(shifts).T[..., np.newaxis]
    cells = np.clip(np.floor((column + aside, row + up)), -_MOST_CELLS, _MOST_CELLS - 1).astype(np.int64)
    number = np.arange(len(shifts))[:, np.newaxis]
    keys = (((values * len(shifts) + number) << 40) + (cells[1] << 20) + cells[0]).ravel()
    ordered = np.sort(keys)
    repeated = np.flatnonzero(np.isin(keys, ordered[1:][ordered[1:] == ordered[:-1]]))  # few
    order = repeated[np.argsort(keys[repeated], kind="stable")]
    same = keys[order[1:]] == keys[order[:-1]]
    return order[:-1][same] % len(values), order[1:][same] % len(values)


class _Index:
    """The words of a page by their text and their place."""

    def __init__(self) -> None:
        self._cells: dict[str, dict[tuple[int, int], list[Piece]]] = defaultdict(lambda: defaultdict(list))

    def has(self, word: Piece) -> bool:
        """Return True if an equal word is at the place of this one; remember it otherwise."""
        cells = self._cells[word.text]
        x, y = int((word.left + word.right) / 2 // _CELL), int((word.bottom + word.top) / 2 // _CELL)
        if cells and any(
            _is_at_place_of(word, other)
            for column in (x - 1, x, x + 1)
            for row in (y - 1, y, y + 1)
            for other in cells.get((column, row), ())
        ):
            return True
        if len(cells[x, y]) < _MOST_IN_CELL:
            cells[x, y].append(word)
        return False


def _is_at_place_of(one: Piece, other: Piece) -> bool:
    height, widths = max(one.height, other.height), (one.right - one.left, other.right - other.left)
    beside = abs(one.left + one.right - other.left - other.right) / 2
    above = abs(one.bottom + one.top - other.bottom - other.top) / 2
    return (
        above < _ABOVE * height
        and beside < _BESIDE[0] * height + _BESIDE[1] * min(widths)
        and min(widths) > _LEAST_WIDTH * max(widths)
    )


_LETTER_CELL = 4.0  # points
OVERLAP = 0.6
SHIFT = 0.1  # heights of a letter; two letters f can overlap by more
SHADOW_SHIFT = 0.25  # of one that is printed a little higher or lower again
_LEVEL = 0.02


class Printed:
    """The characters of a line so far, to find those that are printed twice at nearly one place, to look bold."""

    def __init__(self) -> None:
        self._at: dict[tuple[str, int], Piece] = {}
        self._last = Piece("")
        self._was_again = False

    def again(self, glyph: Piece) -> bool:
        """Return True if an equal character overlaps this one; remember it otherwise."""
        last, left = self._last, glyph.left
        if glyph.bottom >= last.top or glyph.top <= last.bottom:
            self._at = {}
        elif self._was_again or left < last.left or glyph.text == last.text:
            self._was_again = self._overlaps(glyph)
            if self._was_again:
                return True
        self._last = self._at[glyph.text, int(left / _LETTER_CELL)] = glyph
        return False

    def _overlaps(self, glyph: Piece) -> bool:
        last = self._last
        same_box = glyph.left == last.left and glyph.right == last.right  # of a ligature, whose letters share it
        if not glyph.text.isalnum() or (glyph.text == last.text and same_box):
            return False
        x = glyph.left / _LETTER_CELL
        near = [self._at.get((glyph.text, cell)) for cell in {int(x - 0.5), int(x + 0.5)}]
        return any(
            abs(other.left - glyph.left) < (SHADOW_SHIFT if _is_shadow(other, glyph) else SHIFT) * glyph.height
            and min(other.top, glyph.top) - max(other.bottom, glyph.bottom) > OVERLAP * glyph.height
            for other in near
            if other is not None
        )


def _is_shadow(one: Piece, other: Piece) -> bool:
    """Return True if two characters of the same size are not on the same line, as a letter and its shadow."""
    height = one.height
    return abs(one.bottom - other.bottom) > _LEVEL * height and abs(height - other.height) < _LEVEL * height
