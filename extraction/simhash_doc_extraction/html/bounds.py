"""Two limits that keep the parser of web pages linear.

It compares each attribute with all others of its element, and many tags with all open elements.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import islice

from simhash_doc_extraction.base import LimitExceededError

MOST_WORK = 500_000_000
"""Comparisons of tags with open elements, or of attributes, that a page may need: some seconds."""

_SHORTEST_TAG = 3  # characters
_NAMES = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)")
_NOT_NESTED = frozenset(
    "area base br col dd dt embed hr img input li link meta optgroup option p param rp rt source tbody td tfoot th "
    "thead tr track wbr".split()
)
"""Elements that have no end tag, or that the parser ends at the next one of their kind."""


def check_nesting(text: str) -> None:
    """Reject a page whose elements are nested so deeply that the parser would take minutes.

    Raises:
        LimitExceededError: the tags of the page, each times the elements open there, are more than `MOST_WORK`.
    """
    most = math.isqrt(2 * MOST_WORK)  # tags
    if len(text) <= _SHORTEST_TAG * most or text.count("<") <= most:
        return
    opened: dict[str, int] = {}
    depth = work = 0
    for found in _NAMES.finditer(text):
        name = found[2].lower()
        if name not in _NOT_NESTED:
            count = opened.get(name, 0)
            step = 1 if not found[1] else -1 if count else 0
            opened[name] = count + step
            depth += step
        work += depth
        if work > MOST_WORK:
            raise LimitExceededError(f"elements are nested too deeply: {depth:,} are open")


_SPACE = r"[ \t\n\f\r]"
_ATTRIBUTE = re.compile(
    r"""[^ \t\n\f\r/>][^ \t\n\f\r/>=]*+"""
    rf"""(?:{_SPACE}*+={_SPACE}*+(?:"[^"]*+"?|'[^']*+'?|[^ \t\n\f\r>"'][^ \t\n\f\r>]*+)?+)?+"""
)
_TAG = re.compile(rf"<[a-zA-Z][^ \t\n\f\r/>]*+(?:[ \t\n\f\r/]*+{_ATTRIBUTE.pattern})*+")
_START = re.compile("<[a-zA-Z]")
_LONG = 400  # characters
_LONG_TAG = re.compile(rf"<[a-zA-Z][^>]{{{_LONG}}}[^>]*+")
_HELD_END = re.compile(rf"""={_SPACE}*+(?:"[^">]*+|'[^'>]*+)>""")


_TRIES = 8


def _long_stretches(text: str, long: int) -> Iterator[tuple[int, int]]:
    """Yield where tags longer than `long` may be: between places that are in no tag, and farther than that apart."""
    place, size = 0, long
    while len(text) - place > long:
        ends = islice(_found_backwards(">", text, place + 1, place + size), _TRIES)
        end = next((end for end in ends if _is_in_no_value(text, place, end)), -1)
        if end < 0 and place + size < len(text):
            size *= 2
            continue
        end = len(text) if end < 0 else end
        if size > long:
            yield place, end
        place, size = end, long


def _found_backwards(character: str, text: str, start: int, end: int) -> Iterator[int]:
    while (end := text.rfind(character, start, end)) >= 0:
        yield end


def _is_in_no_value(text: str, start: int, end: int) -> bool:
    """Return False if `end` may be in the value of an attribute that begins after `start`.

    Then the last of one of the quotation marks before it begins the value: it follows an equals sign.
    """
    marks = [text.rfind(mark, start, end) for mark in "\"'"]
    return not any(mark > 0 and text[mark - 1] in "= \t\n\f\r" for mark in marks)


def check_attributes(text: str) -> None:
    """Reject a page with an element that has so many attributes that the parser would take minutes.

    What is a tag depends on what is around it, such as a script: each place where one could begin counts.

    Raises:
        LimitExceededError: the attributes, each times those before it in its tag, are more than `MOST_WORK`.
    """
    long = 4 * MOST_WORK // max(len(text), 1)  # as an attribute has two characters, shorter tags take half of the work
    work = 0
    for begin, stop in _long_stretches(text, long):
        tags = (found.span() for found in _LONG_TAG.finditer(text, begin, stop))
        places = [(first, last) for first, last in tags if last - first > long]
        ends = [found.end() for found in _HELD_END.finditer(text, begin, stop)]  # a value holds what looks like an end
        places += [(text.rfind(">", begin, end - 1) + 1, end) for end in ends]
        for first, last in places:
            for start in _START.finditer(text, first, last):
                tag = _TAG.match(text, start.start())
                size = len(tag[0]) if tag else 0
                count = sum(1 for _ in _ATTRIBUTE.finditer(tag[0])) if tag and size > long else 0
                work += size + count * count // 2
                if work > MOST_WORK:
                    raise LimitExceededError(f"an element has too many attributes: {count:,}")
