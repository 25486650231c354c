"""Elements of HTML that a reader of the page does not see as text."""

from __future__ import annotations

import re

from lxml.html import HtmlElement

NEVER_TEXT = frozenset(
    "applet area audio base canvas col colgroup command datalist embed frame frameset head iframe input link map "
    "meta noframes noscript object optgroup option param progress script select source style svg template "
    "textarea title track video".split()
)
"""Elements whose content is never shown as text."""

BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search "
    "section summary table tbody td tfoot th thead tr ul xmp listing plaintext".split()
)
"""Elements that begin and end a block of text."""

HEADING_ANCHORS = frozenset({"headerlink", "anchor", "anchorjs-link", "permalink", "pilcrow"})
"""Classes of the permanent link of a heading, which is shown as a sign."""

EDIT_LINKS = frozenset({"mw-editsection", "editsection"})
"""Classes of the link with which readers edit a section."""

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})

_NESTED = 8
"""Elements in one another that are marked as hidden and shown nevertheless."""

_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_HIDDEN_CLASSES = frozenset(
    {"hidden", "sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screenreader"}
)


def hidden_elements(body: HtmlElement) -> set[HtmlElement]:
    """Return the elements that a browser does not show (SD-EXTRACT-5).

    An element with most of the text of the page waits for a script that shows it, or is behind a dialog: it counts as
    shown.
    """
    hidden = set()
    most = text_length(body) / 2
    measured = 0
    stack = [body]
    while stack:
        element = stack.pop()
        if element is not body and _is_hidden(element) and (measured > _NESTED or text_length(element) <= most):
            hidden.add(element)
        else:
            measured += element is not body and _is_hidden(element)
            stack.extend(child for child in element if isinstance(child.tag, str))
    return hidden


def text_length(root: HtmlElement, never_text: frozenset[str] = NEVER_TEXT) -> int:
    """Return the number of characters of text, without white space, outside the descendants `never_text`."""
    total = 0
    stack = [root]
    while stack:
        element = stack.pop()
        total += _length(element.text)
        for child in element:
            total += _length(child.tail)
            if isinstance(child.tag, str) and child.tag not in never_text:
                stack.append(child)
    return total


def _length(text: str | None) -> int:
    return len("".join(text.split())) if text else 0


def is_button(element: HtmlElement) -> bool:
    """Return True if an element is a button.

    A button in a heading opens a section: its text is the heading. A button that was never closed holds the page.
    """
    if element.tag != "button":
        return False
    parent = element.getparent()
    if parent is not None and parent.tag in HEADINGS:
        return False
    return element.find(".//article") is None and element.find(".//main") is None and element.find(".//h1") is None


def _is_hidden(element: HtmlElement) -> bool:
    return (
        element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
        or bool(_HIDDEN_STYLE.search(element.get("style", "")))
        or not _HIDDEN_CLASSES.isdisjoint((element.get("class") or "").split())
    )
