"""Groups the characters of a PDF page into lines of text. Coordinates are those of `glyphs`."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

import pypdfium2 as pdfium

from simhash_doc.extract.pdf.glyphs import SOFT_HYPHEN, Glyph, read_glyphs
from simhash_doc.extract.pdf.marks import attach_marks

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
