"""Marks are reattached to their letters: Thai vowels and tones, Hebrew points, accents.

Typesetting programs position each mark. PDFium treats a repositioned mark as part of another line, and reports it far
from its letter, with spaces around it.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from simhash_doc_extraction.pdf.directions import SPACE
from simhash_doc_extraction.pdf.pieces import LINE_END, Bits, Boxes

_Indexes = npt.NDArray[np.intp]

_MARGIN = 0.35
"""The middle of a mark is within the width of its letter, extended by this share of the width on both sides."""

_CELL = 16.0  # points: letters are searched in cells of this width and height
_MOST_IN_CELL = 200
_SPACE_HEIGHTS = 0.4  # a wider gap, in heights of a letter, is a space


def with_marks_attached(text: str, placed: Bits, boxes: Boxes) -> list[int] | None:
    """Return the numbers of the characters of a page with each mark after its letter, or None if they are in order.

    Blanks around a mark that is moved can be false: they are left out, and `SPACE` stands for a gap.

    Args:
        text: the characters.
        placed: whether each has a box.
        boxes: their boxes.
    """
    marks = {c for c in set(text) if c >= "\u0300" and unicodedata.category(c) == "Mn"}
    if not marks:
        return None
    is_mark = np.fromiter(map(marks.__contains__, text), bool, len(text))
    strays = _strays(is_mark, placed, boxes)
    if not len(strays):
        return None
    is_stray = np.isin(np.arange(len(text) + 1), strays)
    letters = _Letters(boxes, np.flatnonzero(placed & ~is_mark), strays)
    attached: dict[int, list[int]] = defaultdict(list)
    for stray in strays.tolist():
        letter = letters.nearest(boxes[stray])
        if letter is not None:
            while letter + 1 < len(text) and is_mark[letter + 1] and not is_stray[letter + 1]:
                letter += 1
            attached[letter].append(stray)
    return _order(text, is_mark, boxes, attached)


def _strays(is_mark: Bits, placed: Bits, boxes: Boxes) -> _Indexes:
    """Return the numbers of the marks that do not belong to the letter before them."""
    before = np.maximum.accumulate(np.where(is_mark, -1, np.arange(len(is_mark))))
    belongs = (before >= 0) & placed[before] & _are_over(boxes, boxes.take(before, axis=0))
    return np.flatnonzero(is_mark & ~belongs)


def _are_over(marks: Boxes, letters: Boxes) -> Bits:
    """Return an array that is true for each mark at the horizontal position of its letter."""
    middle = (marks[..., 0] + marks[..., 2]) / 2
    low, high = _reach(letters)
    found: Bits = (low <= middle) & (middle <= high)
    return found


def _reach(letters: Boxes) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return between which positions the middles of the marks of letters are."""
    more = _MARGIN * (letters[:, 2] - letters[:, 0])
    return letters[:, 0] - more, letters[:, 2] + more


class _Letters:
    """The letters of a page by their places.

    Args:
        boxes: of the characters of a page.
        numbers: of those that are letters.
        marks: numbers of those that are asked for. Letters are known if they are near one.
    """

    def __init__(self, boxes: Boxes, numbers: _Indexes, marks: _Indexes) -> None:
        self._boxes = boxes
        self._cells: dict[tuple[int, int], list[int]] = defaultdict(list)
        rows = [level + near for level in np.unique(boxes[marks, 1] // _CELL).tolist() for near in (-1, 0, 1)]
        numbers = numbers[np.isin(boxes[numbers, 1] // _CELL, rows)]
        letters = boxes.take(numbers, axis=0)
        levels, first, last = np.floor_divide((letters[:, 1], *_reach(letters)), _CELL).astype(int)
        columns = map(range, first.tolist(), (np.minimum(last, first + _MOST_IN_CELL) + 1).tolist())
        for number, level, near in zip(numbers.tolist(), levels.tolist(), columns, strict=True):
            for column in near:
                cell = self._cells[level, column]
                if len(cell) < _MOST_IN_CELL:
                    cell.append(number)

    def nearest(self, mark: npt.NDArray[np.float64]) -> int | None:
        """Return the number of the nearest letter below or above a mark, or None."""
        row, column = int(mark[1] // _CELL), int((mark[0] + mark[2]) / 2 // _CELL)
        near = [number for level in (row - 1, row, row + 1) for number in self._cells.get((level, column), ())]
        numbers = np.sort(np.array(near, np.intp))
        letters = self._boxes[numbers]
        aside, up = np.abs(mark[:2] + mark[2:] - letters[:, :2] - letters[:, 2:]).T / 2
        is_near = _are_over(mark, letters) & (up <= 2 * (letters[:, 3] - letters[:, 1]))
        if not is_near.any():
            return None
        return int(numbers[is_near][np.argmin((up + aside)[is_near])])


def _order(text: str, is_mark: Bits, boxes: Boxes, attached: Mapping[int, Sequence[int]]) -> list[int]:
    """Return the numbers of characters in an order in which marks follow other characters.

    Args:
        text: the characters.
        is_mark: whether each is a mark.
        boxes: their boxes.
        attached: numbers of characters -> the numbers of the marks that follow each.
    """
    moved = {mark for marks in attached.values() for mark in marks}
    order: list[int] = []
    is_behind = False  # a mark was removed here
    for number, character in enumerate(text):
        if number in moved:
            is_behind = True
            if order and _is_blank(text, order[-1]):
                order.pop()
            continue
        if character == " " and (is_behind or text[number + 1 : number + 2] in _NO_LETTER):
            continue
        if is_behind and character != LINE_END and _is_apart(order, number, text, is_mark, boxes):
            order.append(SPACE)
        is_behind = False
        order.append(number)
        if number in attached:
            order += sorted(attached[number], key=lambda mark: boxes[mark, 1])
    return order


_NO_LETTER = ("", " ", LINE_END)


def _is_blank(text: str, number: int) -> bool:
    return number == SPACE or text[number] == " "


def _is_apart(before: Sequence[int], number: int, text: str, is_mark: Bits, boxes: Boxes) -> bool:
    """Return True if there is a space between a character and the letter before it in its line."""
    for last in reversed(before):
        if _is_blank(text, last) or is_mark[last]:
            continue
        if text[last] == LINE_END:
            return False
        (_, bottom, right, top), left = boxes[last], boxes[number, 0]
        return bool(left - right > _SPACE_HEIGHTS * (top - bottom))
    return False
