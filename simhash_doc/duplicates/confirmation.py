"""Which texts are left out for which others, by words and numbers, in nearly linear time.

Two indexes of the kept texts each find every text that fulfils one condition, and few others. A text asks the index
whose lists are shorter.

- *Words*: a prefix filter (Bayardo, Ma and Srikant, "Scaling up all pairs similarity search", 2007; Xiao and others,
  "Efficient similarity joins for near duplicate detection", 2008), extended as by Wang, Li and Feng ("Can we beat the
  prefix filtering?", 2012). A text may lack only so many tokens of a similar one. So two similar texts share at least
  5 of the rarest few of each. A text in 5 lists is in another one than the 4 longest, so these are not read
  (Li, Lu and Lu, "Efficient merging and filtering algorithms for approximate string searches", 2008). Texts with one
  frame of frequent words are not compared each with each.
- *Numbers*: a text that has all numbers of another one has its rarest number. A text with equally many numbers has the
  same ones: that is one look-up. So records of one form cost one look-up each.

A text of a part with few texts is compared with all that are kept of its part. The compiled core needs no such rule: it
asks the indexes alone, and gives equal answers.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import ceil
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from simhash_doc.arrays import Lanes, popcount
from simhash_doc.duplicates.numbers import ORDERED, contains
from simhash_doc.duplicates.packed import Mask, PackedTexts, Similarities
from simhash_doc.engines.select import select_name
from simhash_doc.lookup.positions import Positions

_SHARED = 5  # tokens of both prefixes that similar texts have in common
_FEW = 8  # texts of a part, whose comparison takes less time than an index
_COMPARED = 256  # texts at a time with one, as the first similar one is enough
_ROUNDING = 1e-9  # far over that of a share, and far under one token

AnyNumber = TypeVar("AnyNumber", int, str)


class Conditions(NamedTuple):
    """What a text fulfils that is left out for another one.

    Attributes:
        distance: most bits in which the fingerprints differ.
        least: least share of common tokens, and of common distinct tokens; over 0.
        numbers: whether the other one has all of its numbers.
    """

    distance: int
    least: float
    numbers: bool


class Confirmed(NamedTuple):
    """What becomes of texts, by position. Arrays of shape (n,).

    Attributes:
        representatives: position of the text that each is left out for; its own if it is kept.
        similarities: share of common tokens of each and its representative.
    """

    representatives: Positions
    similarities: Similarities


def assign_similar(
    texts: PackedTexts, fingerprints: Lanes, conditions: Conditions, protected: Mask, parts: Positions
) -> Confirmed:
    """Assign each text to the first kept text that is near, is similar, and has its numbers.

    Args:
        texts: in the order of preference.
        fingerprints: shape (n, lanes).
        conditions: what a text fulfils that is left out.
        protected: which texts are kept in any case, shape (n,).
        parts: the number of the part of each text, of which none is near one of another part, shape (n,).
    """
    if select_name(0) == "native":
        return _by_core(texts, fingerprints, conditions, protected)
    return by_python(texts, fingerprints, conditions, protected, parts)


def _by_core(texts: PackedTexts, fingerprints: Lanes, conditions: Conditions, protected: Mask) -> Confirmed:
    import simhash_doc_native as core

    tokens, numbers = (
        (one.flat, np.ascontiguousarray(one.starts, np.int64), np.ascontiguousarray(one.sizes, np.int64))
        for one in (texts.tokens, texts.numbers)
    )
    found = core.assign_similar(
        np.ascontiguousarray(fingerprints),
        tokens,
        texts.is_first.view(np.uint8),
        numbers if conditions.numbers else None,
        np.ascontiguousarray(protected).view(np.uint8),
        conditions.distance,
        conditions.least,
    )
    return Confirmed(np.frombuffer(found[0], np.int64), np.frombuffer(found[1], np.float64))


def by_python(
    texts: PackedTexts, fingerprints: Lanes, conditions: Conditions, protected: Mask, parts: Positions
) -> Confirmed:
    """Do what `assign_similar` does without the compiled core."""
    done = Confirmed(np.arange(len(texts)), np.ones(len(texts)))
    words = _WordIndex(texts, conditions.least)
    numbers = NumberIndex[int]() if conditions.numbers else None
    numbered, (_, part_of, sizes) = texts.numbers, np.unique(parts, return_inverse=True, return_counts=True)
    kept_of: dict[int, array[int]] = {part: array("q") for part in np.flatnonzero(sizes <= _FEW).tolist()}
    for text, part in enumerate(part_of.tolist()):
        kept = kept_of.get(part)
        if not protected[text]:
            if kept is not None:
                candidates = np.array(kept, np.int64)
            else:
                candidates = _candidates(text, words, numbers.lists(numbered[text].tolist()) if numbers else None)
            near = candidates[popcount(fingerprints[candidates] ^ fingerprints[text]) <= conditions.distance]
            first, share = _first_similar(text, near, texts, conditions)
            if first is not None:
                done.representatives[text], done.similarities[text] = first, share
                continue
        if kept is not None:
            kept.append(text)
            continue
        words.add(text)
        if numbers:
            numbers.add(text, numbered[text].tolist())
    return done


def _candidates(text: int, words: _WordIndex, found: list[array[int]] | None) -> Positions:
    """Return kept texts, ascending: every one that a text may be left out for, and few others.

    Args:
        text: the text.
        words: an index of the kept texts.
        found: the lists of the other index; None if it is not asked.
    """
    parts = words.lists(text)
    cost = sum(len(one) for part in parts for one in part[: words.read(text, part)])
    if found is not None and sum(map(len, found)) < cost:
        return np.unique(np.concatenate([np.empty(0, np.int64), *map(np.asarray, found)]))
    return words.shared(text, parts)


def _first_similar(text: int, near: Positions, texts: PackedTexts, conditions: Conditions) -> tuple[int | None, float]:
    if conditions.numbers:
        near = near[[contains(texts.numbers[one].tolist(), texts.numbers[text].tolist()) for one in near.tolist()]]
    for start in range(0, len(near), _COMPARED):
        part = near[start : start + _COMPARED]
        of_all, of_distinct = texts.similarities(text, part)
        similar = np.flatnonzero(np.minimum(of_all, of_distinct) >= conditions.least)
        if len(similar):
            return int(part[similar[0]]), float(of_all[similar[0]])
    return None, 1.0


class _WordIndex:
    """The kept texts by the rarest tokens of each."""

    def __init__(self, texts: PackedTexts, least: float) -> None:
        self._tokens, self._least = texts.tokens, least
        # Of two texts with a <= b tokens, a share s of all is common if 2 s / (1 + s) of a, and s of b, are at least.
        self._of_smaller = 2 * least / (1 + least)
        self._by_few: dict[int, array[int]] = {}
        self._by_many: dict[int, array[int]] = {}
        needed = np.ceil(least * texts.tokens.sizes - _ROUNDING)
        self._needed = np.clip(needed, 1, _SHARED).astype(np.int64)

    def add(self, text: int) -> None:
        """Add a text."""
        for prefix, index in zip(self._prefixes(text), (self._by_few, self._by_many), strict=True):
            for token in prefix:
                index.setdefault(token, array("q")).append(text)

    def lists(self, text: int) -> list[list[array[int]]]:
        """Return the lists of kept texts with at least as many tokens, and of others; each part the shortest first."""
        few, many = self._prefixes(text)
        return [
            sorted((found for token in prefix if (found := index.get(token))), key=len)
            for prefix, index in ((few, self._by_many), (many, self._by_few))
        ]

    def read(self, text: int, lists: list[array[int]]) -> int:
        """Return how many of some lists are read: a similar text is in more lists than the longest others.

        Of these, a list that is no longer than what is read before it is read as well: that takes less time than a
        search in it for each text that was found.
        """
        fewest = ceil(self._least * len(self._tokens[text]) - _ROUNDING)  # tokens of a similar text
        least = min(max(ceil(self._least * fewest - _ROUNDING), 1), _SHARED)
        end = max(len(lists) - least + 1, 0)
        length = sum(map(len, lists[:end]))
        while end < len(lists) and len(lists[end]) <= length:
            length += len(lists[end])
            end += 1
        return end

    def shared(self, text: int, parts: list[list[array[int]]]) -> Positions:
        """Return the kept texts that are in as many lists as a similar one is."""
        found = [np.empty(0, np.int64)]
        for part in parts:
            end = self.read(text, part)
            texts, counts = np.unique(np.concatenate([found[0], *part[:end]]), return_counts=True)
            for longest in part[end:]:
                others = np.asarray(longest)
                places = np.minimum(np.searchsorted(others, texts), len(others) - 1)
                counts += others[places] == texts
            found.append(texts[counts >= np.minimum(self._needed[text], self._needed[texts])])
        return np.unique(np.concatenate(found))

    def _prefixes(self, text: int) -> Iterator[list[int]]:
        """Yield the rarest tokens of which a similar text has some: one with at least as many tokens, and any."""
        tokens = self._tokens[text]
        for share in (self._of_smaller, self._least):
            yield tokens[: len(tokens) - ceil(share * len(tokens) - _ROUNDING) + _SHARED].tolist()


class NumberIndex(Generic[AnyNumber]):
    """The kept texts by their numbers."""

    def __init__(self) -> None:
        self._equal: dict[tuple[AnyNumber, ...], array[int]] = {}
        # By number, then by how many numbers a text has.
        self._having: dict[AnyNumber, dict[int, array[int]]] = defaultdict(dict)
        self._frequencies: dict[AnyNumber, int] = defaultdict(int)

    def add(self, text: int, own: Sequence[AnyNumber]) -> None:
        """Add a text with its numbers."""
        self._equal.setdefault(_key(own), array("q")).append(text)
        for number in set(own):
            self._having[number].setdefault(len(own), array("q")).append(text)
            self._frequencies[number] += 1

    def lists(self, own: Sequence[AnyNumber]) -> list[array[int]] | None:
        """Return lists of kept texts, of which one has each that has all of some numbers; None without numbers."""
        if not own:
            return None
        rarest = min(own, key=lambda number: self._frequencies.get(number, 0))
        having: dict[int, array[int]] = self._having.get(rarest, {})
        equal: array[int] | None = self._equal.get(_key(own))
        return [*([equal] if equal else []), *(found for count, found in having.items() if count > len(own))]


def _key(numbers: Sequence[AnyNumber]) -> tuple[AnyNumber, ...]:
    """Return what texts share that have equally many numbers, and each all numbers of the other one."""
    return tuple(numbers if len(numbers) <= ORDERED else sorted(numbers))
