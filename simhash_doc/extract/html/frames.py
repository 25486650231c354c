"""Documents inside a page: frames, and the trees of components."""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree
from lxml.html import HtmlElement

from simhash_doc.extract.html.elements import text_length

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
