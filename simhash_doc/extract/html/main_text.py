"""Separates the document on a web page from what the site adds to it (SD-EXTRACT-6), block by block.

A trained classifier gives each block a sum, its log-odds, which moves towards those of the blocks of its kind. The
blocks with the highest sums are kept, as many as promise the best text. Four rules correct this:

1. A block in a landmark such as `nav` is left out. A block in a small form, or in an element whose name marks it as
   boilerplate, needs a higher sum.
2. The blocks of a table, a quotation, a figure or a list of terms are kept together or left out together.
3. A block before or after the paragraphs of an article needs a higher sum.
4. A long block is kept once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp

import numpy as np

from simhash_doc.extract.base import BlockDecision
from simhash_doc.extract.html.blocks import Array, Page
from simhash_doc.extract.html.classifier import UNIT, load_classifier, needed_sum, shared_sums
from simhash_doc.extract.html.features import Columns, features_of
from simhash_doc.extract.html.metadata import Metadata
from simhash_doc.extract.html.rules import Verdicts, find_boilerplate
from simhash_doc.extract.html.tree import Bools, Integers, Tree

MOST_BLOCKS = 100_000
"""A page with more blocks is separated by the rules alone, which need less memory."""

_NEVER, _FORM, _NAMED, _ANY = 1e9, 200_000.0, 40_000.0, -1e9
"""What a block needs in a landmark, in a small form, in an element whose name marks it as boilerplate, and elsewhere,
in units of log-odds."""

_PARAGRAPH = 60  # characters
_ARTICLE = 600  # characters of paragraphs that are sure to belong to the article
_SURE = 150_000  # log-odds of such a paragraph
_OUTSIDE, _OUTSIDE_MAIN = 60_000, 20_000  # log-odds that a block needs before or after them
_TITLE = 0.6  # of the words of a block are in the title of the page

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
    columns = features_of(page, metadata, verdicts)
    return decide(page, load_classifier().sums(columns), columns, verdicts).kept


def explain_blocks(page: Page, metadata: Metadata) -> Iterator[BlockDecision]:
    """Yield for each block of a page whether it belongs to the document, with the strongest reasons."""
    verdicts = find_boilerplate(page)
    columns = features_of(page, metadata, verdicts)
    classifier = load_classifier()
    sums = classifier.sums(columns)
    choice = decide(page, sums, columns, verdicts)
    values = columns | {ALIKE: choice.sums / UNIT}
    for number, text in enumerate(page.texts):
        contributions = classifier.contributions(columns, number)
        contributions[ALIKE] = float(choice.sums[number] - sums[number]) / UNIT
        strongest = sorted(contributions, key=lambda name: (-abs(contributions[name]), name))[:_REASONS]
        reasons = tuple((name, float(values[name][number]), contributions[name]) for name in strongest)
        score = 1 / (1 + exp(-choice.sums[number] / UNIT))
        yield BlockDecision(text, choice.kept[number], score, reasons, choice.rules[number])


def decide(page: Page, sums: Integers, columns: Columns, verdicts: Verdicts) -> Choice:
    """Return which blocks belong to the document.

    Args:
        page: the page.
        sums: the log-odds of each block, in units of 1/`UNIT`.
        columns: the features of the blocks.
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
    for rule, left_out in (("outside", _outside(kept, shared, columns)), ("repeated", _repeated(page, kept))):
        for block in np.flatnonzero(left_out & kept).tolist():
            kept[block], rules[block] = False, rule
    return Choice(kept.tolist(), shared, rules)


def _outside(kept: Bools, sums: Array, columns: Columns) -> Bools:
    """Return which blocks before and after the article are too unlikely to belong to it.

    There, teasers and comments resemble the paragraphs of an article. The article is from the first to the last
    paragraph that is sure to belong to it. On a page that does not declare one, only blocks outside the main element
    can be left out.
    """
    declared = columns["page_is_article"] + columns["page_og_article"] - columns["page_is_product"]
    size = columns["characters"]
    sure = np.flatnonzero(kept & (sums > _SURE) & (columns["sentences"] > 0) & (size > _PARAGRAPH))
    result = np.zeros(len(kept), dtype=bool)
    if columns["page_is_forum"][0] or size[sure].sum() < _ARTICLE:
        return result
    is_title = (columns["heading_level"] == 1) | (columns["in_title"] > _TITLE)
    result[: sure[0]] = result[sure[-1] + 1 :] = True
    undeclared = np.where(columns["main_prose_50"] == 0, _OUTSIDE_MAIN, _ANY)
    result &= (sums < (_OUTSIDE if declared[0] > 0 else undeclared)) & ~is_title
    return result


def _repeated(page: Page, kept: Bools) -> Bools:
    """Return which blocks repeat an earlier one that is kept, such as the caption of a picture in a gallery."""
    seen: set[str] = set()
    result = np.zeros(len(kept), dtype=bool)
    for block in np.flatnonzero(kept).tolist():
        text = page.texts[block]
        if len(text) >= _PARAGRAPH:
            result[block] = text in seen
            seen.add(text)
    return result


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
