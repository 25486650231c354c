"""Web pages."""

from __future__ import annotations

import re
from collections.abc import Collection

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, XHTMLParser, document_fromstring, xhtml_to_html

from simhash_doc.extract.decoding import decode
from simhash_doc.extract.document import Extracted
from simhash_doc.extract.errors import NoText
from simhash_doc.extract.flow import Flow
from simhash_doc.extract.limits import Limits
from simhash_doc.extract.page import NEVER_TEXT, document, hidden, is_control
from simhash_doc.extract.trees import without_entities_of_html

_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search "
    "section summary table tbody td tfoot th thead tr ul xmp listing plaintext".split()
)
_VERBATIM = frozenset({"pre", "xmp", "listing", "plaintext", "textarea"})
_ABSENT = frozenset({"rp", "rt", "rtc", "annotation", "annotation-xml"})
"""Readings above the line and the source of formulas: what stands beside the text, not in it."""
_TEX_INLINE = re.compile(r"\\\(.{1,2000}?\\\)|\\\[.{1,4000}?\\\]", re.DOTALL)
_TEX_MARKUP = re.compile(r"\\(?:begin|end|label|tag)\{[^{}]*\}|\\[a-zA-Z]+\*?|\\.|[{}_^$&]")


def read(data: bytes, *, medium: str, name: str | None, limits: Limits) -> Extracted:
    """Read a web page: the document on it, without the page's furniture."""
    body = _body(data)
    if body is None:
        raise NoText("no text: the page has no body", name=name)
    whole = text_of(body, hidden(body))
    text = text_of(*document(body))
    if 20 * len(text) < len(whole):
        return Extracted(whole, medium, name, ("no main text was found on the page: this is all of its text",))
    return Extracted(text, medium, name)


def read_part(data: bytes) -> str:
    """Return the text of a part of a document that is known to hold no furniture, such as a chapter of a book."""
    body = _body(data)
    return "" if body is None else text_of(body, hidden(body))


def _body(data: bytes) -> HtmlElement | None:
    text, _ = decode(data, markup=True)
    xhtml = _DECLARATION.search(text) or 'xmlns="http://www.w3.org/1999/xhtml"' in text[:4096]
    text = _DECLARATION.sub("", text, count=1)
    root = _strict(without_entities_of_html(text).encode("utf-8", "replace")) if xhtml else None
    if root is None:
        source = text.encode("utf-8", "replace")
        try:
            root = document_fromstring(
                source, parser=HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
            )
        except etree.ParserError:
            return None
    body = root.find(".//body")
    return root if body is None else body


def _strict(source: bytes) -> HtmlElement | None:
    """Parse XHTML as XML, in which `<a id="x"/>` is empty; None where it is not well-formed."""
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
    except (etree.ParserError, etree.XMLSyntaxError):
        return None
    xhtml_to_html(root)
    return root


def text_of(root: HtmlElement, out: Collection[HtmlElement] = ()) -> str:
    """Return the text of a tree as a reader sees it, but for the elements `out`: blocks apart, inline text together."""
    for element in root.iter("span", "div"):
        if "math" in (element.get("class") or "").split() and len(element) == 0 and element.text:
            element.text = _without_tex(element.text)
    flow = Flow()
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        tag = element.tag if isinstance(element.tag, str) else ""
        absent = not tag or tag in NEVER_TEXT or tag in _ABSENT or element in out or is_control(element)
        if event == "start":
            if absent:
                walk.skip_subtree()
                if tag in _BLOCKS:
                    flow.cut()
                elif tag and tag not in NEVER_TEXT and tag not in _ABSENT:
                    flow.add(" ")
            elif tag in _VERBATIM:
                flow.begin_verbatim()
            elif tag in _BLOCKS:
                flow.cut()
            elif tag == "br":
                flow.add("\n")
            elif tag == "sup" and element.find(".//a") is not None:
                flow.add(" ")  # the number of a note is no part of the word before it
            if not absent:
                flow.add(element.text)
        else:
            if tag in _VERBATIM:
                flow.end_verbatim()
            elif tag in _BLOCKS:
                flow.cut()
            elif tag == "sup" and element.find(".//a") is not None:
                flow.add(" ")
            if element is not root:
                flow.add(element.tail)
    return _TEX_INLINE.sub(lambda found: _without_tex(found[0]), flow.text())


def _without_tex(formula: str) -> str:
    """Return the letters and numbers of a formula written in TeX, as they would stand on paper."""
    return _TEX_MARKUP.sub(lambda found: "" if found[0] in "{}_^" else " ", formula)
