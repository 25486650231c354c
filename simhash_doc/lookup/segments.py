"""What a corpus consists of: segments that never change, in memory or in files, and a delta of recent changes.

A segment has new fingerprints with their tables, new ids, and the fingerprints that no longer count in the segments
before it. So a change is cheap: no table is rebuilt for it. Segments of about the same size are merged when there are
several of them, as log-structured merge trees do: each fingerprint is written again only a few times while the corpus
grows, and the number of segments grows with the logarithm of its size.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from simhash_doc.arrays import (
    Lanes,
    differs_from_previous,
    distinct_rows,
    empty_lanes,
    is_among,
    is_among_any,
    lanes_from_ints,
    lanes_from_values,
    sorted_rows,
)
from simhash_doc.lookup import array_file
from simhash_doc.lookup.array_file import PathName
from simhash_doc.lookup.blocks import Blocking, orders_of
from simhash_doc.lookup.errors import CorruptIndexError, LookupParameterError
from simhash_doc.lookup.ids import Id, SortedIds
from simhash_doc.lookup.tables import FoundValues, PermutedTable, PermutedTables, bucket_bits, index_dtype
from simhash_doc.provenance import Provenance

_KIND = "permuted-tables"
_WIDE_KIND = "wide-permuted-tables"
# The arrays from which a merge builds tables again.
MERGED_ARRAYS = ("values", "values 0", "id values", "id starts", "id text", "removed")
# What reading the parameters of a file may raise if they are not those that were written.
MALFORMED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, LookupParameterError)

# So many segments of one level become one. In memory two: building tables again costs less there than queries that pass
# through more segments.
_FANOUT, _FANOUT_IN_MEMORY = 4, 2
_SMALLEST_LEVEL = 4096  # all segments up to this size are of one level; the next have sizes up to 4 times as large
_LEVEL_GROWTH = 4
# A segment of more fingerprints or ids is not written to a directory, unless `merge` is called: so the memory of a
# change has a limit.
MOST_MERGED = 1 << 25
_REMOVED_SHARE = 1 / 4  # of the stored fingerprints; beyond it, all segments are merged


@dataclass(slots=True, eq=False)
class Segment:
    """Fingerprints with their tables, ids of these and of earlier fingerprints, and what no longer counts.

    Attributes:
        permuted: the fingerprints, and the tables over them.
        ids: None if there are none.
        removed: fingerprints, ascending, shape (n, lanes), that no longer count in the segments before.
        name: of its file in the directory of an index; empty in memory.
        digest: of its file, as of `ArrayFile`; empty in memory.
    """

    permuted: PermutedTables
    ids: SortedIds | None
    removed: Lanes
    name: str = ""
    digest: str = ""

    @property
    def values(self) -> Lanes:
        return self.permuted.values

    @property
    def size(self) -> int:
        """What decides when it is merged."""
        return max(len(self.values), len(self.ids) if self.ids else 0, len(self.removed))


def write_segment(path: PathName, segment: Segment, *, like: Path | None = None) -> None:
    """Write a segment to one file, atomically. Of tables that are not built, one is in memory.

    A new file gets the permissions of the file `like`.
    """
    blocking, n, ids = segment.permuted.blocking, len(segment.values), segment.ids
    assert isinstance(blocking, Blocking)
    parameters: dict[str, Any] = {"bits": blocking.bits} if blocking.lanes > 1 else {}
    parameters |= {
        "blocks": blocking.blocks,
        "distance": blocking.distance,
        "fingerprints": n,
        "ids": len(ids) if ids else 0,
        "bucket_bits": [bucket_bits(n, order.prefix_bits) for order in orders_of(blocking)],
    }
    if len(segment.removed):
        parameters["removed"] = len(segment.removed)
    shapes = _shapes(blocking, n, parameters["ids"], int(ids.starts[-1]) if ids else 0, len(segment.removed))
    kind = _KIND if blocking.lanes == 1 else _WIDE_KIND
    array_file.write_each(path, kind, parameters, shapes, _arrays(segment), like=like)


def load_segment(path: PathName, *, verify: bool | Container[str] = True, mapped: bool = True) -> Segment:
    """Open the file of a segment; for `verify` and `mapped` see `read_arrays`.

    Raises:
        OSError: the file cannot be read.
        CorruptIndexError: it is not a segment of an index, or differs from what was written.
    """
    opened = array_file.read_arrays(path, _KIND, _WIDE_KIND, verify=verify, mapped=mapped)
    parameters, arrays = opened.parameters, opened.arrays
    try:
        wide = opened.kind == _WIDE_KIND
        blocking = Blocking(parameters["bits"] if wide else 64, parameters["blocks"], parameters["distance"])
        n, count, gone = parameters["fingerprints"], parameters["ids"], parameters.get("removed", 0)
        text_bytes = len(arrays["id text"]) if count else 0
        for name, (dtype, shape) in _shapes(blocking, n, count, text_bytes, gone).items():
            expected, array = np.dtype(dtype).newbyteorder("="), arrays[name]
            if (array.dtype, array.shape) != (expected, shape):
                raise CorruptIndexError(
                    f"{path}: its array {name!r} is of type {array.dtype} and shape {array.shape}; "
                    f"expected {expected} and {shape} for {n} fingerprints"
                )
        tables = [
            PermutedTable(
                order,
                bucket_bits(n, order.prefix_bits),
                lanes_from_values(arrays["values" if wide else f"values {number}"]),
                arrays[f"starts {number}"],
                arrays[f"counts {number}"],
                arrays[f"rows {number}"] if wide else None,
            )
            for number, order in enumerate(orders_of(blocking))
        ]
        ids = None
        if count:
            ids = SortedIds(lanes_from_values(arrays["id values"]), arrays["id starts"], arrays["id text"])
        removed = lanes_from_values(arrays["removed"]) if gone else empty_lanes(blocking.lanes)
    except MALFORMED as error:
        raise CorruptIndexError(f"{path}: its header does not describe a corpus ({error})") from error
    return Segment(PermutedTables(blocking, tables[0].values, tables), ids, removed, digest=opened.digest)


def check_segment(path: PathName, segment: Segment, blocking: Blocking) -> None:
    """Check what checksums cannot show: the order of each table, its starts and fingerprints; ids; what is removed.

    Args:
        path: its file, for messages.
        segment: what the file holds.
        blocking: the blocks of the index.

    Raises:
        CorruptIndexError: something is wrong; the message names it.
    """
    if segment.permuted.blocking != blocking:
        raise CorruptIndexError(f"{path}: is cut into blocks for another index: {segment.permuted.blocking}")
    _check_tables(path, segment.permuted)
    if segment.ids and (problem := segment.ids.problem()):
        raise CorruptIndexError(f"{path}: {problem}")
    removed = segment.removed
    if not (np.array_equal(sorted_rows(removed), removed) and differs_from_previous(removed).all()):
        raise CorruptIndexError(f"{path}: the removed fingerprints are not ascending, each once")


def contradictions(snapshot: Snapshot) -> Iterator[str]:
    """Yield how the segments of an index contradict each other, or the numbers of the snapshot."""
    fingerprints = ids = 0
    for number, (segment, removed) in enumerate(snapshot.counted):
        values = segment.values.compress(~is_among_any(segment.values, removed), axis=0)
        before = replace(snapshot, segments=snapshot.segments[:number])
        own = segment.removed
        if (before.contains(segment.values) & ~is_among_any(segment.values, (own,))).any():
            yield f"a fingerprint of segment {number + 1} is also in an earlier one"
        if not before.contains(own).all():
            yield f"segment {number + 1} removes a fingerprint that no earlier one has"
        fingerprints += len(values)
        if segment.ids:
            named = segment.ids.values.compress(~is_among_any(segment.ids.values, removed), axis=0)
            if not snapshot.contains(named).all():
                yield f"an id in segment {number + 1} is that of no fingerprint"
            ids += len(named)
    stated = {"fingerprints": (snapshot.fingerprints, fingerprints), "ids": (snapshot.ids, ids)}
    yield from (
        f"states {one:,} {name}; the segments have {own:,}" for name, (one, own) in stated.items() if one != own
    )


def _check_tables(path: PathName, permuted: PermutedTables) -> None:
    fingerprints = sorted_rows(permuted.values)
    if not differs_from_previous(fingerprints).all():
        raise CorruptIndexError(f"{path}: a fingerprint occurs twice")
    for number, table in enumerate(permuted.tables):
        if (
            table.rows is not None
            and len(table.rows)
            and not 0 <= table.rows.min() <= table.rows.max() < len(fingerprints)
        ):
            raise CorruptIndexError(f"{path}: table {number} has rows beyond the {len(fingerprints):,} fingerprints")
        values = table.between(0, len(fingerprints))
        buckets = table.order.buckets(values, table.bucket_bits)
        sizes = np.bincount(buckets, minlength=1 << table.bucket_bits)
        ascending = table.order.apply(values[:, 0]) if table.rows is None else buckets
        if not (ascending[1:] >= ascending[:-1]).all():
            raise CorruptIndexError(f"{path}: table {number} is not sorted")
        starts = np.concatenate(([0], np.cumsum(sizes)))
        if not (np.array_equal(table.starts, starts) and np.array_equal(table.counts, np.minimum(sizes, 255))):
            raise CorruptIndexError(f"{path}: the starts of table {number} do not match its buckets")
        if not np.array_equal(sorted_rows(values), fingerprints):
            raise CorruptIndexError(f"{path}: table {number} holds other fingerprints than table 0")


def _shapes(
    blocking: Blocking, n: int, ids: int, text_bytes: int, removed: int
) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Return the dtype and the shape of each array of a segment with n fingerprints, so many ids and removed ones.

    In a file, fingerprints of 64 bits have the shape (n,).
    """
    lanes = blocking.lanes
    width = np.dtype(index_dtype(n)).newbyteorder("<").str
    shapes: dict[str, tuple[str, tuple[int, ...]]] = {} if lanes == 1 else {"values": ("<u8", (n, lanes))}
    for number, order in enumerate(orders_of(blocking)):
        buckets = 1 << bucket_bits(n, order.prefix_bits)
        shapes |= {f"values {number}": ("<u8", (n,))} if lanes == 1 else {f"rows {number}": (width, (n,))}
        shapes |= {f"starts {number}": (width, (buckets + 1,)), f"counts {number}": ("|u1", (buckets,))}
    if ids:
        shapes["id values"] = ("<u8", (ids,) if lanes == 1 else (ids, lanes))
        shapes |= {"id starts": ("<i8", (ids + 1,)), "id text": ("|u1", (text_bytes,))}
    if removed:
        shapes["removed"] = ("<u8", (removed,) if lanes == 1 else (removed, lanes))
    return shapes


