"""How much text, how many links and how many form controls each element of a page holds."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

import numpy as np
import numpy.typing as npt
from lxml.html import HtmlElement

from simhash_doc.extract.html.blocks import NEVER_TEXT, characters, is_button
from simhash_doc.extract.html.names import cached

_CONTROLS = frozenset({"button", "input", "select", "textarea"})
_VERBATIM = frozenset({"pre", "table", "figure", "math"})
_REFERENCES = re.compile(
    r"\b(?:references?|bibliography|footnotes?|endnotes?|citations?|csl|reflist|notes)\b", re.IGNORECASE
)
_MOST_NESTED_LINKS = 8

Integers = npt.NDArray[np.int64]


class Outline:
    """The elements of a tree, and what each holds outside its descendants.

    An element is identified by its position in `elements`. Its descendants follow it, up to its end.

    Attributes:
        elements: the elements, without those `excluded` and what is in them.
        position: the position of each element.
        ends: for each element the position after its last descendant.
        own: for each element the characters of text, form controls, verbatim parts and names of references; 1 if its
            text is not shown; 1 if it is a link. Shape (elements, 6).
    """

    def __init__(self, root: HtmlElement, excluded: Collection[HtmlElement]) -> None:
        self.elements: list[HtmlElement] = []
        own: list[int] = []
        parents: list[int] = []
        stack = [(root, 0)]
        while stack:
            element, parent = stack.pop()
            children = list(element)
            number = len(parents)
            stack += [(child, number) for child in children if isinstance(child.tag, str) and child not in excluded]
            self.elements.append(element)
            parents.append(parent)
            own += _own_counts(element, children)
        self.position = {element: number for number, element in enumerate(self.elements)}
        sizes = [1] * len(parents)
        for number in range(len(parents) - 1, 0, -1):
            sizes[parents[number]] += sizes[number]
        self.ends: Integers = np.arange(len(sizes)) + np.array(sizes)
        self.own: Integers = np.array(own, dtype=np.int64).reshape(-1, 6)

    def nesting(self, positions: Iterable[int]) -> Integers:
        """Return for each element how many of some elements hold it or are it."""
        starts = np.fromiter(positions, dtype=np.int64)
        steps = np.zeros(len(self.ends) + 1, dtype=np.int64)
        np.add.at(steps, starts, 1)
        np.add.at(steps, self.ends[starts], -1)
        return np.cumsum(steps[:-1])


class TextStatistics:
    """Counts for each element of a tree, its descendants included and the elements `excluded` left out.

    Attributes:
        elements: the elements that were counted; parents come before their children.
        total: characters of text of the root.
    """

    def __init__(self, outline: Outline, root: HtmlElement, excluded: Iterable[HtmlElement] = ()) -> None:
        """Count what a tree holds.

        Args:
            outline: the elements of the page.
            root: the tree.
            excluded: elements to leave out.
        """
        position, self._ends = outline.position, outline.ends
        text, controls, verbatim, references, is_unshown, is_link = outline.own.T
        counted = outline.nesting(position[element] for element in excluded) == 0
        shown = np.where(counted & (outline.nesting(np.flatnonzero(is_unshown)) == 0), text, 0)
        text = self._sums(shown)
        linked, links = np.where(is_link, text, 0), is_link.copy()
        depth = outline.nesting(np.flatnonzero(is_link))
        for level in range(min(int(depth.max()), _MOST_NESTED_LINKS)):
            outside = (depth == level) & (is_link == 0)
            linked += np.where(outside, self._sums(shown * (depth > level)), 0)
            links += np.where(outside, self._sums(counted & is_link & (depth == level + 1)), 0)
        self._position = position
        self._counted: list[bool] = counted.tolist()
        self._text: list[int] = text.tolist()
        self._linked: list[int] = linked.tolist()
        self._links: list[int] = links.tolist()
        self._controls: list[int] = self._sums(controls * counted).tolist()
        self._verbatim: list[int] = self._sums(verbatim * counted).tolist()
        self._references: list[int] = self._sums(references * counted).tolist()
        first = position[root]
        within = range(first, int(self._ends[first]))
        self.elements = [outline.elements[number] for number in within if self._counted[number]]
        self.total = self.text(root)

    def _sums(self, values: Integers) -> Integers:
        """Return the sum of a count over each element and its descendants."""
        sums = np.concatenate([[0], np.cumsum(values)])
        result: Integers = sums[self._ends] - sums[:-1]
        return result

    def __contains__(self, element: HtmlElement) -> bool:
        position = self._position.get(element)
        return position is not None and self._counted[position]

    def text(self, element: HtmlElement) -> int:
        """Return the number of characters of text, without white space."""
        return self._text[self._position[element]]

    def links(self, element: HtmlElement) -> int:
        """Return the number of links."""
        return self._links[self._position[element]]

    def controls(self, element: HtmlElement) -> int:
        """Return the number of visible form controls."""
        return self._controls[self._position[element]]

    def verbatim(self, element: HtmlElement) -> int:
        """Return the number of code blocks, tables, figures and formulas."""
        return self._verbatim[self._position[element]]

    def references(self, element: HtmlElement) -> int:
        """Return the number of elements whose class or id names references or notes."""
        return self._references[self._position[element]]

    def link_density(self, element: HtmlElement) -> float:
        """Return the share of the text of an element that is inside links, from 0 to 1."""
        position = self._position[element]
        text = self._text[position]
        return self._linked[position] / text if text else 0.0

    def prose(self, element: HtmlElement) -> int:
        """Return the number of characters of text outside links."""
        position = self._position[element]
        return self._text[position] - self._linked[position]

    def contains(self, element: HtmlElement, tag: str) -> bool:
        """Return True if a descendant with this tag holds text."""
        return any(found in self and self.text(found) for found in element.iter(tag))


def names_references(element: HtmlElement) -> bool:
    """Return True if the class or the id of an element names references or notes."""
    classes, name = element.get("class"), element.get("id")
    return bool(classes and _in_references(classes)) or bool(name and _in_references(name))


@cached
def _in_references(value: str) -> bool:
    return _REFERENCES.search(value) is not None


def _own_counts(element: HtmlElement, children: list[HtmlElement]) -> tuple[int, ...]:
    """Return the row of `Outline.own` of an element."""
    tag = element.tag
    is_unshown = tag in NEVER_TEXT or is_button(element)
    text = characters(element.text)
    for child in children:
        text += characters(child.tail)
    return (
        text,
        is_unshown and tag in _CONTROLS and element.get("type") != "hidden",
        tag in _VERBATIM,
        names_references(element),
        is_unshown,
        tag == "a" and bool(element.get("href")),
    )
