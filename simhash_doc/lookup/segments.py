"""A changing set of fingerprints: segments that never change, a delta of recent insertions, and removals.

A change is cheap because no table is rebuilt for it. A delta that has grown becomes a segment.
A segment that is not much smaller than the one before it is merged with it, so that there are
always few.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simhash_doc.lookup.arrays import (
    Values,
    among,
    among_any,
    differs_from_previous,
    distinct_values,
    empty_values,
    from_ints,
    sorted_values,
    to_ints,
)
from simhash_doc.lookup.blocks import Blocking
from simhash_doc.lookup.permuted_tables import Matches, Segment
from simhash_doc.lookup.probe import Delta, Probe, probe_of

_DELTA_LIMIT = 8192  # values; a delta takes about 200 bytes for each value and table
_DELTA_BATCH = 256  # a batch of more new values becomes a segment at once
_GROWTH = 4  # each segment is at least this many times as long as the next
_REMOVED_SHARE = 1 / 16  # of the stored values; beyond it the tables are rebuilt without them


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A set at one moment, safe to search while the set changes.

    Attributes:
        parts: segments, no value in two of them, each with ascending arrays of the values that were removed from it.
    """

    parts: tuple[tuple[Segment, tuple[Values, ...]], ...]

    def search(self, queries: Values, *, first_only: bool) -> Matches:
        """Return (query positions, stored values) of the matches, queries ascending.

        Args:
            queries: shape (q,) or (q, lanes).
            first_only: at most one match for each query.
        """
        parts = [(np.empty(0, np.int64), queries[:0])]
        for segment, removed in self.parts:
            parts += segment.search(queries, removed, first_only=first_only)
        at = np.concatenate([positions for positions, _ in parts])
        values = np.concatenate([found for _, found in parts])
        if len(self.parts) > 1:
            order = np.argsort(at, kind="stable")
            at, values = at[order], values[order]
            if first_only:
                first = differs_from_previous(at.view(np.uint64))
                at, values = at[first], values[first]
        return at, values

    def contains(self, values: Values) -> npt.NDArray[np.bool_]:
        """Return for each value, shape (n,), True if it is in the set."""
        stored = np.zeros(len(values), bool)
        for segment, removed in self.parts:
            stored |= segment.contains(values) & ~among_any(values, removed)
        return stored

    def values(self, lanes: int) -> Values:
        """Return the values, ascending."""
        kept = [segment.values[~among_any(segment.values, removed)] for segment, removed in self.parts]
        return sorted_values(np.concatenate([empty_values(lanes), *kept]))


