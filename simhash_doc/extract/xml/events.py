"""Reads XML as a stream of events, in bounded memory: for the parts of office documents.

Expat, from the standard library, builds no tree, does not recurse and fetches nothing. A document that declares an
entity is rejected, so there is nothing to expand. DOCX, ODT and EPUB files do not need entities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NoReturn
from xml.parsers import expat

from simhash_doc.extract.errors import CorruptDocumentError

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
