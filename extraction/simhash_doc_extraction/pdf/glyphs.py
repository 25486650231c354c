"""The characters of a page and their boxes, as the page is displayed.

Coordinates are points (1/72 inch), from the lower left corner upwards. A page that is displayed rotated has rotated
boxes, so that its lines are level.
"""

from __future__ import annotations

import ctypes
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium
import pypdfium2.raw as raw

Bits = npt.NDArray[np.bool_]
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

_TURNS: dict[int, Callable[[Any, Any, Any, Any], tuple[Any, Any, Any, Any]]] = {
    0: lambda left, bottom, right, top: (left, bottom, right, top),
    1: lambda left, bottom, right, top: (bottom, -right, top, -left),
    2: lambda left, bottom, right, top: (-right, -top, -left, -bottom),
    3: lambda left, bottom, right, top: (-top, left, -bottom, right),
}
"""Clockwise quarter turns with which a page is displayed -> the box (or arrays of boxes) on the displayed page."""


class Characters:
    """The characters of a page, as PDFium reports them: their text, and arrays of their boxes.

    A page has thousands, and PDFium is asked for each.

    Attributes:
        text: the characters; " " for a blank, or one of `LINE_END`, `SKIPPED` and `UNMAPPED`.
        points: array of their code points.
        boxes: array of their boxes, one row each.
        placed: array that is true for a character with a box, and false for blanks and marks.
        outside: array that is true for a character outside the visible part of the page.
        guessed: array that is true for a character that PDFium guessed.
        spaced: array that is true for a character before which a gap is a space that PDFium does not report.
    """

    def __init__(self, page: pdfium.PdfPage) -> None:
        self.textpage = page.get_textpage()
        self._address = ctypes.byref(self.textpage.raw.contents)
        turns = raw.FPDFPage_GetRotation(page)
        self._turn = _TURNS.get(turns, _TURNS[0])
        self.text = "".join(map(_TEXTS.__getitem__, _codes(self.textpage)))
        self.points = np.frombuffer(self.text.encode("utf-32-le"), "<u4")
        self.placed = ~self.are(_NO_GLYPH)
        indexes = np.flatnonzero(self.placed)
        boxes = np.zeros((len(self.text), 4))
        boxes[indexes] = self._boxes(_get_box, indexes, (ctypes.c_double * 4)(), 0, 8, 16, 24)
        left, right, bottom, top = boxes.T
        low_x, low_y, high_x, high_y = (2 * side for side in _visible(page))
        x, y = left + right, bottom + top
        self.outside = self.placed & ~((low_x <= x) & (x <= high_x) & (low_y <= y) & (y <= high_y))
        self.boxes = np.column_stack(self._turn(left, bottom, right, top))
        self.guessed = np.zeros(len(self.text), bool)
        self.guessed[indexes] = [_is_guessed(self._address, index) == 1 for index in indexes.tolist()]
        self.spaced = self._spaces()

    def are(self, characters: Iterable[str]) -> Bits:
        """Return an array that is true for each of some characters."""
        found = np.zeros(len(self.text), bool)
        for character in characters:
            found |= self.points == ord(character)
        return found

    def close(self) -> None:
        """Release the memory."""
        self.textpage.close()

    def _spaces(self) -> Bits:
        """Return an array that is true for a character before which a gap is a space, between the advance widths."""
        places = np.flatnonzero(self.placed)
        separated = np.cumsum(self.are(_SEPARATORS))[places]
        left, bottom, right, top = self.boxes[places].T
        gap = np.where(left[1:] > left[:-1], left[1:] - right[:-1], left[:-1] - right[1:])
        level = (bottom[1:] < top[:-1]) & (top[1:] > bottom[:-1])
        wide = (gap > _LEAST_GAP * (top - bottom)[1:]) & level & (separated[1:] == separated[:-1])
        pairs = [
            (before, after)
            for before, after in zip(places[:-1][wide].tolist(), places[1:][wide].tolist(), strict=True)
            if can_begin(self.text[after]) and _can_end(self.text[before])
        ]
        found = np.zeros(len(self.text), bool)
        if pairs:
            indexes = np.array(pairs)
            boxes = self._boxes(_get_loose_box, indexes.ravel(), (ctypes.c_float * 4)(), 0)
            x, top, right, bottom = boxes.reshape(-1, 2, 4).transpose(2, 0, 1)
            left, bottom, right, top = self._turn(x, bottom, right, top)
            is_first = left[:, 0] <= left[:, 1]
            gap = np.where(is_first, left[:, 1] - right[:, 0], left[:, 0] - right[:, 1])
            found[indexes[:, 1][gap > _GAP * (top - bottom).min(axis=1)]] = True
        return found

    def _boxes(
        self, function: Callable[..., int], indexes: npt.NDArray[np.intp], sides: ctypes.Array[Any], *offsets: int
    ) -> npt.NDArray[np.float64]:
        """Return the sides of boxes of characters, which a function of PDFium writes at offsets of an array."""
        found = bytearray()
        to_sides = (repeat(ctypes.byref(sides, offset)) for offset in offsets)
        for _ in map(function, repeat(self._address), indexes.tolist(), *to_sides):
            found += sides
        return np.frombuffer(found, sides._type_).reshape(-1, 4).astype(float)

    def glyphs(self, start: int, end: int, left_out: Counter[str]) -> Iterator[Piece | None]:
        """Yield characters in the order of the content, each once, with spaces at gaps. None marks the end of a line.

        `left_out` counts the characters that are left out: "outside" of the visible part, and "unmapped".
        """
        printed = _Printed()
        last: Piece | None = None  # the character before, if no space follows it
        inside: Piece | None = None  # the letter before on the line
        each = zip(
            self.text[start:end],
            self.placed[start:end].tolist(),
            self.boxes[start:end].tolist(),
            self.outside[start:end].tolist(),
            self.guessed[start:end].tolist(),
            self.spaced[start:end].tolist(),
            strict=True,
        )
        for text, is_placed, (left, bottom, right, top), is_outside, is_guessed, is_spaced in each:
            if not is_placed:
                if text == LINE_END:
                    last = inside = None
                    yield None
                elif text == UNMAPPED:
                    last = None
                    left_out["unmapped"] += 1
                elif text != SKIPPED:
                    last = None
                    yield Piece(text, placed=False)
                continue
            glyph = Piece(text, left, bottom, right, top, True, is_guessed)
            if is_outside and not _continues(inside, glyph):
                left_out["outside"] += 1
                continue
            if printed.again(glyph):
                continue
            if is_spaced and last is not None:
                gap = glyph.left - last.right if glyph.left > last.left else last.left - glyph.right
                yield Piece(" ", right=gap, placed=False)
            last = glyph
            inside = glyph if inside is None or text.isalnum() else inside
            yield glyph


