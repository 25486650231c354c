"""The characters of a page, as PDFium reports them, each once, with spaces at gaps."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from itertools import repeat
from math import hypot
from typing import Any

import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium
import pypdfium2.raw as raw

from simhash_doc_extraction.pdf.direct import direct
from simhash_doc_extraction.pdf.directions import END, SPACE, PlacedCharacters, in_order, on_display
from simhash_doc_extraction.pdf.fonts import boxes_of_advances, keep_strings
from simhash_doc_extraction.pdf.gaps import after_ligatures, gaps_of, judge
from simhash_doc_extraction.pdf.pieces import (
    CONTROL,
    LINE_END,
    SKIPPED,
    SOFT_HYPHEN,
    UNMAPPED,
    Bits,
    Boxes,
    Piece,
    is_unspaced,
)
from simhash_doc_extraction.pdf.repeats import Printed, repeated_words
from simhash_doc_extraction.pdf.vertical import columns

Indexes = npt.NDArray[np.intp]
Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""

_PDFIUM_HYPHENS = (0x02, 0xFFFE)
_BLANKS = (0x09, 0x0B, 0x0C, 0x20)
_LEAST_UNSPACED = 0x0E00
_GUESSED_SHARE = 0.1
"""PDFium guesses the characters of glyphs without a mapping to Unicode. Guesses are dropped if their share of a page is
smaller than this. With a larger share the font probably has a standard encoding, and the guesses are right."""


class PageCharacters:
    """The characters of a page: their text, and arrays with an entry for each.

    A page has thousands, and PDFium is asked for each.

    Attributes:
        text: the characters; " " for a blank, or one of `LINE_END`, `SKIPPED`, `UNMAPPED` and `CONTROL`.
        points: array of their code points.
        boxes: array of their boxes, one row each.
        placed: array that is true for a character with a box, and false for blanks and marks.
        outside: array that is true for a character outside the visible part of the page.
        guessed: array that is true for a character that PDFium guessed.
    """

    def __init__(self, page: pdfium.PdfPage) -> None:
        keep_strings(page)
        with closing(page.get_textpage()) as textpage:
            self._set("".join(map(_TEXTS.__getitem__, _codes(textpage))))
            asked = _Asked(textpage)
            self._mark_unmapped(asked)
            self._read_boxes(asked, page)
            self._put_in_order(page, textpage)
            indexes = np.flatnonzero(self.placed)
            missing, extra = self._misjudged_gaps(asked, indexes)
        repeated = repeated_words(self.text, indexes, self.boxes[indexes], self._turned[indexes])
        self._mend(missing, extra, repeated, indexes)

    def _read_boxes(self, asked: _Asked, page: pdfium.PdfPage) -> None:
        """Read the boxes of characters, and what depends on them."""
        indexes, count = np.flatnonzero(self.placed), len(self.text)
        boxes = asked.boxes(_get_box, indexes, (ctypes.c_double * 4)(), 0, 8, 16, 24)
        asked.boxes_of_advances(boxes, indexes)
        left, right, bottom, top = boxes.T
        low_x, low_y, high_x, high_y = (2 * side for side in _visible(page))
        x, y = left + right, bottom + top
        self.outside, self.guessed, self._inserted, self._turned = np.zeros((4, count), bool)
        self.outside[indexes] = ~((low_x <= x) & (x <= high_x) & (low_y <= y) & (y <= high_y))
        self.guessed[indexes] = asked.bits(_is_guessed, indexes)
        blanks = np.flatnonzero(self.are(" "))
        self._inserted[blanks] = asked.bits(_is_inserted, blanks)
        self.boxes, self._advances = np.zeros((2, count, 4))
        self.boxes[indexes] = on_display(page, left, bottom, right, top)
        left, top, right, bottom = asked.boxes(_get_loose_box, indexes, (ctypes.c_float * 4)(), 0).T
        self._advances[indexes] = on_display(page, left, bottom, right, top)
        self._numbers: Indexes = np.arange(count)

    def _put_in_order(self, page: pdfium.PdfPage, textpage: pdfium.PdfTextPage) -> None:
        """Give strings that are turned their order in the content, and join what PDFium took apart."""
        places = np.flatnonzero(self.placed)
        if not len(places):
            return
        lines: Indexes = np.cumsum(self.are(LINE_END), dtype=np.intp)[places]
        given = PlacedCharacters(self.text, places, self._advances[places], lines, self.are(" ") & ~self._inserted)
        found = in_order(given, page, textpage)
        if found is None:
            return
        order, turned = found
        self._turned[turned.places] = True
        self.boxes[turned.places] = on_display(page, *turned.boxes.T)
        numbers = np.array(order, np.intp)
        is_new = numbers < 0
        for name in ("boxes", "outside", "guessed", "_advances", "_inserted", "_turned", "_numbers"):
            values = getattr(self, name)[np.maximum(numbers, 0)]
            values[is_new] = name == "_inserted"
            setattr(self, name, values)
        self._set("".join(_MARKS.get(number) or self.text[number] for number in order))

    def _set(self, text: str) -> None:
        self.text = text
        self.points = np.frombuffer(text.encode("utf-32-le"), "<u4")
        self.placed = ~self.are(_NO_GLYPH)

    def _mark_unmapped(self, asked: _Asked) -> None:
        """Mark the control characters that are seen: they are codes of a font without a mapping to Unicode."""
        skipped = np.flatnonzero(self.are(SKIPPED))
        if len(skipped):
            left, right, bottom, top = asked.boxes(_get_box, skipped, (ctypes.c_double * 4)(), 0, 8, 16, 24).T
            points = self.points.copy()
            points[skipped[(right > left) & (top > bottom)]] = ord(CONTROL)
            self._set(_text(points))

    def are(self, characters: Iterable[str]) -> Bits:
        """Return an array that is true for each of some characters."""
        found = np.zeros(len(self.text), bool)
        for character in characters:
            found |= self.points == ord(character)
        return found

    def _misjudged_gaps(self, asked: _Asked, indexes: Indexes) -> tuple[list[int], list[int]]:
        """Return the numbers of the characters before which a space is missing, and before which one is too much."""
        if len(indexes) < 2:
            return [], []
        advances = self._advances[indexes]
        hyphens = self.are(SOFT_HYPHEN)
        lines: Indexes = np.cumsum(self.are((LINE_END, UNMAPPED)), dtype=np.intp) + np.cumsum(hyphens) - hyphens
        lines = lines[indexes]
        turned = np.flatnonzero(self._turned[indexes])
        lines[turned] = -2 - turned  # their gaps are judged
        ems = asked.ems(self._numbers[indexes], lines, advances[:, 2] - advances[:, 0])
        written = self.are(" ") & ~self._inserted
        gaps = gaps_of(self.boxes[indexes], advances, indexes, lines, ems, written, self._inserted)
        missing, extra = judge(self.text, gaps)
        return missing, extra + after_ligatures(advances, indexes, ems, written)

    def _mend(self, missing: list[int], extra: list[int], repeated: Bits, indexes: Indexes) -> None:
        """Insert the spaces that are missing and the ends of columns; take out what is too much."""
        kept = np.ones(len(self.text), bool)
        kept[indexes[repeated]] = False
        for after in extra:
            kept[after - 1 - _blanks_before(self.text, after) : after] = False
        columns, joined = self._columns(indexes)
        for before, after in joined:
            kept[before + 1 : after] = False
        marks = {**dict.fromkeys(missing, " "), **dict.fromkeys(columns, LINE_END)}
        if marks or not kept.all():
            at = sorted(marks)
            kept = np.insert(kept, at, True)
            self.boxes, self.outside, self.guessed = (
                np.insert(each, at, 0, axis=0)[kept] for each in (self.boxes, self.outside, self.guessed)
            )
            self._set(_text(np.insert(self.points, at, [ord(marks[index]) for index in at])[kept]))

    def _columns(self, indexes: Indexes) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the first characters of columns of vertical writing, and pairs of characters in one column."""
        if not (self.points > _LEAST_UNSPACED).any():
            return [], []
        unspaced = np.fromiter(map(is_unspaced, map(self.text.__getitem__, indexes.tolist())), bool, len(indexes))
        unspaced &= ~self._turned[indexes]
        first, below = columns(self.boxes[indexes], unspaced)
        apart = below[np.diff(indexes)[below - 1] > 1]
        return indexes[first].tolist(), list(zip(indexes[apart - 1].tolist(), indexes[apart].tolist(), strict=True))

    def glyphs(self, start: int, end: int, left_out: Counter[str]) -> Iterator[Piece | None]:
        """Yield characters in the order of the content, each once. None marks the end of a line.

        `left_out` counts the characters that are left out: "outside" of the visible part, and "unmapped".
        """
        printed = Printed()
        inside: Piece | None = None  # the letter before on the line
        each = zip(
            self.text[start:end],
            self.placed[start:end].tolist(),
            self.boxes[start:end].tolist(),
            self.outside[start:end].tolist(),
            self.guessed[start:end].tolist(),
            strict=True,
        )
        for text, is_placed, (left, bottom, right, top), is_outside, is_guessed in each:
            if not is_placed:
                if text == LINE_END:
                    inside = None
                    yield None
                elif text in (UNMAPPED, CONTROL):
                    left_out["unmapped"] += 1
                elif text != SKIPPED:
                    yield Piece(text, placed=False)
                continue
            glyph = Piece(text, left, bottom, right, top, True, is_guessed)
            if is_outside and not _continues(inside, glyph):
                left_out["outside"] += 1
            elif not printed.again(glyph):
                inside = glyph if inside is None or text.isalnum() else inside
                yield glyph


