"""What is known about each block of a page, as numbers: the block itself, its neighbours, its place in the tree.

Chains of elements that hold the same blocks count as one level, so that wrappers around an article change little.
"""

from __future__ import annotations

import numpy as np

from simhash_doc_extraction.html.blocks import HEADINGS, Array, Page, jumps
from simhash_doc_extraction.html.metadata import Metadata
from simhash_doc_extraction.html.names import role_bits
from simhash_doc_extraction.html.parts import parts_of_article
from simhash_doc_extraction.html.rules import Verdicts
from simhash_doc_extraction.html.texts import text_features
from simhash_doc_extraction.html.tree import Bools, Integers

Columns = dict[str, Array]
"""Name of a feature -> its value for each block."""

PART = "in_part"
"""The feature that a block is in a part of an article beside its paragraphs."""

_TAGS = ("p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "dt", "dd", "pre", "figcaption", "div")
_LONG = 80
_LONG_LINK_SHARE = 0.4
_LABEL = 60
_LINKED_HEADING = 0.5  # share of a heading
_NEARBY = 5
_FAR = 99
_MOST_COPIES = 20


def features_of(page: Page, metadata: Metadata, verdicts: Verdicts) -> Columns:
    """Return the features of the blocks of a page.

    Args:
        page: a page with at least one block.
        metadata: what the page declares about itself.
        verdicts: what the rules say about the page.

    Returns:
        Name of a feature -> its value for each block, an array of shape (blocks,).
    """
    columns = text_features(page.texts, metadata)
    characters, size = columns["characters"], columns.pop("size")
    columns["link_share"] = np.minimum(page.linked, characters) / np.maximum(characters, 1)
    columns["word_length"] = characters / np.maximum(columns["words"], 1)
    columns["characters"] = size
    columns["links"] = page.links.astype(float)
    columns["copies"] = np.minimum(columns["copies"], _MOST_COPIES)
    is_prose = (size >= _LONG) & (columns["link_share"] < _LONG_LINK_SHARE)
    columns |= _heading_features(page, columns)
    columns |= _neighbour_features(columns, is_prose)
    columns |= _page_features(page, metadata, columns, is_prose)
    columns[PART] = np.zeros(len(size))
    for first, last in parts_of_article(page, verdicts):
        columns[PART][first:last] = 1.0
    return columns | _Places(page, columns, is_prose, verdicts).columns


def _heading_features(page: Page, columns: Columns) -> Columns:
    """Return what the block is called and what heading it is under."""
    codes = page.tree.codes[page.elements]
    headings = np.array([int(name[1]) if name in HEADINGS else 0 for name in page.tree.names])[codes]
    level, above = headings[page.owners], page.owners
    for _ in range(2):
        above = page.parents[above]
        level = np.where(level > 0, level, headings[above])
    known = {name: number for number, name in enumerate(_TAGS)}
    tag = np.array([known.get(name, len(_TAGS)) for name in page.tree.names])[codes][page.owners]
    is_label = (columns["is_label"] > 0) & (columns["characters"] < _LABEL) & (columns["link_share"] < _LINKED_HEADING)
    is_heading = (level > 0) | is_label  # "Reply" as a link is none
    index = np.arange(len(level))
    last = np.maximum.accumulate(np.where(is_heading, index, -1))
    return {
        "tag": tag.astype(float),
        "heading_level": level.astype(float),
        "under_label": np.where(last < 0, 0.0, columns["is_label"][last]),
        "under_link_share": np.where(last < 0, 0.0, columns["link_share"][last]),
        "since_heading": np.where(last < 0, _FAR, np.minimum(index - last, _FAR)).astype(float),
    }


def _neighbour_features(columns: Columns, is_prose: Bools) -> Columns:
    """Return what the blocks next to the block are, and where in the prose of the page it is."""
    level = columns["heading_level"]
    count = len(level)
    of_neighbours = {
        "characters": columns["characters"],
        "link_share": columns["link_share"],
        "kind": level + 7 * (columns["tag"] == 1),
    }
    found: Columns = {}
    for name, values in of_neighbours.items():
        padded = np.concatenate([[-1.0], values, [-1.0]])  # outside the page
        found[f"before_{name}"], found[f"after_{name}"] = padded[:-2], padded[2:]
    index = np.arange(count)
    passed = np.concatenate([[0.0], np.cumsum(is_prose)])
    low, high = np.maximum(index - _NEARBY, 0), np.minimum(index + _NEARBY + 1, count)
    last = np.maximum.accumulate(np.where(is_prose, index, -_FAR))
    following = np.minimum.accumulate(np.where(is_prose, index, count + _FAR)[::-1])[::-1]
    titles = np.flatnonzero(level == 1)
    return found | {
        "prose_nearby": (passed[high] - passed[low]) / np.maximum(high - low, 1),
        "to_prose_before": np.minimum(index - last, _FAR).astype(float),
        "to_prose_after": np.minimum(following - index, _FAR).astype(float),
        "prose_before": np.minimum(passed[:-1], _NEARBY),
        "prose_after": np.minimum(passed[-1] - passed[1:], _NEARBY),
        "after_h1": (index >= titles[0]).astype(float) if len(titles) else np.full(count, -1.0),
    }


def _page_features(page: Page, metadata: Metadata, columns: Columns, is_prose: Bools) -> Columns:
    size = columns["characters"]
    total = max(size.sum(), 1.0)
    is_forum = metadata.declares("discussion", "qapage", "question", "socialmediaposting")
    values: dict[str, float] = {
        "page_characters": total,
        "page_blocks": len(size),
        "page_link_share": (columns["link_share"] * size).sum() / total,
        "page_prose": np.where(is_prose, size, 0.0).sum() / total,
        "page_articles": min(int((page.tree.having({"article"}) & page.shown).sum()), 30),
        "page_prices": columns.pop("price").sum(),
        "page_is_article": metadata.declares("article", "blogposting", "report"),
        "page_is_product": metadata.declares("product"),
        "page_is_forum": is_forum and not metadata.declares("faqpage"),  # whose author asks the questions
        "page_og_article": "og:article" in metadata.types,
    }
    constant = np.array([list(values.values())], dtype=float).T
    return dict(zip(values, np.repeat(constant, len(size), axis=1), strict=True))


_INSIDE = ("aside", "main", "article", "ul", "figure", "a")
_ROLES = (
    "comment related navigation footer header side advert consent signup author meta content product list "
    "caption".split()
)
_BITS = np.array([role_bits([role]) for role in _ROLES])
_FAR_UP = 30
_BESIDE = role_bits(set(_ROLES) - {"content", "product", "list"})
"""Roles of what is beside a document."""
_MISNAMED, _MISNAMED_TOGETHER = 0.4, 0.2
"""An element with more of the text of the page, or with those of its class, is not beside the document."""
_NOT_ITEMS = HEADINGS | frozenset("p span td th a b i em strong pre figcaption".split())
_LEAST_ITEMS = 3
_LEVELS = 3
_NONE = 99


def _along(ufunc: np.ufunc, values: Integers, steps: list[Integers]) -> Integers:
    """Return for each element the maximum, or another such function, of the values on its way, its own included.

    If the function is not idempotent, the value at the end of a way must be its neutral element.
    """
    for above in steps:
        values = ufunc(values, values[above])
    return values


class _Places:
    """The elements of a page as arrays: what each holds, and where it is.

    Attributes:
        columns: the features.
    """

    def __init__(self, page: Page, blocks: Columns, is_prose: Bools, verdicts: Verdicts) -> None:
        self._page, self._blocks = page, blocks
        self._owners = page.owners
        size = blocks["characters"]
        self._block_prose = np.where(is_prose, size, 0.0)
        self._total = max(float(size.sum()), 1.0)
        self._size = page.sums(size)
        self._linked = page.sums(blocks["link_share"] * size)
        self._chain = page.chains()
        tops = self._chain[-1]
        self._upward = jumps(page.parents)
        self._wider: Integers = np.where(tops == 0, -1, page.parents[tops])  # the nearest that holds more blocks
        self._is_misnamed = self._find_misnamed()
        # similar elements have one path and one parent; the class of most paragraphs does not count
        has_class = np.zeros(len(page.tree.tags), dtype=bool)
        has_class[[number for number, _ in page.tree.values_of("class")]] = True
        is_plain = page.tree.having(_NOT_ITEMS)[page.elements] & (self._is_misnamed | ~has_class[page.elements])
        paths = np.where(is_plain, page.tree.codes[page.elements], len(page.tree.names) + page.paths)
        _, kinds = np.unique(page.parents * (paths.max() + 1) + paths, return_inverse=True)
        self._kinds: Integers = kinds.reshape(-1)
        self._siblings, self._repeated = self._count_siblings()
        self._contents = {
            "share": self._size / self._total,
            "link_share": self._linked / np.maximum(self._size, 1),
            "mean": self._size / np.maximum(page.last - page.first, 1),
            "blocks": np.maximum(page.last - page.first, 1).astype(float),
            "prose": page.sums(self._block_prose) / np.maximum(self._size, 1),
            "siblings": self._siblings,
        }
        self.columns: Columns = {}
        self._add_levels()
        self._add_ancestors(verdicts)
        self._add_items()
        self._add_teasers()

    def _count_siblings(self) -> tuple[Array, Integers]:
        """Return for each element how many of its siblings have its tag and class: the most along its chain of
        elements that hold the same blocks; and the element of the chain that has them."""
        count = len(self._kinds)
        siblings = np.bincount(self._kinds[1:], minlength=count)[self._kinds]
        siblings[0] = 0
        most = _along(np.maximum, siblings * count + np.arange(count)[::-1], self._chain)  # of equal ones the outermost
        return (most // count).astype(float), count - 1 - most % count

    def _add_levels(self) -> None:
        """Add the contents of the owner of the block and of the next wider elements; -1 outside the page."""
        level = self._owners
        for number in range(_LEVELS):
            self._add_contents(f"level{number}", self._contents, level)
            level = np.where(level >= 0, self._wider[level], -1)

    def _add_contents(self, prefix: str, per_element: Columns, elements: Integers) -> None:
        """Add for each block the values of an element; -1 if the element is -1."""
        values = np.where(elements >= 0, np.array(list(per_element.values()))[:, elements], -1.0)
        self.columns.update(zip((f"{prefix}_{name}" for name in per_element), values, strict=True))

    def _add_ancestors(self, verdicts: Verdicts) -> None:
        """Add what the tags, the names and the rules say about the ancestors of the block."""
        page, tree, owners = self._page, self._page.tree, self._owners
        nodes = page.elements[owners]
        for tag in _INSIDE:
            self.columns[f"inside_{tag}"] = tree.within(tree.having({tag}))[nodes].astype(float)
        self.columns["rule_links"] = tree.within(verdicts.is_links)[nodes].astype(float)
        self.columns["rule_controls"] = tree.within(verdicts.is_controls)[nodes].astype(float)
        in_main = (nodes >= verdicts.root) & (nodes < tree.ends[verdicts.root])
        self.columns["in_declared_main"] = in_main.astype(float)
        depth = _along(np.add, (np.arange(len(page.parents)) > 0).astype(np.int64), self._upward)
        nearest = self._nearest_roles()[owners].T
        distance = np.where(nearest >= 0, np.minimum(depth[owners] - depth[nearest], _FAR_UP), _NONE)
        self.columns.update(zip((f"{role}_distance" for role in _ROLES), distance.astype(float), strict=True))

    def _nearest_roles(self) -> Integers:
        """Return for each element the nearest one around it with each of `_ROLES`, or -1: (elements, roles)."""
        page = self._page
        roles = page.traits[page.elements] & _BITS.sum()
        roles[self._is_misnamed] &= ~_BESIDE
        roles[0] = 0
        own = np.where(roles[:, np.newaxis] & _BITS > 0, np.arange(len(roles))[:, np.newaxis], -1)
        return _along(np.maximum, own, self._upward)

    def _find_misnamed(self) -> Bools:
        """Return which elements are not beside the document, whatever their names are: an element, or the texts of all
        elements of its class, are much of the page."""
        page = self._page
        own = np.bincount(self._owners, self._blocks["characters"], len(page.elements))
        holders = np.flatnonzero(own)
        numbers: dict[str, int] = {}
        names = [page.tree.attributes[node].get("class", "") for node in page.elements[holders].tolist()]
        classes = [numbers.setdefault(name, len(numbers)) for name in names]
        result: Bools = self._size > _MISNAMED * self._total
        result[holders] |= np.bincount(classes, own[holders])[classes] > _MISNAMED_TOGETHER * self._total
        return result

    def _add_items(self) -> None:
        """Add what the nearest of several similar elements around the block holds, and what they hold together."""
        tree, kinds = self._page.tree, self._kinds
        may_be = (self._siblings >= _LEAST_ITEMS) & ~tree.having(_NOT_ITEMS)[self._page.elements]
        item = _along(np.maximum, np.where(may_be, np.arange(len(may_be)), -1), self._upward)[self._owners]
        together, linked = np.bincount(kinds, self._size), np.bincount(kinds, self._linked)
        with_link = np.bincount(kinds, (self._linked > 0) & may_be)
        number = np.maximum(np.bincount(kinds), 1)
        per_element = {
            "size": self._size,
            **{name: self._contents[name] for name in ("blocks", "link_share", "prose", "siblings")},
            "all_share": together[kinds] / self._total,
            "all_mean": together[kinds] / number[kinds],
            "all_link_share": linked[kinds] / np.maximum(together[kinds], 1),
            "all_linked": with_link[kinds] / number[kinds],
        }
        self._add_contents("item", per_element, np.where(item >= 0, self._repeated[item], -1))

    def _add_teasers(self) -> None:
        """Add which blocks are in a teaser, the share of the prose in teasers, and how much prose is in none.

        A teaser is one of several similar elements, and the heading above its text is a link.
        """
        columns, prose = self.columns, self._block_prose
        is_teaser = (columns["item_siblings"] >= 0) & (self._blocks["under_link_share"] > _LINKED_HEADING)
        total, others = float(prose.sum()), float(prose[~is_teaser].sum())
        columns["in_teaser"] = is_teaser.astype(float)
        columns["page_teaser_prose"] = np.full(len(prose), (total - others) / max(total, 1.0))
        columns["page_article_prose"] = np.full(len(prose), others)
