"""Separates the document on a web page from what the site adds to it (SD-EXTRACT-6), block by block.

1. Boilerplate that its tag, role or name marks is cut before the blocks are read: see `cut`.
2. A trained classifier gives each block a sum, its log-odds, which moves towards the sums of similar blocks.
3. The blocks with the highest sums are kept. A page without an article keeps as many as promise the best text; where
   there is one, all blocks need the same sum, so a block more does not change what the others need.
4. `CORRECTIONS` changes this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import exp

import numpy as np

from simhash_doc_extraction.base import BlockDecision
from simhash_doc_extraction.html.blocks import Array, Page, cut_texts
from simhash_doc_extraction.html.classifier import UNIT, load_classifier, needed_sum, shared_sums
from simhash_doc_extraction.html.features import PART, Columns, features_of
from simhash_doc_extraction.html.metadata import Metadata
from simhash_doc_extraction.html.rules import Verdicts, find_boilerplate
from simhash_doc_extraction.html.tree import Bools, Integers

MOST_BLOCKS = 100_000
"""A page with more blocks is separated by the rules alone, which need less memory."""

_PARAGRAPH = 60  # characters
_SURE = 150_000.0  # log-odds of a paragraph that is sure to belong to the article
_ARTICLE = 0.3  # of the text that more likely belongs to the document than not is in such paragraphs
_OUTSIDE = 80_000.0  # log-odds that a block needs before or after them
_MOST = 0.75  # of the text of these paragraphs is in one element
_NEEDED = -30_000.0  # log-odds that a block needs on a page with an article: a probability of 0.43
_PART = -600_000.0  # log-odds that the references, tables and quotations of an article need
_LEAD_BLOCKS, _LEAD = 3, -100_000.0  # how far after the title a lead can be, and the log-odds that it needs
_BOX = 0.2  # of the text that is kept is the most that a box with a label holds
_NEAR = 5  # elements from a block to the name of what holds it
_TITLE = 0.6  # of the words of a block are in the title of the page

ALIKE = "alike"
"""The reason that the sum of a block moved towards the sums of similar blocks."""
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


@dataclass(frozen=True, slots=True)
class Correction:
    """A rule that changes what the sums decide.

    Attributes:
        rule: its name.
        keeps: whether it keeps blocks; otherwise it leaves them out.
        find: returns the blocks, from the page, which blocks are kept, their sums and their features.
        why: what it is for: a clause of the specification, or how much it adds to the F1 of labelled pages of sites
            that the classifier was not trained with (docs/benchmarks/extraction.md).
    """

    rule: str
    keeps: bool
    find: Callable[[Page, Bools, Array, Columns], Bools]
    why: str


def choose_blocks(
    page: Page, metadata: Metadata, *, explain: bool = False
) -> tuple[list[bool], tuple[BlockDecision, ...]]:
    """Return for each block of a page whether it belongs to the document, and if asked for also why.

    Args:
        page: a page with at least one block.
        metadata: what the page declares about itself.
        explain: also return the decision about each block, with the strongest reasons, and what was cut.
    """
    verdicts = find_boilerplate(page)
    if len(page.texts) > MOST_BLOCKS and not explain:
        return _by_rules(page, verdicts), ()
    columns = features_of(page, metadata, verdicts)
    sums = load_classifier().sums(columns)
    choice = decide(page, sums, columns)
    return choice.kept, tuple(_with_cut(page, _explained(page, sums, columns, choice))) if explain else ()


def _explained(page: Page, sums: Integers, columns: Columns, choice: Choice) -> Iterator[BlockDecision]:
    values = columns | {ALIKE: choice.sums / UNIT}
    for number, text in enumerate(page.texts):
        contributions = load_classifier().contributions(columns, number)
        contributions[ALIKE] = float(choice.sums[number] - sums[number]) / UNIT
        strongest = sorted(contributions, key=lambda name: (-abs(contributions[name]), name))[:_REASONS]
        reasons = tuple((name, float(values[name][number]), contributions[name]) for name in strongest)
        score = 1 / (1 + exp(-choice.sums[number] / UNIT))
        yield BlockDecision(text, choice.kept[number], score, reasons, choice.rules[number])


def _with_cut(page: Page, decisions: Iterator[BlockDecision]) -> Iterator[BlockDecision]:
    """Yield decisions, and in their places the blocks that were cut before any decision."""
    cut = cut_texts(page)[::-1]
    for number, decision in enumerate(decisions):
        while cut and cut[-1][0] <= number:
            yield BlockDecision(cut.pop()[1], False, 0.0, (), "cut")
        yield decision
    yield from (BlockDecision(text, False, 0.0, (), "cut") for _, text in cut[::-1])


def decide(page: Page, sums: Integers, columns: Columns, corrections: Sequence[Correction] | None = None) -> Choice:
    """Return which blocks belong to the document.

    Args:
        page: the page.
        sums: the log-odds of each block, in units of 1/`UNIT`.
        columns: the features of the blocks.
        corrections: the rules that follow; None stands for `CORRECTIONS`.
    """
    sizes = page.sizes.astype(float)
    shared = shared_sums(sums, page.paths[page.owners], sizes)
    has_article = len(_main_paragraphs(shared, columns)) > 0
    kept = shared >= (_NEEDED if has_article else needed_sum(shared, sizes))
    rules = np.full(len(kept), "", dtype=object)
    for correction in CORRECTIONS if corrections is None else corrections:
        changed = correction.find(page, kept, shared, columns) & (kept != correction.keeps)
        kept[changed], rules[changed] = correction.keeps, correction.rule
    return Choice(kept.tolist(), shared, rules.tolist())


def _is_paragraph(columns: Columns) -> Bools:
    result: Bools = (columns["sentences"] > 0) & (columns["characters"] > _PARAGRAPH)
    return result


def _is_title(columns: Columns) -> Bools:
    result: Bools = (columns["heading_level"] == 1) | (columns["in_title"] > _TITLE)
    return result


def _main_paragraphs(sums: Array, columns: Columns) -> Integers:
    """Return the paragraphs that are sure to belong to the article of a page, or none if they are little of its text.

    Pages of products and forums have none.
    """
    sure = np.flatnonzero((sums > _SURE) & _is_paragraph(columns))
    characters = columns["characters"]
    is_other = columns["page_is_forum"][0] or columns["page_is_product"][0]
    is_article = not is_other and characters[sure].sum() >= _ARTICLE * characters[sums > 0].sum()
    return sure if is_article else sure[:0]


def _outside(page: Page, kept: Bools, sums: Array, columns: Columns) -> Bools:
    """Return which blocks before and after the article are too unlikely to belong to it.

    There, teasers and comments resemble the paragraphs of an article. The article is from the last title before the
    first paragraph that is sure to belong to it to the last such paragraph, and the element with most of these
    paragraphs.
    """
    article = _main_paragraphs(sums, columns)
    result = np.zeros(len(sums), dtype=bool)
    if len(article):
        result[: _start(article, columns)] = result[article[-1] + 1 :] = True
        result[_holder(page, article)] = False
        result &= sums < _OUTSIDE
    return result


def _start(article: Integers, columns: Columns) -> int:
    """Return the last title before the paragraphs of an article, or the first of these."""
    titles = np.flatnonzero(_is_title(columns)[: article[0]])
    return int(titles[-1] if len(titles) else article[0])


def _holder(page: Page, blocks: Integers) -> slice:
    """Return the blocks of the last element that holds more than one block and most of the text of some of them."""
    sizes = np.zeros(len(page.texts))
    sizes[blocks] = page.sizes[blocks]
    holds = (page.sums(sizes) >= _MOST * sizes.sum()) & (page.last - page.first > 1)
    element = int(np.flatnonzero(holds)[-1]) if holds.any() else 0
    return slice(int(page.first[element]), int(page.last[element]))


def _is_lead(page: Page, kept: Bools, sums: Array, columns: Columns) -> Bools:
    """Return which blocks may be the lead of the article: paragraphs after the last title before its other paragraphs.

    The captions of pictures, and what is said about the author, are none.
    """
    result = np.zeros(len(kept), dtype=bool)
    article = _main_paragraphs(sums, columns)
    titles = np.flatnonzero(_is_title(columns)[: article[0]]) if len(article) else article
    if len(titles):
        result[titles[-1] + 1 : min(titles[-1] + 1 + _LEAD_BLOCKS, article[0])] = True
        result &= _is_paragraph(columns) & (sums > _LEAD) & (page.linked == 0)
        for name in ("inside_figure", "opens_boilerplate"):
            result &= columns[name] == 0
        result &= (columns["caption_distance"] > _NEAR) & (columns["author_distance"] > _NEAR)
    return result


def _under_label(page: Page, kept: Bools, sums: Array, columns: Columns) -> Bools:
    """Return which blocks beside an article are under a label of boilerplate, and not sure to belong to it.

    They are in the smallest element that holds the label and more, if it begins with the label. A large one is a
    section of the document.
    """
    result = np.zeros(len(kept), dtype=bool)
    if not len(_main_paragraphs(sums, columns)):
        return result
    sizes = page.sums(columns["characters"] * kept)
    is_left_out = ~kept | (sums < _OUTSIDE)
    for label in np.flatnonzero((columns["is_label"] > 0) & is_left_out).tolist():
        element = int(page.owners[label])
        while element and page.last[element] - page.first[element] == 1:
            element = int(page.parents[element])
        first, last = int(page.first[element]), int(page.last[element])
        if not kept[first:label].any() and sizes[element] <= _BOX * sizes[0]:
            result[first:last] = True
    result &= sums <= _SURE
    return result


def _is_part(page: Page, kept: Bools, sums: Array, columns: Columns) -> Bools:
    """Return which blocks are in a part of the article beside its paragraphs, and not most unlikely to belong to it."""
    result: Bools = (columns[PART] > 0) & (sums >= _PART)
    return result


def _repeated(page: Page, kept: Bools, sums: Array, columns: Columns) -> Bools:
    """Return which blocks repeat an earlier one that is kept, such as the caption of a picture in a gallery.

    A refrain is none of them: it has the tags and classes of the earlier one.
    """
    seen: dict[str, int] = {}
    result = np.zeros(len(kept), dtype=bool)
    paths = page.paths[page.owners]
    for block in np.flatnonzero(kept).tolist():
        text = page.texts[block]
        if len(text) >= _PARAGRAPH:
            first = seen.setdefault(text, block)
            result[block] = first != block and paths[first] != paths[block]
    return result


def _by_rules(page: Page, verdicts: Verdicts) -> list[bool]:
    owners = page.elements[page.owners]
    within = (owners >= verdicts.root) & (owners < page.tree.ends[verdicts.root])
    kept: list[bool] = (within & ~page.tree.within(verdicts.is_links | verdicts.is_controls)[owners]).tolist()
    return kept


CORRECTIONS = (
    Correction("outside", False, _outside, "F1 +0.0054"),
    Correction("lead", True, _is_lead, "F1 of segments +0.0011"),
    Correction("label", False, _under_label, "SD-EXTRACT-6; F1 +0.0000"),
    Correction("part", True, _is_part, "SD-EXTRACT-2 to 4; F1 -0.0002"),
    Correction("repeated", False, _repeated, "SD-EXTRACT-1; F1 +0.0021"),
)
"""The rules, in the order in which they are applied."""
