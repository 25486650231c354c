"""Each word that a document shows is in its text, or a warning counts it; no word that it does not show is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from simhash_doc_extraction import extract
from tests.extraction import (
    docbook_places,
    docx_places,
    epub_places,
    fb2_places,
    jats_places,
    mhtml_places,
    odt_places,
    rtf_places,
    tei_places,
    xml_places,
)
from tests.extraction.warning_kinds import undocumented

WORD = "zebrawood"

Build = Callable[[str], bytes]
FORMATS = {
    "docbook": docbook_places,
    "docx": docx_places,
    "epub": epub_places,
    "fb2": fb2_places,
    "jats": jats_places,
    "mhtml": mhtml_places,
    "odt": odt_places,
    "rtf": rtf_places,
    "tei": tei_places,
    "xml": xml_places,
}


def places(name: str) -> list[object]:
    """Return the places of a kind, such as `SHOWN`, in all formats, each with its builder and what is expected."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), id=f"{document_format}: {place}")
        for document_format, made in FORMATS.items()
        for place, case in getattr(made, name, {}).items()
    ]


@pytest.mark.parametrize("build", places("SHOWN"))
def test_a_word_that_is_shown_is_in_the_text(build: Build) -> None:
    found = extract(build(WORD))
    assert found.text.split().count(WORD) == 1, found.text
    assert "secret" not in found.text
    assert found.warnings == ()


@pytest.mark.parametrize(("build", "warning"), places("DAMAGED"))
def test_a_word_before_damage_is_in_the_text_and_the_damage_is_named(build: Build, warning: str) -> None:
    found = extract(build(WORD))
    assert found.text.split().count(WORD) == 1, found.text
    assert any(given.startswith(warning) for given in found.warnings), found.warnings
    assert undocumented(found) == set()


@pytest.mark.parametrize(("build", "warning"), places("COUNTED"))
def test_a_word_that_is_not_read_is_counted(build: Build, warning: str) -> None:
    found = extract(build(WORD))
    assert WORD not in found.text
    assert any(given.startswith(warning) for given in found.warnings), found.warnings
    assert undocumented(found) == set()


@pytest.mark.parametrize("build", places("NOT_SHOWN"))
def test_a_word_that_is_not_shown_is_not_in_the_text(build: Build) -> None:
    found = extract(build(WORD))
    assert WORD not in found.text
    assert "page" in found.text or "other" in found.text
    assert not any("not read" in warning for warning in found.warnings), found.warnings