def _arrays(segment: Segment) -> Iterator[npt.NDArray[Any]]:
    """Yield the arrays of a segment in the order of the file, those of fingerprints with the shape (n, lanes)."""
    if segment.permuted.blocking.lanes > 1:
        yield segment.values
    for table in segment.permuted.each_table():
        yield from (table.values if table.rows is None else table.rows, table.starts, table.counts)
    if segment.ids:
        yield from (segment.ids.values, segment.ids.starts, segment.ids.text)
    if len(segment.removed):
        yield segment.removed


class SegmentWriter:
    """Makes new segments in memory; an `IndexDirectory` makes them as files.

    Attributes:
        in_memory: True if segments are merged soon, and to any size.
    """

    in_memory = True

    def __init__(self, blocking: Blocking) -> None:
        self.blocking = blocking

    def segments(
        self, values: Lanes, ids: SortedIds | None, removed: Lanes | None = None, *, limited: bool = True
    ) -> list[Segment]:
        """Return a change as segments, none if there is nothing.

        Args:
            values: distinct fingerprints, in any order.
            ids: their ids, and ids of fingerprints in earlier segments.
            removed: fingerprints, ascending, that no longer count in earlier segments.
            limited: in as many segments as their size requires in a directory; False for one.
        """
        gone = empty_lanes(self.blocking.lanes) if removed is None else removed
        if not len(values) and not ids and not len(gone):
            return []
        return [Segment(PermutedTables(self.blocking, values), ids, gone)]

    def check(self, segment: Segment) -> None:
        """Compare the checksums of what a merge reads from a segment: it must not give new ones to corrupt content."""


