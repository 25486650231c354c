"""The text of a document of the corpus, extracted in several ways."""

from __future__ import annotations

import gzip
from dataclasses import dataclass

import lxml.html
from lxml import etree

from benchmarks.calibration.corpus import Document
from benchmarks.extraction.libraries import Extractor
from simhash_doc import NoTokenError, fingerprint
from simhash_doc.extract import ExtractionError, detect, extract
from simhash_doc.fingerprint import Fingerprint

CLOSE, LOOSE = 3, 6  # bits


@dataclass(frozen=True, slots=True)
class Source:
    """A text and its fingerprint, None without a token."""

    text: str
    fingerprint: Fingerprint | None


def stored(document: Document) -> Source:
    """Return the text file of the corpus, unchanged."""
    return source_of(document.text)


def extracted(document: Document) -> Source:
    """Return the text that this project extracts from the original, or from the text file if there is no original."""
    if document.orig is None:
        return source_of(extract(document.path.read_bytes(), name=document.path.name).text)
    try:
        return source_of(extract(original(document), name=name_of(document)).text)
    except ExtractionError:
        return Source("", None)


def dumped(document: Document) -> Source:
    """Return a plain dump of the original: markup with its tags removed, or the text layer of a PDF."""
    if document.orig is None:
        return stored(document)
    data = original(document)
    document_format = detect(data, name_of(document))
    if document_format == "pdf":
        import pypdfium2

        pages = (page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(data))
        return source_of("\n".join(pages))
    if document_format == "html":
        return source_of(lxml.html.document_fromstring(data).text_content())
    if document_format in ("jats", "tei", "docbook", "xml"):
        return source_of("".join(etree.fromstring(data, etree.XMLParser(recover=True, no_network=True)).itertext()))
    if document_format in ("text", "asciidoc", "markdown"):
        return source_of(data.decode("utf-8", "replace"))
    return stored(document)


def original(document: Document) -> bytes:
    """Return the original file of a document, decompressed."""
    assert document.orig is not None
    data = document.orig.read_bytes()
    return gzip.decompress(data) if document.orig.suffix == ".gz" else data


def name_of(document: Document) -> str:
    """Return the name of the original file before compression."""
    assert document.orig is not None
    return document.orig.name.removesuffix(".gz")


def source_of(text: str) -> Source:
    """Return a text with its fingerprint."""
    try:
        return Source(text, fingerprint(text))
    except NoTokenError:
        return Source(text, None)


def taken(take: Extractor, data: bytes) -> str:
    """Return the text that a library takes from a page. A library that fails gives no text."""
    try:
        return take(data)
    except Exception:
        return ""


def distance(a: Source, b: Source) -> int:
    """Return the distance of the fingerprints of two texts: all bits differ if one has no token."""
    return 64 if a.fingerprint is None or b.fingerprint is None else a.fingerprint.distance(b.fingerprint)
