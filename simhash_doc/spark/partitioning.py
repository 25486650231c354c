"""Which tables make a join cheapest, and how fingerprints are partitioned for it.

Every table is split into buckets of its keys, and a task joins one bucket. The buckets are counted before the
shuffle. A bucket with far more fingerprints than the others holds a popular key, which no split by key can
divide. Its fingerprints are split into pieces by value instead, and each two pieces are joined in a separate
bucket. So no bucket exceeds a known size, and no match is missed.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
import pyarrow as pa
import pyspark.sql.functions as F  # noqa: N812
from pyspark.sql import DataFrame

from simhash_doc.arrays import Lanes, in_order, mixed, spread
from simhash_doc.lookup.blocks import Blocking, BlockTables, LaneTables
from simhash_doc.lookup.errors import DegenerateDistributionWarning
from simhash_doc.lookup.joins import join_distinct, matches_between, matches_within
from simhash_doc.lookup.planning.costs import CostModel, sampled_candidates, uniform_candidates
from simhash_doc.lookup.planning.index import QUERY
from simhash_doc.lookup.planning.pair_tables import plan_lanes, reject_expensive
from simhash_doc.lookup.positions import Positions
from simhash_doc.schemes import LANE_BITS, or_close, scheme_of_bits
from simhash_doc.spark.columns import PACKED, PAIRS, in_pieces, joined, labels_of, pair_rows, under_labels
from simhash_doc.spark.distinct import Distinct
from simhash_doc.spark.session import PARTITIONS

LanesOrBlocks = LaneTables | Blocking
BOTH, STORED, QUERIES = range(3)  # kinds of packed rows: the side of a join

LARGEST_BUCKET = 1 << 18  # fingerprints; all of one key are compared in a minute
_SMALLEST_BUCKET = 1 << 12
_TASKS_PER_CORE = 8
_TASK_BYTES = 1 << 28  # of a shuffle, that a task reads
# A fingerprint's way through the shuffle into one table takes the time of this many comparisons; over 64 bits, where
# a comparison takes longer, too, about twice as many.
_SHUFFLE, _WIDE_SHUFFLE = CostModel(table=50, max_cost=1e16), CostModel(table=100, max_cost=1e16)


@dataclass(frozen=True, slots=True)
class SparkPlan:
    """The tables of a join and what they cost.

    Attributes:
        blocks: number of blocks; or of each lane, 0 for a lane that has no tables.
        distance: maximum number of differing bits.
        tables: their number.
        shuffle_bytes: what is written for the join by key: a fingerprint's bytes for each table.
        candidates: average number of fingerprints compared with each fingerprint, over all tables, estimated from a
            sample or, if only their number is known, for uniform fingerprints.
    """

    blocks: int | tuple[int, ...]
    distance: int
    tables: int
    shuffle_bytes: int
    candidates: float


def plan(fingerprints: int, *, distance: int | None = None, bits: int = 64) -> SparkPlan:
    """Return the cheapest tables for a number of distinct fingerprints.

    Args:
        fingerprints: how many there are.
        distance: maximum number of differing bits; None for the close threshold of the scheme.
        bits: width of a fingerprint.

    Raises:
        LookupParameterError: the distance is not from 0 to bits - 1.
        TooExpensiveError: even the cheapest join takes too long.

    >>> plan(10**9).blocks, plan(10**9).shuffle_bytes
    (5, 80000000000)
    >>> plan(10**6, bits=256).blocks, plan(10**6, bits=256).tables
    ((8, 8, 8, 7), 105)
    """
    none = np.empty((0, bits // LANE_BITS), np.uint64)
    return described(fingerprints, tables_for(fingerprints, distance, none), none)


def tables_for(
    fingerprints: int, distance: int | None, sample: Lanes, *, broadcast: bool = False, sd64_distance: int | None = None
) -> LanesOrBlocks:
    """Return the tables for a number of distinct fingerprints; arguments and errors are those of `plan`.

    Args:
        sample: some of them, shape (s, lanes), which show how often they agree in a block.
        broadcast: they are searched in memory, not shuffled.
        sd64_distance: find only pairs that are within this distance in lane 0, too.
    """
    bits = LANE_BITS * sample.shape[1]
    distance = or_close(scheme_of_bits(bits), distance)
    model = QUERY if broadcast else _SHUFFLE if bits == LANE_BITS else _WIDE_SHUFFLE
    tables, cost = plan_lanes(fingerprints, bits, distance, sample, model, sd64_distance=sd64_distance)
    reject_expensive(fingerprints, tables, cost, model)
    return tables


def described(fingerprints: int, tables: LanesOrBlocks, sample: Lanes) -> SparkPlan:
    """Return what tables cost; a sample of the fingerprints, shape (s, lanes), shows which keys they share."""
    blocks: int | tuple[int, ...]
    if isinstance(tables, Blocking):
        blocks = tables.blocks
    else:
        blocks = tuple(blocking.blocks for blocking in tables.blockings) + (0,) * (tables.lanes - len(tables.blockings))
    uniform = uniform_candidates(fingerprints, Counter(mask.bit_count() for mask in tables.masks))
    sampled = sampled_candidates(fingerprints, len(tables), lambda table: tables.hashes(sample, table))
    return SparkPlan(blocks, tables.distance, len(tables), _shuffled(fingerprints, tables), max(uniform, sampled))


def _shuffled(fingerprints: int, tables: BlockTables) -> int:
    return fingerprints * len(tables) * tables.bits // 8


@dataclass(frozen=True)
class PopularKey:
    """A bucket that was split because too many fingerprints share a key in it.

    Attributes:
        bits: the bits of the key, as ranges "high..low" of the fingerprint, bit 0 the least significant.
        stored, queries: number of fingerprints in the bucket, on each side; for pairs within one set, the same.
    """

    bits: str
    stored: int
    queries: int


@dataclass(frozen=True)
class Partitioning:
    """The assignment of fingerprints to labels; each label is one join.

    Attributes:
        tables: the tables.
        buckets: number of buckets of each table; bucket b of table t has the label t * buckets + b.
        pieces: for each label that is split, the number of pieces of the stored fingerprints and of the queries.
        within: True for pairs within one set; each two pieces are joined once, not twice.
        tasks: the join needs at least as many.
        connect: of many pairs that share a key, only some are found, which connect what all of them connect.
    """

    tables: BlockTables
    buckets: int
    pieces: dict[int, tuple[int, int]] = field(default_factory=dict)
    within: bool = True
    tasks: int = 1
    connect: bool = False

    @cached_property
    def _split(self) -> dict[int, int]:
        """The first label of the pieces of each label that is split."""
        start, first = len(self.tables) * self.buckets, {}
        for label, (stored, queries) in self.pieces.items():
            first[label] = start
            start += stored * queries
        return first

    @cached_property
    def _origins(self) -> dict[int, tuple[int, int, int]]:
        """The label that was split, the stored piece and the query piece of each label of two pieces."""
        return {
            self._split[label] + number: (label, *divmod(number, queries))
            for label, (stored, queries) in self.pieces.items()
            for number in range(stored * queries)
        }

    def labels(self, rows: Lanes, table: int) -> Positions:
        """Return the label of each fingerprint in a table, before any is split, shape (n,)."""
        return table * self.buckets + spread(self.tables.hashes(rows, table), self.buckets)

    def scatter(self, values: Lanes, side: int) -> Iterator[pa.RecordBatch]:
        """Yield packed rows with each fingerprint under its labels."""
        for table in range(len(self.tables)):
            labels = self.labels(values, table)
            split = [label for label in self.pieces if table * self.buckets <= label < (table + 1) * self.buckets]
            others = ~np.isin(labels, split)
            yield from under_labels(labels[others], values[others], side)
            for label in split:
                yield from self._scatter_pieces(label, values[labels == label], side)

    def _scatter_pieces(self, label: int, rows: Lanes, side: int) -> Iterator[pa.RecordBatch]:
        stored, queries = self.pieces[label]
        own = spread(mixed(rows), queries if side == QUERIES else stored)
        for other in range(stored if side == QUERIES else queries):
            row, column = (np.full_like(own, other), own) if side == QUERIES else (own, np.full_like(own, other))
            if self.within:
                row, column = np.minimum(row, column), np.maximum(row, column)
            yield from under_labels(self._split[label] + row * queries + column, rows, side)

    def matches(self, label: int, sides: dict[int, Lanes]) -> Iterator[tuple[Lanes, Lanes]]:
        """Yield both sides of the matches among the fingerprints of a label."""
        origin, row, column = self._origins.get(label, (label, 0, 0))
        table = origin // self.buckets
        if not self.within:
            yield from matches_between(sides[QUERIES], sides[STORED], self.tables, table)
        elif self.connect:
            yield from join_distinct(sides[BOTH], self.tables, [table], connect=True)
        elif row == column:
            yield from matches_within(sides[BOTH], self.tables, table)
        else:
            both = sides[BOTH]
            piece = spread(mixed(both), self.pieces[origin][0])
            yield from matches_between(both[piece == row], both[piece == column], self.tables, table)


def plan_partitioning(
    tables: BlockTables, stored: Distinct, queries: Distinct | None = None, *, connect: bool = False
) -> tuple[Partitioning, list[PopularKey]]:
    """Count the fingerprints of each bucket, and split the buckets that have too many.

    Args:
        queries: None for pairs within `stored`.
        connect: see `Partitioning`.

    Warns:
        DegenerateDistributionWarning: a key is popular; all pairs of the fingerprints that share it are compared,
            which takes quadratic time.
    """
    most = max(stored.values, queries.values if queries else 0)
    cores = stored.rows.sparkSession.sparkContext.defaultParallelism
    bucket = min(max(most * len(tables) // (cores * _TASKS_PER_CORE), _SMALLEST_BUCKET), LARGEST_BUCKET)
    plain = Partitioning(tables, buckets=max(1, -(-most // bucket)), within=queries is None)
    counts = _counts(plain, stored.packed(), 2 * bucket)
    query_counts = _counts(plain, queries.packed(), 2 * bucket) if queries else counts
    sizes = {label: (counts.get(label, 0), query_counts.get(label, 0)) for label in sorted({*counts, *query_counts})}
    pieces = {label: (max(1, -(-a // bucket)), max(1, -(-b // bucket))) for label, (a, b) in sizes.items()}
    split = Partitioning(tables, plain.buckets, pieces, plain.within, _shuffled(most, tables) // _TASK_BYTES, connect)
    popular = [PopularKey(_ranges(tables, label // plain.buckets), *both) for label, both in sizes.items()]
    if popular:
        largest = max(popular, key=lambda key: max(key.stored, key.queries))
        size = max(largest.stored, largest.queries)
        grows = "at worst" if connect else "always"
        warnings.warn(
            f"{len(popular):,} keys are shared by too many fingerprints, up to {size:,} that agree in bits "
            f"{largest.bits}: they are split over several tasks, and the work grows {grows} with the square of their "
            "number. Check that they are fingerprints of different documents.",
            DegenerateDistributionWarning,
            stacklevel=3,
        )
    return split, popular


def _counts(plain: Partitioning, rows: DataFrame, limit: int) -> dict[int, int]:
    """Return the number of fingerprints of the labels that have more than the limit."""
    counted = rows.mapInArrow(partial(_count, plain), "label int, fingerprints bigint")
    totals = counted.groupBy("label").agg(F.sum("fingerprints").alias("fingerprints"))
    return {row["label"]: row["fingerprints"] for row in totals.where(F.col("fingerprints") > limit).collect()}


def _count(plain: Partitioning, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    totals = np.zeros(len(plain.tables) * plain.buckets, np.int64)
    for rows in in_pieces(batches, plain.tables.lanes):
        for table in range(len(plain.tables)):
            part = totals[table * plain.buckets : (table + 1) * plain.buckets]
            part += np.bincount(plain.labels(rows, table) - table * plain.buckets, minlength=plain.buckets)
    used = np.flatnonzero(totals)
    yield pa.record_batch({"label": pa.array(used.astype(np.int32)), "fingerprints": pa.array(totals[used])})


def _ranges(tables: BlockTables, table: int) -> str:
    edges: list[list[int]] = []
    for block in tables.choices[table]:
        if edges and edges[-1][1] == block.low:
            edges[-1][1] = block.high
        else:
            edges.append([block.low, block.high])
    return ", ".join(f"{high - 1}..{low}" for low, high in reversed(edges))


def join(split: Partitioning, stored: Distinct, queries: Distinct | None = None) -> DataFrame:
    """Return the matches among distinct fingerprints, columns a, b and distance.

    Without queries, each pair within the stored fingerprints once, a <= b; otherwise a is a query, b is stored.
    """
    rows = _labelled(split, stored.packed(), STORED if queries else BOTH)
    if queries:
        rows = rows.unionAll(_labelled(split, queries.packed(), QUERIES))
    usual = int(rows.sparkSession.conf.get(PARTITIONS) or 0)
    shuffled = rows.repartition("label") if usual >= split.tasks else rows.repartition(split.tasks, "label")
    return shuffled.sortWithinPartitions("label", "kind").mapInArrow(partial(_join, split), PAIRS)


def _labelled(split: Partitioning, rows: DataFrame, side: int) -> DataFrame:
    return rows.mapInArrow(partial(_scatter, split, side), PACKED)


def _scatter(split: Partitioning, side: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for rows in in_pieces(batches, split.tables.lanes):
        yield from split.scatter(rows, side)


def _join(split: Partitioning, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for a, b in joined_by_label(split, batches):
        yield pair_rows(*in_order(a, b)) if split.within else pair_rows(a, b)


def joined_by_label(split: Partitioning, batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[Lanes, Lanes]]:
    """Yield the matches among packed rows that are in the order of their labels."""
    lanes = split.tables.lanes
    for label, kinds in labels_of(batches):
        yield from split.matches(label, {side: joined(kinds.get(side, []), lanes) for side in (BOTH, STORED, QUERIES)})
