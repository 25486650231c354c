"""The blocks of text on a web page: what a browser shows as paragraphs, headings, cells and list items.

What a reader of the page does not see as text is left out. Formulas in TeX become text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from simhash_doc_extraction.html.code import line_numbers
from simhash_doc_extraction.html.cut import cut_elements
from simhash_doc_extraction.html.hidden import heads_panel, hidden_elements
from simhash_doc_extraction.html.names import EDIT_LINK, HEADING_ANCHOR, ON_ITS_OWN, traits_of
from simhash_doc_extraction.html.tree import BLOCKS, NEVER_TEXT, TEXT, Bools, Integers, Tree
from simhash_doc_extraction.text_builder import TextBuilder

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_VERBATIM = frozenset({"pre", "xmp", "listing", "plaintext", "textarea"})
_ANNOTATIONS = frozenset({"rp", "rt", "rtc", "annotation", "annotation-xml"})
"""Ruby annotations and the source of formulas: they repeat text that is shown."""
_CONTROLS = frozenset({"button", "input", "select", "textarea"})
_NESTED = frozenset("ul ol li dl dd blockquote font".split())
"""Elements that are nested in their own kind without a class that says so."""
_MOST_KINDS = 50  # of elements around one, among which its kind is looked for
_MARKS = frozenset({"a", "span", "sup"})

Array = npt.NDArray[np.float64]


@dataclass(slots=True)
class Page:
    """What a browser shows of a page, and its blocks of text.

    A block is identified by its position in `texts`, an element that holds a block by its position in `elements`.
    The other arrays have a value for each node of the tree.

    Attributes:
        tree: the page.
        complete: what is shown of the page together with what is cut.
        shown: whether the node is shown.
        cut: whether the element is boilerplate that was cut before the blocks were read.
        cut_characters: characters of the text in these, without white space.
        traits: what the tag and the attributes of the element say, as a sum of the traits in `names`.
        characters: characters of a node of text that is shown, without white space.
        is_link: whether the element is a link that is shown.
        is_control: whether the element is a form control that is not hidden.
        elements: the nodes of the elements that hold a block; the first is the root.
        parents: for each element its parent; 0 for the root.
        paths: for each element a number for the tags and classes from the root to it. What is nested in its own kind,
            such as a reply to a reply, has the number of what is not.
        first: for each element its first block.
        last: for each element the block after its last one.
        texts: the text of each block.
        sizes: for each block the number of its characters.
        starts: for each block its first node of text.
        owners: for each block the innermost block element that holds its start.
        links: for each block the number of links in it.
        linked: for each block the number of characters inside links, without white space.
    """

    tree: Tree
    complete: Shown
    shown: Bools
    cut: Bools
    cut_characters: int
    traits: Integers
    characters: Integers
    is_link: Bools
    is_control: Bools
    elements: Integers
    parents: Integers
    paths: Integers
    first: Integers
    last: Integers
    texts: list[str]
    sizes: Integers
    starts: Integers
    owners: Integers
    links: Integers
    linked: Integers

    def sums(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return for each element the sum of the values of its blocks."""
        passed = np.concatenate([[0], np.cumsum(values)])
        sums: npt.NDArray[Any] = passed[self.last] - passed[self.first]
        return sums

    def chains(self) -> list[Integers]:
        """Return `jumps` to the parents that hold the same blocks: at last to the outermost of these."""
        same = (self.first == self.first[self.parents]) & (self.last == self.last[self.parents])
        return jumps(np.where(same, self.parents, np.arange(len(same))))


def jumps(above: Integers) -> list[Integers]:
    """Return where each element leads in 1, 2, 4 and more steps, given where it leads in one: at last to itself."""
    found = [above]
    while not np.array_equal(further := above[above], above):
        found.append(above := further)
    return found


