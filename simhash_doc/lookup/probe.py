"""One query at a time: without the numpy calls of a bulk query, each of which costs more than a lookup in a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from simhash_doc.engines.lanes import popcount
from simhash_doc.lookup.arrays import from_ints, to_ints
from simhash_doc.lookup.blocks import Blocking
from simhash_doc.lookup.permutation import Moves
from simhash_doc.lookup.permuted_tables import Segment


def nearest_first(found: Iterable[int], query: int) -> list[int]:
    """Return stored values by their distance from the query, equally distant ones ascending."""
    return sorted(found, key=lambda stored: ((stored ^ query).bit_count(), stored))


class SegmentProbe:
    """Searches a segment of 64-bit fingerprints for one of them through views of its arrays."""

    def __init__(self, segment: Segment) -> None:
        self._distance = segment.blocking.distance
        self._tables = [
            (table.order.leading(table.bucket_bits), table.starts.data, table.values.data) for table in segment.tables
        ]

    def search(self, query: int) -> Iterator[int]:
        """Yield the stored values within the distance; a value may come more than once."""
        distance = self._distance
        for moves, starts, values in self._tables:
            # As `_bucket`, without the call, which would take a tenth of the time.
            bucket = 0
            for mask, shift in moves:
                bucket |= (query & mask) >> -shift if shift < 0 else (query & mask) << shift
            start = starts[bucket]
            end = starts[bucket + 1]
            while start < end:
                value = values[start]
                if (value ^ query).bit_count() <= distance:
                    yield value
                start += 1

    def contains(self, value: int) -> bool:
        """Return True if the value is stored."""
        moves, starts, values = self._tables[0]
        bucket = _bucket(value, moves)
        return value in values[starts[bucket] : starts[bucket + 1]]


class WideSegmentProbe:
    """Searches a segment of wide fingerprints for one of them; candidates of all tables are compared together."""

    def __init__(self, segment: Segment) -> None:
        self._blocking, self._values = segment.blocking, segment.values
        self._tables = [
            (table.order.leading(table.bucket_bits), table.starts.data, table.rows)
            for table in segment.tables
            if table.rows is not None
        ]

    def search(self, query: int) -> Iterator[int]:
        """Yield the stored values within the distance; a value may come more than once."""
        met = []
        for moves, starts, rows in self._tables:
            bucket = _bucket(query, moves)
            if starts[bucket] < starts[bucket + 1]:
                met.append(rows[starts[bucket] : starts[bucket + 1]])
        if met:
            values = self._values[np.concatenate(met)]
            near = popcount(values ^ from_ints([query], self._blocking.lanes)) <= self._blocking.distance
            yield from to_ints(values[near])

    def contains(self, value: int) -> bool:
        """Return True if the value is stored."""
        moves, starts, rows = self._tables[0]
        bucket = _bucket(value, moves)
        return value in to_ints(self._values[rows[starts[bucket] : starts[bucket + 1]]])


Probe = SegmentProbe | WideSegmentProbe


def probe_of(segment: Segment) -> Probe:
    """Return the probe for the width of a segment."""
    return SegmentProbe(segment) if segment.blocking.lanes == 1 else WideSegmentProbe(segment)


def _bucket(value: int, moves: Moves) -> int:
    bucket = 0
    for mask, shift in moves:
        bucket |= (value & mask) >> -shift if shift < 0 else (value & mask) << shift
    return bucket


class Delta:
    """Recently inserted fingerprints, one dict for each table: from key to the values that have it."""

    def __init__(self, blocking: Blocking) -> None:
        self._distance = blocking.distance
        self._members: set[int] = set()
        self._tables: list[tuple[int, dict[int, list[int]]]] = [(mask, {}) for mask in blocking.masks]

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, value: object) -> bool:
        return value in self._members

    def values(self) -> list[int]:
        return list(self._members)

    def insert(self, value: int) -> None:
        """Add a value that is not yet included."""
        self._members.add(value)
        for mask, table in self._tables:
            table.setdefault(value & mask, []).append(value)

    def remove(self, value: int) -> None:
        """Remove a value that is included."""
        self._members.remove(value)
        for mask, table in self._tables:
            bucket = table[value & mask]
            bucket.remove(value)
            if not bucket:
                del table[value & mask]

    def clear(self) -> None:
        self._members.clear()
        for _, table in self._tables:
            table.clear()

    def search(self, query: int) -> Iterator[int]:
        """Yield the values within the distance; a value may come more than once."""
        for mask, table in self._tables:
            for value in table.get(query & mask, ()):
                if (value ^ query).bit_count() <= self._distance:
                    yield value
