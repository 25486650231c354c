"""What is known about each block of a page, as numbers: the block itself, its neighbours, its place in the tree.

Chains of elements that hold the same blocks count as one level, so that wrappers around an article change little.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import chain

import numpy as np

from simhash_doc.extract.html.blocks import HEADINGS, Array, Page
from simhash_doc.extract.html.metadata import Metadata
from simhash_doc.extract.html.names import ROLES, opens_boilerplate, roles_of
from simhash_doc.extract.html.rules import REASONS, Verdicts
from simhash_doc.extract.html.tree import Integers


def features_of(page: Page, metadata: Metadata, verdicts: Verdicts) -> Columns:
    """Return the features of the blocks of a page.

    Args:
        page: a page with at least one block.
        metadata: what the page declares about itself.
        verdicts: what the rules say about the page.

    Returns:
        Name of a feature -> its value for each block, an array of shape (blocks,).
    """
    blocks = Blocks(page, metadata)
    return blocks.columns | Places(page, blocks, verdicts).columns


Columns = dict[str, Array]
"""Name of a feature -> its value for each block."""

_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_SENTENCE_END = re.compile(r"[.!?…。！？।؟۔](?:(?<=[。！？।؟۔])|(?=[\s\"'”’»)\]]|$))")
_COMMA = re.compile(r"[,;:，、；：،]")
_WORD = re.compile(r"\w+")
_DIGIT = re.compile(r"\d")
_PRICE = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:€|zł|kr|USD|EUR)\b")
_TAGS = ("p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "dt", "dd", "pre", "figcaption", "div")
_WIDE_CHARACTER = 3  # characters of an alphabet that say as much
_DATE = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,2}[./:-]\d{1,2}\b|\b\d+ \w+ ago\b")
_CREDIT = re.compile(
    r"\((?:images?|photos?|pictures?|pic|credit|source|bild|foto|quelle|getty|reuters|ap|afp)\b[^()]*\)\s*$|"
    r"\b(?:getty images|shutterstock|photo by|photograph:|picture:|image:|foto:|crédit|credit:)"
)
_DATED = 120  # characters of a line with a date
_LONG = 80
_LONG_LINK_SHARE = 0.4
_LABEL = 60
_LONG_LABEL = 80
_TITLE = 300
_SAMPLE = 200
_NEIGHBOURS = 3
_NEARBY = 5
_FAR = 99
_MOST_COPIES = 20
_LEAST_BODY_TEXT = 9


class Blocks:
    """The blocks of a page as arrays.

    Attributes:
        size: characters without white space; a character of Chinese, Japanese or Korean counts as three.
        linked: characters inside links, counted in the same way.
        prose: `size` for a block of prose, otherwise 0.
        level: level of the heading that the block is, or 0.
        columns: the features.
    """

    def __init__(self, page: Page, metadata: Metadata) -> None:
        self._page = page
        self.columns: Columns = {}
        self._texts = list(dict.fromkeys(page.texts))  # the different ones
        numbers = {text: number for number, text in enumerate(self._texts)}
        self._number = np.fromiter(map(numbers.__getitem__, page.texts), dtype=np.int64, count=len(page.texts))
        measured = chain.from_iterable(map(_measure, self._texts))
        own = np.fromiter(measured, dtype=float, count=9 * len(self._texts)).reshape(-1, 9)[self._number]
        characters = own[:, 0]
        wide = self._per_text(len(_WIDE.findall(text)) if not text.isascii() else 0 for text in self._texts)
        link_share = np.minimum(page.linked, characters) / np.maximum(characters, 1)
        self.size: Array = characters + (_WIDE_CHARACTER - 1) * wide
        self.linked: Array = link_share * self.size
        self.prose: Array = np.where((self.size >= _LONG) & (link_share < _LONG_LINK_SHARE), self.size, 0.0)
        self.columns["characters"] = self.size
        self.columns["link_share"] = link_share
        self.columns["links"] = page.links.astype(float)
        self.columns["word_length"] = characters / np.maximum(own[:, 1], 1)
        names = ("words", "sentences", "commas", "ends_sentence", "capitals", "digits", "price", "is_date")
        self.columns.update(zip(names, own.T[1:], strict=True))
        self.columns["commas"] = 100 * self.columns["commas"] / np.maximum(self.size, 1)
        self._add_headings(metadata)
        self._add_article_body(metadata)
        self._add_neighbours()
        self._add_page(metadata)

    def _per_text(self, values: Iterable[float]) -> Array:
        """Return for each block the value of its text."""
        return np.fromiter(values, dtype=float, count=len(self._texts))[self._number]

    def _add_headings(self, metadata: Metadata) -> None:
        """Add what the block is called and what heading it is under."""
        page, columns = self._page, self.columns
        codes = page.tree.codes[page.elements]
        headings = np.array([int(name[1]) if name in HEADINGS else 0 for name in page.tree.names])[codes]
        level, above = headings[page.owners], page.owners
        for _ in range(2):
            above = page.parents[above]
            level = np.where(level > 0, level, headings[above])
        known = {name: number for number, name in enumerate(_TAGS)}
        tag = np.array([known.get(name, len(_TAGS)) for name in page.tree.names])[codes][page.owners]
        lower = list(map(str.lower, self._texts))
        title = set(_WORD.findall(metadata.title.lower()))
        opening = self._per_text(map(opens_boilerplate, lower))
        short = self._per_text(len(text) <= _LONG_LABEL for text in self._texts)
        label = opening * short * (1 - columns["ends_sentence"])
        is_heading = (level > 0) | ((label > 0) & (self.size < _LABEL))
        index = np.arange(len(page.texts))
        last = np.maximum.accumulate(np.where(is_heading, index, -1))
        sizes = dict(zip(page.texts, self.size.tolist(), strict=True)).values()
        similar = self._per_text(
            _similarity(set(_WORD.findall(text)), title) if title and size < _TITLE else 0.0
            for text, size in zip(lower, sizes, strict=True)
        )
        self.level: Array = level.astype(float)
        columns |= {"tag": tag.astype(float), "heading_level": self.level, "is_label": label}
        columns["under_label"] = np.where(last < 0, 0.0, label[last])
        columns["under_link_share"] = np.where(last < 0, 0.0, columns["link_share"][last])
        columns["since_heading"] = np.where(last < 0, _FAR, np.minimum(index - last, _FAR)).astype(float)
        columns["in_title"] = similar
        columns["opens_boilerplate"] = opening
        columns["credited"] = self._per_text(_CREDIT.search(text[-_DATED:]) is not None for text in lower)
        columns["copies"] = np.minimum(np.bincount(self._number)[self._number], _MOST_COPIES).astype(float)

    def _add_article_body(self, metadata: Metadata) -> None:
        """Add whether the structured data holds the block. -1: it is absent; 0.5: the block is too short to tell."""
        body = _squeezed(metadata.article_body)
        found = np.full(len(self.size), -1.0)
        if body:
            squeezed = map(_squeezed, self._texts)
            found = self._per_text(float(text in body) if len(text) >= _LEAST_BODY_TEXT else 0.5 for text in squeezed)
        self.columns["in_article_body"] = found
        self.columns["article_body_share"] = np.full(len(found), min(len(body) / max(self.size.sum(), 1), 2.0))

    def _add_neighbours(self) -> None:
        columns = self.columns
        kind = self.level + 7 * (columns["tag"] == 1)
        for distance in range(1, _NEIGHBOURS + 1):
            for side, offset in (("before", -distance), ("after", distance)):
                prefix = f"{side}{distance}"
                columns[f"{prefix}_characters"] = _shifted(self.size, offset)
                columns[f"{prefix}_link_share"] = _shifted(columns["link_share"], offset)
                columns[f"{prefix}_kind"] = _shifted(kind, offset)
                columns[f"{prefix}_sentences"] = _shifted(columns["sentences"], offset)
        count = len(self.size)
        index = np.arange(count)
        is_prose = self.prose > 0
        passed = np.concatenate([[0.0], np.cumsum(is_prose)])
        low, high = np.maximum(index - _NEARBY, 0), np.minimum(index + _NEARBY + 1, count)
        columns["prose_nearby"] = (passed[high] - passed[low]) / np.maximum(high - low, 1)
        last = np.maximum.accumulate(np.where(is_prose, index, -_FAR))
        following = np.minimum.accumulate(np.where(is_prose, index, count + _FAR)[::-1])[::-1]
        columns["to_prose_before"] = np.minimum(index - last, _FAR).astype(float)
        columns["to_prose_after"] = np.minimum(following - index, _FAR).astype(float)
        columns["prose_before"] = passed[:-1] / max(passed[-1], 1)
        columns["prose_after"] = (passed[-1] - passed[1:]) / max(passed[-1], 1)
        titles = np.flatnonzero(self.level == 1)
        columns["after_h1"] = (index >= titles[0]).astype(float) if len(titles) else np.full(count, -1.0)

    def _add_page(self, metadata: Metadata) -> None:
        total = max(self.size.sum(), 1.0)
        tags = self._page.tree.tags
        values: dict[str, float] = {
            "characters": total,
            "blocks": len(self.size),
            "link_share": self.linked.sum() / total,
            "prose": self.prose.sum() / total,
            "articles": min(tags.count("article"), 30),
            "mains": min(tags.count("main"), 3),
            "prices": self.columns["price"].sum(),
            "is_article": metadata.declares("article", "blogposting", "report"),
            "is_product": metadata.declares("product"),
            "is_forum": metadata.declares("discussion", "qapage", "question", "socialmediaposting"),
            "is_list": metadata.declares("itemlist", "collectionpage"),
            "is_faq": metadata.declares("faqpage"),
            "has_comments": metadata.declares("comment"),
            "og_article": "og:article" in metadata.types,
            "og_product": metadata.declares("og:product"),
        }
        for name, value in values.items():
            self.columns[f"page_{name}"] = np.full(len(self.size), float(value))


def _measure(text: str) -> tuple[float, ...]:
    """Return characters, words, sentences, commas, whether a sentence ends the block; capitals, digits, price, date."""
    words = text.split()
    characters = sum(map(len, words))
    digits = len(_DIGIT.findall(text, 0, _SAMPLE))
    return (
        characters,
        len(words),
        len(_SENTENCE_END.findall(text)),
        len(_COMMA.findall(text)),
        _SENTENCE_END.search(text, len(text) - 2) is not None,
        len([word for word in words if word[0].isupper()]) / len(words),
        digits / min(characters, _SAMPLE),
        digits and _PRICE.search(text, 0, _SAMPLE) is not None,
        digits and len(text) < _DATED and _DATE.search(text) is not None,
    )


def _similarity(words: set[str], title: set[str]) -> float:
    """Return how much of a block is in the title of the page, from 0 to 1; less if it is a small part of the title."""
    common = len(words & title)
    return common / len(words) * min(1.0, 2 * common / len(title)) if common else 0.0


def _squeezed(text: str) -> str:
    return "".join(_WORD.findall(text.lower()))


def _shifted(values: Array, offset: int) -> Array:
    """Return the value of the block at a distance, or -1 outside the page."""
    result = np.full(len(values), -1.0)
    if offset > 0:
        result[:-offset] = values[offset:]
    else:
        result[-offset:] = values[:offset]
    return result


_INSIDE = (
    "nav", "header", "footer", "aside", "form", "main", "article", "ul", "ol", "table", "blockquote", "figure", "a",
    "dl", "section", "label",
)  # fmt: skip
_PICTURES = frozenset({"img", "picture", "svg", "video", "iframe"})
_NOT_ITEMS = HEADINGS | frozenset("p span td th a b i em strong pre figcaption".split())
_LEAST_ITEMS = 3
_LEVELS = 5
_FAR_UP = 30
_NONE = 99
_MAIN_SHARES = (75, 50)  # per cent
_LINKED = 0.5  # share of a heading


class Places:
    """The elements of a page as arrays: what each holds, and where it is.

    Args:
        page: the page.
        blocks: its blocks.
        verdicts: what the rules say about the page.

    Attributes:
        columns: the features.
        paths: for each block a number for the tags and classes from the root to its owner.
    """

    def __init__(self, page: Page, blocks: Blocks, verdicts: Verdicts) -> None:
        self._page = page
        self._first, self._last, self._owners = page.first, page.last, page.owners
        self._blocks = blocks
        self._total = max(float(blocks.size.sum()), 1.0)
        self._size, self._linked, self._prose = map(self._sums, (blocks.size, blocks.linked, blocks.prose))
        self._count = self._last - self._first
        self.columns: Columns = {}
        same = (self._first == self._first[page.parents]) & (self._last == self._last[page.parents])
        self._is_chained: list[bool] = same.tolist()  # whether the element holds the same blocks as its parent
        parents = page.parents.tolist()
        wider = [-1] * len(parents)  # the nearest ancestor with more blocks
        for element in range(1, len(parents)):
            wider[element] = wider[parents[element]] if self._is_chained[element] else parents[element]
        self._wider: Integers = np.array(wider, dtype=np.int64)
        self._siblings, self._repeated = self._count_siblings()
        self._add_levels()
        self._add_paths()
        self._add_ancestors(verdicts)
        self._add_common_ancestors()
        self._add_items()
        self._article: Array = self._article_prose()
        self._add_main_prose()
        self._add_main_run()

    def _sums(self, values: Array) -> Array:
        """Return the sum over the blocks of each element."""
        sums = np.concatenate([[0.0], np.cumsum(values)])
        result: Array = sums[self._last] - sums[self._first]
        return result

    def _add_levels(self) -> None:
        """Add the contents of the owner of the block and of the next wider elements; -1 outside the page."""
        page, count = self._page, np.maximum(self._count, 1)
        per_element = {
            "share": self._size / self._total,
            "link_share": self._linked / np.maximum(self._size, 1),
            "mean": self._size / count,
            "blocks": count.astype(float),
            "prose": self._prose / np.maximum(self._size, 1),
            "siblings": self._siblings,
            "pictures": page.per_element(page.tree.having(_PICTURES) & ~page.hidden) / count,
            "controls": page.per_element(page.is_control) / count,
        }
        level = self._owners
        for number in range(_LEVELS):
            exists, element = level >= 0, np.maximum(level, 0)
            for name, values in per_element.items():
                self.columns[f"level{number}_{name}"] = np.where(exists, values[element], -1.0)
            level = np.where(exists, self._wider[element], -1)

    def _count_siblings(self) -> tuple[Array, Integers]:
        """Return for each element how many of its siblings have its tag and class: the most along its chain of
        elements that hold the same blocks; and the element of the chain that has them."""
        tree, parents = self._page.tree, self._page.parents.tolist()
        kinds = [
            (parent, tree.tags[node], tree.attributes[node].get("class"))
            for parent, node in zip(parents, self._page.elements.tolist(), strict=True)
        ]
        counts = Counter(kinds[1:])
        most = [0] * len(kinds)
        repeated = list(range(len(kinds)))
        for element in range(1, len(kinds)):
            most[element] = counts[kinds[element]]
            above = parents[element]
            if self._is_chained[element] and most[above] >= most[element]:
                most[element], repeated[element] = most[above], repeated[above]
        return np.array(most, dtype=float), np.array(repeated, dtype=np.int64)

    def _add_paths(self) -> None:
        """Add what the blocks with the same tags and classes from the root hold."""
        sizes = self._blocks.size
        group = self._page.paths[self._owners]
        count = np.bincount(group)
        size, linked = np.bincount(group, sizes), np.bincount(group, self._blocks.linked)
        self.columns["path_blocks"] = count[group].astype(float)
        self.columns["path_mean"] = (size / np.maximum(count, 1))[group]
        self.columns["path_link_share"] = (linked / np.maximum(size, 1))[group]
        self.columns["path_share"] = (size / self._total)[group]
        self.columns["page_path_share"] = np.full(len(group), count.max() / len(group))

    def _add_ancestors(self, verdicts: Verdicts) -> None:
        """Add what the tags, the names and the rules say about the ancestors of the block."""
        page, tree, owners = self._page, self._page.tree, self._owners
        bits = [1 << _INSIDE.index(tag) if tag in _INSIDE else 0 for tag in tree.names]
        own = np.array(bits, dtype=np.int64)[tree.codes[page.elements]]
        reasons = verdicts.reasons[page.elements]
        own |= np.where(reasons > 0, 1 << (len(_INSIDE) + reasons - 1), 0)
        named = [[-1] * len(ROLES)]  # the nearest element with each role
        inside, depths, at = own.tolist(), [0] * len(own), [0] * len(own)
        parents = page.parents.tolist()
        for element, node in enumerate(page.elements[1:].tolist(), 1):
            parent = parents[element]
            inside[element] |= inside[parent]
            depths[element] = depths[parent] + 1
            at[element] = at[parent]
            if roles := roles_of(tree.tags[node], tree.attributes[node]):
                at[element] = len(named)
                named.append([element if role in roles else nearest for role, nearest in enumerate(named[at[parent]])])
        held_by = np.array(inside, dtype=np.int64)[owners]
        for bit, name in enumerate([*(f"inside_{tag}" for tag in _INSIDE), *(f"rule_{reason}" for reason in REASONS)]):
            self.columns[name] = (held_by >> bit & 1).astype(float)
        nodes = page.elements[owners]
        in_main = (nodes >= verdicts.root) & (nodes < tree.ends[verdicts.root])
        self.columns["in_declared_main"] = in_main.astype(float)
        nearest = np.array(named, dtype=np.int64)[np.array(at, dtype=np.int64)[owners]].T
        exists, depth = nearest >= 0, np.array(depths, dtype=np.int64)
        share = np.where(exists, (self._size / self._total)[nearest], -1.0)
        distance = np.where(exists, np.minimum(depth[owners] - depth[nearest], _FAR_UP), _NONE)
        for role, name in enumerate(ROLES):
            self.columns[f"{name}_share"], self.columns[f"{name}_distance"] = share[role], distance[role]

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
            first, last = int(self._first[element]), int(self._last[element])
            result[first:low] = result[high:last] = self._size[element] / self._total
            low, high = min(first, low), max(last, high)
            element = int(self._wider[element])
        return result

    def _article_prose(self) -> Array:
        """Return the prose of each block that is neither in a teaser nor in a comment, and add the shares of both.

        A teaser is one of several similar elements, and the heading above its text is a link. Comments are named so,
        and do not hold the title. If the page has no other prose, all of it is returned.
        """
        columns, prose = self.columns, self._blocks.prose
        is_teaser = (columns["item_siblings"] >= 0) & (self._blocks.columns["under_link_share"] > _LINKED)
        is_comment = (columns["comment_share"] >= 0) & (columns["with_h1_share"] > columns["comment_share"])
        total = max(float(prose.sum()), 1.0)
        for name, which in (("teaser", is_teaser), ("comment", is_comment)):
            columns[f"in_{name}"] = which.astype(float)
            columns[f"page_{name}_prose"] = np.full(len(prose), float(prose[which].sum()) / total)
        article = np.where(is_teaser | is_comment, 0.0, prose)
        columns["page_article_prose"] = np.full(len(prose), float(article.sum()))
        return article if article.any() else prose

    def _add_main_prose(self) -> None:
        """Add whether the block is in the smallest element that holds most prose, as found from the root down."""
        index = np.arange(len(self._owners))
        sums = self._sums(self._article)
        for share in _MAIN_SHARES:
            holds = (100 * sums >= share * sums[0]) & (self._count > 1)
            element = int(np.flatnonzero(holds)[-1]) if sums[0] and holds.any() else 0
            within = (index >= self._first[element]) & (index < self._last[element])
            self.columns[f"main_prose_{share}"] = within.astype(float)

    def _add_main_run(self) -> None:
        """Add the place of the block before, in or after the main run: the paragraphs next to which most prose is."""
        page, prose = self._page, self._article
        count = len(self._owners)
        group = page.paths[page.parents[self._owners]]
        sums = np.bincount(group, prose)
        main = np.flatnonzero((group == np.argmax(sums)) & (prose > 0))
        names = ("in_main_run", "before_main_run", "after_main_run", "main_run_share", "with_main_run_share")
        if not len(main):
            self.columns |= {name: np.full(count, -1.0) for name in names}
            return
        index = np.arange(count)
        values = (
            (group == np.argmax(sums)).astype(float),
            np.clip(main[0] - index, 0, _NONE).astype(float),
            np.clip(index - main[-1], 0, _NONE).astype(float),
            np.full(count, sums.max() / self._total),
            self._common(int(main[-1])),
        )
        self.columns |= dict(zip(names, values, strict=True))

    def _add_items(self) -> None:
        """Add what the nearest of several similar elements around the block holds, and what they hold together."""
        page, tree = self._page, self._page.tree
        parents = page.parents.tolist()
        may_be = (self._siblings >= _LEAST_ITEMS) & ~tree.having(_NOT_ITEMS)[page.elements]
        item = [-1] * len(parents)
        for element, is_item in enumerate(may_be.tolist()):
            item[element] = int(self._repeated[element]) if is_item else item[parents[element]] if element else -1
        at = np.array(item, dtype=np.int64)[self._owners]
        exists, at = at >= 0, np.maximum(at, 0)
        # similar elements have one path and one parent
        _, group = np.unique(np.column_stack([page.parents, page.paths]), axis=0, return_inverse=True)
        group = group.reshape(-1)
        together = np.bincount(group, self._size)
        linked = np.bincount(group, self._linked)
        with_link = np.bincount(group, (self._linked > 0) & may_be)
        number = np.maximum(np.bincount(group), 1)
        count = np.maximum(self._count, 1)
        per_element = {
            "size": self._size,
            "blocks": count,
            "link_share": self._linked / np.maximum(self._size, 1),
            "prose": self._prose / np.maximum(self._size, 1),
            "siblings": self._siblings,
            "pictures": page.per_element(tree.having(_PICTURES) & ~page.hidden),
            "links": page.per_element(page.is_link),
            "times": page.per_element(tree.having({"time"})),
            "all_share": together[group] / self._total,
            "all_mean": together[group] / number[group],
            "all_link_share": linked[group] / np.maximum(together[group], 1),
            "all_linked": with_link[group] / number[group],
        }
        for name, values in per_element.items():
            self.columns[f"item_{name}"] = np.where(exists, values[at], -1.0)
