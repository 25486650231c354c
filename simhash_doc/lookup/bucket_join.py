"""Fingerprints joined with each other in compiled loops, in buckets that fit into the cache.

The fingerprints are ordered once for all tables that begin with the same block: into buckets by the first bits of the
block. In a bucket, the following bits of each table's key put the few fingerprints side by side that may be near.
Nothing is sorted, and both steps stay in the second-level cache.

Fingerprints over 64 bits within d bits are within t(i) bits in some lane i, if the sum of t(i) + 1 over all lanes is
d + 1. So the tables of 64 bits, with the small distance t(i), find all pairs: each lane is joined as fingerprints of 64
bits are, and where a lane is within its distance, the other lanes are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from simhash_doc.arrays import LANE_BITS, Lane, Lanes, equal_rows
from simhash_doc.lookup import bucket_kernels as kernels
from simhash_doc.lookup.blocks import Block, Blocking, LaneTables, Order, TableGroup, orders_of
from simhash_doc.lookup.joins import PairArrays, first_bits, join_distinct, without_copies
from simhash_doc.lookup.positions import Positions, pieces
from simhash_doc.parallel import available_cores, ordered_map_in_threads

_MOST_PART_BITS = 16
_LONG_PART = 4096  # beyond, comparing by vector instructions is faster
_BUFFER = 1 << 16  # pairs; more than _LONG_PART
_TASK = 1 << 20  # fingerprints
_LANE_BUFFER = 1 << 14  # pairs
_LANE_TASK = 1 << 18  # fingerprints


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """A table.

    Attributes:
        number: of the table.
        order: of its bits.
        key: the bits of its key.
        skipped: `Blocking.skipped_masks`, shape (blocks left out,).
    """

    number: int
    order: Order
    key: np.uint64
    skipped: Lane


def _tables_of(blocking: Blocking, group: TableGroup) -> list[_Table]:
    orders = orders_of(blocking)
    return [
        _Table(
            number,
            orders[number],
            np.uint64(blocking.masks[number]),
            np.ascontiguousarray(blocking.skipped_masks(number)[:, 0]),
        )
        for number in group.tables
    ]


@lru_cache(maxsize=1 << 14)
def _fields(table: _Table, bits: int, size: int) -> tuple[Lane, Lane, np.uint64]:
    """Return the masks and rotations with which `divide` orders the members of a bucket, and the bits of all masks.

    Args:
        bits: first bits of the key that number the buckets.
        size: `bit_length` of the number of the members.
    """
    part_bits = min(table.order.prefix_bits - bits, size, _MOST_PART_BITS)
    masks, rotations = [], []
    low = (1 << part_bits) - 1
    for mask, shift in table.order.leading(bits + part_bits):
        kept = mask & (low >> shift if shift >= 0 else low << -shift)
        if kept:
            masks.append(kept)
            rotations.append(-shift % LANE_BITS)
    return np.array(masks, np.uint64), np.array(rotations, np.uint64), np.uint64(sum(masks))


@dataclass(frozen=True, slots=True)
class BucketJoin:
    """Joins fingerprints, some buckets at a time.

    Attributes:
        values: the fingerprints, shape (n, lanes); of one lane for `join`.
        blocking: tables of 64 bits.
        lane: the lane that they are of.
    """

    values: Lanes
    blocking: Blocking
    lane: int = 0
    bytes_per_value: ClassVar[int] = 8

    def count(self, block: Block, bits: int) -> Positions:
        """Return the size of each bucket in each slice of them, shape (slices, 2^bits)."""
        counts = np.zeros((available_cores(), 1 << bits), np.int64)
        shift, mask = _bucket_field(block, bits)

        def work(number: int, start: int, end: int) -> None:
            for chunk in pieces(self.values, start, end):
                kernels.count_buckets(chunk, self.lane, shift, mask, counts[number])

        self._in_threads(work)
        return counts

    def ordered(self, block: Block, bits: int, low: int, counts: Positions) -> Lanes:
        """Return the fingerprints of some buckets in the order of their buckets; arguments are those of `join`."""
        out = np.empty((int(counts.sum()), self.values.shape[1]), np.uint64)
        # Where the first item of each bucket of each slice goes.
        sizes = counts.T.reshape(-1)
        places = np.ascontiguousarray((np.cumsum(sizes) - sizes).reshape(-1, len(counts)).T)
        shift, mask = _bucket_field(block, bits)

        def work(number: int, start: int, end: int) -> None:
            for chunk in pieces(self.values, start, end):
                kernels.fill_buckets(chunk, self.lane, shift, mask, np.uint64(low), places[number], out)

        self._in_threads(work)
        return out

    def join(
        self, group: TableGroup, bits: int, low: int, counts: Positions, *, copies: bool, repeats: bool
    ) -> Iterator[PairArrays]:
        """Yield the pairs within the distance that a table of a group is the first to find.

        Args:
            group: tables.
            bits: first bits of their block that number the buckets.
            low: the first of some buckets.
            counts: their sizes in each slice, shape (slices, buckets).
            copies: yield each value that occurs more than once as a pair with itself, too.
            repeats: False if it is known that no value occurs more than once.
        """
        values = self.ordered(group.block, bits, low, counts)
        tables = _tables_of(self.blocking, group)
        join = partial(_join_values, values, self.blocking, bits, tables, copies, copies or repeats)
        yield from _in_tasks(join, counts, _TASK)

    def _in_threads(self, work: Callable[[int, int, int], None]) -> None:
        """Call `work` with the number and the bounds of each slice of them, each in its own thread."""
        edges = np.linspace(0, len(self.values), available_cores() + 1).astype(np.int64).tolist()
        with ThreadPoolExecutor(len(edges) - 1) as pool:
            list(pool.map(work, range(len(edges)), edges[:-1], edges[1:]))


def _bucket_field(block: Block, bits: int) -> tuple[np.uint64, np.uint64]:
    """Return the shift and the mask that take a value to the first bits of a block."""
    return np.uint64(min(block.high - bits, LANE_BITS - 1)), np.uint64((1 << bits) - 1)


def _in_tasks(
    join: Callable[[list[int]], list[PairArrays]], counts: Positions, fingerprints: int
) -> Iterator[PairArrays]:
    """Yield the pairs of all buckets, which are joined in threads, about so many fingerprints at a time.

    Args:
        join: returns the pairs of some buckets by where the first begins, and where each ends.
        counts: the size of each bucket in each slice, shape (slices, buckets).
    """
    ends = np.cumsum(counts.sum(axis=0))
    cuts = np.searchsorted(ends, np.arange(fingerprints, ends[-1], fingerprints), "right")
    bounds = np.unique(np.concatenate(([0], cuts, [len(ends)]))).tolist()
    edges = [0, *ends.tolist()]
    tasks = (edges[first : last + 1] for first, last in pairwise(bounds))
    for found in ordered_map_in_threads(join, tasks, available_cores()):
        yield from found


def _join_values(
    rows: Lanes, blocking: Blocking, bits: int, tables: list[_Table], copies: bool, repeats: bool, edges: list[int]
) -> list[PairArrays]:
    """Return the pairs of fingerprints of one lane in buckets, of which `edges` are the bounds."""
    distance = np.uint64(blocking.distance)
    # The memory in which the buckets are joined, one after the other.
    scratch = np.empty(max(b - a for a, b in pairwise(edges)), np.uint64)
    ends = np.empty((1 << _MOST_PART_BITS) + 1, np.int64)
    first, second = np.empty((_BUFFER, 1), np.uint64), np.empty((_BUFFER, 1), np.uint64)
    found: list[PairArrays] = []
    filled = 0
    for start, end in pairwise(edges):
        members = rows[start:end]
        if repeats:
            members, copied = without_copies(members)
            if copies and len(copied):
                found.append((copied, copied))
        for table in tables if len(members) > 1 else ():
            masks, rotations, part_bits = _fields(table, bits, len(members).bit_length())
            divided, parts = scratch[: len(members)], ends[: (1 << int(part_bits).bit_count()) + 1]
            if kernels.divide(members[:, 0], masks, rotations, parts, divided) > _LONG_PART:
                found += join_distinct(members, blocking, [table.number])
                continue
            row = 0
            while row < len(divided):
                filled, row = kernels.compare(
                    divided, row, part_bits, table.key, table.skipped, distance, first[:, 0], second[:, 0], filled
                )
                if row < len(divided):
                    found.append((first[:filled].copy(), second[:filled].copy()))
                    filled = 0
    return [*found, (first[:filled].copy(), second[:filled].copy())]


def bucket_pairs(values: Lanes, blocking: Blocking) -> Iterator[PairArrays]:
    """Yield the pairs of fingerprints of one lane within the distance, and each with copies as a pair, each once."""
    for number, group in enumerate(blocking.groups):
        join = BucketJoin(values, blocking)
        bits = first_bits(len(values), group.block)
        counts = join.count(group.block, bits)
        repeats = False
        for first, second in join.join(group, bits, 0, counts, copies=number == 0, repeats=False):
            repeats |= number == 0 and bool(equal_rows(first, second).any())
            yield first, second
        if repeats:
            values, _ = without_copies(values)


def lane_pairs(rows: Lanes, tables: LaneTables) -> Iterator[PairArrays]:
    """Yield the pairs of fingerprints within the distance, and each value with copies as a pair, each once.

    Args:
        rows: shape (n, lanes).
        tables: those of each lane.
    """
    distinct, copied = without_copies(rows)
    if len(copied):
        yield copied, copied
    limits = np.array([blocking.distance for blocking in tables.blockings], np.int64)
    for lane, blocking in enumerate(tables.blockings if len(distinct) > 1 else ()):
        join = BucketJoin(distinct, blocking, lane)
        for group in blocking.groups:
            bits = first_bits(len(distinct), group.block)
            counts = join.count(group.block, bits)
            members = join.ordered(group.block, bits, 0, counts)
            work = partial(_join_rows, members, lane, limits, tables.distance, bits, _tables_of(blocking, group))
            yield from _in_tasks(work, counts, _LANE_TASK)


def _join_rows(
    rows: Lanes,
    lane: int,
    limits: npt.NDArray[np.int64],
    distance: int,
    bits: int,
    tables: list[_Table],
    edges: list[int],
) -> list[PairArrays]:
    """Return the pairs of distinct fingerprints in buckets that no lane before this one finds."""
    lanes = rows.shape[1]
    largest = max(b - a for a, b in pairwise(edges))
    scratch, places = np.empty(largest, np.uint64), np.empty(largest, np.uint32)
    ends = np.empty((1 << _MOST_PART_BITS) + 1, np.int64)
    first, second = np.empty((_LANE_BUFFER, lanes), np.uint64), np.empty((_LANE_BUFFER, lanes), np.uint64)
    found: list[PairArrays] = []
    for a, b in pairwise(edges):
        members, divided, order = rows[a:b], scratch[: b - a], places[: b - a]
        values = np.ascontiguousarray(members[:, lane])
        for table in tables if len(members) > 1 else ():
            masks, rotations, part_bits = _fields(table, bits, len(members).bit_length())
            parts = ends[: (1 << int(part_bits).bit_count()) + 1]
            kernels.divide(values, masks, rotations, parts, divided, order)
            start = np.zeros(3, np.int64)
            while start[0] < len(parts) - 1:
                count = kernels.compare_rows(
                    divided,
                    order,
                    parts,
                    start,
                    table.key,
                    table.skipped,
                    members,
                    lane,
                    limits,
                    np.uint64(distance),
                    first,
                    second,
                )
                if count:
                    found.append((first[:count].copy(), second[:count].copy()))
    return found
