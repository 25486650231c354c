"""Rules that tell boilerplate on a web page from the document (SD-EXTRACT-6). Their verdicts are features of blocks.

An element is boilerplate for one of three reasons, checked in this order:

1. Its HTML semantics or its name mark it: `nav`, a cookie dialog.
2. It looks like navigation: short texts that are nearly all links, or a small box with form controls.
3. It is next to the element that holds nearly all prose of the page, and is neither prose itself nor the title.

Position, order and style are not used, so that another design around the same article gives the same text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

import numpy as np
import numpy.typing as npt
from lxml.html import HtmlElement

from simhash_doc.extract.html.blocks import HEADINGS, NEVER_TEXT, characters, is_button
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


_BOILERPLATE_TAGS = frozenset(
    "nav menu dialog search amp-sidebar amp-consent amp-user-notification amp-lightbox amp-ad".split()
)
_BOILERPLATE_ROLES = frozenset(
    "alert alertdialog contentinfo dialog menu menubar menuitem navigation search searchbox status tablist toolbar "
    "tooltip".split()
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_BOILERPLATE_WORDS = frozenset(
    "ad ads adsense advert advertisement advertising breadcrumb breadcrumbs byline catlinks commentlist comments "
    "consent cookie cookies disqus editsection footer gdpr headerlink login masthead menu menubar metadata modal "
    "nav navbar navbox navigation newsletter noprint outbrain pager pagination paywall popup printfooter promo "
    "recommended related respond responses rss share sharing sidebar signin signup skip social sponsor sponsored "
    "subscribe subscription taboola tags toolbar upsell widget widgets".split()
)
"""Words in a class that name boilerplate."""

_BOILERPLATE_ID = re.compile(
    r"(?:site|page|main|global|top|bottom|left|right|mobile|primary|secondary|social|user|language)?[-_]?"
    r"(?:ads?|breadcrumbs?|catlinks|colophon|comments|disqus_thread|footer|masthead|menu|nav|navbar|navigation|newsletter|"
    r"pagination|related|share|side-?bar|toolbar|respond|reply)"
    r"|(?:cookies?|consent|gdpr|onetrust|cookiebot|cybotcookiebot|didomi|usercentrics|qc-cmp|sp_message)"
    r"[-_]?(?:banner|bar|notice|popup|modal|dialog|consent|message|overlay|container|law-info-bar|sdk|host|root).*",
    re.IGNORECASE,
)
"""Ids that name boilerplate, matched completely: an id is often the slug of a heading, so one word in it proves
nothing."""

_INLINE = frozenset(
    "a abbr b bdi bdo cite code del dfn em font i ins kbd mark q s samp small span strong sub sup time tt u var".split()
)
_INLINE_BOILERPLATE = frozenset(
    {"headerlink", "anchor", "anchorjs-link", "mw-editsection", "editsection", "permalink", "pilcrow"}
)
_TEXT_BLOCKS = HEADINGS | frozenset("p li dt dd td th tr pre blockquote figure figcaption caption".split())
_CELLS = frozenset({"tr", "td", "th"})
_MAY_BE_LINK_LISTS = frozenset("ul ol dl table div section p td center header footer aside address".split()) | HEADINGS
_BOXES = frozenset({"div", "section", "aside", "form", "fieldset"})

_WRAPPER_SHARE = 0.4
"""An element with more of the page's text holds the document or is part of it, whatever its name."""

_MAIN_SHARE = 1 / 3
"""`main` and `article` are trusted if they hold more of the page's text than this."""

_MAIN_PROSE_SHARE = 0.75
"""Without a trusted `main` or `article`, the document is the element that holds this share of the prose."""

_LINK_LIST_DENSITY = 0.75
_LINK_LIST_CHARACTERS = 60  # per link
_CONTROL_BOX_CHARACTERS = 400
_PROSE_CHARACTERS = 300
_PROSE_DENSITY = 0.1


REASONS = ("landmark", "named", "links", "controls", "outside")
"""The reasons, in the order above; the first two are divided further: a landmark is a tag or role, such as `nav`."""


def find_boilerplate(body: HtmlElement, hidden: set[HtmlElement]) -> tuple[HtmlElement, dict[HtmlElement, str]]:
    """Return the element that is declared to hold the document, and the elements that look like boilerplate.

    Args:
        body: the page.
        hidden: the elements that are not shown.

    Returns:
        The element, or else the page; and each element in it that looks like boilerplate, with one of `REASONS`.
    """
    outline = Outline(body, hidden)
    statistics = TextStatistics(outline, body)
    root = _declared_main(body, statistics)
    reasons: dict[HtmlElement, str] = {}
    for element in statistics.elements:
        if element is not root and _is_named_boilerplate(element, root, statistics):
            reasons[element] = "landmark" if _is_landmark(element) else "named"
    statistics = TextStatistics(outline, root, reasons)
    for element in statistics.elements:
        if element is root:
            continue
        if _is_link_list(element, root, statistics):
            reasons[element] = "links"
        elif _is_control_box(element, statistics):
            reasons[element] = "controls"
    if root is body:
        statistics = TextStatistics(outline, body, reasons)
        reasons |= dict.fromkeys(_outside_main_prose(body, statistics), "outside")
    return root, reasons


