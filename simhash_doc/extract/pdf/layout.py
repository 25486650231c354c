"""Turns the lines of PDF pages into text: columns, running heads, paragraphs, words broken at line ends."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median

from simhash_doc.extract.pdf.glyphs import SOFT_HYPHEN
from simhash_doc.extract.pdf.lines import Line, Row

_COLUMN_ROWS = 3
_COLUMN_CHARACTERS = 12
"""Rows that share a gap are columns of text if there are at least so many, with on average so many characters on each
side. Otherwise they are rows of a table."""

_MARGIN_LINES = 3
"""Number of lines at the top and at the bottom of a page that can be running heads."""

_NEAR_PAGES = 4
_SAME_HEIGHT = 4.0  # points
_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(r"\W*(?:\d{1,5}|[ivxlcdm]{1,8})\W*", re.IGNORECASE)
_HYPHENS = "-\u2010"
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_BROKEN = re.compile(rf"([^\W\d_]+)([{_HYPHENS}{SOFT_HYPHEN}])\s*\n\s*([^\W\d_]+)")
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\ua9e0-\ua9ff\uaa60-\uaadf"  # South-East Asia
    "\u3000-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff"
)
_INSIDE_UNSPACED = re.compile(f"(?<=[{_UNSPACED}])\n(?=[{_UNSPACED}])")


def reading_order(rows: Sequence[Row]) -> list[Line]:
    """Return the lines of rows in reading order: columns side by side are read one after the other."""
    lines: list[Line] = []
    start = 0
    while start < len(rows):
        end, gutter = _column_run(rows, start)
        if end - start >= _COLUMN_ROWS:
            left: list[Row] = [[line for line in row if line.right <= gutter] for row in rows[start:end]]
            right: list[Row] = [[line for line in row if line.right > gutter] for row in rows[start:end]]
            lines += reading_order([row for row in left if row])
            lines += reading_order([row for row in right if row])
            start = end
        else:
            lines.append(_joined(rows[start]))
            start += 1
    return lines


def _column_run(rows: Sequence[Row], start: int) -> tuple[int, float]:
    """Return the end of the rows from `start` on that share one gap, and the middle of the gap."""
    low, high, end, double = float("-inf"), float("inf"), start, 0
    while end < len(rows):
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


def _joined(row: Row) -> Line:
    if len(row) == 1:
        return row[0]
    return Line(
        " ".join(line.text for line in row),
        min(line.left for line in row),
        min(line.bottom for line in row),
        max(line.right for line in row),
        max(line.top for line in row),
    )


def without_running_heads(pages: Sequence[list[Line]]) -> tuple[list[list[Line]], int]:
    """Return the pages without running heads, running feet and page numbers, and the number of removed lines.

    A line at the top or bottom of a page is removed if two nearby pages have the same line, digits aside, at the same
    height. If there are only two pages, one is enough (SD-EXTRACT-7).
    """
    places: dict[str, list[tuple[int, float]]] = defaultdict(list)
    edges = [_edges(lines) for lines in pages]
    for number, lines in enumerate(edges):
        for line in lines:
            places[_key(line)].append((number, line.bottom))
    required = min(2, len(pages) - 1)
    kept: list[list[Line]] = []
    dropped = 0
    for number, lines in enumerate(pages):
        candidates = {id(line) for line in edges[number]}
        keep = []
        for line in lines:
            if id(line) in candidates:
                near = {
                    page
                    for page, bottom in places[_key(line)]
                    if page != number
                    and abs(page - number) <= _NEAR_PAGES
                    and abs(bottom - line.bottom) <= _SAME_HEIGHT
                }
                if (required and len(near) >= required) or (_PAGE_NUMBER.fullmatch(line.text) and len(pages) > 1):
                    dropped += 1
                    continue
            keep.append(line)
        kept.append(keep)
    return kept, dropped


def _key(line: Line) -> str:
    return _DIGITS.sub("#", line.text.casefold())


def _edges(lines: list[Line]) -> list[Line]:
    ordered = sorted(lines, key=lambda line: -line.bottom)
    if len(ordered) <= 2 * _MARGIN_LINES:
        return ordered
    return ordered[:_MARGIN_LINES] + ordered[-_MARGIN_LINES:]


def paragraphs(pages: Iterable[list[Line]]) -> str:
    """Return the text of pages, with lines joined to paragraphs and broken words joined (SD-EXTRACT-7)."""
    pages = list(pages)
    pitch = _pitch(pages)
    blocks: list[list[str]] = []
    last: Line | None = None
    for lines in pages:
        for line in lines:
            if last is None or not _continues(last, line, pitch):
                blocks.append([])
            blocks[-1].append(line.text)
            last = line
    text = "\n\n".join("\n".join(block) for block in blocks)
    words = frozenset(word.casefold() for word in _WORD.findall(_BROKEN.sub(" ", text)))
    text = _BROKEN.sub(lambda found: _join_halves(found, words), text)
    text = _INSIDE_UNSPACED.sub("", text)
    return re.sub(r"(?<!\n)\n(?!\n)", " ", text).replace(SOFT_HYPHEN, "-")


def _pitch(pages: Sequence[list[Line]]) -> float:
    """Return the median distance between the baselines of consecutive lines, in points."""
    steps = [
        above.bottom - line.bottom
        for lines in pages
        for above, line in pairwise(lines)
        if 0 < above.bottom - line.bottom < 3 * max(above.height, line.height)
    ]
    return median(steps) if steps else 0.0


def _continues(last: Line, line: Line, pitch: float) -> bool:
    """Return True if a line continues the paragraph of the line before it."""
    if last.text.endswith(SOFT_HYPHEN):
        return True
    step = last.bottom - line.bottom
    if step < 0:  # the next column or page
        return not last.text.endswith((".", "!", "?", ":", "。"))
    return step < 1.3 * pitch and abs(last.height - line.height) < 0.5 * max(last.height, line.height)


def _join_halves(found: re.Match[str], words: frozenset[str]) -> str:
    """Join the two halves of a word, or keep the hyphen of a compound, depending on the other words of the document."""
    first, hyphen, second = found.groups()
    joined, compound = (first + second).casefold(), f"{first}-{second}".casefold()
    if joined in words:
        return first + second
    if compound in words or second[0].isupper():
        return f"{first}-{second}"
    if hyphen != SOFT_HYPHEN and not second[0].islower():
        return f"{first}-{second}"
    if min(len(first), len(second)) > 2 and first.casefold() in words and second.casefold() in words:
        return f"{first}-{second}"
    return first + second
