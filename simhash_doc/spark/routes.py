"""Where fingerprints meet: every table is cut into buckets of its keys, and a task joins one bucket.

The buckets are counted before anything is sent. One with far more fingerprints than the others holds
a popular key, which no cut by key can divide. Its fingerprints are cut into pieces by value instead,
and each two pieces meet in a bucket of their own. So no bucket exceeds a known size, and nothing is left out.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Literal

import numpy as np
import pyarrow as pa
import pyspark.sql.functions as F  # noqa: N812
from pyspark.sql import DataFrame

from simhash_doc.lookup.blocks import cut
from simhash_doc.lookup.errors import DegenerateDistributionWarning
from simhash_doc.spark.columns import PACKED, unpacked
from simhash_doc.spark.distinct import FLUSHED, in_order_of, joined, labels_of
from simhash_doc.spark.tables import Positions, Tables, Words, matches_between, matches_within, mixed, spread

Side = Literal["both", "stored", "queries"]

LARGEST_BUCKET = 1 << 18  # fingerprints; all of one key are compared in a minute
_SMALLEST_BUCKET = 1 << 12
_TASKS_PER_CORE = 8


@dataclass(frozen=True)
class PopularKey:
    """A bucket that was split, since too many fingerprints share a key in it.

    Attributes:
        bits: the bits of the key, as ranges "high..low" of the fingerprint, bit 0 the least significant.
        stored, queries: number of fingerprints in the bucket, on each side; for pairs within one set, the same.
    """

    bits: str
    stored: int
    queries: int

    @property
    def comparisons(self) -> int:
        return self.stored * self.queries


@dataclass(frozen=True)
class Routes:
    """To which labels a fingerprint goes.

    Attributes:
        tables: the tables.
        buckets: number of buckets of each table; bucket b of table t has the label t * buckets + b.
        pieces: of each label that is split, the number of pieces of the stored fingerprints and of the queries.
        within: pairs within one set are asked for; each two pieces meet once, not twice.
    """

    tables: Tables
    buckets: int
    pieces: dict[int, tuple[int, int]] = field(default_factory=dict)
    within: bool = True

    @cached_property
    def _split(self) -> dict[int, int]:
        """The first label of the pieces of each label that is split."""
        start, made = len(self.tables) * self.buckets, {}
        for label, (stored, queries) in self.pieces.items():
            made[label] = start
            start += stored * queries
        return made

    @cached_property
    def _origins(self) -> dict[int, tuple[int, int, int]]:
        """The label that was split, the stored piece and the query piece of each label of two pieces."""
        return {
            self._split[label] + number: (label, *divmod(number, queries))
            for label, (stored, queries) in self.pieces.items()
            for number in range(stored * queries)
        }

    def labels(self, words: Words, table: int) -> Positions:
        """Return the label of each fingerprint in a table, before any is split, shape (n,)."""
        return table * self.buckets + spread(self.tables.hashes(words, table), self.buckets)

    def scatter(self, words: Words, side: Side) -> Iterator[pa.RecordBatch]:
        """Yield packed rows that send each fingerprint to its labels."""
        kind = SIDES.index(side)
        for table in range(len(self.tables)):
            labels = self.labels(words, table)
            split = [label for label in self.pieces if table * self.buckets <= label < (table + 1) * self.buckets]
            whole = ~np.isin(labels, split)
            yield from in_order_of(labels[whole], words[whole], kind) if split else in_order_of(labels, words, kind)
            for label in split:
                yield from self._scatter_pieces(label, words[labels == label], side)

    def _scatter_pieces(self, label: int, words: Words, side: Side) -> Iterator[pa.RecordBatch]:
        stored, queries = self.pieces[label]
        own = spread(mixed(words), queries if side == "queries" else stored)
        for other in range(stored if side == "queries" else queries):
            row, column = (own, np.full_like(own, other)) if side != "queries" else (np.full_like(own, other), own)
            if self.within:
                row, column = np.minimum(row, column), np.maximum(row, column)
            yield from in_order_of(self._split[label] + row * queries + column, words, SIDES.index(side))

    def matches(self, label: int, sides: dict[int, Words]) -> Iterator[tuple[Words, Words]]:
        """Yield both sides of the matches among the fingerprints that met under a label."""
        origin, row, column = self._origins.get(label, (label, 0, 0))
        table = origin // self.buckets
        if not self.within:
            yield from matches_between(sides[QUERIES], sides[STORED], self.tables, table)
        elif row == column:
            yield from matches_within(sides[BOTH], self.tables, table)
        else:
            words = sides[BOTH]
            piece = spread(mixed(words), self.pieces[origin][0])
            yield from matches_between(words[piece == row], words[piece == column], self.tables, table)


SIDES: tuple[Side, ...] = ("both", "stored", "queries")
BOTH, STORED, QUERIES = range(3)


def planned_routes(
    tables: Tables, stored: DataFrame, queries: DataFrame | None, most: int, bucket: int | None = None
) -> tuple[Routes, list[PopularKey]]:
    """Count what falls into each bucket, and split the buckets that have too much.

    Args:
        stored, queries: packed rows of distinct fingerprints; queries is None for pairs within `stored`.
        most: number of fingerprints on the larger side.
        bucket: fingerprints that a bucket is to hold; None for what suits the number of cores.

    Warns:
        DegenerateDistributionWarning: a key is popular; the pairs of the fingerprints that share it are compared
            one by one, which takes time in proportion to the square of their number.
    """
    if bucket is None:
        cores = stored.sparkSession.sparkContext.defaultParallelism
        share = most * len(tables) // (cores * _TASKS_PER_CORE)
        bucket = min(max(share, _SMALLEST_BUCKET), LARGEST_BUCKET)
    plain = Routes(tables, buckets=max(1, -(-most // bucket)), within=queries is None)
    limit = 2 * bucket
    counts = _counts(plain, stored, limit)
    asked = counts if queries is None else _counts(plain, queries, limit)
    pieces = {
        label: (max(1, -(-counts.get(label, 0) // bucket)), max(1, -(-asked.get(label, 0) // bucket)))
        for label in sorted({*counts, *asked})
    }
    split = Routes(tables, plain.buckets, pieces, plain.within)
    popular = [
        PopularKey(_ranges(tables, label // plain.buckets), counts.get(label, 0), asked.get(label, 0))
        for label in pieces
    ]
    if popular:
        largest = max(popular, key=lambda key: max(key.stored, key.queries))
        size = max(largest.stored, largest.queries)
        warnings.warn(
            f"{len(popular):,} keys are shared by too many fingerprints, up to {size:,} that "
            f"agree in bits {largest.bits}: they are split over several tasks, and the work grows with the square "
            "of their number. Are they fingerprints, and of different documents?",
            DegenerateDistributionWarning,
            stacklevel=3,
        )
    return split, popular


def _counts(plain: Routes, rows: DataFrame, limit: int) -> dict[int, int]:
    """Return the number of fingerprints of the labels that have more than the limit."""
    counted = rows.mapInArrow(partial(_count, plain), "label int, fingerprints bigint")
    totals = counted.groupBy("label").agg(F.sum("fingerprints").alias("fingerprints"))
    return {row["label"]: row["fingerprints"] for row in totals.where(F.col("fingerprints") > limit).collect()}


def _count(plain: Routes, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    totals = np.zeros(len(plain.tables) * plain.buckets, np.int64)
    for words in _flushed(batches, plain.tables.words):
        for table in range(len(plain.tables)):
            part = totals[table * plain.buckets : (table + 1) * plain.buckets]
            part += np.bincount(plain.labels(words, table) - table * plain.buckets, minlength=plain.buckets)
    used = np.flatnonzero(totals)
    yield pa.record_batch({"label": pa.array(used.astype(np.int32)), "fingerprints": pa.array(totals[used])})


def _ranges(tables: Tables, table: int) -> str:
    mask = int.from_bytes(tables.masks[table].astype(">u8").tobytes(), "big")
    inside = [block for block in cut(tables.blocks, tables.bits) if block.mask & mask]
    edges: list[list[int]] = []
    for block in inside:
        if edges and edges[-1][1] == block.low:
            edges[-1][1] = block.high
        else:
            edges.append([block.low, block.high])
    return ", ".join(f"{high - 1}..{low}" for low, high in reversed(edges))


def met(rows: DataFrame) -> DataFrame:
    """Bring packed rows together by label."""
    return rows.repartition("label").sortWithinPartitions("label", "kind")


def scattered(split: Routes, rows: DataFrame, side: Side) -> DataFrame:
    """Return packed rows that send the fingerprints of packed rows to their labels."""
    return rows.mapInArrow(partial(_scatter, split, side), PACKED)


def _scatter(split: Routes, side: Side, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for words in _flushed(batches, split.tables.words):
        yield from split.scatter(words, side)


def _flushed(batches: Iterator[pa.RecordBatch], words: int) -> Iterator[Words]:
    """Yield the fingerprints of packed rows in larger arrays."""
    kept: list[Words] = []
    for batch in batches:
        kept.append(unpacked(batch.column("words"), words))
        if sum(map(len, kept)) >= FLUSHED:
            yield np.concatenate(kept)
            kept = []
    if kept:
        yield np.concatenate(kept)


def joined_by_label(split: Routes, batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[Words, Words]]:
    """Yield the matches among packed rows that are in the order of their labels."""
    words = split.tables.words
    for label, kinds in labels_of(batches):
        yield from split.matches(label, {side: joined(kinds.get(side, []), words) for side in (BOTH, STORED, QUERIES)})