@dataclass(slots=True)
class Shown:
    """What a browser shows of a page, for each node of its tree.

    Attributes:
        traits: as in `Page`.
        hidden: whether the node is hidden, or in an element that is (SD-EXTRACT-5).
        skipped: whether the element is left out.
        inside: whether the node is in the body.
        shown: whether the node is in the body, and in no element that is left out.
        seen: whether the node is shown, or is left out and can end a block, or part two words.
    """

    traits: Integers
    hidden: Bools
    skipped: Bools
    inside: Bools
    shown: Bools
    seen: Bools

    @classmethod
    def of(cls, tree: Tree) -> Shown:
        """Return what is shown of a tree."""
        traits = traits_of(tree)
        hidden = tree.within(hidden_elements(tree, traits))
        return cls._without(tree, traits, hidden, _never_text(tree, traits) | hidden)

    @classmethod
    def _without(cls, tree: Tree, traits: Integers, hidden: Bools, skipped: Bools) -> Shown:
        inside = np.zeros(len(skipped), dtype=bool)
        inside[tree.body : int(tree.ends[tree.body])] = True
        skipped[tree.body] = False
        covered = tree.nesting(np.flatnonzero(skipped))
        shown = inside & (covered == 0)
        return cls(traits, hidden, skipped, inside, shown, shown | (inside & skipped & (covered == 1)))

    def without(self, tree: Tree, cut: Bools) -> Shown:
        """Return what is shown without some elements."""
        return self._without(tree, self.traits, self.hidden, self.skipped | cut) if cut.any() else self


def read_texts(tree: Tree) -> list[str]:
    """Return the blocks of a tree, without what separates a document from boilerplate."""
    return _walk(tree, Shown.of(tree))[0]


def read_page(tree: Tree) -> Page:
    """Return the shown parts of a tree and its blocks (SD-EXTRACT-8), without the boilerplate that is cut."""
    complete = Shown.of(tree)
    is_link = np.zeros(len(tree.tags), dtype=bool)
    is_link[[number for number, value in tree.values_of("href") if _is_address(tree, number, value)]] = True
    is_link &= complete.shown & tree.having({"a"})
    is_control = tree.having(_CONTROLS) & ~complete.hidden & complete.inside
    is_control[[number for number, value in tree.values_of("type") if value == "hidden"]] = False
    cut = cut_elements(tree, complete.traits, complete.shown, is_link, is_control)
    found = complete.without(tree, cut)
    shown = found.shown
    is_link &= shown
    is_control &= ~tree.within(cut)
    characters = np.where(shown, tree.characters, 0)
    cut_characters = int(tree.characters[complete.shown & ~shown].sum())
    texts, ends, starts, owners, flushers = _walk(tree, found)
    within_link = tree.nesting(np.flatnonzero(is_link)) > 0
    sums = np.concatenate([[0], np.cumsum(is_link)])
    links = sums[np.minimum(ends, len(shown))] - sums[starts] + within_link[starts]
    text_nodes = np.flatnonzero(characters)
    linked = np.bincount(
        np.searchsorted(ends, text_nodes, side="right"), characters[text_nodes] * within_link[text_nodes], len(ends) + 1
    )[: len(ends)].astype(np.int64)
    is_element = shown & ~tree.having({TEXT})
    elements, first, last = _ranges(tree, np.flatnonzero(is_element), ends, flushers)
    position = np.zeros(len(shown), dtype=np.int64)
    position[elements] = np.arange(len(elements))
    parents = position[tree.above[elements]]
    parents[0] = 0
    paths = _paths(tree, elements, parents)
    owners = position[owners]
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    return Page(
        tree, complete, shown, cut, cut_characters, found.traits, characters, is_link, is_control, elements,
        parents, paths, first, last, texts, sizes, starts, owners, links, linked,
    )  # fmt: skip


def _is_address(tree: Tree, number: int, value: str) -> bool:
    """Return whether a link leads anywhere, and is not the anchor of the heading that holds it."""
    return value != "" and not (value[0] == "#" and tree.tags[tree.parents[number]] in HEADINGS)


def complete_texts(page: Page) -> list[str]:
    """Return the blocks of a page and of what was cut."""
    return _walk(page.tree, page.complete)[0]


def cut_texts(page: Page) -> list[tuple[int, str]]:
    """Return the blocks of what was cut, each with the number of the block of the page that follows it."""
    tree = page.tree
    found = page.complete.without(tree, ~tree.within(page.cut) & tree.having({TEXT}))
    texts, _, starts, *_ = _walk(tree, found)
    return list(zip(np.searchsorted(page.starts, starts).tolist(), texts, strict=True))


