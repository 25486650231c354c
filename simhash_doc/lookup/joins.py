"""Fingerprints joined with each other, or with others, by the keys of tables: with NumPy alone, for every width.

In memory by `find_all`, and in each task on Spark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import Any

import numpy as np
import numpy.typing as npt

from simhash_doc.arrays import (
    Hashes,
    Lane,
    Lanes,
    differs_from_previous,
    distinct_rows,
    empty_lanes,
    equal_rows,
    in_order,
    is_among,
    popcount,
    sorted_rows,
)
from simhash_doc.lookup.blocks import BitBlock, Blocking, BlockTables, LaneTables, Order, TableGroup, orders_of
from simhash_doc.lookup.positions import CHUNK, Positions, pieces, ranges_from
from simhash_doc.schemes import LANE_BITS

PairArrays = tuple[Lanes, Lanes]
"""Both sides of pairs, each of shape (p, lanes), in any order."""

_Sides = tuple[npt.NDArray[Any], npt.NDArray[Any]]

_FEW = 1 << 12  # pairs
_LONG_RUN = 256  # candidates of one fingerprint; with more, comparing them in place beats gathering them
_GATHERED = 1 << 16  # candidates gathered at a time
_DROPPED = 1 << 20  # pairs within a side, before the sides are joined apart


def gathered(pieces: Iterable[_Sides]) -> Iterator[_Sides]:
    """Yield several pieces at a time: most are of a few pairs, and each costs the time of a few calls."""
    held, size = list[_Sides](), 0
    for piece in pieces:
        held.append(piece)
        size += len(piece[0])
        if size >= _FEW:
            yield _joined(held)
            held, size = [], 0
    if held:
        yield _joined(held)


def _joined(pieces: list[_Sides]) -> _Sides:
    return np.concatenate([first for first, _ in pieces]), np.concatenate([second for _, second in pieces])


def matches_within(rows: Lanes, tables: BlockTables, table: int) -> Iterator[tuple[Lanes, Lanes]]:
    """Yield both sides of the pairs that a table is the first to find, piece by piece.

    Args:
        rows: distinct fingerprints, shape (n, lanes).
    """
    rows, hashes = _by_key(rows, tables, table)
    lasts = np.append(np.flatnonzero(hashes[1:] != hashes[:-1]), len(hashes) - 1)
    ends = np.repeat(lasts + 1, np.diff(lasts, prepend=-1))
    for at, difference in _reported(rows, rows, np.arange(1, len(rows) + 1), ends, tables, table):
        yield rows[at], rows[at] ^ difference


def matches_between(queries: Lanes, stored: Lanes, tables: BlockTables, table: int) -> Iterator[tuple[Lanes, Lanes]]:
    """Yield the matches of queries among stored fingerprints that a table is the first to find, piece by piece."""
    queries, query_hashes = _by_key(queries, tables, table)
    stored, stored_hashes = _by_key(stored, tables, table)
    starts, ends = (
        np.searchsorted(stored_hashes, query_hashes, "left"),
        np.searchsorted(stored_hashes, query_hashes, "right"),
    )
    for at, difference in _reported(queries, stored, starts, ends, tables, table):
        yield queries[at], queries[at] ^ difference


def _by_key(rows: Lanes, tables: BlockTables, table: int) -> tuple[Lanes, Hashes]:
    hashes = tables.hashes(rows, table)
    order = np.argsort(hashes)
    return rows[order], hashes[order]


def _reported(
    a: Lanes, b: Lanes, starts: Positions, ends: Positions, tables: BlockTables, table: int
) -> Iterator[tuple[Positions, Lanes]]:
    """Compare row i of `a` with the rows starts[i] to ends[i] of `b`; yield i and the XOR of what is to be reported."""
    for at, difference in _differences(a, b, starts, ends):
        close = np.flatnonzero(popcount(difference) <= tables.distance)
        if len(close):
            ours = close[tables.is_first(difference[close], table)]
            if len(ours):
                yield at[ours] if isinstance(at, np.ndarray) else np.full(len(ours), at), difference[ours]


def _differences(a: Lanes, b: Lanes, starts: Positions, ends: Positions) -> Iterator[tuple[Positions | int, Lanes]]:
    """Yield positions in `a`, or one for all, and the XOR of their rows with candidates in `b`."""
    sizes = ends - starts
    few = np.flatnonzero((sizes > 0) & (sizes <= _LONG_RUN))
    totals = np.cumsum(sizes[few])
    cuts = np.searchsorted(totals, np.arange(_GATHERED, totals[-1] if len(totals) else 0, _GATHERED))
    for part in np.split(few, cuts):
        at = np.repeat(part, sizes[part])
        yield at, a[at] ^ b[ranges_from(starts[part], sizes[part])]
    for position in np.flatnonzero(sizes > _LONG_RUN).tolist():
        for start in range(starts[position], ends[position], _GATHERED):
            yield position, b[start : min(start + _GATHERED, ends[position])] ^ a[position]


@dataclass(frozen=True, slots=True, eq=False)
class Searched:
    """The fingerprints of a search for pairs: of one input, or of two that are joined with each other.

    Attributes:
        values: those of the first input, then those of the second; mapped if they are in a file.
        places: position of each in the input, shape (n,), int64; None if no entry of the input is masked. Those of a
            second input follow those of the first.
        split: of two inputs, the number of entries of the first.
        sides: of two inputs, the distinct fingerprints of each, ascending.
    """

    values: Lanes
    places: Positions | None = None
    split: int | None = None
    sides: tuple[Lanes, Lanes] | None = None

    def reported(self, pairs: Iterable[PairArrays]) -> Iterator[PairArrays]:
        """Yield pairs, the smaller one in front; of two inputs those with one of each, that of the first in front."""
        if self.sides is None:
            yield from starmap(in_order, pairs)
            return
        new, old = self.sides
        for a, b in pairs:
            forth = is_among(a, new) & is_among(b, old)
            back = is_among(b, new) & is_among(a, old) & ~equal_rows(a, b)
            yield np.concatenate((a[forth], b[back])), np.concatenate((b[forth], a[back]))


class ManyWithinError(Exception):
    """Too many pairs are within a side of a search across two inputs."""


def reported_across(searched: Searched, joined: Iterable[PairArrays]) -> Iterator[PairArrays]:
    """Yield those of all pairs that are of one fingerprint of each side; all of them if there is one input.

    All are joined first, which is fastest if few pairs are within a side. A template in a side may have millions.

    Raises:
        ManyWithinError: there are so many that the sides have to be joined apart (`joined_apart`).
    """
    dropped = 0
    for pair in joined:
        found = [*searched.reported([pair])]
        yield from found
        dropped += len(pair[0]) - len(found[0][0])
        if dropped > max(_DROPPED, len(searched.values)):
            raise ManyWithinError


def joined_apart(sides: tuple[Lanes, Lanes], tables: BlockTables, numbers: Iterable[int]) -> Iterator[PairArrays]:
    """Yield the pairs of one fingerprint of each side that one of some tables is the first to find."""
    for number in numbers:
        yield from matches_between(*sides, tables, number)


# Above this share of the values with a neighbour in their bucket, comparing all of them in order
# is faster than gathering those that have one.
_DENSE_SHARE = 0.12
_BUCKET_BITS = 13  # a bucket of 2^13 fingerprints of 64 bits takes 64 KiB
_MOST_FIRST_BITS = 13


@dataclass(frozen=True, slots=True)
class SortedJoin:
    """Joins fingerprints of any width, some buckets at a time; with the interface of `BucketJoin`."""

    values: Lanes
    blocking: BlockTables

    @property
    def bytes_per_value(self) -> int:
        """Bytes that a fingerprint takes: sorted and permuted; with its key, hash and position over 64 bits."""
        return 32 if self.blocking.lanes == 1 else 40 * self.blocking.lanes + 32

    @property
    def bytes_per_joined(self) -> int:
        """Bytes that a fingerprint takes in addition while its bucket is joined."""
        return self.bytes_per_value

    @property
    def buckets_at_a_time(self) -> int:
        """Buckets that are joined at a time."""
        return 1

    def count(self, block: BitBlock, bits: int) -> Positions:
        """Return the size of each bucket, shape (1, 2^bits)."""
        counts = np.zeros(1 << bits, np.int64)
        for chunk in pieces(self.values):
            counts += np.bincount(_buckets(chunk, block, bits), minlength=1 << bits)
        return counts[None]

    def join(
        self, group: TableGroup, bits: int, low: int, counts: Positions, *, copies: bool, connect: bool = False
    ) -> Iterator[PairArrays]:
        """Yield the pairs within the distance that a table of a group is the first to find; see `BucketJoin.join`."""
        rows = rows_of_buckets(self.values, group.block, bits, low, low + counts.shape[1])
        yield from sorted_join(rows, self.blocking, group.tables, copies=copies, connect=connect)


def rows_of_buckets(values: Lanes, block: BitBlock, bits: int, low: int, high: int) -> Lanes:
    """Return the fingerprints, in their order, whose first bits of a block are from `low` to below `high`."""
    chosen = [empty_lanes(values.shape[1])]
    for chunk in pieces(values):
        buckets = _buckets(chunk, block, bits)
        chosen.append(chunk.compress((buckets >= low) & (buckets < high), axis=0))
    return np.concatenate(chosen)


def _buckets(rows: Lanes, block: BitBlock, bits: int) -> Positions:
    return Order(LANE_BITS * rows.shape[1], (block,), block.width).buckets(rows, bits)


def sorted_join(
    values: Lanes, blocking: BlockTables, tables: Sequence[int], *, copies: bool, connect: bool = False
) -> Iterator[PairArrays]:
    """Yield the pairs within the distance that one of the tables is the first to find, each once.

    Args:
        values: shape (n, lanes), in any order, with or without copies.
        tables: their numbers.
        copies: yield each value that occurs more than once as a pair with itself, too.
        connect: of many pairs of values with one key, yield only some, which connect what all of them connect.
    """
    distinct, copied = without_copies(values)
    if copies and len(copied):
        yield copied, copied
    if len(distinct) > 1:
        yield from join_distinct(distinct, blocking, tables, connect=connect)


def without_copies(values: Lanes) -> tuple[Lanes, Lanes]:
    """Return the distinct fingerprints, and those of them that occur more than once; both ascending."""
    ordered = sorted_rows(values)
    first = differs_from_previous(ordered)
    if first.all():
        return ordered, ordered[:0]
    return ordered.compress(first, axis=0), distinct_rows(ordered.compress(~first, axis=0))


def compare_all(
    values: Lanes, distance: int, sd64_distance: int | None, *, connect: bool = False
) -> Iterator[PairArrays]:
    """Yield the pairs within the distance by comparing each two fingerprints, and each value with copies as a pair.

    With `connect`, of all pairs only some, which connect what all of them connect.

    Args:
        values: shape (n, lanes), in any order.
        distance: maximum number of differing bits.
        sd64_distance: maximum number of those in lane 0; None for any.
    """
    distinct, copied = without_copies(values)
    if len(copied):
        yield copied, copied
    if connect:
        yield from _connecting(distinct, distance, 0, sd64_distance)
        return
    columns = [np.ascontiguousarray(lane) for lane in distinct.T]
    step = max(1, CHUNK // max(1, len(distinct)))
    for start in range(0, len(distinct), step):
        differing = [np.bitwise_count(lane[start : start + step, None] ^ lane[start:]) for lane in columns]
        near = np.add.reduce(differing, dtype=np.uint16) <= distance
        if sd64_distance is not None:
            near &= differing[0] <= sd64_distance
        first, second = np.divmod(np.flatnonzero(near), near.shape[1])
        once = first < second
        yield distinct.take(start + first[once], axis=0), distinct.take(start + second[once], axis=0)


def _connecting(rows: Lanes, distance: int, lane: int = 0, lane_distance: int | None = None) -> Iterator[PairArrays]:
    """Yield pairs within the distance that connect what all of them connect: a tree for each connected component.

    Breadth first: a fingerprint is compared with those that are not connected yet, which are soon few if many are near.

    Args:
        rows: distinct fingerprints, shape (n, lanes).
        distance: maximum number of differing bits.
        lane, lane_distance: the maximum of those in a lane; None for any.
    """
    apart, connected = rows, rows[:0]
    while len(apart):
        if not len(connected):
            connected, apart = apart[:1], apart[1:]
        step = max(1, CHUNK // max(1, len(apart)))
        compared, connected = connected[:step], connected[step:]
        differing = [np.bitwise_count(a[:, None] ^ b) for a, b in zip(compared.T, apart.T, strict=True)]
        near = np.add.reduce(differing, dtype=np.uint16) <= distance
        if lane_distance is not None:
            near &= differing[lane] <= lane_distance
        found = near.any(axis=0)
        if found.any():
            members = apart[found]
            yield compared[near[:, found].argmax(axis=0)], members
            connected, apart = np.concatenate((connected, members)), apart[~found]


def join_distinct(
    distinct: Lanes, blocking: BlockTables, tables: Sequence[int], *, connect: bool = False
) -> Iterator[PairArrays]:
    """Yield the pairs of distinct fingerprints that one of the tables is the first to find, each once."""
    if isinstance(blocking, LaneTables):
        return _lane_join(distinct, blocking, tables, connect)
    assert isinstance(blocking, Blocking)
    return _permuted_join(distinct, blocking, tables, connect)


def _lane_join(distinct: Lanes, tables: LaneTables, numbers: Sequence[int], connect: bool) -> Iterator[PairArrays]:
    orders = [orders_of(blocking) for blocking in tables.blockings]
    for number in numbers:
        lane, blocking, own = tables.places[number]
        table = orders[lane][own]
        permuted = table.apply(distinct[:, lane])
        at = np.argsort(permuted)
        permuted = permuted[at]
        shares = _shares_prefix_with_next(permuted, table.prefix_bits)
        for run in _without_long_runs(shares) if connect else ():
            yield from _connecting(distinct[at[run]], tables.distance, lane, blocking.distance)
        for hits, others in gathered(_close_in_bucket(permuted, shares, blocking.distance)):
            a, b = distinct.take(at[hits], axis=0), distinct.take(at[others], axis=0)
            ours = popcount(a ^ b) <= tables.distance
            ours &= tables.is_first(a ^ b, number)
            yield a[ours], b[ours]


def _permuted_join(distinct: Lanes, blocking: Blocking, tables: Sequence[int], connect: bool) -> Iterator[PairArrays]:
    orders = orders_of(blocking)
    permuted = np.empty(len(distinct), np.uint64)
    for number in tables:
        table = orders[number]
        table.apply(distinct[:, 0], permuted)
        permuted.sort()
        shares = _shares_prefix_with_next(permuted, table.prefix_bits)
        for run in _without_long_runs(shares) if connect else ():
            yield from _connecting(table.undo(permuted[run])[:, None], blocking.distance)
        for hits, others in gathered(_close_in_bucket(permuted, shares, blocking.distance)):
            a, b = table.undo(permuted[hits])[:, None], table.undo(permuted[others])[:, None]
            ours = blocking.is_first(a ^ b, number)
            yield a.compress(ours, axis=0), b.compress(ours, axis=0)


def _without_long_runs(shares: npt.NDArray[np.bool_]) -> Iterator[slice]:
    """Yield the bounds of long runs of values with one prefix, which from then on do not count as sharing it."""
    bounds = np.flatnonzero(np.diff(shares, prepend=False)).reshape(-1, 2)
    for first, last in bounds[bounds[:, 1] - bounds[:, 0] >= _LONG_RUN].tolist():
        shares[first:last] = False
        yield slice(first, last + 1)


def _close_in_bucket(
    permuted: Lane, next_shares: npt.NDArray[np.bool_], distance: int
) -> Iterator[tuple[Positions, Positions]]:
    """Yield positions of values of a sorted table that are within the distance of each other.

    Every such pair that shares the table's prefix is found; some that do not may be too. A lag
    joins each value with the one `lag` places later: no list of candidates is ever built.

    Args:
        permuted: the table, ascending.
        next_shares: for each value, shape (n,), whether the next one begins with the same prefix.
    """
    n = len(permuted)
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
            yield hits, hits + lag
        at = at[next_shares[at + lag]]
        lag += 1


def _shares_prefix_with_next(permuted: Lane, prefix_bits: int) -> npt.NDArray[np.bool_]:
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


def _close_at_lag(permuted: Lane, lag: int, distance: int) -> Iterator[tuple[Positions, Positions]]:
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
        hits = np.concatenate(found)
        yield hits, hits + lag


def first_bits(fingerprints: int, block: BitBlock) -> int:
    """Return the number of bits of a block that put fingerprints into buckets of the size of a cache."""
    return min(block.width, _MOST_FIRST_BITS, (fingerprints >> _BUCKET_BITS).bit_length())