class _Asked:
    """Asks PDFium for many characters of a page."""

    def __init__(self, textpage: pdfium.PdfTextPage) -> None:
        self._textpage = textpage
        self._address = ctypes.byref(textpage.raw.contents)

    def boxes(self, function: Callable[..., int], indexes: Indexes, sides: ctypes.Array[Any], *offsets: int) -> Boxes:
        """Return the sides of boxes of characters, which a function of PDFium writes at offsets of an array."""
        found = bytearray()
        to_sides = (repeat(ctypes.byref(sides, offset)) for offset in offsets)
        for _ in map(function, repeat(self._address), indexes.tolist(), *to_sides):
            found += sides
        return np.frombuffer(found, sides._type_).reshape(-1, 4).astype(float)

    def boxes_of_advances(self, boxes: Boxes, indexes: Indexes) -> None:
        """Give the characters without an outline the boxes of their advance widths."""
        boxes_of_advances(self._textpage, boxes, indexes)

    def bits(self, function: Callable[..., int], indexes: Indexes) -> Bits:
        """Return an array that is true for each character for which a function of PDFium returns 1."""
        return np.fromiter((function(self._address, index) == 1 for index in indexes.tolist()), bool, len(indexes))

    def ems(self, indexes: Indexes, lines: Indexes, advances: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the width of an em at each character, in points: that of the character in the middle of its line.

        The size of a Type 3 font can be any number: then it is that of letters with such advance widths.
        """
        starts = np.flatnonzero(np.diff(lines, prepend=-1))
        ends = np.append(starts[1:], len(lines))
        sizes = np.array([self._em(int(indexes[(start + end) // 2])) for start, end in zip(starts, ends, strict=True)])
        likely = np.abs(np.add.reduceat(advances, starts)) / (ends - starts) / _USUAL_ADVANCE
        is_size = (sizes * _MOST_TIMES > likely) & (sizes < likely * _MOST_TIMES) | (likely == 0)
        return np.repeat(np.where(is_size, sizes, likely), ends - starts)

    def _em(self, index: int) -> float:
        matrix = raw.FS_MATRIX()
        raw.FPDFText_GetMatrix(self._textpage, index, matrix)
        return abs(raw.FPDFText_GetFontSize(self._textpage, index)) * hypot(matrix.a, matrix.b) or 1.0


_USUAL_ADVANCE = 0.5  # ems
_MOST_TIMES = 4


def _blanks_before(text: str, index: int) -> int:
    """Return the number of blanks before a character, less one."""
    start = index - 1
    while start and text[start - 1] == " ":
        start -= 1
    return index - 1 - start


def _text(points: npt.NDArray[Any]) -> str:
    return points.astype("<u4").tobytes().decode("utf-32-le")


def read_glyphs(characters: PageCharacters, left_out: Counter[str]) -> list[Piece | None]:
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


_MARKS = {SPACE: " ", END: LINE_END}
_NO_GLYPH = frozenset({" ", LINE_END, UNMAPPED, SKIPPED, CONTROL})


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


_get_box, _get_loose_box = direct(raw.FPDFText_GetCharBox), direct(raw.FPDFText_GetLooseCharBox)
_is_guessed, _is_inserted = direct(raw.FPDFText_HasUnicodeMapError), direct(raw.FPDFText_IsGenerated)
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
