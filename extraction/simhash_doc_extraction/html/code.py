"""The numbers of lines beside code on a web page, which are no part of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simhash_doc_extraction.html.tree import TEXT, Integers, Tree

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
    found = set(_columns(tree, np.flatnonzero(is_code)))
    run: list[int] = []
    last = -1
    for node in [*np.flatnonzero(inside).tolist(), -1]:
        text = tree.texts[node].strip() if node >= 0 else ""
        is_number = text.isdecimal() and len(text) <= _LONGEST_NUMBER
        if node >= 0 and not is_number:
            continue
        holder = _holder(tree, node) if is_number else None
        if holder is not None and not _starts_line(tree, holder, run[-1] if run else None):
            continue
        if run and (holder is None or int(text) != last + 1):
            if len(run) >= _LEAST:
                found.update(run)
            run = []
        if holder is not None:
            run.append(holder)
            last = int(text)
    return found


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


def _columns(tree: Tree, code: Integers) -> Iterator[int]:
    """Yield the elements of code that hold only numbers that go up by one, beside other code."""
    for number in code.tolist():
        end = int(tree.ends[number])
        if not 0 < tree.characters[number:end].sum() <= _MOST_COLUMN:
            continue
        words = " ".join(tree.texts[number:end]).split()
        if len(words) < _LEAST or not all(word.isdecimal() and len(word) <= _LONGEST_NUMBER for word in words):
            continue
        first = int(words[0])
        if [int(word) for word in words] == list(range(first, first + len(words))) and _has_code_beside(
            tree, number, code
        ):
            yield number


def _has_code_beside(tree: Tree, number: int, code: Integers) -> bool:
    above = number
    for _ in range(_MOST_ABOVE):
        above = int(tree.parents[above])
        inside = code[(code > above) & (code < tree.ends[above])]
        others = inside[(inside < number) | (inside >= tree.ends[number])]
        if any(tree.characters[at : tree.ends[at]].sum() for at in others.tolist() if not at < number < tree.ends[at]):
            return True
        if above <= tree.body:
            return False
    return False
