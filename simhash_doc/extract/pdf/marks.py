"""Reattaches marks to their letters: Thai vowels and tones, Hebrew points, accents.

Typesetting programs position each mark. PDFium treats a repositioned mark as part of another line, and reports it far
from its letter, with spaces around it.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Sequence

from simhash_doc.extract.pdf.glyphs import Glyph

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
