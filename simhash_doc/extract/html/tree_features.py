"""Features of a block of text from its place in the tree of the page.

Chains of elements that hold the same blocks count as one level, so that wrappers around an article change little.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt
from lxml.html import HtmlElement

from simhash_doc.extract.html.block_features import Array, Blocks, Columns
from simhash_doc.extract.html.blocks import Page
from simhash_doc.extract.html.boilerplate import REASONS
from simhash_doc.extract.html.names import ROLES, roles_of

_INSIDE = (
    "nav", "header", "footer", "aside", "form", "main", "article", "ul", "ol", "table", "blockquote", "figure", "a",
    "dl", "section", "label",
)  # fmt: skip
_LEVELS = 5
_DEEPEST = 60
_FAR = 30
_NONE = 99
_MAIN_SHARES = (75, 50)  # per cent

Integers = npt.NDArray[np.int64]


class Tree:
    """The elements of a page as arrays: what each holds, and where it is.

    Args:
        page: the page.
        blocks: its blocks.
        root: the element that is declared to hold the document.
        reasons: the elements that look like boilerplate, with the reason.
    """

    def __init__(self, page: Page, blocks: Blocks, root: HtmlElement, reasons: dict[HtmlElement, str]) -> None:
        self._page = page
        self._owners: Integers = np.array(page.owners, dtype=np.int64)
        self._first: Integers = np.array(page.first, dtype=np.int64)
        self._last: Integers = np.array(page.last, dtype=np.int64)
        self._blocks = blocks
        self._total = max(float(blocks.size.sum()), 1.0)
        self._size, self._linked, self._prose = map(self._sums, (blocks.size, blocks.linked, blocks.prose))
        self._count = self._last - self._first
        self.columns: Columns = {}
        self._wider = self._find_wider()
        self._add_levels()
        self._add_paths()
        self._add_ancestors(root, reasons)
        self._add_common_ancestors()
        self._add_main_prose()

    def _sums(self, values: Array) -> Array:
        """Return the sum over the blocks of each element."""
        sums = np.concatenate([[0.0], np.cumsum(values)])
        result: Array = sums[self._last] - sums[self._first]
        return result

    def _has_range_of_parent(self, element: int) -> bool:
        page, parent = self._page, self._page.parents[element]
        return (page.first[element], page.last[element]) == (page.first[parent], page.last[parent])

    def _find_wider(self) -> Integers:
        """Return for each element the nearest ancestor with more blocks, or -1."""
        wider = [-1] * len(self._page.elements)
        for element in range(1, len(wider)):
            parent = self._page.parents[element]
            wider[element] = wider[parent] if self._has_range_of_parent(element) else parent
        return np.array(wider, dtype=np.int64)

    def _add_levels(self) -> None:
        """Add the contents of the owner of the block and of the next wider elements; -1 outside the page."""
        page = self._page
        siblings = self._count_siblings()
        pictures, controls = np.array(page.pictures, dtype=float), np.array(page.controls, dtype=float)
        level = self._owners
        for number in range(_LEVELS):
            exists = level >= 0
            element = np.maximum(level, 0)
            count, size = np.maximum(self._count[element], 1), self._size[element]
            values = {
                "share": size / self._total,
                "link_share": self._linked[element] / np.maximum(size, 1),
                "mean": size / count,
                "blocks": count.astype(float),
                "prose": self._prose[element] / np.maximum(size, 1),
                "siblings": siblings[element],
                "pictures": pictures[element] / count,
                "controls": controls[element] / count,
            }
            for name, value in values.items():
                self.columns[f"level{number}_{name}"] = np.where(exists, value, -1.0)
            level = np.where(exists, self._wider[element], -1)

    def _count_siblings(self) -> Array:
        """Return for each element how many of its siblings have its tag and class: the most along its chain."""
        page = self._page
        kinds = [
            (parent, element.tag, element.get("class"))
            for parent, element in zip(page.parents, page.elements, strict=True)
        ]
        counts = Counter(kinds[1:])
        most = [0] * len(kinds)
        for element in range(1, len(kinds)):
            most[element] = counts[kinds[element]]
            if self._has_range_of_parent(element):
                most[element] = max(most[element], most[page.parents[element]])
        return np.array(most, dtype=float)

    def _add_paths(self) -> None:
        """Add what the blocks with the same path from the root hold: of tags and classes, and of tags alone."""
        page, sizes = self._page, self._blocks.size
        numbers: dict[tuple[int, str], int] = {}
        tags = [0] * len(page.elements)
        for element in range(1, len(tags)):
            key = tags[page.parents[element]], str(page.elements[element].tag)
            tags[element] = numbers.setdefault(key, len(numbers) + 1)
        _, group, count = np.unique(page.block_paths(), return_inverse=True, return_counts=True)
        size, linked = np.bincount(group, sizes), np.bincount(group, self._blocks.linked)
        self.columns["path_blocks"] = count[group].astype(float)
        self.columns["path_mean"] = (size / count)[group]
        self.columns["path_link_share"] = (linked / np.maximum(size, 1))[group]
        self.columns["page_path_share"] = np.full(len(group), count.max() / len(group))
        _, group = np.unique(np.array(tags)[self._owners], return_inverse=True)
        self.columns["tag_path_share"] = (np.bincount(group, sizes) / self._total)[group]

    def _add_ancestors(self, root: HtmlElement, reasons: dict[HtmlElement, str]) -> None:
        """Add what the tags, the names and the rules say about the ancestors of the block."""
        page = self._page
        count = len(page.elements)
        bits = {tag: 1 << number for number, tag in enumerate(_INSIDE)}
        rules = {reason: 1 << number for number, reason in enumerate(REASONS)}
        depth, inside, ruled = [0] * count, [0] * count, [0] * count
        nearest: list[tuple[int, ...]] = [(-1,) * len(ROLES)] * count
        for element, node in enumerate(page.elements):
            ruled[element] = rules.get(reasons.get(node, ""), 0) | (node is root) << len(rules)
            if not element or page.first[element] == page.last[element]:  # it holds no block
                continue
            parent = page.parents[element]
            depth[element] = depth[parent] + 1
            inside[element] = inside[parent] | bits.get(node.tag, 0)
            ruled[element] |= ruled[parent]
            nearest[element] = nearest[parent]
            if roles := roles_of(node):
                nearest[element] = tuple(element if role in roles else old for role, old in enumerate(nearest[parent]))
        depths = np.array(depth, dtype=float)
        self.columns["depth"] = np.minimum(depths[self._owners], _DEEPEST)
        self._add_bits("inside_", _INSIDE, inside)
        self._add_bits("rule_", REASONS, ruled)
        self._add_bits("in_", ("declared_main",), [rule >> len(REASONS) for rule in ruled])
        named = np.array([nearest[owner] for owner in page.owners], dtype=np.int64).reshape(-1, len(ROLES))
        for number, role in enumerate(ROLES):
            exists, at = named[:, number] >= 0, np.maximum(named[:, number], 0)
            distance = np.minimum(depths[self._owners] - depths[at], _FAR)
            self.columns[f"{role}_share"] = np.where(exists, self._size[at] / self._total, -1.0)
            self.columns[f"{role}_distance"] = np.where(exists, distance, _NONE)

    def _add_bits(self, prefix: str, names: tuple[str, ...], bits: list[int]) -> None:
        values = np.array(bits, dtype=np.int64)[self._owners]
        for number, name in enumerate(names):
            self.columns[f"{prefix}{name}"] = (values >> number & 1).astype(float)

    def _add_common_ancestors(self) -> None:
        """Add the size of the smallest element that also holds the title, or the longest paragraph."""
        titles = np.flatnonzero(self._blocks.level == 1)
        longest = int(np.argmax(self._blocks.prose)) if self._blocks.prose.any() else -1
        self.columns["with_h1_share"] = self._common(int(titles[0]) if len(titles) else -1)
        self.columns["with_longest_share"] = self._common(longest)

    def _common(self, block: int) -> Array:
        """Return for each block the share of the page of the smallest element that holds it and a given one."""
        if block < 0:
            return np.full(len(self._owners), -1.0)
        result = np.ones(len(self._owners))
        element = int(self._owners[block])
        low, high = block, block + 1
        result[block] = self._size[element] / self._total
        while element >= 0:
            first, last = self._page.first[element], self._page.last[element]
            result[first:low] = result[high:last] = self._size[element] / self._total
            low, high = min(first, low), max(last, high)
            element = int(self._wider[element])
        return result

    def _add_main_prose(self) -> None:
        """Add whether the block is in the smallest element that holds most prose, as found from the root down."""
        children: list[list[int]] = [[] for _ in self._page.elements]
        for element in range(1, len(children)):
            children[self._page.parents[element]].append(element)
        index = np.arange(len(self._owners))
        for share in _MAIN_SHARES:
            element = 0
            while True:
                best = max(children[element], key=lambda child: self._prose[child], default=None)
                if best is None or 100 * self._prose[best] < share * self._prose[0] or self._count[best] < 2:
                    break
                element = best
            within = (index >= self._first[element]) & (index < self._last[element])
            self.columns[f"main_prose_{share}"] = within.astype(float)
