"""The tables of the look-up for fingerprints of any width, joined key by key.

A fingerprint is a row of words: shape (n, words), uint64, word 0 the most significant 64 bits. A
table is a mask over it; its key is what stands under the mask. Blocks and the rule that reports a
pair once are those of `simhash_doc.lookup`, which has them for 64 bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import numpy.typing as npt

from simhash_doc.lookup.blocks import check_parameters, cut

Words = npt.NDArray[np.uint64]
Hashes = npt.NDArray[np.uint64]
Positions = npt.NDArray[np.int64]

WORD = 64
_LONG_RUN = 64  # candidates of one fingerprint; with more, comparing them in place beats gathering them
_GATHERED = 1 << 18  # candidates gathered at a time


@dataclass(frozen=True)
class Tables:
    """One table for each choice of blocks - distance blocks out of `blocks`.

    Raises:
        LookupParameterError: not 0 <= distance < blocks <= bits, or over 50,000 tables.
    """

    bits: int
    blocks: int
    distance: int

    def __post_init__(self) -> None:
        check_parameters(self.blocks, self.distance, self.bits)

    def __len__(self) -> int:
        return len(self.masks)

    @property
    def words(self) -> int:
        return self.bits // WORD

    @cached_property
    def masks(self) -> Words:
        """The bits of each table's key, shape (tables, words)."""
        parts = [block.mask for block in cut(self.blocks, self.bits)]
        masks = [sum(chosen) for chosen in combinations(parts, self.blocks - self.distance)]
        shifts = range(self.bits - WORD, -1, -WORD)
        return np.array([[mask >> shift & (1 << WORD) - 1 for shift in shifts] for mask in masks], np.uint64)

    def hashes(self, words: Words, table: int) -> Hashes:
        """Return a hash of each fingerprint's key in a table, shape (n,); one to one for 64 bits."""
        return mixed(words & self.masks[table])

    def first(self, difference: Words, table: int) -> npt.NDArray[np.bool_]:
        """Say of which pairs, given as XOR of their two sides, `table` is the first whose whole key agrees."""
        ours: npt.NDArray[np.bool_] = ~(difference & self.masks[table]).any(axis=1)
        for earlier in self.masks[:table]:
            ours &= (difference & earlier).any(axis=1)
        return ours


def mixed(words: Words) -> Hashes:
    """Return a hash of each row, shape (n,): the finalizer of MurmurHash3 over its words."""
    hashes = np.zeros(len(words), np.uint64)
    for column in words.T:
        hashes *= np.uint64(0x9E3779B97F4A7C15)
        hashes ^= column
        for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
            hashes ^= hashes >> np.uint64(33)
            hashes *= np.uint64(factor)
        hashes ^= hashes >> np.uint64(33)
    return hashes


def spread(hashes: Hashes, parts: int) -> Positions:
    """Return the part, in [0, parts), that each hash falls into."""
    return ((hashes >> np.uint64(32)) * np.uint64(parts) >> np.uint64(32)).astype(np.int64)


def distances(difference: Words) -> npt.NDArray[np.integer]:
    """Return the number of bits set in each row, shape (n,)."""
    counts = np.bitwise_count(difference)
    return counts[:, 0] if counts.shape[1] == 1 else counts.sum(axis=1, dtype=np.uint16)


def matches_within(words: Words, tables: Tables, table: int) -> Iterator[tuple[Words, Words]]:
    """Yield both sides of the pairs of distinct fingerprints that a table is to report, piece by piece."""
    words, hashes = _by_key(words, tables, table)
    lasts = np.append(np.flatnonzero(hashes[1:] != hashes[:-1]), len(hashes) - 1)
    ends = np.repeat(lasts + 1, np.diff(lasts, prepend=-1))
    for at, difference in _reported(words, words, np.arange(1, len(words) + 1), ends, tables, table):
        yield words[at], words[at] ^ difference


def matches_between(queries: Words, stored: Words, tables: Tables, table: int) -> Iterator[tuple[Words, Words]]:
    """Yield the matches of queries among stored fingerprints that a table is to report, piece by piece."""
    queries, asked = _by_key(queries, tables, table)
    stored, hashes = _by_key(stored, tables, table)
    starts, ends = np.searchsorted(hashes, asked, "left"), np.searchsorted(hashes, asked, "right")
    for at, difference in _reported(queries, stored, starts, ends, tables, table):
        yield queries[at], queries[at] ^ difference


class StoredTables:
    """All tables over distinct fingerprints that fit into memory, to look up many queries in.

    Takes some 25 bytes a fingerprint and table for 64 bits.
    """

    def __init__(self, stored: Words, tables: Tables) -> None:
        self.tables = tables
        self._by_key = [_by_key(stored, tables, table) for table in range(len(tables))]
        # Most queries share no key with anything stored, and this bitmap tells so for nearly all of them.
        bits = min(max(16, (16 * len(stored)).bit_length()), 24)
        self._shift = np.uint64(WORD - bits)
        self._present = [np.zeros(1 << bits, bool) for _ in self._by_key]
        for present, (_, hashes) in zip(self._present, self._by_key, strict=True):
            present[hashes >> self._shift] = True

    def matches(self, queries: Words) -> Iterator[tuple[Positions, Words]]:
        """Yield (positions in queries, stored fingerprints) of all matches, each once, piece by piece."""
        for table, (stored, hashes) in enumerate(self._by_key):
            asked = self.tables.hashes(queries, table)
            maybe = np.flatnonzero(self._present[table].take((asked >> self._shift).view(np.int64)))
            starts = np.searchsorted(hashes, asked[maybe], "left")
            ends = np.searchsorted(hashes, asked[maybe], "right")
            for at, difference in _reported(queries[maybe], stored, starts, ends, self.tables, table):
                positions = maybe[at]
                yield positions, queries[positions] ^ difference


def _by_key(words: Words, tables: Tables, table: int) -> tuple[Words, Hashes]:
    hashes = tables.hashes(words, table)
    order = np.argsort(hashes)
    return words[order], hashes[order]


def _reported(
    a: Words, b: Words, starts: Positions, ends: Positions, tables: Tables, table: int
) -> Iterator[tuple[Positions, Words]]:
    """Compare row i of `a` with the rows starts[i] to ends[i] of `b`; yield i and the XOR of what is to be reported."""
    for at, difference in _differences(a, b, starts, ends):
        close = np.flatnonzero(distances(difference) <= tables.distance)
        if len(close):
            ours = close[tables.first(difference[close], table)]
            if len(ours):
                yield at[ours] if isinstance(at, np.ndarray) else np.full(len(ours), at), difference[ours]


def _differences(a: Words, b: Words, starts: Positions, ends: Positions) -> Iterator[tuple[Positions | int, Words]]:
    """Yield positions in `a`, or one for all, and the XOR of their rows with candidates in `b`."""
    sizes = ends - starts
    few = np.flatnonzero((sizes > 0) & (sizes <= _LONG_RUN))
    totals = np.cumsum(sizes[few])
    cuts = np.searchsorted(totals, np.arange(_GATHERED, totals[-1] if len(totals) else 0, _GATHERED))
    for part in np.split(few, cuts):
        at = np.repeat(part, sizes[part])
        within = np.arange(len(at)) - np.repeat(np.cumsum(sizes[part]) - sizes[part], sizes[part])
        yield at, a[at] ^ b[starts[at] + within]
    for position in np.flatnonzero(sizes > _LONG_RUN).tolist():
        for start in range(starts[position], ends[position], _GATHERED):
            yield position, b[start : min(start + _GATHERED, ends[position])] ^ a[position]
