"""XML without its dangers: no network, no external entity, no expansion without bound."""

from __future__ import annotations

import re
from html.entities import html5

from lxml import etree

from simhash_doc.extract.decoding import decode
from simhash_doc.extract.errors import Damaged, OverLimit

_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]*);")
_DECLARED_ENTITY = re.compile(r"<!ENTITY\s+(?!%)(\S+)")
_REFERENCE = re.compile(rb"&#(?:x([0-9a-fA-F]{1,9})|([0-9]{1,9}));?")
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_XML_ENTITIES = frozenset({"amp", "lt", "gt", "quot", "apos"})


def parse_xml(data: bytes, *, name: str | None) -> tuple[etree._Element, tuple[str, ...]]:
    """Return the root of an XML document, and warnings. Repairs what is not well-formed as far as it can.

    Entities of HTML, such as `&nbsp;`, are known without their DTD. Those that the document declares itself are
    expanded within libxml2's bound on amplification; external ones are never read.
    """
    text, _ = decode(data, markup=True)
    source = without_entities_of_html(_DECLARATION.sub("", text, count=1)).encode("utf-8", "replace")
    warnings: tuple[str, ...] = ()
    try:
        root = etree.fromstring(source, _parser(recover=False))
    except etree.XMLSyntaxError as error:
        message = error.msg or "not well-formed"
        if _refused(message):
            raise OverLimit(f"XML refused: {message}", name=name) from error
        warnings = (f"not well-formed XML, repaired: {message}",)
        found = _repaired(source)
        if found is None:
            raise Damaged(f"not well-formed XML: {message}", name=name) from error
        root = found
    return root, warnings


def without_entities_of_html(text: str) -> str:
    """Replace the entities that XML gets from a DTD, such as `&nbsp;`, but for those that the document declares itself.

    A parser that does not read the DTD would leave them out without a word.
    """
    own = set(_DECLARED_ENTITY.findall(text[:100_000])) if "<!ENTITY" in text else set()

    def known(found: re.Match[str]) -> str:
        if found[1] in own or found[1] in _XML_ENTITIES:
            return found[0]
        characters = html5.get(f"{found[1]};")
        return "".join(f"&#{ord(character)};" for character in characters) if characters else found[0]

    return _ENTITY.sub(known, text)


def _repaired(source: bytes) -> etree._Element | None:
    """Parse what is not well-formed: as XML, or as HTML where recovery of XML gives up early and loses text."""
    source = _REFERENCE.sub(_character, source)  # in recovery, libxml2 would make ill-formed UTF-8 of some
    trees = []
    for parser in (_parser(recover=True), etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True)):
        try:
            tree = etree.fromstring(source, parser)
        except etree.XMLSyntaxError:
            tree = None
        trees.append((0 if tree is None else sum(map(len, tree.itertext())), tree))
    (length, recovered), (html_length, html) = trees
    return html if html_length > 1.25 * length else recovered


def _character(found: re.Match[bytes]) -> bytes:
    """Return a reference to a character as it is, if XML has such a character; otherwise U+FFFD."""
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


def _refused(message: str) -> bool:
    return any(
        word in message.lower()
        for word in ("amplification", "excessive depth", "entity loop", "entity reference loop", "huge")
    )


def local(element: etree._Element) -> str:
    """Return the name of an element without its namespace; "" for what is no element."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
