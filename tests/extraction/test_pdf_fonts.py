"""No font of the machine changes a text; what has no outline is read all the same."""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as raw
import pytest

from simhash_doc_extraction import ExtractionError, extract
from tests.extraction import pdf_places
from tests.extraction.pdf_fonts import (
    COLUMNS,
    SAMPLES,
    WIDTHS,
    column,
    not_embedded,
    over_scan,
    strings,
    vertical,
    with_font,
)

PLACES = {
    **pdf_places.SHOWN,
    **pdf_places.NOT_SHOWN,
    **{name: build for name, (build, _) in pdf_places.COUNTED.items()},
}
ALL = {**SAMPLES, **{name: build("zebrawood") for name, build in PLACES.items()}}


def texts() -> dict[str, str]:
    """Return the text of each PDF of the tests, or the error."""
    found = {}
    for name, data in ALL.items():
        try:
            found[name] = extract(data).text
        except ExtractionError as error:
            found[name] = f"{error.code}: {error.message}"
    return found


_IN_PROCESS = """
import ctypes, json, sys
import pypdfium2.raw as raw
raw.FPDF_DestroyLibrary()
paths = (ctypes.POINTER(ctypes.c_char) * 2)(ctypes.create_string_buffer(sys.argv[1].encode()))
fonts = ctypes.cast(paths, type(raw.FPDF_LIBRARY_CONFIG().m_pUserFontPaths)) if sys.argv[1] else None
raw.FPDF_InitLibraryWithConfig(raw.FPDF_LIBRARY_CONFIG(version=2, m_pUserFontPaths=fonts))
from tests.extraction.test_pdf_fonts import texts
print(json.dumps(texts()))
"""


@pytest.mark.slow
def test_texts_are_equal_with_and_without_fonts(tmp_path: Path) -> None:
    found = []
    for folder in ("", str(tmp_path)):  # the fonts of this machine, and none
        command = [sys.executable, "-c", _IN_PROCESS, folder]
        found.append(json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout))
    assert found[0] == found[1] == texts()


def test_no_font_of_the_machine_is_asked_for() -> None:
    asked: list[bytes] = []

    def map_font(
        _info: object, _weight: int, _italic: int, _charset: int, _pitch: int, face: bytes, _exact: object
    ) -> None:
        asked.append(face)

    pdfium.PdfDocument.new().close()
    info = raw.FPDF_SYSFONTINFO(version=1)
    info.MapFont = type(info.MapFont)(map_font)
    for data in SAMPLES.values():
        raw.FPDF_SetSystemFontInfo(ctypes.byref(info))
        extract(data)
    assert asked == []
    raw.FPDF_SetSystemFontInfo(ctypes.byref(info))
    pdfium.PdfDocument(SAMPLES["not embedded"])[0].get_textpage().close()
    raw.FPDF_SetSystemFontInfo(raw.FPDF_GetDefaultSystemFontInfo())
    assert asked  # so that this test can fail


def test_strings_without_outlines_are_read() -> None:
    assert extract(SAMPLES["without outlines"]).text == "I saw a kettle 5"
    assert extract(SAMPLES["without outlines, rotated"]).text.split() == ["I", "saw", "a", "kettle"]


def test_single_letters_without_outlines_are_lines_of_their_own() -> None:
    content = b"".join(strings(letter, top=700 - 20 * at) for at, letter in enumerate([b"a", b"b", b"c"]))
    assert extract(over_scan(content)).text.split() == ["a", "b", "c"]


@pytest.mark.parametrize("by_letter", [False, True])
@pytest.mark.parametrize("encoding", [b"UniJIS-UCS2-V", b"UniJIS-UTF16-V"])
@pytest.mark.parametrize("entries", [b"", b"/DW2[880 -1000]", b"/W2[1 8000 -1000 500 880]"])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_columns_of_vertical_writing_go_from_right_to_left(
    by_letter: bool, encoding: bytes, entries: bytes, order: tuple[int, ...]
) -> None:
    content = b"".join(column(COLUMNS[at], 500 - 22 * at, 700, by_letter=by_letter) for at in order)
    assert extract(vertical(content, encoding, entries)).text == "".join(COLUMNS)


def test_bands_of_columns_follow_each_other() -> None:
    upper = b"".join(column(text, 500 - 22 * at, 700) for at, text in enumerate(COLUMNS))
    lower = b"".join(column(text[::-1], 500 - 22 * at, 400) for at, text in enumerate(COLUMNS))
    expected = "".join(COLUMNS) + "".join(text[::-1] for text in COLUMNS)
    assert "".join(extract(vertical(lower + upper)).text.split()) == expected


def test_latin_lines_beside_columns_are_read() -> None:
    latin = b"BT /F 14 Tf 72 400 Td (Only these Latin words) Tj ET"
    found = extract(vertical(column(COLUMNS[0], 500, 700) + column(COLUMNS[1], 478, 700) + latin)).text
    assert "Only these Latin words" in found
    assert "".join(COLUMNS[:2]) in "".join(found.split())


@pytest.mark.parametrize("name", [b"Barnacle", b"DejaVuSans,Bold", b"MS-Mincho"])
def test_fonts_that_are_not_embedded_are_read(name: bytes) -> None:
    assert extract(with_font(not_embedded(name, WIDTHS), strings(b"I", b"am", b"a", b"keeper"))).text == "I am a keeper"
