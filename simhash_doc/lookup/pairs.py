"""Every pair of near-duplicates among given fingerprints."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from simhash_doc.arrays import (
    Lanes,
    Values,
    distinct_rows,
    empty_lanes,
    lanes_from_values,
    popcount,
    scheme_of,
    sort_keys,
    sorted_rows,
    values_from_lanes,
)
from simhash_doc.lookup.array_file import PathName
from simhash_doc.lookup.errors import BadValueError, LookupParameterError
from simhash_doc.lookup.inputs import AnyValues, open_lanes, present_lanes
from simhash_doc.lookup.joins import (
    ManyWithinError,
    PairArrays,
    Searched,
    compare_all,
    joined_apart,
    reported_across,
    sorted_join,
)
from simhash_doc.lookup.planning.join import JoinPlan, plan_join
from simhash_doc.lookup.positions import CHUNK, Positions, runs
from simhash_doc.schemes import get_scheme

_BATCH_ROWS = 1 << 18
_ROWS = 1 << 20  # pairs whose distances are counted at a time
_PAIRS_READ = 1 << 17  # at a time, since they may be mapped from a file
_LOCATED = 1 << 18  # fingerprints looked up at a time
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: spreads values over a bitmap
_BITMAP_BITS = 22


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of fingerprints within a distance.

    Attributes:
        source: the fingerprints searched, shape (n,), or (n, lanes) over 64 bits, uint64; of a search across two
            inputs first the fingerprints of the first input, then of the second.
        values: the pairs, shape (p, 2) or (p, 2, lanes): first <= second in a row, rows ascending. A row of
            two equal values represents all entries that have this value, two or more. Across two inputs, first is of
            the first input and second of the second.
        distances: of each pair, shape (p,), in bits: uint8, or uint16 over 64 bits.
        places: position of each of `source` in the input, shape (n,), int64; None if they are the same, because no
            entry of the input is masked. The positions of a second input follow the first's.
        split: of a search across two inputs, the number of entries of the first; None for one input.
    """

    source: Values
    values: Values
    distances: npt.NDArray[np.unsignedinteger]
    places: Positions | None = None
    split: int | None = None

    def __len__(self) -> int:
        return len(self.values)

    def members(self, memory: int | None = None) -> Values:
        """Return the distinct values that occur in a pair, ascending, shape (d,) or (d, lanes).

        Args:
            memory: bytes that it may take; None for any number.

        Raises:
            LookupParameterError: it would take more. It takes about four times the bytes of the result.
        """
        return values_from_lanes(self._members(memory))

    def ends(self, members: Values) -> Positions:
        """Return the pairs as positions in `members`, shape (p, 2)."""
        keys = sort_keys(lanes_from_values(members))
        return np.column_stack([np.searchsorted(keys, sort_keys(self._rows[:, side])) for side in (0, 1)])

    def locate(self, members: Values) -> tuple[Positions, Positions]:
        """Return where values (ascending, distinct) are in the input.

        Returns:
            Positions in the input, ascending, and for each its index in `members`; both of shape (e,), int64.
        """
        none = np.empty(0, np.int64)
        found = [(none, none), *self.locate_batches(members)]
        return np.concatenate([at for at, _ in found]), np.concatenate([rank for _, rank in found])

    def locate_batches(self, members: Values) -> Iterator[tuple[Positions, Positions]]:
        """Yield the results of `locate` in batches, in memory that does not grow with the input."""
        wanted = lanes_from_values(members)
        bitmap = np.zeros(1 << _BITMAP_BITS, bool)
        bitmap[_slots(wanted)] = True
        keys = sort_keys(wanted)
        source = lanes_from_values(self.source)
        for start in range(0, len(source) if len(wanted) else 0, _LOCATED):
            at = _with_slots(source[start : start + _LOCATED], bitmap)
            found = sort_keys(source.take(at + start, axis=0))
            rank = ranks_of(keys, found)
            rank[rank == len(wanted)] = 0
            exact = keys[rank] == found
            at, rank = at[exact] + start, rank[exact]
            yield at if self.places is None else self.places[at], rank

    def positions(self) -> Positions:
        """Return every pair of entries as positions in the input, shape (e, 2), int64; first < second, rows ascending.

        Across two inputs, first is a position in the first, second one in the second.
        c copies of a value make c (c - 1) / 2 rows (SD-LOOK-3); `find_clusters` answers in linear space.
        """
        return np.concatenate([np.empty((0, 2), np.int64), *self.position_batches()])

    def position_batches(self) -> Iterator[Positions]:
        """Yield the rows of `positions` in batches, in memory that does not grow with their number."""
        members = self._members()
        at, rank = self.locate(members)
        second_at, second_rank = at, rank
        if self.split is not None:
            cut = int(np.searchsorted(at, self.split))
            at, rank, second_at, second_rank = at[:cut], rank[:cut], at[cut:] - self.split, rank[cut:]
        order = np.argsort(second_rank, kind="stable")
        entries = _Grouped(second_at[order], np.bincount(second_rank, minlength=len(members)))
        near = self._neighbours(members)
        # Rows of the batches begin with these entries; each is compared with all entries of the values near it.
        work = np.cumsum(np.bincount(near.groups(), entries.counts[near.items], len(members)).astype(np.int64)[rank])
        start = 0
        while start < len(at):
            done = int(work[start - 1]) if start else 0
            end = max(start + 1, int(np.searchsorted(work, done + _BATCH_ROWS, "right")))
            owner, values = near.of(rank[start:end])
            item, second = entries.of(values)
            first = at[start:end][owner[item]]
            rows = np.column_stack((first, second))
            if self.split is None:
                rows = rows[first < second]
            yield rows[np.lexsort((rows[:, 1], rows[:, 0]))]
            start = end

    @property
    def _rows(self) -> Lanes:
        """The pairs, shape (p, 2, lanes)."""
        return self.values.reshape(-1, 2, lanes_from_values(self.source).shape[1])

    def _members(self, memory: int | None = None) -> Lanes:
        """Return `members`, shape (d, lanes)."""
        pairs = self._rows
        lanes = pairs.shape[2]
        found, pieces, count = empty_lanes(lanes), [], 0
        for start in range(0, len(self), _PAIRS_READ):
            part = pairs[start : start + _PAIRS_READ]
            # Not np.unique, which takes 25 times as long on what is half sorted already.
            pieces.append(distinct_rows(sorted_rows(np.concatenate((part[:, 0], part[:, 1])))))
            count += len(pieces[-1])
            if count > len(found) or start + _PAIRS_READ >= len(self):
                check_memory(len(found) + count, 16 * lanes * (len(found) + count), memory)
                found = pieces[0] if not len(found) and len(pieces) == 1 else _united(found, pieces)
                pieces, count = [], 0
        check_memory(len(found), 32 * lanes * len(found), memory)
        return found

    def _neighbours(self, members: Lanes) -> _Grouped:
        """Return for each of the members those that a pair joins it with: second to first only if of one input."""
        left, right = self.ends(members).T
        others = (left != right) & (self.split is None)
        sources, targets = np.concatenate((left, right[others])), np.concatenate((right, left[others]))
        order = np.argsort(sources, kind="stable")
        return _Grouped(targets[order], np.bincount(sources, minlength=len(members)))


