"""Fingerprints joined with each other by sorting them in the order of each table: with NumPy alone, for every width."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.lanes import bit_field
from simhash_doc.lookup.arrays import (
    CHUNK,
    Positions,
    Values,
    as_rows,
    differs_from_previous,
    distinct_values,
    empty_values,
    sorted_values,
)
from simhash_doc.lookup.blocks import Block, Blocking, TableGroup
from simhash_doc.lookup.joins import matches_within
from simhash_doc.lookup.permutation import Permutation, permutations
from simhash_doc.lookup.value_source import ValueSource

PairArrays = tuple[Values, Values]
"""Both sides of pairs, each of shape (p,) or (p, lanes), in any order."""

# Above this share of the values with a neighbour in their bucket, comparing all of them in order
# is faster than gathering those that have one.
_DENSE_SHARE = 0.12


class SortedJoin:
    """Joins the fingerprints of a source, some buckets at a time; the same interface as `BucketJoin`.

    Args:
        source: fingerprints of any width.
        blocking: their tables.
    """

    def __init__(self, source: ValueSource, blocking: Blocking) -> None:
        self._source, self._blocking = source, blocking
        # The values, sorted and permuted, with sort keys, hashes and positions over 64 bits.
        self.bytes_per_value = 32 if blocking.lanes == 1 else 40 * blocking.lanes + 32

    def count(self, block: Block, bits: int) -> Positions:
        """Return the size of each bucket, shape (1, 2^bits)."""
        counts = np.zeros(1 << bits, np.int64)
        for chunk in self._source.chunks():
            counts += np.bincount(self._buckets(chunk, block, bits), minlength=1 << bits)
        return counts[None]

    def join(
        self, group: TableGroup, bits: int, low: int, counts: Positions, *, copies: bool, repeats: bool
    ) -> Iterator[PairArrays]:
        """Yield the pairs within the distance that a table of a group is the first to find; see `BucketJoin.join`."""
        high = low + counts.shape[1]
        chosen = [empty_values(self._blocking.lanes)]
        for chunk in self._source.chunks():
            buckets = self._buckets(chunk, group.block, bits)
            chosen.append(chunk[(buckets >= low) & (buckets < high)])
        yield from sorted_join(np.concatenate(chosen), self._blocking, group.tables, copies=copies)

    def _buckets(self, values: Values, block: Block, bits: int) -> Positions:
        if not bits:
            return np.zeros(len(values), np.int64)
        return bit_field(as_rows(values), self._blocking.bits - block.high, bits).view(np.int64)


def sorted_join(values: Values, blocking: Blocking, tables: Sequence[int], *, copies: bool) -> Iterator[PairArrays]:
    """Yield the pairs within the distance that one of the tables is the first to find, each once.

    Args:
        values: in any order, with or without copies.
        tables: their numbers.
        copies: yield each value that occurs more than once as a pair with itself, too.
    """
    ordered = sorted_values(values)
    repeats = ordered[1:][~differs_from_previous(ordered)[1:]]
    distinct = distinct_values(ordered) if len(repeats) else ordered
    if copies and len(repeats):
        copied = distinct_values(repeats)
        yield copied, copied
    if len(distinct) > 1:
        yield from join_distinct(distinct, blocking, tables)


def join_distinct(distinct: Values, blocking: Blocking, tables: Sequence[int]) -> Iterator[PairArrays]:
    """Yield the pairs of distinct fingerprints that one of the tables is the first to find, each once."""
    if blocking.lanes == 1:
        yield from _permuted_join(distinct, blocking, tables)
        return
    for table in tables:
        yield from matches_within(as_rows(distinct), blocking, table)


def _permuted_join(distinct: Values, blocking: Blocking, tables: Sequence[int]) -> Iterator[PairArrays]:
    orders = permutations(blocking)
    permuted = np.empty_like(distinct)
    for number in tables:
        table = orders[number]
        table.apply(distinct, permuted)
        permuted.sort()
        for hits, lag in _close_in_bucket(permuted, table, blocking.distance):
            a, b = table.undo(permuted[hits]), table.undo(permuted[hits + lag])
            ours = blocking.is_first(a ^ b, number)
            yield a[ours], b[ours]


def _close_in_bucket(permuted: Values, table: Permutation, distance: int) -> Iterator[tuple[Positions, int]]:
    """Yield (i, lag) such that values i and i + lag of a sorted table are within the distance.

    Every such pair that shares the table's prefix is found; some that do not may be too. A lag
    joins each value with the one `lag` places later: no list of candidates is ever built.
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
    """Return for each value, shape (n,), True if the next one begins with the same prefix; False for the last."""
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
