"""64-bit fingerprints joined with each other in compiled loops, in buckets that fit into the cache.

The fingerprints are ordered once for all tables that begin with the same block: into buckets by the first bits of the
block. In a bucket, the following bits of each table's key put the few fingerprints side by side that may be near.
Nothing is sorted, and both steps stay in the second-level cache.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, partial
from importlib.util import find_spec
from itertools import pairwise
from types import ModuleType

import numpy as np

from simhash_doc.batch.process_pool import available_cores
from simhash_doc.engines.lanes import LANE_BITS
from simhash_doc.engines.select import AUTO, get_setting, watch_compilation
from simhash_doc.lookup.arrays import Positions, Values
from simhash_doc.lookup.blocks import Block, Blocking, TableGroup
from simhash_doc.lookup.join_table import MOST_PART_BITS, JoinTable
from simhash_doc.lookup.permutation import permutations
from simhash_doc.lookup.sorted_join import PairArrays, join_distinct
from simhash_doc.lookup.value_source import ArraySource, ValueSource

_LEAST = 1 << 21  # fingerprints; with fewer, loading the compiled loops takes longer than it saves
_BUCKET_BITS = 13  # a bucket of 2^13 fingerprints takes 64 KiB
_MOST_FIRST_BITS = 13
_LONG_PART = 4096  # beyond, comparing by vector instructions is faster
_BUFFER = 1 << 16  # pairs; more than _LONG_PART
_TASK = 1 << 20  # fingerprints


def is_worthwhile(fingerprints: int, bits: int, distance: int) -> bool:
    """Return True if the compiled loops for 64 bits are faster and can be used: see `simhash_doc.set_engine`."""
    return bits == LANE_BITS and distance > 0 and can_compile(fingerprints >= _LEAST)


def can_compile(large: bool) -> bool:
    """Return True if compiled loops are wanted and can be used.

    Args:
        large: the search takes longer than loading the loops.
    """
    setting = get_setting()
    if setting == AUTO:
        return large and find_spec("numba") is not None and _kernels() is not None
    return setting == "numba" and _kernels() is not None


def load_kernels() -> ModuleType:
    """Return the compiled loops, which can be used."""
    kernels = _kernels()
    assert kernels is not None
    return kernels


@cache
def _kernels() -> ModuleType | None:
    try:
        from simhash_doc.lookup import bucket_kernels

        watch_compilation()
    except Exception as error:  # anything may be wrong with numba, llvmlite or the compiler
        warnings.warn(f"numba cannot be used ({error}): the search is slower", RuntimeWarning, stacklevel=3)
        return None
    return bucket_kernels


class BucketJoin:
    """Joins the fingerprints of a source, some buckets at a time.

    Args:
        source: fingerprints of 64 bits.
        blocking: their tables.
    """

    bytes_per_value = 8

    def __init__(self, source: ValueSource, blocking: Blocking) -> None:
        self._source, self._blocking = source, blocking
        self._orders = permutations(blocking)
        self._cores = available_cores()
        self._slices = slices(len(source), self._cores)

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
        tables = [JoinTable.of(self._blocking, number, self._orders[number]) for number in group.tables]
        task = partial(self._join_buckets, values, ends, bits, tables, copies, copies or repeats)
        cuts = np.searchsorted(ends, np.arange(_TASK, len(values), _TASK), "right")
        edges = np.unique(np.concatenate(([0], cuts, [len(ends)]))).tolist()
        with ThreadPoolExecutor(self._cores) as pool:
            for found in in_turn(pool, task, list(pairwise(edges)), 2 * self._cores):
                yield from found

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
        ends: Positions,
        bits: int,
        tables: list[JoinTable],
        copies: bool,
        repeats: bool,
        buckets: tuple[int, int],
    ) -> list[PairArrays]:
        """Return the pairs of the buckets [first, last)."""
        first, last = buckets
        edges = [int(ends[first - 1]) if first else 0, *ends[first:last].tolist()]
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
        self._ends = np.empty((1 << MOST_PART_BITS) + 1, np.int64)
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


def first_bits(fingerprints: int, block: Block) -> int:
    """Return the number of bits of a block that put fingerprints into buckets of the size of a cache."""
    return min(block.width, _MOST_FIRST_BITS, (fingerprints >> _BUCKET_BITS).bit_length())


def bucket_field(block: Block, bits: int) -> tuple[np.uint64, np.uint64]:
    """Return the shift and the mask that take a value to the first bits of a block."""
    return np.uint64(min(block.high - bits, LANE_BITS - 1)), np.uint64((1 << bits) - 1)


def slices(count: int, parts: int) -> list[tuple[int, int]]:
    """Return ranges of about equal length that cover [0, count)."""
    return list(pairwise(np.linspace(0, count, parts + 1).astype(np.int64).tolist()))


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


def in_turn(
    pool: ThreadPoolExecutor,
    task: Callable[[tuple[int, int]], list[PairArrays]],
    items: list[tuple[int, int]],
    ahead: int,
) -> Iterator[list[PairArrays]]:
    """Yield the results of a task, at most `ahead` of which wait in memory."""
    waiting: deque[Future[list[PairArrays]]] = deque()
    for item in items:
        waiting.append(pool.submit(task, item))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
