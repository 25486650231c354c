"""XML as a stream of events, in bounded memory: for the parts of office documents, which need no tree.

Expat, of the standard library, builds nothing, recurses nowhere and fetches nothing. A document that declares an entity
is refused, which leaves nothing to expand; no part of DOCX, ODT or EPUB files needs one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NoReturn
from xml.parsers import expat

from simhash_doc.extract.errors import Damaged

Start = Callable[[str, dict[str, str]], None]
_SEPARATOR = " "


def parse(
    data: bytes,
    *,
    part: str,
    name: str | None,
    start: Start,
    end: Callable[[str], None] | None = None,
    text: Callable[[str], None] | None = None,
) -> None:
    """Call `start`, `end` and `text` for what is in the XML `data`. Names are "namespace local" or "local".

    Raises:
        Damaged: it is not well-formed, or declares an entity; `part` says where.
    """

    def refuse_entity(entity: str, *_: object) -> NoReturn:
        raise Damaged(
            f"the part {part!r} declares the entity {entity!r}, which no document of its kind needs", name=name
        )

    parser = expat.ParserCreate(namespace_separator=_SEPARATOR)
    parser.buffer_text = True
    parser.EntityDeclHandler = refuse_entity
    parser.StartElementHandler = start
    if end:
        parser.EndElementHandler = end
    if text:
        parser.CharacterDataHandler = text
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as error:  # ValueError, LookupError: an encoding it cannot take
        raise Damaged(f"the part {part!r} is not well-formed XML: {error}", name=name) from error


def elements(data: bytes, *, part: str, name: str | None) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the local name and the attributes of each element, in order. Attributes lose their namespaces too."""
    found: list[tuple[str, dict[str, str]]] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        found.append((local(tag), {local(key): value for key, value in attributes.items()}))

    parse(data, part=part, name=name, start=start)
    yield from found


def local(tag: str) -> str:
    """Return a name without its namespace."""
    return tag.rpartition(_SEPARATOR)[2]
