"""Occurrences of distinct tokens, in memory bounded by the bytes of the tokens themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import xxhash

from simhash_doc.errors import NoTokenError
from simhash_doc.hashes import LONGEST, eights_of, xxh64_of_short
from simhash_doc.reference import OCCURRENCE_CAP
from simhash_doc.sums import Weighed, measure_tokens

_RECENT_LIMIT = 1 << 20  # distinct tokens in the dict; it takes about 130 bytes for each
_SETTLED_BYTES = 64  # longer tokens stay in a dict: a text of n bytes has at most n / 64 of them
_SHORT = 8  # bytes, of an integer
_SLICE = 1 << 15
_MERGED_PIECE = 1 << 18

# Of one size: integers that are the bytes of tokens of up to eight bytes, or tokens of one length.
Tokens = npt.NDArray[Any]
Counts = npt.NDArray[np.uint8]


class TokenCounts:
    """A multiset of tokens that remembers no more than the cap of each (SD-CAP-1).

    Tokens of up to eight bytes are integers in sorted arrays. Longer ones go to a dict. When it holds a
    million, they settle into sorted arrays for each length, which take the token's bytes and one more
    instead of over a hundred. Tokens of many bytes stay in a dict.
    """

    def __init__(self) -> None:
        self.total = 0
        self._recent: dict[bytes, int] = {}
        self._long: dict[bytes, int] = {}
        self._settled: dict[int, list[tuple[Tokens, Counts]]] = {}

    def add(self, counts: Mapping[bytes, int]) -> None:
        """Add occurrences of tokens, given by their UTF-8 bytes."""
        short = [token for token in counts if len(token) <= _SHORT]
        if short:
            tokens = np.array(short, f"S{_SHORT}").view("<u8").astype(np.uint64, copy=False)
            self.add_short(tokens, np.array([counts[token] for token in short], np.int64))
            counts = {token: count for token, count in counts.items() if len(token) > _SHORT}
        _add_capped(self._recent, counts)
        self.total += sum(counts.values())
        if len(self._recent) > _RECENT_LIMIT:
            self._settle()

    def add_short(self, tokens: npt.NDArray[np.uint64], occurrences: npt.NDArray[np.int64]) -> None:
        """Add occurrences of distinct tokens of at most eight bytes, as little-endian integers."""
        self.total += int(occurrences.sum())
        order = np.argsort(tokens)
        counts = np.minimum(occurrences[order], OCCURRENCE_CAP).astype(np.uint8)
        if len(order):
            self._add_run(_SHORT, (tokens[order], counts), merge_all=False)

    def merge(self, other: TokenCounts) -> None:
        """Add the occurrences of another multiset; it is left as it was."""
        for counts in (other._recent, other._long):
            _add_capped(self._recent, counts)
        self.total += other.total
        for size, runs in other._settled.items():
            for run in runs:
                self._add_run(size, run)
        if len(self._recent) > _RECENT_LIMIT:
            self._settle()

    def copy(self) -> TokenCounts:
        twin = TokenCounts()
        twin.total = self.total
        twin._recent = dict(self._recent)
        twin._long = dict(self._long)
        twin._settled = {size: list(runs) for size, runs in self._settled.items()}
        return twin

    def items(self) -> Iterator[tuple[bytes, int]]:
        """Yield each distinct token's UTF-8 bytes and its capped count."""
        self._unite()
        for size, ((tokens, counts),) in self._settled.items():
            for part in _slices(len(tokens)):
                yield from zip(_as_bytes(tokens[part], size).tolist(), counts[part].tolist(), strict=True)
        yield from self._recent.items()
        yield from self._long.items()

    def distinct(self) -> int:
        """Return the number of distinct tokens."""
        self._unite()
        settled = sum(len(tokens) for ((tokens, _),) in self._settled.values())
        return settled + len(self._recent) + len(self._long)

    def bit_sums(self, words: int) -> npt.NDArray[np.int64]:
        """Return the 64 x `words` exact sums (SD-SUM-1, SD-WIDE-2).

        Raises:
            NoTokenError: there is no token (SD-SUM-2).
        """
        if not self.total:
            raise NoTokenError("the text holds no token, so it has no fingerprint")
        sums = np.zeros(64 * words, np.int64)
        for hashes, counts in self._hashes(words):
            part = Weighed(np.zeros(len(hashes), np.intp), hashes, counts.astype(np.int64))
            sums += measure_tokens([part], 1, words).sums[0]
        return sums

    def _hashes(self, words: int) -> Iterator[tuple[npt.NDArray[np.uint64], Counts]]:
        """Yield the hashes of the distinct tokens, shape (n, words), with their counts."""
        self._unite()
        for size, ((tokens, counts),) in self._settled.items():
            for part in _slices(len(tokens)):
                hash_them = _hashes_of_settled if size <= LONGEST else _hashes_one_by_one
                yield hash_them(_as_bytes(tokens[part], size), words), counts[part]
        for remembered in (self._recent, self._long):
            keys, values = list(remembered), np.fromiter(remembered.values(), np.uint8, len(remembered))
            for part in _slices(len(keys)):
                yield _hashes_one_by_one(keys[part], words), values[part]

    def _unite(self) -> None:
        """Leave one run of each size, so that no token is in two places."""
        if self._long or any(size > _SHORT for size in self._settled):
            self._settle()
        for size, runs in self._settled.items():
            while len(runs) > 1:
                self._add_run(size, runs.pop())

    def _settle(self) -> None:
        """Empty the dict of recent tokens: they go to the arrays, those of many bytes to a dict of their own."""
        by_size: dict[int, list[bytes]] = {}
        for key in self._recent:
            if len(key) <= _SETTLED_BYTES:
                by_size.setdefault(len(key), []).append(key)
        for size, keys in by_size.items():
            keys.sort()
            counts = np.array([self._recent.pop(key) for key in keys], np.uint8)
            self._add_run(size, (np.array(keys, f"S{size}"), counts), merge_all=False)
        _add_capped(self._long, self._recent)
        self._recent = {}

    def _add_run(self, size: int, run: tuple[Tokens, Counts], *, merge_all: bool = True) -> None:
        """Add a sorted run, merged with earlier ones so that their sizes keep doubling."""
        runs = self._settled.setdefault(size, [])
        while runs and (merge_all or len(runs[-1][0]) < 2 * len(run[0])):
            run = _merged(runs.pop(), run)
        runs.append(run)


