"""The characters of a page and their boxes, as the page is displayed.

Coordinates are points (1/72 inch), from the lower left corner upwards. A page that is displayed rotated has rotated
boxes, so that its lines are level.
"""

from __future__ import annotations

import ctypes
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as raw

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""


@dataclass(slots=True)
class Piece:
    """A character, or a line of text in one column, and its bounding box.

    A character that is not `placed` is a space: PDFium inserts spaces between separated words. One with a width stands
    for a gap that is narrower than those. A character that is `guessed` has a glyph without a mapping to Unicode.
    """

    text: str
    left: float = 0.0
    bottom: float = 0.0
    right: float = 0.0
    top: float = 0.0
    placed: bool = True
    guessed: bool = False

    @property
    def height(self) -> float:
        """The height of the box, in points."""
        return self.top - self.bottom

    def is_level_with(self, other: Piece) -> bool:
        """Return True if two boxes are side by side."""
        return self.bottom < other.top and self.top > other.bottom


def around(text: str, pieces: Sequence[Piece]) -> Piece:
    """Return a text with the box around its pieces."""
    return Piece(
        text,
        min(piece.left for piece in pieces),
        min(piece.bottom for piece in pieces),
        max(piece.right for piece in pieces),
        max(piece.top for piece in pieces),
    )


SOFT_HYPHEN = "\u00ad"
"""Ends a line whose last word continues in the next line."""

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\ua9e0-\ua9ff\uaa60-\uaadf"  # South-East Asia
    "\u3000-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff"
)
"""Characters of scripts without spaces between words, as ranges of a regular expression."""

_WITHOUT_SPACES = re.compile(f"[{UNSPACED}]")
_PDFIUM_HYPHENS = (0x02, 0xFFFE)
_BLANKS = (0x09, 0x0B, 0x0C, 0x20)
_GUESSED_SHARE = 0.1
"""PDFium guesses the characters of glyphs without a mapping to Unicode. Guesses are dropped if their share of a page is
smaller than this. With a larger share the font probably has a standard encoding, and the guesses are right."""

_TURNS: dict[int, Callable[[float, float, float, float], Box]] = {
    0: lambda left, bottom, right, top: (left, bottom, right, top),
    1: lambda left, bottom, right, top: (bottom, -right, top, -left),
    2: lambda left, bottom, right, top: (-right, -top, -left, -bottom),
    3: lambda left, bottom, right, top: (-top, left, -bottom, right),
}
"""Clockwise quarter turns with which a page is displayed -> the box on the displayed page."""


def read_glyphs(page: pdfium.PdfPage, left_out: Counter[str] | None = None) -> list[Piece | None]:
    """Return the characters of a page in the order of its content. None marks the end of a line.

    Args:
        page: the page.
        left_out: counts the characters that are left out: "outside" of the visible part, and "unmapped".
    """
    left_out = Counter() if left_out is None else left_out
    textpage = page.get_textpage()
    try:
        found = list(_glyphs(textpage, _visible(page), raw.FPDFPage_GetRotation(page), left_out))
    finally:
        textpage.close()
    guessed = sum(glyph is not None and glyph.guessed for glyph in found)
    if guessed < _GUESSED_SHARE * len(found):
        left_out["unmapped"] += guessed
        return [glyph for glyph in found if glyph is None or not glyph.guessed]
    return found


def _visible(page: pdfium.PdfPage) -> Box:
    """Return the part of a page that is displayed: its crop box within its media box."""
    rectangle = raw.FS_RECTF()
    if raw.FPDF_GetPageBoundingBox(page, rectangle):
        box = rectangle.left, rectangle.bottom, rectangle.right, rectangle.top
        if box[0] < box[2] and box[1] < box[3]:
            return box
    return float("-inf"), float("-inf"), float("inf"), float("inf")