@dataclass(frozen=True)
class Snapshot:
    """The content of a corpus at one moment, safe to search while the corpus changes.

    Attributes:
        blocking: the blocks of all segments.
        segments: the oldest first. No fingerprint counts in two of them.
        fingerprints, ids: how many count.
        provenances: the different ones of the fingerprints, as far as known.
        canonical: False if the fingerprints are customised; None if it is not known. Files have one mark for all.
    """

    blocking: Blocking
    segments: tuple[Segment, ...] = ()
    fingerprints: int = 0
    ids: int = 0
    provenances: tuple[Provenance, ...] = ()
    canonical: bool | None = None

    @cached_property
    def counted(self) -> tuple[tuple[Segment, tuple[Lanes, ...]], ...]:
        """The segments, each with ascending arrays of the fingerprints that later segments remove from it."""
        found: list[tuple[Segment, tuple[Lanes, ...]]] = []
        removed: tuple[Lanes, ...] = ()
        for segment in reversed(self.segments):
            found.append((segment, removed))
            if len(segment.removed):
                removed = (*removed, segment.removed)
        return tuple(reversed(found))

    def build(self) -> None:
        """Build the tables that are not built yet."""
        for segment in self.segments:
            _ = segment.permuted.tables

    @property
    def stored(self) -> int:
        """Number of fingerprints in segments, with those that no longer count."""
        return sum(len(segment.values) for segment in self.segments)

    def plus(self, segments: Iterable[Segment], fingerprints: int, ids: int) -> Snapshot:
        """Return the content after a change that adds segments; `fingerprints` and `ids` are how many more count."""
        return replace(
            self,
            segments=(*self.segments, *segments),
            fingerprints=self.fingerprints + fingerprints,
            ids=self.ids + ids,
        )

    def search(self, queries: Lanes) -> FoundValues:
        """Return (query positions, stored values) of the matches, queries ascending."""
        found = [(np.empty(0, np.int64), queries[:0])]
        searched = [(segment.permuted, removed) for segment, removed in self.counted if len(segment.values)]
        for permuted, removed in searched:
            found += permuted.search(queries, removed)
        at = np.concatenate([positions for positions, _ in found])
        values = np.concatenate([stored for _, stored in found])
        if len(searched) > 1:
            order = np.argsort(at, kind="stable")
            at, values = at[order], values.take(order, axis=0)
        return at, values

    def near(self, query: int) -> Iterator[int]:
        """Yield the stored values within the distance of a query; a value may come more than once."""
        for segment, removed in self.counted:
            if not removed:
                yield from segment.permuted.near(query)
            elif close := list(set(segment.permuted.near(query))):
                gone = is_among_any(lanes_from_ints(close, self.blocking.lanes), removed).tolist()
                yield from (value for value, is_gone in zip(close, gone, strict=True) if not is_gone)

    def __contains__(self, value: int) -> bool:
        for segment, removed in self.counted:
            if value in segment.permuted and not (removed and self._is_among(value, removed)):
                return True
        return False

    def contains(self, values: Lanes) -> npt.NDArray[np.bool_]:
        """Return for each value, shape (n,), True if it is stored."""
        stored = np.zeros(len(values), bool)
        for segment, removed in self.counted:
            stored |= segment.permuted.contains(values) & ~is_among_any(values, removed)
        return stored

    def ids_of(self, value: int) -> list[Id]:
        """Return the ids of a stored value in the order of insertion."""
        names: list[Id] = []
        for segment, removed in self.counted:
            if segment.ids and (own := segment.ids.of(value)) and not (removed and self._is_among(value, removed)):
                names += own
        return names

    def count_ids(self, values: Lanes) -> int:
        """Return how many ids stored values, ascending, have."""
        named = [(segment.ids.values, removed) for segment, removed in self.counted if segment.ids]
        return int(sum(np.count_nonzero(is_among(ids, values) & ~is_among_any(ids, removed)) for ids, removed in named))

    def values(self) -> Lanes:
        """Return the stored values, ascending."""
        return sorted_rows(self.content()[0])

    def content(self, chosen: slice | None = None) -> tuple[Lanes, SortedIds | None]:
        """Return the values that count of all segments, or of some neighbouring ones, in any order; and their ids."""
        taken = self.segments if chosen is None else self.segments[chosen]
        kept, sources = [empty_lanes(self.blocking.lanes)], []
        for segment, removed in self.counted:
            if segment in taken:
                values = segment.values
                kept.append(values.compress(~is_among_any(values, removed), axis=0) if removed else values)
                if segment.ids:
                    sources.append((segment.ids, ~is_among_any(segment.ids.values, removed)))
        return np.concatenate(kept), SortedIds.merge(sources) if sources else None

    def _is_among(self, value: int, removed: Sequence[Lanes]) -> bool:
        return bool(is_among_any(lanes_from_ints([value], self.blocking.lanes), removed)[0])


