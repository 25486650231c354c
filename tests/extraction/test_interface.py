"""Every format: detected from the content, and read; and errors."""

from __future__ import annotations

import io
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import NoTokenError, fingerprint
from simhash_doc.ingest import extract_contents, extract_in_sandbox
from simhash_doc_extraction import (
    CONTAINERS,
    READERS,
    ExtractedText,
    ExtractionError,
    UnsupportedFormatError,
    detect,
    extract,
    extract_each,
)
from tests.extraction.samples import FORMATS, PARAGRAPHS, TITLE, attempt, file_name, sample, warc

PLAIN = st.text().filter(lambda text: "\x00" not in text and text.strip() and detect(text.encode(), "a.txt") == "text")


@given(PLAIN)
def test_plain_text_is_not_changed(text: str) -> None:
    data = text.encode()
    extracted = extract(data, name="a.txt")
    assert extracted == ExtractedText(data.decode("utf-8-sig"), "text", "a.txt")
    try:
        canonical = fingerprint(data)
    except NoTokenError:
        with pytest.raises(NoTokenError):
            fingerprint(extracted.text)
    else:
        assert fingerprint(extracted.text) == canonical


@pytest.mark.parametrize(
    ("data", "name", "document_format"),
    [
        (b"", None, "empty"),
        (b"Just words.", None, "text"),
        (b"# Title\n\nwords", "a.md", "markdown"),
        (b"# Title\n\nwords", "a.txt", "text"),
        (b"= Title\n\nwords", "a.adoc", "asciidoc"),
        (b"<!doctype html><p>x", "a.pdf", "html"),
        (b"\n <!-- c --> <HTML><BODY>x", "a.txt", "html"),
        (b"<p>The quick brown fox</p>", None, "html"),
        (
            b"<?xml version='1.0'?><!DOCTYPE html PUBLIC 'x' 'y'><html xmlns='http://www.w3.org/1999/xhtml'>",
            None,
            "html",
        ),
        (b"<?xml version='1.0'?><article article-type='x'><front/></article>", None, "jats"),
        (b"<!DOCTYPE article PUBLIC '-//NLM//DTD JATS (Z39.96)//EN' 'a.dtd' [<!ENTITY x 'y'>]><article>", None, "jats"),
        (b"<TEI xmlns='http://www.tei-c.org/ns/1.0'><teiHeader/>", "a.html", "tei"),
        (b"<book xmlns='http://docbook.org/ns/docbook'><info/>", None, "docbook"),
        (b"<!DOCTYPE refentry PUBLIC '-//OASIS//DTD DocBook XML V4.5//EN' 'x'><refentry>", None, "docbook"),
        (b"<?xml version='1.0'?><rfc><front/></rfc>", None, "xml"),
        (b"<note>less < than</note>", None, "xml"),
        (b"<3 is a heart", None, "text"),
        (b"< not markup", None, "text"),
        (b"<someone@example.org> wrote:", None, "text"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "a.txt", "PNG image"),
        (b"%PDF-1.7\n", "a.txt", "pdf"),
        (b"junk before\n%PDF-1.4\n", None, "pdf"),
        (b"{\\rtf1\\ansi x}", "a.doc", "rtf"),
        (b"BM is how this text begins, and it is not an image", None, "text"),
        (b"MZ too", None, "text"),
        (bytes(range(256)) * 4, None, "binary data"),
        ("Ünïcode words".encode("utf-16"), None, "text"),
        (b"\x00\x01\x02\x03abc\x00\x00" * 20, None, "binary data"),
    ],
)
def test_the_format_is_detected_from_the_content(data: bytes, name: str | None, document_format: str) -> None:
    assert detect(data, name) == document_format


def is_clear(result: ExtractedText | ExtractionError) -> bool:
    return bool(result.text.strip()) if isinstance(result, ExtractedText) else len(str(result)) > 15


@given(st.binary(max_size=300), st.sampled_from([None, "a.pdf", "a.md", "b.html", "x"]))
def test_any_bytes_give_text_or_a_clear_error(data: bytes, name: str | None) -> None:
    result = attempt(data, name)
    assert is_clear(result)
    assert result.name == name


def test_a_format_that_cannot_be_read_is_named() -> None:
    with pytest.raises(UnsupportedFormatError, match="PNG image") as caught:
        extract(b"\x89PNG\r\n\x1a\n\x00", name="a.html")
    assert caught.value.name == "a.html"


@pytest.mark.parametrize("kind", ExtractionError.__subclasses__())
def test_an_error_can_be_pickled_with_its_name(kind: type[ExtractionError]) -> None:
    error = pickle.loads(pickle.dumps(kind("what and where", name="a.pdf")))
    assert (type(error), str(error), error.name) == (kind, "what and where", "a.pdf")


def test_extract_each_yields_the_error_of_a_document() -> None:
    (only,) = extract_each(io.BytesIO(b"\x89PNG\r\n\x1a\n\x00"), name="a.png")
    assert isinstance(only, UnsupportedFormatError)
    (only,) = extract_each(io.BytesIO(b"some words"), name="a.txt")
    assert only == ExtractedText("some words", "text", "a.txt")


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
    "document_format",
    [document_format for document_format in FORMATS if document_format not in {*_BY_NAME, *CONTAINERS}],
)
@pytest.mark.parametrize("name", [None, "lamp", "lamp.jpg", "lamp.txt", "lamp.pdf", "lamp.docx", "LAMP.HTML"])
def test_a_misleading_name_does_not_change_the_text(document_format: str, name: str | None) -> None:
    found = extract(sample(document_format), name=name)
    assert (found.text, found.name) == (extract(sample(document_format), name=file_name(document_format)).text, name)


def test_detection_can_be_overridden() -> None:
    page = sample("html")
    assert extract(page, format="text").text == page.decode()
    assert extract(b"<p>a <b>word</b>", format="html").text == "a word"


@pytest.mark.parametrize("encoding", ["iso-8859-2", "windows-1250"])
def test_the_header_of_the_transport_names_the_encoding(encoding: str) -> None:
    text = "Žluťoučký kůň příšerně úpěl ďábelské ódy"
    page = f"<html><body><p>{text}</p></body></html>".encode(encoding)
    header = f'text/html; charset="{encoding}"'
    assert extract(page, content_type=header).text == text
    assert extract_in_sandbox(page, content_type=header).text == text
    both = extract_contents([page, None, page], content_type=[header, None, header], workers=1)
    assert [found and found.extracted and found.extracted.text for found in both] == [text, None, text]


@pytest.mark.parametrize("wrong", ["<p>a", Path("a.html"), None, 5, [b"a"]])
def test_what_is_no_document_is_named(wrong: object) -> None:
    with pytest.raises(TypeError, match=f"data is {type(wrong).__name__}; expected bytes"):
        extract(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="source is "):
        extract_each(wrong)  # type: ignore[arg-type]


def test_records_of_a_crawl_are_selected_by_what_they_say() -> None:
    page = b"<p>A page about tide mills and the sea, with enough words to be read.</p>"
    data = warc([(f"https://{host}/", page, {}) for host in ("a.example", "b.example")])
    found = list(extract_each(io.BytesIO(data), select=lambda record: record.uri.startswith("https://b")))
    (record,) = [one.record for one in found]
    assert record is not None
    assert (record.uri, record.status, len(record.date)) == ("https://b.example/", 200, 14)
    assert record.header("CONTENT-TYPE") is not None
