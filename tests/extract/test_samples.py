"""Every medium: recognized by its content, and read."""

from __future__ import annotations

import io

import pytest

from simhash_doc import fingerprint
from simhash_doc.extract import Extracted, extract, extract_each
from simhash_doc.extract.registry import CONTAINERS, READERS
from tests.extract.samples import MEDIA, PARAGRAPHS, TITLE, file_name, sample

_BY_NAME = {"markdown", "asciidoc"}  # light markup is told from plain text by its name alone


def test_there_is_a_sample_of_every_medium() -> None:
    assert set(MEDIA) == {*READERS, *CONTAINERS}


@pytest.mark.parametrize("medium", MEDIA)
def test_every_medium_gives_the_same_fingerprint_up_to_its_title(medium: str) -> None:
    (found,) = extract_each(io.BytesIO(sample(medium)), name=file_name(medium))
    assert isinstance(found, Extracted), found
    assert found.warnings == ()
    words = [word for word in found.text.split() if word[0].isalnum()]
    assert " ".join(words) in (" ".join((TITLE, *PARAGRAPHS)), " ".join(PARAGRAPHS))
    assert fingerprint(found.text).distance(fingerprint(sample("text"))) <= 3


@pytest.mark.parametrize("medium", [medium for medium in MEDIA if medium not in (*_BY_NAME, "warc")])
@pytest.mark.parametrize("name", [None, "lamp", "lamp.jpg", "lamp.txt", "lamp.pdf", "lamp.docx", "LAMP.HTML"])
def test_the_content_decides_whatever_the_name_says(medium: str, name: str | None) -> None:
    found = extract(sample(medium), name=name)
    assert (found.text, found.name) == (extract(sample(medium), name=file_name(medium)).text, name)


def test_a_medium_can_be_demanded() -> None:
    page = sample("html")
    assert extract(page, medium="text").text == page.decode()
    assert extract(b"<p>a <b>word</b>", medium="html").text == "a word"
