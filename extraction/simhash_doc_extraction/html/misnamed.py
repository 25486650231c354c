"""Which elements of an article have a name that their content contradicts, such as `share` around three paragraphs.

A name decides nothing alone. An element that holds only sentences, without controls and hardly a link, next to the
paragraphs of an article, belongs to it, unless it asks its reader for something.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

import numpy as np

from simhash_doc_extraction.html.names import CONTRADICTED, HAS_ROLE, NAMED, NAMED_BY_ID, opens_boilerplate, role_bits
from simhash_doc_extraction.html.tree import Bools, Integers, Tree

_DOUBTFUL = role_bits("related share navigation footer header side advert consent signup meta list".split())
_OF_PEOPLE = role_bits(["comment", "author"])
"""Roles whose content is sentences too: only between the paragraphs of an article is the name doubtful."""

_PROSE_SHARE = 0.8  # of the characters of an element
_LINKED = 0.1
_PARAGRAPHS = frozenset("p pre li dd blockquote h1 h2 h3 h4 h5 h6".split())
_LEAST_BESIDE = 2  # paragraphs next to an element
_ASKS = re.compile(
    r"\b(?:subscri\w+|newsletters?|sign(?:ed)? (?:up|in)|log(?:ged)? in|register|cookies?|consent|follow us|share this|"
    r"advertis\w+|sponsor\w*|free trial|members?hip|become a member|support (?:us|our)|donat\w+|read (?:more|also)|"
    r"click|tap here|download|app store|your (?:e-?mail|inbox|account)|privacy policy|terms of (?:use|service)|"
    r"abonn\w+|anmeld\w+|einlogg\w+|inscri\w+|suscri\w+|iscriv\w+|assin\w+|подпи\w+)\b|订阅|登录|登錄|購読|ログイン|구독",
    re.IGNORECASE,
)


class Elements(NamedTuple):
    """The elements that hold a block, and for each its parent, outermost equal element, and range of blocks."""

    nodes: Integers
    parents: Integers
    tops: Integers
    first: Integers
    last: Integers


class TextBlocks(NamedTuple):
    """The blocks of a page, and for each its size, owner, number of characters in links, and whether it is prose."""

    texts: list[str]
    sizes: Integers
    owners: Integers
    linked: Integers
    is_prose: Bools


def without_misnomers(
    tree: Tree, traits: Integers, is_control: Bools, holders: Elements, blocks: TextBlocks
) -> Integers:
    """Return for each node its traits, with `CONTRADICTED` in place of the names that its content contradicts."""
    elements, parents, tops, first, last = holders
    texts, sizes, owners, linked, is_prose = blocks
    result = traits.copy()
    own = traits[elements] & (NAMED | NAMED_BY_ID | _DOUBTFUL | _OF_PEOPLE)
    size, prose, links = (_sums(values, first, last) for values in (sizes, np.where(is_prose, sizes, 0), linked))
    other = tree.sums(is_control | (traits & _OF_PEOPLE > 0))[elements] - (own & _OF_PEOPLE > 0)
    is_plain = (prose >= _PROSE_SHARE * size) & (links <= _LINKED * size) & (other == 0)
    above = parents[owners]
    plain = is_prose & ((own[owners] | own[above]) == 0)
    around_each = parents[tops]
    beside: dict[int, Integers] = {}

    @cache
    def asks(block: int) -> bool:
        return _ASKS.search(texts[block]) is not None

    @cache
    def opens(block: int) -> bool:
        return opens_boilerplate(texts[block].lower())

    has_role = traits[elements] & HAS_ROLE > 0

    def is_between_paragraphs(number: int) -> bool:
        around = int(around_each[number])
        return all(
            0 <= block < len(texts)
            and around in (above[block], parents[above[block]])
            and tree.tags[int(elements[owners[block]])] in _PARAGRAPHS
            for block in (int(first[number]) - 1, int(last[number]))
        )

    for number in np.flatnonzero(((own > 0) | has_role) & (links <= _LINKED * size) & (other == 0)).tolist():
        start, end, around = int(first[number]), int(last[number]), int(around_each[number])
        is_box = tree.attributes[int(elements[number])].get("role") == "alert" and is_between_paragraphs(number)
        if is_box and not any(map(asks, range(start, end))):
            result[int(elements[number])] += CONTRADICTED - own[number]
        if is_box or not is_plain[number]:
            continue
        if around not in beside:
            inside = slice(int(first[around]), int(last[around]))
            near = (owners[inside] == around) | (above[inside] == around) | (parents[above[inside]] == around)
            beside[around] = first[around] + np.flatnonzero(plain[inside] & near)
        found = beside[around]
        before, after = int(np.searchsorted(found, start)), len(found) - int(np.searchsorted(found, end))
        inner = range(start, end)
        if before + after < _LEAST_BESIDE or any(map(opens, inner)) or 2 * sum(map(asks, inner)) >= len(inner):
            continue
        if not own[number] & _OF_PEOPLE or (before and after and not own[around] & _OF_PEOPLE):
            result[int(elements[number])] += CONTRADICTED - own[number]
    return result


def _sums(values: Integers, first: Integers, last: Integers) -> Integers:
    sums = np.concatenate([[0], np.cumsum(values)])
    result: Integers = sums[last] - sums[first]
    return result
