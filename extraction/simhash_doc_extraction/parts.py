"""The parts of a document that is an archive of XML: DOCX, ODT and EPUB files.

Parts are only searched by name in the archive, so a name such as ../../etc/passwd finds nothing. All decompressed bytes
count against one budget, whatever sizes the archive declares and even if its entries overlap.

Parts in XML are read as a stream of events, in bounded memory. Expat, from the standard library, builds no tree, does
not recurse and fetches nothing. A document that declares an entity is rejected, so there is nothing to expand. DOCX,
ODT and EPUB files do not need entities.
"""

from __future__ import annotations

import io
import posixpath
import re
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import chain, groupby
from typing import NoReturn, Protocol
from urllib.parse import unquote
from xml.parsers import expat

from simhash_doc_extraction.base import (
    MOST_PART_TAGS,
    CorruptDocumentError,
    EncryptedDocumentError,
    LimitExceededError,
    Limits,
    check_tags,
    expanded_error,
)
from simhash_doc_extraction.encoding import decode
from simhash_doc_extraction.zip_directory import ENTRY, MAX_ENTRIES, READ_METHODS, ZIP_DAMAGE, hidden_members

_ENCRYPTED = 0x1
_UTF8_NAME = 0x800


class Parts:
    """The named parts of a document.

    Producers write backslashes, another case, percent signs and decomposed letters in names. A part is found by its
    exact name, or else by one that differs only in these.

    Attributes:
        limits: the limits of the document.
        left: bytes that may still be decompressed.
    """

    def __init__(self, load: Mapping[str, Callable[[Parts], bytes]], limits: Limits) -> None:
        self.limits = limits
        self.left = limits.expanded_bytes
        self._load = load
        self._names = {_folded(name): name for name in load} | {name: name for name in load}

    @classmethod
    def of_zip(cls, data: bytes, limits: Limits, losses: Losses) -> Parts:
        """Return the parts in a ZIP archive; of several with one name the last one, the others are losses.

        Raises:
            CorruptDocumentError: the archive cannot be opened.
            LimitExceededError: the archive has more than `MAX_ENTRIES` entries.
        """
        if (entries := data.count(ENTRY)) > MAX_ENTRIES:  # before zipfile creates an object per entry
            raise LimitExceededError(f"the archive has {entries:,} entries, over the limit of {MAX_ENTRIES:,}")
        try:
            source = io.BytesIO(data)
            archive = zipfile.ZipFile(source)
        except Exception as error:  # zipfile raises many kinds of errors for corrupt archives
            raise CorruptDocumentError(f"the ZIP archive cannot be opened: {error}") from error

        def loader(info: zipfile.ZipInfo) -> Callable[[Parts], bytes]:
            return lambda parts: parts._decompressed(archive, info)

        if hidden := hidden_members(source, archive):
            losses.add("damaged directory of the archive", hidden)
        found: dict[str, zipfile.ZipInfo] = {}
        for info in archive.infolist():
            name = _stored_name(info)
            if name in found and found[name].CRC != info.CRC:
                losses.add("parts with the name of another part not read", name)
            found[name] = info
        return cls({name: loader(info) for name, info in found.items()}, limits)

    @classmethod
    def of_contents(cls, contents: Mapping[str, bytes], limits: Limits) -> Parts:
        """Return parts that are in memory."""

        def loader(content: bytes) -> Callable[[Parts], bytes]:
            return lambda _: content

        return cls({name: loader(content) for name, content in contents.items()}, limits)

    def find(self, name: str) -> str | None:
        """Return the name of a part as it is stored, or None if there is no such part."""
        return self._names.get(name) or self._names.get(_folded(name))

    def __contains__(self, name: str) -> bool:
        return self.find(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._load)

    def read(self, name: str) -> bytes:
        """Return the content of a part.

        Raises:
            CorruptDocumentError: the part is missing, or differs from its entry in the archive.
            EncryptedDocumentError: the part needs a password.
            LimitExceededError: this part and those read before exceed `expanded_bytes`.
        """
        found = self.find(name)
        if found is None:
            raise CorruptDocumentError(f"the archive has no part {name!r}")
        return self._load[found](self)

    def _decompressed(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
        part = info.filename
        if info.flag_bits & _ENCRYPTED:
            raise EncryptedDocumentError(f"the part {part!r} is encrypted: save the document without a password")
        if info.compress_type not in READ_METHODS:
            raise CorruptDocumentError(
                f"part {part!r} uses compression method {info.compress_type}; 0 (none) and 8 (deflate) are supported"
            )
        over = f"decompressed up to the part {part!r}, the archive"
        if info.file_size > self.left:
            raise expanded_error(self.limits, over)
        pieces: list[bytes] = []
        try:
            with archive.open(info) as file:
                while self.left >= 0 and (piece := file.read(_PIECE)):
                    self.left -= len(piece)
                    pieces.append(piece)
        except (*ZIP_DAMAGE, OSError) as error:
            self.left -= min(_PIECE, info.file_size)  # of the piece in which the damage was found
            raise CorruptDocumentError(f"the part {part!r} cannot be read: {error}") from error
        if self.left < 0:
            raise expanded_error(self.limits, over)
        return b"".join(pieces)


def _stored_name(info: zipfile.ZipInfo) -> str:
    """Return the name of an entry. Without the flag for UTF-8, zipfile has decoded it as code page 437."""
    name = info.filename
    if not info.flag_bits & _UTF8_NAME and not name.isascii():
        try:
            return name.encode("cp437").decode("utf-8")
        except UnicodeError:
            pass
    return name


def _folded(name: str) -> str:
    """Return the common form of names that differ only in the way that they are written."""
    name = _composed(unquote(name).replace("\\", "/")).casefold()
    return posixpath.normpath("/" + name).lstrip("/")


def _composed(name: str) -> str:
    """Return the NFC of a name in linear time: `normalize` sorts the marks of a letter in quadratic time."""
    if not name.isascii():
        apart = "".join(unicodedata.normalize("NFD", character) for character in name)
        marked = groupby(apart, lambda character: unicodedata.combining(character) > 0)
        name = "".join(chain.from_iterable(sorted(run, key=unicodedata.combining) for _, run in marked))
    return unicodedata.normalize("NFC", name)


def resolved(base: str, href: str) -> str | None:
    """Return the name of the part that `href` in the part `base` refers to; None if it refers to another file."""
    address = href.strip().replace("\\", "/").translate(_REMOVED_IN_ADDRESSES)
    if _OTHER_FILE.match(address):
        return None
    path = _AFTER_PATH.split(address, 1)[0]
    if not path:
        return base
    folder = posixpath.join("/", posixpath.dirname(base))
    return posixpath.normpath(posixpath.join(folder, unquote(path))).lstrip("/")


_OTHER_FILE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE | re.ASCII)
_AFTER_PATH = re.compile("[?#]")
_REMOVED_IN_ADDRESSES = dict.fromkeys(map(ord, "\t\n\r"))


