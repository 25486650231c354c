"""Parses web pages, with the documents inside them: frames, the trees of components, content for no scripts.

The attributes of an element are limited: the parser compares each with all others of its element.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, XHTMLParser, document_fromstring, xhtml_to_html

from simhash_doc.extract.base import LimitExceededError
from simhash_doc.extract.detect import decode
from simhash_doc.extract.html.blocks import text_length
from simhash_doc.extract.xml import reject_lack_of_memory, resolve_html_entities

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


_LEAST = 200
"""Characters of text in `noscript` that are more than a note to enable scripts."""


def show_noscript(body: HtmlElement) -> None:
    """Turn each `noscript` into an element that is shown, if most of the text of the page is in them."""
    found = list(body.iter("noscript"))
    if not found:
        return
    hidden = sum(text_length(element) for element in found)
    if hidden >= _LEAST and hidden > text_length(body):
        for element in found:
            element.tag = "div"


_SHADOW_ATTRIBUTES = ("shadowrootmode", "shadowroot", "shadowmode")
_STREAMED = etree.XPath("descendant::div[@hidden][starts-with(@id, 'S:')]")
"""Parts of a page that React sends late: a script moves each to the template with the same number."""

MOST_FRAMES = 100
_LONGEST_ADDRESS = 200
_LONGEST_MESSAGE = 400

Frame = Callable[[HtmlElement], HtmlElement | None]
"""Returns the body of the document in a frame, if it is available."""


def show_components(body: HtmlElement) -> None:
    """Turn the declared trees of components, which a browser shows, into elements."""
    streamed = {element.get("id").removeprefix("S:"): element for element in _STREAMED(body)}
    for element in streamed.values():
        del element.attrib["hidden"]
    for template in list(body.iter("template")):
        name = template.get("id") or ""
        if any(template.get(attribute) for attribute in _SHADOW_ATTRIBUTES):
            template.tag = "div"
        elif name.startswith("B:"):
            content = streamed.pop(name.removeprefix("B:"), None)
            if content is not None and content not in template.iterancestors():
                template.addnext(content)


def frame_sources(body: HtmlElement) -> str:
    """Return the addresses of the frames of a page, for a message."""
    frames = [element.get("src") or "" for element in body.iter("frame", "iframe")]
    return ", ".join(address[:_LONGEST_ADDRESS] for address in frames if address)[:_LONGEST_MESSAGE]


def show_frames(body: HtmlElement, frame: Frame) -> None:
    """Put the documents of the frames into a page, if they hold more text than the page itself."""
    elements = list(body.iter("frame", "iframe"))[:MOST_FRAMES]
    found = [(element, inner) for element in elements if (inner := frame(element)) is not None]
    if found and sum(text_length(inner) for _, inner in found) > text_length(body):
        for frameset in body.iter("frameset"):
            frameset.tag = "div"
        for element, inner in found:
            inner.tag = "div"
            element.addprevious(inner)


MOST_ATTRIBUTES = 5000
_SHORTEST = 2 * MOST_ATTRIBUTES  # characters of a tag with more
_TAG = re.compile(r"""<([a-zA-Z](?:[^<>"'\s/]*+))(?:[^<>"']++|"[^"]*+"|'[^']*+')*+|<!--""")
_QUOTED = re.compile(r""""[^"]*+"|'[^']*+'""")
_ENDS = {
    name: re.compile(rf"</{name}\b", re.IGNORECASE)
    for name in ("script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes")
}
"""Elements whose content is characters, and how it ends."""

_CODE = frozenset({"script", "style"})


def check_attributes(text: str, *, xhtml: bool = False) -> None:
    """Reject a page with an element that has too many attributes.

    Args:
        text: the page.
        xhtml: the page may be parsed as XML, in which scripts are not special.

    Raises:
        LimitExceededError: an element has more than `MOST_ATTRIBUTES`.
    """
    if len(text) < _SHORTEST:
        return
    for tag in _TAG.finditer(text) if xhtml else _tags(text):
        if tag.end() - tag.start() > _SHORTEST and len(_QUOTED.sub(" ", tag[0]).split()) > MOST_ATTRIBUTES:
            raise LimitExceededError(f"an element has more than {MOST_ATTRIBUTES:,} attributes")


def _tags(text: str) -> Iterator[re.Match[str]]:
    """Yield what may be a tag. Scripts and styles are skipped, except inside comments and the like.

    Parsers disagree on where a comment ends, so nothing is skipped in one.
    """
    position = 0
    while tag := _TAG.search(text, position):
        yield tag
        position = tag.end()
        name = (tag[1] or "").lower()
        if tag[0] == "<!--":
            end = text.find("-->", position)
        elif name in _ENDS and not tag[0].endswith("/"):
            closing = _ENDS[name].search(text, position)
            end = closing.start() if closing else -1
        else:
            continue
        end = len(text) if end < 0 else end
        if name not in _CODE:
            yield from _TAG.finditer(text, position, end)
        position = end
