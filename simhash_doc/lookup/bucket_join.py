"""Fingerprints joined with each other by the compiled core, in buckets that fit into the cache, on all cores.

The fingerprints are ordered once for all tables that begin with the same block: into buckets by the first bits of the
block. In a bucket, other bits of each table's key put the few fingerprints side by side that may be near. Nothing is
sorted, and both steps stay in the second-level cache.

Over 64 bits, each lane i has a small distance t(i), so that the sum of t(i) + 1 over all lanes is d + 1. Fingerprints
within d bits are within t(i) bits in some lane i. So the tables of 64 bits, with the distance t(i), find all pairs.
Each lane is joined as fingerprints of 64 bits are. Where a lane is within its distance, the other lanes are compared.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
import simhash_doc_native as core

from simhash_doc.arrays import Lanes, distinct_rows, equal_rows, sorted_rows
from simhash_doc.lookup.blocks import BitBlock, Blocking, LaneTables, TableGroup
from simhash_doc.lookup.errors import BadValueError
from simhash_doc.lookup.joins import PairArrays, first_bits
from simhash_doc.lookup.positions import Positions, pieces
from simhash_doc.parallel.pool import available_cores, ordered_map_in_threads
from simhash_doc.schemes import LANE_BITS

_TASKS = 4  # of each thread, at least, unless they would be small
_SMALL_TASK, _LARGE_TASK = 1 << 14, 1 << 18  # fingerprints
_PIECE = 1 << 18  # pairs, unless those of all threads would take more than the following
_HELD = 64 << 20  # bytes
_HELD_PER_THREAD = 3  # pieces: two results that wait, and one that is made
_LEVEL_BYTES = 12  # of a fingerprint that is joined: its lane and its place


class BucketField(NamedTuple):
    """The bits of a lane that number the buckets.

    Attributes:
        lane: the number of the lane.
        low: the lowest of the bits in it.
        bits: their number.
    """

    lane: int
    low: int
    bits: int


class LaneTable(NamedTuple):
    """A table of one lane.

    Attributes:
        key: the bits of its key.
        skipped: `Blocking.skipped_masks`.
    """

    key: int
    skipped: list[int]


@dataclass(frozen=True, slots=True)
class BucketJoin:
    """Joins fingerprints, some buckets at a time.

    Attributes:
        values: the fingerprints, shape (n, lanes).
        blocking: their tables, or those of their lanes.
    """

    values: Lanes
    blocking: Blocking | LaneTables

    @property
    def bytes_per_value(self) -> int:
        """Bytes that a fingerprint takes."""
        return 8 * self.blocking.lanes

    @property
    def bytes_per_joined(self) -> int:
        """Bytes that a fingerprint takes in addition while its bucket is joined: without copies, and in divisions."""
        return 8 * self.blocking.lanes + 2 * _LEVEL_BYTES

    @property
    def buckets_at_a_time(self) -> int:
        """Buckets that are joined at a time: a thread has two tasks."""
        return 2 * self._threads()

    def count(self, block: BitBlock, bits: int) -> Positions:
        """Return the size of each bucket in each slice of them, shape (slices, 2^bits)."""
        counts = np.zeros((self._threads(), 1 << bits), np.uint64)
        field = self._field(block, bits)

        def work(number: int, start: int, end: int) -> None:
            for chunk in pieces(self.values, start, end):
                core.count_buckets(chunk, field, counts[number])

        self._in_threads(work)
        return counts.view(np.int64)

    def join(
        self, group: TableGroup, bits: int, low: int, counts: Positions, *, copies: bool, connect: bool = False
    ) -> Iterator[PairArrays]:
        """Yield the pairs within the distance that a table of a group is the first to find.

        Args:
            group: tables.
            bits: first bits of their block that number the buckets.
            low: the first of some buckets.
            counts: their sizes in each slice, shape (slices, buckets).
            copies: yield each value that occurs more than once as a pair with itself, too.
            connect: of many pairs of values with one key, yield only some, which connect what all of them connect.
        """
        rows = self._ordered(group.block, bits, low, counts)
        field, tables = self._field(group.block, bits), _lane_tables(self.blocking, group)
        limits = [blocking.distance for blocking in _blockings(self.blocking)]
        ends = np.cumsum(counts.sum(axis=0))
        size = min(max(len(rows) // (_TASKS * self._threads()), _SMALL_TASK), _LARGE_TASK)
        cuts = np.searchsorted(ends, np.arange(size, len(rows), size), "right")
        bounds = np.unique(np.concatenate(([0], cuts, [len(ends)]))).tolist()
        edges = [0, *ends.tolist()]
        piece = min(_PIECE, max(1, _HELD // (_HELD_PER_THREAD * self._threads() * 16 * self.blocking.lanes)))
        yield from self._in_turns(
            core.BucketPairs(
                rows, edges[first : last + 1], field, tables, limits, self.blocking.distance, copies, connect, piece
            )
            for first, last in pairwise(bounds)
        )

    def _in_turns(self, tasks: Iterator[core.BucketPairs]) -> Iterator[PairArrays]:
        """Yield the pairs of tasks, a piece of each in turn, few of which are begun at a time."""
        lanes = self.blocking.lanes
        begun: deque[core.BucketPairs] = deque()

        def turns() -> Iterator[core.BucketPairs]:
            while task := begun.popleft() if begun else next(tasks, None):
                yield task

        # Again for tasks that had a piece when no other task was left.
        while task := begun.popleft() if begun else next(tasks, None):
            turn = chain([task], turns())
            for task, pairs in ordered_map_in_threads(lambda task: (task, next(task, None)), turn, self._threads()):
                if pairs is not None:
                    begun.append(task)
                    first, second = (np.frombuffer(side, np.uint64).reshape(-1, lanes) for side in pairs)
                    yield first, second

    def _ordered(self, block: BitBlock, bits: int, low: int, counts: Positions) -> Lanes:
        """Return the fingerprints of some buckets in the order of their buckets; arguments are those of `join`."""
        out = np.empty((int(counts.sum()), self.values.shape[1]), np.uint64)
        # Where the first item of each bucket of each slice goes.
        sizes = counts.T.reshape(-1)
        places = np.ascontiguousarray((np.cumsum(sizes) - sizes).reshape(-1, len(counts)).T).view(np.uint64)
        ends = places + counts.astype(np.uint64)
        field = self._field(block, bits)

        def work(number: int, start: int, end: int) -> None:
            for chunk in pieces(self.values, start, end):
                core.fill_buckets(chunk, field, low, places[number], out)

        self._in_threads(work)
        if not np.array_equal(places, ends):  # the rest of `out` is memory of anything
            raise BadValueError(
                "a bucket has fewer fingerprints than counted: the fingerprints changed during the search"
            )
        return out

    def _in_threads(self, work: Callable[[int, int, int], None]) -> None:
        """Call `work` with the number and the bounds of each slice of them, each in its own thread."""
        threads = self._threads()
        edges = np.linspace(0, len(self.values), threads + 1).astype(np.int64).tolist()
        slices = zip(range(threads), edges[:-1], edges[1:], strict=True)
        for _ in ordered_map_in_threads(lambda bounds: work(*bounds), slices, threads):
            pass

    def _threads(self) -> int:
        return min(available_cores(), len(self.values) // _SMALL_TASK + 1)

    def _field(self, block: BitBlock, bits: int) -> BucketField:
        lane, low = divmod(block.high - bits, LANE_BITS) if bits else (block.low // LANE_BITS, 0)
        return BucketField(self.blocking.lanes - 1 - lane, low, bits)


def _blockings(tables: Blocking | LaneTables) -> tuple[Blocking, ...]:
    """Return the tables of each lane."""
    return tables.blockings if isinstance(tables, LaneTables) else (tables,)


def _lane_tables(tables: Blocking | LaneTables, group: TableGroup) -> list[LaneTable]:
    found = []
    for number in group.tables:
        blocking, own = tables.places[number][1:] if isinstance(tables, LaneTables) else (tables, number)
        found.append(LaneTable(blocking.masks[own], blocking.skipped_masks(own)[:, 0].tolist()))
    return found


def bucket_pairs(values: Lanes, tables: Blocking | LaneTables, *, connect: bool = False) -> Iterator[PairArrays]:
    """Yield the pairs of fingerprints within the distance, and each value with copies as a pair, each once.

    With `connect`, of many pairs only some, which connect what all of them connect.
    """
    for number, group in enumerate(tables.groups):
        join = BucketJoin(values, tables)
        bits = first_bits(len(values), group.block)
        copied = False
        for first, second in join.join(
            group, bits, 0, join.count(group.block, bits), copies=number == 0, connect=connect
        ):
            copied |= number == 0 and bool(equal_rows(first, second).any())
            yield first, second
        if copied:  # once, not in each bucket of each group
            values = distinct_rows(sorted_rows(values))
