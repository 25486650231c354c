"""The lines of a page in reading order."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from statistics import median

from simhash_doc_extraction.pdf.pieces import SOFT_HYPHEN, Piece, around, can_begin

ACCENTS = {
    "\u0060": "\u0300", "\u00b4": "\u0301", "\u02ca": "\u0301", "\u005e": "\u0302", "\u02c6": "\u0302",
    "\u007e": "\u0303", "\u02dc": "\u0303", "\u00af": "\u0304", "\u02d8": "\u0306", "\u02d9": "\u0307",
    "\u00a8": "\u0308", "\u02da": "\u030a", "\u02dd": "\u030b", "\u02c7": "\u030c", "\u00b8": "\u0327",
    "\u02db": "\u0328",
}  # fmt: skip
"""Accents that old TeX fonts print as separate characters -> the combining character."""

GAP_EMS = 1.5
"""A wider gap separates columns. Spaces in justified lines are rarely wider than one em."""

RAISED_EMS = 0.2
"""A digit is the number of a note if it is so much higher than the line."""


Row = list[Piece]
"""Lines at the same height, from left to right."""


def rows_of(glyphs: Iterable[Piece | None]) -> Iterator[Row]:
    """Yield the rows of characters in the order of the content. None marks the end of a line."""
    line: list[Piece] = []
    last: Piece | None = None  # the last character of the line that has a box
    for glyph in glyphs:
        if line and (glyph is None or (last is not None and _starts_line(last, glyph, line[-1]))):
            yield _row(line)
            line, last = [], None
        if glyph is not None:
            line.append(glyph)
            last = glyph if glyph.placed else last
            if glyph.text == SOFT_HYPHEN:
                yield _row(line)
                line, last = [], None
    if line:
        yield _row(line)


STACKED = 0.45
"""A character under another starts a line if the gap is wider than this share of the longest side of the two. In
rotated words, in which that is the height of the letters, gaps are narrower."""


def _starts_line(last: Piece, glyph: Piece, before: Piece) -> bool:
    """Return True if a character starts a line that PDFium did not report: it is above or below the one before.

    PDFium joins lines of one character, such as the digits of a column.
    """
    if not glyph.placed or glyph.left >= last.right:
        return False
    gap, height = max(last.bottom - glyph.top, glyph.bottom - last.top), max(last.height, glyph.height)
    if gap > height and glyph.left < last.left:
        return True
    longest = max(height, last.right - last.left, glyph.right - glyph.left)
    return gap > STACKED * longest and before is last and can_begin(last.text) and can_begin(glyph.text)


def _row(glyphs: list[Piece]) -> Row:
    """Return the lines of the characters of one row, separated at wide gaps."""
    placed = [g for g in glyphs if g.placed and g.right > g.left and g.top > g.bottom]
    if not placed:
        text = "".join(g.text for g in glyphs).strip()
        return [Piece(text)] if text else []
    em = 2 * sum(g.right - g.left for g in placed) / len(placed)
    parts: list[list[Piece]] = [[]]
    last: Piece | None = None
    for glyph in glyphs:
        if glyph.placed:
            if last is not None and glyph.is_level_with(last) and glyph.left - last.right > GAP_EMS * em:
                parts.append([])
            last = glyph
        parts[-1].append(glyph)
    texts = [(_text(part, em), [g for g in part if g.placed]) for part in parts]
    return [around(text, pieces) for text, pieces in texts if text and pieces]


DROP_CAP = "\ufdd0"
"""Stands between a drop cap and the rest of its word, until the words of the document are known."""

_CAP_HEIGHTS = 1.6  # a drop cap is at least so many times as high as the letters beside it
_MOST_CAP_HEIGHTS = 20.0
MEDIAN_HEIGHTS = 2.0  # and as the median of the letters on its page, of which many have no ascender
_MOST_CAPS = 20  # on one page
BESIDE = 8  # letters
SAMPLE = 8  # the median is of every eighth letter


def with_caps_apart(glyphs: list[Piece | None]) -> list[Piece | None]:
    """Return characters with line ends around large letters between small ones: PDFium mixes them with other lines."""
    placed = [glyph for glyph in glyphs if glyph is not None and glyph.placed]
    least = MEDIAN_HEIGHTS * median([glyph.top - glyph.bottom for glyph in placed[::SAMPLE]] or [0.0])
    caps = {
        id(glyph)
        for at, glyph in enumerate(placed)
        if glyph.top - glyph.bottom > least and glyph.text.isupper() and is_alone(at, placed)
    }
    if not caps:
        return glyphs
    return [part for glyph in glyphs for part in ((None, glyph, None) if id(glyph) in caps else (glyph,))]


def is_alone(at: int, placed: list[Piece]) -> bool:
    """Return True if all characters beside a large letter are small. Some have ascenders: the highest one counts."""
    glyph = placed[at]
    beside = placed[max(at - BESIDE, 0) : at] + placed[at + 1 : at + 1 + BESIDE]
    heights = [other.height for other in beside if other.is_level_with(glyph)]
    return bool(heights) and _is_drop_cap(glyph, max(heights))


def _is_drop_cap(letter: Piece, height: float) -> bool:
    return letter.text.isupper() and _CAP_HEIGHTS * height < letter.height < _MOST_CAP_HEIGHTS * height


def with_drop_caps(rows: list[Row]) -> list[Row]:
    """Return rows, without empty ones, in which a large first letter stands before the rest of its word."""
    rows = [row for row in rows if row]
    large = [(row, line) for row in rows for line in row if len(line.text) == 1 and line.text.isupper()]
    if not large or len(large) > _MOST_CAPS:
        return rows
    for row, cap in large:
        lines = [line for other in rows for line in other if line is not cap and _continues_cap(cap, line)]
        if lines:
            line = max(lines, key=lambda line: line.top)
            line.text = cap.text + DROP_CAP + line.text
            row[:] = [other for other in row if other is not cap]
    return [row for row in rows if row]


def _continues_cap(cap: Piece, line: Piece) -> bool:
    """Return True if a line begins at the right of a large letter, at its top or on its baseline."""
    level = abs(line.top - cap.top) < 0.6 * line.height or abs(line.bottom - cap.bottom) < 0.4 * line.height
    near = -0.1 * cap.height < line.left - cap.right < 0.5 * cap.height
    return near and level and line.text[0].isalpha() and _is_drop_cap(cap, line.height) and len(line.text) > 1


def _text(glyphs: list[Piece], em: float) -> str:
    """Return the text of a line, with accents attached to letters and the numbers of notes separated from words."""
    baseline = median([g.bottom for g in glyphs if g.placed] or [0.0])
    out: list[str] = []
    accent = ""
    is_note = begun = False
    for index, glyph in enumerate(glyphs):
        following = glyphs[index + 1] if index + 1 < len(glyphs) else None
        if glyph.text in ACCENTS and following is not None and _is_accent_of(glyph, following):
            accent = ACCENTS[glyph.text]
            continue
        text = glyph.text
        if accent:
            text, accent = unicodedata.normalize("NFC", text.replace("\u0131", "i").replace("\u0237", "j") + accent), ""
        raised = glyph.placed and glyph.bottom > baseline + RAISED_EMS * em and text.isdigit()
        if (raised and len(out) > 1 and out[-1].isalpha() and out[-2].isalpha()) or (is_note and text.isalpha()):
            out.append(" ")
        begun = begun or not (raised or text.isspace())
        is_note = raised and not begun  # the number of a note before its text
        out.append(text)
    return " ".join("".join(out).split())


def _is_accent_of(accent: Piece, letter: Piece) -> bool:
    middle = (accent.left + accent.right) / 2
    return accent.placed and letter.placed and letter.text.isalpha() and letter.left <= middle <= letter.right


_COLUMN_ROWS = 3
_COLUMN_CHARACTERS = 12
"""Rows that share a gap are columns of text if there are at least so many, with on average so many characters on each
side. Otherwise they are rows of a table."""

_MOST_ROWS = 1000
"""More rows are not searched for columns at once: no page for readers has so many."""

_MOST_COLUMNS = 50

CELLS = "\t"
"""Separates the lines of a row that are not columns of text."""


def reading_order(rows: Sequence[Row], depth: int = 0) -> list[Piece]:
    """Return the lines of rows in reading order: columns side by side are read one after the other."""
    lines: list[Piece] = []
    start = 0
    while start < len(rows):
        end, gutter = _column_run(rows, start) if depth < _MOST_COLUMNS else (start, 0.0)
        if end - start >= _COLUMN_ROWS:
            left: list[Row] = [[line for line in row if line.right <= gutter] for row in rows[start:end]]
            right: list[Row] = [[line for line in row if line.right > gutter] for row in rows[start:end]]
            lines += reading_order([row for row in left if row], depth + 1)
            lines += reading_order([row for row in right if row], depth + 1)
            start = end
        else:
            row = rows[start]
            lines.append(row[0] if len(row) == 1 else around(CELLS.join(line.text for line in row), row))
            start += 1
    return lines


def _column_run(rows: Sequence[Row], start: int) -> tuple[int, float]:
    """Return the end of the rows from `start` on that share one gap, and the middle of the gap."""
    low, high, end, double = float("-inf"), float("inf"), start, 0
    while end < min(len(rows), start + _MOST_ROWS):
        row = rows[end]
        if len(row) > 1:
            gap_low, gap_high = max(low, row[0].right), min(high, row[1].left)
            if double == 0 and end > start:
                break
            double += 1
        else:
            if double == 0:
                break
            only = row[0]
            gap_low, gap_high = (max(low, only.right), high) if only.right <= high else (low, min(high, only.left))
        if gap_low >= gap_high:
            break
        low, high, end = gap_low, gap_high, end + 1
    sides = [len(line.text) for row in rows[start:end] if len(row) > 1 for line in row[:2]]
    if double < _COLUMN_ROWS or sum(sides) < _COLUMN_CHARACTERS * len(sides):
        return start, 0.0
    return end, (low + high) / 2