def _as_bytes(tokens: Tokens, size: int) -> npt.NDArray[np.bytes_]:
    integers = tokens.dtype == np.uint64
    texts: npt.NDArray[np.bytes_] = (tokens.astype("<u8", copy=False) if integers else tokens).view(f"S{size}")
    return texts


def _slices(count: int) -> Iterator[slice]:
    return (slice(start, start + _SLICE) for start in range(0, count, _SLICE))


def _hashes_of_settled(tokens: npt.NDArray[np.bytes_], words: int) -> npt.NDArray[np.uint64]:
    """Return the hashes of tokens of at most `LONGEST` bytes that lie in one array, none of which ends with NUL."""
    size = tokens.itemsize
    eights = eights_of(tokens.tobytes() + bytes(7))
    lengths = np.char.str_len(tokens).astype(np.uint8)
    return xxh64_of_short(eights, np.arange(0, len(tokens) * size, size), lengths, words)


def _hashes_one_by_one(tokens: npt.NDArray[np.bytes_] | list[bytes], words: int) -> npt.NDArray[np.uint64]:
    keys = tokens if isinstance(tokens, list) else tokens.tolist()
    hashes = np.empty((len(keys), words), np.uint64)
    for word in range(words):
        hashes[:, word] = [xxhash.xxh64_intdigest(key, word) for key in keys]
    return hashes


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
