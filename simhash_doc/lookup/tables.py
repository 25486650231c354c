"""Permuted tables over a fixed set of fingerprints, and their search: many queries in bulk, or one at a time.

Sorting permuted integers is several times faster than sorting positions by a key. So fingerprints of 64 bits are
permuted; wider ones, which do not fit into an integer of numpy, are sorted by a part of their key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from simhash_doc.arrays import Lane, Lanes, empty_lanes, ints_from_lanes, is_among_any, lanes_from_ints, popcount
from simhash_doc.lookup.blocks import Blocking, BlockTables, Moves, Order, orders_of, prefix_widths
from simhash_doc.lookup.positions import CHUNK, Positions
from simhash_doc.schemes import LANE_BITS

# Buckets are addressed by as many leading bits as keep starts and counts at no more than 6 bytes a
# value. Fewer bits mean more candidates (2 to 7 times slower), more bits gain little.
_BYTES_PER_BUCKET = 5
_BUCKET_BYTES_PER_VALUE = 6
# Beyond this many candidates, a query's bucket is compared in one piece instead of step by step.
_LONG_BUCKET = 48

FoundValues = tuple[Positions, Lanes]
"""Query positions, and values, shape (p, lanes)."""


@dataclass(frozen=True, slots=True, eq=False)
class PermutedTable:
    """One permuted table.

    Attributes:
        order: the order of the bits.
        bucket_bits: number b of leading bits that address a bucket, at most the prefix's.
        values: shape (n, lanes); of one lane the fingerprints in the order of the table, of more those of
            `PermutedTables`, which all tables share.
        starts: where each bucket begins, and the end, shape (2^b + 1,), int32 (int64 from 2^31 values on).
        counts: size of each bucket, 255 standing for more too, shape (2^b,), uint8. Most buckets that a query
            probes are empty, and this array, which fits into the second-level cache, shows it.
        rows: of more than one lane, the positions in `values` in the order of the table, shape (n,).
    """

    order: Order
    bucket_bits: int
    values: Lanes
    starts: npt.NDArray[np.signedinteger]
    counts: npt.NDArray[np.uint8]
    rows: npt.NDArray[np.signedinteger] | None = None

    def take(self, places: Positions) -> Lanes:
        """Return a copy of the fingerprints at places of the table."""
        # "clip" skips a check: all are in bounds.
        rows = places if self.rows is None else self.rows.take(places, mode="clip")
        return self.values.take(rows, axis=0, mode="clip")

    def between(self, start: int, end: int) -> Lanes:
        """Return the fingerprints at the places [start, end)."""
        return self.values[start:end] if self.rows is None else self.values[self.rows[start:end]]


def bucket_bits(n: int, prefix_bits: int) -> int:
    """Return the number of leading bits that address a bucket in a table of n values."""
    affordable = (n * _BUCKET_BYTES_PER_VALUE // _BYTES_PER_BUCKET).bit_length() - 1
    return min(prefix_bits, max(6, affordable))


def bytes_of_tables(n: int, blocking: Blocking) -> int:
    """Return the bytes of all tables over n fingerprints."""
    width = np.dtype(index_dtype(n)).itemsize
    value = 8 if blocking.lanes == 1 else width
    shared = 0 if blocking.lanes == 1 else 8 * n * blocking.lanes
    total = shared
    for prefix_bits, tables in prefix_widths(blocking.bits, blocking.blocks, blocking.distance).items():
        buckets: int = 1 << bucket_bits(n, prefix_bits)
        total += tables * (value * n + width * (buckets + 1) + buckets)
    return total


def index_dtype(n: int) -> type[np.signedinteger]:
    """Return the dtype of positions in a table of n values."""
    return np.int32 if n < 1 << 31 else np.int64


def _build_table(distinct: Lanes, order: Order, scratch: Lane) -> PermutedTable:
    """Return the table of distinct values; `scratch` has their number of items, if they are of one lane."""
    n = len(distinct)
    bits = bucket_bits(n, order.prefix_bits)
    width = index_dtype(n)
    rows: npt.NDArray[np.signedinteger] | None = None
    if distinct.shape[1] == 1:
        # Sorting permuted values and undoing the permutation takes a third of an argsort.
        order.apply(distinct[:, 0], scratch)
        scratch.sort()
        counts = _bucket_sizes(scratch, bits, width)
        values = order.undo(scratch)[:, None]
    else:
        buckets = order.buckets(distinct, bits)
        rows = np.argsort(buckets, kind="stable").astype(width)
        counts, values = np.bincount(buckets, minlength=1 << bits), distinct
    starts: npt.NDArray[np.signedinteger] = np.zeros((1 << bits) + 1, width)
    np.cumsum(counts, out=starts[1:])
    np.minimum(counts, 255, out=counts)
    return PermutedTable(order, bits, values, starts, counts.astype(np.uint8), rows)


def _bucket_sizes(permuted: Lane, bits: int, dtype: type[np.signedinteger]) -> npt.NDArray[np.signedinteger]:
    counts = np.zeros(1 << bits, dtype)
    for start in range(0, len(permuted), CHUNK * 32):
        buckets = (permuted[start : start + CHUNK * 32] >> np.uint64(LANE_BITS - bits)).view(np.int64)
        counts[buckets[0] : buckets[-1] + 1] += np.bincount(buckets - buckets[0])
    return counts


class PermutedTables:
    """Fingerprints, and all permuted tables over them. It never changes.

    Args:
        blocking: says which tables.
        values: the fingerprints, shape (n, lanes), distinct, in any order.
        tables: their tables; None to build them when they are used.
    """

    def __init__(self, blocking: BlockTables, values: Lanes, tables: list[PermutedTable] | None = None) -> None:
        self.blocking, self.values = blocking, values
        if tables is not None:
            self.tables = tables

    @cached_property
    def tables(self) -> list[PermutedTable]:
        """The tables."""
        return list(self.each_table())

    @property
    def is_built(self) -> bool:
        """Whether there are tables already."""
        return "tables" in vars(self)

    def each_table(self) -> Iterator[PermutedTable]:
        """Yield the tables; those that are not built yet are not kept."""
        if self.is_built:
            yield from self.tables
            return
        scratch = np.empty(len(self.values) if self.blocking.lanes == 1 else 0, np.uint64)
        for order in orders_of(self.blocking):
            yield _build_table(self.values, order, scratch)

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def _views(self) -> list[tuple[Moves, memoryview, Any]]:
        """For single queries: the bits that address a bucket, the starts, and the values or rows of each table."""
        return [
            (
                table.order.leading(table.bucket_bits),
                table.starts.data,
                table.values[:, 0].data if table.rows is None else table.rows,
            )
            for table in self.tables
        ]

    def near(self, query: int) -> Iterator[int]:
        """Yield the stored values within the distance of a query; a value may come more than once."""
        distance = self.blocking.distance
        if self.blocking.lanes > 1:  # candidates of all tables are compared together
            met = []
            for moves, starts, rows in self._views:
                bucket = _bucket(query, moves)
                if starts[bucket] < starts[bucket + 1]:
                    met.append(rows[starts[bucket] : starts[bucket + 1]])
            if met:
                stored = self.values[np.concatenate(met)]
                near = popcount(stored ^ lanes_from_ints([query], self.blocking.lanes)) <= distance
                yield from ints_from_lanes(stored[near])
            return
        for moves, starts, values in self._views:
            # As `_bucket`, without the call, which would take a tenth of the time.
            bucket = 0
            for mask, shift in moves:
                bucket |= (query & mask) >> -shift if shift < 0 else (query & mask) << shift
            start = starts[bucket]
            end = starts[bucket + 1]
            while start < end:
                value = values[start]
                if (value ^ query).bit_count() <= distance:
                    yield value
                start += 1

    def __contains__(self, value: int) -> bool:
        moves, starts, members = self._views[0]
        bucket = _bucket(value, moves)
        found = members[starts[bucket] : starts[bucket + 1]]
        return value in (found if isinstance(found, memoryview) else ints_from_lanes(self.values[found]))

    def contains(self, values: Lanes) -> npt.NDArray[np.bool_]:
        """Return for each value, shape (q,), True if it is stored."""
        stored = np.zeros(len(values), bool)
        for start in range(0, len(values), CHUNK):
            part = values[start : start + CHUNK]
            for at, difference in self._candidates(part, 0):
                stored[at[popcount(difference) == 0] + start] = True
        return stored

    def search(self, queries: Lanes, removed: Sequence[Lanes] = ()) -> Iterator[FoundValues]:
        """Yield (query positions, stored values) of all matches, chunk of queries by chunk, queries ascending.

        Args:
            queries: shape (q, lanes).
            removed: values to leave out, in ascending arrays.
        """
        for start in range(0, len(queries), CHUNK):
            at, values = self._search_chunk(queries[start : start + CHUNK], removed)
            yield at + start, values

    def _search_chunk(self, queries: Lanes, removed: Sequence[Lanes]) -> FoundValues:
        found_at, found = [np.empty(0, np.int64)], [empty_lanes(self.blocking.lanes)]
        for number in range(len(self.tables)):
            hits = [
                (at[close], difference.take(close, axis=0))
                for at, difference in self._candidates(queries, number)
                if len(close := np.flatnonzero(popcount(difference) <= self.blocking.distance))
            ]
            if not hits:
                continue
            at = np.concatenate([positions for positions, _ in hits])
            difference = np.concatenate([differences for _, differences in hits])
            ours = self.blocking.is_first(difference, number)
            values = queries.take(at, axis=0) ^ difference
            if removed:
                ours &= ~is_among_any(values, removed)
            found_at.append(at[ours])
            found.append(values.compress(ours, axis=0))
        at = np.concatenate(found_at)
        # Positions in a chunk fit 16 bits, which numpy sorts by radix.
        order = np.argsort(at.astype(np.uint16), kind="stable")
        return at[order], np.concatenate(found).take(order, axis=0)

    def _candidates(self, queries: Lanes, number: int) -> Iterator[FoundValues]:
        """Yield (query positions, XOR of query and candidate) for what shares the query's bucket in a table.

        Goes through all buckets at once: the first candidate of every query, then the second of
        those that have one, and so on.
        """
        table = self.tables[number]
        buckets = table.order.buckets(queries, table.bucket_bits)
        at = np.flatnonzero(table.counts.take(buckets, mode="clip"))
        if not len(at):
            return
        buckets = buckets[at]
        next_candidate = table.starts.take(buckets, mode="clip").astype(np.int64)
        end = table.starts.take(buckets + 1, mode="clip")
        values = queries.take(at, axis=0)
        for _ in range(_LONG_BUCKET):
            difference = table.take(next_candidate)
            difference ^= values
            yield at, difference
            next_candidate += 1
            more = np.flatnonzero(next_candidate < end)
            if not len(more):
                return
            at, next_candidate, end, values = at[more], next_candidate[more], end[more], values.take(more, axis=0)
        for position, first, last, query in zip(
            at.tolist(), next_candidate.tolist(), end.tolist(), values, strict=True
        ):
            for start in range(first, last, CHUNK):
                difference = table.between(start, min(start + CHUNK, last)) ^ query
                yield np.full(len(difference), position), difference


def _bucket(value: int, moves: Moves) -> int:
    bucket = 0
    for mask, shift in moves:
        bucket |= (value & mask) >> -shift if shift < 0 else (value & mask) << shift
    return bucket
