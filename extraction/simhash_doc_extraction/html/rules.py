"""Rules that tell boilerplate on a web page from the document (SD-EXTRACT-6). Their verdicts are features of blocks.

An element is boilerplate for one of three reasons, checked in this order:

1. Its HTML semantics or its name mark it: `nav`, a cookie dialog.
2. It looks like navigation: short texts that are nearly all links, or a small box with form controls.
3. It is next to the element that holds nearly all prose of the page, and is neither prose itself nor the title.

Position, order and style are not used, so that another design around the same article gives the same text.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simhash_doc_extraction.html.blocks import HEADINGS, Page
from simhash_doc_extraction.html.names import (
    CONSENT_ID,
    CONTRADICTED,
    EDIT_LINK,
    HAS_ROLE,
    HEADING_ANCHOR,
    NAMED,
    NAMED_BY_ID,
    REFERENCES,
)
from simhash_doc_extraction.html.tree import TEXT, Bools, Integers

REASONS = ("landmark", "named", "links", "controls", "outside")
"""The reasons, in the order above; the first two are divided further: a landmark is a tag or role, such as `nav`."""

_LANDMARK, _NAMED, _LINKS, _CONTROLS, _OUTSIDE = range(1, len(REASONS) + 1)

_BOILERPLATE_TAGS = frozenset(
    "nav menu dialog search amp-sidebar amp-consent amp-user-notification amp-lightbox amp-ad".split()
)
_BOILERPLATE_ROLES = frozenset(
    "alert alertdialog contentinfo dialog menu menubar menuitem navigation search searchbox status tablist toolbar "
    "tooltip".split()
)
_INLINE = frozenset(
    "a abbr b bdi bdo cite code del dfn em font i ins kbd mark q s samp small span strong sub sup time tt u var".split()
)
_PARTS_OF_A_PAGE = _BOILERPLATE_TAGS | {"header", "aside", "footer"}
_TEXT_BLOCKS = HEADINGS | frozenset("p li dt dd td th tr pre blockquote figure figcaption caption".split())
_CELLS = frozenset({"tr", "td", "th"})
_MAY_BE_LINK_LISTS = frozenset("ul ol dl table div section p td center header footer aside address".split()) | HEADINGS
_BOXES = frozenset({"div", "section", "aside", "form", "fieldset"})
_HOLD_THE_PAGE = frozenset({"body", "main", "article", "html"})

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


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What the rules say about a page.

    Attributes:
        root: the node that is declared to hold the document, or else that of the page.
        reasons: for each node 0, or the reason why the element looks like boilerplate: 1 for the first of `REASONS`.
    """

    root: int
    reasons: Integers

    def marked(self, reason: str) -> Bools:
        """Return for each node whether it looks like boilerplate for this reason."""
        result: Bools = self.reasons == REASONS.index(reason) + 1
        return result


def find_boilerplate(page: Page) -> Verdicts:
    """Return which elements of a page look like boilerplate."""
    tree = page.tree
    everything = np.zeros(len(tree.tags), dtype=bool)
    everything[tree.body : int(tree.ends[tree.body])] = True
    everything &= ~page.hidden
    counts = _Counts(page, everything)
    root = _declared_main(page, counts)
    reasons = np.zeros(len(tree.tags), dtype=np.int64)
    _mark_named(page, root, counts, reasons)
    inside = np.zeros_like(everything)
    inside[root : int(tree.ends[root])] = True
    counts = _Counts(page, everything & inside & ~tree.within(reasons > 0))
    reasons[_is_control_box(page, root, counts)] = _CONTROLS
    reasons[_is_link_list(page, root, counts)] = _LINKS
    if root == tree.body:
        _mark_outside(page, _Counts(page, everything & ~tree.within(reasons > 0)), reasons)
    return Verdicts(root, reasons)


class _Counts:
    """Counts for each node with its descendants, those that are left out not counted.

    Attributes:
        counted: whether the node is an element that counts.
        text: characters of text, without white space.
        linked: those inside links.
        links: number of links.
        density: the share of the text that is inside links, from 0 to 1.
        h1: number of headings of the first level that hold text.
    """

    def __init__(self, page: Page, counted: Bools) -> None:
        tree = page.tree
        characters = page.characters * counted
        links = page.is_link & counted
        self.counted: Bools = counted & ~tree.having({TEXT})
        self.text = tree.sums(characters)
        self.linked = tree.sums(characters * tree.within(links))
        self.links = tree.sums(links)
        self.density = self.linked / np.maximum(self.text, 1)
        self.prose = self.text - self.linked
        self.h1 = tree.sums(self.counted & tree.having({"h1"}) & (self.text > 0))
        self.controls = tree.sums(page.is_control & counted)


def _declared_main(page: Page, counts: _Counts) -> int:
    """Return the largest `main`, or else `article`, if it holds enough of the text; otherwise the body."""
    tree = page.tree
    with_role = np.flatnonzero(page.traits & HAS_ROLE).tolist()
    for tag in ("main", "article"):
        named = tree.having({tag})
        named[[number for number in with_role if tree.attributes[number]["role"] == tag]] = True
        found = np.flatnonzero(named & counts.counted)
        if len(found):
            largest = int(found[np.argmax(counts.text[found])])
            if counts.text[largest] > _MAIN_SHARE * counts.text[tree.body]:
                return largest
    return tree.body


