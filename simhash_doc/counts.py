"""Occurrences of distinct tokens, in memory bounded by the bytes of the tokens themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import xxhash

from simhash_doc.errors import NoTokenError
from simhash_doc.reference import OCCURRENCE_CAP

_RECENT_LIMIT = 1 << 20  # distinct tokens in the dict; it takes about 130 bytes for each
_SETTLED_BYTES = 64  # longer tokens stay in a dict: a text of n bytes has at most n / 64 of them
_HASH_SLICE = 1 << 15
_MERGED_PIECE = 1 << 18

Tokens = npt.NDArray[np.bytes_]
Counts = npt.NDArray[np.uint8]


class TokenCounts:
    """A multiset of tokens that remembers no more than the cap of each (SD-CAP-1).

    New tokens go to a dict. When it holds a million, its tokens settle into sorted
    numpy arrays, one list of runs per token length, which take the token's bytes
    and one more instead of over a hundred. Tokens of many bytes stay in a dict.
    """

    def __init__(self) -> None:
        self.total = 0
        self._recent: dict[bytes, int] = {}
        self._long: dict[bytes, int] = {}
        self._settled: dict[int, list[tuple[Tokens, Counts]]] = {}

    def add(self, counts: Mapping[str, int]) -> None:
        """Add occurrences of tokens."""
        _add_capped(self._recent, {token.encode("utf-8"): count for token, count in counts.items()})
        self.total += sum(counts.values())
        if len(self._recent) > _RECENT_LIMIT:
            self._settle()

    def merge(self, other: TokenCounts) -> None:
        """Add the occurrences of another multiset; it is left as it was."""
        for counts in (other._recent, other._long):
            _add_capped(self._recent, counts)
        self.total += other.total
        for length, runs in other._settled.items():
            for run in runs:
                self._add_run(length, run)
        if len(self._recent) > _RECENT_LIMIT:
            self._settle()

    def copy(self) -> TokenCounts:
        twin = TokenCounts()
        twin.total = self.total
        twin._recent = dict(self._recent)
        twin._long = dict(self._long)
        twin._settled = {length: list(runs) for length, runs in self._settled.items()}
        return twin

    def items(self) -> Iterator[tuple[bytes, int]]:
        """Yield each distinct token's UTF-8 bytes and its capped count."""
        for tokens, counts in self._arrays():
            yield from zip(tokens, counts, strict=True)

    def distinct(self) -> int:
        """Return the number of distinct tokens."""
        return sum(len(tokens) for tokens, _ in self._arrays())

    def bit_sums(self, words: int) -> npt.NDArray[np.int64]:
        """Return the 64 x `words` exact sums (SD-SUM-1, SD-WIDE-2).

        Raises:
            NoTokenError: there is no token (SD-SUM-2).
        """
        if not self.total:
            raise NoTokenError("the text holds no token, so it has no fingerprint")
        sums = np.zeros(64 * words, np.int64)
        for tokens, counts in self._arrays():
            weights = np.array(counts, np.float32)
            hashes = np.empty((len(tokens), words), "<u8")
            for word in range(words):
                hashes[:, word] = [xxhash.xxh64_intdigest(token, word) for token in tokens]
            bits = np.unpackbits(hashes.view(np.uint8), axis=1, bitorder="little")
            # float32 is exact here: a slice adds at most 8 x 32,768 = 2^18 to a sum.
            sums += (2 * (weights @ bits) - weights.sum()).astype(np.int64)
        return sums

    def _arrays(self) -> Iterator[tuple[list[bytes], list[int]]]:
        """Yield slices of the distinct tokens with their counts."""
        if self._settled or self._long:
            self._settle()
        for length, runs in self._settled.items():
            while len(runs) > 1:
                self._add_run(length, runs.pop())
            tokens, counts = runs[0]
            for start in range(0, len(tokens), _HASH_SLICE):
                part = slice(start, start + _HASH_SLICE)
                yield tokens[part].tolist(), counts[part].tolist()
        for remembered in (self._recent, self._long):
            keys, values = list(remembered), list(remembered.values())
            for start in range(0, len(keys), _HASH_SLICE):
                yield keys[start : start + _HASH_SLICE], values[start : start + _HASH_SLICE]

    def _settle(self) -> None:
        """Empty the dict of recent tokens: short ones go to the arrays, long ones to a dict of their own."""
        by_length: dict[int, list[bytes]] = {}
        for key in self._recent:
            if len(key) <= _SETTLED_BYTES:
                by_length.setdefault(len(key), []).append(key)
        for length, keys in by_length.items():
            keys.sort()
            counts = np.array([self._recent.pop(key) for key in keys], np.uint8)
            self._add_run(length, (np.array(keys, f"S{length}"), counts), merge_all=False)
        _add_capped(self._long, self._recent)
        self._recent = {}

    def _add_run(self, length: int, run: tuple[Tokens, Counts], *, merge_all: bool = True) -> None:
        """Add a sorted run, merged with earlier ones so that their sizes keep doubling."""
        runs = self._settled.setdefault(length, [])
        while runs and (merge_all or len(runs[-1][0]) < 2 * len(run[0])):
            run = _merged(runs.pop(), run)
        runs.append(run)


def _add_capped(to: dict[bytes, int], counts: Mapping[bytes, int]) -> None:
    for key, count in counts.items():
        to[key] = min(OCCURRENCE_CAP, to.get(key, 0) + count)


def _merged(a: tuple[Tokens, Counts], b: tuple[Tokens, Counts]) -> tuple[Tokens, Counts]:
    """Return two sorted runs of distinct tokens as one, counts added and capped.

    Piece by piece, so that nothing but the two runs and the result is ever large.
    """
    tokens = np.empty(len(a[0]) + len(b[0]), a[0].dtype)
    counts = np.empty(len(tokens), np.uint8)
    filled = 0
    edges_a = [*range(0, len(a[0]), _MERGED_PIECE), len(a[0])]
    inner = np.searchsorted(b[0], a[0][edges_a[1:-1]]).tolist()
    edges_b = [0, *inner, len(b[0])]
    for (start_a, end_a), (start_b, end_b) in zip(pairwise(edges_a), pairwise(edges_b), strict=True):
        part_a, part_b = slice(start_a, end_a), slice(start_b, end_b)
        piece = _merged_piece((a[0][part_a], a[1][part_a]), (b[0][part_b], b[1][part_b]))
        end = filled + len(piece[0])
        tokens[filled:end], counts[filled:end] = piece
        filled = end
    return tokens[:filled], counts[:filled]


def _merged_piece(a: tuple[Tokens, Counts], b: tuple[Tokens, Counts]) -> tuple[Tokens, Counts]:
    tokens = np.concatenate((a[0], b[0]))
    order = np.argsort(tokens, kind="stable")
    tokens = tokens[order]
    counts = np.concatenate((a[1], b[1]))[order]
    first = np.ones(len(tokens), bool)
    np.not_equal(tokens[1:], tokens[:-1], out=first[1:])
    again = np.flatnonzero(~first)
    counts[again - 1] = np.minimum(OCCURRENCE_CAP, counts[again - 1] + counts[again])
    return tokens[first], counts[first]
