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

from simhash_doc.extract.base import BlockDecision
from simhash_doc.extract.html.blocks import Array, Page
from simhash_doc.extract.html.classifier import UNIT, load_classifier, needed_sum, shared_sums
from simhash_doc.extract.html.features import features_of
from simhash_doc.extract.html.metadata import Metadata
from simhash_doc.extract.html.rules import Verdicts, find_boilerplate
from simhash_doc.extract.html.tree import Bools, Integers, Tree

MOST_BLOCKS = 100_000
"""A page with more blocks is separated by the rules alone, which need less memory."""

_NEVER, _FORM, _NAMED, _ANY = 1e9, 200_000.0, 40_000.0, -1e9
"""What a block needs in a landmark, in a small form, in an element whose name marks it as boilerplate, and elsewhere,
in units of log-odds."""

_TOGETHER = frozenset({"blockquote", "figure", "dl"})
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


def choose_blocks(page: Page, metadata: Metadata) -> list[bool]:
    """Return for each block of a page whether it belongs to the document.

    Args:
        page: a page with at least one block.
        metadata: what the page declares about itself.
    """
    verdicts = find_boilerplate(page)
    if len(page.texts) > MOST_BLOCKS:
        return _by_rules(page, verdicts)
    return decide(page, load_classifier().sums(features_of(page, metadata, verdicts)), verdicts).kept


def explain_blocks(page: Page, metadata: Metadata) -> Iterator[BlockDecision]:
    """Yield for each block of a page whether it belongs to the document, with the strongest reasons."""
    verdicts = find_boilerplate(page)
    columns = features_of(page, metadata, verdicts)
    classifier = load_classifier()
    sums = classifier.sums(columns)
    choice = decide(page, sums, verdicts)
    values = columns | {ALIKE: choice.sums / UNIT}
    for number, text in enumerate(page.texts):
        contributions = classifier.contributions(columns, number)
        contributions[ALIKE] = float(choice.sums[number] - sums[number]) / UNIT
        strongest = sorted(contributions, key=lambda name: (-abs(contributions[name]), name))[:_REASONS]
        reasons = tuple((name, float(values[name][number]), contributions[name]) for name in strongest)
        score = 1 / (1 + exp(-choice.sums[number] / UNIT))
        yield BlockDecision(text, choice.kept[number], score, reasons, choice.rules[number])


def decide(page: Page, sums: Integers, verdicts: Verdicts) -> Choice:
    """Return which blocks belong to the document.

    Args:
        page: the page.
        sums: the log-odds of each block, in units of 1/`UNIT`.
        verdicts: what the rules say about the page.
    """
    tree = page.tree
    sizes = np.array([len(text) for text in page.texts], dtype=float)
    needed = np.full(len(tree.tags), _ANY)
    needed[tree.within(verdicts.marked("named"))] = _NAMED
    needed[tree.within(verdicts.marked("controls") & tree.having({"form"}))] = _FORM
    needed[tree.within(verdicts.marked("landmark"))] = _NEVER
    needed = needed[page.elements]
    own = needed[page.owners]
    shared = shared_sums(sums, page.paths[page.owners], sizes)
    possible = own < _NEVER
    threshold = needed_sum(shared[possible], sizes[possible]) if possible.any() else 0.0
    kept = shared >= np.maximum(own, threshold)
    rules = np.where((shared >= threshold) & ~kept, "boilerplate", "").tolist()
    end = 0
    is_one = _is_one(tree)[page.elements] & (needed == _ANY) & (page.last - page.first > 1)
    for element in np.flatnonzero(is_one).tolist():
        first, last = int(page.first[element]), int(page.last[element])
        if first >= end:
            end = last
            share = sizes[first:last] @ kept[first:last] / sizes[first:last].sum()
            for block in range(first, last):
                if kept[block] != (share >= 0.5):
                    kept[block], rules[block] = share >= 0.5, tree.tags[int(page.elements[element])]
    return Choice(kept.tolist(), shared, rules)


def _is_one(tree: Tree) -> Bools:
    """Return for each node whether it is one thing for a reader. A table without headings can be a page's layout."""
    headed = (tree.sums(tree.having({"caption", "th"})) > 0) & (tree.sums(tree.having({"table"})) == 1)
    result: Bools = tree.having(_TOGETHER) | (tree.having({"table"}) & headed)
    return result


def _by_rules(page: Page, verdicts: Verdicts) -> list[bool]:
    owners = page.elements[page.owners]
    within = (owners >= verdicts.root) & (owners < page.tree.ends[verdicts.root])
    kept: list[bool] = (within & ~page.tree.within(verdicts.reasons > 0)[owners]).tolist()
    return kept
