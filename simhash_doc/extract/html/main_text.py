"""Separates the document on a web page from what the site adds to it (SD-EXTRACT-6), block by block.

A trained classifier gives each block a sum, its log-odds, which moves towards those of the blocks of its kind. The
blocks with the highest sums are kept, as many as promise the best text. Two rules correct this:

1. A block in a landmark such as `nav` is left out. A block in a small form, or in an element whose name marks it as
   boilerplate, needs a higher sum.
2. The blocks of a table, a quotation, a figure or a list of terms are kept together or left out together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp

import numpy as np
from lxml.html import HtmlElement

from simhash_doc.extract.base import BlockDecision
from simhash_doc.extract.html.blocks import Page
from simhash_doc.extract.html.boilerplate import find_boilerplate
from simhash_doc.extract.html.classifier import UNIT, Integers, load_classifier, needed_sum, shared_sums
from simhash_doc.extract.html.features import Array, features_of
from simhash_doc.extract.html.metadata import Metadata

MOST_BLOCKS = 100_000
"""A page with more blocks is separated by the rules alone, which need less memory."""

_NEVER, _FORM, _NAMED, _ANY = 1e9, 200_000.0, 40_000.0, -1e9
"""What a block needs in a landmark, in a small form, in an element whose name marks it as boilerplate, and elsewhere,
in units of log-odds."""

_TOGETHER = frozenset({"table", "blockquote", "figure", "dl"})
ALIKE = "alike"
"""The reason that the sum of a block moved towards those of the blocks of its kind."""
_REASONS = 4


@dataclass(frozen=True, slots=True)
class Choice:
    """Which blocks of a page belong to its document.

    Attributes:
        kept: whether each block belongs to it.
        sums: the log-odds that decided, in units of 1/`UNIT`.
        rules: the rule that decided against the sum, or an empty text.
    """

    kept: list[bool]
    sums: Array
    rules: list[str]


def choose_blocks(page: Page, hidden: set[HtmlElement], metadata: Metadata) -> list[bool]:
    """Return for each block of a page whether it belongs to the document.

    Args:
        page: a page with at least one block.
        hidden: the elements that are not shown.
        metadata: what the page declares about itself.
    """
    root, reasons = find_boilerplate(page.elements[0], hidden)
    if len(page.texts) > MOST_BLOCKS:
        return _by_rules(page, root, reasons)
    return decide(page, load_classifier().sums(features_of(page, metadata, root, reasons)), reasons).kept


def explain_blocks(page: Page, hidden: set[HtmlElement], metadata: Metadata) -> Iterator[BlockDecision]:
    """Yield for each block of a page whether it belongs to the document, with the strongest reasons."""
    root, found = find_boilerplate(page.elements[0], hidden)
    columns = features_of(page, metadata, root, found)
    classifier = load_classifier()
    sums = classifier.sums(columns)
    choice = decide(page, sums, found)
    values = columns | {ALIKE: choice.sums / UNIT}
    for number, text in enumerate(page.texts):
        contributions = classifier.contributions(columns, number)
        contributions[ALIKE] = float(choice.sums[number] - sums[number]) / UNIT
        strongest = sorted(contributions, key=lambda name: (-abs(contributions[name]), name))[:_REASONS]
        reasons = tuple((name, float(values[name][number]), contributions[name]) for name in strongest)
        score = 1 / (1 + exp(-choice.sums[number] / UNIT))
        yield BlockDecision(text, choice.kept[number], score, reasons, choice.rules[number])


def decide(page: Page, sums: Integers, reasons: dict[HtmlElement, str]) -> Choice:
    """Return which blocks belong to the document.

    Args:
        page: the page.
        sums: the log-odds of each block, in units of 1/`UNIT`.
        reasons: the elements that look like boilerplate, with the reason.
    """
    sizes = np.array([len(text) for text in page.texts], dtype=float)
    needed = [_ANY] * len(page.elements)
    for number, element in enumerate(page.elements):
        needed[number] = max(_needed(element, reasons.get(element)), needed[page.parents[number]])
    own = np.array([needed[owner] for owner in page.owners])
    shared = shared_sums(sums, page.block_paths(), sizes)
    possible = own < _NEVER
    threshold = needed_sum(shared[possible], sizes[possible]) if possible.any() else 0.0
    kept = shared >= np.maximum(own, threshold)
    rules = np.where((shared >= threshold) & ~kept, "boilerplate", "").tolist()
    end = 0
    for number, element in enumerate(page.elements):
        first, last = page.first[number], page.last[number]
        if (
            element.tag in _TOGETHER
            and first >= end
            and last - first > 1
            and needed[number] == _ANY
            and _is_one(element)
        ):
            end = last
            share = sizes[first:last] @ kept[first:last] / sizes[first:last].sum()
            for block in range(first, last):
                if kept[block] != (share >= 0.5):
                    kept[block], rules[block] = share >= 0.5, str(element.tag)
    return Choice(kept.tolist(), shared, rules)


def _needed(element: HtmlElement, reason: str | None) -> float:
    """Return what the blocks of an element need, whatever the other blocks of the page are."""
    if reason == "landmark":
        return _NEVER
    if reason == "controls" and element.tag == "form":
        return _FORM
    return _NAMED if reason == "named" else _ANY


def _is_one(element: HtmlElement) -> bool:
    """Return True if an element is one thing for a reader. A table without headings can be the layout of a page."""
    if element.tag != "table":
        return True
    headed = any(element.find(path) is not None for path in ("caption", "tr/th", "thead/tr/th", "tbody/tr/th"))
    return headed and element.find(".//table") is None


def _inherited(page: Page, own: list[bool]) -> list[bool]:
    """Return for each element whether it or an ancestor has a property."""
    result = own[:1]
    for number in range(1, len(own)):
        result.append(own[number] or result[page.parents[number]])
    return result


def _by_rules(page: Page, root: HtmlElement, reasons: dict[HtmlElement, str]) -> list[bool]:
    within = _inherited(page, [element is root for element in page.elements])
    left_out = _inherited(page, [element in reasons for element in page.elements])
    return [within[owner] and not left_out[owner] for owner in page.owners]
