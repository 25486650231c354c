"""Letters that a string paints later than the rest of its line, into gaps that it left for them.

Some programs show the letters of a line in two passes: "1 9", and then the point of "1.9". PDFium keeps the order of a
string.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from simhash_doc_extraction.pdf.directions import PlacedCharacters
from simhash_doc_extraction.pdf.pieces import Boxes, has_spaces

_Indexes = npt.NDArray[np.intp]
_NEAR = 0.1  # heights


def with_late_letters(characters: PlacedCharacters) -> list[int] | None:
    """Return the numbers of the characters of a page with late letters in their places, or None if there are none.

    A blank that they fill is left out. Pages with other scripts than those from left to right with spaces stay.
    """
    advances, lines = characters.advances, characters.lines
    goes_back = (np.diff(advances[:, 0]) < 0) & (np.diff(lines) == 0)
    if not goes_back.any() or not all(map(has_spaces, set(characters.text))):
        return None
    chosen = np.isin(lines, lines[1:][goes_back])
    if not _may_be_late(advances.compress(chosen, axis=0), lines[chosen]):
        return None
    order = _Order(characters)
    moved = [order.move(first) for first in order.parts()]
    return order.numbers() if any(moved) else None


def _may_be_late(advances: Boxes, lines: _Indexes) -> bool:
    """Return True if a character ends where another one begins that is not painted after it."""
    by_place = np.lexsort((advances[:, 0], lines))
    left, bottom, right, top = advances[by_place].T
    near = _NEAR * (top - bottom)[:-1]
    touch = (np.abs(left[1:] - right[:-1]) < near) & (np.abs(np.diff(bottom)) < near) & (np.abs(np.diff(top)) < near)
    return bool((touch & (np.diff(by_place) != 1) & (np.diff(lines) == 0)).any())


class _Order:
    """The placed characters of a page in a chain, each with the blanks and marks behind it.

    The chain begins and ends with one that stands for none.
    """

    def __init__(self, characters: PlacedCharacters) -> None:
        count = len(characters.lines)
        self._boxes: list[list[float]] = characters.advances.tolist()
        self._lines: list[int] = characters.lines.tolist()
        self._by_place: list[int] = np.lexsort((characters.advances[:, 0], characters.lines)).tolist()
        self._rank: list[int] = np.argsort(self._by_place).tolist()
        self._before, self._after = [count, *range(count)], [*range(1, count + 1), 0]
        numbers = characters.places.tolist()
        spans = zip(numbers, [*numbers[1:], len(characters.text)], strict=True)
        self._own = [*(list(range(start, end)) for start, end in spans), list(range(numbers[0]))]

    def parts(self) -> Iterator[int]:
        """Yield the first letter of each part of a line that does not go on where the part before it ends."""
        return (at for at in range(1, len(self._lines)) if not self._goes_on(at - 1))

    def move(self, first: int) -> bool:
        """Move a letter, with those that go on from it, if it fills a gap of its line beside an earlier letter."""
        last = first
        while self._goes_on(last):
            last += 1
        left, right = self._beside(first, -1), self._beside(last, 1)
        if left < first and self._touch(left, first):
            right = self._after[left]
        elif right < first and self._touch(last, right):
            left = self._before[right]
        else:
            return False
        if right == first:
            if left < first - 1:  # what was between them is moved
                self._own[left] = self._own[left][:1]
            return left < first - 1
        if not self._fits(left, first) or not self._fits(last, right):
            return False
        self._move_blanks(left, first, last, right)
        self._join(self._before[first], self._after[last])
        self._join(left, first)
        self._join(last, right)
        return True

    def _move_blanks(self, left: int, first: int, last: int, right: int) -> None:
        """Leave the blanks behind a part where they are, and those of its gap where the part does not touch."""
        behind, self._own[last] = self._own[last][1:], self._own[last][:1]
        self._own[self._before[first]] += behind
        if self._touch(left, first):
            in_gap, self._own[left] = self._own[left][1:], self._own[left][:1]
            self._own[last] += [] if self._touch(last, right) else in_gap

    def _goes_on(self, at: int) -> bool:
        """Return True if the next letter begins where one ends, and nothing else is there."""
        return self._beside(at, 1) == at + 1 and self._touch(at, at + 1)

    def _beside(self, at: int, step: int) -> int:
        """Return the next character on the right (1) or on the left (-1) in the line, or the number of characters."""
        rank = self._rank[at] + step
        found = self._by_place[rank] if 0 <= rank < len(self._lines) else len(self._lines)
        return found if self._are_in_line(at, found) else len(self._lines)

    def _are_in_line(self, one: int, other: int) -> bool:
        return max(one, other) < len(self._lines) and self._lines[one] == self._lines[other]

    def _touch(self, one: int, other: int) -> bool:
        """Return True if one letter ends where the other begins."""
        if not self._are_in_line(one, other):
            return False
        (_, bottom, right, top), (left, other_bottom, _, other_top) = self._boxes[one], self._boxes[other]
        return max(abs(left - right), abs(bottom - other_bottom), abs(top - other_top)) < _NEAR * (top - bottom)

    def _fits(self, one: int, other: int) -> bool:
        """Return True if one letter ends before the other begins, or is in another line."""
        if not self._are_in_line(one, other):
            return True
        (_, bottom, right, top), (left, *_) = self._boxes[one], self._boxes[other]
        return left - right > -_NEAR * (top - bottom)

    def _join(self, one: int, other: int) -> None:
        self._after[one], self._before[other] = other, one

    def numbers(self) -> list[int]:
        """Return the numbers of the characters in their order."""
        found, at = list(self._own[-1]), self._after[-1]
        while at < len(self._lines):
            found += self._own[at]
            at = self._after[at]
        return found
