"""Separates the document on a web page from what the site adds to it (SD-EXTRACT-6), block by block.

A trained classifier gives each block a sum, its log-odds, which moves towards those of the blocks of its kind. The
blocks with the highest sums are kept, as many as promise the best text. Eleven rules correct this:

1. A block in a landmark such as `nav` is left out. A block in a small form, or in an element whose name marks it as
   boilerplate, needs a higher sum. If the page declares no article, names that mark much of its text count for nothing.
2. The blocks of a table, a quotation, a figure or a list of terms are kept together or left out together.
3. A block before or after the paragraphs of an article needs a higher sum; so does a caption or a line about the
   author that is apart from them. A line below all paragraphs of the page needs to be sure.
4. A label of boilerplate, such as "About the author", needs a higher sum. A block under one that has less needs to be
   sure.
5. A long block is kept once, except one in the main element that is repeated in the same form, such as a refrain.
6. The comments of readers on an article are left out.
7. In a long document, text without links needs a lower sum, the lower the longer the document is, and rules 3 to 6
   do not apply to it: notes, verse, references and appendices differ from its paragraphs.
8. References, notes, tables of data and quotations next to the paragraphs of an article are kept.
9. The lead of an article, which follows its title, needs a lower sum: it is often apart from the other paragraphs.
10. A line in an article that invites to another one, such as "Read more" with its title as a link, is left out. So
   is one that asks to follow somebody in a network.
11. An aside that is neither in `main` nor in `article` is left out, if the article is elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp

import numpy as np

from simhash_doc_extraction.base import BlockDecision
from simhash_doc_extraction.html.blocks import Array, Page
from simhash_doc_extraction.html.classifier import UNIT, load_classifier, needed_sum, shared_sums
from simhash_doc_extraction.html.features import Columns, features_of
from simhash_doc_extraction.html.metadata import Metadata
from simhash_doc_extraction.html.names import invites_elsewhere
from simhash_doc_extraction.html.parts import parts_of_article
from simhash_doc_extraction.html.rules import Verdicts, find_boilerplate
from simhash_doc_extraction.html.tree import Bools, Integers, Tree

MOST_BLOCKS = 100_000
"""A page with more blocks is separated by the rules alone, which need less memory."""

_NEVER, _FORM, _NAMED, _ANY = 1e9, 200_000.0, 150_000.0, -1e9
"""What a block needs in a landmark, in a small form, in an element whose name marks it as boilerplate, and elsewhere,
in units of log-odds."""

_PARAGRAPH = 60  # characters
_ARTICLE = 600  # characters of paragraphs that are sure to belong to the article
_SURE = 150_000.0  # log-odds of such a paragraph, of a block under a label of boilerplate, and of a line at the end
_OUTSIDE = 30_000.0  # log-odds that a block needs before or after them, and a label of boilerplate
_NEAR = 5  # elements from a block to the name of what holds it
_NAMED_SHARE = 0.1  # of the text that is likely to belong to the document
_LEAD_BLOCKS, _LEAD = 3, -100_000  # how far after the title a lead can be, and the log-odds that it needs
_LONG = 5_000  # characters of such paragraphs in a long document
_EASIER, _LOWEST = 20.0, -300_000.0  # log-odds: how much less for each further one, and never less than
_LINKED = 0.3  # of the characters of a block
_INVITES = 0.5  # of the characters of a line that invites to another article are a link
_LONGEST_INVITATION = 200  # characters
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


def choose_blocks(
    page: Page, metadata: Metadata, *, explain: bool = False
) -> tuple[list[bool], tuple[BlockDecision, ...]]:
    """Return for each block of a page whether it belongs to the document, and if asked for also why.

    Args:
        page: a page with at least one block.
        metadata: what the page declares about itself.
        explain: also return the decision about each block, with the strongest reasons.
    """
    verdicts = find_boilerplate(page)
    if len(page.texts) > MOST_BLOCKS and not explain:
        return _by_rules(page, verdicts), ()
    columns = features_of(page, metadata, verdicts)
    sums = load_classifier().sums(columns)
    choice = decide(page, sums, columns, verdicts)
    return choice.kept, tuple(_explained(page, sums, columns, choice)) if explain else ()


def _explained(page: Page, sums: Integers, columns: Columns, choice: Choice) -> Iterator[BlockDecision]:
    values = columns | {ALIKE: choice.sums / UNIT}
    for number, text in enumerate(page.texts):
        contributions = load_classifier().contributions(columns, number)
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
    sizes = page.sizes.astype(float)
    needed = np.full(len(tree.tags), _ANY)
    needed[tree.within(verdicts.marked("named"))] = _NAMED
    needed[tree.within(verdicts.marked("controls") & tree.having({"form"}))] = _FORM
    needed[tree.within(verdicts.marked("landmark"))] = _NEVER
    needed = needed[page.elements]
    own = needed[page.owners]
    shared = shared_sums(sums, page.paths[page.owners], sizes)
    if not _declares_article(columns):
        own = _without_names(own, shared, sizes)
    possible = own < _NEVER
    threshold = needed_sum(shared[possible], sizes[possible]) if possible.any() else 0.0
    enough = _enough_in_long(shared, columns)
    easier = np.minimum(threshold, enough)
    kept = shared >= np.maximum(own, easier)
    left = np.where((shared >= easier) & ~kept, "boilerplate", "")
    rules = np.where((shared < threshold) & kept, "long", left).tolist()
    end = 0
    is_one = _is_one(tree)[page.elements] & (needed == _ANY) & (page.last - page.first > 1)
    for element in np.flatnonzero(is_one).tolist():
        first, last = int(page.first[element]), int(page.last[element])
        if first >= end:
            end = last
            keep = bool(kept[first:last].mean() >= 0.5)
            for block in range(first, last):
                if kept[block] != keep:
                    kept[block], rules[block] = keep, tree.tags[int(page.elements[element])]
    for block in np.flatnonzero(_is_lead(page, kept, shared, columns) & ~kept).tolist():
        kept[block], rules[block] = True, "lead"
    for rule, left_out in (
        ("outside", _outside(kept, shared, columns)),
        ("label", _under_label(page, kept, shared, columns)),
        ("repeated", _repeated(page, kept, columns)),
        ("comment", _is_comment(page, kept, columns)),
        ("aside", _is_beside(kept, shared, columns)),
        ("invitation", _is_invitation(page, kept, shared, columns)),
    ):
        for block in np.flatnonzero(left_out & kept & np.isinf(enough)).tolist():
            kept[block], rules[block] = False, rule
    for block in _last_copies(page, kept, rules, _is_sure(shared, columns)):
        kept[block], rules[block] = True, ""
    for first, last, rule in parts_of_article(page, verdicts):
        if possible[first:last].all():
            for block in (first + np.flatnonzero(~kept[first:last])).tolist():
                kept[block], rules[block] = True, rule
    return Choice(kept.tolist(), shared, rules)


def _without_names(own: Array, sums: Array, sizes: Array) -> Array:
    """Return what each block needs without its name, if names mark much of the text: that is not a box next to it."""
    likely, named = np.where(sums >= 0, sizes, 0), own == _NAMED
    return np.where(named, _ANY, own) if likely[named].sum() > _NAMED_SHARE * likely.sum() else own


def _is_sure(sums: Array, columns: Columns) -> Bools:
    """Return which blocks are paragraphs that are sure to belong to the document."""
    result: Bools = (sums > _SURE) & _is_paragraph(columns)
    return result


def _is_paragraph(columns: Columns) -> Bools:
    result: Bools = (columns["sentences"] > 0) & (columns["characters"] > _PARAGRAPH)
    return result


def _declares_article(columns: Columns) -> bool:
    """Return whether a page says that it is an article, and not also a product."""
    return bool((columns["page_is_article"] + columns["page_og_article"] - columns["page_is_product"])[0] > 0)


def _is_teaser(columns: Columns) -> Bools:
    """Return which blocks are in teasers with their own heading: the heading of a section can be a link to itself."""
    result: Bools = (columns["in_teaser"] > 0) & (columns["since_heading"] < columns["item_blocks"])
    return result


def _enough_in_long(sums: Array, columns: Columns) -> Array:
    """Return the sum that is enough for each block of a long document, infinite for those that may not belong to it:
    lists of links, teasers and comments."""
    beyond = columns["characters"][_is_sure(sums, columns)].sum() - _LONG
    if columns["page_is_forum"][0] or beyond < 0:
        return np.full(len(sums), np.inf)
    is_text = (columns["link_share"] < _LINKED) & ~_is_teaser(columns) & (columns["in_comment"] == 0)
    return np.where(is_text, max(-_EASIER * beyond, _LOWEST), np.inf)


def _is_title(columns: Columns) -> Bools:
    result: Bools = (columns["heading_level"] == 1) | (columns["in_title"] > _TITLE)
    return result


def _main_paragraphs(kept: Bools, sums: Array, columns: Columns) -> Integers:
    """Return the paragraphs that are sure to belong to the article of a page, or none if they are few."""
    sure = np.flatnonzero(kept & _is_sure(sums, columns))
    is_article = not columns["page_is_forum"][0] and columns["characters"][sure].sum() >= _ARTICLE
    return sure if is_article else sure[:0]


def _is_lead(page: Page, kept: Bools, sums: Array, columns: Columns) -> Bools:
    """Return which blocks may be the lead of the article: paragraphs after the last title before its other paragraphs.

    The captions of pictures, and what is said about the author, are none.
    """
    result = np.zeros(len(kept), dtype=bool)
    sure = _main_paragraphs(kept, sums, columns)
    titles = np.flatnonzero(_is_title(columns)[: sure[0]]) if len(sure) else sure
    if len(titles):
        result[titles[-1] + 1 : min(titles[-1] + 1 + _LEAD_BLOCKS, sure[0])] = True
        result &= _is_paragraph(columns) & (sums > _LEAD) & (page.linked == 0)
        for name in ("rule_landmark", "inside_figure", "in_comment", "opens_boilerplate"):
            result &= columns[name] == 0
        result &= ~_is_beside_text(columns)
    return result


def _is_beside_text(columns: Columns) -> Bools:
    """Return which blocks are in an element whose name says that it holds a caption or something about the author.

    Figures hold captions, too, but a figure belongs to the text.
    """
    is_near = (columns["caption_distance"] <= _NEAR) | (columns["author_distance"] <= _NEAR)
    result: Bools = is_near & (columns["inside_figure"] == 0)
    return result


def _outside(kept: Bools, sums: Array, columns: Columns) -> Bools:
    """Return which blocks before and after the article are too unlikely to belong to it.

    There, teasers and comments resemble the paragraphs of an article. The article is from the last title before the
    first paragraph that is sure to belong to it to the last such paragraph, and the element with most prose. Apart
    from that element, captions and what is said about the author are outside, too.
    """
    sure = _main_paragraphs(kept, sums, columns)
    result = np.zeros(len(kept), dtype=bool)
    if not len(sure):
        return result
    is_title = _is_title(columns)
    titles = np.flatnonzero(is_title[: sure[0]])
    result[: titles[-1] if len(titles) else sure[0]] = result[sure[-1] + 1 :] = True
    result |= _is_beside_text(columns)
    needed = np.full(len(kept), _OUTSIDE)
    needed[np.flatnonzero(_is_paragraph(columns))[-1] + 1 :] = _SURE  # such as when the page was changed
    result &= (sums < needed) & (columns["main_prose_50"] == 0) & ~is_title
    return result


def _under_label(page: Page, kept: Bools, sums: Array, columns: Columns) -> Bools:
    """Return which blocks are not sure to belong to the document, and under a label of boilerplate that is left out.

    They are in the smallest element that holds the label and more, if it begins with the label. It does not hold most
    of the text that is kept.
    """
    result = np.zeros(len(kept), dtype=bool)
    sizes = np.concatenate([[0.0], np.cumsum(columns["characters"] * kept)])
    is_left_out = ~kept | (sums < _OUTSIDE)
    for label in np.flatnonzero((columns["is_label"] > 0) & is_left_out).tolist():
        element = int(page.owners[label])
        while element and page.last[element] - page.first[element] == 1:
            element = int(page.parents[element])
        first, last = int(page.first[element]), int(page.last[element])
        if not kept[first:label].any() and 2 * (sizes[last] - sizes[first]) <= sizes[-1]:
            result[first:last] = True
    result &= sums <= _SURE
    return result


def _is_beside(kept: Bools, sums: Array, columns: Columns) -> Bools:
    """Return which blocks are in an aside of the page, such as a stream of news, if the article is elsewhere."""
    result: Bools = (columns["inside_aside"] > 0) & (columns["inside_main"] == 0) & (columns["inside_article"] == 0)
    result &= _declares_article(columns) and len(_main_paragraphs(kept & ~result, sums, columns)) > 0
    return result


def _is_invitation(page: Page, kept: Bools, sums: Array, columns: Columns) -> Bools:
    """Return which blocks invite to another article: they open as boilerplate does, and are mostly a link. Others
    invite to follow or to write to somebody.

    A heading can be a link to itself.
    """
    result: Bools = (columns["opens_boilerplate"] > 0) & (columns["link_share"] >= _INVITES)
    short = kept & (columns["characters"] <= _LONGEST_INVITATION) & _declares_article(columns)
    for block in np.flatnonzero(short).tolist():
        result[block] |= invites_elsewhere(page.texts[block])
    result &= (columns["heading_level"] == 0) & (len(_main_paragraphs(kept, sums, columns)) > 0)
    return result


def _is_comment(page: Page, kept: Bools, columns: Columns) -> Bools:
    """Return which blocks are comments on the declared article before them.

    The replies of a thread are not comments: their text has a class that the text of the first post has, too.
    """
    is_comment: Bools = columns["in_comment"] > 0
    article = kept & _is_paragraph(columns) & (np.cumsum(is_comment) == 0)
    replies = kept & is_comment
    if columns["page_is_forum"][0] or not _declares_article(columns) or not article.any() or not replies.any():
        return np.zeros_like(is_comment)
    classes: list[str] = []  # of each element, or of the nearest around it that has any
    for node, parent in zip(page.elements.tolist(), page.parents.tolist(), strict=True):
        classes.append(page.tree.attributes[node].get("class") or (classes[parent] if classes else ""))

    def classes_of(blocks: Bools) -> set[str]:
        return set(" ".join({classes[owner] for owner in page.owners[blocks].tolist()}).split())

    is_thread = not classes_of(article).isdisjoint(classes_of(replies))
    return np.zeros_like(is_comment) if is_thread else is_comment


def _repeated(page: Page, kept: Bools, columns: Columns) -> Bools:
    """Return which blocks repeat an earlier one that is kept, such as the caption of a picture in a gallery.

    A refrain is none of them: it is in the main element, and has the tags and classes of the earlier one.
    """
    seen: dict[str, int] = {}
    result = np.zeros(len(kept), dtype=bool)
    paths, in_main = page.paths[page.owners], columns["main_prose_50"] > 0
    for block in np.flatnonzero(kept).tolist():
        text = page.texts[block]
        if len(text) >= _PARAGRAPH:
            first = seen.setdefault(text, block)
            is_refrain = in_main[first] and in_main[block] and paths[first] == paths[block]
            result[block] = first != block and not is_refrain
    return result


def _last_copies(page: Page, kept: Bools, rules: list[str], sure: Bools) -> Iterator[int]:
    """Yield the sure blocks that repeat only such texts as another rule left out: the first of each text."""
    texts = {page.texts[block] for block in np.flatnonzero(kept).tolist()} if "repeated" in rules else set()
    for block in np.flatnonzero(sure & ~kept).tolist():
        if rules[block] == "repeated" and page.texts[block] not in texts:
            texts.add(page.texts[block])
            yield block


def _is_one(tree: Tree) -> Bools:
    """Return for each node whether it is one thing for a reader. A table without headings can be a page's layout."""
    if "table" not in tree.names:
        return tree.having(_TOGETHER)
    headed = (tree.sums(tree.having({"caption", "th"})) > 0) & (tree.sums(tree.having({"table"})) == 1)
    result: Bools = tree.having(_TOGETHER) | (tree.having({"table"}) & headed)
    return result


def _by_rules(page: Page, verdicts: Verdicts) -> list[bool]:
    owners = page.elements[page.owners]
    within = (owners >= verdicts.root) & (owners < page.tree.ends[verdicts.root])
    kept: list[bool] = (within & ~page.tree.within(verdicts.reasons > 0)[owners]).tolist()
    return kept
