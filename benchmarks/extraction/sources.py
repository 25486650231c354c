"""The text of a document of the corpus, extracted in several ways."""

from __future__ import annotations

import gzip
from dataclasses import dataclass

import lxml.html
from lxml import etree

from benchmarks.calibration.corpus import Document
from simhash_doc import NoTokenError, fingerprint
from simhash_doc.extract import ExtractionError, detect, extract
from simhash_doc.fingerprint import Fingerprint


@dataclass(frozen=True, slots=True)
class Source:
    """A text, its fingerprint (None without a token), and the warnings or the error of extraction."""

    text: str
    fingerprint: Fingerprint | None
    notes: tuple[str, ...] = ()


def stored(document: Document) -> Source:
    """Return the text file of the corpus, unchanged."""
    return _source(document.path.read_text(encoding="utf-8"))


def extracted(document: Document) -> Source:
    """Return the text that this project extracts from the original, or from the text file if there is no original."""
    if document.orig is None:
        return _source(extract(document.path.read_bytes(), name=document.path.name).text)
    try:
        found = extract(original(document), name=name_of(document))
    except ExtractionError as error:
        return Source("", None, (f"{error.code}: {error}",))
    return _source(found.text, found.warnings)


def dumped(document: Document) -> Source:
    """Return a plain dump of the original: markup with its tags removed, or the text layer of a PDF."""
    if document.orig is None:
        return stored(document)
    data = original(document)
    document_format = detect(data, name_of(document))
    if document_format == "pdf":
        import pypdfium2

        pages = (page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(data))
        return _source("\n".join(pages))
    if document_format == "html":
        return _source(lxml.html.document_fromstring(data).text_content())
    if document_format in ("jats", "tei", "docbook", "xml"):
        return _source("".join(etree.fromstring(data, etree.XMLParser(recover=True, no_network=True)).itertext()))
    if document_format in ("text", "asciidoc", "markdown"):
        return _source(data.decode("utf-8", "replace"))
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


def _source(text: str, notes: tuple[str, ...] = ()) -> Source:
    try:
        return Source(text, fingerprint(text), notes)
    except NoTokenError:
        return Source(text, None, notes)
