"""The numbers of lines beside code on a web page, which are no part of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simhash_doc_extraction.html.tree import TEXT, Bools, Integers, Tree

_CODE = frozenset({"pre", "code"})
_NUMBERED = _CODE | {"table"}
_LONGEST_NUMBER = 6  # digits
_LEAST = 2  # lines
_MOST_ABOVE = 5  # elements between a column of numbers and what also holds the code
_MOST_COLUMN = 200_000  # characters


def line_numbers(tree: Tree) -> set[int]:
    """Return the elements that hold the number of a line, or the numbers of all lines, of code.

    They are numbers that go up by one, each at the start of a line, or all in an element beside the code.
    """
    is_code = tree.having(_CODE)
    if not is_code.any():
        return set()
    inside = tree.within(tree.having(_NUMBERED) & (tree.sums(is_code) > 0)) & tree.having({TEXT})
    found = set(_columns(tree, is_code))
    before, last = None, -1
    for node in np.flatnonzero(inside).tolist():
        text = tree.texts[node].strip()
        if not _is_number(text):
            continue
        holder = _holder(tree, node)
        if holder is not None and not _starts_line(tree, holder, before):
            continue
        if holder is not None and before is not None and int(text) == last + 1:
            found |= {before, holder}
        before, last = holder, int(text)
    return found


def _is_number(word: str) -> bool:
    return word.isdecimal() and len(word) <= _LONGEST_NUMBER


def _holder(tree: Tree, node: int) -> int | None:
    """Return the outermost element that holds nothing but a text, in code or a row, or None."""
    holder = None
    above = int(tree.parents[node])
    while tree.ends[above] == node + 1 and tree.tags[above] not in _CODE and above > tree.body:
        holder, node_start = above, above
        if tree.tags[above] in ("td", "th"):
            break
        above = int(tree.parents[above])
        if above < node_start - 1:
            break
    return holder


def _starts_line(tree: Tree, holder: int, before: int | None) -> bool:
    """Return whether an element is at the start of a line, or the first in an element as the one before it in a run."""
    parent = int(tree.parents[holder])
    if holder == parent + 1:  # its first child
        if before is None or tree.tags[parent] == "tr":
            return True
        other = int(tree.parents[before])
        kinds = [(tree.tags[at], tree.attributes[at].get("class")) for at in (parent, other)]
        if kinds[0] == kinds[1] and parent != other:
            return True
    for node in range(holder - 1, -1, -1):
        if tree.tags[node] == TEXT and tree.texts[node]:
            return tree.texts[node].rstrip(" \t").endswith("\n")
        if tree.tags[node] in ("br", "pre"):
            return True
    return True


def _columns(tree: Tree, is_code: Bools) -> Iterator[int]:
    """Yield the elements of code that hold only numbers that go up by one, beside other code."""
    sizes = tree.sums(np.where(tree.within(is_code), tree.characters, 0))
    for number in np.flatnonzero(is_code & (sizes > 0) & (sizes <= _MOST_COLUMN)).tolist():
        words = " ".join(tree.texts[number : int(tree.ends[number])]).split()
        if len(words) >= _LEAST and all(map(_is_number, words)):
            first = int(words[0])
            is_run = [int(word) for word in words] == list(range(first, first + len(words)))
            if is_run and _has_more_beside(tree, number, sizes):
                yield number


def _has_more_beside(tree: Tree, number: int, sizes: Integers) -> bool:
    above = number
    for _ in range(_MOST_ABOVE):
        above = int(tree.parents[above])
        if sizes[above] > sizes[number]:
            return True
    return False
