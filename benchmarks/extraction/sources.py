"""The text of a document of the corpus, extracted in several ways."""

from __future__ import annotations

import gzip

import lxml.html
from lxml import etree

from benchmarks.calibration.corpus import Document
from simhash_doc import NoTokenError, fingerprint
from simhash_doc_extraction import ExtractionError, detect, extract

CLOSE, LOOSE = 3, 6  # bits


def stored(document: Document) -> str:
    """Return the text file of the corpus."""
    return document.text


def extracted(document: Document) -> str:
    """Return the text that this project extracts from the original, or from the text file if there is no original."""
    if document.orig is None:
        return extract(document.path.read_bytes(), name=document.path.name).text
    try:
        return extract(original(document), name=name_of(document)).text
    except ExtractionError:
        return ""


def dumped(document: Document) -> str:
    """Return a plain dump of the original: markup with its tags removed, or the text layer of a PDF."""
    if document.orig is None:
        return stored(document)
    data = original(document)
    document_format = detect(data, name_of(document))
    if document_format == "pdf":
        import pypdfium2

        pages = (page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(data))
        return "\n".join(pages)
    if document_format == "html":
        return str(lxml.html.document_fromstring(data).text_content())
    if document_format in ("jats", "tei", "docbook", "xml"):
        return "".join(etree.fromstring(data, etree.XMLParser(recover=True, no_network=True)).itertext())
    if document_format in ("text", "asciidoc", "markdown"):
        return data.decode("utf-8", "replace")
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


def distance(a: str, b: str) -> int:
    """Return the distance of the fingerprints of two texts: all bits differ if one has no token."""
    try:
        return fingerprint(a).distance(fingerprint(b))
    except NoTokenError:
        return 64
