"""Every format: detected from the content, and read."""

from __future__ import annotations

import io

import pytest

from simhash_doc import fingerprint
from simhash_doc.extract import ExtractedText, extract, extract_each
from simhash_doc.extract.registry import CONTAINERS, READERS
from tests.extract.samples import FORMATS, PARAGRAPHS, TITLE, file_name, sample

_BY_NAME = {"markdown", "asciidoc"}  # only the name distinguishes light markup from plain text


def test_there_is_a_sample_of_every_format() -> None:
    assert set(FORMATS) == {*READERS, *CONTAINERS}


@pytest.mark.parametrize("document_format", FORMATS)
def test_every_format_gives_nearly_the_same_fingerprint(document_format: str) -> None:
    (found,) = extract_each(io.BytesIO(sample(document_format)), name=file_name(document_format))
    assert isinstance(found, ExtractedText), found
    assert found.warnings == ()
    words = [word for word in found.text.split() if word[0].isalnum()]
    assert " ".join(words) in (" ".join((TITLE, *PARAGRAPHS)), " ".join(PARAGRAPHS))
    assert fingerprint(found.text).distance(fingerprint(sample("text"))) <= 3


@pytest.mark.parametrize(
    "document_format", [document_format for document_format in FORMATS if document_format not in (*_BY_NAME, "warc")]
)
@pytest.mark.parametrize("name", [None, "lamp", "lamp.jpg", "lamp.txt", "lamp.pdf", "lamp.docx", "LAMP.HTML"])
def test_a_misleading_name_does_not_change_the_text(document_format: str, name: str | None) -> None:
    found = extract(sample(document_format), name=name)
    assert (found.text, found.name) == (extract(sample(document_format), name=file_name(document_format)).text, name)


def test_detection_can_be_overridden() -> None:
    page = sample("html")
    assert extract(page, document_format="text").text == page.decode()
    assert extract(b"<p>a <b>word</b>", document_format="html").text == "a word"
