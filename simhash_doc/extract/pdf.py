"""Reads the text layer of PDF files: lines, columns, running heads, paragraphs, words broken at line ends.

Coordinates are those of the page: points (1/72 inch) from the lower left corner upwards.

Marks are reattached to their letters: Thai vowels and tones, Hebrew points, accents. Typesetting programs position each
mark. PDFium treats a repositioned mark as part of another line, and reports it far from its letter, with spaces around
it.
"""

from __future__ import annotations

import ctypes
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from simhash_doc.extract.base import (
    CorruptDocumentError,
    EncryptedDocumentError,
    ExtractedText,
    LimitExceededError,
    Limits,
    NoTextError,
)


@dataclass(slots=True)
class Piece:
    """A character, or a line of text in one column, and its bounding box.

    A character that is not `placed` has no box: PDFium inserts spaces between separated words. One that is `guessed`
    has a glyph without a mapping to Unicode.
    """

    text: str
    left: float = 0.0
    bottom: float = 0.0
    right: float = 0.0
    top: float = 0.0
    placed: bool = True
    guessed: bool = False

    @property
    def height(self) -> float:
        """The height of the box, in points."""
        return self.top - self.bottom


def _around(text: str, pieces: Sequence[Piece]) -> Piece:
    """Return a text with the box around its pieces."""
    return Piece(
        text,
        min(piece.left for piece in pieces),
        min(piece.bottom for piece in pieces),
        max(piece.right for piece in pieces),
        max(piece.top for piece in pieces),
    )


