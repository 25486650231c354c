"""Reads office documents and e-books: DOCX, ODT and EPUB files, which are ZIP archives of XML.

Parts are only searched by name in the archive, so a name such as ../../etc/passwd finds nothing. All decompressed bytes
count against one budget, whatever sizes the archive declares and even if its entries overlap.

Parts in XML are read as a stream of events, in bounded memory. Expat, from the standard library, builds no tree, does
not recurse and fetches nothing. A document that declares an entity is rejected, so there is nothing to expand. DOCX,
ODT and EPUB files do not need entities.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NoReturn
from urllib.parse import unquote, urlsplit
from xml.parsers import expat

from simhash_doc.extract.base import (
    CorruptDocumentError,
    EncryptedDocumentError,
    ExtractedText,
    LimitExceededError,
    Limits,
)
from simhash_doc.extract.detect import decode
from simhash_doc.extract.text_builder import TextBuilder

MAX_ENTRIES = 20_000
"""Maximum number of entries in an archive. A book with a thousand chapters and pictures has a few thousand."""

_ENTRY = b"PK\x01\x02"
_ENCRYPTED = 0x1
_SUPPORTED_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class ZipArchive:
    """The parts of a ZIP archive, read within the limits of a document.

    Raises:
        CorruptDocumentError: the archive cannot be opened.
        LimitExceededError: the archive has more than `MAX_ENTRIES` entries.
    """

    def __init__(self, data: bytes, limits: Limits) -> None:
        self._limits = limits
        self._left = limits.expanded_bytes
        if (entries := data.count(_ENTRY)) > MAX_ENTRIES:  # before zipfile creates an object per entry
            raise LimitExceededError(f"the archive has {entries:,} entries, over the limit of {MAX_ENTRIES:,}")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except Exception as error:  # zipfile raises many kinds of errors for corrupt archives
            raise CorruptDocumentError(f"the ZIP archive cannot be opened: {error}") from error

    def __contains__(self, part: str) -> bool:
        return part in self._zip.NameToInfo

    def read(self, part: str) -> bytes:
        """Return the content of a part.

        Raises:
            CorruptDocumentError: the part is missing, or differs from its entry in the archive.
            EncryptedDocumentError: the part needs a password.
            LimitExceededError: this part and those read before exceed `expanded_bytes`.
        """
        info = self._zip.NameToInfo.get(part)
        if info is None:
            raise CorruptDocumentError(f"the archive has no part {part!r}")
        if info.flag_bits & _ENCRYPTED:
            raise EncryptedDocumentError(f"the part {part!r} is encrypted: save the document without a password")
        if info.compress_type not in _SUPPORTED_METHODS:
            raise CorruptDocumentError(
                f"part {part!r} uses compression method {info.compress_type}; 0 (none) and 8 (deflate) are supported"
            )
        if info.file_size > self._left:
            raise self._over(part)
        try:
            with self._zip.open(info) as file:
                data = file.read(self._left + 1)
        except (zlib.error, zipfile.BadZipFile, EOFError, OSError, ValueError, RuntimeError) as error:
            raise CorruptDocumentError(f"the part {part!r} cannot be read: {error}") from error
        if len(data) > self._left:
            raise self._over(part)
        self._left -= len(data)
        return data

    def _over(self, part: str) -> LimitExceededError:
        return self._limits.expanded_error(f"decompressed up to the part {part!r}, the archive")


def elements(data: bytes, part: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the name and the attributes of each element in document order, both without namespaces.

    Raises:
        CorruptDocumentError: the XML is not well-formed, or declares an entity.
    """
    found: list[tuple[str, dict[str, str]]] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        found.append((_local_name(tag), {_local_name(key): value for key, value in attributes.items()}))

    parser = _parser(part)
    parser.StartElementHandler = start
    for _ in _parsed(parser, data, part):
        yield from found
        found.clear()


_PIECE = 1 << 16  # bytes that are parsed at once


def _parser(part: str) -> expat.XMLParserType:
    """Return a parser for which names have the form "namespace local" or "local"."""

    def refuse_entity(entity: str, *_: object) -> NoReturn:
        raise CorruptDocumentError(
            f"the part {part!r} declares the entity {entity!r}: entities are not allowed in this format"
        )

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.EntityDeclHandler = refuse_entity
    return parser


def _parsed(parser: expat.XMLParserType, data: bytes, part: str) -> Iterator[None]:
    """Parse XML piece by piece; yield after each piece, so that what was found can be used and forgotten."""
    try:
        for start in range(0, len(data), _PIECE):
            parser.Parse(data[start : start + _PIECE], False)
            yield
        parser.Parse(b"", True)
        yield
    except (expat.ExpatError, ValueError, LookupError) as error:  # the last two: unsupported encoding
        raise CorruptDocumentError(f"the part {part!r} is not well-formed XML: {error}") from error


