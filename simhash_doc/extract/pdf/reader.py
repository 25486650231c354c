"""Reads the text layer of PDF files: lines, columns, running heads, paragraphs, words broken at line ends."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from simhash_doc.extract.errors import CorruptDocumentError, EncryptedDocumentError, LimitExceededError, NoTextError
from simhash_doc.extract.limits import Limits
from simhash_doc.extract.pdf.glyphs import SOFT_HYPHEN, Glyph, attach_marks, read_glyphs
from simhash_doc.extract.result import ExtractedText


def read(data: bytes, *, document_format: str, name: str | None, limits: Limits) -> ExtractedText:
    """Read the text layer of a PDF, without running heads, running feet and page numbers (SD-EXTRACT-7)."""
    document = _open(data, name)
    try:
        count = len(document)
        if count > limits.pages:
            raise LimitExceededError(f"{count:,} pages are over the limit pages={limits.pages:,}", name=name)
        if not count:
            raise NoTextError("no text: the PDF has no pages", name=name)
        pages: list[list[Line]] = []
        unread: list[int] = []
        for index in range(count):
            try:
                page = document[index]
                pages.append(reading_order([row for row in rows(page) if row]))
                page.close()
            except pdfium.PdfiumError:
                unread.append(index + 1)
                pages.append([])
    finally:
        document.close()
    if len(unread) == count:
        raise CorruptDocumentError("the PDF is corrupt: none of its pages can be read", name=name)
    empty = sum(not lines for lines in pages) - len(unread)
    if empty + len(unread) == count:
        raise NoTextError(
            f"no text: none of {count:,} pages has a text layer (scanned?); run text recognition (OCR) first", name=name
        )
    kept, _ = without_running_heads(pages)
    warnings = []
    if unread:
        warnings.append(f"{len(unread)} of {count} pages cannot be read; the first is page {unread[0]}")
    if empty:
        warnings.append(f"{empty} of {count} pages have no text")
    return ExtractedText(paragraphs(kept), document_format, name, tuple(warnings))


def _open(data: bytes, name: str | None) -> pdfium.PdfDocument:
    """Open a PDF. Raises `EncryptedDocumentError` or `CorruptDocumentError`."""
    try:
        return pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        code = getattr(error, "err_code", None)
        if code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY) or "password" in str(error).lower():
            raise EncryptedDocumentError("the PDF needs a password: remove the password first", name=name) from error
        raise CorruptDocumentError(f"the PDF is corrupt or truncated: {error}", name=name) from error


_ACCENTS = {
    "\u0060": "\u0300", "\u00b4": "\u0301", "\u02ca": "\u0301", "\u005e": "\u0302", "\u02c6": "\u0302",
    "\u007e": "\u0303", "\u02dc": "\u0303", "\u00af": "\u0304", "\u02d8": "\u0306", "\u02d9": "\u0307",
    "\u00a8": "\u0308", "\u02da": "\u030a", "\u02dd": "\u030b", "\u02c7": "\u030c", "\u00b8": "\u0327",
    "\u02db": "\u0328",
}  # fmt: skip
"""Accents that old TeX fonts print as separate characters -> the combining character."""

_GAP_EMS = 1.5
"""A wider gap separates columns. Spaces in justified lines are rarely wider than one em."""


@dataclass(slots=True)
class Line:
    """A line of text in one column."""

    text: str
    left: float
    bottom: float
    right: float
    top: float

    @property
    def height(self) -> float:
        """The height of the line, in points."""
        return self.top - self.bottom


Row = list[Line]
"""Lines at the same height, from left to right."""


def rows(page: pdfium.PdfPage) -> Iterator[Row]:
    """Yield the rows of a page in the order of its content."""
    line: list[Glyph] = []
    for glyph in attach_marks(read_glyphs(page)):
        if line and (glyph is None or _starts_line(line, glyph)):
            yield _row(line)
            line = []
        if glyph is not None:
            line.append(glyph)
            if glyph.text == SOFT_HYPHEN:
                yield _row(line)
                line = []
    if line:
        yield _row(line)


def _starts_line(glyphs: list[Glyph], glyph: Glyph) -> bool:
    """Return True if a character starts a line that PDFium did not report: it is to the left, and above or below."""
    last = next((g for g in reversed(glyphs) if g.placed), None)
    if last is None or not glyph.placed:
        return False
    height = max(last.top - last.bottom, glyph.top - glyph.bottom)
    return glyph.left < last.left and (glyph.top < last.bottom - height or glyph.bottom > last.top + height)


def _row(glyphs: list[Glyph]) -> Row:
    """Return the lines of the characters of one row, separated at wide gaps."""
    placed = [g for g in glyphs if g.placed and g.right > g.left and g.top > g.bottom]
    if not placed:
        text = "".join(g.text for g in glyphs).strip()
        return [Line(text, 0.0, 0.0, 0.0, 0.0)] if text else []
    em = 2 * sum(g.right - g.left for g in placed) / len(placed)
    parts: list[list[Glyph]] = [[]]
    last: Glyph | None = None
    for glyph in glyphs:
        if not glyph.placed:
            parts[-1].append(glyph)
            continue
        level = last is not None and glyph.bottom < last.top and glyph.top > last.bottom
        if last is not None and level and glyph.left - last.right > _GAP_EMS * em:
            parts.append([])
        parts[-1].append(glyph)
        last = glyph
    return [line for part in parts if (line := _line(part, em))]


def _line(glyphs: list[Glyph], em: float) -> Line | None:
    placed = [g for g in glyphs if g.placed]
    text = _text(glyphs, em)
    if not text or not placed:
        return None
    return Line(
        text,
        min(g.left for g in placed),
        min(g.bottom for g in placed),
        max(g.right for g in placed),
        max(g.top for g in placed),
    )


def _text(glyphs: list[Glyph], em: float) -> str:
    """Return the text of a line, with accents attached to letters and the numbers of notes separated from words."""
    baseline = median([g.bottom for g in glyphs if g.placed] or [0.0])
    out: list[str] = []
    accent = ""
    for index, glyph in enumerate(glyphs):
        following = glyphs[index + 1] if index + 1 < len(glyphs) else None
        if glyph.text in _ACCENTS and following is not None and _is_above(glyph, following):
            accent = _ACCENTS[glyph.text]
            continue
        text = glyph.text
        if accent:
            text, accent = unicodedata.normalize("NFC", text.replace("\u0131", "i").replace("\u0237", "j") + accent), ""
        raised = glyph.placed and glyph.bottom > baseline + 0.2 * em
        if raised and text.isdigit() and len(out) > 1 and out[-1].isalpha() and out[-2].isalpha():
            out.append(" ")
        out.append(text)
    return " ".join("".join(out).split())


def _is_above(accent: Glyph, letter: Glyph) -> bool:
    if not accent.placed or not letter.placed or not letter.text.isalpha():
        return False
    middle = (accent.left + accent.right) / 2
    return letter.left <= middle <= letter.right


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
