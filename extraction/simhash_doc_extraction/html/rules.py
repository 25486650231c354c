"""Rules about the elements of a web page (SD-EXTRACT-6): what is declared to hold its document, lists links, is a form.

Their verdicts are features of blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simhash_doc_extraction.html.blocks import HEADINGS, Page
from simhash_doc_extraction.html.names import REFERENCES
from simhash_doc_extraction.html.tree import Bools, Integers

_MAY_BE_LINK_LISTS = frozenset("ul ol dl table div section p td center header footer aside address".split()) | HEADINGS
_MAIN_SHARE = 1 / 3
"""`main` and `article` are trusted if they hold more of the page's text than this."""
_LINKED = 0.75  # of the text of a list of links
_LINK = 60  # characters per link
_FEW = 3  # links
_BOXES = frozenset({"div", "section", "aside", "form", "fieldset"})
_BOX, _BOX_SHARE = 400, 0.4  # characters of a small box, and its share of the text that is declared


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What the rules say about a page.

    Attributes:
        root: the node that is declared to hold the document, or else that of the page.
        is_links: whether each node is a list of links.
        is_controls: whether each other node is a small box with form controls.
    """

    root: int
    is_links: Bools
    is_controls: Bools


def find_boilerplate(page: Page) -> Verdicts:
    """Return what the rules say about a page."""
    sizes = page.tree.sums(page.characters)
    root = _declared_main(page, sizes)
    is_links = _is_link_list(page, root, sizes)
    return Verdicts(root, is_links, _is_control_box(page, root, sizes) & ~is_links)


def _declared_main(page: Page, sizes: Integers) -> int:
    """Return the largest `main`, or else `article`, if it holds enough of the text; otherwise the body."""
    tree = page.tree
    for tag in ("main", "article"):
        named = tree.having({tag})
        named[[number for number, role in tree.values_of("role") if role == tag]] = True
        largest = int(np.argmax(np.where(named, sizes, -1)))
        if named[largest] and sizes[largest] > _MAIN_SHARE * sizes[tree.body]:
            return largest
    return tree.body


def _is_link_list(page: Page, root: int, sizes: Integers) -> Bools:
    """Return for each node whether it is a list of links: short texts that are nearly all links, and no references."""
    tree = page.tree
    references = (page.traits & REFERENCES > 0) & page.shown
    links = tree.sums(page.is_link)
    linked = tree.sums(page.characters * tree.within(page.is_link))
    result: Bools = (
        tree.having(_MAY_BE_LINK_LISTS)
        & (links > 0)
        & (linked >= _LINKED * sizes)
        & (sizes <= _LINK * links)
        & ((links >= _FEW) | tree.having({"ul", "ol", "div", "section"}))
        & (tree.sums(references) == 0)
        & ~tree.within(references)
    )
    result[root] = False
    return result


def _is_control_box(page: Page, root: int, sizes: Integers) -> Bools:
    """Return for each node whether it is a small box with form controls, such as a form to subscribe to something."""
    tree = page.tree
    is_hidden = page.complete.hidden | tree.within(page.cut)
    others = (tree.having({"pre", "table", "figure", "math"}) & ~is_hidden) | (tree.having({"h1"}) & (sizes > 0))
    result: Bools = (
        tree.having(_BOXES)
        & (tree.sums(page.is_control) > 0)
        & (sizes < min(_BOX, _BOX_SHARE * sizes[root]))
        & (tree.sums(others) == 0)
    )
    result[root] = False
    return result
