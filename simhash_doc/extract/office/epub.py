"""Reads EPUB: e-books of XHTML chapters, versions 2 and 3."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from simhash_doc.extract.errors import CorruptDocumentError, EncryptedDocumentError
from simhash_doc.extract.html.reader import read_part
from simhash_doc.extract.limits import Limits
from simhash_doc.extract.office.parts import ZipArchive, elements
from simhash_doc.extract.result import ExtractedText

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_CHAPTERS = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document", "application/x-dtbook+xml"})


@dataclass(frozen=True, slots=True)
class _Item:
    part: str
    media_type: str
    properties: frozenset[str]


def read(data: bytes, *, document_format: str, name: str | None, limits: Limits) -> ExtractedText:
    """Read an EPUB file: the chapters in the order of its spine, without the navigation document."""
    archive = ZipArchive(data, name=name, limits=limits)
    package = _package(archive, name)
    encrypted = _encrypted(archive, name)
    texts: list[str] = []
    warnings: list[str] = []
    for item in _spine(archive.read(package), package, name):
        if item.media_type not in _CHAPTERS or "nav" in item.properties:
            continue
        if item.part in encrypted:
            raise EncryptedDocumentError(
                "the chapters are encrypted (digital rights management): use an unprotected copy", name=name
            )
        if item.part in archive:
            texts.append(read_part(archive.read(item.part)))
        else:
            warnings.append(f"a chapter is missing: the archive has no part {item.part!r}")
    if warnings and not texts:
        raise CorruptDocumentError(f"the book has no chapter; {warnings[0]}", name=name)
    return ExtractedText("\n\n".join(text for text in texts if text), document_format, name, tuple(warnings))


def _package(archive: ZipArchive, name: str | None) -> str:
    """Return the name of the package document, the part that describes the book."""
    package = ""
    for tag, attributes in elements(archive.read(_CONTAINER), part=_CONTAINER, name=name):
        if tag == "rootfile" and not package:
            package = attributes.get("full-path", "")
    if package:
        return package
    raise CorruptDocumentError(f"the part {_CONTAINER!r} does not name a package document", name=name)


def _spine(package: bytes, part: str, name: str | None) -> list[_Item]:
    """Return the items of the book in reading order, each once."""
    items: dict[str, _Item] = {}
    order: dict[str, None] = {}
    for tag, attributes in elements(package, part=part, name=name):
        if tag == "item":
            items[attributes.get("id", "")] = _Item(
                _resolved(part, attributes.get("href", "")),
                attributes.get("media-type", ""),
                frozenset(attributes.get("properties", "").split()),
            )
        elif tag == "itemref":
            order[attributes.get("idref", "")] = None
    return [items[idref] for idref in order if idref in items]


def _resolved(base: str, href: str) -> str:
    """Return the name of the part that `href` in the part `base` refers to.

    A reference to the outside gives a string that is not the name of a part.
    """
    try:
        address = urlsplit(href)
    except ValueError:
        return href
    if address.scheme or address.netloc:
        return href
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), unquote(address.path)))


def _encrypted(archive: ZipArchive, name: str | None) -> set[str]:
    """Return the names of the encrypted parts. They can include fonts, which are often obfuscated and hold no text."""
    if _ENCRYPTION not in archive:
        return set()
    found = elements(archive.read(_ENCRYPTION), part=_ENCRYPTION, name=name)
    return {
        posixpath.normpath(unquote(attributes.get("URI", ""))) for tag, attributes in found if tag == "CipherReference"
    }
