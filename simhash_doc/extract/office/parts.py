"""Reads untrusted ZIP archives: the parts of DOCX, ODT and EPUB files.

Parts are only searched by name in the archive, so a name such as ../../etc/passwd finds nothing. All decompressed bytes
count against one budget, whatever sizes the archive declares and even if its entries overlap.

Parts in XML are read as a stream of events, in bounded memory. Expat, from the standard library, builds no tree, does
not recurse and fetches nothing. A document that declares an entity is rejected, so there is nothing to expand. DOCX,
ODT and EPUB files do not need entities.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import NoReturn
from xml.parsers import expat

from simhash_doc.extract.errors import CorruptDocumentError, EncryptedDocumentError, LimitExceededError
from simhash_doc.extract.limits import Limits

MAX_ENTRIES = 20_000
"""Maximum number of entries in an archive. A book with a thousand chapters and pictures has a few thousand."""

_ENTRY = b"PK\x01\x02"
_ENCRYPTED = 0x1
_SUPPORTED_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class ZipArchive:
    """The parts of a ZIP archive, read within the limits of the document `name`.

    Raises:
        CorruptDocumentError: the archive cannot be opened.
        LimitExceededError: the archive has more than `MAX_ENTRIES` entries.
    """

    def __init__(self, data: bytes, *, name: str | None, limits: Limits) -> None:
        self._name, self._limits = name, limits
        self._left = limits.expanded_bytes
        if (entries := data.count(_ENTRY)) > MAX_ENTRIES:  # before zipfile creates an object per entry
            raise LimitExceededError(
                f"the archive has {entries:,} entries, over the limit of {MAX_ENTRIES:,}", name=name
            )
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except Exception as error:  # zipfile raises many kinds of errors for corrupt archives
            raise CorruptDocumentError(f"the ZIP archive cannot be opened: {error}", name=name) from error

    def __contains__(self, part: str) -> bool:
        return part in self._zip.NameToInfo

    def names(self) -> list[str]:
        """Return the names of all parts."""
        return self._zip.namelist()

    def read(self, part: str) -> bytes:
        """Return the content of a part.

        Raises:
            CorruptDocumentError: the part is missing, or differs from its entry in the archive.
            EncryptedDocumentError: the part needs a password.
            LimitExceededError: this part and those read before exceed `expanded_bytes`.
        """
        info = self._zip.NameToInfo.get(part)
        if info is None:
            raise CorruptDocumentError(f"the archive has no part {part!r}", name=self._name)
        if info.flag_bits & _ENCRYPTED:
            raise EncryptedDocumentError(
                f"the part {part!r} is encrypted: save the document without a password", name=self._name
            )
        if info.compress_type not in _SUPPORTED_METHODS:
            raise CorruptDocumentError(
                f"part {part!r} uses compression method {info.compress_type}; 0 (none) and 8 (deflate) are supported",
                name=self._name,
            )
        if info.file_size > self._left:
            raise self._over(part)
        try:
            with self._zip.open(info) as file:
                data = file.read(self._left + 1)
        except (
            zlib.error,
            zipfile.BadZipFile,
            EOFError,
            OSError,
            ValueError,
            NotImplementedError,
            RuntimeError,
        ) as error:
            raise CorruptDocumentError(f"the part {part!r} cannot be read: {error}", name=self._name) from error
        if len(data) > self._left:
            raise self._over(part)
        self._left -= len(data)
        return data

    def _over(self, part: str) -> LimitExceededError:
        return self._limits.expanded_error(f"decompressed up to the part {part!r}, the archive", self._name)


Start = Callable[[str, dict[str, str]], None]
_SEPARATOR = " "
_PIECE = 1 << 16  # bytes that are parsed at once


def parse_events(
    data: bytes,
    *,
    part: str,
    name: str | None,
    start: Start,
    end: Callable[[str], None] | None = None,
    text: Callable[[str], None] | None = None,
) -> None:
    """Parse XML, and call a function for each event. Names have the form "namespace local" or "local".

    Args:
        data: the XML.
        part: name of this part of the document, for messages.
        name: name of the document.
        start: called with the name and the attributes of each element.
        end: called with the name of each element at its end.
        text: called with character data, possibly in several pieces.

    Raises:
        CorruptDocumentError: the XML is not well-formed, or declares an entity.
    """

    parser = _parser(part, name)
    parser.StartElementHandler = start
    if end:
        parser.EndElementHandler = end
    if text:
        parser.CharacterDataHandler = text
    for _ in _parsed(parser, data, part, name):
        pass


def elements(data: bytes, *, part: str, name: str | None) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the name and the attributes of each element in document order, both without namespaces."""
    found: list[tuple[str, dict[str, str]]] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        found.append((local_name(tag), {local_name(key): value for key, value in attributes.items()}))

    parser = _parser(part, name)
    parser.StartElementHandler = start
    for _ in _parsed(parser, data, part, name):
        yield from found
        found.clear()


def _parser(part: str, name: str | None) -> expat.XMLParserType:
    def refuse_entity(entity: str, *_: object) -> NoReturn:
        raise CorruptDocumentError(
            f"the part {part!r} declares the entity {entity!r}: entities are not allowed in this format", name=name
        )

    parser = expat.ParserCreate(namespace_separator=_SEPARATOR)
    parser.buffer_text = True
    parser.EntityDeclHandler = refuse_entity
    return parser


def _parsed(parser: expat.XMLParserType, data: bytes, part: str, name: str | None) -> Iterator[None]:
    """Parse XML piece by piece; yield after each piece, so that what was found can be used and forgotten."""
    try:
        for start in range(0, len(data), _PIECE):
            parser.Parse(data[start : start + _PIECE], False)
            yield
        parser.Parse(b"", True)
        yield
    except (expat.ExpatError, ValueError, LookupError) as error:  # the last two: unsupported encoding
        raise CorruptDocumentError(f"the part {part!r} is not well-formed XML: {error}", name=name) from error


def local_name(tag: str) -> str:
    """Return a name without its namespace."""
    return tag.rpartition(_SEPARATOR)[2]
