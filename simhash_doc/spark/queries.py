"""The entries of one table that are near those of another.

If one side has few fingerprints, they are broadcast to every task as permuted tables, and the other side is not
shuffled. Otherwise both sides are partitioned by key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial, reduce

import numpy as np
import pyarrow as pa
import pyspark.sql.functions as F  # noqa: N812
from pyspark import Broadcast
from pyspark.sql import DataFrame

from simhash_doc.engines.lanes import LANE_BITS, Lanes
from simhash_doc.lookup.arrays import as_rows, from_rows
from simhash_doc.lookup.blocks import Tables
from simhash_doc.lookup.tables import Segment
from simhash_doc.spark.columns import (
    PAIRS,
    BadColumnError,
    check_columns,
    check_values,
    lanes_from_column,
    lengths,
    pair_rows,
)
from simhash_doc.spark.distinct import Distinct, distinct
from simhash_doc.spark.pairs import Cached, entries
from simhash_doc.spark.partitioning import (
    LanesOrBlocks,
    PopularKey,
    SparkPlan,
    described,
    join,
    plan_partitioning,
    tables_for,
)
from simhash_doc.spark.storage import check_combined, column_provenance

FOUND = ("near", "stored", "distance")
ReadColumn = Callable[[pa.Array, int], Lanes]
_PLANNED = 1 << 17  # fingerprints over 64 bits: for more, there would be more tables with longer keys
_IN_TABLES = 1 << 24  # fingerprints of all tables together that are broadcast at a time: about 200 MB in a task
BROADCAST_LIMIT = 1 << 20
"""Distinct fingerprints of the smaller side that are broadcast to every task: about 140 MB of tables for 64 bits."""


@dataclass(frozen=True)
class QueryMatches(Cached):
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
) -> QueryMatches:
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
    return QueryMatches([distinct_queries.rows, *near.cached], ids, near.plan, near.popular)


@dataclass(frozen=True)
class Near(Cached):
    """Rows of a table that are near some fingerprints.

    Attributes:
        rows: the rows, with columns near (one of those fingerprints) and distance; a row for each match.
        plan, popular: as in `QueryMatches`.
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
        found = search(rows.select(F.col(f"`{fp_col}`")), some, tables).distinct().persist()
        return Near([found], of_stored(rows, fp_col, limited(found)), described(some.values, tables, some.sample), [])
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
        found = join(split, stored.packed(), some.packed()).toDF(*FOUND)
        return Near([stored.rows], of_stored(rows, fp_col, found), described(most, tables, stored.sample), popular)
    except BaseException:
        stored.unpersist()
        raise


def limited(found: DataFrame) -> DataFrame:
    """Compute distinct matches, and mark them to be broadcast if they are few: a fingerprint may have many copies."""
    return F.broadcast(found) if found.count() <= BROADCAST_LIMIT else found


def of_stored(rows: DataFrame, fp_col: str, found: DataFrame) -> DataFrame:
    """Return the rows of the fingerprints that were found, with columns near and distance."""
    return rows.join(found, rows[f"`{fp_col}`"] == found["stored"]).drop("stored")


def broadcast_tables(some: Distinct, distance: int | None, blocks: int | None) -> LanesOrBlocks:
    """Return the tables of a few fingerprints; arguments and errors are those of `plan`."""
    planned = some.values if some.bits == LANE_BITS else min(some.values, _PLANNED)
    return tables_for(planned, distance, some.bits, blocks, some.sample, broadcast=True)


def search(rows: DataFrame, some: Distinct, tables: Tables, read_column: ReadColumn = lanes_from_column) -> DataFrame:
    """Return columns near (one of some fingerprints), stored and distance, a row for each match.

    Args:
        rows: the last column has fingerprints, without null; the others are returned with each match.
        read_column: `unpacked` if the last column is that of packed rows.
    """
    schema = ", ".join([PAIRS, *(f"{name} string" for name in rows.columns[:-1])])
    parts = _broadcast(rows, some, tables)
    found = [rows.mapInArrow(partial(_search, part, tables, read_column), schema) for part in parts]
    return reduce(DataFrame.unionAll, found).toDF(*FOUND, *rows.columns[:-1])


def _broadcast(rows: DataFrame, some: Distinct, tables: Tables) -> list[Broadcast[Lanes]]:
    """Broadcast some fingerprints in parts whose tables fit into the memory of a task."""
    data = b"".join(row["lanes"] for row in some.packed().select("lanes").collect())
    few = np.frombuffer(data, "<u8").astype(np.uint64, copy=False).reshape(-1, tables.lanes)
    size = max(1, _IN_TABLES // len(tables))
    context = rows.sparkSession.sparkContext
    return [context.broadcast(few[start : start + size]) for start in range(0, max(1, len(few)), size)]


def _search(
    part: Broadcast[Lanes], tables: Tables, read_column: ReadColumn, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        column = batch.column(batch.num_columns - 1)
        stored = read_column(column, tables.lanes)
        rows = np.repeat(np.arange(batch.num_rows), lengths(column) // (8 * tables.lanes))
        for at, near in _segment(part, tables).search(from_rows(stored)):
            found, places = pair_rows(as_rows(near), stored[at]), pa.array(rows[at])
            for name in batch.schema.names[:-1]:
                found = found.append_column(name, batch.column(name).take(places))
            yield found


@lru_cache(maxsize=1)  # a worker process runs many tasks, and keeps one object for a broadcast
def _segment(part: Broadcast[Lanes], tables: Tables) -> Segment:
    return Segment(tables, from_rows(part.value))
