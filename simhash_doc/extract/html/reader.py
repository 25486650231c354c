"""Reads web pages."""

from __future__ import annotations

import re
from collections.abc import Collection

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, XHTMLParser, document_fromstring, xhtml_to_html

from simhash_doc.extract.charset import decode
from simhash_doc.extract.errors import NoTextError
from simhash_doc.extract.html.attributes import check_attributes
from simhash_doc.extract.html.boilerplate import main_content
from simhash_doc.extract.html.elements import NEVER_TEXT, hidden_elements, is_button
from simhash_doc.extract.html.tex import without_inline_tex, without_tex
from simhash_doc.extract.limits import Limits
from simhash_doc.extract.result import ExtractedText
from simhash_doc.extract.text_builder import TextBuilder
from simhash_doc.extract.xml.safe_xml import reject_lack_of_memory, resolve_html_entities

_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search "
    "section summary table tbody td tfoot th thead tr ul xmp listing plaintext".split()
)
_VERBATIM = frozenset({"pre", "xmp", "listing", "plaintext", "textarea"})
_ANNOTATIONS = frozenset({"rp", "rt", "rtc", "annotation", "annotation-xml"})
"""Ruby annotations and the source of formulas: they repeat text that is shown."""


def read(data: bytes, *, document_format: str, name: str | None, limits: Limits) -> ExtractedText:
    """Read a web page: the document on it, without boilerplate (SD-EXTRACT-6)."""
    body = _body(data)
    if body is None:
        raise NoTextError("no text: the page has no body", name=name)
    page_text = text_of(body, hidden_elements(body))
    text = text_of(*main_content(body))
    if 20 * len(text) < len(page_text):
        warning = "no main content was found: the text of the complete page is used"
        return ExtractedText(page_text, document_format, name, (warning,))
    return ExtractedText(text, document_format, name)


def read_part(data: bytes) -> str:
    """Return the complete text of HTML without boilerplate, such as a chapter of a book."""
    body = _body(data)
    return "" if body is None else text_of(body, hidden_elements(body))


def _body(data: bytes) -> HtmlElement | None:
    """Return the body of a page, parsed as XHTML or as HTML, or None if there is no element."""
    text, _ = decode(data, markup=True)
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
    body = root.find(".//body")
    return root if body is None else body


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


def text_of(root: HtmlElement, excluded: Collection[HtmlElement] = ()) -> str:
    """Return the text of a tree as a browser shows it, without the elements `excluded` (SD-EXTRACT-8)."""
    for element in root.iter("span", "div"):
        if "math" in (element.get("class") or "").split() and len(element) == 0 and element.text:
            element.text = without_tex(element.text)
    builder = TextBuilder()
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        tag = element.tag if isinstance(element.tag, str) else ""
        skipped = not tag or tag in NEVER_TEXT or tag in _ANNOTATIONS or element in excluded or is_button(element)
        if event == "start":
            if skipped:
                walk.skip_subtree()
                if tag in _BLOCKS:
                    builder.end_block()
                elif tag and tag not in NEVER_TEXT and tag not in _ANNOTATIONS:
                    builder.add(" ")
            elif tag in _VERBATIM:
                builder.begin_verbatim()
            elif tag in _BLOCKS:
                builder.end_block()
            elif tag == "br":
                builder.add("\n")
            elif tag == "sup" and element.find(".//a") is not None:
                builder.add(" ")  # the number of a note is not part of the word before it (SD-EXTRACT-4)
            if not skipped:
                builder.add(element.text)
        else:
            if tag in _VERBATIM:
                builder.end_verbatim()
            elif tag in _BLOCKS:
                builder.end_block()
            elif tag == "sup" and element.find(".//a") is not None:
                builder.add(" ")
            if element is not root:
                builder.add(element.tail)
    return without_inline_tex(builder.text())