def read_glyphs(characters: Characters, left_out: Counter[str]) -> list[Piece | None]:
    """Return the characters of a page, without guesses. `Characters.glyphs` explains the arguments."""
    found = list(characters.glyphs(0, len(characters.text), left_out))
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


LINE_END, SKIPPED, UNMAPPED = "\n", "\0", "\ufdd1"
_SEPARATORS = frozenset({" ", LINE_END, UNMAPPED})
_NO_GLYPH = _SEPARATORS | {SKIPPED}


class _Texts(dict[int, str]):
    """The texts of the codes of characters."""

    def __missing__(self, code: int) -> str:
        if code in (0x0A, 0x0D):
            text = LINE_END
        elif code in _PDFIUM_HYPHENS:
            text = SOFT_HYPHEN
        elif code in _BLANKS:
            text = " "
        elif 0 < code < 0x20 or code in (0x7F, 0xFFFF) or 0xD800 <= code < 0xE000:
            text = SKIPPED
        else:
            text = chr(code) if 0 < code <= 0x10FFFF else UNMAPPED
        self[code] = text
        return text


_TEXTS = _Texts()


def _direct(function: Any) -> Callable[..., int]:
    """Return a function of PDFium that takes numbers and references, unchecked: this is faster."""
    return ctypes.PYFUNCTYPE(ctypes.c_int)(ctypes.cast(function, ctypes.c_void_p).value or 0)


_get_box, _get_loose_box = _direct(raw.FPDFText_GetCharBox), _direct(raw.FPDFText_GetLooseCharBox)
_is_guessed = _direct(raw.FPDFText_HasUnicodeMapError)
_HYPHEN_IN_TEXT = 0xFFFE  # not every one of these ends a broken word


def _codes(textpage: pdfium.PdfTextPage) -> list[int]:
    """Return the codes of the characters of a page, in one call if each is one code unit in its text.

    PDFium reports UTF-16 code units on some platforms: the code of a pair stands in the place of its second half.
    """
    count = textpage.count_chars()
    buffer = (ctypes.c_ushort * (count + 1))()
    is_one_call = raw.FPDFText_GetText(textpage, 0, count, buffer) == count + 1
    codes = np.array(np.frombuffer(buffer, np.uint16, count) if is_one_call else [_HYPHEN_IN_TEXT] * count, np.uint32)
    for index in np.flatnonzero(codes == _HYPHEN_IN_TEXT).tolist():
        codes[index] = raw.FPDFText_GetUnicode(textpage, index)
    low = codes[1:] & 0xFFFFFC00 == 0xDC00
    for index in (np.flatnonzero(low & (codes[:-1] & 0xFFFFFC00 == 0xD800)) + 1).tolist():
        codes[index] += 0x10000 + ((codes[index - 1] - 0xD800) << 10) - 0xDC00
    found: list[int] = codes.tolist()
    return found


_OVERHANG = 3.0  # heights of a letter


def _continues(inside: Piece | None, glyph: Piece) -> bool:
    """Return True if a character outside the page is the end of a line that begins inside."""
    if inside is None or not glyph.is_level_with(inside):
        return False
    return abs(glyph.left - inside.right) < _OVERHANG * max(inside.height, glyph.height)


_CELL = 4.0  # points
OVERLAP = 0.6
SHIFT = 0.1  # heights of a letter; two letters f can overlap by more
SHADOW_SHIFT = 0.25  # of one that is printed a little higher or lower again
_LEVEL = 0.02


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


_GAP = 0.1
"""A gap wider than this share of the height of the font, between the widths that the font states, is a space."""

_LEAST_GAP = 0.13
"""The same as a share of the height of a letter, which is hardly over 3/4 of that of the font: cheap to find."""

_APOSTROPHES = frozenset("'\u2019\u02bc-\u2010\u2011" + SOFT_HYPHEN)


@lru_cache(maxsize=10_000)
def can_begin(text: str) -> bool:
    """Return True for a character before which a gap can be a space: a letter or digit of a script with spaces."""
    is_leftward = unicodedata.bidirectional(text) in ("R", "AL")
    return text.isalnum() and not is_leftward and not _WITHOUT_SPACES.match(text)


@lru_cache(maxsize=10_000)
def _can_end(text: str) -> bool:
    return text not in _APOSTROPHES and not _WITHOUT_SPACES.match(text)
