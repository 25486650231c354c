"""The same text with any fonts installed: no system font is asked, and glyphs without an outline have their place."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import repeat
from math import hypot
from typing import Any

import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium
import pypdfium2.raw as raw

from simhash_doc_extraction.pdf.direct import direct

_given_back: list[Any] = []
"""The way to the system fonts that the last reader gave back to PDFium, whose memory is still to be released."""


@contextmanager
def without_system_fonts() -> Iterator[None]:
    """Let PDFium use no font but those in a document and its own, and give it the fonts of the system back."""
    raw.FPDF_SetSystemFontInfo(None)
    while _given_back:
        raw.FPDF_FreeDefaultSystemFontInfo(_given_back.pop())
    try:
        yield
    finally:
        _given_back.append(raw.FPDF_GetDefaultSystemFontInfo())
        raw.FPDF_SetSystemFontInfo(_given_back[-1])


_get_object = direct(raw.FPDFPage_GetObject, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
_get_inner_object = direct(raw.FPDFFormObj_GetObject, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
_get_type = direct(raw.FPDFPageObj_GetType, ctypes.c_int, ctypes.c_void_p)
_get_bounds = direct(raw.FPDFPageObj_GetBounds, ctypes.c_int, ctypes.c_void_p)  # references need no types


def objects(page: pdfium.PdfPage) -> Iterator[tuple[int, int]]:
    """Yield the addresses and the kinds of the objects of a page, with those in form XObjects."""
    holders = [ctypes.cast(page.raw, ctypes.c_void_p).value or 0]
    for holder in holders:
        is_page = holder == holders[0]
        get = _get_object if is_page else _get_inner_object
        count = raw.FPDFPage_CountObjects(page) if is_page else raw.FPDFFormObj_CountObjects(_object(holder))
        for found in map(get, repeat(holder), range(count)):
            kind = _get_type(found)
            yield found, kind
            if kind == raw.FPDF_PAGEOBJ_FORM:
                holders.append(found)


def _object(address: int) -> Any:
    return ctypes.cast(address, raw.FPDF_PAGEOBJECT)


_LEAST_WIDTH = 0.01
"""PDFium leaves a string out of the text if its outlines are narrower than this, in the units of its content."""

_LINE_WIDTH = 0.03


def keep_strings(page: pdfium.PdfPage) -> None:
    """Let PDFium read the strings whose glyphs have no outline, such as the letter "a" over the picture of a scan.

    PDFium measures the outlines. Those of a stroked string have the width of its line at least. Nothing is drawn here.
    """
    sides = (ctypes.c_float * 4)()
    at = [ctypes.byref(sides, 4 * side) for side in range(4)]
    for address, kind in objects(page):
        if kind == raw.FPDF_PAGEOBJ_TEXT and _get_bounds(address, *at) and sides[2] - sides[0] < 2 * _LEAST_WIDTH:
            string = _object(address)
            raw.FPDFTextObj_SetTextRenderMode(string, raw.FPDF_TEXTRENDERMODE_STROKE)
            raw.FPDFPageObj_SetStrokeWidth(string, _LINE_WIDTH)
            raw.FPDFPageObj_Transform(string, 1, 0, 0, 1, 0, 0)  # measures it again


_LEAST_SIDE = 1e-3  # points
_DESCENT, _ASCENT = -0.2, 0.8  # ems


def boxes_of_advances(
    textpage: pdfium.PdfTextPage, boxes: npt.NDArray[np.float64], indexes: npt.NDArray[np.intp]
) -> None:
    """Give the characters without an outline the boxes of their advance widths.

    Args:
        textpage: a page of PDFium.
        boxes: left, right, bottom and top of each character at `indexes`, in points. They are changed.
        indexes: the numbers of characters on the page.
    """
    left, right, bottom, top = boxes.T
    for row in np.flatnonzero((right - left < _LEAST_SIDE) | (top - bottom < _LEAST_SIDE)).tolist():
        index = int(indexes[row])
        x, y, matrix = ctypes.c_double(), ctypes.c_double(), raw.FS_MATRIX()
        if not (raw.FPDFText_GetCharOrigin(textpage, index, x, y) and raw.FPDFText_GetMatrix(textpage, index, matrix)):
            continue
        size, scale = raw.FPDFText_GetFontSize(textpage, index), hypot(matrix.a, matrix.b)
        width = hypot(right[row] - left[row], top[row] - bottom[row])
        if not scale or not width:
            continue
        along, across = (width * matrix.a / scale, width * matrix.b / scale), (size * matrix.c, size * matrix.d)
        corners = [
            (x.value + forward * along[0] + up * across[0], y.value + forward * along[1] + up * across[1])
            for forward in (0, 1)
            for up in (_DESCENT, _ASCENT)
        ]
        xs, ys = zip(*corners, strict=True)
        boxes[row] = min(xs), max(xs), min(ys), max(ys)
