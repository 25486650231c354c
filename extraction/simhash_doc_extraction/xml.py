"""Parses XML: without network access, without external entities, and without unbounded expansion.

What refers to an external entity, or to one that nothing defines, is counted in a warning.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html.entities import html5

from lxml import etree

from simhash_doc_extraction.base import CorruptDocumentError, LimitExceededError, check_tags
from simhash_doc_extraction.encoding import decoded

_ENTITY = re.compile(r"<!--|<!\[CDATA\[|<\?|&([A-Za-z_:][\w.:-]*);")
_ENDS = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}
_DECLARED_ENTITY = re.compile(
    r"""<!ENTITY\s+([^\s%]\S*)\s+(?:(?:SYSTEM|PUBLIC\s+(?:"[^"]*"|'[^']*'))\s*(?:"([^"]*)"|'([^']*)'))?"""
)
_REFERENCE = re.compile(rb"&#(?:x([0-9a-fA-F]{1,9})|([0-9]{1,9}));?")
DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_XML_ENTITIES = frozenset({"amp", "lt", "gt", "quot", "apos"})


def parse_xml(data: bytes) -> tuple[etree._Element, tuple[str, ...]]:
    """Return the root of an XML document, and warnings. XML that is not well-formed is repaired where possible.

    Entities of HTML, such as `&nbsp;`, need no DTD. Entities that the document declares are expanded
    within the limit of libxml2 on amplification. External entities are never read: warnings count them.

    Raises:
        CorruptDocumentError: the document is not well-formed and cannot be repaired.
        LimitExceededError: entities expand too far, or elements nest too deeply for libxml2.
    """
    text, _, guessed = decoded(data, markup=True)
    check_tags(text.count("<"), "the XML")
    entities = _Entities(text)
    source = _with_references(DECLARATION.sub("", text, count=1), entities.replacement).encode("utf-8", "replace")
    warnings = entities.warnings()
    try:
        root = _parse_strictly(source)
    except etree.XMLSyntaxError as error:
        message = error.msg or "not well-formed"
        if _is_limit(message):
            raise LimitExceededError(f"the XML is over a limit of its parser: {message}") from error
        warnings = (f"not well-formed XML, repaired: {message}", *warnings)
        found = _parse_leniently(source)
        if found is None:
            raise CorruptDocumentError(f"not well-formed XML: {message}") from error
        root = found
    return root, (*guessed, *warnings)


def parse_strictly(text: str) -> etree._Element | None:
    """Return the root of XML such as XHTML, or None if it is not well-formed or over a limit of the parser."""
    try:
        return _parse_strictly(resolve_html_entities(text).encode("utf-8", "replace"))
    except etree.XMLSyntaxError:
        return None


def _parse_strictly(source: bytes) -> etree._Element:
    try:
        return etree.fromstring(source, _parser(source, recover=False))
    except etree.XMLSyntaxError as error:
        if error.code == etree.ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError from error  # such a document is not to be repaired
        raise


def resolve_html_entities(text: str) -> str:
    """Replace the entities of HTML, such as `&nbsp;`, except those that the document itself declares.

    A parser that does not read the DTD would silently leave them out.
    """
    own = {found[1] for found in _DECLARED_ENTITY.finditer(text)} if "<!ENTITY" in text else set()
    return _with_references(text, lambda name: None if name in own else _html_entity(name))


def _html_entity(name: str) -> str | None:
    """Return the characters of an entity of HTML as references, or None if there is none."""
    characters = html5.get(f"{name};")
    return "".join(f"&#{ord(character)};" for character in characters) if characters else None


def _with_references(text: str, replacement: Callable[[str], str | None]) -> str:
    """Replace references to entities, except in comments and in sections of characters.

    Args:
        text: XML.
        replacement: returns what a name stands for, or None to leave the reference as it is.
    """
    if "&" not in text:
        return text
    pieces: list[str] = []
    done = position = 0
    unclosed: set[str] = set()  # what has no end is not searched again: that would take quadratic time
    while found := _ENTITY.search(text, position):
        position = found.end()
        if found[1] is None:
            end = -1 if found[0] in unclosed else text.find(_ENDS[found[0]], position)
            if end < 0:
                unclosed.add(found[0])
            else:
                position = end
        elif found[1] not in _XML_ENTITIES and (characters := replacement(found[1])) is not None:
            pieces += text[done : found.start()], characters
            done = position
    return "".join(pieces) + text[done:]


class _Entities:
    """The entities of a document, and the references to those that are not read."""

    def __init__(self, text: str) -> None:
        self._own: set[str] = set()
        self._external: dict[str, str] = {}
        self._counts: dict[str, list[str]] = {}
        if "<!ENTITY" in text:
            for found in _DECLARED_ENTITY.finditer(text):
                address = found[2] if found[3] is None else found[3]
                if address is None:
                    self._own.add(found[1])
                else:
                    self._external.setdefault(found[1], address)

    def replacement(self, name: str) -> str | None:
        """Return what a reference stands for; None if the parser expands it. What is not read stands for nothing."""
        if name in self._own:
            return None
        if name in self._external:
            self._counts.setdefault("entities in other files not read", []).append(self._external[name])
        elif characters := _html_entity(name):
            return characters
        else:
            self._counts.setdefault("entities without a definition not read", []).append(name)
        return ""

    def warnings(self) -> tuple[str, ...]:
        """Return a message for each kind of references that are not read."""
        return tuple(f"{kind}: {len(names):,} (first: {names[0][:200]!r})" for kind, names in self._counts.items())


def _parse_leniently(source: bytes) -> etree._Element | None:
    """Parse XML that is not well-formed: as XML, or as HTML if the recovery of XML loses much text."""
    source = _REFERENCE.sub(_valid_reference, source)  # recovery in libxml2 turns some into ill-formed UTF-8
    trees = []
    html = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, huge_tree=True)
    for parser in (_parser(source, recover=True), html):
        try:
            tree = etree.fromstring(source, parser)
        except etree.XMLSyntaxError:
            tree = None
        trees.append((0 if tree is None else sum(map(len, tree.itertext())), tree, parser))
    _, tree, parser = max(trees, key=lambda found: found[0] / (1.25 if found[2] is html else 1))
    for entry in parser.error_log:
        if _is_limit(entry.message):
            raise LimitExceededError(f"the XML is over a limit of its parser: {entry.message}")
    return tree


def _valid_reference(found: re.Match[bytes]) -> bytes:
    """Return a character reference unchanged if XML allows the character, otherwise U+FFFD."""
    code = int(found[1], 16) if found[1] else int(found[2])
    allowed = code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0x10000 <= code < 0x110000
    return found[0] if allowed else b"\xef\xbf\xbd"


def _parser(source: bytes, *, recover: bool) -> etree.XMLParser:
    """Return a parser without limits on length and depth, unless the document declares entities: they can expand."""
    return etree.XMLParser(
        encoding="utf-8",
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        resolve_entities="internal",
        huge_tree=b"<!ENTITY" not in source,
        recover=recover,
        remove_comments=True,
        remove_pis=True,
    )


def _is_limit(message: str) -> bool:
    """Return True if a message of libxml2 reports that the document exceeds a limit of the parser."""
    return any(
        word in message.lower()
        for word in ("amplification", "excessive depth", "entity loop", "entity reference loop", "huge")
    )
