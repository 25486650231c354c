"""Marks that a PDF sets apart from their letters: Thai vowels and tones, Hebrew points, accents.

Fonts are told by the typesetting program where each mark stands. PDFium takes a mark that is moved for a piece of
another line, and gives it far from its letter, with spaces round it.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Sequence

from simhash_doc.extract.pdf_glyphs import Glyph

_BESIDE = 0.35
"""A mark belongs to the letter whose width, and so much more on both sides, holds its middle."""

_BAND = 16.0
_SPACE_HEIGHTS = 0.4


def settle(glyphs: Sequence[Glyph | None]) -> list[Glyph | None]:
    """Return the characters of a page, line ends as None, with each mark behind the letter that it stands over."""
    stray = _strays(glyphs)
    if not stray:
        return list(glyphs)
    bands: dict[int, list[int]] = defaultdict(list)
    for index, glyph in enumerate(glyphs):
        if glyph is not None and glyph.placed and not _is_mark(glyph):
            bands[int(glyph.bottom // _BAND)].append(index)
    behind: dict[int, list[Glyph]] = defaultdict(list)
    lost: set[int] = set()
    for index in stray:
        mark = glyphs[index]
        assert mark is not None
        letter = _letter(mark, glyphs, bands)
        if letter is None:
            lost.add(index)
            continue
        while letter + 1 < len(glyphs) and letter + 1 not in stray and _is_mark(glyphs[letter + 1]):
            letter += 1
        behind[letter].append(mark)
    settled: list[Glyph | None] = []
    doubtful = False  # whether a mark was taken from here, so that the space round it may be none
    for index, glyph in enumerate(glyphs):
        if index in stray and index not in lost:
            doubtful = True
            if settled and _is_space(settled[-1]):
                settled.pop()
            continue
        if doubtful and _is_space(glyph):
            continue
        if doubtful and glyph is not None and _apart(settled, glyph):
            settled.append(Glyph(" "))
        doubtful = False
        settled.append(glyph)
        settled.extend(sorted(behind.get(index, ()), key=lambda mark: mark.bottom))
    return settled


def _is_mark(glyph: Glyph | None) -> bool:
    return glyph is not None and unicodedata.category(glyph.text[0]) == "Mn"


def _is_space(glyph: Glyph | None) -> bool:
    return glyph is not None and not glyph.placed and glyph.text == " "


def _strays(glyphs: Sequence[Glyph | None]) -> set[int]:
    """Return the places of the marks that do not stand over the letter before them."""
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
    middle, more = (mark.left + mark.right) / 2, _BESIDE * (letter.right - letter.left)
    return letter.left - more <= middle <= letter.right + more


def _letter(mark: Glyph, glyphs: Sequence[Glyph | None], bands: dict[int, list[int]]) -> int | None:
    """Return the place of the letter that a mark stands over or under."""
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


def _apart(before: Sequence[Glyph | None], glyph: Glyph) -> bool:
    """Whether there is a space between a character and those before it in its line."""
    for last in reversed(before):
        if last is None:
            return False
        if last.placed and not _is_mark(last):
            return glyph.placed and glyph.left - last.right > _SPACE_HEIGHTS * (last.top - last.bottom)
    return False
