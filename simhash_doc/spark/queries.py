"""The entries of one table that are near those of another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import pyarrow as pa
import pyspark.sql.functions as F  # noqa: N812
from pyspark.sql import DataFrame

from simhash_doc.spark.broadcast_search import FOUND, broadcast_tables, found_rows, search_column
from simhash_doc.spark.cached import Cached
from simhash_doc.spark.distinct import Distinct, distinct
from simhash_doc.spark.errors import BadColumnError
from simhash_doc.spark.pairs import entries
from simhash_doc.spark.partitioning import (
    Partitioning,
    PopularKey,
    assign_labels,
    joined_by_label,
    plan_partitioning,
    shuffle,
)
from simhash_doc.spark.planning import SparkPlan, described, tables_for
from simhash_doc.spark.provenance import check_combined, column_provenance
from simhash_doc.spark.validation import check_columns, check_values

BROADCAST_LIMIT = 1 << 20
"""Distinct fingerprints of the smaller side that are broadcast to every task: about 140 MB of tables for 64 bits."""


@dataclass(frozen=True)
class Matches(Cached):
    """Entries of an index that are near queries.

    Attributes:
        ids: columns query and match (ids) and distance (int): every match of every query, once.
        plan: the tables, and what they cost.
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
        few: broadcast these fingerprints to every task, and search the fingerprints of the table without a shuffle.
            Only fingerprints are sent to Python; the rows of those that match are joined by Spark.
    """
    rows = df.where(F.col(f"`{fp_col}`").isNotNull())
    if few:
        tables = broadcast_tables(some, distance, blocks)
        found = search_column(rows.select(F.col(f"`{fp_col}`")), some, tables).distinct().persist()
        return Near([found], of_stored(rows, fp_col, limited(found)), described(some.values, tables), [])
    stored = distinct(df, id_col, fp_col, "the index")
    try:
        if stored.values and some.values and stored.bits != some.bits:
            raise BadColumnError(
                f"the index has fingerprints of {stored.bits} bits, the queries of {some.bits}: "
                "different schemes are never compared"
            )
        most = max(stored.values, some.values)
        tables = tables_for(most, distance, some.bits, blocks, stored.sample)
        split, popular = plan_partitioning(tables, stored.packed(), some.packed(), most)
        both = assign_labels(split, stored.packed(), "stored").unionAll(assign_labels(split, some.packed(), "queries"))
        found = shuffle(both).mapInArrow(partial(_join, split), FOUND)
        return Near([stored.rows], of_stored(rows, fp_col, found), described(most, tables), popular)
    except BaseException:
        stored.unpersist()
        raise


def limited(found: DataFrame) -> DataFrame:
    """Compute distinct matches, and mark them to be broadcast if they are few: a fingerprint may have many copies."""
    return F.broadcast(found) if found.count() <= BROADCAST_LIMIT else found


def of_stored(rows: DataFrame, fp_col: str, found: DataFrame) -> DataFrame:
    """Return the rows of the fingerprints that were found, with columns near and distance."""
    return rows.join(found, rows[f"`{fp_col}`"] == found["stored"]).drop("stored")


def _join(split: Partitioning, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for near, stored in joined_by_label(split, batches):
        yield found_rows(near, stored)