def _ranges(tree: Tree, elements: Integers, ends: Integers, flushers: Integers) -> tuple[Integers, Integers, Integers]:
    """Return the elements that hold a block, the first block of each, and the block after its last."""
    first = np.searchsorted(ends, elements, side="right")
    last = np.searchsorted(ends, tree.ends[elements], side="left")
    at = np.minimum(last, max(len(ends) - 1, 0))
    if len(ends):  # a block that ends with an element is in it, unless an element around it ended the block
        last += (last < len(ends)) & (ends[at] == tree.ends[elements]) & (flushers[at] >= elements)
    holds = last > first
    holds[:1] = True
    return elements[holds], first[holds], last[holds]


def _paths(tree: Tree, elements: Integers, parents: Integers) -> Integers:
    numbers: dict[tuple[int, str, str | None], int] = {}
    kinds: list[dict[tuple[str, str | None], int]] = []  # for each path the kinds on it
    paths: list[int] = []
    for node, parent in zip(elements.tolist(), parents.tolist(), strict=True):
        tag, name = tree.tags[node], tree.attributes[node].get("class")
        above = paths[parent] if paths else -1
        if (number := numbers.get((above, tag, name))) is None:
            on_path = kinds[above] if paths else {}
            number = on_path.get((tag, name)) if name or tag in _NESTED else None
            if number is None:
                number = len(kinds)
                kinds.append({**on_path, (tag, name): number} if len(on_path) < _MOST_KINDS else on_path)
            numbers[above, tag, name] = number
        paths.append(number)
    return np.array(paths, dtype=np.int64)


_NOTHING, _TEXT, _BLOCK, _VERBATIM_BLOCK, _BREAK, _APART, _GAP, _END = range(8)


def _kinds(tree: Tree, found: Shown) -> Integers:
    """Return for each node what it does to the text."""
    is_block = tree.having(BLOCKS)
    kinds = np.where(is_block, _BLOCK, _NOTHING)
    kinds[tree.having(_VERBATIM)] = _VERBATIM_BLOCK
    kinds[tree.having({"br"})] = _BREAK
    noted = tree.sums(tree.having({"a"})) > 0
    own_line = (kinds == _NOTHING) & (found.traits & ON_ITS_OWN > 0)
    if own_line.any():
        kinds[own_line & ~tree.within(tree.having(_VERBATIM))] = _APART
    kinds[tree.having({"sup"}) & noted] = _APART
    kinds[tree.body] = kinds[tree.body] or _BLOCK
    kinds[tree.having({TEXT})] = _TEXT
    gap = np.where(is_block, _END, np.where(tree.having(NEVER_TEXT | _ANNOTATIONS), _NOTHING, _GAP))
    return np.where(found.shown, kinds, np.where(found.seen, gap, _NOTHING))


def _walk(tree: Tree, page: Shown) -> tuple[list[str], Integers, Integers, Integers, Integers]:
    """Return the blocks; and for each the node after it, its first node of text, the innermost block element that holds
    that, and the element whose end ended the block, or -1."""
    found: list[tuple[int, int, int, int]] = []
    kinds = _kinds(tree, page)
    active = np.flatnonzero(kinds)
    builder = TextBuilder()
    node_ends: list[int] = tree.ends.tolist()
    after = len(node_ends)
    end = node_ends[tree.body]  # of the last of those that are open
    opened = [(end, tree.body, _BLOCK)]  # block elements, and those set apart
    blocks = [tree.body]
    formulas = _formulas(tree)
    start = -1

    def end_block(at: int, flusher: int) -> None:
        nonlocal start
        if builder.end_block():
            found.append((at, start, owner, flusher))
        start = -1

    owner = tree.body
    inline = builder.inline
    for number, kind in zip([*active.tolist(), after], [*kinds[active].tolist(), _NOTHING], strict=True):
        while number >= end:
            _, closed, closed_kind = opened.pop()
            if closed_kind == _APART:
                inline.append(" ")
            else:
                if inline:
                    end_block(end, closed)
                blocks.pop()
                if closed_kind == _VERBATIM_BLOCK:
                    builder.end_verbatim()
            end = opened[-1][0] if opened else after + 1
        if kind == _TEXT:
            text = tree.texts[number]
            if start < 0 and not text.isspace():
                start, owner = number, blocks[-1]
            if start >= 0 or builder.verbatim:
                inline.append(formulas.get(number, text))
        elif kind == _BREAK:
            inline.append("\n")
        elif kind == _GAP:
            inline.append(" ")
        elif kind == _APART:
            inline.append(" ")  # such as the number of a note, which is not part of the word before it (SD-EXTRACT-4)
            end = node_ends[number]
            opened.append((end, number, kind))
        elif kind != _NOTHING:
            if inline:
                end_block(number, -1)
            if kind != _END and number != tree.body:
                end = node_ends[number]
                opened.append((end, number, kind))
                blocks.append(number)
                if kind == _VERBATIM_BLOCK:
                    builder.begin_verbatim()
    ends, starts, owners, flushers = np.array(found, dtype=np.int64).reshape(-1, 4).T.copy()
    return builder.blocks, ends, starts, owners, flushers


