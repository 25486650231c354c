"""A changing set of fingerprints: segments that never change, a delta of late insertions, and removals.

A change costs little because no table is rebuilt for it. When the delta has grown, it becomes a
segment; a segment that is not much smaller than the one before it is merged with that one, so
that there are only ever a few.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simhash_doc.lookup.blocks import permutations
from simhash_doc.lookup.single import Delta, SegmentProbe
from simhash_doc.lookup.tables import Found, Segment, among
from simhash_doc.lookup.values import Values, distinct_values

_DELTA_LIMIT = 8192  # values; a delta takes about 2 KB for each
_DELTA_BATCH = 256  # a batch of more new values becomes a segment at once
_GROWTH = 4  # each segment is at least this many times as long as the next
_REMOVED_SHARE = 1 / 16  # of the stored values; beyond it the tables are rebuilt without them


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The set at one moment, safe to search while the set changes."""

    segments: tuple[Segment, ...]
    removed: Values

    def search(self, queries: Values, *, first_only: bool) -> Found:
        """Return (query positions, stored values) of the matches, queries ascending; shapes (p,).

        Args:
            queries: shape (q,), uint64.
            first_only: at most one match for each query.
        """
        parts = [(np.empty(0, np.int64), queries[:0])]
        for segment in self.segments:
            parts += segment.search(queries, removed=self.removed, first_only=first_only)
        at = np.concatenate([positions for positions, _ in parts])
        values = np.concatenate([found for _, found in parts])
        if len(self.segments) > 1:
            order = np.argsort(at, kind="stable")
            at, values = at[order], values[order]
            if first_only:
                first = np.ones(len(at), bool)
                np.not_equal(at[1:], at[:-1], out=first[1:])
                at, values = at[first], values[first]
        return at, values


class Layers:
    """A set of distinct fingerprints with their tables.

    Args:
        segments: tables that exist already, longest first, with no value in two of them.
    """

    def __init__(self, blocks: int, distance: int, segments: Iterable[Segment] = ()) -> None:
        self._blocks, self._distance = blocks, distance
        self._segments: list[Segment] = [segment for segment in segments if len(segment)]
        self._probes = [SegmentProbe(segment) for segment in self._segments]
        self._delta = Delta(permutations(blocks, distance), distance)
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
        """Add a value; say whether it was absent."""
        if value in self:
            return False
        self._snapshot = None
        if value in self._removed:
            self._removed.remove(value)
            return True
        self._delta.insert(value)
        if len(self._delta) > _DELTA_LIMIT:
            self._settle(np.empty(0, np.uint64))
        return True

    def insert_bulk(self, values: Values) -> int:
        """Add values, shape (n,); return how many distinct ones were absent."""
        distinct = distinct_values(np.sort(values))
        new = distinct[~self.contains(distinct)]
        if len(new) <= _DELTA_BATCH:
            for value in new.tolist():
                self.insert(value)
            return len(new)
        self._snapshot = None
        if self._removed:
            back = self._removed.intersection(new.tolist())
            self._removed -= back
            new = new[~among(new, _sorted(back))]
            self._settle(new)
            return len(new) + len(back)
        self._settle(new)
        return len(new)

    def remove(self, value: int) -> bool:
        """Take a value away; say whether it was there."""
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
        """Take values away, shape (n,); return how many distinct ones were there."""
        distinct = distinct_values(np.sort(values))
        there = distinct[self.contains(distinct)].tolist()
        self._snapshot = None
        for value in there:
            if value in self._delta:
                self._delta.remove(value)
            else:
                self._removed.add(value)
        self._drop_removed()
        return len(there)

    def contains(self, values: Values) -> npt.NDArray[np.bool_]:
        """Say of each value, shape (n,), whether it is in the set."""
        snapshot = self.snapshot()
        stored = np.zeros(len(values), bool)
        for segment in snapshot.segments:
            stored |= segment.contains(values)
        return stored & ~among(values, snapshot.removed)

    def search(self, query: int) -> Iterator[int]:
        """Yield the values within the distance of one; a value may come more than once."""
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
                late = np.array(self._delta.values(), np.uint64)
                segments = [*segments, Segment.build(late, self._blocks, self._distance)]
            self._snapshot = Snapshot(tuple(segments), _sorted(self._removed))
        return self._snapshot

    def values(self) -> Values:
        """Return the values, ascending, shape (n,)."""
        snapshot = self.snapshot()
        together = np.concatenate([np.empty(0, np.uint64), *(segment.values for segment in snapshot.segments)])
        return np.sort(together[~among(together, snapshot.removed)])

    def compact(self) -> Segment:
        """Merge everything into one segment, and return it."""
        if len(self._segments) != 1 or len(self._delta) or self._removed:
            only = Segment.build(self.values(), self._blocks, self._distance)
            self._delta.clear()
            self._removed.clear()
            self._replace([only])
        return self._segments[0]

    def _in_segments(self, value: int) -> bool:
        return any(probe.contains(value) for probe in self._probes)

    def _settle(self, new: Values) -> None:
        """Make the delta and new values a segment, merged with earlier ones that are not much longer."""
        merged = np.concatenate((new, np.array(self._delta.values(), np.uint64)))
        self._delta.clear()
        kept = list(self._segments)
        while kept and len(kept[-1]) < _GROWTH * len(merged):
            merged = np.concatenate((merged, kept.pop().values))
        if self._removed:
            gone = among(merged, _sorted(self._removed))
            self._removed.difference_update(merged[gone].tolist())
            merged = merged[~gone]
        self._replace([*kept, Segment.build(merged, self._blocks, self._distance)])

    def _drop_removed(self) -> None:
        if len(self._removed) > max(_DELTA_LIMIT, _REMOVED_SHARE * len(self)):
            self.compact()

    def _replace(self, segments: list[Segment]) -> None:
        known = dict(zip(map(id, self._segments), self._probes, strict=True))
        self._probes = [known.get(id(segment)) or SegmentProbe(segment) for segment in segments]
        self._segments = segments
        self._snapshot = None


def _sorted(values: set[int]) -> Values:
    return np.sort(np.fromiter(values, np.uint64, len(values)))
