"""Reads the text layer of PDF files."""

from __future__ import annotations

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from simhash_doc.extract.errors import CorruptDocumentError, EncryptedDocumentError, LimitExceededError, NoTextError
from simhash_doc.extract.limits import Limits
from simhash_doc.extract.pdf.layout import paragraphs, reading_order, without_running_heads
from simhash_doc.extract.pdf.lines import Line, rows
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
