"""Fingerprints over 64 bits joined with each other in compiled loops, through their lanes.

Fingerprints within d bits are within t(i) bits in some lane i, if the sum of t(i) + 1 over all lanes is d + 1. So the
tables of 64 bits, with the small distance t(i), find all pairs: each lane is joined as fingerprints of 64 bits are, and
where a lane is within its distance, the other lanes are compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from simhash_doc.batch.process_pool import available_cores
from simhash_doc.engines.lanes import LANE_BITS, Lanes
from simhash_doc.lookup.arrays import Positions, differs_from_previous, distinct_values, sorted_values
from simhash_doc.lookup.blocks import Blocking, TableGroup
from simhash_doc.lookup.bucket_join import (
    bucket_field,
    can_compile,
    first_bits,
    first_places,
    in_threads,
    in_turn,
    load_kernels,
    slices,
)
from simhash_doc.lookup.join_table import MOST_PART_BITS, JoinTable
from simhash_doc.lookup.lane_plan import LanePlan
from simhash_doc.lookup.permutation import permutations
from simhash_doc.lookup.sorted_join import PairArrays

_LEAST = 1 << 14  # fingerprints; with fewer, loading the compiled loops takes longer than it saves
_BUFFER = 1 << 14  # pairs
_TASK = 1 << 18  # fingerprints


def is_worthwhile(fingerprints: int, bits: int) -> bool:
    """Return True if the compiled loops for lanes are faster and can be used: see `simhash_doc.set_engine`."""
    return bits > LANE_BITS and can_compile(fingerprints >= _LEAST)


def lane_pairs(rows: Lanes, plan: LanePlan) -> Iterator[PairArrays]:
    """Yield the pairs of fingerprints within the distance, and each value with copies as a pair, each once.

    Args:
        rows: shape (n, lanes).
        plan: its distance, and the tables of each lane.
    """
    ordered = sorted_values(rows)
    repeats = ordered[1:][~differs_from_previous(ordered)[1:]]
    distinct = distinct_values(ordered)
    if len(repeats):
        copied = distinct_values(repeats)
        yield copied, copied
    limits = np.array([-1 if one is None else one.distance for one in plan.blockings], np.int64)
    for lane, blocking in enumerate(plan.blockings):
        if blocking is not None and len(distinct) > 1:
            yield from _LaneJoin(distinct, lane, blocking, limits, plan.distance).pairs()


class _LaneJoin:
    """Joins distinct fingerprints through one lane."""

    def __init__(
        self, rows: Lanes, lane: int, blocking: Blocking, limits: npt.NDArray[np.int64], distance: int
    ) -> None:
        self._rows, self._lane, self._blocking = rows, lane, blocking
        self._limits, self._distance = limits, np.uint64(distance)
        self._orders = permutations(blocking)
        self._ordered = np.empty_like(rows)
        self._cores = available_cores()
        self._slices = slices(len(rows), self._cores)
        self._kernels = load_kernels()

    def pairs(self) -> Iterator[PairArrays]:
        """Yield the pairs that no lane before finds."""
        with ThreadPoolExecutor(self._cores) as pool:
            for group in self._blocking.groups:
                bits = first_bits(len(self._rows), group.block)
                rows, ends = self._in_buckets(group, bits)
                tables = [JoinTable.of(self._blocking, number, self._orders[number]) for number in group.tables]
                task = partial(self._join_buckets, rows, ends, bits, tables)
                cuts = np.searchsorted(ends, np.arange(_TASK, len(rows), _TASK), "right")
                edges = np.unique(np.concatenate(([0], cuts, [len(ends)]))).tolist()
                for found in in_turn(pool, task, list(pairwise(edges)), 2 * self._cores):
                    yield from found

    def _in_buckets(self, group: TableGroup, bits: int) -> tuple[Lanes, Positions]:
        """Return the rows in the order of the first bits of a block, and where each bucket ends."""
        shift, mask = bucket_field(group.block, bits)
        counts = np.zeros((len(self._slices), 1 << bits), np.int64)

        def count(number: int) -> None:
            column = self._rows[slice(*self._slices[number]), self._lane]
            self._kernels.count_buckets(column, shift, mask, np.uint64(0), counts[number])

        in_threads(count, len(self._slices))
        places, out = first_places(counts), self._ordered

        def fill(number: int) -> None:
            rows = self._rows[slice(*self._slices[number])]
            self._kernels.fill_row_buckets(rows, self._lane, shift, mask, places[number], out)

        in_threads(fill, len(self._slices))
        return out, np.cumsum(counts.sum(axis=0))

    def _join_buckets(
        self, rows: Lanes, ends: Positions, bits: int, tables: list[JoinTable], buckets: tuple[int, int]
    ) -> list[PairArrays]:
        """Return the pairs of the buckets [first, last)."""
        first, last = buckets
        edges = [int(ends[first - 1]) if first else 0, *ends[first:last].tolist()]
        found: list[PairArrays] = []
        memory = _Memory(max(b - a for a, b in pairwise(edges)), rows.shape[1])
        for start, end in pairwise(edges):
            if end - start > 1:
                values = np.ascontiguousarray(rows[start:end, self._lane])
                for table in tables:
                    found += self._join(rows[start:end], values, bits, table, memory)
        return found

    def _join(
        self, rows: Lanes, values: npt.NDArray[np.uint64], bits: int, table: JoinTable, memory: _Memory
    ) -> Iterator[PairArrays]:
        """Yield the pairs of a bucket that a table is the first to find."""
        masks, rotations, part_bits = table.fields(bits, len(values))
        divided, order = memory.divided[: len(values)], memory.order[: len(values)]
        ends = memory.ends[: (1 << int(part_bits).bit_count()) + 1]
        self._kernels.divide(values, masks, rotations, ends, divided, order)
        start = np.zeros(3, np.int64)
        while start[0] < len(ends) - 1:
            count = self._kernels.compare_rows(
                divided,
                order,
                ends,
                start,
                table.key,
                table.skipped,
                rows,
                self._lane,
                self._limits,
                self._distance,
                memory.first,
                memory.second,
            )
            if count:
                yield memory.first[:count].copy(), memory.second[:count].copy()


class _Memory:
    """The memory in which the buckets of a task are joined, one after the other."""

    def __init__(self, largest: int, lanes: int) -> None:
        self.divided, self.order = np.empty(largest, np.uint64), np.empty(largest, np.uint32)
        self.ends = np.empty((1 << MOST_PART_BITS) + 1, np.int64)
        self.first, self.second = np.empty((_BUFFER, lanes), np.uint64), np.empty((_BUFFER, lanes), np.uint64)
