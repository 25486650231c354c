"""The characters of a PDF page and their positions, as PDFium reports them.

Coordinates are those of the page: points (1/72 inch) from the lower left corner upwards.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as raw

SOFT_HYPHEN = "\u00ad"
"""Ends a line whose last word continues in the next line."""

_PDFIUM_HYPHENS = (0x02, 0xFFFE)
_GUESSED_SHARE = 0.1
"""PDFium guesses the characters of glyphs without a mapping to Unicode. Guesses are dropped if their share of a page is
smaller than this. With a larger share the font probably has a standard encoding, and the guesses are right."""


@dataclass(slots=True)
class Glyph:
    """A character and its bounding box.

    Spaces are not `placed` and have no box: PDFium inserts them between separated words.
    """

    text: str
    placed: bool = False
    left: float = 0.0
    bottom: float = 0.0
    right: float = 0.0
    top: float = 0.0


def read_glyphs(page: pdfium.PdfPage) -> list[Glyph | None]:
    """Return the characters of a page in the order of its content. None marks the end of a line."""
    textpage = page.get_textpage()
    try:
        found = _read(textpage)
    finally:
        textpage.close()
    guessed = sum(is_guess for _, is_guess in found)
    if guessed < _GUESSED_SHARE * len(found):
        return [glyph for glyph, is_guess in found if not is_guess]
    return [glyph for glyph, _ in found]


def _read(textpage: pdfium.PdfTextPage) -> list[tuple[Glyph | None, bool]]:
    """Return the characters of a page, each with True if it is a guess."""
    sides = [ctypes.c_double() for _ in range(4)]
    left, right, bottom, top = sides
    pointers = [ctypes.byref(side) for side in sides]
    found: list[tuple[Glyph | None, bool]] = []
    pending = 0  # the first half of a surrogate pair: PDFium reports UTF-16 code units on some platforms
    for index in range(textpage.count_chars()):
        code = raw.FPDFText_GetUnicode(textpage, index)
        if code in (0x0A, 0x0D):
            found.append((None, False))
            continue
        if 0xD800 <= code < 0xDC00:
            pending = code
            continue
        if 0xDC00 <= code < 0xE000:
            if not pending:
                continue
            code, pending = 0x10000 + ((pending - 0xD800) << 10) + (code - 0xDC00), 0
        if code in _PDFIUM_HYPHENS:
            text = SOFT_HYPHEN
        elif code < 0x20 or code in (0x7F, 0xFFFF):
            continue
        else:
            text = chr(code)
        if text == " " or not raw.FPDFText_GetCharBox(textpage, index, *pointers):
            found.append((Glyph(text), False))
            continue
        glyph = Glyph(text, True, left.value, bottom.value, right.value, top.value)
        found.append((glyph, raw.FPDFText_HasUnicodeMapError(textpage, index) == 1))
    return found
