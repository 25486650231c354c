"""The entries of one table that are near those of another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
import pyarrow as pa
import pyspark.sql.functions as F  # noqa: N812
from pyspark import Broadcast
from pyspark.sql import DataFrame
from pyspark.sql.types import BinaryType, IntegerType, StructField, StructType

from simhash_doc.engines.lanes import popcount
from simhash_doc.lookup.arrays import as_rows, from_rows
from simhash_doc.lookup.blocks import Blocking
from simhash_doc.lookup.permuted_tables import Segment
from simhash_doc.spark.cached import Cached
from simhash_doc.spark.columns import column_from_lanes, lanes_from_column
from simhash_doc.spark.distinct import Distinct, distinct
from simhash_doc.spark.errors import BadColumnError
from simhash_doc.spark.pairs import entries, pair_rows
from simhash_doc.spark.partitioning import (
    Partitioning,
    PopularKey,
    assign_labels,
    joined_by_label,
    plan_partitioning,
    shuffle,
)
from simhash_doc.spark.planning import SparkPlan, plan
from simhash_doc.spark.provenance import check_combined, column_provenance
from simhash_doc.spark.validation import check_columns, check_values

BROADCAST_LIMIT = 1 << 20
"""Distinct fingerprints of the smaller side that are broadcast to every task: about 140 MB of tables for 64 bits."""


@dataclass(frozen=True)
class Matches(Cached):
    """Entries of an index that are near queries.

    Attributes:
        ids: columns query and match (ids) and distance (int): every match of every query, once.
        plan: the blocks, and what they cost.
        popular: keys that too many fingerprints share.
    """

    ids: DataFrame
    plan: SparkPlan
    popular: list[PopularKey]


def query(
    index_df: DataFrame,
    query_df: DataFrame,
    id_col: str = "id",
    fp_col: str = "fingerprint",
    distance: int | None = None,
    blocks: int | None = None,
    *,
    broadcast_limit: int = BROADCAST_LIMIT,
) -> Matches:
    """Find, for each entry of a table, the entries of an index within `distance` bits: exact, each match once.

    If the queries have few distinct fingerprints, these are broadcast to every task, and the index is read
    without a shuffle. Otherwise both sides are shuffled by key as in `find_all`.

    Args:
        index_df: table with an id column and a fingerprint column, see `find_all`.
        query_df: table with the same columns.
        broadcast_limit: maximum number of distinct fingerprints that are broadcast.

    Raises:
        BadColumnError: a column is absent, has the wrong type or invalid values; the two sides have
            fingerprints of different widths. Repeated ids are found on a side that is shuffled.
        BadInputError: the provenance in the metadata of a column is invalid.
        SchemeMismatchError: by their provenances, the fingerprints of the two sides cannot be compared.
        LookupParameterError: not 0 <= distance < blocks <= bits.
        TooExpensiveError: `blocks` is None, and even the cheapest join takes too long.

    Warns:
        DegenerateDistributionWarning: so many fingerprints share a key that the work is quadratic.
        ProvenanceWarning: the texts of the two tables come from different extractors, or were customized differently.
    """
    check_columns(index_df, id_col, fp_col, "the index")
    check_columns(query_df, id_col, fp_col, "the queries")
    known = column_provenance(index_df, fp_col, "the index")
    check_combined(column_provenance(query_df, fp_col, "the queries"), [known] if known else [], "the queries")
    distinct_queries = distinct(query_df, id_col, fp_col, "the queries")
    try:
        few = distinct_queries.values <= broadcast_limit
        if few:
            check_values(
                index_df, id_col, fp_col, "the index", distinct_queries.bits if distinct_queries.values else None
            )
        near = near_some(index_df, id_col, fp_col, distinct_queries, distance, blocks, few=few)
    except BaseException:
        distinct_queries.unpersist()
        raise
    of_query = entries(query_df, id_col, fp_col).select(F.col("id").alias("query"), F.col("fingerprint").alias("near"))
    ids = near.rows.join(of_query, "near").select("query", F.col(f"`{id_col}`").alias("match"), "distance")
    return Matches([distinct_queries.rows, *near.cached], ids, near.plan, near.popular)


@dataclass(frozen=True)
class Near(Cached):
    """Rows of a table that are near some fingerprints.

    Attributes:
        rows: the rows, with columns near (one of those fingerprints) and distance; a row for each match.
        plan, popular: as in `Matches`.
    """

    rows: DataFrame
    plan: SparkPlan
    popular: list[PopularKey]


def near_some(
    df: DataFrame, id_col: str, fp_col: str, some: Distinct, distance: int | None, blocks: int | None, *, few: bool
) -> Near:
    """Find the rows of a table that are near one of some fingerprints.

    Args:
        few: broadcast these fingerprints to every task, and read the table without a shuffle.
    """
    rows = df.where(F.col(f"`{fp_col}`").isNotNull())
    if few:
        chosen = plan(some.values, distance, bits=some.bits, blocks=blocks)
        data = b"".join(row["lanes"] for row in some.packed().select("lanes").collect())
        return Near([], near_any(rows, fp_col, data, Blocking(some.bits, chosen.blocks, chosen.distance)), chosen, [])
    stored = distinct(df, id_col, fp_col, "the index")
    try:
        if stored.values and some.values and stored.bits != some.bits:
            raise BadColumnError(
                f"the index has fingerprints of {stored.bits} bits, the queries of {some.bits}: "
                "different schemes are never compared"
            )
        most = max(stored.values, some.values)
        chosen = plan(most, distance, bits=some.bits, blocks=blocks)
        split, popular = plan_partitioning(
            Blocking(some.bits, chosen.blocks, chosen.distance), stored.packed(), some.packed(), most
        )
        both = assign_labels(split, stored.packed(), "stored").unionAll(assign_labels(split, some.packed(), "queries"))
        found = shuffle(both).mapInArrow(partial(_join, split), "near binary, stored binary, distance int")
        return Near(
            [stored.rows], rows.join(found, rows[f"`{fp_col}`"] == found["stored"]).drop("stored"), chosen, popular
        )
    except BaseException:
        stored.unpersist()
        raise


def _join(split: Partitioning, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for near, stored in joined_by_label(split, batches):
        yield pair_rows(near, stored).rename_columns(["near", "stored", "distance"])


def near_any(rows: DataFrame, fp_col: str, few: bytes, blocking: Blocking) -> DataFrame:
    """Return the rows of a table that are near one of a few fingerprints, with columns near (binary) and distance.

    Args:
        rows: a table whose fingerprints are not null.
        few: the lanes of distinct fingerprints, little-endian.
    """
    sent = rows.sparkSession.sparkContext.broadcast(few)
    schema = StructType(
        [*rows.schema.fields, StructField("near", BinaryType()), StructField("distance", IntegerType())]
    )
    return rows.mapInArrow(partial(_near_any, fp_col, sent, blocking), schema)


def _near_any(
    fp_col: str, sent: Broadcast[bytes], blocking: Blocking, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    stored = _stored(sent, blocking)
    for batch in batches:
        queries = lanes_from_column(batch.column(batch.schema.names.index(fp_col)), blocking.lanes)
        for at, values in stored.search(from_rows(queries)):
            near = as_rows(values)
            rows = batch.take(pa.array(at))
            gap = pa.array(popcount(queries[at] ^ near).astype(np.int32))
            yield rows.append_column("near", column_from_lanes(near)).append_column("distance", gap)


@lru_cache(maxsize=1)  # a worker process runs many tasks, and keeps one object for a broadcast
def _stored(sent: Broadcast[bytes], blocking: Blocking) -> Segment:
    lanes = np.frombuffer(sent.value, "<u8").reshape(-1, blocking.lanes).astype(np.uint64, copy=False)
    return Segment.build(from_rows(lanes), blocking)