def _declared_main(body: HtmlElement, statistics: TextStatistics) -> HtmlElement:
    """Return the largest `main`, or else `article`, if it holds enough of the text; otherwise the body."""
    for tag in ("main", "article"):
        found = [e for e in statistics.elements if e.tag == tag or e.get("role") == tag]
        if found:
            largest: HtmlElement = max(found, key=lambda e: statistics.text(e))
            if statistics.text(largest) > _MAIN_SHARE * statistics.total:
                return largest
    return body


def _is_named_boilerplate(element: HtmlElement, root: HtmlElement, statistics: TextStatistics) -> bool:
    """Return True if the tag, role, class or id of an element marks it as boilerplate."""
    if (
        element.tag in ("body", "main", "article", "html")
        or statistics.text(element) > _WRAPPER_SHARE * statistics.total
    ):
        return False
    role = element.get("role")
    if element.tag == "header" or role == "banner":
        return not (statistics.contains(element, "h1") and statistics.link_density(element) < 0.5)
    if element.tag == "aside" or role == "complementary":
        return root.tag in ("body", "html") or statistics.link_density(element) > 0.5
    if element.tag == "footer":
        return element.getparent().tag not in ("blockquote", "figure")
    if _is_landmark(element):
        return True
    if element.tag in _INLINE:
        return not _INLINE_BOILERPLATE.isdisjoint((element.get("class") or "").split())
    names, name = element.get("class"), element.get("id")
    if names and _names_boilerplate(names):
        return True
    return bool(name) and element.tag not in _TEXT_BLOCKS and _BOILERPLATE_ID.fullmatch(name) is not None


@cached
def _names_boilerplate(classes: str) -> bool:
    return not _BOILERPLATE_WORDS.isdisjoint(word.lower() for word in _WORD.findall(classes))


def _is_landmark(element: HtmlElement) -> bool:
    """Return True if HTML itself defines an element as navigation, a dialog or the like."""
    return element.tag in _BOILERPLATE_TAGS or element.get("role") in _BOILERPLATE_ROLES


def _is_link_list(element: HtmlElement, root: HtmlElement, statistics: TextStatistics) -> bool:
    """Return True if an element is a list of links and not a list of references."""
    links = statistics.links(element)
    if element.tag not in _MAY_BE_LINK_LISTS or not links:
        return False
    if (
        statistics.link_density(element) < _LINK_LIST_DENSITY
        or statistics.text(element) > _LINK_LIST_CHARACTERS * links
    ):
        return False
    if links < 3 and element.tag not in ("ul", "ol", "div", "section"):
        return False
    if statistics.references(element):
        return False
    while element is not root:
        element = element.getparent()
        if names_references(element):
            return False
    return True


def _is_control_box(element: HtmlElement, statistics: TextStatistics) -> bool:
    """Return True if an element is a small box with form controls, such as a form to subscribe to a newsletter."""
    return (
        element.tag in _BOXES
        and statistics.controls(element) > 0
        and statistics.text(element) < min(_CONTROL_BOX_CHARACTERS, _WRAPPER_SHARE * statistics.total)
        and not statistics.verbatim(element)
        and not statistics.contains(element, "h1")
    )


def _outside_main_prose(body: HtmlElement, statistics: TextStatistics) -> set[HtmlElement]:
    """Return the siblings of the elements that hold nearly all prose, except those that are prose or the title."""
    excluded: set[HtmlElement] = set()
    element = body
    while True:
        children = [child for child in element if child in statistics]
        largest = max(children, key=statistics.prose, default=None)
        if largest is None or statistics.prose(largest) < _MAIN_PROSE_SHARE * statistics.prose(body):
            return excluded
        if largest.tag in _TEXT_BLOCKS - _CELLS or any(
            _is_same_kind(child, largest) for child in children if statistics.prose(child)
        ):
            return excluded
        for child in children:
            if (
                child is not largest
                and child.tag not in _TEXT_BLOCKS - _CELLS
                and not _is_document_like(child, statistics)
            ):
                excluded.add(child)
        element = largest


def _is_same_kind(element: HtmlElement, largest: HtmlElement) -> bool:
    """Return True if two different elements are of one kind, such as two sections of a document."""
    if element is largest or element.tag in _CELLS:  # one cell that holds nearly all prose is the layout of a page
        return False
    return (element.tag, element.get("class")) == (largest.tag, largest.get("class"))


def _is_document_like(element: HtmlElement, statistics: TextStatistics) -> bool:
    """Return True if an element holds the title or a longer prose."""
    if statistics.contains(element, "h1"):
        return True
    return (
        statistics.prose(element) >= _PROSE_CHARACTERS
        and statistics.link_density(element) <= _PROSE_DENSITY
        and not statistics.controls(element)
    )
