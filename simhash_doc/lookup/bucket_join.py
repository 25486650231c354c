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

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.lanes import LANE_BITS, Lanes
from simhash_doc.lookup.arrays import (
    ArraySource,
    Positions,
    Values,
    ValueSource,
    differs_from_previous,
    distinct_values,
    sorted_values,
)
from simhash_doc.lookup.blocks import Block, Blocking, TableGroup
from simhash_doc.lookup.joins import PairArrays, first_bits, join_distinct
from simhash_doc.lookup.planning import LaneTables, load_kernels
from simhash_doc.lookup.tables import Permutation, permutations
from simhash_doc.parallel import available_cores, ordered_map_in_threads

_MOST_PART_BITS = 16
_LONG_PART = 4096  # beyond, comparing by vector instructions is faster
_BUFFER = 1 << 16  # pairs; more than _LONG_PART
_TASK = 1 << 20  # fingerprints
_LANE_BUFFER = 1 << 14  # pairs
_LANE_TASK = 1 << 18  # fingerprints


@dataclass(frozen=True, slots=True)
class JoinTable:
    """A table.

    Attributes:
        number: of the table.
        order: its permutation.
        key: the bits of its key.
        skipped: `Blocking.skipped_masks`, shape (blocks left out,).
    """

    number: int
    order: Permutation
    key: np.uint64
    skipped: Values

    def fields(self, bits: int, members: int) -> tuple[Values, Values, np.uint64]:
        """Return the masks and rotations with which `divide` orders the members of a bucket, and the bits of all masks.

        Args:
            bits: first bits of the key that number the buckets.
            members: their number.
        """
        return _fields(self.order, bits, min(self.order.prefix_bits - bits, members.bit_length(), _MOST_PART_BITS))


def join_tables(blocking: Blocking, group: TableGroup) -> list[JoinTable]:
    """Return the tables of a group."""
    orders = permutations(blocking)
    return [
        JoinTable(
            number,
            orders[number],
            np.uint64(blocking.masks[number]),
            np.ascontiguousarray(blocking.skipped_masks(number)[:, 0]),
        )
        for number in group.tables
    ]


@lru_cache(maxsize=1 << 14)
def _fields(order: Permutation, bits: int, part_bits: int) -> tuple[Values, Values, np.uint64]:
    """Return masks and rotations that take a value to `part_bits` of its permuted bits, after the first `bits`."""
    masks, rotations = [], []
    low = (1 << part_bits) - 1
    for mask, shift in order.leading(bits + part_bits):
        kept = mask & (low >> shift if shift >= 0 else low << -shift)
        if kept:
            masks.append(kept)
            rotations.append(-shift % LANE_BITS)
    return np.array(masks, np.uint64), np.array(rotations, np.uint64), np.uint64(sum(masks))


class BucketJoin:
    """Joins the fingerprints of a source, some buckets at a time.

    Args:
        source: fingerprints of 64 bits.
        blocking: their tables.
    """

    bytes_per_value = 8

    def __init__(self, source: ValueSource, blocking: Blocking) -> None:
        self._source, self._blocking = source, blocking
        self._slices = slices(len(source))

    def count(self, block: Block, bits: int) -> Positions:
        """Return the size of each bucket in each slice of the source, shape (slices, 2^bits)."""
        kernels = load_kernels()
        counts = np.zeros((len(self._slices), 1 << bits), np.int64)
        shift, mask = bucket_field(block, bits)

        def work(number: int) -> None:
            for chunk in self._source.chunks(*self._slices[number]):
                kernels.count_buckets(chunk, shift, mask, np.uint64(0), counts[number])

        in_threads(work, len(self._slices))
        return counts

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
        values = self._in_buckets(group.block, bits, low, counts)
        ends = np.cumsum(counts.sum(axis=0))
        tables = join_tables(self._blocking, group)
        yield from in_tasks(partial(self._join_buckets, values, bits, tables, copies, copies or repeats), ends, _TASK)

    def _in_buckets(self, block: Block, bits: int, low: int, counts: Positions) -> Values:
        """Return the fingerprints of some buckets in the order of their buckets."""
        kernels = load_kernels()
        out = np.empty(int(counts.sum()), np.uint64)
        places = first_places(counts)
        shift, mask = bucket_field(block, bits)

        def work(number: int) -> None:
            lines = np.empty((counts.shape[1], kernels.LINE), np.uint64)
            filled = np.zeros(counts.shape[1], np.uint8)
            for chunk in self._source.chunks(*self._slices[number]):
                kernels.fill_buckets(chunk, shift, mask, np.uint64(low), places[number], lines, filled, out)
            kernels.flush_buckets(places[number], lines, filled, out)

        in_threads(work, len(self._slices))
        return out

    def _join_buckets(
        self,
        values: Values,
        bits: int,
        tables: list[JoinTable],
        copies: bool,
        repeats: bool,
        edges: list[int],
    ) -> list[PairArrays]:
        bucket = _Bucket(self._blocking, bits, max(b - a for a, b in pairwise(edges)))
        for start, end in pairwise(edges):
            members = values[start:end]
            if repeats and len(members) > 1:
                members = bucket.without_copies(members, tables[0], report=copies)
            if len(members) > 1:
                for table in tables:
                    bucket.join(members, table)
        return bucket.finish()


