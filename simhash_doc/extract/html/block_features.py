"""Features of a block of text by itself, of its neighbours, and of the page."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import numpy.typing as npt

from simhash_doc.extract.html.blocks import Page
from simhash_doc.extract.html.metadata import Metadata
from simhash_doc.extract.html.names import opens_boilerplate

Array = npt.NDArray[np.float64]
Columns = dict[str, Array]
"""Name of a feature -> its value for each block."""

_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_SENTENCE_END = re.compile(r"[.!?…](?=[\s\"'”’»)\]]|$)|[。！？।؟۔]")
_COMMA = re.compile(r"[,;:，、；：،]")
_WORD = re.compile(r"\w+")
_PRICE = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:€|zł|kr|USD|EUR)\b")
_TAGS = ("p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "dt", "dd", "pre", "figcaption", "div")
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_WIDE_CHARACTER = 3  # characters of an alphabet that say as much
_LONG = 80
_LONG_LINK_SHARE = 0.4
_LABEL = 60
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
        count = len(page.texts)
        own = np.array([_measure(text) for text in page.texts], dtype=float).reshape(count, 8)
        characters = own[:, 0]
        wide = np.array([len(_WIDE.findall(text)) if not text.isascii() else 0 for text in page.texts], dtype=float)
        link_share = np.minimum(np.array(page.linked, dtype=float), characters) / np.maximum(characters, 1)
        self.size: Array = characters + (_WIDE_CHARACTER - 1) * wide
        self.linked: Array = link_share * self.size
        self.prose: Array = np.where((self.size >= _LONG) & (link_share < _LONG_LINK_SHARE), self.size, 0.0)
        self.columns["characters"] = self.size
        self.columns["link_share"] = link_share
        self.columns["links"] = np.array(page.links, dtype=float)
        self.columns["word_length"] = characters / np.maximum(own[:, 1], 1)
        names = ("words", "sentences", "commas", "ends_sentence", "capitals", "digits", "price")
        self.columns.update(zip(names, own.T[1:], strict=True))
        self.columns["commas"] = 100 * self.columns["commas"] / np.maximum(self.size, 1)
        self._add_headings(metadata)
        self._add_article_body(metadata)
        self._add_neighbours()
        self._add_page(metadata)

    def _add_headings(self, metadata: Metadata) -> None:
        """Add what the block is called and what heading it is under."""
        page, columns = self._page, self.columns
        tags = [str(element.tag) for element in page.elements]
        title = set(_WORD.findall(metadata.title.lower()))
        copies = Counter(page.texts)
        label = np.array([opens_boilerplate(text) for text in page.texts], dtype=float)
        level, tag, under, since, similar = (np.zeros(len(page.texts)) for _ in range(5))
        under_label, blocks_since = 0.0, _FAR
        for block, owner in enumerate(page.owners):
            level[block] = _heading_level(owner, tags, page.parents)
            tag[block] = _TAGS.index(tags[owner]) if tags[owner] in _TAGS else len(_TAGS)
            if level[block] or (label[block] and self.size[block] < _LABEL):
                under_label, blocks_since = label[block], 0
            else:
                blocks_since += 1
            under[block], since[block] = under_label, min(blocks_since, _FAR)
            if title and self.size[block] < _TITLE:
                similar[block] = _similarity(set(_WORD.findall(page.texts[block].lower())), title)
        self.level = level
        columns |= {"tag": tag, "heading_level": level, "is_label": label, "under_label": under}
        columns |= {"since_heading": since, "in_title": similar}
        columns["copies"] = np.array([min(copies[text], _MOST_COPIES) for text in page.texts], dtype=float)

    def _add_article_body(self, metadata: Metadata) -> None:
        """Add whether the structured data holds the block. -1: it is absent; 0.5: the block is too short to tell."""
        texts = self._page.texts
        body = _squeezed(metadata.article_body)
        found = np.full(len(texts), -1.0)
        if body:
            squeezed = (_squeezed(text) for text in texts)
            found = np.array([float(s in body) if len(s) >= _LEAST_BODY_TEXT else 0.5 for s in squeezed], dtype=float)
        self.columns["in_article_body"] = found
        self.columns["article_body_share"] = np.full(len(texts), min(len(body) / max(self.size.sum(), 1), 2.0))

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
        tags = Counter(str(element.tag) for element in self._page.elements)
        values: dict[str, float] = {
            "characters": total,
            "blocks": len(self.size),
            "link_share": self.linked.sum() / total,
            "prose": self.prose.sum() / total,
            "articles": min(tags["article"], 30),
            "mains": min(tags["main"], 3),
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
    """Return characters, words, sentences, commas, and whether a sentence ends the block; capitals, digits, a price."""
    words = text.split()
    characters = sum(map(len, words))
    head = text[:_SAMPLE]
    return (
        characters,
        len(words),
        len(_SENTENCE_END.findall(text)),
        len(_COMMA.findall(text)),
        _SENTENCE_END.search(text[-2:]) is not None,
        sum(map(str.isupper, [word[0] for word in words])) / len(words),
        sum(map(str.isdigit, head)) / min(characters, _SAMPLE),
        _PRICE.search(head) is not None,
    )


def _heading_level(owner: int, tags: list[str], parents: list[int]) -> int:
    for _ in range(3):
        if tags[owner] in _HEADINGS:
            return _HEADINGS[tags[owner]]
        owner = parents[owner]
    return 0


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
