"""One query at a time: without a numpy call, each of which costs more than the whole query."""

from __future__ import annotations

from collections.abc import Iterator

from simhash_doc.lookup.blocks import Permutation
from simhash_doc.lookup.tables import Segment


class SegmentProbe:
    """Searches a segment for one fingerprint through views of its arrays."""

    def __init__(self, segment: Segment) -> None:
        self._distance = segment.distance
        self._tables = [
            (
                table.permutation.leading(table.bucket_bits),
                table.starts.data,
                table.values.data,
            )
            for table in segment.tables
        ]

    def search(self, query: int) -> Iterator[int]:
        """Yield the stored values within the distance; one may come more than once."""
        distance = self._distance
        for moves, starts, values in self._tables:
            bucket = 0
            for mask, shift in moves:
                # No shift here is to the left: the leading bits go to the low end of an integer.
                bucket |= (query & mask) >> -shift if shift < 0 else (query & mask) << shift
            start = starts[bucket]
            end = starts[bucket + 1]
            while start < end:
                value = values[start]
                if (value ^ query).bit_count() <= distance:
                    yield value
                start += 1

    def contains(self, value: int) -> bool:
        """Say whether the value is stored."""
        moves, starts, values = self._tables[0]
        bucket = 0
        for mask, shift in moves:
            bucket |= (value & mask) >> -shift if shift < 0 else (value & mask) << shift
        return value in values[starts[bucket] : starts[bucket + 1]]


class Delta:
    """Fingerprints inserted lately, one dict for each table: from prefix to the values that have it."""

    def __init__(self, permutations: list[Permutation], distance: int) -> None:
        self._distance = distance
        self._members: set[int] = set()
        self._tables: list[tuple[int, dict[int, list[int]]]] = [(order.prefix_mask, {}) for order in permutations]

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, value: object) -> bool:
        return value in self._members

    def values(self) -> list[int]:
        return list(self._members)

    def insert(self, value: int) -> None:
        """Add a value that is not here."""
        self._members.add(value)
        for mask, table in self._tables:
            table.setdefault(value & mask, []).append(value)

    def remove(self, value: int) -> None:
        """Take away a value that is here."""
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
        """Yield the values within the distance; one may come more than once."""
        for mask, table in self._tables:
            for value in table.get(query & mask, ()):
                if (value ^ query).bit_count() <= self._distance:
                    yield value
