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
from simhash_doc_extraction.pdf.late import with_late_letters
from simhash_doc_extraction.pdf.marks import with_marks_attached
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
    starts_of,
)
from simhash_doc_extraction.pdf.repeats import Printed, repeated_words
from simhash_doc_extraction.pdf.vertical import columns

Indexes = npt.NDArray[np.intp]
Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""

_LEAST_UNSPACED = 0x0E00
_GUESSED_SHARE = 0.1
"""PDFium guesses the characters of glyphs without a mapping to Unicode. Guesses are dropped if their share of a page is
smaller than this. With a larger share the font probably has a standard encoding, and the guesses are right."""

_ARRAYS = ("boxes", "outside", "_guessed", "_advances", "_inserted", "_turned", "_numbers")
"""The arrays that a page has before spaces are inserted."""


class PageCharacters:
    """The characters of a page: their text, and arrays with an entry for each.

    A page has thousands, and PDFium is asked for each.

    Attributes:
        text: the characters; " " for a blank and `LINE_END` for the end of a line.
        points: array of their code points.
        boxes: array of their boxes, one row each.
        placed: array that is true for a character with a box, and false for blanks and marks.
        outside: array that is true for a character outside the visible part of the page.
        unmapped: number of the characters that are left out because they have no mapping to Unicode.
    """

    def __init__(self, page: pdfium.PdfPage) -> None:
        keep_strings(page)
        with closing(page.get_textpage()) as textpage:
            self._set(_text(_points(_codes(textpage))))
            asked = _Asked(textpage)
            self._mark_unmapped(asked)
            self._read_boxes(asked, page)
            self._put_in_order(page, textpage)
            indexes = np.flatnonzero(self.placed)
            missing, extra = self._misjudged_gaps(asked, indexes)
        points, boxes = self.points[indexes].astype(np.int64), self.boxes.take(indexes, axis=0)
        repeated = repeated_words(self.text, indexes, points, boxes, self._turned[indexes])
        self._mend(missing, extra, repeated, indexes)
        order = with_marks_attached(self.text, self.placed, self.boxes)
        if order is not None:
            self._reorder(order, ("boxes", "outside"))

    def _read_boxes(self, asked: _Asked, page: pdfium.PdfPage) -> None:
        """Read the boxes of characters, and what depends on them."""
        indexes, count = np.flatnonzero(self.placed), len(self.text)
        boxes = asked.boxes(_get_box, indexes, ctypes.c_double, 0, 8, 16, 24)
        asked.boxes_of_advances(boxes, indexes)
        left, right, bottom, top = boxes.T
        low_x, low_y, high_x, high_y = (2 * side for side in _visible(page))
        x, y = left + right, bottom + top
        self.outside, self._guessed, self._inserted, self._turned = np.zeros((4, count), bool)
        self.outside[indexes] = ~((low_x <= x) & (x <= high_x) & (low_y <= y) & (y <= high_y))
        self._guessed[indexes] = asked.bits(_is_guessed, indexes)
        blanks = np.flatnonzero(self.are(" "))
        self._inserted[blanks] = asked.bits(_is_inserted, blanks)
        self.boxes, self._advances = np.zeros((2, count, 4))
        self.boxes[indexes] = on_display(page, left, bottom, right, top)
        left, top, right, bottom = asked.boxes(_get_loose_box, indexes, ctypes.c_float, 0).T
        self._advances[indexes] = on_display(page, left, bottom, right, top)
        self._numbers: Indexes = np.arange(count)

    def _put_in_order(self, page: pdfium.PdfPage, textpage: pdfium.PdfTextPage) -> None:
        """Give turned strings their order in the content, join what PDFium took apart, and move late letters."""
        if not self.placed.any():
            return
        given = self._given()
        found = in_order(given, page, textpage)
        if found is not None:
            order, turned = found
            self._turned[turned.places] = True
            self.boxes[turned.places] = on_display(page, *turned.boxes.T)
            self._reorder(order)
            given = self._given()
        late = with_late_letters(given)
        if late is not None:
            self._reorder(late)

    def _given(self) -> PlacedCharacters:
        """Return the characters as they are now. One that is turned has a line of its own."""
        places = np.flatnonzero(self.placed)
        lines = np.cumsum(self.are(LINE_END) | self._turned, dtype=np.intp)[places]
        written = self.are(" ") & ~self._inserted
        return PlacedCharacters(self.text, places, self._advances.take(places, axis=0), lines, written)

    def _reorder(self, order: list[int], names: Iterable[str] = _ARRAYS) -> None:
        """Put characters, and what arrays say of them, in another order, with `SPACE` and `END` between them."""
        numbers = np.array(order, np.intp)
        is_new = numbers < 0
        for name in names:
            values = getattr(self, name).take(np.maximum(numbers, 0), axis=0)
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
            left, right, bottom, top = asked.boxes(_get_box, skipped, ctypes.c_double, 0, 8, 16, 24).T
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
        advances = self._advances.take(indexes, axis=0)
        hyphens = self.are(SOFT_HYPHEN)
        lines: Indexes = np.cumsum(self.are((LINE_END, UNMAPPED)), dtype=np.intp) + np.cumsum(hyphens) - hyphens
        lines = lines[indexes]
        turned = np.flatnonzero(self._turned[indexes])
        lines[turned] = -2 - turned  # their gaps are judged
        ems = asked.ems(self._numbers[indexes], lines, advances[:, 2] - advances[:, 0])
        written = self.are(" ") & ~self._inserted
        gaps = gaps_of(self.boxes.take(indexes, axis=0), advances, indexes, lines, ems, written, self._inserted)
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
        self.unmapped = self._drop_unmapped(kept)
        marks = {**dict.fromkeys(missing, " "), **dict.fromkeys(columns, LINE_END)}
        if marks or not kept.all():
            at = sorted(marks)
            kept = np.insert(kept, at, True)
            self.boxes, self.outside = (
                np.insert(each, at, 0, axis=0).compress(kept, axis=0) for each in (self.boxes, self.outside)
            )
            self._set(_text(np.insert(self.points, at, [ord(marks[index]) for index in at])[kept]))

    def _drop_unmapped(self, kept: Bits) -> int:
        """Take the characters without a mapping to Unicode out of those that are kept, and return their number.

        Guesses are kept if their share of the page is large.
        """
        unmapped = self.are((UNMAPPED, CONTROL)) & kept
        kept &= ~unmapped & ~self.are(SKIPPED)
        guessed = self._guessed & kept
        if np.count_nonzero(guessed) < _GUESSED_SHARE * np.count_nonzero(kept):
            kept &= ~guessed
            unmapped |= guessed
        return int(np.count_nonzero(unmapped))

    def _columns(self, indexes: Indexes) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the first characters of columns of vertical writing, and pairs of characters in one column."""
        unspaced = np.zeros(len(self.text), bool)
        for at in np.flatnonzero(self.points > _LEAST_UNSPACED).tolist():
            unspaced[at] = is_unspaced(self.text[at])
        unspaced = unspaced[indexes] & ~self._turned[indexes]
        if not unspaced.any():
            return [], []
        first, below = columns(self.boxes[indexes], unspaced)
        apart = below[np.diff(indexes)[below - 1] > 1]
        return indexes[first].tolist(), list(zip(indexes[apart - 1].tolist(), indexes[apart].tolist(), strict=True))

    def glyphs(self, start: int, end: int, left_out: Counter[str]) -> Iterator[Piece | None]:
        """Yield characters in the order of the content, each once. None marks the end of a line.

        `left_out` counts the characters that are "outside" of the visible part.
        """
        printed = Printed()
        inside: Piece | None = None  # the letter before on the line
        blank: Piece | None = None  # the blank before the next letter
        each = zip(
            self.text[start:end],
            self.placed[start:end].tolist(),
            self.boxes[start:end].tolist(),
            self.outside[start:end].tolist(),
            strict=True,
        )
        for text, is_placed, box, is_outside in each:
            if text == LINE_END:
                inside = blank = None
                yield None
                continue
            if not is_placed:
                blank = Piece(text, placed=False)
                continue
            glyph = Piece(text, *box)
            if is_outside and not _continues(inside, glyph):
                left_out["outside"] += 1
            elif printed.again(glyph):
                blank = None  # it is printed again, too
            else:
                inside = glyph if inside is None or text.isalnum() else inside
                if blank:
                    yield blank
                blank = None
                yield glyph


class _Asked:
    """Asks PDFium for many characters of a page."""

    def __init__(self, textpage: pdfium.PdfTextPage) -> None:
        self._textpage = textpage
        self._address = ctypes.byref(textpage.raw.contents)
        self._matrix = raw.FS_MATRIX()
        self._to_matrix = ctypes.byref(self._matrix)

    def boxes(self, function: Callable[..., int], indexes: Indexes, side: type[Any], *offsets: int) -> Boxes:
        """Return the sides of boxes of characters, which a function of PDFium writes at offsets of an array."""
        found, box = bytearray(), bytearray(4 * ctypes.sizeof(side))
        sides = (side * 4).from_buffer(box)
        to_sides = (repeat(ctypes.byref(sides, offset)) for offset in offsets)
        for _ in map(function, repeat(self._address), indexes.tolist(), *to_sides):
            found += box
        return np.asarray(np.frombuffer(found, side).reshape(-1, 4), float)

    def boxes_of_advances(self, boxes: Boxes, indexes: Indexes) -> None:
        """Give the characters without an outline the boxes of their advance widths."""
        boxes_of_advances(self._textpage, boxes, indexes)

    def bits(self, function: Callable[..., int], indexes: Indexes) -> Bits:
        """Return an array that is true for each character for which a function of PDFium returns 1."""
        found: Bits = np.fromiter(map(function, repeat(self._address), indexes.tolist()), np.int32, len(indexes)) == 1
        return found

    def ems(self, indexes: Indexes, lines: Indexes, advances: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the width of an em at each character, in points: that of the character in the middle of its line.

        The size of a Type 3 font can be any number: then it is that of letters with such advance widths.
        """
        starts = starts_of(lines)
        ends = np.append(starts[1:], len(lines))
        sizes = np.array(list(map(self._em, indexes[(starts + ends) // 2].tolist())))
        likely = np.abs(np.add.reduceat(advances, starts)) / (ends - starts) / _USUAL_ADVANCE
        is_size = (sizes * _MOST_TIMES > likely) & (sizes < likely * _MOST_TIMES) | (likely == 0)
        return np.repeat(np.where(is_size, sizes, likely), ends - starts)

    def _em(self, index: int) -> float:
        _get_matrix(self._address, index, self._to_matrix)
        return abs(_get_size(self._address, index)) * hypot(self._matrix.a, self._matrix.b) or 1.0


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


def _standing() -> npt.NDArray[np.uint32]:
    """Return the code points of what codes of one code unit stand for: characters, blanks and marks."""
    found = np.arange(0x10000, dtype=np.uint32)
    for codes, text in (
        ([*range(0x20), 0x7F, *range(0xD800, 0xE000), 0xFFFF], SKIPPED),
        ([0x0A, 0x0D], LINE_END),
        ([0x02, _HYPHEN_IN_TEXT], SOFT_HYPHEN),
        ([0x09, 0x0B, 0x0C, 0x20], " "),
        ([0], UNMAPPED),
    ):
        found[codes] = ord(text)
    return found


_HYPHEN_IN_TEXT = 0xFFFE  # not every one of these ends a broken word
_STANDING = _standing()


def _points(codes: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Return the code points of what the codes of characters stand for."""
    points: npt.NDArray[np.uint32] = _STANDING[codes & 0xFFFF]
    for index in np.flatnonzero(codes > 0xFFFF).tolist():
        points[index] = codes[index] if codes[index] <= 0x10FFFF else ord(UNMAPPED)
    return points


_get_box, _get_loose_box = direct(raw.FPDFText_GetCharBox), direct(raw.FPDFText_GetLooseCharBox)
_is_guessed, _is_inserted = direct(raw.FPDFText_HasUnicodeMapError), direct(raw.FPDFText_IsGenerated)
_get_unicode = direct(raw.FPDFText_GetUnicode, ctypes.c_uint)
_get_matrix, _get_size = direct(raw.FPDFText_GetMatrix), direct(raw.FPDFText_GetFontSize, ctypes.c_double)


def _codes(textpage: pdfium.PdfTextPage) -> npt.NDArray[np.uint32]:
    """Return the codes of the characters of a page, in one call if each is one code unit in its text.

    PDFium reports UTF-16 code units on some platforms: the code of a pair stands in the place of its second half.
    """
    count = textpage.count_chars()
    buffer = (ctypes.c_ushort * (count + 1))()
    is_one_call = raw.FPDFText_GetText(textpage, 0, count, buffer) == count + 1
    codes = np.array(np.frombuffer(buffer, np.uint16, count) if is_one_call else [_HYPHEN_IN_TEXT] * count, np.uint32)
    address = ctypes.byref(textpage.raw.contents)
    asked = np.flatnonzero(codes == _HYPHEN_IN_TEXT)
    codes[asked] = np.fromiter(map(_get_unicode, repeat(address), asked.tolist()), np.uint32, len(asked))
    low = codes[1:] & 0xFFFFFC00 == 0xDC00
    for index in (np.flatnonzero(low & (codes[:-1] & 0xFFFFFC00 == 0xD800)) + 1).tolist():
        codes[index] += 0x10000 + ((codes[index - 1] - 0xD800) << 10) - 0xDC00
    return codes


_OVERHANG = 3.0  # heights of a letter


def _continues(inside: Piece | None, glyph: Piece) -> bool:
    """Return True if a character outside the page is the end of a line that begins inside."""
    if inside is None or not glyph.is_level_with(inside):
        return False
    return abs(glyph.left - inside.right) < _OVERHANG * max(inside.height, glyph.height)