class _Bucket:
    """The memory in which the buckets of a task are joined, one after the other, and the pairs found."""

    def __init__(self, blocking: Blocking, bits: int, largest: int) -> None:
        self._blocking, self._bits = blocking, bits
        self._scratch = np.empty(largest, np.uint64)
        self._ends = np.empty((1 << _MOST_PART_BITS) + 1, np.int64)
        self._first, self._second = np.empty(_BUFFER, np.uint64), np.empty(_BUFFER, np.uint64)
        self._filled = 0
        self._found: list[PairArrays] = []
        kernels = load_kernels()
        self._kernels = kernels

    def without_copies(self, members: Values, table: JoinTable, *, report: bool) -> Values:
        """Return the distinct values, in the memory of `members`; report each that occurs more than once as a pair."""
        divided, ends, _, _ = self._divide(members, table)
        distinct, copies = self._kernels.remove_copies(divided, ends, members)
        if report and copies:
            copied = divided[:copies].copy()
            self._found.append((copied, copied))
        return members[:distinct]

    def join(self, members: Values, table: JoinTable) -> None:
        """Compare distinct values through a table."""
        divided, _, part_bits, largest = self._divide(members, table)
        if largest > _LONG_PART:
            self._found += join_distinct(members, self._blocking, [table.number])
            return
        row, distance = 0, np.uint64(self._blocking.distance)
        while True:
            self._filled, row = self._kernels.compare(
                divided, row, part_bits, table.key, table.skipped, distance, self._first, self._second, self._filled
            )
            if row == len(divided):
                return
            self._flush()

    def finish(self) -> list[PairArrays]:
        """Return all pairs."""
        self._flush()
        return self._found

    def _flush(self) -> None:
        if self._filled:
            self._found.append((self._first[: self._filled].copy(), self._second[: self._filled].copy()))
            self._filled = 0

    def _divide(self, members: Values, table: JoinTable) -> tuple[Values, Positions, np.uint64, int]:
        masks, rotations, part_bits = table.fields(self._bits, len(members))
        divided, ends = self._scratch[: len(members)], self._ends[: (1 << int(part_bits).bit_count()) + 1]
        largest = self._kernels.divide(members, masks, rotations, ends, divided)
        return divided, ends, part_bits, largest


def bucket_pairs(values: Values, blocking: Blocking) -> Iterator[PairArrays]:
    """Yield the pairs of 64-bit fingerprints within the distance, and each value with copies as a pair, each once."""
    join = BucketJoin(ArraySource(values), blocking)
    repeats = False
    for number, group in enumerate(blocking.groups):
        bits = first_bits(len(values), group.block)
        counts = join.count(group.block, bits)
        for first, second in join.join(group, bits, 0, counts, copies=number == 0, repeats=repeats):
            repeats |= number == 0 and bool((first == second).any())
            yield first, second


def bucket_field(block: Block, bits: int) -> tuple[np.uint64, np.uint64]:
    """Return the shift and the mask that take a value to the first bits of a block."""
    return np.uint64(min(block.high - bits, LANE_BITS - 1)), np.uint64((1 << bits) - 1)


def slices(count: int) -> list[tuple[int, int]]:
    """Return a range for each core, of about equal length, that cover [0, count)."""
    return list(pairwise(np.linspace(0, count, available_cores() + 1).astype(np.int64).tolist()))


def first_places(counts: Positions) -> Positions:
    """Return where the first item of each bucket of each slice goes, if the buckets follow each other.

    Args:
        counts: the size of each bucket in each slice, shape (slices, buckets), like the result.
    """
    sizes = counts.T.reshape(-1)
    return np.ascontiguousarray((np.cumsum(sizes) - sizes).reshape(-1, len(counts)).T)


def in_threads(work: Callable[[int], None], count: int) -> None:
    """Call `work` with each number below `count`, each in its own thread."""
    with ThreadPoolExecutor(count) as pool:
        for _ in pool.map(work, range(count)):
            pass