def _local_name(tag: str) -> str:
    return tag.rpartition(" ")[2]


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """What the elements of a format mean.

    Attributes:
        blocks: elements that end a block of text.
        dropped: elements that are not text, each with the end of its namespace.
        spaces: elements that stand for characters.
        space_namespaces: the ends of their namespaces.
        texts: elements whose content is text; no other content is.
        text_namespaces: the ends of their namespaces.
    """

    blocks: frozenset[str]
    dropped: dict[str, str]
    spaces: dict[str, str]
    space_namespaces: tuple[str, ...]
    texts: frozenset[str]
    text_namespaces: tuple[str, ...] = ("",)


_WORDPROCESSING = ("/wordprocessingml/2006/main", "/wordprocessingml/main")  # transitional and strict
_DOCX = _Vocabulary(
    blocks=frozenset({"p", "tc", "tr", "tbl", "txbxContent", "footnote", "endnote"}),
    # moveFrom: the old place of moved text. Fallback: a duplicate for old readers. rt: ruby annotations.
    dropped=dict.fromkeys(("moveFrom", "Fallback", "rt", "pPr", "rPr", "sectPr"), ""),
    spaces={"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011", "softHyphen": "\u00ad"},
    space_namespaces=_WORDPROCESSING,
    texts=frozenset({"t"}),
    text_namespaces=(*_WORDPROCESSING, "/officeDocument/2006/math", "/officeDocument/math"),
)
_SVG = ":xmlns:svg-compatible:1.0"
_ODT = _Vocabulary(
    blocks=frozenset({"p", "h", "list-item", "table-cell", "table-row", "note", "note-body", "text-box", "section"}),
    # tracked-changes: deleted text. note-citation: numbers of notes. ruby-text: ruby annotations.
    dropped=dict.fromkeys(
        "tracked-changes annotation annotation-end note-citation ruby-text forms scripts font-face-decls "
        "automatic-styles sequence-decls variable-decls user-field-decls table-of-content-source "
        "index-title-template page-number page-count script event-listeners".split(),
        "",
    )
    # svg:title and svg:desc describe a picture and are not text; text:title is a field and is text.
    | {"title": _SVG, "desc": _SVG},
    spaces={"s": " ", "tab": "\t", "line-break": "\n"},
    space_namespaces=(":xmlns:text:1.0",),
    texts=frozenset({"p", "h"}),
)


def _add_text(data: bytes, part: str, vocabulary: _Vocabulary, builder: TextBuilder) -> None:
    """Add the text of a part, in blocks."""
    dropped_depth = text_depth = 0

    @lru_cache(maxsize=1024)
    def meaning_of(tag: str) -> tuple[bool, bool, bool, str]:
        """Return whether an element is dropped, ends a block, and holds text; and the characters it stands for."""
        namespace, _, name = tag.rpartition(" ")
        is_dropped = name in vocabulary.dropped and namespace.endswith(vocabulary.dropped[name])
        is_text = name in vocabulary.texts and namespace.endswith(vocabulary.text_namespaces)
        space = vocabulary.spaces.get(name, "") if namespace.endswith(vocabulary.space_namespaces) else ""
        return is_dropped, name in vocabulary.blocks, is_text, space

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal dropped_depth, text_depth
        is_dropped, is_block, is_text, space = meaning_of(tag)
        if dropped_depth or is_dropped:
            dropped_depth += 1
            return
        if is_block:
            builder.end_block()
        text_depth += is_text
        builder.add(space)

    def end(tag: str) -> None:
        nonlocal dropped_depth, text_depth
        if dropped_depth:
            dropped_depth -= 1
            return
        _, is_block, is_text, _ = meaning_of(tag)
        if is_block:
            builder.end_block()
        text_depth -= is_text

    def text(characters: str) -> None:
        if text_depth and not dropped_depth:
            builder.add(characters)

    parser = _parser(part)
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
    for _ in _parsed(parser, data, part):
        pass


_MAIN = "/officeDocument"
_NOTES = ("/footnotes", "/endnotes")