def merge_due(snapshot: Snapshot, writer: SegmentWriter) -> Snapshot:
    """Merge segments as long as there are several of about the same size, or many fingerprints that no longer count."""
    while (chosen := _due(snapshot, in_memory=writer.in_memory)) is not None:
        snapshot = merged(snapshot, chosen, writer)
    return snapshot


def merged(snapshot: Snapshot, chosen: slice, writer: SegmentWriter, *, limited: bool = True) -> Snapshot:
    """Return the content with some neighbouring segments merged.

    Args:
        chosen: a slice of the segments, with start and stop.
        limited: into segments of limited size; False for one segment.
    """
    segments = snapshot.segments
    before, replaced, after = segments[: chosen.start], segments[chosen], segments[chosen.stop :]
    for segment in replaced:
        writer.check(segment)
    removed = None
    if before:
        removed = distinct_rows(sorted_rows(np.concatenate([segment.removed for segment in replaced])))
    written = writer.segments(*snapshot.content(chosen), removed, limited=limited)
    return replace(snapshot, segments=(*before, *written, *after))


def _due(snapshot: Snapshot, *, in_memory: bool) -> slice | None:
    """Return the segments that are to be merged now, or None."""
    segments = snapshot.segments
    if not segments:
        return None
    if len(segments) > 1 and snapshot.stored - snapshot.fingerprints > _REMOVED_SHARE * snapshot.stored:
        return slice(0, len(segments))
    levels = [_level(segment, in_memory) for segment in segments]
    start = len(segments)
    while start and levels[start - 1] <= levels[-1]:
        start -= 1
    if len(segments) - start < (_FANOUT_IN_MEMORY if in_memory else _FANOUT):
        return None
    while not in_memory and sum(segment.size for segment in segments[start:]) > MOST_MERGED:
        start += 1
    return slice(start, len(segments)) if len(segments) - start > 1 else None