class Segments:
    """A set of distinct fingerprints with their tables.

    Args:
        segments: tables that exist already, longest first, with no value in two of them.
    """

    def __init__(self, blocking: Blocking, segments: Iterable[Segment] = ()) -> None:
        self._blocking = blocking
        self._segments: list[Segment] = [segment for segment in segments if len(segment)]
        self._probes: list[Probe] = [probe_of(segment) for segment in self._segments]
        self._delta = Delta(blocking)
        self._removed: set[int] = set()
        self._snapshot: Snapshot | None = None

    def __len__(self) -> int:
        return sum(map(len, self._segments)) + len(self._delta) - len(self._removed)

    def __contains__(self, value: int) -> bool:
        return value in self._delta or (value not in self._removed and self._in_segments(value))

    @property
    def nbytes(self) -> int:
        """Bytes of the tables, without the delta."""
        return sum(segment.nbytes for segment in self._segments)

    def insert(self, value: int) -> bool:
        """Add a value; return True if it was absent."""
        if value in self:
            return False
        self._snapshot = None
        if value in self._removed:
            self._removed.remove(value)
            return True
        self._delta.insert(value)
        if len(self._delta) > _DELTA_LIMIT:
            self._flush(empty_values(self._blocking.lanes))
        return True

    def insert_bulk(self, values: Values) -> int:
        """Add values; return how many distinct ones were absent."""
        distinct = distinct_values(sorted_values(values))
        new = distinct[~self.contains(distinct)]
        if len(new) <= _DELTA_BATCH:
            for value in to_ints(new):
                self.insert(value)
            return len(new)
        self._snapshot = None
        if self._removed:
            back = self._removed.intersection(to_ints(new))
            self._removed -= back
            new = new[~among(new, self._sorted(back))]
            self._flush(new)
            return len(new) + len(back)
        self._flush(new)
        return len(new)

    def remove(self, value: int) -> bool:
        """Remove a value; return True if it was stored."""
        if value not in self:
            return False
        self._snapshot = None
        if value in self._delta:
            self._delta.remove(value)
        else:
            self._removed.add(value)
            self._drop_removed()
        return True

    def remove_bulk(self, values: Values) -> int:
        """Remove values; return how many distinct ones were stored."""
        distinct = distinct_values(sorted_values(values))
        stored = to_ints(distinct[self.contains(distinct)])
        self._snapshot = None
        for value in stored:
            if value in self._delta:
                self._delta.remove(value)
            else:
                self._removed.add(value)
        self._drop_removed()
        return len(stored)

    def contains(self, values: Values) -> npt.NDArray[np.bool_]:
        """Return for each value, shape (n,), True if it is in the set."""
        return self.snapshot().contains(values)

    def search(self, query: int) -> Iterator[int]:
        """Yield the values within the distance of a query; a value may come more than once."""
        for probe in self._probes:
            if self._removed:
                yield from (value for value in probe.search(query) if value not in self._removed)
            else:
                yield from probe.search(query)
        if len(self._delta):
            yield from self._delta.search(query)

    def snapshot(self) -> Snapshot:
        """Return the set as it is now."""
        if self._snapshot is None:
            segments = self._segments
            if len(self._delta):
                late = from_ints(self._delta.values(), self._blocking.lanes)
                segments = [*segments, Segment.build(late, self._blocking)]
            removed = (self._sorted(self._removed),) if self._removed else ()
            self._snapshot = Snapshot(tuple((segment, removed) for segment in segments))
        return self._snapshot

    def values(self) -> Values:
        """Return the values, ascending."""
        return self.snapshot().values(self._blocking.lanes)

    def compact(self) -> Segment:
        """Merge everything into one segment, and return it."""
        if len(self._segments) != 1 or len(self._delta) or self._removed:
            only = Segment.build(self.values(), self._blocking)
            self._delta.clear()
            self._removed.clear()
            self._replace([only])
        return self._segments[0]

    def _in_segments(self, value: int) -> bool:
        return any(probe.contains(value) for probe in self._probes)

    def _flush(self, new: Values) -> None:
        """Turn the delta and new values into a segment, merged with earlier ones that are not much longer."""
        merged = np.concatenate((new, from_ints(self._delta.values(), self._blocking.lanes)))
        self._delta.clear()
        kept = list(self._segments)
        while kept and len(kept[-1]) < _GROWTH * len(merged):
            merged = np.concatenate((merged, kept.pop().values))
        if self._removed:
            gone = among(merged, self._sorted(self._removed))
            self._removed.difference_update(to_ints(merged[gone]))
            merged = merged[~gone]
        self._replace([*kept, Segment.build(merged, self._blocking)])

    def _drop_removed(self) -> None:
        if len(self._removed) > max(_DELTA_LIMIT, _REMOVED_SHARE * len(self)):
            self.compact()

    def _replace(self, segments: list[Segment]) -> None:
        known = dict(zip(map(id, self._segments), self._probes, strict=True))
        self._probes = [known.get(id(segment)) or probe_of(segment) for segment in segments]
        self._segments = segments
        self._snapshot = None

    def _sorted(self, values: set[int]) -> Values:
        return sorted_values(from_ints(list(values), self._blocking.lanes))