def read_docx(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read a DOCX file: body, tables and text boxes, then footnotes and endnotes. Tracked changes count as accepted.

    WordprocessingML (ECMA-376), transitional and strict. Headers, footers, comments and field codes are left out. Files
    and addresses that the document names are not opened.
    """
    archive = ZipArchive(data, limits)
    main = _targets(archive, "_rels/.rels", "", (_MAIN,))
    if not main:
        raise CorruptDocumentError("the DOCX file has no main document: its part _rels/.rels does not name one")
    builder = TextBuilder()
    folder, file = posixpath.split(main[0])
    notes = _targets(archive, posixpath.join(folder, "_rels", f"{file}.rels"), folder, _NOTES)
    _add_text(archive.read(main[0]), main[0], _DOCX, builder)
    for part in notes:
        if part in archive:
            _add_text(archive.read(part), part, _DOCX, builder)
    warnings = tuple(f"notes are missing: the archive has no part {part!r}" for part in notes if part not in archive)
    return ExtractedText(builder.text(), document_format, warnings=warnings)


def _targets(archive: ZipArchive, relations: str, folder: str, kinds: tuple[str, ...]) -> list[str]:
    """Return the parts that relationships of the given kinds refer to. External relationships are skipped."""
    if relations not in archive:
        return []
    found: dict[str, str] = {}
    for tag, attributes in elements(archive.read(relations), relations):
        kind = "/" + attributes.get("Type", "").rpartition("/")[2]
        if tag == "Relationship" and kind in kinds and attributes.get("TargetMode", "Internal") != "External":
            target = posixpath.normpath(posixpath.join("/", folder, unquote(attributes.get("Target", ""))))
            found.setdefault(kind, target.lstrip("/"))
    return [found[kind] for kind in kinds if kind in found]


_CONTENT = "content.xml"
_MANIFEST = "META-INF/manifest.xml"


def read_odt(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read an ODT file: body, tables, text boxes, and notes at their marks. Tracked changes count as accepted.

    OASIS OpenDocument 1.0 to 1.4.
    """
    archive = ZipArchive(data, limits)
    manifest = elements(archive.read(_MANIFEST), _MANIFEST) if _MANIFEST in archive else ()
    if any(tag == "encryption-data" for tag, _ in manifest):
        raise EncryptedDocumentError("the document is encrypted: save it without a password")
    if _CONTENT not in archive:
        raise CorruptDocumentError(f"the ODT file has no text: the archive has no part {_CONTENT!r}")
    builder = TextBuilder()
    _add_text(archive.read(_CONTENT), _CONTENT, _ODT, builder)
    return ExtractedText(builder.text(), document_format)


_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_CHAPTERS = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document", "application/x-dtbook+xml"})


def read_epub(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read an EPUB file, version 2 or 3: the chapters in the order of its spine, without the navigation document."""
    from simhash_doc.extract.html.reader import read_part

    archive = ZipArchive(data, limits)
    package = _package(archive)
    encrypted = _encrypted(archive)
    texts: list[str] = []
    warnings: list[str] = []
    for part in _chapters(archive.read(package), package):
        if part in encrypted:
            raise EncryptedDocumentError(
                "the chapters are encrypted (digital rights management): use an unprotected copy"
            )
        if part not in archive:
            warnings.append(f"a chapter is missing: the archive has no part {part!r}")
            continue
        chapter = archive.read(part)
        if "\0" in decode(chapter, markup=True)[0]:
            warnings.append(f"a chapter cannot be read: the part {part!r} is not text")
            continue
        texts.append(read_part(chapter))
    if warnings and not texts:
        raise CorruptDocumentError(f"the book has no chapter; {warnings[0]}")
    return ExtractedText("\n\n".join(text for text in texts if text), document_format, warnings=tuple(warnings))


def _package(archive: ZipArchive) -> str:
    """Return the name of the package document, the part that describes the book."""
    package = ""
    for tag, attributes in elements(archive.read(_CONTAINER), _CONTAINER):
        if tag == "rootfile" and not package:
            package = attributes.get("full-path", "")
    if package:
        return package
    raise CorruptDocumentError(f"the part {_CONTAINER!r} does not name a package document")


def _chapters(package: bytes, part: str) -> list[str]:
    """Return the names of the chapters in reading order, each once."""
    items: dict[str, dict[str, str]] = {}
    order: dict[str, None] = {}
    for tag, attributes in elements(package, part):
        if tag == "item":
            items[attributes.get("id", "")] = attributes
        elif tag == "itemref":
            order[attributes.get("idref", "")] = None
    chapters = [items[idref] for idref in order if idref in items and items[idref].get("media-type") in _CHAPTERS]
    texts = [item for item in chapters if "nav" not in item.get("properties", "").split()]
    return [_resolved(part, item.get("href", "")) for item in texts]


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


def _encrypted(archive: ZipArchive) -> set[str]:
    """Return the names of the encrypted parts. They can include fonts, which are often obfuscated and hold no text."""
    if _ENCRYPTION not in archive:
        return set()
    found = elements(archive.read(_ENCRYPTION), _ENCRYPTION)
    return {
        posixpath.normpath(unquote(attributes.get("URI", ""))) for tag, attributes in found if tag == "CipherReference"
    }