def in_tasks(join: Callable[[list[int]], list[PairArrays]], ends: Positions, fingerprints: int) -> Iterator[PairArrays]:
    """Yield the pairs of all buckets, which are joined in threads, about so many fingerprints at a time.

    Args:
        join: returns the pairs of some buckets by where the first begins, and where each ends.
        ends: where each bucket ends, ascending.
    """
    cuts = np.searchsorted(ends, np.arange(fingerprints, ends[-1], fingerprints), "right")
    bounds = np.unique(np.concatenate(([0], cuts, [len(ends)]))).tolist()
    edges = [0, *ends.tolist()]
    tasks = (edges[first : last + 1] for first, last in pairwise(bounds))
    for found in ordered_map_in_threads(join, tasks, available_cores()):
        yield from found


def lane_pairs(rows: Lanes, tables: LaneTables) -> Iterator[PairArrays]:
    """Yield the pairs of fingerprints within the distance, and each value with copies as a pair, each once.

    Args:
        rows: shape (n, lanes).
        tables: those of each lane.
    """
    ordered = sorted_values(rows)
    repeats = ordered[1:][~differs_from_previous(ordered)[1:]]
    distinct = distinct_values(ordered)
    if len(repeats):
        copied = distinct_values(repeats)
        yield copied, copied
    limits = np.array([-1 if one is None else one.distance for one in tables.blockings], np.int64)
    for lane, blocking in enumerate(tables.blockings):
        if blocking is not None and len(distinct) > 1:
            yield from _LaneJoin(distinct, lane, blocking, limits, tables.distance).pairs()


class _LaneJoin:
    """Joins distinct fingerprints through one lane."""

    def __init__(
        self, rows: Lanes, lane: int, blocking: Blocking, limits: npt.NDArray[np.int64], distance: int
    ) -> None:
        self._rows, self._lane, self._blocking = rows, lane, blocking
        self._limits, self._distance = limits, np.uint64(distance)
        self._ordered = np.empty_like(rows)
        self._slices = slices(len(rows))
        self._kernels = load_kernels()

    def pairs(self) -> Iterator[PairArrays]:
        """Yield the pairs that no lane before finds."""
        for group in self._blocking.groups:
            bits = first_bits(len(self._rows), group.block)
            ends = self._order_by(group.block, bits)
            yield from in_tasks(partial(self._join_buckets, bits, join_tables(self._blocking, group)), ends, _LANE_TASK)

    def _order_by(self, block: Block, bits: int) -> Positions:
        """Put the rows in the order of the first bits of a block; return where each bucket ends."""
        shift, mask = bucket_field(block, bits)
        counts = np.zeros((len(self._slices), 1 << bits), np.int64)

        def count(number: int) -> None:
            column = self._rows[slice(*self._slices[number]), self._lane]
            self._kernels.count_buckets(column, shift, mask, np.uint64(0), counts[number])

        in_threads(count, len(self._slices))
        places = first_places(counts)

        def fill(number: int) -> None:
            rows = self._rows[slice(*self._slices[number])]
            self._kernels.fill_row_buckets(rows, self._lane, shift, mask, places[number], self._ordered)

        in_threads(fill, len(self._slices))
        return np.cumsum(counts.sum(axis=0))

    def _join_buckets(self, bits: int, tables: list[JoinTable], edges: list[int]) -> list[PairArrays]:
        # The memory in which the buckets are joined, one after the other.
        largest, lanes = max(b - a for a, b in pairwise(edges)), self._rows.shape[1]
        divided, order = np.empty(largest, np.uint64), np.empty(largest, np.uint32)
        ends = np.empty((1 << _MOST_PART_BITS) + 1, np.int64)
        first, second = np.empty((_LANE_BUFFER, lanes), np.uint64), np.empty((_LANE_BUFFER, lanes), np.uint64)
        found: list[PairArrays] = []
        for a, b in pairwise(edges):
            rows = self._ordered[a:b]
            values = np.ascontiguousarray(rows[:, self._lane])
            for table in tables if len(rows) > 1 else ():
                masks, rotations, part_bits = table.fields(bits, len(values))
                parts = ends[: (1 << int(part_bits).bit_count()) + 1]
                self._kernels.divide(values, masks, rotations, parts, divided[: b - a], order[: b - a])
                start = np.zeros(3, np.int64)
                while start[0] < len(parts) - 1:
                    count = self._kernels.compare_rows(
                        divided[: b - a],
                        order[: b - a],
                        parts,
                        start,
                        table.key,
                        table.skipped,
                        rows,
                        self._lane,
                        self._limits,
                        self._distance,
                        first,
                        second,
                    )
                    if count:
                        found.append((first[:count].copy(), second[:count].copy()))
        return found