def _level(segment: Segment, in_memory: bool) -> int:
    """Return the level of a segment; in a directory, one over half of `MOST_MERGED` is on the highest."""
    if not in_memory and segment.size > MOST_MERGED // 2:
        return 64
    level, size = 0, _SMALLEST_LEVEL
    while segment.size > size:
        level, size = level + 1, size * _LEVEL_GROWTH
    return level


class Delta:
    """Recent changes of a corpus in memory.

    Attributes:
        removed: fingerprints that no longer count in the segments.
        ids: new ids by fingerprint, also of fingerprints in the segments.
        id_count: how many more ids count than without the delta.
    """

    def __init__(self, blocking: Blocking) -> None:
        self._blocking = blocking
        self.removed: set[int] = set()
        self.ids: dict[int, dict[Id, None]] = {}
        self.id_count = 0
        self._members: set[int] = set()
        # For each table, from key to the added fingerprints that have it.
        self._tables: list[tuple[int, dict[int, list[int]]]] = [(mask, {}) for mask in blocking.masks]

    def __len__(self) -> int:
        """Return the number of entries that grow with the changes."""
        return max(len(self._members), len(self.removed), len(self.ids))

    def __contains__(self, value: object) -> bool:
        return value in self._members

    def count(self) -> int:
        """Return how many more fingerprints count than without the delta."""
        return len(self._members) - len(self.removed)

    def insert(self, value: int) -> None:
        """Add a fingerprint that is not stored."""
        self._members.add(value)
        for mask, table in self._tables:
            table.setdefault(value & mask, []).append(value)

    def insert_ids(self, value: int, names: Iterable[Id]) -> None:
        """Add ids that a fingerprint does not have."""
        for name in names:
            self.ids.setdefault(value, {})[name] = None
            self.id_count += 1

    def remove(self, value: int, ids: int) -> None:
        """Remove a fingerprint with its ids, of which there are so many, from the segments if it was not added here."""
        self.ids.pop(value, None)
        self.id_count -= ids
        if value not in self._members:
            self.removed.add(value)
            return
        self._members.remove(value)
        for mask, table in self._tables:
            bucket = table[value & mask]
            bucket.remove(value)
            if not bucket:
                del table[value & mask]

    def near(self, query: int) -> Iterator[int]:
        """Yield the added fingerprints within the distance of a query; one may come more than once."""
        for mask, table in self._tables:
            for value in table.get(query & mask, ()):
                if (value ^ query).bit_count() <= self._blocking.distance:
                    yield value

    def added(self) -> Lanes:
        """Return the added fingerprints, ascending."""
        return sorted_rows(lanes_from_ints(list(self._members), self._blocking.lanes))

    def gone(self) -> Lanes:
        """Return the removed fingerprints, ascending."""
        return sorted_rows(lanes_from_ints(list(self.removed), self._blocking.lanes))

    def segments(self) -> list[Segment]:
        """Return the changes as a segment, if there are any."""
        return SegmentWriter(self._blocking).segments(
            self.added(), SortedIds.of_names(self.ids, self._blocking.lanes), self.gone()
        )
