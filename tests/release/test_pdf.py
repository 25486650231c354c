"""The specification as one PDF: complete, tagged, with bookmarks, destinations and embedded fonts."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow
pdfium = pytest.importorskip("pypdfium2")
raw = pytest.importorskip("pypdfium2.raw")
pytest.importorskip("mdit_py_plugins")

from release.pdf import DOCUMENTS, specification_html, specification_pdf  # noqa: E402

ROOT = Path(__file__).parents[2]
REQUIREMENT = re.compile(r'<a id="(SD-[A-Z]+-\d+)">')


@pytest.fixture(scope="module")
def pdf() -> bytes:
    try:
        import weasyprint  # noqa: F401
    except (ImportError, OSError) as error:
        pytest.skip(f"WeasyPrint or its library Pango is not installed: {error}")
    return specification_pdf()


@pytest.fixture(scope="module")
def document(pdf: bytes) -> Iterator[Any]:
    opened = pdfium.PdfDocument(pdf)
    yield opened
    opened.close()


def source(name: str) -> str:
    return (ROOT / "spec" / name).read_text(encoding="utf-8")


def test_every_document_of_the_specification_is_in_it() -> None:
    assert set(DOCUMENTS) == {path.name for path in (ROOT / "spec").glob("*.md")}


def test_every_link_within_it_has_a_target() -> None:
    page = specification_html()
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(set(ids)) == len(ids)
    targets = set(re.findall(r'href="#([^"]+)"', page))
    assert len(targets) > 60
    assert targets <= set(ids)


def test_two_runs_give_the_same_bytes(pdf: bytes) -> None:
    assert specification_pdf() == pdf


def test_it_is_tagged_and_says_its_language_and_title(document: Any) -> None:
    assert raw.FPDFCatalog_IsTagged(document.raw)
    assert '<html lang="en">' in specification_html()
    assert document.get_metadata_dict()["Title"].startswith("simhash-doc 1.")


def test_each_heading_is_a_bookmark(document: Any) -> None:
    titles = [mark.get_title() for mark in document.get_toc()]
    for name in DOCUMENTS:
        prose = re.sub(r"^```.*?^```$", "", source(name), flags=re.MULTILINE | re.DOTALL)
        for heading in re.findall(r"^## ([\w. ]+)$", prose, re.MULTILINE):
            assert heading in titles, (name, heading)


def test_each_requirement_can_be_linked_to_and_read(document: Any) -> None:
    clauses = [clause for name in DOCUMENTS for clause in REQUIREMENT.findall(source(name))]
    text = "".join(page.get_textpage().get_text_range() for page in document)
    assert len(clauses) > 60
    for clause in clauses:
        assert raw.FPDF_GetNamedDestByName(document.raw, clause.encode()), clause
        assert clause in text


def test_its_fonts_are_embedded(document: Any) -> None:
    fonts: dict[str, bool] = {}
    for page in document:
        for found in page.get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT]):
            font = raw.FPDFTextObj_GetFont(found.raw)
            name = ctypes.create_string_buffer(200)
            raw.FPDFFont_GetBaseFontName(font, name, 200)
            fonts[name.value.decode()] = bool(raw.FPDFFont_GetIsEmbedded(font))
    assert len(fonts) > 3
    assert all(fonts.values()), fonts
