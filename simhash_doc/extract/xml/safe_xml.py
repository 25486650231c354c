"""Parses untrusted XML: no network access, no external entities, no unbounded expansion."""

from __future__ import annotations

import re
from html.entities import html5

from lxml import etree

from simhash_doc.extract.charset import decode
from simhash_doc.extract.errors import CorruptDocumentError, LimitExceededError

_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]*);")
_DECLARED_ENTITY = re.compile(r"<!ENTITY\s+(?!%)(\S+)")
_REFERENCE = re.compile(rb"&#(?:x([0-9a-fA-F]{1,9})|([0-9]{1,9}));?")
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_XML_ENTITIES = frozenset({"amp", "lt", "gt", "quot", "apos"})


def parse_xml(data: bytes, *, name: str | None) -> tuple[etree._Element, tuple[str, ...]]:
    """Return the root of an XML document, and warnings. XML that is not well-formed is repaired where possible.

    Entities of HTML, such as `&nbsp;`, need no DTD. Entities that the document declares are expanded
    within the limit of libxml2 on amplification. External entities are never read.

    Raises:
        CorruptDocumentError: the document is not well-formed and cannot be repaired.
        LimitExceededError: entities expand too far, or elements nest too deeply for libxml2.
    """
    text, _ = decode(data, markup=True)
    source = resolve_html_entities(_DECLARATION.sub("", text, count=1)).encode("utf-8", "replace")
    warnings: tuple[str, ...] = ()
    try:
        root = etree.fromstring(source, _parser(recover=False))
    except etree.XMLSyntaxError as error:
        reject_lack_of_memory(error)
        message = error.msg or "not well-formed"
        if _is_limit(message):
            raise LimitExceededError(f"the XML is over a limit of its parser: {message}", name=name) from error
        warnings = (f"not well-formed XML, repaired: {message}",)
        found = _parse_leniently(source)
        if found is None:
            raise CorruptDocumentError(f"not well-formed XML: {message}", name=name) from error
        root = found
    return root, warnings


def resolve_html_entities(text: str) -> str:
    """Replace the entities of HTML, such as `&nbsp;`, except those that the document itself declares.

    A parser that does not read the DTD would silently leave them out.
    """
    own = set(_DECLARED_ENTITY.findall(text[:100_000])) if "<!ENTITY" in text else set()

    def known(found: re.Match[str]) -> str:
        if found[1] in own or found[1] in _XML_ENTITIES:
            return found[0]
        characters = html5.get(f"{found[1]};")
        return "".join(f"&#{ord(character)};" for character in characters) if characters else found[0]

    return _ENTITY.sub(known, text)


def _parse_leniently(source: bytes) -> etree._Element | None:
    """Parse XML that is not well-formed: as XML, or as HTML if the recovery of XML loses much text."""
    source = _REFERENCE.sub(_valid_reference, source)  # recovery in libxml2 turns some into ill-formed UTF-8
    trees = []
    for parser in (_parser(recover=True), etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True)):
        try:
            tree = etree.fromstring(source, parser)
        except etree.XMLSyntaxError:
            tree = None
        trees.append((0 if tree is None else sum(map(len, tree.itertext())), tree))
    (length, recovered), (html_length, html) = trees
    return html if html_length > 1.25 * length else recovered


def _valid_reference(found: re.Match[bytes]) -> bytes:
    """Return a character reference unchanged if XML allows the character, otherwise U+FFFD."""
    code = int(found[1], 16) if found[1] else int(found[2])
    allowed = code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0x10000 <= code < 0x110000
    return found[0] if allowed else b"\xef\xbf\xbd"


def _parser(*, recover: bool) -> etree.XMLParser:
    return etree.XMLParser(
        encoding="utf-8",
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        resolve_entities="internal",
        huge_tree=False,
        recover=recover,
        remove_comments=True,
        remove_pis=True,
    )


def reject_lack_of_memory(error: etree.XMLSyntaxError) -> None:
    """Raise MemoryError if a document could not be parsed for lack of memory: it is not to be repaired."""
    if error.code == etree.ErrorTypes.ERR_NO_MEMORY:
        raise MemoryError from error


def _is_limit(message: str) -> bool:
    """Return True if a message of libxml2 reports that the document exceeds a limit of the parser."""
    return any(
        word in message.lower()
        for word in ("amplification", "excessive depth", "entity loop", "entity reference loop", "huge")
    )


def local_name(element: etree._Element) -> str:
    """Return the name of an element without its namespace, or "" for a node that is not an element."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