class _Grouped:
    """Integers in groups: the items of the first group, then those of the second, ..."""

    def __init__(self, items: Positions, counts: Positions) -> None:
        self.items, self.counts = items, counts
        self._starts = np.cumsum(counts) - counts

    def groups(self) -> Positions:
        """Return the number of the group of each item."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    def of(self, groups: Positions) -> tuple[Positions, Positions]:
        """Return the items of some groups, and for each the index in `groups` before it."""
        counts = self.counts[groups]
        return np.repeat(np.arange(len(groups)), counts), self.items[runs(self._starts[groups], counts)]


def find_all(
    values: AnyValues | PathName,
    blocks: int | None = None,
    distance: int | None = None,
    *,
    against: AnyValues | PathName | None = None,
    scheme: str | None = None,
    sd64_distance: int | None = None,
    memory: int | None = None,
    output: PathName | None = None,
    advance: Callable[[int], object] = lambda count: None,
) -> Pairs:
    """Return every pair of fingerprints that differ in at most `distance` bits, each once.

    With `against`, for example old fingerprints, return only the pairs with one fingerprint of each input. Both inputs
    are joined like one list, in the same time and memory, and other pairs are dropped. If there are more of these than
    fingerprints, as in a template, the two inputs are joined with each other alone.

    In memory, or with a limit on the memory: then the pairs are written to a file. A run with a limit that was
    interrupted resumes if it is repeated with the same arguments; only the memory may be another. It keeps the pairs
    that it has found in the folder OUTPUT.partial, which takes up to twice the size of the output.

    Args:
        values: an array of shape (n,) or (n, lanes), or an iterable of ints or `Fingerprint`s of one
            scheme; in any order, copies allowed. Masked entries, which have no fingerprint, are in no pair. Or the path
            of a .npy file of shape (n,) or (n, lanes), uint64, which is read in pieces if there is a limit.
        blocks: number of blocks, over `distance`, or of each lane over its distance; any gives the same pairs. None for
            the fastest.
        distance: maximum number of differing bits; None for the close threshold of the scheme.
        against: a second input, as `values`; `Corpus.values()` for an index. Then both are read into memory.
        scheme: short id, needed only for integers that are not of sd64.
        sd64_distance: return only the pairs whose first 64 bits, their sd64 fingerprints, are within this distance,
            too; for wider schemes. Only these bits are searched, which is far faster, and `blocks` are theirs.
        memory: bytes that the search may take in all, without `values` if they are not in a file; None for any number.
            Requires `output`.
        output: a .npy file of shape (p, 2) or (p, 2, lanes), uint64: `Pairs.values`, which are mapped from it. It is
            replaced in the end. Requires `memory`.
        advance: with a limit, called with a number of fingerprints that were processed; (distance + 1) n in all,
            or (sd64_distance + 1) n.

    Warns:
        DegenerateDistributionWarning: the fingerprints share blocks so often that the work is
            quadratic in their number even with the best choice.

    Raises:
        OSError: a file cannot be read or written.
        BadValueError: a value is not a fingerprint of the scheme.
        LookupParameterError: not 0 <= distance < blocks <= bits; or one of `memory` and `output` is missing; or the
            memory is too small for the fingerprints that share their first bits; or there is an unfinished run with
            other arguments, or another process is writing the output.
        TooExpensiveError: `blocks` is None, and the pairs cannot be found in a reasonable time.

    >>> pairs = find_all([0, 7, 15, 7])
    >>> pairs.values.tolist(), pairs.distances.tolist()
    ([[0, 7], [7, 7], [7, 15]], [3, 0, 1])
    >>> pairs.positions().tolist()
    [[0, 1], [0, 3], [1, 2], [1, 3], [2, 3]]
    >>> find_all([0, 7], against=[15, 7, 7]).positions().tolist()
    [[0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    """
    if (memory is None) != (output is None):
        raise LookupParameterError("memory and output go together: pairs within a limit of the memory are in a file")
    searched = searched_values(values, against, scheme)
    if memory is not None and output is not None:
        from simhash_doc.lookup.external import pairs_on_disk

        with pairs_on_disk(searched, output, blocks, distance, sd64_distance, memory, advance) as file:
            file.replace(output)
        return mapped_pairs(searched, output)
    array, known = searched.values, scheme_of(searched.values)
    distance = known.or_close(distance)
    plan = plan_join(array, distance, blocks, sd64_distance=sd64_distance, warn=searched.sides is None)
    none = empty_lanes(known.lanes)
    joined = joined_pairs(array, plan, distance, sd64_distance)
    found = [(none, none), *_across(searched, plan, joined)]
    first, second = (np.concatenate([pair[side] for pair in found]) for side in (0, 1))
    del found
    order = np.lexsort((sort_keys(second), sort_keys(first)))
    first, second = first.take(order, axis=0), second.take(order, axis=0)
    pairs = np.stack((values_from_lanes(first), values_from_lanes(second)), axis=1)
    return Pairs(values_from_lanes(array), pairs, popcount(first ^ second), searched.places, searched.split)


def _across(searched: Searched, plan: JoinPlan, joined: Iterable[PairArrays]) -> Iterator[PairArrays]:
    """Return the pairs of one fingerprint of each side, given all pairs."""
    if plan.tables is None or searched.sides is None:
        return searched.reported(joined)
    try:
        return iter([*reported_across(searched, joined)])
    except ManyWithinError:
        return joined_apart(searched.sides, plan.tables, range(len(plan.tables)))


def searched_values(
    values: AnyValues | PathName, against: AnyValues | PathName | None = None, scheme: str | None = None
) -> Searched:
    """Return the fingerprints of one input or of two; arguments and errors are those of `find_all`."""
    new, at, count = _input(values, scheme)
    if against is None:
        return Searched(new, at)
    old, old_at, _ = _input(against, scheme)
    # No fingerprints have no scheme of their own.
    new, old = (one if len(one) else empty_lanes(other.shape[1]) for one, other in ((new, old), (old, new)))
    if new.shape[1] != old.shape[1]:
        raise BadValueError(
            f"the fingerprints are of {scheme_of(new).id}, those of `against` of {scheme_of(old).id}: fingerprints of "
            "different schemes cannot be compared"
        )
    places = None
    if at is not None or old_at is not None:
        at = np.arange(len(new)) if at is None else at
        old_at = np.arange(len(old)) if old_at is None else old_at
        places = np.concatenate((at, old_at + count))
    sides = distinct_rows(sorted_rows(new)), distinct_rows(sorted_rows(old))
    return Searched(np.concatenate((new, old)), places, count, sides)


def _input(values: AnyValues | PathName, scheme: str | None) -> tuple[Lanes, Positions | None, int]:
    """Return the fingerprints of an input, their positions if some of its entries are masked, and how many it has."""
    if not isinstance(values, str | os.PathLike):
        sized = values if isinstance(values, Sized) else list(values)
        return *present_lanes(sized, scheme), len(sized)
    mapped = open_lanes(values)
    if scheme is not None and get_scheme(scheme).lanes != mapped.shape[1]:
        raise BadValueError(f"{os.fspath(values)}: has fingerprints of {scheme_of(mapped).bits} bits, not of {scheme}")
    return mapped, None, len(mapped)


def mapped_pairs(searched: Searched, path: PathName) -> Pairs:
    """Return the pairs of a file that `pairs_on_disk` has written."""
    pairs = np.load(path, mmap_mode="r", allow_pickle=False)
    lanes = searched.values.shape[1]
    dtype: type[np.unsignedinteger] = np.uint8 if lanes == 1 else np.uint16
    distances = np.empty(len(pairs), dtype)
    for start in range(0, len(pairs), _ROWS):
        part = pairs[start : start + _ROWS].reshape(-1, 2, lanes)
        distances[start : start + _ROWS] = popcount(part[:, 0] ^ part[:, 1])
    return Pairs(values_from_lanes(searched.values), pairs, distances, searched.places, searched.split)


def ranks_of(keys: npt.NDArray[Any], wanted: npt.NDArray[Any]) -> Positions:
    """Return the first place in ascending keys for each wanted one, which are searched in order: faster for many."""
    order = np.argsort(wanted)
    places = np.empty(len(wanted), np.int64)
    places[order] = np.searchsorted(keys, wanted[order])
    return places


def _united(rows: Lanes, pieces: list[Lanes]) -> Lanes:
    """Return the distinct fingerprints of arrays, ascending; `pieces` is emptied, so that the memory is free."""
    together = np.concatenate((rows, *pieces))
    pieces.clear()
    if together.shape[1] == 1:
        together.sort(axis=0)
    else:
        together = sorted_rows(together)
    return distinct_rows(together)


def _with_slots(rows: Lanes, bitmap: npt.NDArray[np.bool_]) -> Positions:
    """Return the positions of the fingerprints whose place in the bitmap is True."""
    starts = range(0, len(rows), CHUNK)
    found = [np.flatnonzero(bitmap.take(_slots(rows[start : start + CHUNK]))) + start for start in starts]
    return np.concatenate(found)


def check_memory(count: int, needed: int, memory: int | None) -> None:
    """Reject clusters of a number of fingerprints that need more memory than a limit, in bytes.

    Raises:
        LookupParameterError: they do.
    """
    if memory is not None and needed > memory:
        raise LookupParameterError(
            f"the clusters of {count:,} fingerprints need {-(-needed >> 20):,} MiB of memory; raise the limit"
        )


def _slots(rows: Lanes) -> Positions:
    """Return the place of each fingerprint in the bitmap, shape (n,)."""
    hashes = rows[:, 0] * _MULTIPLIER
    for lane in range(1, rows.shape[1]):
        hashes = (hashes ^ rows[:, lane]) * _MULTIPLIER
    return (hashes >> np.uint64(64 - _BITMAP_BITS)).view(np.int64)


def joined_pairs(
    source: Lanes, plan: JoinPlan, distance: int, sd64_distance: int | None, *, connect: bool = False
) -> Iterator[PairArrays]:
    """Yield both sides of all pairs within the distance, each pair once, and each value with copies as a pair.

    With `connect`, of many pairs only some, which connect what all of them connect.
    """
    if plan.tables is None:
        return compare_all(source, distance, sd64_distance, connect=connect)
    if not plan.compiled:
        return sorted_join(source, plan.tables, range(len(plan.tables)), copies=True, connect=connect)
    from simhash_doc.lookup.bucket_join import bucket_pairs

    return bucket_pairs(source, plan.tables, connect=connect)
