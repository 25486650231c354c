"""Marks are reattached to their letters: Thai vowels and tones, Hebrew points, accents.

Typesetting programs position each mark. PDFium treats a repositioned mark as part of another line, and reports it far
from its letter, with spaces around it.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Sequence

from simhash_doc_extraction.pdf.pieces import Piece

_MARGIN = 0.35
"""The middle of a mark is within the width of its letter, extended by this share of the width on both sides."""

_CELL = 16.0  # points: letters are searched in cells of this width and height
_MOST_IN_CELL = 200
_SPACE_HEIGHTS = 0.4  # a wider gap, in heights of a letter, is a space


def attach_marks(glyphs: Sequence[Piece | None]) -> list[Piece | None]:
    """Return the characters of a page, with each mark after the letter that it belongs to. None is a line end."""
    stray = _strays(glyphs) if any(glyph is not None and glyph.text >= "\u0300" for glyph in glyphs) else set()
    if not stray:
        return list(glyphs)
    cells: dict[tuple[int, int], list[int]] = defaultdict(list)
    for index, glyph in enumerate(glyphs):
        if glyph is not None and glyph.placed and not _is_mark(glyph):
            for column in _columns(glyph):
                cell = cells[int(glyph.bottom // _CELL), column]
                if len(cell) < _MOST_IN_CELL:
                    cell.append(index)
    attached: dict[int, list[Piece]] = defaultdict(list)
    unattached: set[int] = set()
    for index in stray:
        mark = glyphs[index]
        assert mark is not None
        letter = _letter(mark, glyphs, cells)
        if letter is None:
            unattached.add(index)
            continue
        while letter + 1 < len(glyphs) and letter + 1 not in stray and _is_mark(glyphs[letter + 1]):
            letter += 1
        attached[letter].append(mark)
    result: list[Piece | None] = []
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
            result.append(Piece(" ", placed=False))
        removed = False
        result.append(glyph)
        result.extend(sorted(attached.get(index, ()), key=lambda mark: mark.bottom))
    return result


def _is_mark(glyph: Piece | None) -> bool:
    return glyph is not None and unicodedata.category(glyph.text[0]) == "Mn"


def _is_space(glyph: Piece | None) -> bool:
    return glyph is not None and not glyph.placed and glyph.text == " "


def _strays(glyphs: Sequence[Piece | None]) -> set[int]:
    """Return the indexes of the marks that do not belong to the letter before them."""
    stray = set()
    letter: Piece | None = None
    for index, glyph in enumerate(glyphs):
        if glyph is None:
            letter = None
        elif _is_mark(glyph):
            if glyph.placed and (letter is None or not is_over(glyph, letter)):
                stray.add(index)
        else:
            letter = glyph if glyph.placed else None
    return stray


def is_over(mark: Piece, letter: Piece, margin: float = _MARGIN) -> bool:
    """Return True if a mark is at the horizontal position of a letter."""
    middle, more = (mark.left + mark.right) / 2, margin * (letter.right - letter.left)
    return letter.left - more <= middle <= letter.right + more


def _columns(letter: Piece) -> range:
    """Return the columns of the cells in which the middle of a mark of a letter can be."""
    more = _MARGIN * (letter.right - letter.left)
    first, last = int((letter.left - more) // _CELL), int((letter.right + more) // _CELL)
    return range(first, min(last, first + _MOST_IN_CELL) + 1)


def _letter(mark: Piece, glyphs: Sequence[Piece | None], cells: dict[tuple[int, int], list[int]]) -> int | None:
    """Return the index of the nearest letter below or above a mark, or None."""
    row, column = int(mark.bottom // _CELL), int((mark.left + mark.right) / 2 // _CELL)
    best: tuple[float, int] | None = None
    for index in [index for near in (row - 1, row, row + 1) for index in cells.get((near, column), ())]:
        letter = glyphs[index]
        assert letter is not None
        if not is_over(mark, letter):
            continue
        up = abs((mark.bottom + mark.top) - (letter.bottom + letter.top)) / 2
        if up > 2 * letter.height:
            continue
        aside = abs((mark.left + mark.right) - (letter.left + letter.right)) / 2
        best = min(best or (float("inf"), -1), (up + aside, index))
    return best[1] if best else None


def _is_separate(before: Sequence[Piece | None], glyph: Piece) -> bool:
    """Return True if there is a space between a character and the one before it in its line."""
    for last in reversed(before):
        if last is None:
            return False
        if last.placed and not _is_mark(last):
            return glyph.placed and glyph.left - last.right > _SPACE_HEIGHTS * last.height
    return False
