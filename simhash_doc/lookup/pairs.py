"""Every pair of near-duplicates among given fingerprints: each permuted table joined with itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simhash_doc.lookup.blocks import Permutation, permutations
from simhash_doc.lookup.values import CHUNK, Positions, Values, as_values, distinct_values
from simhash_doc.value import Fingerprint

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: spreads values over a bitmap
_BITMAP_BITS = 22
# Above this share of the values with a neighbour in their bucket, comparing all of them in order
# is faster than gathering those that have one.
_DENSE_SHARE = 0.12


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of fingerprints within a distance.

    Attributes:
        source: the fingerprints searched, shape (n,), uint64.
        values: the pairs, shape (p, 2), uint64: first <= second in a row, rows ascending. A row of two
            equal values stands for all entries that have this value, two or more.
        distances: of each pair, shape (p,), uint8, in bits.
    """

    source: Values
    values: npt.NDArray[np.uint64]
    distances: npt.NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.values)

    def members(self) -> Values:
        """Return the distinct values that occur in a pair, ascending, shape (d,), uint64."""
        # Not np.unique, which takes 25 times as long on what is half sorted already.
        return distinct_values(np.sort(self.values, axis=None))

    def positions(self) -> Positions:
        """Return every pair of entries as positions in `source`, shape (e, 2), int64; first < second, rows ascending.

        c copies of a value make c (c - 1) / 2 rows (SD-LOOK-3); `find_clusters` answers in linear space.
        """
        wanted = self.members()
        at, rank = locate(self.source, wanted)
        at = at[np.argsort(rank, kind="stable")]  # entries of the first value, then of the second, ...
        copies = np.bincount(rank, minlength=len(wanted))
        starts = np.cumsum(copies) - copies
        left, right = np.searchsorted(wanted, self.values).T
        # Each pair of values makes a grid of its entries, whose cells are numbered row by row.
        cells = copies[left] * copies[right]
        pair = np.repeat(np.arange(len(self)), cells)
        cell = np.arange(len(pair)) - np.repeat(np.cumsum(cells) - cells, cells)
        across = copies[right][pair]
        first, second = at[starts[left][pair] + cell // across], at[starts[right][pair] + cell % across]
        # In the grid of a value with itself, each two entries meet twice, and each meets itself.
        once = (left != right)[pair] | (first < second)
        first, second = first[once], second[once]
        rows = np.column_stack((np.minimum(first, second), np.maximum(first, second)))
        return rows[np.lexsort((rows[:, 1], rows[:, 0]))]


def find_all(
    values: Iterable[int | Fingerprint] | npt.NDArray[np.integer], blocks: int = 5, distance: int = 3
) -> Pairs:
    """Return every pair of fingerprints that differ in at most `distance` bits, each once.

    Args:
        values: shape (n,), any integer dtype, or an iterable of ints; in any order, copies allowed.
        blocks: number of blocks, over `distance`; any gives the same pairs (see `plan` for the fastest).
        distance: largest number of differing bits.

    Raises:
        BadValueError: a value is no unsigned integer of 64 bits.
        LookupParameterError: not 0 <= distance < blocks <= 64.

    >>> pairs = find_all([0, 7, 15, 7])
    >>> pairs.values.tolist(), pairs.distances.tolist()
    ([[0, 7], [7, 7], [7, 15]], [3, 0, 1])
    >>> pairs.positions().tolist()
    [[0, 1], [0, 3], [1, 2], [1, 3], [2, 3]]
    """
    tables = permutations(blocks, distance)
    source = as_values(values)
    ordered = np.sort(source)
    copied = distinct_values(ordered[1:][ordered[1:] == ordered[:-1]])
    distinct = distinct_values(ordered) if len(copied) else ordered
    a, b = _matching(distinct, tables, distance)
    rows = np.empty((len(a) + len(copied), 2), np.uint64)
    np.minimum(a, b, out=rows[: len(a), 0])
    np.maximum(a, b, out=rows[: len(a), 1])
    rows[len(a) :] = copied[:, None]
    rows = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
    return Pairs(source, rows, np.bitwise_count(rows[:, 0] ^ rows[:, 1]))


def locate(values: Values, wanted: Values) -> tuple[Positions, Positions]:
    """Return where `wanted` values (ascending, distinct) stand in `values`.

    Returns positions in `values`, ascending, and for each its index in `wanted`; both of shape (e,), int64.
    """
    shift = np.uint64(64 - _BITMAP_BITS)
    bitmap = np.zeros(1 << _BITMAP_BITS, bool)
    bitmap[(wanted * _MULTIPLIER) >> shift] = True
    found = [np.empty(0, np.int64)]
    for start in range(0, len(values), CHUNK):
        part = values[start : start + CHUNK]
        maybe = bitmap.take(((part * _MULTIPLIER) >> shift).view(np.int64))
        found.append(np.flatnonzero(maybe) + start)
    at = np.concatenate(found)
    rank = np.searchsorted(wanted, values[at])
    rank[rank == len(wanted)] = 0
    exact = wanted[rank] == values[at] if len(wanted) else np.zeros(0, bool)
    return at[exact], rank[exact]


def _matching(distinct: Values, tables: list[Permutation], distance: int) -> tuple[Values, Values]:
    """Return both sides of each pair of distinct values within the distance, each pair once; shape (p,)."""
    left, right = [distinct[:0]], [distinct[:0]]
    permuted = np.empty_like(distinct)
    for number, table in enumerate(tables):
        table.apply(distinct, permuted)
        permuted.sort()
        for hits, lag in _close_in_bucket(permuted, table, distance):
            a, b = table.undo(permuted[hits]), table.undo(permuted[hits + lag])
            ours = in_first_table(a ^ b, tables, number)
            left.append(a[ours])
            right.append(b[ours])
    return np.concatenate(left), np.concatenate(right)


def in_first_table(difference: Values, tables: list[Permutation], number: int) -> npt.NDArray[np.bool_]:
    """Say of which pairs table `number` is the first whose whole prefix agrees.

    A pair may meet in several tables. Reporting it from the first only leaves no repeats
    to remove afterwards, which would cost a sort of all matches.

    Args:
        difference: XOR of the two fingerprints of each pair, shape (p,), uint64.
    """
    first: npt.NDArray[np.bool_] = (difference & np.uint64(tables[number].prefix_mask)) == 0
    for earlier in tables[:number]:
        first &= (difference & np.uint64(earlier.prefix_mask)) != 0
    return first


def _close_in_bucket(permuted: Values, table: Permutation, distance: int) -> Iterator[tuple[Positions, int]]:
    """Yield (i, lag) such that values i and i + lag of a sorted table are within the distance.

    Every such pair that shares the table's prefix is there; some that do not may be. A lag
    joins each value with the one `lag` places on: no list of candidates is ever built.
    """
    n = len(permuted)
    if n < 2:
        return
    next_shares = _shares_prefix_with_next(permuted, table.prefix_bits)
    live = int(np.count_nonzero(next_shares))
    lag = 1
    if live > _DENSE_SHARE * n:
        alive = next_shares.copy()  # i and i + lag share the prefix
        while live > _DENSE_SHARE * n:
            yield from _close_at_lag(permuted, lag, distance)
            np.logical_and(alive[: n - 1 - lag], next_shares[lag : n - 1], out=alive[: n - 1 - lag])
            alive[n - 1 - lag :] = False
            lag += 1
            live = int(np.count_nonzero(alive))
        at = np.flatnonzero(alive)
    else:
        at = np.flatnonzero(next_shares)
    while len(at):
        hits = at[np.bitwise_count(permuted[at] ^ permuted[at + lag]) <= distance]
        if len(hits):
            yield hits, lag
        at = at[next_shares[at + lag]]
        lag += 1


def _shares_prefix_with_next(permuted: Values, prefix_bits: int) -> npt.NDArray[np.bool_]:
    """Say of each value, shape (n,), whether the next one begins with the same prefix; the last has none."""
    n = len(permuted)
    shares = np.zeros(n, bool)
    below = np.uint64((1 << (64 - prefix_bits)) - 1)
    scratch = np.empty(CHUNK, np.uint64)
    for start in range(0, n - 1, CHUNK):
        end = min(start + CHUNK, n - 1)
        difference = scratch[: end - start]
        np.bitwise_xor(permuted[start:end], permuted[start + 1 : end + 1], out=difference)
        np.less_equal(difference, below, out=shares[start:end])
    return shares


def _close_at_lag(permuted: Values, lag: int, distance: int) -> Iterator[tuple[Positions, int]]:
    n = len(permuted)
    scratch, counts = np.empty(CHUNK, np.uint64), np.empty(CHUNK, np.uint8)
    found = []
    for start in range(0, n - lag, CHUNK):
        end = min(start + CHUNK, n - lag)
        difference, bits = scratch[: end - start], counts[: end - start]
        np.bitwise_xor(permuted[start:end], permuted[start + lag : end + lag], out=difference)
        np.bitwise_count(difference, out=bits)
        if int(bits.min()) <= distance:
            found.append(np.flatnonzero(bits <= distance) + start)
    if found:
        yield np.concatenate(found), lag
