"""Reads PDF files: the text that a reader sees on their pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from simhash_doc_extraction.base import (
    CorruptDocumentError,
    EncryptedDocumentError,
    ExtractedText,
    LimitExceededError,
    Limits,
    NoTextError,
)
from simhash_doc_extraction.pdf.annotations import Annotations
from simhash_doc_extraction.pdf.damage import damaged_streams
from simhash_doc_extraction.pdf.drawn import check_drawn
from simhash_doc_extraction.pdf.fonts import without_system_fonts
from simhash_doc_extraction.pdf.layers import hide_layers, mark_layers
from simhash_doc_extraction.pdf.lines import reading_order
from simhash_doc_extraction.pdf.maps import with_readable_maps
from simhash_doc_extraction.pdf.names import with_named_characters
from simhash_doc_extraction.pdf.objects import Objects, objects_of
from simhash_doc_extraction.pdf.pages import paragraphs, without_running_heads
from simhash_doc_extraction.pdf.pieces import Piece
from simhash_doc_extraction.pdf.plain import rows


@without_system_fonts()
def read_pdf(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read the text of a PDF, without running heads, running feet and page numbers (SD-EXTRACT-7)."""
    left_out: Counter[str] = Counter()
    data, left_out["maps"] = with_readable_maps(data)
    document = _open(data)
    try:
        count = len(document)
        if count > limits.pages:
            raise LimitExceededError(f"{count:,} pages are over the limit pages={limits.pages:,}")
        if not count:
            raise NoTextError("no text: the PDF has no pages")
        if objects := objects_of(document):
            check_drawn(objects, count, limits)
            document, left_out["layers"] = _mended(document, objects)
        pages = list(_pages(document, left_out, has_hidden_layers=left_out["layers"] > 0))
        damaged = damaged_streams(data, limits.expanded_bytes)
        left_out["attachments"] += raw.FPDFDoc_GetAttachmentCount(document)
        is_form = raw.FPDF_GetFormType(document) == raw.FORMTYPE_XFA_FULL
    finally:
        document.close()
    warnings = [f"damaged streams read as far as possible: {damaged:,}"] if damaged else []
    unread = [number for number, lines in enumerate(pages, 1) if lines is None]
    if len(unread) == count:
        raise CorruptDocumentError("the PDF is corrupt: none of its pages can be read")
    if unread:
        warnings.append(f"pages that cannot be read: {len(unread):,} of {count:,} (first: page {unread[0]:,})")
    empty = sum(not lines for lines in pages) - len(unread)
    if empty + len(unread) == count:
        lacking = "its page has no" if count == 1 else f"none of {count:,} pages has a"
        raise NoTextError("; ".join([
            f"no text: {lacking} text layer (scanned?)", "run text recognition (OCR) first",
            *warnings, *_counts(left_out),
        ]))  # fmt: skip
    if empty:
        warnings.append(f"pages without text: {empty:,} of {count:,}")
    if is_form:
        warnings.append("the form in this PDF is in XFA, which is not read: the text may be a placeholder")
    warnings += _counts(left_out)
    found = [lines or [] for lines in pages]
    kept, heads = without_running_heads(found)
    if (share := 1 - (_size(kept) + sum(map(len, heads))) / _size(found)) > _MOST_REMOVED:
        warnings.append(f"running heads and page numbers: {share:.0%} of the text is left out")
    return ExtractedText("\n\n".join([paragraphs(kept), *heads]), document_format, warnings=tuple(warnings))


def _mended(document: pdfium.PdfDocument, objects: Objects) -> tuple[pdfium.PdfDocument, int]:
    """Return a document without what PDFium misreads, and the number of layers that are off in it."""
    hidden = mark_layers(objects)
    copy = with_named_characters(objects) or (bytes(objects.data) if hidden else b"")
    if not copy:
        return document, 0
    try:
        mended = _open(copy)
    except CorruptDocumentError:
        return document, 0
    if len(mended) != len(document):
        mended.close()
        return document, 0
    document.close()
    return mended, hidden


_MOST_REMOVED = 0.05

_LEFT_OUT = {
    "layers": "layers that are off",
    "outside": "characters outside the visible part of the pages",
    "unmapped": "characters without a mapping to Unicode",
    "maps": "maps to Unicode",
    "notes": "comments of readers",
    "attachments": "attached files",
}
"""What is counted -> its name."""


def _counts(left_out: Counter[str]) -> list[str]:
    return [f"{name} left out: {left_out[key]:,}" for key, name in _LEFT_OUT.items() if left_out[key]]


def _pages(
    document: pdfium.PdfDocument, left_out: Counter[str], *, has_hidden_layers: bool
) -> Iterator[list[Piece] | None]:
    """Yield the lines of each page in reading order, or None if the page cannot be read."""
    annotations = Annotations(document)
    try:
        for index in range(len(document)):
            try:
                page = document[index]
                if has_hidden_layers:
                    hide_layers(page)
                found = rows(page, left_out)
                if annotations.draw(page, left_out):
                    page.close()
                    page = document[index]
                    annotations.only(page)
                    if has_hidden_layers:
                        hide_layers(page)
                    found += rows(page, left_out)
                page.close()
            except pdfium.PdfiumError:
                yield None
            else:
                yield reading_order(found)
    finally:
        annotations.close()


def _size(pages: Iterable[list[Piece]]) -> int:
    return sum(len(line.text) for lines in pages for line in lines)


def _open(data: bytes) -> pdfium.PdfDocument:
    """Open a PDF. Raises `EncryptedDocumentError` or `CorruptDocumentError`."""
    try:
        return pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        code = getattr(error, "err_code", None)
        if code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY) or "password" in str(error).lower():
            raise EncryptedDocumentError("the PDF needs a password: remove the password first") from error
        raise CorruptDocumentError(f"the PDF is corrupt or truncated: {error}") from error