class Losses:
    """What of a document was not read. It is counted, so that a document of a thousand pictures has one warning."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    def add(self, kind: str, name: str) -> None:
        """Count `name`, such as that of a part, as a loss of a kind, such as "embedded objects not read"."""
        self._counts[kind] += 1
        self._first.setdefault(kind, name)

    def warnings(self) -> tuple[str, ...]:
        """Return a message for each kind, with its count and the first name."""
        return tuple(f"{kind}: {count:,} (first: {self._first[kind][:200]!r})" for kind, count in self._counts.items())


class NotWellFormedError(CorruptDocumentError):
    """A part is not well-formed XML."""


def elements(data: bytes, part: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the name and the attributes of each element in document order, both without namespaces.

    Raises:
        CorruptDocumentError: the XML is not well-formed, or declares an entity.
    """
    found: list[tuple[str, dict[str, str]]] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        found.append((local_name(tag), {local_name(key): value for key, value in attributes.items()}))

    parser = _parser(part)
    parser.StartElementHandler = start
    for _ in _parsed(parser, data, part):
        yield from found
        found.clear()


_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")


def repaired_elements(data: bytes, part: str) -> tuple[list[tuple[str, dict[str, str]]], tuple[str, ...]]:
    """Return the elements as `elements` does, and warnings. XML that is not well-formed is repaired.

    Raises:
        CorruptDocumentError: the XML declares an entity, or its end is missing.
    """
    try:
        found = list(elements(data, part))
        early = data.removeprefix(_BYTE_ORDER_MARK)[:1].isspace()
        return found, (f"repaired: the part {part!r} begins with white space",) if early else ()
    except NotWellFormedError as error:
        from lxml import etree  # in the extra `extract`

        from simhash_doc_extraction.xml import DECLARATION, resolve_html_entities

        text = DECLARATION.sub("", re.sub("^[^<]+", "", decode(data, markup=True)[0]), count=1)
        source = _CONTROL.sub("", resolve_html_entities(text)).encode("utf-8", "replace")
        parser = etree.XMLParser(recover=True, no_network=True, resolve_entities=False, remove_pis=True)
        root = None if b"<!ENTITY" in source or not source else etree.fromstring(source, parser)
        found = [
            (_without_prefix(element.tag), {_without_prefix(key): value for key, value in element.attrib.items()})
            for element in ([] if root is None else root.iter("*"))
        ]
        if not found or found[0][0].encode() not in source.rpartition(b"</")[2]:
            raise  # the end is missing, so nobody knows what else is
        return found, (f"repaired: {error.message}",)


def _without_prefix(name: str) -> str:
    return re.split("[}:]", name)[-1]  # a prefix that is not declared stays in a repaired tree


_PIECE = 1 << 16  # bytes that are decompressed or parsed at once
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Handler(Protocol):
    """Takes the events of XML. Names have the form "namespace local" or "local"."""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take the start of an element."""

    def end(self, tag: str) -> None:
        """Take its end."""

    def text(self, characters: str) -> None:
        """Take characters between tags."""

    def namespace(self, prefix: str | None, uri: str) -> None:
        """Take the declaration of a namespace, before the element that has it."""


def send_events(data: bytes, part: str, handler: Handler) -> None:
    """Parse XML, and call the handler for each event.

    Raises:
        CorruptDocumentError: the XML is not well-formed, or declares an entity.
    """
    parser = _parser(part)
    parser.StartElementHandler, parser.EndElementHandler = handler.start, handler.end
    parser.CharacterDataHandler, parser.StartNamespaceDeclHandler = handler.text, handler.namespace
    for _ in _parsed(parser, data, part):
        pass


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
    if data[:4].strip(b" \t\r\n" + _BYTE_ORDER_MARK) != data[:4]:
        data = data.removeprefix(_BYTE_ORDER_MARK).lstrip()  # spaces before the declaration are not XML
    check_tags(data.count(b"<"), f"the part {part!r}", MOST_PART_TAGS)
    try:
        for start in range(0, len(data), _PIECE):
            parser.Parse(data[start : start + _PIECE], False)
            yield
        parser.Parse(b"", True)
        yield
    except (expat.ExpatError, ValueError, LookupError) as error:  # the last two: unsupported encoding
        raise NotWellFormedError(f"the part {part!r} is not well-formed XML: {error}") from error


def local_name(tag: str) -> str:
    """Return the name of an element or attribute without its namespace."""
    return tag.rpartition(" ")[2]
