"""Many texts that are compared with each other: their tokens as integers, and an index of the similar ones.

The index is a prefix filter (Bayardo, Ma and Srikant, "Scaling up all pairs similarity search", 2007; Xiao and others,
"Efficient similarity joins for near duplicate detection", 2008). A text may lack only so many tokens of a similar one.
So similar texts share one of the rarest few of each. Texts of one template share all but the rarest, and are not
compared each with each.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from copy import copy
from math import ceil

import numpy as np
import numpy.typing as npt

from simhash_doc.arrays import Lanes, popcount
from simhash_doc.duplicates.definition import Positions
from simhash_doc.duplicates.similarity import TextTokens
from simhash_doc.lookup.positions import runs

Tokens = npt.NDArray[np.int32]
Shares = npt.NDArray[np.float64]

_COUNTED = 256  # texts at a time whose tokens are counted
_COMPARED = 256  # texts at a time with one, as the first similar one is enough
_ROUNDING = 1e-9  # far over that of a share, and far under one token


class PackedTexts:
    """The tokens of texts, numbered from 0 in the order given: 4 bytes for each.

    A token that is counted c times is c different integers, of which another text with d of them shares the least of
    both. The integers ascend with the number of texts that have the token: the rarest come first.

    Attributes:
        sizes: the number of tokens of each text, shape (n,).

    >>> texts = PackedTexts([TextTokens("one two three four"), TextTokens("one two three five")])
    >>> [share.tolist() for share in texts.similarities(0, np.array([0, 1]))]
    [[1.0, 0.6], [1.0, 0.6]]
    """

    def __init__(self, texts: Iterable[TextTokens]) -> None:
        numbers: dict[bytes | tuple[bytes, int], int] = {}
        tokens, sizes = array("i"), array("q")
        for text in texts:
            counted = text.counted()
            tokens.extend([numbers.setdefault(one, len(numbers)) for one in counted])
            sizes.append(len(counted))
        self._tokens, self.sizes = np.asarray(tokens), np.asarray(sizes)
        self._starts = np.cumsum(self.sizes) - self.sizes
        self._is_common = np.zeros(len(numbers), np.bool_)
        order = np.argsort(self.count_texts(range(len(self))), kind="stable")
        ranks = np.empty(len(numbers), np.int32)
        ranks[order] = np.arange(len(numbers), dtype=np.int32)
        for number in range(len(self)):
            own = self.tokens(number)
            own[:] = np.sort(ranks[own])
        self._is_first = np.fromiter((type(one) is bytes for one in numbers), np.bool_, len(numbers))[order]
        self._distinct = self._count(self._is_first)

    def __len__(self) -> int:
        return len(self.sizes)

    def tokens(self, text: int) -> Tokens:
        """Return the tokens of a text, the rarest first."""
        start = self._starts[text]
        found: Tokens = self._tokens[start : start + self.sizes[text]]
        return found

    def similarities(self, text: int, others: Positions) -> tuple[Shares, Shares]:
        """Return the similarity of a text and each of others: the shares of common tokens and common distinct tokens.

        They are those that `TextTokens.is_similar` compares.
        """
        lengths = self.sizes[others]
        tokens = self._tokens[runs(self._starts[others], lengths)]
        own = self.tokens(text)
        self._is_common[own] = True
        common = self._is_common[tokens]
        self._is_common[own] = False
        shared = self._sums(common, lengths)
        distinct = self._sums(common & self._is_first[tokens], lengths)
        together = self.sizes[text] + lengths - shared
        all_distinct = self._distinct[text] + self._distinct[others] - distinct
        return shared / np.maximum(together, 1), distinct / np.maximum(all_distinct, 1)

    def some(self, numbers: Sequence[int]) -> PackedTexts:
        """Return some of the texts, with new numbers; the tokens keep theirs."""
        chosen = copy(self)
        for name in ("sizes", "_starts", "_distinct"):
            setattr(chosen, name, getattr(self, name)[numbers])
        return chosen

    def count_texts(self, numbers: Iterable[int]) -> Positions:
        """Return how many of some texts have each token."""
        counts = np.zeros(len(self._is_common), np.int64)
        for number in numbers:
            counts[self.tokens(number)] += 1  # which are different
        return counts

    def count_common(self, tokens: Tokens) -> Positions:
        """Return how many of some tokens each text has, shape (n,)."""
        self._is_common[tokens] = True
        counts = self._count(self._is_common)
        self._is_common[tokens] = False
        return counts

    def _count(self, is_counted: npt.NDArray[np.bool_]) -> Positions:
        """Return how many tokens of each text are counted, for some texts at a time: the sums take far more memory."""
        counts = np.empty(len(self), np.int64)
        for start in range(0, len(self), _COUNTED):
            part = slice(start, start + _COUNTED)
            tokens = self._tokens[runs(self._starts[part], self.sizes[part])]
            counts[part] = self._sums(is_counted[tokens], self.sizes[part])
        return counts

    @staticmethod
    def _sums(values: npt.NDArray[np.bool_], lengths: Positions) -> Positions:
        """Return the number of True among the first length[0] values, among the next length[1], and so on."""
        sums = np.concatenate(([0], np.cumsum(values)))
        ends = np.cumsum(lengths)
        found: Positions = sums[ends] - sums[ends - lengths]
        return found


class SimilarTexts:
    """An index of texts, to find those that share a share of their tokens with another one."""

    def __init__(self, texts: PackedTexts, least: float) -> None:
        self._texts = texts
        self._least = least
        # Of two texts with a <= b tokens, a share s of all is common if 2 s / (1 + s) of a, and s of b, are at least.
        self._of_smaller = 2 * least / (1 + least)
        self._by_few: dict[int, list[int]] = defaultdict(list)
        self._by_many: dict[int, list[int]] = defaultdict(list)

    def add(self, text: int) -> None:
        """Add a text, after those with lower numbers."""
        few, many = self._rarest(text)
        for token in few:
            self._by_few[token].append(text)
        for token in many:
            self._by_many[token].append(text)

    def candidates(self, text: int) -> Positions:
        """Return all added texts that may be similar to a text, ascending: every one that is, and few others."""
        few, many = self._rarest(text)
        found: set[int] = set()
        for rarest, index in ((few, self._by_many), (many, self._by_few)):
            for token in rarest:
                if token in index:
                    found.update(index[token])
        return np.array(sorted(found), np.int64)

    def _rarest(self, text: int) -> tuple[list[int], list[int]]:
        """Return the rarest tokens of which a similar text has one: of one with at least as many tokens, and of any."""
        tokens = self._texts.tokens(text)
        few, many = (
            len(tokens) - ceil(share * len(tokens) - _ROUNDING) + 1 for share in (self._of_smaller, self._least)
        )
        rarest = tokens[:many].tolist()
        return rarest[:few], rarest


def assign_similar(fingerprints: Lanes, distance: int, texts: PackedTexts, least: float) -> tuple[Positions, Shares]:
    """Return what `assign` returns if near pairs are confirmed by their texts, and each similarity; both of shape (n,).

    Args:
        fingerprints: in the order of preference, shape (n, lanes).
        distance: most bits in which near fingerprints differ.
        texts: those of the fingerprints, in the same order.
        least: the least share of common tokens, over 0.
    """
    representatives = SimilarTexts(texts, least)
    assigned, similarities = np.arange(len(fingerprints)), np.ones(len(fingerprints))
    for at in range(len(fingerprints)):
        candidates = representatives.candidates(at)
        near = candidates[popcount(fingerprints[candidates] ^ fingerprints[at]) <= distance]
        for start in range(0, len(near), _COMPARED):
            part = near[start : start + _COMPARED]
            of_all, of_distinct = texts.similarities(at, part)
            similar = np.flatnonzero(np.minimum(of_all, of_distinct) >= least)
            if len(similar):
                assigned[at], similarities[at] = part[similar[0]], of_all[similar[0]]
                break
        else:
            representatives.add(at)
    return assigned, similarities
