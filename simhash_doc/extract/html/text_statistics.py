"""How much text, how many links and how many form controls each element of a page holds."""

from __future__ import annotations

import re
from collections.abc import Collection

from lxml.html import HtmlElement

from simhash_doc.extract.html.elements import NEVER_TEXT, is_button

_CONTROLS = frozenset({"button", "input", "select", "textarea"})
_REFERENCES = re.compile(
    r"\b(?:references?|bibliography|footnotes?|endnotes?|citations?|csl|reflist|notes)\b", re.IGNORECASE
)


class TextStatistics:
    """Counts for each element of a tree, its descendants included and the elements `excluded` left out.

    Attributes:
        elements: the elements that were counted; parents come before their children.
        text: characters of text, without white space.
        linked: characters of text inside links.
        links: number of links.
        controls: number of visible form controls.
        verbatim: number of code blocks, tables, figures and formulas.
        references: number of elements whose class or id names references or notes.
        total: characters of text of the root.
    """

    def __init__(self, root: HtmlElement, excluded: Collection[HtmlElement]) -> None:
        self.text: dict[HtmlElement, int] = {}
        self.linked: dict[HtmlElement, int] = {}
        self.links: dict[HtmlElement, int] = {}
        self.controls: dict[HtmlElement, int] = {}
        self.verbatim: dict[HtmlElement, int] = {}
        self.references: dict[HtmlElement, int] = {}
        self.elements: list[HtmlElement] = []
        stack = [root]
        while stack:
            element = stack.pop()
            self.elements.append(element)
            stack.extend(child for child in element if isinstance(child.tag, str) and child not in excluded)
        for element in reversed(self.elements):  # children before their parents
            self._count(element)
        self.total = self.text[root]

    def _count(self, element: HtmlElement) -> None:
        tag = element.tag
        shown = tag not in NEVER_TEXT and not is_button(element)
        text = _characters(element.text) if shown else 0
        linked = links = verbatim = references = 0
        controls = int(tag in _CONTROLS and element.get("type") != "hidden" and not shown)
        for child in element:
            text += _characters(child.tail) if shown else 0
            if child in self.text:
                if shown:
                    text += self.text[child]
                    linked += self.linked[child]
                links += self.links[child]
                controls += self.controls[child]
                verbatim += self.verbatim[child]
                references += self.references[child]
        if tag == "a" and element.get("href"):
            linked, links = text, 1
        if tag in ("pre", "table", "figure", "math"):
            verbatim += 1
        if names_references(element):
            references += 1
        self.text[element], self.linked[element], self.links[element] = text, linked, links
        self.controls[element], self.verbatim[element], self.references[element] = controls, verbatim, references

    def link_density(self, element: HtmlElement) -> float:
        """Return the share of the text of an element that is inside links, from 0 to 1."""
        text = self.text[element]
        return self.linked[element] / text if text else 0.0

    def prose(self, element: HtmlElement) -> int:
        """Return the number of characters of text outside links."""
        return self.text[element] - self.linked[element]

    def contains(self, element: HtmlElement, tag: str) -> bool:
        """Return True if a descendant with this tag holds text."""
        return any(self.text.get(found) for found in element.iter(tag))


def names_references(element: HtmlElement) -> bool:
    """Return True if the class or the id of an element names references or notes."""
    return bool(_REFERENCES.search(f"{element.get('class')} {element.get('id')}"))


def _characters(text: str | None) -> int:
    return len("".join(text.split())) if text else 0
