"""PDF, by PDFium."""

from __future__ import annotations

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from simhash_doc.extract.document import Extracted
from simhash_doc.extract.errors import Damaged, Encrypted, NoText, OverLimit
from simhash_doc.extract.limits import Limits
from simhash_doc.extract.pdf_layout import paragraphs, reading_order, without_running_heads
from simhash_doc.extract.pdf_lines import Line, rows


def read(data: bytes, *, medium: str, name: str | None, limits: Limits) -> Extracted:
    """Read the text layer of a PDF."""
    document = _open(data, name)
    try:
        count = len(document)
        if count > limits.pages:
            raise OverLimit(f"{count:,} pages are over the limit pages={limits.pages:,}", name=name)
        if not count:
            raise NoText("no text: the PDF has no page", name=name)
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
        raise Damaged("the PDF is damaged: none of its pages can be read", name=name)
    empty = sum(not lines for lines in pages) - len(unread)
    if empty + len(unread) == count:
        raise NoText(
            f"no text: scanned? None of {count:,} pages has a text layer; run text recognition (OCR) first", name=name
        )
    kept, _ = without_running_heads(pages)
    warnings = []
    if unread:
        warnings.append(f"{len(unread)} of {count} pages cannot be read, first page {unread[0]}")
    if empty:
        warnings.append(f"{empty} of {count} pages have no text")
    return Extracted(paragraphs(kept), medium, name, tuple(warnings))


def _open(data: bytes, name: str | None) -> pdfium.PdfDocument:
    try:
        return pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        code = getattr(error, "err_code", None)
        if code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY) or "password" in str(error).lower():
            raise Encrypted("the PDF opens with a password only: remove the password first", name=name) from error
        raise Damaged(f"not a readable PDF, damaged or truncated: {error}", name=name) from error
