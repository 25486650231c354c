"""Every pair of near-duplicates among given fingerprints."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from simhash_doc.arguments import collection, integer
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
from simhash_doc.errors import SchemeMismatchError, SpecError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.lookup.array_file import PathName
from simhash_doc.lookup.available import check_available
from simhash_doc.lookup.errors import LookupParameterError
from simhash_doc.lookup.external import PairFile, pairs_on_disk
from simhash_doc.lookup.inputs import AnyValues, Marks, open_lanes, sized_lanes
from simhash_doc.lookup.joins import (
    ManyWithinError,
    PairArrays,
    Searched,
    compare_all,
    joined_apart,
    reported_across,
    sorted_join,
)
from simhash_doc.lookup.planning.join import JoinPlan, Nearness, plan_join
from simhash_doc.lookup.positions import CHUNK, Positions, ranges_from
from simhash_doc.notebooks import SHOWN, html_table
from simhash_doc.schemes import AnyScheme, get_scheme, or_close
from simhash_doc.thresholds import Distance, resolve_distance

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

_BATCH_ROWS = 1 << 18
_ROWS = 1 << 20  # pairs whose distances are counted at a time
_PAIRS_READ = 1 << 17  # at a time, since they may be mapped from a file
_LOCATED = 1 << 18  # fingerprints looked up at a time
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: spreads values over a bitmap
_BITMAP_BITS = 22
_COLUMNS = ("first", "second", "distance")

EntryPairs: TypeAlias = tuple[Positions, Positions, npt.NDArray[np.unsignedinteger]]
"""First, second and distance of pairs of entries, each of shape (e,)."""


@dataclass(frozen=True, eq=False, repr=False)
class Pairs:
    """Pairs of near entries, as positions in the input, and the fingerprints of each pair.

    `len(pairs)` is the number of pairs of entries. `for first, second, distance in pairs` yields each pair as three
    ints, in memory that does not grow with their number. c copies of a fingerprint make c (c - 1) / 2 pairs
    (SD-LOOK-3); `find_clusters` answers in linear space.

    Attributes:
        source: the fingerprints searched, shape (n,), or (n, lanes) over 64 bits, uint64; of a search across two
            inputs first the fingerprints of the first input, then of the second.
        value_pairs: the pairs of fingerprints, shape (p, 2) or (p, 2, lanes): first <= second in a row, rows ascending.
            A row of two equal fingerprints represents all entries that have it, two or more. Across two inputs, first
            is of the first input and second of the second.
        value_distances: bits in which the fingerprints of each row differ, shape (p,): uint8, or uint16 over 64 bits.
        places: position of each of `source` in the input, shape (n,), int64; None if they are the same, because no
            entry of the input is missing. The positions of a second input follow the first's.
        split: of a search across two inputs, the number of entries of the first; None for one input.

    >>> pairs = find_all([0, 7, 2**40 - 1, 7])
    >>> len(pairs), [*pairs]
    (3, [(0, 1, 3), (0, 3, 3), (1, 3, 0)])
    >>> pairs.value_pairs.tolist(), pairs.value_distances.tolist()
    ([[0, 7], [7, 7]], [3, 0])
    """

    source: Values
    value_pairs: Values
    value_distances: npt.NDArray[np.unsignedinteger]
    places: Positions | None = None
    split: int | None = None

    @property
    def first(self) -> Positions:
        """Position of the first entry of each pair, shape (e,), int64, ascending."""
        return self._entries[0]

    @property
    def second(self) -> Positions:
        """Position of the second entry of each pair, shape (e,), int64: larger than the first.

        Across two inputs, it is a position in the second input.
        """
        return self._entries[1]

    @property
    def distance(self) -> npt.NDArray[np.unsignedinteger]:
        """Bits in which the entries of each pair differ, shape (e,): uint8, or uint16 over 64 bits."""
        return self._entries[2]

    def __len__(self) -> int:
        return self._count

    def __bool__(self) -> bool:
        return len(self.value_pairs) > 0

    def __iter__(self) -> Iterator[tuple[int, int, int]]:
        for first, second, distance in self.batches():
            yield from zip(first.tolist(), second.tolist(), distance.tolist(), strict=True)

    def __repr__(self) -> str:
        return f"<Pairs: {len(self):,} of {len(self.source):,} fingerprints>"

    def _repr_html_(self) -> str:
        return html_table(repr(self), _COLUMNS, islice(self, SHOWN))

    def to_pandas(self) -> pd.DataFrame:
        """Return a data frame of pandas with the columns first, second and distance, and a row for each pair.

        Raises:
            ImportError: pandas is not installed.

        >>> find_all([0, 7, 2**40 - 1]).to_pandas().values.tolist()
        [[0, 1, 3]]
        """
        import pandas as pd

        return pd.DataFrame(dict(zip(_COLUMNS, self._entries, strict=True)))

    def to_polars(self) -> pl.DataFrame:
        """Return the data frame of `to_pandas` as one of polars.

        Raises:
            ImportError: polars is not installed.

        >>> find_all([0, 7, 2**40 - 1]).to_polars().rows()
        [(0, 1, 3)]
        """
        import polars as pl

        return pl.DataFrame(dict(zip(_COLUMNS, self._entries, strict=True)))

    def batches(self) -> Iterator[EntryPairs]:
        """Yield `first`, `second` and `distance` in batches, in memory that does not grow with their number.

        >>> pairs = find_all([0, 7, 7])
        >>> [(first.tolist(), second.tolist(), distance.tolist()) for first, second, distance in pairs.batches()]
        [([0, 0, 1], [1, 2, 2], [3, 3, 0])]
        """
        members = members_of(self)
        at, rank = located(self, members)
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
            distance = popcount(members.take(rank[start:end][owner], axis=0) ^ members.take(values, axis=0))[item]
            if self.split is None:
                later = first < second
                first, second, distance = first[later], second[later], distance[later]
            order = np.lexsort((second, first))
            yield first[order], second[order], distance[order]
            start = end

    @cached_property
    def _entries(self) -> EntryPairs:
        none = np.empty(0, np.int64)
        found = [(none, none, self.value_distances[:0]), *self.batches()]
        first, second, distance = (np.concatenate([batch[side] for batch in found]) for side in range(3))
        return first, second, distance

    @cached_property
    def _count(self) -> int:
        members = members_of(self)
        at, rank = located(self, members)
        is_first = at < (len(at) if self.split is None else self.split)
        firsts = np.bincount(rank[is_first] if self.split is not None else rank, minlength=len(members))
        seconds = firsts if self.split is None else np.bincount(rank[~is_first], minlength=len(members))
        left, right = self._ends(members).T
        counts = firsts[left] * seconds[right]
        copies = (left == right) & (self.split is None)
        counts[copies] = firsts[left[copies]] * (firsts[left[copies]] - 1) // 2
        return int(counts.sum())

    @property
    def rows(self) -> Lanes:
        """The pairs of fingerprints, shape (p, 2, lanes)."""
        return self.value_pairs.reshape(-1, 2, lanes_from_values(self.source).shape[1])

    def _ends(self, members: Lanes) -> Positions:
        """Return the pairs of fingerprints as positions in `members`, shape (p, 2)."""
        keys = sort_keys(members)
        return np.column_stack([np.searchsorted(keys, sort_keys(self.rows[:, side])) for side in (0, 1)])

    def _neighbours(self, members: Lanes) -> _Grouped:
        """Return for each of the members those that a pair joins it with: second to first only if of one input."""
        left, right = self._ends(members).T
        others = (left != right) & (self.split is None)
        sources, targets = np.concatenate((left, right[others])), np.concatenate((right, left[others]))
        order = np.argsort(sources, kind="stable")
        return _Grouped(targets[order], np.bincount(sources, minlength=len(members)))


def members_of(pairs: Pairs, memory: int | None = None) -> Lanes:
    """Return the distinct fingerprints that occur in a pair, ascending, shape (d, lanes).

    Args:
        pairs: the pairs.
        memory: bytes that it may take; None for any number.

    Raises:
        LookupParameterError: it would take more. It takes about four times the bytes of the result.
    """
    rows = pairs.rows
    lanes = rows.shape[2]
    found, pieces, count = empty_lanes(lanes), [], 0
    for start in range(0, len(rows), _PAIRS_READ):
        part = rows[start : start + _PAIRS_READ]
        # Not np.unique, which takes 25 times as long on what is half sorted already.
        pieces.append(distinct_rows(sorted_rows(np.concatenate((part[:, 0], part[:, 1])))))
        count += len(pieces[-1])
        if count > len(found) or start + _PAIRS_READ >= len(rows):
            check_memory(len(found) + count, 16 * lanes * (len(found) + count), memory)
            found = pieces[0] if not len(found) and len(pieces) == 1 else _united(found, pieces)
            pieces, count = [], 0
    check_memory(len(found), 32 * lanes * len(found), memory)
    return found


def located(pairs: Pairs, members: Lanes) -> tuple[Positions, Positions]:
    """Return where fingerprints (ascending, distinct) are in the input of a search.

    Returns:
        Positions in the input, ascending, and for each its index in `members`; both of shape (e,), int64.
    """
    none = np.empty(0, np.int64)
    found = [(none, none), *located_batches(pairs, members)]
    return np.concatenate([at for at, _ in found]), np.concatenate([rank for _, rank in found])


def located_batches(pairs: Pairs, members: Lanes) -> Iterator[tuple[Positions, Positions]]:
    """Yield the results of `located` in batches, in memory that does not grow with the input."""
    bitmap = np.zeros(1 << _BITMAP_BITS, bool)
    bitmap[_slots(members)] = True
    keys = sort_keys(members)
    source = lanes_from_values(pairs.source)
    for start in range(0, len(source) if len(members) else 0, _LOCATED):
        at = _with_slots(source[start : start + _LOCATED], bitmap)
        found = sort_keys(source.take(at + start, axis=0))
        rank = ranks_of(keys, found)
        rank[rank == len(members)] = 0
        exact = keys[rank] == found
        at, rank = at[exact] + start, rank[exact]
        yield at if pairs.places is None else pairs.places[at], rank


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
        return np.repeat(np.arange(len(groups)), counts), self.items[ranges_from(self._starts[groups], counts)]


def find_all(
    values: AnyValues | PathName,
    *,
    distance: Distance = None,
    sd64_distance: int | None = None,
    blocks: int | None = None,
    against: AnyValues | PathName | None = None,
    scheme: AnyScheme | None = None,
    output: PairFile | None = None,
) -> Pairs:
    """Return every pair of fingerprints that differ in at most `distance` bits, each once.

    `Corpus.find_all(fingerprint)` answers a different question: which stored fingerprints are near one.

    With `against`, for example old fingerprints, return only the pairs with one fingerprint of each input. The search
    joins both inputs like one list, in the same time and memory, and drops all other pairs. If it would drop more pairs
    than there are fingerprints, as with a template, it joins only one input with the other.

    With `output`, the memory has a limit, and the pairs are written to a file. To resume an interrupted run, repeat it
    with the same arguments; only the memory may differ.

    Args:
        values: `Fingerprints`; an array of shape (n,) or (n, lanes), of integers; a collection of `Fingerprint`s, text
            forms, bytes or ints; a column of these of pandas, polars or pyarrow, or a table with the column
            ``fingerprint``. In any order, copies allowed. Missing entries are in no pair. Or the path of a .npy file of
            shape (n,) or (n, lanes), uint64, which is read in pieces if there is a limit.
        distance: maximum number of differing bits; None for the close threshold of the scheme; ``auto`` for the
            distance that `threshold_for` recommends for this number of documents.
        sd64_distance: return only the pairs whose first 64 bits, their sd64 fingerprints, are also within this
            distance; for wider schemes. The search uses only these bits, which is far faster, and `blocks` divides
            them.
        blocks: number of blocks, greater than `distance`; for each lane, greater than its distance. Every number gives
            the same pairs. None for the fastest.
        against: a second input, as `values`; `Corpus.values()` for an index. Then both are read into memory.
        scheme: the scheme, needed only for integers that are not of sd64.
        output: the file of the pairs, and the limit of the memory; None to search in memory.

    Returns:
        The pairs, as positions in the input with their distances.

    Warns:
        DegenerateDistributionWarning: the fingerprints share blocks so often that the work is
            quadratic in their number even with the best choice.
        ProvenanceWarning: some of the fingerprints are customised, and others are not (spec, section 11).

    Raises:
        TypeError: an argument has the wrong type; for example `values` is one fingerprint.
        OSError: a file cannot be read or written.
        BadValueError: a value is not a fingerprint; the message names its position.
        SchemeMismatchError: fingerprints of different schemes meet (SD-LOOK-4).
        LookupParameterError: not 0 <= distance < blocks <= bits; or the memory is too small for the fingerprints that
            share their first bits; or there is an unfinished run with other arguments, or another process is writing
            the output.
        ThresholdParameterError: the distance is ``auto``, and none is recommended.
        TooLargeError: without `output`, if less memory is free than the search needs.
        TooExpensiveError: `blocks` is None, and the pairs cannot be found in a reasonable time.

    >>> list(find_all([0, 7, 15, 7]))
    [(0, 1, 3), (0, 3, 3), (1, 2, 1), (1, 3, 0), (2, 3, 1)]
    >>> pairs = find_all([0, 7], against=[15, 7, 7])
    >>> pairs.first.tolist(), pairs.second.tolist(), pairs.distance.tolist()
    ([0, 0, 1, 1, 1], [1, 2, 0, 1, 2], [3, 3, 1, 0, 0])
    """
    if output is not None and not isinstance(output, PairFile):
        raise TypeError(f"output is {type(output).__name__}; expected a PairFile(path=..., memory=...)")
    searched = searched_values(values, against, scheme)
    near = searched_within(searched, distance, sd64_distance=sd64_distance, blocks=blocks)
    if output is not None:
        with pairs_on_disk(searched, output, near) as file:
            file.replace(output.path)
        return mapped_pairs(searched, output.path)
    return pairs_of(searched, near)


def pairs_of(searched: Searched, near: Nearness) -> Pairs:
    """Return the pairs of fingerprints, found in memory; errors are those of `find_all`."""
    array = searched.values
    needed = 2 * array.nbytes + 8 * len(array)  # measured: 23 bytes for each sd64, 60 for each sd256
    instead = "write the pairs to a file (PairFile, or --memory), which limits the memory"
    check_available(needed, f"a search in memory for the pairs of {len(array):,} fingerprints", instead)
    plan = plan_join(array, near, warn=searched.sides is None)
    none = empty_lanes(array.shape[1])
    found = [(none, none), *_across(searched, plan, joined_pairs(array, plan, near))]
    first, second = (np.concatenate([pair[side] for pair in found]) for side in (0, 1))
    del found
    order = np.lexsort((sort_keys(second), sort_keys(first)))
    first, second = first.take(order, axis=0), second.take(order, axis=0)
    pairs = np.stack((values_from_lanes(first), values_from_lanes(second)), axis=1)
    return Pairs(values_from_lanes(array), pairs, popcount(first ^ second), searched.places, searched.split)


def searched_within(
    searched: Searched, distance: Distance, *, sd64_distance: int | None = None, blocks: int | None = None
) -> Nearness:
    """Return which pairs of fingerprints are found; arguments and errors are those of `find_all`."""
    scheme = scheme_of(searched.values)
    maximum = (
        resolve_distance("auto", scheme, len(searched.values)).chosen
        if isinstance(distance, str) and distance == "auto"
        else distance
    )
    if sd64_distance is not None:
        sd64_distance = integer(sd64_distance, "sd64_distance", 0, error=LookupParameterError)
    if blocks is not None:
        blocks = integer(blocks, "blocks", 1, error=LookupParameterError)
    return Nearness(or_close(scheme, maximum), sd64_distance, blocks)


def _across(searched: Searched, plan: JoinPlan, joined: Iterable[PairArrays]) -> Iterator[PairArrays]:
    """Return the pairs of one fingerprint of each side, given all pairs."""
    if plan.tables is None or searched.sides is None:
        return searched.reported(joined)
    try:
        return iter([*reported_across(searched, joined)])
    except ManyWithinError:
        return joined_apart(searched.sides, plan.tables, range(len(plan.tables)))


def searched_values(
    values: AnyValues | PathName, against: AnyValues | PathName | None = None, scheme: AnyScheme | None = None
) -> Searched:
    """Return the fingerprints of one input or of two; arguments and errors are those of `find_all`."""
    marks: Marks = set()
    new, at, count = _input(values, "values", scheme, marks)
    if against is None:
        return Searched(new, at)
    old, old_at, _ = _input(against, "against", scheme, marks)
    # No fingerprints have no scheme of their own.
    new, old = (one if len(one) else empty_lanes(other.shape[1]) for one, other in ((new, old), (old, new)))
    if new.shape[1] != old.shape[1]:
        raise SchemeMismatchError(
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


def _input(
    values: AnyValues | PathName, name: str, scheme: AnyScheme | None, marks: Marks
) -> tuple[Lanes, Positions | None, int]:
    """Return the fingerprints of an input, their positions if some of its entries are missing, and how many it has."""
    if not isinstance(values, str | os.PathLike):
        return sized_lanes(values, name, scheme, marks)
    if isinstance(values, str) and not os.path.exists(values):
        with suppress(SpecError):
            Fingerprint.parse(values)
            collection(values, name, "fingerprints")
    mapped = open_lanes(values)
    if scheme is not None and get_scheme(scheme).lanes != mapped.shape[1]:
        raise SchemeMismatchError(f"{os.fspath(values)}: has fingerprints of {scheme_of(mapped)}; expected {scheme}")
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


def joined_pairs(source: Lanes, plan: JoinPlan, near: Nearness, *, connect: bool = False) -> Iterator[PairArrays]:
    """Yield both sides of all pairs within the distance, each pair once, and each value with copies as a pair.

    With `connect`, of many pairs only some, which connect what all of them connect.
    """
    if plan.tables is None:
        return compare_all(source, near.distance, near.sd64_distance, connect=connect)
    if not plan.compiled:
        return sorted_join(source, plan.tables, range(len(plan.tables)), copies=True, connect=connect)
    from simhash_doc.lookup.bucket_join import bucket_pairs

    return bucket_pairs(source, plan.tables, connect=connect)
