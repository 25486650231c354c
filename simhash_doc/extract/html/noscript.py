"""Content that a page shows without scripts: the text in `noscript`, if the page holds hardly any other."""

from __future__ import annotations

from lxml.html import HtmlElement

from simhash_doc.extract.html.elements import text_length

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
