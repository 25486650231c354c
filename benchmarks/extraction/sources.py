"""The text of a document of the corpus, taken in several ways."""

from __future__ import annotations

import gzip
from dataclasses import dataclass

import lxml.html
from lxml import etree

from benchmarks.calibration.corpus import Document
from simhash_doc import NoTokenError, fingerprint
from simhash_doc.extract import ExtractionError, detect, extract
from simhash_doc.value import Fingerprint


@dataclass(frozen=True, slots=True)
class Source:
    """A text and its fingerprint, with what the extraction said about it."""

    text: str
    fingerprint: Fingerprint | None
    notes: tuple[str, ...] = ()


def stored(document: Document) -> Source:
    """Return the corpus's text file as it is."""
    return _source(document.path.read_text(encoding="utf-8"))


def extracted(document: Document) -> Source:
    """Return what this project extracts from the original, or from the text file where there is no original."""
    if document.orig is None:
        return _source(extract(document.path.read_bytes(), name=document.path.name).text)
    try:
        found = extract(original(document), name=name_of(document))
    except ExtractionError as error:
        return Source("", None, (f"{error.reason}: {error}",))
    return _source(found.text, found.warnings)


def dumped(document: Document) -> Source:
    """Return a plain dump of the original: tags stripped, the text layer of a PDF as it comes."""
    if document.orig is None:
        return stored(document)
    data = original(document)
    medium = detect(data, name_of(document))
    if medium == "pdf":
        import pypdfium2

        pages = (page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(data))
        return _source("\n".join(pages))
    if medium == "html":
        return _source(lxml.html.document_fromstring(data).text_content())
    if medium in ("jats", "tei", "docbook", "xml"):
        return _source("".join(etree.fromstring(data, etree.XMLParser(recover=True, no_network=True)).itertext()))
    if medium in ("text", "asciidoc", "markdown"):
        return _source(data.decode("utf-8", "replace"))
    return stored(document)


def original(document: Document) -> bytes:
    """Return the file that a document came from, decompressed."""
    assert document.orig is not None
    data = document.orig.read_bytes()
    return gzip.decompress(data) if document.orig.suffix == ".gz" else data


def name_of(document: Document) -> str:
    """Return the name that the original had before it was compressed."""
    assert document.orig is not None
    return document.orig.name.removesuffix(".gz")


def _source(text: str, notes: tuple[str, ...] = ()) -> Source:
    try:
        return Source(text, fingerprint(text), notes)
    except NoTokenError:
        return Source(text, None, notes)
