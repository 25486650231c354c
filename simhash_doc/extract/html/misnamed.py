"""Which elements of an article have a name that their content contradicts, such as `share` around three paragraphs.

A name decides nothing alone. An element that holds only sentences, without controls and hardly a link, next to the
paragraphs of an article, belongs to it, unless it asks its reader for something.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from simhash_doc.extract.html.names import NAMED, NAMED_BY_ID, opens_boilerplate, role_bits
from simhash_doc.extract.html.tree import Bools, Integers, Tree

_DOUBTFUL = role_bits("related share navigation footer header side advert consent signup meta list".split())
_OF_PEOPLE = role_bits(["comment", "author"])
"""Roles whose content is sentences too: only between the paragraphs of an article is the name doubtful."""

_PROSE_SHARE = 0.8  # of the characters of an element
_LINKED = 0.1
_LEAST_BESIDE = 2  # paragraphs next to an element
_ASKS = re.compile(
    r"\b(?:subscri\w+|newsletters?|sign(?:ed)? (?:up|in)|log(?:ged)? in|register|cookies?|consent|follow us|share this|"
    r"advertis\w+|sponsor\w*|free trial|members?hip|become a member|support (?:us|our)|donat\w+|read (?:more|also)|"
    r"click|tap here|download|app store|your (?:e-?mail|inbox|account)|privacy policy|terms of (?:use|service)|"
    r"abonn\w+|anmeld\w+|einlogg\w+|inscri\w+|suscri\w+|iscriv\w+|assin\w+|подпи\w+)\b|订阅|登录|登錄|購読|ログイン|구독",
    re.IGNORECASE,
)


def misnamed(
    tree: Tree,
    traits: Integers,
    is_control: Bools,
    elements: Integers,
    parents: Integers,
    first: Integers,
    last: Integers,
    texts: list[str],
    owners: Integers,
    linked: Integers,
    is_prose: Bools,
) -> Integers:
    """Return for each node the traits that its content contradicts. The arguments are those of a page."""
    result = np.zeros_like(traits)
    doubtful = traits[elements] & (NAMED | NAMED_BY_ID | _DOUBTFUL | _OF_PEOPLE)
    candidates = np.flatnonzero(doubtful).tolist()
    if not candidates:
        return result
    sizes = np.array([len(text) for text in texts])
    passed = np.concatenate([[0], np.cumsum(sizes)])
    prose = np.concatenate([[0], np.cumsum(np.where(is_prose, sizes, 0))])
    links = np.concatenate([[0], np.cumsum(linked)])
    controls = tree.sums(is_control)
    beside: dict[int, npt.NDArray[np.int64]] = {}
    for number in candidates:
        start, end, node = int(first[number]), int(last[number]), int(elements[number])
        size = passed[end] - passed[start]
        if (
            prose[end] - prose[start] < _PROSE_SHARE * size
            or links[end] - links[start] > _LINKED * size
            or controls[node]
            or _asks(texts[start:end])
        ):
            continue
        around = number
        while around and first[around] == start and last[around] == end:
            around = int(parents[around])
        if around not in beside:
            above = parents[owners]
            is_near = (owners == around) | (above == around) | (parents[above] == around)
            beside[around] = np.flatnonzero(is_prose & is_near)
        found = beside[around]
        before, after = int(np.searchsorted(found, start)), len(found) - int(np.searchsorted(found, end))
        if before + after >= _LEAST_BESIDE:
            result[node] = doubtful[number] if before and after else doubtful[number] & ~_OF_PEOPLE
    return result


def _asks(texts: list[str]) -> bool:
    """Return whether texts ask their reader for something, or begin like what a site adds to an article."""
    asking = sum(_ASKS.search(text) is not None for text in texts)
    return 2 * asking >= len(texts) or any(opens_boilerplate(text.lower()) for text in texts)
