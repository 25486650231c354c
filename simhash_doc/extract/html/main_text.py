"""Separates the document on a web page from what the site adds to it (SD-EXTRACT-6), block by block.

A trained classifier gives each block a score. Two rules correct it:

1. A block in a landmark such as `nav` is left out. A block in a small form, or in an element whose name marks it as
   boilerplate, needs a higher score.
2. The blocks of a table, a quotation, a figure or a list of terms are kept together or left out together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp

from lxml.html import HtmlElement

from simhash_doc.extract.html.blocks import Page
from simhash_doc.extract.html.boilerplate import find_boilerplate
from simhash_doc.extract.html.classifier import UNIT, load_classifier
from simhash_doc.extract.html.features import features_of
from simhash_doc.extract.html.metadata import Metadata
from simhash_doc.extract.result import BlockDecision

MOST_BLOCKS = 100_000
"""A page with more blocks is separated by the rules alone, which need less memory."""

_NEVER = 10**9
_NAMED = 40_000
_FORM = 200_000
"""What a block needs in an element whose name marks it as boilerplate, and in a small form, in units of log-odds."""

_TOGETHER = frozenset({"table", "blockquote", "figure", "dl"})
_REASONS = 4


@dataclass(frozen=True, slots=True)
class Choice:
    """Which blocks of a page belong to its document, and the rule that decided about each, or an empty text."""

    kept: list[bool]
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
    classifier = load_classifier()
    columns = features_of(page, metadata, root, reasons)
    return decide(page, classifier.sums(columns).tolist(), classifier.threshold(columns), reasons).kept


def explain_blocks(page: Page, hidden: set[HtmlElement], metadata: Metadata) -> Iterator[BlockDecision]:
    """Yield for each block of a page whether it belongs to the document, with the strongest reasons."""
    root, found = find_boilerplate(page.elements[0], hidden)
    columns = features_of(page, metadata, root, found)
    classifier = load_classifier()
    sums = classifier.sums(columns).tolist()
    choice = decide(page, sums, classifier.threshold(columns), found)
    for number, total in enumerate(sums):
        contributions = classifier.contributions(columns, number)
        strongest = sorted(contributions, key=lambda name: (-abs(contributions[name]), name))[:_REASONS]
        reasons = tuple((name, float(columns[name][number]), contributions[name]) for name in strongest)
        score = 1 / (1 + exp(-total / UNIT))
        yield BlockDecision(page.texts[number], choice.kept[number], score, reasons, choice.rules[number])


def decide(page: Page, sums: list[int], threshold: int, reasons: dict[HtmlElement, str]) -> Choice:
    """Return which blocks belong to the document.

    Args:
        page: the page.
        sums: the log-odds of each block.
        threshold: what a block needs.
        reasons: the elements that look like boilerplate, with the reason.
    """
    needed = [threshold] * len(page.elements)
    for number, element in enumerate(page.elements):
        needed[number] = max(_needed(element, reasons.get(element), threshold), needed[page.parents[number]])
    kept = [total >= needed[owner] for total, owner in zip(sums, page.owners, strict=True)]
    rules = ["boilerplate" if total >= threshold and not keep else "" for total, keep in zip(sums, kept, strict=True)]
    end = 0
    for number, element in enumerate(page.elements):
        first, last = page.first[number], page.last[number]
        if (
            element.tag in _TOGETHER
            and first >= end
            and last - first > 1
            and needed[number] == threshold
            and _is_one(element)
        ):
            end = last
            sizes = [len(text) for text in page.texts[first:last]]
            share = sum(size for size, keep in zip(sizes, kept[first:last], strict=True) if keep) / sum(sizes)
            for block in range(first, last):
                if kept[block] != (share >= 0.5):
                    kept[block], rules[block] = share >= 0.5, str(element.tag)
    return Choice(kept, rules)


def _needed(element: HtmlElement, reason: str | None, threshold: int) -> int:
    """Return what the blocks of an element need."""
    if reason == "landmark":
        return _NEVER
    if reason == "controls" and element.tag == "form":
        return _FORM
    return _NAMED if reason == "named" else threshold


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
