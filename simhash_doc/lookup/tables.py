"""A segment: permuted tables over a fixed set of fingerprints, with their bulk search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from simhash_doc.lookup.blocks import Permutation, move_bits, permutations
from simhash_doc.lookup.pairs import in_first_table
from simhash_doc.lookup.values import BITS, CHUNK, Positions, Values

# Buckets are addressed by as many leading bits as keep starts and counts at no more than 6 bytes a
# value. Fewer bits mean more candidates (2 to 7 times slower), more bits gain little.
_BYTES_PER_BUCKET = 5
_BUCKET_BYTES_PER_VALUE = 6
# Beyond this many candidates, a query's bucket is compared in one piece instead of step by step.
_LONG_BUCKET = 48

Found = tuple[Positions, Values]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """One permuted table.

    Attributes:
        permutation: the order of the blocks.
        bucket_bits: number b of leading permuted bits that address a bucket, at most the prefix's.
        values: the fingerprints themselves in the order of their permutations, shape (n,), uint64.
        starts: where each bucket begins in `values`, and the end, shape (2^b + 1,), int32 (int64 from 2^31 values on).
        counts: size of each bucket, 255 standing for more too, shape (2^b,), uint8. Most buckets that a query
            probes are empty, and this array tells so from the second-level cache.
    """

    permutation: Permutation
    bucket_bits: int
    values: Values
    starts: npt.NDArray[np.signedinteger]
    counts: npt.NDArray[np.uint8]

    @property
    def nbytes(self) -> int:
        return self.values.nbytes + self.starts.nbytes + self.counts.nbytes


def bucket_bits(n: int, permutation: Permutation) -> int:
    """Return the number of leading bits that address a bucket in a table of n values."""
    affordable = (n * _BUCKET_BYTES_PER_VALUE // _BYTES_PER_BUCKET).bit_length() - 1
    return min(permutation.prefix_bits, max(6, affordable))


def table_bytes(n: int, permutation: Permutation) -> int:
    """Return the bytes of a table of n values: n uint64, and the starts and counts of its buckets."""
    width = 4 if n < 1 << 31 else 8
    buckets: int = 1 << bucket_bits(n, permutation)
    return 8 * n + width * (buckets + 1) + buckets


def build_table(distinct: Values, permutation: Permutation, scratch: Values) -> Table:
    """Return the table of distinct values; `scratch` is an array of the same shape."""
    # Sorting permuted values and undoing the permutation takes a third of an argsort.
    permutation.apply(distinct, scratch)
    scratch.sort()
    bits = bucket_bits(len(distinct), permutation)
    counts = np.zeros(1 << bits, np.int64)
    for start in range(0, len(scratch), CHUNK * 32):
        buckets = (scratch[start : start + CHUNK * 32] >> np.uint64(BITS - bits)).view(np.int64)
        counts[buckets[0] : buckets[-1] + 1] += np.bincount(buckets - buckets[0])
    width: type[np.signedinteger] = np.int32 if len(distinct) < 1 << 31 else np.int64
    starts: npt.NDArray[np.signedinteger] = np.zeros((1 << bits) + 1, width)
    np.cumsum(counts, out=starts[1:])
    return Table(permutation, bits, permutation.undo(scratch), starts, np.minimum(counts, 255).astype(np.uint8))


class Segment:
    """All permuted tables over a set of distinct fingerprints, never changed after it is made."""

    def __init__(self, tables: Sequence[Table], distance: int) -> None:
        self.tables = list(tables)
        self.distance = distance
        self._permutations = [table.permutation for table in self.tables]

    @classmethod
    def build(cls, distinct: Values, blocks: int, distance: int) -> Segment:
        """Return the tables over distinct values, shape (n,), in any order."""
        scratch = np.empty_like(distinct)
        return cls([build_table(distinct, order, scratch) for order in permutations(blocks, distance)], distance)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def values(self) -> Values:
        """The fingerprints, shape (n,), in the order of the first table."""
        return self.tables[0].values

    @property
    def nbytes(self) -> int:
        return sum(table.nbytes for table in self.tables)

    @cached_property
    def _leading(self) -> list[tuple[tuple[int, int], ...]]:
        return [table.permutation.leading(table.bucket_bits) for table in self.tables]

    def contains(self, values: Values) -> npt.NDArray[np.bool_]:
        """Say of each value, shape (q,), whether it is stored."""
        stored = np.zeros(len(values), bool)
        for start in range(0, len(values), CHUNK):
            part = values[start : start + CHUNK]
            for at, difference in self._candidates(part, 0):
                stored[at[difference == 0] + start] = True
        return stored

    def search(self, queries: Values, *, removed: Values, first_only: bool = False) -> Iterator[Found]:
        """Yield (query positions, stored values) of all matches, chunk of queries by chunk, queries ascending.

        Args:
            queries: shape (q,), uint64.
            removed: values to leave out, ascending, shape (r,), uint64.
            first_only: at most one match for each query.
        """
        for start in range(0, len(queries), CHUNK):
            at, values = self._search_chunk(queries[start : start + CHUNK], removed, first_only)
            yield at + start, values

    def _search_chunk(self, queries: Values, removed: Values, first_only: bool) -> Found:
        found_at, found = [np.empty(0, np.int64)], [queries[:0]]
        open_at: Positions | None = None  # with first_only: the queries without a match so far
        for number in range(len(self.tables)):
            asked = queries if open_at is None else queries[open_at]
            hits = [
                (at[close], difference[close])
                for at, difference in self._candidates(asked, number)
                if len(close := np.flatnonzero(np.bitwise_count(difference) <= self.distance))
            ]
            if not hits:
                continue
            at = np.concatenate([positions for positions, _ in hits])
            difference = np.concatenate([differences for _, differences in hits])
            ours = np.ones(len(at), bool) if first_only else in_first_table(difference, self._permutations, number)
            values = asked[at] ^ difference
            if len(removed):
                ours &= ~among(values, removed)
            at, values = at[ours], values[ours]
            if first_only:
                at, values, missing = _first_of_each(at, values, len(asked))
                at = at if open_at is None else open_at[at]
                open_at = missing if open_at is None else open_at[missing]
            found_at.append(at)
            found.append(values)
        at = np.concatenate(found_at)
        # Positions in a chunk fit 16 bits, which numpy sorts by radix.
        order = np.argsort(at.astype(np.uint16), kind="stable")
        return at[order], np.concatenate(found)[order]

    def _candidates(self, queries: Values, number: int) -> Iterator[Found]:
        """Yield (query positions, XOR of query and candidate) for what shares the query's bucket in a table.

        Goes through all buckets at once: the first candidate of every query, then the second of
        those that have one, and so on.
        """
        table = self.tables[number]
        bucket, scratch = np.empty_like(queries), np.empty_like(queries)
        move_bits(queries, self._leading[number], bucket, scratch)
        buckets = bucket.view(np.int64)
        at = np.flatnonzero(table.counts.take(buckets, mode="clip"))  # "clip" skips a check: all are in bounds
        if not len(at):
            return
        buckets = buckets[at]
        next_candidate = table.starts.take(buckets, mode="clip").astype(np.int64)
        end = table.starts.take(buckets + 1, mode="clip")
        asked = queries[at]
        for _ in range(_LONG_BUCKET):
            difference = table.values.take(next_candidate, mode="clip")
            difference ^= asked
            yield at, difference
            next_candidate += 1
            more = np.flatnonzero(next_candidate < end)
            if not len(more):
                return
            at, next_candidate, end, asked = at[more], next_candidate[more], end[more], asked[more]
        for position, first, last, query in zip(at.tolist(), next_candidate.tolist(), end.tolist(), asked, strict=True):
            for start in range(first, last, CHUNK):
                difference = table.values[start : min(start + CHUNK, last)] ^ query
                yield np.full(len(difference), position), difference


def among(values: Values, wanted: Values) -> npt.NDArray[np.bool_]:
    """Say of each value, shape (n,), whether it is one of `wanted`, which are ascending."""
    if not len(wanted):
        return np.zeros(len(values), bool)
    rank = np.searchsorted(wanted, values)
    rank[rank == len(wanted)] = 0
    return np.equal(wanted[rank], values)


def _first_of_each(at: Positions, values: Values, asked: int) -> tuple[Positions, Values, Positions]:
    """Return one match of each query, and the positions of the queries that have none."""
    chosen = np.full(asked, -1)
    chosen[at[::-1]] = np.arange(len(at))[::-1]
    matched = chosen >= 0
    answered = np.flatnonzero(matched)
    return answered, values[chosen[answered]], np.flatnonzero(~matched)
