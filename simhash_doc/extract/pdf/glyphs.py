"""The characters of a PDF page and their positions, as PDFium reports them.

Coordinates are those of the page: points (1/72 inch) from the lower left corner upwards.

Marks are reattached to their letters: Thai vowels and tones, Hebrew points, accents. Typesetting programs position each
mark. PDFium treats a repositioned mark as part of another line, and reports it far from its letter, with spaces around
it.
"""

from __future__ import annotations

import ctypes
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
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


_MARGIN = 0.35
"""The middle of a mark is within the width of its letter, extended by this share of the width on both sides."""

_BAND = 16.0  # points: letters are searched in bands of this height
_SPACE_HEIGHTS = 0.4  # a wider gap, in heights of a letter, is a space


def attach_marks(glyphs: Sequence[Glyph | None]) -> list[Glyph | None]:
    """Return the characters of a page, with each mark after the letter that it belongs to. None is a line end."""
    stray = _strays(glyphs)
    if not stray:
        return list(glyphs)
    bands: dict[int, list[int]] = defaultdict(list)
    for index, glyph in enumerate(glyphs):
        if glyph is not None and glyph.placed and not _is_mark(glyph):
            bands[int(glyph.bottom // _BAND)].append(index)
    attached: dict[int, list[Glyph]] = defaultdict(list)
    unattached: set[int] = set()
    for index in stray:
        mark = glyphs[index]
        assert mark is not None
        letter = _letter(mark, glyphs, bands)
        if letter is None:
            unattached.add(index)
            continue
        while letter + 1 < len(glyphs) and letter + 1 not in stray and _is_mark(glyphs[letter + 1]):
            letter += 1
        attached[letter].append(mark)
    result: list[Glyph | None] = []
    removed = False  # a mark was removed here, so the spaces around it may not be real
    for index, glyph in enumerate(glyphs):
        if index in stray and index not in unattached:
            removed = True
            if result and _is_space(result[-1]):
                result.pop()
            continue
        if removed and _is_space(glyph):
            continue
        if removed and glyph is not None and _is_separate(result, glyph):
            result.append(Glyph(" "))
        removed = False
        result.append(glyph)
        result.extend(sorted(attached.get(index, ()), key=lambda mark: mark.bottom))
    return result


def _is_mark(glyph: Glyph | None) -> bool:
    return glyph is not None and unicodedata.category(glyph.text[0]) == "Mn"


def _is_space(glyph: Glyph | None) -> bool:
    return glyph is not None and not glyph.placed and glyph.text == " "


def _strays(glyphs: Sequence[Glyph | None]) -> set[int]:
    """Return the indexes of the marks that do not belong to the letter before them."""
    stray = set()
    letter: Glyph | None = None
    for index, glyph in enumerate(glyphs):
        if glyph is None:
            letter = None
        elif _is_mark(glyph):
            if glyph.placed and (letter is None or not _over(glyph, letter)):
                stray.add(index)
        else:
            letter = glyph if glyph.placed else None
    return stray


def _over(mark: Glyph, letter: Glyph) -> bool:
    """Return True if a mark is at the horizontal position of a letter."""
    middle, more = (mark.left + mark.right) / 2, _MARGIN * (letter.right - letter.left)
    return letter.left - more <= middle <= letter.right + more


def _letter(mark: Glyph, glyphs: Sequence[Glyph | None], bands: dict[int, list[int]]) -> int | None:
    """Return the index of the nearest letter below or above a mark, or None."""
    band = int(mark.bottom // _BAND)
    best: tuple[float, int] | None = None
    for index in [index for near in (band - 1, band, band + 1) for index in bands.get(near, ())]:
        letter = glyphs[index]
        assert letter is not None
        if not _over(mark, letter):
            continue
        up = abs((mark.bottom + mark.top) - (letter.bottom + letter.top)) / 2
        if up > 2 * (letter.top - letter.bottom):
            continue
        aside = abs((mark.left + mark.right) - (letter.left + letter.right)) / 2
        best = min(best or (float("inf"), -1), (up + aside, index))
    return best[1] if best else None


def _is_separate(before: Sequence[Glyph | None], glyph: Glyph) -> bool:
    """Return True if there is a space between a character and the one before it in its line."""
    for last in reversed(before):
        if last is None:
            return False
        if last.placed and not _is_mark(last):
            return glyph.placed and glyph.left - last.right > _SPACE_HEIGHTS * (last.top - last.bottom)
    return False
