"""Many texts that are compared with each other: their tokens and their numbers as integers."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from simhash_doc.duplicates.numbers import numbers_of
from simhash_doc.duplicates.similarity import TextTokens, marked
from simhash_doc.engines.base import utf8
from simhash_doc.engines.select import select_name
from simhash_doc.lookup.positions import Positions, ranges_from

Integers = npt.NDArray[np.int32]
Similarities = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

_CONVERTED = 1 << 16  # integers at a time


class Lists:
    """A list of integers for each text, in one array.

    Attributes:
        flat: the integers of all lists.
        starts, sizes: where the list of each text begins, and how many integers it has, shape (n,).
    """

    __slots__ = ("flat", "sizes", "starts")

    def __init__(self, flat: Integers, sizes: Positions) -> None:
        self.flat, self.sizes = flat, sizes
        self.starts: Positions = np.cumsum(sizes) - sizes

    def __getitem__(self, text: int) -> Integers:
        """Return the integers of a text."""
        start = self.starts[text]
        found: Integers = self.flat[start : start + self.sizes[text]]
        return found

    def frequencies(self, least: int = 0) -> Positions:
        """Return how often the array has each integer, at least for so many; a part at a time, as it is converted."""
        counts = np.zeros(max(least, 1 + int(self.flat.max(initial=-1))), np.int64)
        for start in range(0, len(self.flat), _CONVERTED):
            counts += np.bincount(self.flat[start : start + _CONVERTED], minlength=len(counts))
        return counts

    def parts(self) -> Iterator[tuple[slice, slice]]:
        """Yield some texts at a time and their integers: what is made of all integers takes far more memory.

        The list of each text begins where the one before it ends.
        """
        ends, start = self.starts + self.sizes, 0
        while start < len(ends):
            end = max(start + 1, int(np.searchsorted(ends, self.starts[start] + _CONVERTED, "right")))
            yield slice(start, end), slice(int(self.starts[start]), int(ends[end - 1]))
            start = end

    def some(self, numbers: Any) -> Lists:
        """Return the lists of some of the texts, with new numbers."""
        chosen = copy(self)
        chosen.starts, chosen.sizes = self.starts[numbers], self.sizes[numbers]
        return chosen


class PackedTexts:
    """The tokens and numbers of texts, which are numbered from 0 in the order given: 4 bytes for each.

    A token that is counted c times is c different integers, of which another text with d of them shares the least of
    both. The integers ascend with the number of texts that have the token: the rarest come first. Numbers are in the
    order of the text; equal numbers are equal integers.

    Args:
        texts: read once.
        whole: whether each text as a whole is one more token of it.

    Attributes:
        tokens: those of each text, ascending.
        is_first: whether a token is the first of those that one word counts for, shape (all tokens,).
        numbers: those of each text.
        lengths: the size of each text in bytes of UTF-8, shape (n,).

    >>> texts = PackedTexts(["one two three four", "one two three five 5"])
    >>> [share.tolist() for share in texts.similarities(0, np.array([0, 1]))]
    [[1.0, 0.6], [1.0, 0.6]]
    """

    def __init__(self, texts: Iterable[str], *, whole: bool = False) -> None:
        known_tokens, known_numbers = _token_numbers(), dict[str, int]()
        tokens, sizes, numbers, counts, lengths = array("i"), array("q"), array("i"), array("q"), array("q")
        for text in texts:
            data, before = utf8(text), len(tokens)
            tokens.frombytes(known_tokens.numbers(utf8(marked(text)) if whole else data))
            found = [known_numbers.setdefault(one, len(known_numbers)) for one in numbers_of(text)]
            numbers.extend(found)
            sizes.append(len(tokens) - before)
            counts.append(len(found))
            lengths.append(len(data))
        self.tokens = Lists(_array(tokens), _array(sizes))
        self.numbers = Lists(_array(numbers), _array(counts))
        self.lengths = _array(lengths)
        self.is_first = np.frombuffer(known_tokens.is_first(), np.bool_)
        self._rank()
        self.distinct = self._count_first()

    def __len__(self) -> int:
        return len(self.lengths)

    def some(self, numbers: Any) -> PackedTexts:
        """Return some of the texts, with new numbers; the tokens keep theirs."""
        chosen = copy(self)
        chosen.tokens, chosen.numbers = self.tokens.some(numbers), self.numbers.some(numbers)
        chosen.lengths, chosen.distinct = self.lengths[numbers], self.distinct[numbers]
        return chosen

    def similarities(self, text: int, others: Positions) -> tuple[Similarities, Similarities]:
        """Return the similarity of a text and each of others: the shares of common tokens and common distinct tokens.

        They are those that `TextTokens.is_similar` compares.
        """
        lengths, own = self.tokens.sizes[others], self.tokens[text]
        tokens = self.tokens.flat[ranges_from(self.tokens.starts[others], lengths)]
        common = among_sorted(own, tokens)
        shared = _sums(common, lengths)
        distinct = _sums(common & self.is_first[tokens], lengths)
        together = len(own) + lengths - shared
        all_distinct = self.distinct[text] + self.distinct[others] - distinct
        return shared / np.maximum(together, 1), distinct / np.maximum(all_distinct, 1)

    def _rank(self) -> None:
        """Let the integers of the tokens ascend with the number of texts that have them, and in each list."""
        order = np.argsort(self.tokens.frequencies(len(self.is_first)), kind="stable")
        ranks = np.empty(len(order), np.int32)
        ranks[order] = np.arange(len(order), dtype=np.int32)
        for texts, tokens in self.tokens.parts():
            sizes = self.tokens.sizes[texts]
            keys = np.repeat(np.arange(len(sizes)) << 32, sizes) | ranks[self.tokens.flat[tokens]]
            keys.sort()
            self.tokens.flat[tokens] = keys & 0x7FFFFFFF
        self.is_first = self.is_first[order]

    def _count_first(self) -> Positions:
        """Return the number of distinct words of each text."""
        counts = np.empty(len(self), np.int64)
        for texts, tokens in self.tokens.parts():
            counts[texts] = _sums(self.is_first[self.tokens.flat[tokens]], self.tokens.sizes[texts])
        return counts


class _TokenNumbers:
    """Integers for the tokens of texts, as the class of the compiled core gives them."""

    def __init__(self) -> None:
        self._known: dict[bytes | tuple[bytes, int], int] = {}

    def numbers(self, text: bytes) -> bytes:
        known = self._known
        return array("i", [known.setdefault(one, len(known)) for one in TextTokens(text).counted()]).tobytes()

    def is_first(self) -> bytearray:
        return bytearray(type(one) is bytes for one in self._known)


def _token_numbers() -> Any:
    if select_name(0) == "native":
        import simhash_doc_native as core

        return core.TokenNumbers()
    return _TokenNumbers()


def _array(integers: array[int]) -> Any:
    """Return integers as an array without a copy; the memory of no integers is not aligned."""
    return np.asarray(integers) if integers else np.empty(0, integers.typecode)


def among_sorted(own: Integers, tokens: Integers) -> Mask:
    """Return which tokens are among some, which ascend."""
    places = np.minimum(np.searchsorted(own, tokens), max(len(own) - 1, 0))
    found: Mask = own[places] == tokens if len(own) else np.zeros(len(tokens), np.bool_)
    return found


def _sums(values: Mask, lengths: Positions) -> Positions:
    """Return the number of True among the first length[0] values, among the next length[1], and so on."""
    sums = np.concatenate(([0], np.cumsum(values)))
    ends = np.cumsum(lengths)
    found: Positions = sums[ends] - sums[ends - lengths]
    return found
