"""Parses web pages."""

from __future__ import annotations

import re

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, XHTMLParser, document_fromstring, xhtml_to_html

from simhash_doc.extract.charset import decode
from simhash_doc.extract.html.attributes import check_attributes
from simhash_doc.extract.html.frames import show_components
from simhash_doc.extract.html.noscript import show_noscript
from simhash_doc.extract.xml.safe_xml import reject_lack_of_memory, resolve_html_entities

_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_IN_HEAD = frozenset("base basefont bgsound link meta noframes noscript script style template title".split())


def parse_page(data: bytes, *, declared: str | None = None) -> HtmlElement | None:
    """Return the body of a page, parsed as XHTML or as HTML, or None if it has no element.

    Args:
        data: the page.
        declared: label of the encoding that the transport declares.
    """
    text, _ = decode(data, declared=declared, markup=True)
    xhtml = _DECLARATION.search(text) or 'xmlns="http://www.w3.org/1999/xhtml"' in text[:4096]
    text = _DECLARATION.sub("", text, count=1)
    check_attributes(text, xhtml=bool(xhtml))
    root = _parse_xhtml(resolve_html_entities(text).encode("utf-8", "replace")) if xhtml else None
    if root is None:
        source = text.encode("utf-8", "replace")
        try:
            root = document_fromstring(
                source, parser=HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
            )
        except etree.ParserError:
            return None
    _end_head(root)
    body = root.find(".//body")
    body = root if body is None else body
    show_noscript(body)
    show_components(body)
    return body


def _end_head(root: HtmlElement) -> None:
    """Move what does not belong in a head to the body, as browsers do.

    If a page leaves out the tags of its head and body, libxml2 takes elements that are newer than HTML 4 for a part of
    the head, such as `main`.
    """
    head = root.find("head")
    if head is None:
        return
    children = list(head)
    first = next((number for number, child in enumerate(children) if child.tag not in _IN_HEAD), len(children))
    if first == len(children):
        return
    body = root.find("body")
    if body is None:
        body = root.makeelement("body")
        root.append(body)
    children[-1].tail = (children[-1].tail or "") + (body.text or "")
    body.text = None
    body[:0] = children[first:]


def parse_frame(element: HtmlElement) -> HtmlElement | None:
    """Return the body of the document that a frame holds in an attribute, or None."""
    source = element.get("srcdoc")
    return parse_page(source.encode("utf-8", "replace")) if source else None


def _parse_xhtml(source: bytes) -> HtmlElement | None:
    """Parse XHTML as XML, in which `<a id="x"/>` is empty. Return None if it is not well-formed."""
    parser = XHTMLParser(
        encoding="utf-8",
        no_network=True,
        load_dtd=False,
        resolve_entities="internal",
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = document_fromstring(source, parser=parser)
    except etree.XMLSyntaxError as error:
        reject_lack_of_memory(error)
        return None
    except etree.ParserError:
        return None
    xhtml_to_html(root)
    return root
