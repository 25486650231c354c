"""The parts of an article beside its paragraphs: references, notes, tables, quotations, terms (SD-EXTRACT-1 to -4)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from simhash_doc_extraction.html.blocks import HEADINGS, Page, outermost
from simhash_doc_extraction.html.names import REFERENCES, names_references, opens_boilerplate
from simhash_doc_extraction.html.rules import Verdicts
from simhash_doc_extraction.html.tree import Bools

Part = tuple[int, int]
"""The first block of a part, and the block after its last."""

_NAMES = re.compile(
    r"(?<!\S)(?:(?:\S*[-_])?(?:references|ref-?list|reference-?list|bibliography|footnotes?|endnotes?)"
    r"(?:[-_]?(?:list|wrap|wrapper|section|container|content|body|block))?|notes|doc-endnotes?|doc-footnote)(?!\S)"
)
"""Names of lists of references and of notes: complete ones, as `entity-reference` is a field of a database."""

_NAMING = ("class", "id", "role", "epub:type")
_PROSE_SHARE = 0.5  # of the page, in the element around a part
_LEAST_BESIDE = 2  # paragraphs next to a table
_LINKED = 0.8  # of a table that is no list of links
_CELL = 0.5  # of the text of a table in one cell: the layout of a page


def parts_of_article(page: Page, verdicts: Verdicts) -> Iterator[Part]:
    """Yield the references, notes, data tables, quotations and terms next to the paragraphs of an article.

    Args:
        page: the page.
        verdicts: what the rules say about it: a part is not within boilerplate.
    """
    tree = page.tree
    wanted = (page.traits & REFERENCES > 0) | tree.having({"table", "blockquote", "dl"})
    numbers = np.flatnonzero(wanted[page.elements]).tolist()
    is_heading = _is_heading(page)
    headings = [number for number in np.flatnonzero(is_heading).tolist() if names_references(page.texts[number])]
    if not numbers and not headings:
        return
    places = _Places(page, verdicts, is_heading)
    for number in numbers:
        node = int(page.elements[number])
        if tree.tags[node] == "table":
            if places.is_held(number) and places.is_data(number):
                yield places.range(number)
        elif tree.tags[node] in ("blockquote", "dl"):
            if places.is_held(number) and places.is_quotation(number):
                yield int(page.first[number]), int(page.last[number])
        elif _NAMES.search(" ".join(tree.attributes[node].get(name, "") for name in _NAMING).lower()):
            first, last = places.range(number)
            if places.is_held(number) and not any(opens_boilerplate(text.lower()) for text in page.texts[first:last]):
                yield first, last
    for block in headings:
        yield from places.under(block)


def _is_heading(page: Page) -> Bools:
    """Return for each block whether it is a heading, or in one."""
    heading = page.tree.having(HEADINGS)[page.elements]
    result: Bools = heading[page.owners] | heading[page.parents[page.owners]]
    return result


class _Places:
    """Where the parts of a page are.

    Attributes:
        is_heading: whether each block is a heading, or in one.
    """

    def __init__(self, page: Page, verdicts: Verdicts, is_heading: Bools) -> None:
        self._page, self.is_heading = page, is_heading
        self._is_boilerplate = page.tree.within(verdicts.reasons > 0)[page.elements]
        self._passed = np.concatenate([[0], np.cumsum(page.sizes)])
        self._prose = np.concatenate([[0], np.cumsum(np.where(page.prose, page.sizes, 0))])
        self._linked = np.concatenate([[0], np.cumsum(page.linked)])
        self._controls = page.tree.sums(page.is_control)
        self._tops = outermost(page.parents, page.first, page.last)
        self._near: dict[int, int] = {}  # for each element the number of paragraphs in it

    def range(self, number: int) -> Part:
        """Return the blocks of an element as a part, with the heading before it."""
        first, last = int(self._page.first[number]), int(self._page.last[number])
        return first - int(first > 0 and self.is_heading[first - 1]), last

    def is_held(self, number: int) -> bool:
        """Return whether the element around an element holds the prose of the page, and is not boilerplate."""
        around = self._around(number)
        if self._is_boilerplate[around]:
            return False
        start, end = int(self._page.first[around]), int(self._page.last[around])
        size = self._passed[int(self._page.last[number])] - self._passed[int(self._page.first[number])]
        prose = self._prose[end] - self._prose[start]
        return bool(prose and prose >= _PROSE_SHARE * self._prose[-1] and 2 * size < self._passed[-1])

    def is_data(self, number: int) -> bool:
        """Return whether a table has rows, one of them with several cells, and is not the layout of a page."""
        page, tree = self._page, self._page.tree
        node, first, last = int(page.elements[number]), int(page.first[number]), int(page.last[number])
        end = int(tree.ends[node])
        tags = tree.tags[node:end]
        rows = tags.count("tr")
        size = self._passed[last] - self._passed[first]
        linked = self._linked[last] - self._linked[first]
        return bool(
            rows > 1
            and tags.count("td") + tags.count("th") > rows
            and tags.count("table") == 1
            and not self._controls[node]
            and linked <= _LINKED * size
            and page.sizes[first:last].max() <= _CELL * size
            and self._paragraphs(self._around(number)) >= _LEAST_BESIDE
        )

    def is_quotation(self, number: int) -> bool:
        """Return whether a quotation or a list of terms is among paragraphs, mostly no link, and without controls.

        One that opens as boilerplate does needs a source in `cite`.
        """
        page = self._page
        node, first, last = int(page.elements[number]), int(page.first[number]), int(page.last[number])
        size, linked = (sums[last] - sums[first] for sums in (self._passed, self._linked))
        is_cited = "cite" in page.tree.tags[node : int(page.tree.ends[node])]
        is_plain = 2 * linked <= size and not self._controls[node]
        return bool(
            is_plain
            and self._paragraphs(self._around(number)) >= _LEAST_BESIDE
            and (is_cited or not any(opens_boilerplate(text.lower()) for text in page.texts[first:last]))
        )

    def _paragraphs(self, around: int) -> int:
        if around not in self._near:
            page = self._page
            inside = slice(int(page.first[around]), int(page.last[around]))
            owners = page.owners[inside]
            above = page.parents[owners]
            near = (owners == around) | (above == around) | (page.parents[above] == around)
            self._near[around] = int((page.prose[inside] & near).sum())
        return self._near[around]

    def under(self, block: int) -> Iterator[Part]:
        """Yield the list, or the paragraphs, under a heading as a part."""
        page = self._page
        number = int(self._tops[page.owners[block]])
        around = int(page.parents[number])
        if page.last[around] == block + 1 or not (self.is_held(number) or self.is_held(around)):
            return
        end = block + 1
        while (number := self._after(number)) < len(page.elements) and page.parents[number] == around:
            tag = page.tree.tags[int(page.elements[number])]
            if page.first[number] != end or (end > block + 1 and tag != "p") or self.is_heading[end]:
                break
            end = int(page.last[number])
        if end > block + 1:
            yield block, end

    def _after(self, number: int) -> int:
        """Return the element after an element and all that are in it."""
        node = int(self._page.elements[number])
        return int(np.searchsorted(self._page.elements, self._page.tree.ends[node]))

    def _around(self, number: int) -> int:
        """Return the nearest element that holds more blocks."""
        return int(self._page.parents[self._tops[number]])