def _glyphs(textpage: pdfium.PdfTextPage, visible: Box, turns: int, left_out: Counter[str]) -> Iterator[Piece | None]:
    """Yield the characters of a page, with those that PDFium guessed. Its body runs for each: it calls little."""
    address = ctypes.cast(textpage.raw, ctypes.c_void_p).value
    get_box, is_guessed = _direct(raw.FPDFText_GetCharBox, 5), _direct(raw.FPDFText_HasUnicodeMapError, 1)
    box = (ctypes.c_double * 4)()
    to_left, to_bottom, to_right, to_top = (
        ctypes.addressof(box) + at * ctypes.sizeof(ctypes.c_double) for at in range(4)
    )
    low_x, low_y, high_x, high_y = (2 * side for side in visible)
    turn = _TURNS[turns] if turns in (1, 2, 3) else None
    printed = _Printed()
    pending = 0  # the first half of a surrogate pair: PDFium reports UTF-16 code units on some platforms
    last: Piece | None = None  # the character before, if no space follows it
    before = 0
    inside: Piece | None = None  # the letter before on the line
    for index, code in enumerate(_codes(textpage)):
        if code in (0x0A, 0x0D):
            last = inside = None
            yield None
            continue
        if 0xD800 <= code < 0xE000:
            if code < 0xDC00:
                pending = code
                continue
            if not pending:
                continue
            code, pending = 0x10000 + ((pending - 0xD800) << 10) + (code - 0xDC00), 0
        if code in _PDFIUM_HYPHENS:
            text = SOFT_HYPHEN
        elif code in _BLANKS:
            text = " "
        elif 0 < code < 0x20 or code in (0x7F, 0xFFFF):
            continue
        elif not 0 < code <= 0x10FFFF:
            last = None
            left_out["unmapped"] += 1
            continue
        else:
            text = chr(code)
        if text == " " or not get_box(address, index, to_left, to_right, to_bottom, to_top):
            last = None
            yield Piece(text, placed=False)
            continue
        left, bottom, right, top = box
        is_visible = low_x <= left + right <= high_x and low_y <= bottom + top <= high_y
        if turn:
            left, bottom, right, top = turn(left, bottom, right, top)
        if not is_visible and not _continues(inside, left, bottom, top):
            left_out["outside"] += 1
            continue
        glyph = Piece(text, left, bottom, right, top, True, is_guessed(address, index) == 1)
        if printed.again(glyph):
            continue
        if last is not None:
            gap = left - last.right if left > last.left else last.left - right
            if (
                gap > _LEAST_GAP * (top - bottom)
                and _is_separate(last, glyph)
                and _has_gap(textpage, before, index, turns)
            ):
                yield Piece(" ", right=gap, placed=False)
        last, before = glyph, index
        inside = glyph if inside is None or text.isalnum() else inside
        yield glyph


def _direct(function: Any, count: int) -> Callable[..., int]:
    """Return a function of PDFium that takes an address and `count` numbers or addresses, unchecked: this is faster."""
    kinds = [ctypes.c_void_p, ctypes.c_int, *[ctypes.c_void_p] * (count - 1)]
    return ctypes.PYFUNCTYPE(ctypes.c_int, *kinds)(ctypes.cast(function, ctypes.c_void_p).value or 0)


_HYPHEN_IN_TEXT = 0xFFFE  # not every one of these ends a broken word


def _codes(textpage: pdfium.PdfTextPage) -> Sequence[int]:
    """Return the codes of the characters of a page, in one call if each is one code unit in its text."""
    count = textpage.count_chars()
    buffer = (ctypes.c_ushort * (count + 1))()
    codes: list[int] = []
    if raw.FPDFText_GetText(textpage, 0, count, buffer) == count + 1:
        codes = buffer[:count]
    return [
        raw.FPDFText_GetUnicode(textpage, index) if code == _HYPHEN_IN_TEXT else code
        for index, code in enumerate(codes or [_HYPHEN_IN_TEXT] * count)
    ]


_OVERHANG = 3.0  # heights of a letter


def _continues(inside: Piece | None, left: float, bottom: float, top: float) -> bool:
    """Return True if a character outside the page is the end of a line that begins inside."""
    if inside is None or bottom >= inside.top or top <= inside.bottom:
        return False
    return abs(left - inside.right) < _OVERHANG * max(inside.height, top - bottom)


_CELL = 4.0  # points
_OVERLAP = 0.6
_SHIFT = 0.1  # heights of a letter; two letters f can overlap by more


class _Printed:
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
        self._last = self._at[glyph.text, int(left / _CELL)] = glyph
        return False

    def _overlaps(self, glyph: Piece) -> bool:
        last = self._last
        same_box = glyph.left == last.left and glyph.right == last.right  # of a ligature, whose letters share it
        if not glyph.text.isalnum() or (glyph.text == last.text and same_box):
            return False
        x = glyph.left / _CELL
        near = [self._at.get((glyph.text, cell)) for cell in {int(x - 0.3), int(x + 0.3)}]
        return any(
            abs(other.left - glyph.left) < _SHIFT * glyph.height
            and min(other.top, glyph.top) - max(other.bottom, glyph.bottom) > _OVERLAP * glyph.height
            for other in near
            if other is not None
        )


_GAP = 0.1
"""A gap wider than this share of the height of the font, between the widths that the font states, is a space."""

_LEAST_GAP = 0.13
"""The same as a share of the height of a letter, which is hardly over 3/4 of that of the font: cheap to find."""

_APOSTROPHES = frozenset("'\u2019\u02bc-\u2010\u2011" + SOFT_HYPHEN)


def _is_separate(last: Piece, glyph: Piece) -> bool:
    """Return True if a gap between two characters would matter."""
    return (
        glyph.is_level_with(last)
        and glyph.text.isalnum()
        and unicodedata.bidirectional(glyph.text) not in ("R", "AL")
        and last.text not in _APOSTROPHES
        and not _WITHOUT_SPACES.search(last.text + glyph.text)
    )


def _has_gap(textpage: pdfium.PdfTextPage, before: int, after: int, turns: int) -> bool:
    """Return True if the advance widths of two characters leave a gap between them."""
    boxes = []
    for index in (before, after):
        rectangle = raw.FS_RECTF()
        if not raw.FPDFText_GetLooseCharBox(textpage, index, rectangle):
            return False
        boxes.append(_TURNS[turns](rectangle.left, rectangle.bottom, rectangle.right, rectangle.top))
    first, second = sorted(boxes)
    return second[0] - first[2] > _GAP * min(box[3] - box[1] for box in boxes)
