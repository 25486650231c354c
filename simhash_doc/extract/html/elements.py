"""Elements of HTML that a reader of the page does not see as text."""

from __future__ import annotations

import re
from collections import deque
from itertools import islice

from lxml import etree
from lxml.html import HtmlElement

from simhash_doc.extract.html.names import is_panel

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

_STRING = etree.XPath("string()", smart_strings=False)

_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_MAY_BE_HIDDEN = (
    "descendant::*[@hidden or @aria-hidden or @style or "
    "contains(@class, 'hidden') or contains(@class, 'sr-only') or contains(@class, 'screen')]"
)
_CANDIDATES = etree.XPath(_MAY_BE_HIDDEN)
_COUNT_CANDIDATES = etree.XPath(f"count({_MAY_BE_HIDDEN})")
_HIDDEN_CLASSES = frozenset(
    {"hidden", "sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screenreader"}
)


def hidden_elements(body: HtmlElement) -> set[HtmlElement]:
    """Return the elements that a browser does not show (SD-EXTRACT-5).

    An element with most of the text of the page waits for a script that shows it, or is behind a dialog: it counts as
    shown. So does a panel that readers open, such as an accordion.
    """
    hidden = set()
    most = text_length(body) / 2
    measured = 0
    candidates = iter(_CANDIDATES(body))
    for element in candidates:
        if _is_hidden(element) and not is_panel(element):
            if measured > _NESTED or text_length(element) <= most:
                hidden.add(element)
                deque(islice(candidates, int(_COUNT_CANDIDATES(element))), maxlen=0)  # those inside
            else:
                measured += 1
    return hidden


def text_length(root: HtmlElement) -> int:
    """Return the number of characters of text, without white space, outside the descendants `NEVER_TEXT`."""
    total = characters(_STRING(root))
    nested = 0
    for element in root.iter(*NEVER_TEXT):
        if nested:
            nested -= 1
        elif element is not root:
            nested = sum(1 for _ in element.iter(*NEVER_TEXT)) - 1
            total -= characters(_STRING(element))
    return total


def characters(text: str | None) -> int:
    """Return the number of characters that are not white space."""
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
        or _HIDDEN_STYLE.search(element.get("style", "")) is not None
        or not _HIDDEN_CLASSES.isdisjoint((element.get("class") or "").split())
    )
