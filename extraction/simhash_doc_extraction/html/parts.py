"""The parts of an article beside its paragraphs: references, notes, tables, quotations, terms (SD-EXTRACT-1 to -4)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from simhash_doc_extraction.html.blocks import HEADINGS, Page
from simhash_doc_extraction.html.cut import STOP
from simhash_doc_extraction.html.names import REFERENCES, names_references, opens_boilerplate
from simhash_doc_extraction.html.rules import Verdicts
from simhash_doc_extraction.html.tree import Bools, Integers

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
_LEAST_PROSE, _LINKED_PROSE = 60, 0.1  # characters of a sentence or more, and how much of it can be a link
_LINKED, _LINKED_TABLE = 0.5, 0.8  # of a part that is no list of links
_CELL = 0.5  # of the text of a table in one cell: the layout of a page


def parts_of_article(page: Page, verdicts: Verdicts) -> Iterator[Part]:
    """Yield the references, notes, data tables, quotations and terms next to the paragraphs of an article.

    Args:
        page: the page.
        verdicts: what the rules say about it: a part is not within boilerplate.
    """
    wanted = (page.traits & REFERENCES > 0) | page.tree.having({"table", "blockquote", "dl"})
    numbers = np.flatnonzero(wanted[page.elements])
    heading = page.tree.having(HEADINGS)[page.elements]
    is_heading = heading[page.owners] | heading[page.parents[page.owners]]
    headings = [block for block in np.flatnonzero(is_heading).tolist() if names_references(page.texts[block])]
    if not len(numbers) and not headings:
        return
    places = _Places(page, verdicts, is_heading)
    for number in numbers[places.is_held[numbers]].tolist():
        tag = page.tree.tags[int(page.elements[number])]
        first, last = int(page.first[number]), int(page.last[number])
        if tag in ("blockquote", "dl"):
            if places.is_quotation(number):
                yield first, last
        elif places.is_data(number) if tag == "table" else places.is_list_of_notes(number):
            yield first - int(first > 0 and is_heading[first - 1]), last
    for block in headings:
        yield from places.under(block)


def _is_prose(page: Page) -> Bools:
    result: Bools = (page.sizes >= _LEAST_PROSE) & (page.linked <= _LINKED_PROSE * page.sizes)
    for number in np.flatnonzero(result).tolist():
        result[number] = STOP.search(page.texts[number]) is not None
    return result


class _Places:
    """Where the parts of a page are.

    Attributes:
        is_held: whether the element around each element holds the prose of the page, and is not boilerplate.
    """

    def __init__(self, page: Page, verdicts: Verdicts, is_heading: Bools) -> None:
        self._page, self._is_heading = page, is_heading
        self._controls = page.tree.sums(page.is_control)[page.elements]
        self._size, self._linked = page.sums(page.sizes), page.sums(page.linked)
        is_prose = _is_prose(page)
        prose = page.sums(page.sizes * is_prose)
        self._tops = page.chains()[-1]
        self._around: Integers = page.parents[self._tops]  # the nearest element that holds more blocks
        is_boilerplate = page.tree.within(verdicts.is_links | verdicts.is_controls)[page.elements]
        is_main = ~is_boilerplate & (prose > 0) & (prose >= _PROSE_SHARE * prose[0])
        self.is_held: Bools = is_main[self._around] & (2 * self._size < self._size[0])
        self._is_beside = self._paragraphs(is_prose)[self._around] >= _LEAST_BESIDE

    def _paragraphs(self, is_prose: Bools) -> Integers:
        """Return for each element the paragraphs in it: with at most two other elements around them."""
        owners, parents = self._page.owners[is_prose], self._page.parents
        found = np.bincount(owners, minlength=len(parents))
        for _ in range(2):
            owners = owners[owners > 0]
            found += np.bincount(owners := parents[owners], minlength=len(parents))
        return found

    def is_data(self, number: int) -> bool:
        """Return whether a table has rows, one of them with several cells, and is not the layout of a page."""
        page, tree = self._page, self._page.tree
        node = int(page.elements[number])
        tags = tree.tags[node : int(tree.ends[node])]
        rows = tags.count("tr")
        largest = page.sizes[page.first[number] : page.last[number]].max()
        return bool(
            rows > 1
            and tags.count("td") + tags.count("th") > rows
            and tags.count("table") == 1
            and largest <= _CELL * self._size[number]
            and self._is_text(number, _LINKED_TABLE)
        )

    def is_quotation(self, number: int) -> bool:
        """Return whether a quotation or a list of terms is among paragraphs, mostly no link, and without controls.

        One that opens as boilerplate does needs a source in `cite`.
        """
        tree, node = self._page.tree, int(self._page.elements[number])
        is_cited = "cite" in tree.tags[node : int(tree.ends[node])]
        return self._is_text(number, _LINKED) and (is_cited or not self._has_label(number))

    def is_list_of_notes(self, number: int) -> bool:
        """Return whether the complete names of an element say that it holds references or notes, and no text of it
        opens as boilerplate does."""
        values = self._page.tree.attributes[int(self._page.elements[number])]
        names = " ".join(values.get(name, "") for name in _NAMING).lower()
        return _NAMES.search(names) is not None and not self._has_label(number)

    def _is_text(self, number: int, linked: float) -> bool:
        is_plain = self._linked[number] <= linked * self._size[number] and not self._controls[number]
        return bool(is_plain and self._is_beside[number])

    def _has_label(self, number: int) -> bool:
        texts = self._page.texts[self._page.first[number] : self._page.last[number]]
        return any(opens_boilerplate(text.lower()) for text in texts)

    def under(self, block: int) -> Iterator[Part]:
        """Yield the list, or the paragraphs, under a heading as a part."""
        page = self._page
        number = int(self._tops[page.owners[block]])
        around = int(page.parents[number])
        if page.last[around] == block + 1 or not (self.is_held[number] or self.is_held[around]):
            return
        end = block + 1
        while (number := self._after(number)) < len(page.elements) and page.parents[number] == around:
            tag = page.tree.tags[int(page.elements[number])]
            if page.first[number] != end or (end > block + 1 and tag != "p") or self._is_heading[end]:
                break
            end = int(page.last[number])
        if end > block + 1:
            yield block, end

    def _after(self, number: int) -> int:
        """Return the element after an element and all that are in it."""
        node = int(self._page.elements[number])
        return int(np.searchsorted(self._page.elements, self._page.tree.ends[node]))
