"""Every pair of near-duplicates in a table of fingerprints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import inf

import numpy as np
import pyarrow as pa
import pyspark.sql.functions as F  # noqa: N812
from pyspark.sql import DataFrame

from simhash_doc.arrays import Lanes, in_order
from simhash_doc.errors import SimhashDocError
from simhash_doc.schemes import LANE_BITS
from simhash_doc.spark.columns import PAIRS, entries, in_pieces, pair_rows, unpacked
from simhash_doc.spark.distinct import COPIED, Distinct, distinct
from simhash_doc.spark.partitioning import PopularKey, SparkPlan, described, join, plan_partitioning, tables_for
from simhash_doc.spark.session import Cached, freed_on_error

MAX_PAIRS = 10**9


class TooManyPairsError(SimhashDocError):
    """There are more pairs of ids than allowed."""

    code = "too-many-pairs"


@dataclass(frozen=True)
class SparkPairs(Cached):
    """Pairs of entries whose fingerprints are within a distance.

    Attributes:
        values: pairs of fingerprints, columns a, b (binary, a <= b) and distance (int); each pair once.
            A row of two equal fingerprints represents all their entries, two or more.
        members: the entries that have a fingerprint, columns id and fingerprint.
        distinct: the distinct fingerprints.
        plan: the tables, and what they cost.
        popular: keys that too many fingerprints share.
    """

    values: DataFrame
    members: DataFrame
    distinct: Distinct
    plan: SparkPlan
    popular: list[PopularKey]

    def ids(self, max_pairs: int | None = MAX_PAIRS) -> DataFrame:
        """Return every pair of entries, columns a, b (ids, a < b) and distance; each pair once.

        c entries with one fingerprint make c (c - 1) / 2 pairs (SD-LOOK-3), so they are counted first.

        Args:
            max_pairs: maximum number of pairs; None for no limit.

        Raises:
            TooManyPairsError: there would be more pairs.
        """
        if max_pairs is not None and (count := self.count_ids()) > max_pairs:
            raise TooManyPairsError(
                f"{count:,} pairs of ids are over the limit of {max_pairs:,}: {self.distinct.copied:,} fingerprints "
                "have several entries: request the pairs of fingerprints or the clusters, or raise the limit"
            )
        a = self.members.select(F.col("id").alias("id_a"), F.col("fingerprint").alias("a"))
        b = self.members.select(F.col("id").alias("id_b"), F.col("fingerprint").alias("b"))
        met = self.values.join(a, "a").join(b, "b").where((F.col("a") != F.col("b")) | (F.col("id_a") < F.col("id_b")))
        return met.select(F.least("id_a", "id_b").alias("a"), F.greatest("id_a", "id_b").alias("b"), "distance")

    def count_ids(self) -> int:
        """Return the number of pairs of entries."""
        copies = _copied_with_themselves(self.distinct).select(F.col("a").alias("fingerprint"))
        counted = self.members.join(copies, "fingerprint").groupBy("fingerprint").count()
        a = counted.select(F.col("fingerprint").alias("a"), F.col("count").alias("count_a"))
        b = counted.select(F.col("fingerprint").alias("b"), F.col("count").alias("count_b"))
        of_a, of_b = (F.coalesce(F.col(name), F.lit(1)).cast("decimal(38,0)") for name in ("count_a", "count_b"))
        rows = F.when(F.col("a") == F.col("b"), of_a * (of_a - 1) / 2).otherwise(of_a * of_b)
        total = self.values.join(a, "a", "left").join(b, "b", "left").agg(F.sum(rows).alias("rows")).first()
        return int(total["rows"] or 0) if total else 0


def find_all(
    df: DataFrame,
    *,
    id_col: str = "id",
    fp_col: str = "fingerprint",
    distance: int | None = None,
    sd64_distance: int | None = None,
) -> SparkPairs:
    """Find every pair of entries whose fingerprints differ in at most `distance` bits: exact, each pair once.

    This reads and checks the input at once, and computes the pairs when you use them.

    Args:
        df: a table with an id (string, integer or binary, no two equal) and a fingerprint (binary, all of
            one width) for each entry. Entries whose fingerprint is null are in no pair.
        distance: maximum number of differing bits; None for the close threshold of the scheme.
        sd64_distance: for wider schemes, find only pairs whose first 64 bits (the sd64 fingerprints) are also within
            this distance. The search uses only these bits.

    Raises:
        BadColumnError: the input does not have these columns.
        LookupParameterError: the distance is not from 0 to the bits of the scheme.
        TooExpensiveError: even the cheapest join takes too long.

    Warns:
        DegenerateDistributionWarning: so many fingerprints share a key that the work is quadratic.
    """
    return _found(entries(df, id_col, fp_col), distance, sd64_distance, connect=False)


def find_connecting_pairs(
    rows: DataFrame, distance: int | None, sd64_distance: int | None = None, most: float = inf
) -> SparkPairs:
    """Find pairs that connect what all near pairs connect: of many that share a key, far fewer.

    Args:
        rows: columns id and fingerprint, see `entries`.
        distance, sd64_distance: those of `find_all`, with its errors.
        most: candidates of a fingerprint, as in `SparkPlan`. If there are more, the pairs connect all entries, and the
            plan has no tables: a search for the near ones takes too long.
    """
    return _found(rows, distance, sd64_distance, connect=True, most=most)


def _found(
    rows: DataFrame, distance: int | None, sd64_distance: int | None, *, connect: bool, most: float = inf
) -> SparkPairs:
    values, popular = distinct(rows), list[PopularKey]()
    with freed_on_error(values):
        tables = tables_for(values.values, distance, values.sample, sd64_distance=sd64_distance)
        plan = described(values.values, tables, values.sample)
        if plan.candidates > most:
            found, plan = _star(values), replace(plan, blocks=0, tables=0, shuffle_bytes=0)
        else:
            split, popular = plan_partitioning(tables, values, connect=connect)
            found = join(split, values)
    members = rows.where(F.col("fingerprint").isNotNull())
    return SparkPairs(values.cached, found.unionAll(_copied_with_themselves(values)), members, values, plan, popular)


def _star(values: Distinct) -> DataFrame:
    """Return pairs of one fingerprint with each other one."""
    return values.packed().mapInArrow(partial(_with_centre, values.sample[:1]), PAIRS)


def _with_centre(centre: Lanes, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for rows in in_pieces(batches, centre.shape[1]):
        others = rows[(rows != centre).any(axis=1)]
        yield pair_rows(*in_order(np.repeat(centre, len(others), axis=0), others))


def _copied_with_themselves(values: Distinct) -> DataFrame:
    """Return pairs of each fingerprint that several entries have with itself."""
    return values.of_kind(COPIED).mapInArrow(partial(_with_itself, values.bits // LANE_BITS), PAIRS)


def _with_itself(lanes: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        values = unpacked(batch.column("lanes"), lanes)
        yield pair_rows(values, values)
