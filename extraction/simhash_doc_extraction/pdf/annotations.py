"""Annotations: what they show on a page, such as the values of form fields, and not the notes of readers."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pypdfium2 as pdfium
import pypdfium2.raw as raw

_NOT_SHOWN = raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW
_NOTES = frozenset(
    {
        raw.FPDF_ANNOT_TEXT, raw.FPDF_ANNOT_LINE, raw.FPDF_ANNOT_SQUARE, raw.FPDF_ANNOT_CIRCLE, raw.FPDF_ANNOT_POLYGON,
        raw.FPDF_ANNOT_POLYLINE, raw.FPDF_ANNOT_HIGHLIGHT, raw.FPDF_ANNOT_UNDERLINE, raw.FPDF_ANNOT_SQUIGGLY,
        raw.FPDF_ANNOT_STRIKEOUT, raw.FPDF_ANNOT_STAMP, raw.FPDF_ANNOT_CARET, raw.FPDF_ANNOT_INK,
        raw.FPDF_ANNOT_FILEATTACHMENT, raw.FPDF_ANNOT_REDACT,
    }
)  # fmt: skip
"""Kinds of annotations whose contents are the comment of a reader, in a window that opens on a click."""

_MARKS = (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON)
"""Fields that show a mark. The marks are characters of a font of symbols, in which they look like digits."""

_COMB = 1 << 24
"""The flag of a text field that shows each letter in a box of its own."""

_EMPTY = 2  # bytes of an empty string in UTF-16, with its end


class Annotations:
    """Draws the annotations of a document, as a viewer does."""

    def __init__(self, document: pdfium.PdfDocument) -> None:
        self._document = document
        self._config = raw.FPDF_FORMFILLINFO(version=2)
        self._handle: object = None

    def draw(self, page: pdfium.PdfPage, left_out: Counter[str]) -> bool:
        """Draw the annotations of a page into it. Return True if it must be loaded again to have them.

        They are its last object, and the others can be wrong: PDFium loses the fonts that a page shares with others.
        `left_out` counts "notes" and "attachments".
        """
        count = raw.FPDFPage_GetAnnotCount(page)
        if not any(_may_show(page, index) for index in range(count)):
            return False
        if self._handle is None:
            self._handle = raw.FPDFDOC_InitFormFillEnvironment(self._document, self._config)
        for index in range(count):
            with _annotation(page, index) as annotation:
                self._write_on_one_line(annotation)
        if self._handle:  # it writes the appearance of fields that have a value and no appearance
            raw.FORM_OnAfterLoadPage(page, self._handle)
        for index in range(count - 1, -1, -1):
            with _annotation(page, index) as annotation:
                kind, flags = raw.FPDFAnnot_GetSubtype(annotation), raw.FPDFAnnot_GetFlags(annotation)
                if kind in _NOTES and raw.FPDFAnnot_GetStringValue(annotation, b"Contents", None, 0) > _EMPTY:
                    left_out["notes"] += 1
                if kind == raw.FPDF_ANNOT_FILEATTACHMENT:
                    left_out["attachments"] += 1
                is_mark = self._handle and raw.FPDFAnnot_GetFormFieldType(self._handle, annotation) in _MARKS
            if flags & _NOT_SHOWN or is_mark:
                raw.FPDFPage_RemoveAnnot(page, index)
        drawn = raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY) == raw.FLATTEN_SUCCESS
        if self._handle:
            raw.FORM_OnBeforeClosePage(page, self._handle)
        return bool(drawn)

    def _write_on_one_line(self, annotation: ctypes._Pointer[raw.fpdf_annotation_t__]) -> None:
        """Prepare what PDFium would draw as other words: fields of a letter in each box, line ends in free text."""
        kind = raw.FPDFAnnot_GetSubtype(annotation)
        if kind == raw.FPDF_ANNOT_WIDGET and self._handle:
            flags = raw.FPDFAnnot_GetFormFieldFlags(self._handle, annotation)
            is_text = raw.FPDFAnnot_GetFormFieldType(self._handle, annotation) == raw.FPDF_FORMFIELD_TEXTFIELD
            has_value = raw.FPDFAnnot_GetFormFieldValue(self._handle, annotation, None, 0) > _EMPTY
            if flags & _COMB and is_text and has_value:
                raw.FPDFAnnot_SetFormFieldFlags(self._handle, annotation, flags & ~_COMB)
                raw.FPDFAnnot_SetAP(annotation, raw.FPDF_ANNOT_APPEARANCEMODE_NORMAL, None)
        elif kind == raw.FPDF_ANNOT_FREETEXT and not raw.FPDFAnnot_HasKey(annotation, b"AP"):
            size = raw.FPDFAnnot_GetStringValue(annotation, b"Contents", None, 0)
            buffer = (ctypes.c_ushort * (size // 2))()
            raw.FPDFAnnot_GetStringValue(annotation, b"Contents", buffer, size)
            for at, code in enumerate(buffer):
                buffer[at] = 0x20 if code in (0x0A, 0x0D) else code
            raw.FPDFAnnot_SetStringValue(annotation, b"Contents", buffer)

    @staticmethod
    def only(page: pdfium.PdfPage) -> None:
        """Leave all but the annotations that were drawn out of the text of a page."""
        for index in range(raw.FPDFPage_CountObjects(page) - 1):
            raw.FPDFPageObj_SetIsActive(raw.FPDFPage_GetObject(page, index), False)

    def close(self) -> None:
        """Release the memory of forms. The pages must be closed before, and the document after."""
        if self._handle:
            raw.FPDFDOC_ExitFormFillEnvironment(self._handle)


def _may_show(page: pdfium.PdfPage, index: int) -> bool:
    """Return False for a plain link. Most annotations are."""
    with _annotation(page, index) as annotation:
        is_link = raw.FPDFAnnot_GetSubtype(annotation) == raw.FPDF_ANNOT_LINK
        return not is_link or bool(raw.FPDFAnnot_HasKey(annotation, b"AP"))


@contextmanager
def _annotation(page: pdfium.PdfPage, index: int) -> Iterator[ctypes._Pointer[raw.fpdf_annotation_t__]]:
    annotation = raw.FPDFPage_GetAnnot(page, index)
    try:
        yield annotation
    finally:
        raw.FPDFPage_CloseAnnot(annotation)