def _never_text(tree: Tree, traits: Integers) -> Bools:
    """Return for each node whether it is an element whose text is not that of the document."""
    result = tree.having(NEVER_TEXT | _ANNOTATIONS)
    result[list(line_numbers(tree))] = True
    buttons = np.flatnonzero(tree.having({"button"}))
    if len(buttons):  # one in a heading opens a section; one that was never closed holds the page
        holds_page = tree.sums(tree.having({"article", "main", "h1"}))
        for number in buttons.tolist():
            is_heading = tree.tags[tree.parents[number]] in HEADINGS or heads_panel(tree, number)
            result[number] = not (holds_page[number] or is_heading or _is_in_sentence(tree, number))
    marks = tree.having(_MARKS)
    result[marks & (traits & EDIT_LINK > 0)] = True
    for number in np.flatnonzero(marks & (traits & HEADING_ANCHOR > 0)).tolist():
        result[number] |= not any(map(str.isalnum, tree.string(number)))
    return result


def _is_in_sentence(tree: Tree, button: int) -> bool:
    """Return whether a button is a word of the text around it, such as a term that it explains."""
    beside = [button - 1, int(tree.ends[button])]
    return all(
        at < len(tree.tags) and tree.parents[at] == tree.parents[button] and any(map(str.isalpha, tree.texts[at]))
        for at in beside
    ) and any(map(str.isalpha, tree.string(button)))


def _formulas(tree: Tree) -> dict[int, str]:
    """Return the text of each formula in TeX that is an element of its own, by the node of its text."""
    return {
        number + 1: without_tex(tree.texts[number + 1])
        for number, name in tree.values_of("class")
        if "math" in name
        and "math" in name.split()
        and tree.tags[number] in ("span", "div")
        and tree.ends[number] == number + 2
        and tree.tags[number + 1] == TEXT
    }


_TEX = re.compile(r"\\(?:begin|end|label|tag)\{[^{}]*\}|\\[a-zA-Z]+\*?|\\.|[{}_^$&]")
_OPENING = re.compile(r"\\[(\[]")
_CLOSING = {"\\(": "\\)", "\\[": "\\]"}
_LONGEST = {"\\(": 2000, "\\[": 4000}  # characters of a formula


def joined(blocks: Iterable[str]) -> str:
    """Return blocks as one text."""
    return without_inline_tex("\n\n".join(blocks))


def without_inline_tex(text: str) -> str:
    r"""Return a text with the formulas in it, \(...\) and \[...\], as they appear in print."""
    pieces: list[str] = []
    end = 0
    closings = dict.fromkeys(_CLOSING, 0)  # of each kind: the next one, or -1 if there is none
    for found in _OPENING.finditer(text):
        mark, first = found[0], found.end() + 1  # a formula has a character or more
        if found.start() < end:
            continue
        if 0 <= closings[mark] < first:
            closings[mark] = text.find(_CLOSING[mark], first)
        closing = closings[mark]
        if first <= closing <= found.end() + _LONGEST[mark]:
            pieces += text[end : found.start()], without_tex(text[found.start() : closing + 2])
            end = closing + 2
    return "".join([*pieces, text[end:]])


def without_tex(formula: str) -> str:
    """Return the letters and numbers of a TeX formula, as they appear in print."""
    return _TEX.sub(lambda found: "" if found[0] in "{}_^" else " ", formula)
