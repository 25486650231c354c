"""Every pair of near-duplicates in a table of fingerprints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyspark.sql.functions as F  # noqa: N812
from pyspark.sql import DataFrame

from simhash_doc.spark.cached import Cached
from simhash_doc.spark.columns import column_of, unpacked
from simhash_doc.spark.distinct import COPIED, Distinct, distinct
from simhash_doc.spark.errors import TooManyPairsError
from simhash_doc.spark.planning import SparkPlan, plan
from simhash_doc.spark.routes import PopularKey, Routes, joined_by_label, met, planned_routes, scattered
from simhash_doc.spark.tables import Tables, Words, distances

PAIRS = "a binary, b binary, distance int"
MOST_PAIRS = 10**9


@dataclass(frozen=True)
class Pairs(Cached):
    """Pairs of entries whose fingerprints are within a distance.

    Attributes:
        values: pairs of fingerprints, columns a, b (binary, a <= b) and distance (int); each pair once.
            A row of two equal fingerprints stands for all entries that have it, two or more.
        members: the entries that have a fingerprint, columns id and fingerprint.
        distinct: the distinct fingerprints.
        plan: the blocks, and what they cost.
        popular: keys that too many fingerprints share.
    """

    values: DataFrame
    members: DataFrame
    distinct: Distinct
    plan: SparkPlan
    popular: list[PopularKey]

    def ids(self, most: int | None = MOST_PAIRS) -> DataFrame:
        """Return every pair of entries, columns a, b (ids, a < b) and distance; each pair once.

        c entries with one fingerprint make c (c - 1) / 2 pairs (SD-LOOK-3), so they are counted first.

        Args:
            most: number of pairs that is allowed for; None for any.

        Raises:
            TooManyPairsError: there would be more.
        """
        if most is not None and (count := self.count_ids()) > most:
            raise TooManyPairsError(
                f"{count:,} pairs of ids are over the limit of {most:,}, since {self.distinct.copied:,} fingerprints "
                "stand for several entries: ask for the pairs of fingerprints or for clusters, or raise the limit"
            )
        a = self.members.select(F.col("id").alias("id_a"), F.col("fingerprint").alias("a"))
        b = self.members.select(F.col("id").alias("id_b"), F.col("fingerprint").alias("b"))
        met = self.values.join(a, "a").join(b, "b").where((F.col("a") != F.col("b")) | (F.col("id_a") < F.col("id_b")))
        return met.select(F.least("id_a", "id_b").alias("a"), F.greatest("id_a", "id_b").alias("b"), "distance")

    def count_ids(self) -> int:
        """Return the number of pairs of entries."""
        copies = self.distinct.of_kind(COPIED).mapInArrow(
            partial(_unpack, self.distinct.bits // 64), "fingerprint binary"
        )
        counted = self.members.join(copies, "fingerprint").groupBy("fingerprint").count()
        a = counted.select(F.col("fingerprint").alias("a"), F.col("count").alias("count_a"))
        b = counted.select(F.col("fingerprint").alias("b"), F.col("count").alias("count_b"))
        of_a, of_b = (F.coalesce(F.col(name), F.lit(1)).cast("decimal(38,0)") for name in ("count_a", "count_b"))
        rows = F.when(F.col("a") == F.col("b"), of_a * (of_a - 1) / 2).otherwise(of_a * of_b)
        total = self.values.join(a, "a", "left").join(b, "b", "left").agg(F.sum(rows).alias("rows")).first()
        return int(total["rows"] or 0) if total else 0


def find_all(
    df: DataFrame, id_col: str = "id", fp_col: str = "fingerprint", distance: int = 3, blocks: int | None = None
) -> Pairs:
    """Find every pair of entries whose fingerprints differ in at most `distance` bits: exact, each pair once.

    The input is read and checked at once; the pairs are found when they are used.

    Args:
        df: a table with an id (string, integer or binary, no two equal) and a fingerprint (binary, all of
            one width) for each entry. Entries whose fingerprint is null are in no pair.
        distance: largest number of differing bits.
        blocks: number of blocks, over `distance`; any gives the same pairs. None for the cheapest.

    Raises:
        BadColumnError: the input is not as above.
        LookupParameterError: not 0 <= distance < blocks <= bits.

    Warns:
        DegenerateDistributionWarning: so many fingerprints share a key that the work is quadratic.
    """
    values = distinct(df, id_col, fp_col)
    try:
        chosen = plan(values.values, distance, bits=values.bits, blocks=blocks)
        tables = Tables(values.bits, chosen.blocks, distance)
        split, popular = planned_routes(tables, values.packed(), None, values.values)
    except BaseException:
        values.unpersist()
        raise
    found = met(scattered(split, values.packed(), "both")).mapInArrow(partial(_join, split), PAIRS)
    copied = values.of_kind(COPIED).mapInArrow(partial(_with_itself, tables.words), PAIRS)
    return Pairs([values.rows], found.unionAll(copied), entries(df, id_col, fp_col), values, chosen, popular)


def entries(df: DataFrame, id_col: str, fp_col: str) -> DataFrame:
    """Return the entries that have a fingerprint, columns id and fingerprint."""
    name, fingerprint = F.col(f"`{id_col}`"), F.col(f"`{fp_col}`")
    return df.where(fingerprint.isNotNull()).select(name.alias("id"), fingerprint.alias("fingerprint"))


def _join(split: Routes, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for a, b in joined_by_label(split, batches):
        yield pair_rows(*in_order(a, b))


def in_order(a: Words, b: Words) -> tuple[Words, Words]:
    """Return the smaller and the larger fingerprint of each pair."""
    less = np.zeros(len(a), bool)
    for word in reversed(range(a.shape[1])):
        less = np.where(a[:, word] == b[:, word], less, a[:, word] < b[:, word])
    return np.where(less[:, None], a, b), np.where(less[:, None], b, a)


def pair_rows(a: Words, b: Words) -> pa.RecordBatch:
    return pa.record_batch(
        {"a": column_of(a), "b": column_of(b), "distance": pa.array(distances(a ^ b).astype(np.int32))}
    )


def _with_itself(words: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        values = unpacked(batch.column("words"), words)
        yield pair_rows(values, values)


def _unpack(words: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield pa.record_batch({"fingerprint": column_of(unpacked(batch.column("words"), words))})