def _mark_named(page: Page, root: int, counts: _Counts, reasons: Integers) -> None:
    """Mark the elements whose tag, role, class or id names boilerplate."""
    tree, traits = page.tree, page.traits
    inline = tree.having(_INLINE)
    named = np.where(inline, traits & (HEADING_ANCHOR | EDIT_LINK) > 0, traits & NAMED > 0)
    named |= (traits & NAMED_BY_ID > 0) & ~inline & ~tree.having(_TEXT_BLOCKS)
    small = counts.counted & (counts.text <= _WRAPPER_SHARE * counts.text[tree.body]) & ~tree.having(_HOLD_THE_PAGE)
    small[root] = False
    reasons[small & named] = _NAMED
    reasons[small & named & (traits & CONSENT_ID > 0)] = _LANDMARK
    trusted = root != tree.body
    for number in np.flatnonzero(small & (tree.having(_PARTS_OF_A_PAGE) | (traits & HAS_ROLE > 0))).tolist():
        tag, role = tree.tags[number], tree.attributes[number].get("role")
        is_landmark = tag in _BOILERPLATE_TAGS or role in _BOILERPLATE_ROLES
        is_closed = tag == "dialog" and "open" not in tree.attributes[number]
        if is_landmark and not is_closed and traits[number] & CONTRADICTED:
            continue
        if tag == "header" or role == "banner":
            is_named = not (counts.h1[number] and counts.density[number] < 0.5)
        elif tag == "aside" or role == "complementary":
            is_named = bool(named[number]) or not trusted or bool(counts.density[number] > 0.5)
        elif tag == "footer":
            is_named = tree.tags[tree.parents[number]] not in ("blockquote", "figure")
        else:
            is_named = is_landmark or bool(named[number])
        reasons[number] = 0 if not is_named else _LANDMARK if is_landmark else _NAMED


def _is_link_list(page: Page, root: int, counts: _Counts) -> Bools:
    """Return for each node whether it is a list of links and not a list of references."""
    tree = page.tree
    references = page.traits & REFERENCES > 0
    result: Bools = (
        counts.counted
        & tree.having(_MAY_BE_LINK_LISTS)
        & (counts.links > 0)
        & (counts.density >= _LINK_LIST_DENSITY)
        & (counts.text <= _LINK_LIST_CHARACTERS * counts.links)
        & ((counts.links >= 3) | tree.having({"ul", "ol", "div", "section"}))
        & (tree.sums(references & counts.counted) == 0)
        & ~tree.within(references)
    )
    result[root] = False
    return result


def _is_control_box(page: Page, root: int, counts: _Counts) -> Bools:
    """Return for each node whether it is a small box with form controls, such as a form to subscribe to something."""
    tree = page.tree
    verbatim = tree.having({"pre", "table", "figure", "math"}) & counts.counted
    result: Bools = (
        counts.counted
        & tree.having(_BOXES)
        & (counts.controls > 0)
        & (counts.text < min(_CONTROL_BOX_CHARACTERS, _WRAPPER_SHARE * counts.text[root]))
        & (tree.sums(verbatim) == 0)
        & (counts.h1 == 0)
    )
    result[root] = False
    return result


def _mark_outside(page: Page, counts: _Counts, reasons: Integers) -> None:
    """Mark the siblings of the elements that hold nearly all prose, except those that are prose or the title."""
    tree = page.tree
    number = tree.body
    while True:
        children = [child for child in tree.children(number) if counts.counted[child]]
        largest = max(children, key=lambda child: int(counts.prose[child]), default=-1)
        if largest < 0 or counts.prose[largest] < _MAIN_PROSE_SHARE * counts.prose[tree.body]:
            return
        if tree.tags[largest] in _TEXT_BLOCKS - _CELLS or any(
            _is_same_kind(page, child, largest) for child in children if counts.prose[child]
        ):
            return
        for child in children:
            if (
                child != largest
                and tree.tags[child] not in _TEXT_BLOCKS - _CELLS
                and not _is_document_like(child, counts)
            ):
                reasons[child] = _OUTSIDE
        number = largest


def _is_same_kind(page: Page, number: int, largest: int) -> bool:
    """Return True if two different elements are of one kind, such as two sections of a document."""
    tags, attributes = page.tree.tags, page.tree.attributes
    if number == largest or tags[number] in _CELLS:  # one cell that holds nearly all prose is the layout of a page
        return False
    return (tags[number], attributes[number].get("class")) == (tags[largest], attributes[largest].get("class"))


def _is_document_like(number: int, counts: _Counts) -> bool:
    """Return True if an element holds the title or a longer prose."""
    return bool(
        counts.h1[number]
        or (
            counts.prose[number] >= _PROSE_CHARACTERS
            and counts.density[number] <= _PROSE_DENSITY
            and not counts.controls[number]
        )
    )
