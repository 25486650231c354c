"""Text in any direction: PDFium looks for the lines of a page in one direction.

It ends a line after each string that is written in another one, and sorts such strings from left to right. If each
letter is a string, the words fall apart. On pages of few words, it also takes level letters for columns. Here, strings
in another direction have the order of the content, and what is between letters follows from their places.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from itertools import pairwise
from math import hypot
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium
import pypdfium2.raw as raw

from simhash_doc_extraction.pdf.direct import direct
from simhash_doc_extraction.pdf.fonts import objects
from simhash_doc_extraction.pdf.gaps import Gaps, Numbers, judge
from simhash_doc_extraction.pdf.pieces import Bits, Boxes, can_begin, can_end

_Indexes = npt.NDArray[np.intp]

SPACE, END = -1, -2
"""Stand for a space and for the end of a line among the numbers of characters."""

_LEAST_TURNED = 0.25
"""Radians. PDFium keeps lines together if they are turned less, for example in a scan."""

_SAME_ANGLE = 0.02  # radians
_SAME_SIDE = 0.01  # heights

_ACROSS = 0.5  # ems
_ALONG = (-1.0, 1.5)
"""Between letters that are farther back or apart than these ems, a line ends."""

_LEVEL = 0.1  # heights: letters of another size, as in formulas, are none of the line
_NEAR = (-0.3, 1.0)
"""Between level letters, no line ends at a gap of these heights."""

_LEAST_SPACE = 0.25
"""A gap beside a sign is a space if it is wider, in ems or heights. Gaps between letters are judged together."""

_MIDDLE = 0.3  # ems above the line
_USUAL_ADVANCE = 0.5  # ems
_MOST_TIMES = 4

_get_angle = direct(raw.FPDFText_GetCharAngle, ctypes.c_float)
_get_object = direct(raw.FPDFText_GetTextObject, ctypes.c_void_p)


def on_display(page: pdfium.PdfPage, left: Numbers, bottom: Numbers, right: Numbers, top: Numbers) -> Boxes:
    """Return boxes on a page as they are displayed: pages are turned clockwise by quarters."""
    turned = {
        1: (bottom, -right, top, -left),
        2: (-right, -top, -left, -bottom),
        3: (-top, left, -bottom, right),
    }.get(raw.FPDFPage_GetRotation(page), (left, bottom, right, top))
    return np.array(turned).T


class PlacedCharacters(NamedTuple):
    """The characters of a page as PDFium reports them.

    Attributes:
        text: all characters.
        places: numbers of those that have boxes.
        advances: their boxes between the advance widths, on the displayed page.
        lines: number of the line of each of them.
        written: for every character, whether it is a space that the file writes.
    """

    text: str
    places: _Indexes
    advances: Boxes
    lines: _Indexes
    written: Bits


class Turned(NamedTuple):
    """Characters in another direction than from left to right: their numbers, and boxes around their middles."""

    places: _Indexes
    boxes: Boxes


def in_order(
    characters: PlacedCharacters, page: pdfium.PdfPage, textpage: pdfium.PdfTextPage
) -> tuple[list[int], Turned] | None:
    """Return the numbers of the characters of a page in their order, with `SPACE` and `END`; None if it stands.

    The boxes of those that are turned are on the page as it is stored.
    """
    angles = _angles(characters, page, textpage)
    turned = (angles > _LEAST_TURNED) & (angles < 2 * np.pi - _LEAST_TURNED)
    near = _near(characters, turned)
    if not turned.any() and not len(near):
        return None
    order, at, boxes = list[int](), 0, [np.zeros((0, 4))]
    ranks = {address: rank for rank, (address, _) in enumerate(objects(page))} if turned.any() else {}
    places = [np.zeros(0, np.intp)]
    for first, last in _runs(turned, angles):
        run = characters.places[first:last]
        order += _without(range(at, int(run[0])), characters, near)
        at = int(run[-1]) + 1
        frame = _Frame(run[np.argsort(_ranks(run, ranks, textpage), kind="stable")], textpage)
        order += [END, *frame.order(characters), END]
        places.append(frame.places)
        boxes.append(frame.boxes())
    order += _without(range(at, len(characters.text)), characters, near)
    return order, Turned(np.concatenate(places), np.concatenate(boxes))


def _angles(characters: PlacedCharacters, page: pdfium.PdfPage, textpage: pdfium.PdfTextPage) -> Numbers:
    """Return the clockwise angles of characters on the displayed page, in radians.

    PDFium is asked where they can change.
    """
    left, bottom, _, top = characters.advances.T
    least = _SAME_SIDE * (top - bottom)[1:]
    goes_on = (np.diff(characters.lines) == 0) & (np.diff(left) >= 0)
    goes_on &= (np.abs(np.diff(bottom)) < least) & (np.abs(np.diff(top)) < least)
    asked = np.flatnonzero(np.append(True, ~goes_on))
    address = ctypes.byref(textpage.raw.contents)
    angles = np.array([_get_angle(address, index) for index in characters.places[asked].tolist()])
    found: Numbers = (angles + raw.FPDFPage_GetRotation(page) * np.pi / 2) % (2 * np.pi)
    return np.repeat(found, np.diff(np.append(asked, len(left))))


def _near(characters: PlacedCharacters, turned: Bits) -> _Indexes:
    """Return which characters come before a line end that is none: the next one is level with them, and near."""
    left, bottom, right, top = characters.advances.T
    height = (top - bottom)[1:]
    is_level = (np.abs(np.diff(bottom)) < _LEVEL * height) & (np.abs(np.diff(top)) < _LEVEL * height)
    gap = left[1:] - right[:-1]
    is_near = is_level & (gap > _NEAR[0] * height) & (gap < _NEAR[1] * height)
    is_near &= (np.diff(characters.lines) > 0) & ~turned[1:] & ~turned[:-1]
    return np.flatnonzero(is_near)


def _without(numbers: range, characters: PlacedCharacters, near: _Indexes) -> list[int]:
    """Return numbers of characters without line ends that are none."""
    order, at = list[int](), numbers.start
    for index in near.tolist():
        before, after = characters.places[index : index + 2].tolist()
        if before in numbers and after in numbers:
            order += range(at, before + 1)
            gap = characters.advances[index + 1, 0] - characters.advances[index, 2]
            height = characters.advances[index + 1, 3] - characters.advances[index + 1, 1]
            is_judged = can_begin(characters.text[after]) and can_end(characters.text[before])
            order += [SPACE] if gap > _LEAST_SPACE * height and not is_judged else []
            at = after
    return [*order, *range(at, numbers.stop)]


def _runs(turned: Bits, angles: Numbers) -> Iterator[tuple[int, int]]:
    """Yield the first and the last (exclusive) of the characters that are turned by one angle and come together."""
    changes = np.flatnonzero((np.abs(np.diff(angles)) > _SAME_ANGLE) | (turned[1:] != turned[:-1])) + 1
    for first, last in pairwise([0, *changes.tolist(), len(turned)]):
        if turned[first]:
            yield first, last


def _ranks(places: _Indexes, ranks: dict[int, int], textpage: pdfium.PdfTextPage) -> list[int]:
    """Return the place of the string of each character in the content; of an unknown one, that of the one before."""
    address, found, rank = ctypes.byref(textpage.raw.contents), [], 0
    for index in places.tolist():
        rank = ranks.get(_get_object(address, index), rank)
        found.append(rank)
    return found


class _Frame:
    """Characters that are written in one direction, as seen in it: `along` a line and `across` it, in points."""

    def __init__(self, places: _Indexes, textpage: pdfium.PdfTextPage) -> None:
        self.places = places
        x, y, matrix, box = ctypes.c_double(), ctypes.c_double(), raw.FS_MATRIX(), raw.FS_RECTF()
        rows = []
        for index in places.tolist():
            raw.FPDFText_GetCharOrigin(textpage, index, x, y)
            raw.FPDFText_GetMatrix(textpage, index, matrix)
            raw.FPDFText_GetLooseCharBox(textpage, index, box)
            scale = hypot(matrix.a, matrix.b) or 1.0
            cosine, sine = matrix.a / scale, matrix.b / scale
            size = abs(raw.FPDFText_GetFontSize(textpage, index)) * scale
            width = _advance(x.value, y.value, box, cosine, sine)
            rows.append((x.value, y.value, cosine, sine, width, size))
        self._x, self._y, self._cosine, self._sine, self._width, size = np.array(rows).T
        likely = self._width.mean() / _USUAL_ADVANCE or 1.0
        is_size = (size * _MOST_TIMES > likely) & (size < likely * _MOST_TIMES)
        self._ems = np.where(is_size, size, likely)

    def order(self, characters: PlacedCharacters) -> Iterator[int]:
        """Yield the numbers of the characters, with `SPACE` and `END` between them. The boxes of a word then touch."""
        cosine, sine = self._cosine[0], self._sine[0]
        along, across = self._x * cosine + self._y * sine, self._y * cosine - self._x * sine
        gap = (np.diff(along) - self._width[:-1]) / self._ems[1:]
        ends = (np.abs(np.diff(across)) > _ACROSS * self._ems[1:]) | (gap < _ALONG[0]) | (gap > _ALONG[1])
        written = np.append(characters.written, False)[self.places[:-1] + 1]
        text = "".join(map(characters.text.__getitem__, self.places.tolist()))
        spaces = _spaces(text, gap, ends, written)
        self._widen(np.diff(along), ends, spaces)
        for at, place in enumerate(self.places.tolist()):
            if at and ends[at - 1]:
                yield END
            elif at in spaces:
                yield SPACE
            yield place

    def _widen(self, steps: Numbers, ends: Bits, spaces: set[int]) -> None:
        """Let the letters of a word touch. Those of a ligature, which have one place, keep one width."""
        within = ~ends & (steps > 0)
        within[[at - 1 for at in spaces]] = False
        self._width[:-1][within] = steps[within]
        for at in np.flatnonzero(~ends & (steps == 0))[::-1].tolist():
            self._width[at] = self._width[at + 1]

    def boxes(self) -> Boxes:
        """Return a square around the middle of each character, as wide as the character."""
        half, up = self._width / 2, _MIDDLE * self._ems
        x = self._x + half * self._cosine - up * self._sine
        y = self._y + half * self._sine + up * self._cosine
        return np.column_stack((x - half, y - half, x + half, y + half))


def _advance(x: float, y: float, box: raw.FS_RECTF, cosine: float, sine: float) -> float:
    """Return the advance width of a character from the box around its turned advance box, and its origin."""
    left, right, down, up = x - float(box.left), float(box.right) - x, y - float(box.bottom), float(box.top) - y
    left, right = (left, right) if cosine >= 0 else (right, left)
    down, up = (down, up) if sine >= 0 else (up, down)
    cosine, sine = abs(cosine), abs(sine)
    # What is on the other side of the origin is the ascent or the descent, which is added on this side.
    if cosine >= sine:
        return max(0.0, (right - down * sine / cosine) / cosine)
    return max(0.0, (up - left * cosine / sine) / sine)


def _spaces(text: str, gap: Numbers, ends: Bits, written: Bits) -> set[int]:
    """Return the numbers of the characters before which a space is, in lines that end where `ends` is true."""
    lines: _Indexes = np.cumsum(np.append(False, ends), dtype=np.intp)[1:]
    judged = np.flatnonzero(~ends & ~written)
    is_written = np.isin(lines[judged], lines[written & ~ends])
    missing, _ = judge(
        text, Gaps(gap[judged], judged, judged + 1, lines[judged], np.zeros(len(judged), bool), is_written)
    )
    wide = judged[gap[judged] > _LEAST_SPACE].tolist()
    beside_sign = [at + 1 for at in wide if not (can_begin(text[at + 1]) and can_end(text[at]))]
    return {*missing, *beside_sign, *(np.flatnonzero(written) + 1).tolist()}
