"""The characters of a PDF page and their places, as PDFium gives them."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as raw

SOFT_HYPHEN = "\u00ad"
"""Ends a line whose last word goes on in the next line."""

_PDFIUM_HYPHENS = (0x02, 0xFFFE)
_GUESSED = 0.1
"""PDFium guesses characters for which a font has none. The guesses are left out if they are a smaller share of a page;
if they are more, the font may have its letters in the usual places."""


@dataclass(slots=True)
class Glyph:
    """A character and its box. Spaces have none: PDFium adds them between words that stand apart."""

    text: str
    placed: bool = False
    left: float = 0.0
    bottom: float = 0.0
    right: float = 0.0
    top: float = 0.0


def read_glyphs(page: pdfium.PdfPage) -> list[Glyph | None]:
    """Return the characters of a page; None for the end of a line."""
    textpage = page.get_textpage()
    try:
        found = _read(textpage)
    finally:
        textpage.close()
    guessed = sum(is_guess for _, is_guess in found)
    if guessed < _GUESSED * len(found):
        return [glyph for glyph, is_guess in found if not is_guess]
    return [glyph for glyph, _ in found]


def _read(textpage: pdfium.PdfTextPage) -> list[tuple[Glyph | None, bool]]:
    """Return the characters of a page, and of each whether it is a guess."""
    sides = [ctypes.c_double() for _ in range(4)]
    left, right, bottom, top = sides
    pointers = [ctypes.byref(side) for side in sides]
    found: list[tuple[Glyph | None, bool]] = []
    pending = 0  # the first half of a surrogate pair: PDFium counts UTF-16 code units on some platforms
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