def read(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read the text layer of a PDF, without running heads, running feet and page numbers (SD-EXTRACT-7)."""
    document = _open(data)
    try:
        count = len(document)
        if count > limits.pages:
            raise LimitExceededError(f"{count:,} pages are over the limit pages={limits.pages:,}")
        if not count:
            raise NoTextError("no text: the PDF has no pages")
        pages: list[list[Piece]] = []
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
        raise CorruptDocumentError("the PDF is corrupt: none of its pages can be read")
    empty = sum(not lines for lines in pages) - len(unread)
    if empty + len(unread) == count:
        raise NoTextError(
            f"no text: none of {count:,} pages has a text layer (scanned?); run text recognition (OCR) first"
        )
    warnings = []
    if unread:
        warnings.append(f"{len(unread)} of {count} pages cannot be read; the first is page {unread[0]}")
    if empty:
        warnings.append(f"{empty} of {count} pages have no text")
    return ExtractedText(paragraphs(without_running_heads(pages)), document_format, warnings=tuple(warnings))


def _open(data: bytes) -> pdfium.PdfDocument:
    """Open a PDF. Raises `EncryptedDocumentError` or `CorruptDocumentError`."""
    try:
        return pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        code = getattr(error, "err_code", None)
        if code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY) or "password" in str(error).lower():
            raise EncryptedDocumentError("the PDF needs a password: remove the password first") from error
        raise CorruptDocumentError(f"the PDF is corrupt or truncated: {error}") from error


SOFT_HYPHEN = "\u00ad"
"""Ends a line whose last word continues in the next line."""

_PDFIUM_HYPHENS = (0x02, 0xFFFE)
_GUESSED_SHARE = 0.1
"""PDFium guesses the characters of glyphs without a mapping to Unicode. Guesses are dropped if their share of a page is
smaller than this. With a larger share the font probably has a standard encoding, and the guesses are right."""


def read_glyphs(page: pdfium.PdfPage) -> list[Piece | None]:
    """Return the characters of a page in the order of its content. None marks the end of a line."""
    textpage = page.get_textpage()
    try:
        found = list(_glyphs(textpage))
    finally:
        textpage.close()
    guessed = sum(glyph is not None and glyph.guessed for glyph in found)
    if guessed < _GUESSED_SHARE * len(found):
        return [glyph for glyph in found if glyph is None or not glyph.guessed]
    return found


def _glyphs(textpage: pdfium.PdfTextPage) -> Iterator[Piece | None]:
    """Yield the characters of a page, with those that PDFium guessed."""
    sides = left, right, bottom, top = [ctypes.c_double() for _ in range(4)]
    pointers = [ctypes.byref(side) for side in sides]
    pending = 0  # the first half of a surrogate pair: PDFium reports UTF-16 code units on some platforms
    for index in range(textpage.count_chars()):
        code = raw.FPDFText_GetUnicode(textpage, index)
        if code in (0x0A, 0x0D):
            yield None
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
            yield Piece(text, placed=False)
            continue
        guessed = raw.FPDFText_HasUnicodeMapError(textpage, index) == 1
        yield Piece(text, left.value, bottom.value, right.value, top.value, guessed=guessed)


_MARGIN = 0.35
"""The middle of a mark is within the width of its letter, extended by this share of the width on both sides."""

_BAND = 16.0  # points: letters are searched in bands of this height
_SPACE_HEIGHTS = 0.4  # a wider gap, in heights of a letter, is a space


def attach_marks(glyphs: Sequence[Piece | None]) -> list[Piece | None]:
    """Return the characters of a page, with each mark after the letter that it belongs to. None is a line end."""
    stray = _strays(glyphs)
    if not stray:
        return list(glyphs)
    bands: dict[int, list[int]] = defaultdict(list)
    for index, glyph in enumerate(glyphs):
        if glyph is not None and glyph.placed and not _is_mark(glyph):
            bands[int(glyph.bottom // _BAND)].append(index)
    attached: dict[int, list[Piece]] = defaultdict(list)
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
            if glyph.placed and (letter is None or not _over(glyph, letter)):
                stray.add(index)
        else:
            letter = glyph if glyph.placed else None
    return stray


def _over(mark: Piece, letter: Piece, margin: float = _MARGIN) -> bool:
    """Return True if a mark is at the horizontal position of a letter."""
    middle, more = (mark.left + mark.right) / 2, margin * (letter.right - letter.left)
    return letter.left - more <= middle <= letter.right + more


def _letter(mark: Piece, glyphs: Sequence[Piece | None], bands: dict[int, list[int]]) -> int | None:
    """Return the index of the nearest letter below or above a mark, or None."""
    band = int(mark.bottom // _BAND)
    best: tuple[float, int] | None = None
    for index in [index for near in (band - 1, band, band + 1) for index in bands.get(near, ())]:
        letter = glyphs[index]
        assert letter is not None
        if not _over(mark, letter):
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


_ACCENTS = {
    "\u0060": "\u0300", "\u00b4": "\u0301", "\u02ca": "\u0301", "\u005e": "\u0302", "\u02c6": "\u0302",
    "\u007e": "\u0303", "\u02dc": "\u0303", "\u00af": "\u0304", "\u02d8": "\u0306", "\u02d9": "\u0307",
    "\u00a8": "\u0308", "\u02da": "\u030a", "\u02dd": "\u030b", "\u02c7": "\u030c", "\u00b8": "\u0327",
    "\u02db": "\u0328",
}  # fmt: skip
"""Accents that old TeX fonts print as separate characters -> the combining character."""

_GAP_EMS = 1.5
"""A wider gap separates columns. Spaces in justified lines are rarely wider than one em."""


Row = list[Piece]
"""Lines at the same height, from left to right."""


def rows(page: pdfium.PdfPage) -> Iterator[Row]:
    """Yield the rows of a page in the order of its content."""
    line: list[Piece] = []
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


def _starts_line(glyphs: list[Piece], glyph: Piece) -> bool:
    """Return True if a character starts a line that PDFium did not report: it is to the left, and above or below."""
    last = next((g for g in reversed(glyphs) if g.placed), None)
    if last is None or not glyph.placed:
        return False
    height = max(last.height, glyph.height)
    return glyph.left < last.left and (glyph.top < last.bottom - height or glyph.bottom > last.top + height)


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
            is_level = last is not None and glyph.bottom < last.top and glyph.top > last.bottom
            if last is not None and is_level and glyph.left - last.right > _GAP_EMS * em:
                parts.append([])
            last = glyph
        parts[-1].append(glyph)
    texts = [(_text(part, em), [g for g in part if g.placed]) for part in parts]
    return [_around(text, pieces) for text, pieces in texts if text and pieces]


def _text(glyphs: list[Piece], em: float) -> str:
    """Return the text of a line, with accents attached to letters and the numbers of notes separated from words."""
    baseline = median([g.bottom for g in glyphs if g.placed] or [0.0])
    out: list[str] = []
    accent = ""
    for index, glyph in enumerate(glyphs):
        following = glyphs[index + 1] if index + 1 < len(glyphs) else None
        if glyph.text in _ACCENTS and following is not None and _is_accent_of(glyph, following):
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


def _is_accent_of(accent: Piece, letter: Piece) -> bool:
    return accent.placed and letter.placed and letter.text.isalpha() and _over(accent, letter, margin=0.0)


_COLUMN_ROWS = 3
_COLUMN_CHARACTERS = 12
"""Rows that share a gap are columns of text if there are at least so many, with on average so many characters on each
side. Otherwise they are rows of a table."""

_EDGE_LINES = 3
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


def reading_order(rows: Sequence[Row]) -> list[Piece]:
    """Return the lines of rows in reading order: columns side by side are read one after the other."""
    lines: list[Piece] = []
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
            row = rows[start]
            lines.append(row[0] if len(row) == 1 else _around(" ".join(line.text for line in row), row))
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


def without_running_heads(pages: Sequence[list[Piece]]) -> list[list[Piece]]:
    """Return the pages without running heads, running feet and page numbers.

    A line at the top or bottom of a page is removed if two nearby pages have the same line, digits aside, at the same
    height. If there are only two pages, one is enough (SD-EXTRACT-7).
    """
    if len(pages) < 2:
        return list(pages)
    places: dict[str, list[tuple[int, float]]] = defaultdict(list)
    edges = [_edges(lines) for lines in pages]
    for number, lines in enumerate(edges):
        for line in lines:
            places[_key(line)].append((number, line.bottom))
    required = min(2, len(pages) - 1)

    def is_removed(number: int, line: Piece) -> bool:
        near = {
            page
            for page, bottom in places[_key(line)]
            if page != number and abs(page - number) <= _NEAR_PAGES and abs(bottom - line.bottom) <= _SAME_HEIGHT
        }
        return len(near) >= required or _PAGE_NUMBER.fullmatch(line.text) is not None

    kept: list[list[Piece]] = []
    for number, lines in enumerate(pages):
        removed = {id(line) for line in edges[number] if is_removed(number, line)}
        kept.append([line for line in lines if id(line) not in removed])
    return kept


def _key(line: Piece) -> str:
    return _DIGITS.sub("#", line.text.casefold())


def _edges(lines: list[Piece]) -> list[Piece]:
    ordered = sorted(lines, key=lambda line: -line.bottom)
    if len(ordered) <= 2 * _EDGE_LINES:
        return ordered
    return ordered[:_EDGE_LINES] + ordered[-_EDGE_LINES:]


def paragraphs(pages: Iterable[list[Piece]]) -> str:
    """Return the text of pages, with lines joined to paragraphs and broken words joined (SD-EXTRACT-7)."""
    pages = list(pages)
    pitch = _pitch(pages)
    blocks: list[list[str]] = []
    last: Piece | None = None
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


def _pitch(pages: Sequence[list[Piece]]) -> float:
    """Return the median distance between the baselines of consecutive lines, in points."""
    steps = [
        above.bottom - line.bottom
        for lines in pages
        for above, line in pairwise(lines)
        if 0 < above.bottom - line.bottom < 3 * max(above.height, line.height)
    ]
    return median(steps) if steps else 0.0


def _continues(last: Piece, line: Piece, pitch: float) -> bool:
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
