"""Rules that mark what looks like boilerplate on a web page (SD-EXTRACT-6). Their verdicts are features of blocks.

An element looks like boilerplate for one of two reasons:

1. It holds short texts that are nearly all links.
2. It is a small box with form controls.

Names give no reason: `cut` has left an element with a name of boilerplate only if its content differs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simhash_doc_extraction.html.blocks import HEADINGS, Page
from simhash_doc_extraction.html.names import HAS_ROLE, REFERENCES
from simhash_doc_extraction.html.tree import TEXT, Bools, Integers

REASONS = ("links", "controls")
_LINKS, _CONTROLS = range(1, len(REASONS) + 1)

_MAY_BE_LINK_LISTS = frozenset("ul ol dl table div section p td center header footer aside address".split()) | HEADINGS
_BOXES = frozenset({"div", "section", "aside", "form", "fieldset"})

_WRAPPER_SHARE = 0.4
"""A box with more of the page's text holds the document or is part of it."""

_MAIN_SHARE = 1 / 3
"""`main` and `article` are trusted if they hold more of the page's text than this."""

_LINK_LIST_DENSITY = 0.75
_LINK_LIST_CHARACTERS = 60  # per link
_CONTROL_BOX_CHARACTERS = 400


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What the rules say about a page.

    Attributes:
        root: the node that is declared to hold the document, or else that of the page.
        reasons: for each node 0, or the reason why the element looks like boilerplate: 1 for the first of `REASONS`.
    """

    root: int
    reasons: Integers


def find_boilerplate(page: Page) -> Verdicts:
    """Return which elements of a page look like boilerplate."""
    tree = page.tree
    everything = np.zeros(len(tree.tags), dtype=bool)
    everything[tree.body : int(tree.ends[tree.body])] = True
    everything &= ~page.hidden
    counts = _Counts(page, everything)
    root = _declared_main(page, counts)
    reasons = np.zeros(len(tree.tags), dtype=np.int64)
    reasons[_is_control_box(page, root, counts)] = _CONTROLS
    reasons[_is_link_list(page, root, counts)] = _LINKS
    return Verdicts(root, reasons)


class _Counts:
    """Counts for each node with its descendants, those that are left out not counted.

    Attributes:
        counted: whether the node is an element that counts.
        text: characters of text, without white space.
        links: number of links.
        density: the share of the text that is inside links, from 0 to 1.
        h1: number of headings of the first level that hold text.
        controls: number of form controls.
    """

    def __init__(self, page: Page, counted: Bools) -> None:
        tree = page.tree
        characters = page.characters * counted
        links = page.is_link & counted
        self.counted: Bools = counted & ~tree.having({TEXT})
        self.text = tree.sums(characters)
        self.links = tree.sums(links)
        self.density = tree.sums(characters * tree.within(links)) / np.maximum(self.text, 1)
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
