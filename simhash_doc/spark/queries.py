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

from simhash_doc.arrays import Lanes
from simhash_doc.lookup.blocks import BlockTables
from simhash_doc.lookup.tables import PermutedTables
from simhash_doc.schemes import LANE_BITS
from simhash_doc.spark.columns import (
    PAIRS,
    BadColumnError,
    check_values,
    entries,
    lanes_from_column,
    lengths,
    pair_rows,
)
from simhash_doc.spark.distinct import Distinct, collected, distinct
from simhash_doc.spark.partitioning import (
    LanesOrBlocks,
    PopularKey,
    SparkPlan,
    described,
    join,
    plan_partitioning,
    tables_for,
)
from simhash_doc.spark.session import Cached, freed_on_error
from simhash_doc.spark.storage import check_combined, column_provenance

ReadColumn = Callable[[pa.Array, int], Lanes]
_FOUND = ("near", "stored", "distance")
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
    *,
    id_col: str = "id",
    fp_col: str = "fingerprint",
    distance: int | None = None,
) -> QueryMatches:
    """Find, for each entry of a table, the entries of an index within `distance` bits: exact, each match once.

    If the queries have few distinct fingerprints (2^20), these are broadcast to every task, and the index is read
    without a shuffle. Otherwise both sides are shuffled by key as in `find_all`.

    Args:
        index_df: table with an id column and a fingerprint column, see `find_all`.
        query_df: table with the same columns.
        distance: maximum number of differing bits; None for the close threshold of the scheme.

    Raises:
        BadColumnError: a column is absent, has the wrong type or invalid values; the two sides have
            fingerprints of different widths. Repeated ids are found on a side that is shuffled.
        BadInputError: the provenance in the metadata of a column is invalid.
        SchemeMismatchError: by their provenances, the fingerprints of the two sides cannot be compared.
        LookupParameterError: the distance is not from 0 to the bits of the scheme.
        TooExpensiveError: even the cheapest join takes too long.

    Warns:
        DegenerateDistributionWarning: so many fingerprints share a key that the work is quadratic.
        ProvenanceWarning: the texts of the two tables come from different extractors, or were customized differently.
    """
    index, queries = entries(index_df, id_col, fp_col, "the index"), entries(query_df, id_col, fp_col, "the queries")
    known = column_provenance(index, "the index")
    check_combined(column_provenance(queries, "the queries"), [known] if known else [], "the queries")
    asked = distinct(queries, "the queries")
    with freed_on_error(asked):
        near = (_near_few if asked.values <= BROADCAST_LIMIT else near_many)(index, asked, distance)
    of_query = queries.select(F.col("id").alias("query"), F.col("fingerprint").alias("near"))
    ids = near.rows.join(of_query, "near").select("query", F.col("id").alias("match"), "distance")
    return QueryMatches([*asked.cached, *near.cached], ids, near.plan, near.popular)


@dataclass(frozen=True)
class _NearRows(Cached):
    """Rows of a table that are near some fingerprints.

    Attributes:
        rows: the rows, with columns near (one of those fingerprints) and distance; a row for each match.
        plan, popular: as in `QueryMatches`.
    """

    rows: DataFrame
    plan: SparkPlan
    popular: list[PopularKey]


def _near_few(index: DataFrame, some: Distinct, distance: int | None) -> _NearRows:
    """Find the rows of a table that are near one of a few fingerprints, which are broadcast to every task.

    Only fingerprints are sent to Python; the rows of those that match are joined by Spark.
    """
    size, width = F.length("fingerprint"), some.bits // 8
    counted = index.agg(
        F.count_if(F.col("id").isNull()), F.count_if(size != width), F.max(F.when(size != width, size))
    ).first()
    assert counted is not None
    check_values(
        "the index", null_ids=counted[0], width=width, others=counted[1] if some.values else 0, other=counted[2]
    )
    present = index.where(F.col("fingerprint").isNotNull())
    tables = broadcast_tables(some, distance)
    found = search(present.select("fingerprint"), some, tables).distinct().persist()
    return _NearRows([found], with_matches(present, limited(found)), described(some.values, tables, some.sample), [])


def near_many(index: DataFrame, some: Distinct, distance: int | None) -> _NearRows:
    """Find the rows of a table that are near one of many fingerprints; both sides are shuffled."""
    stored = distinct(index, "the index")
    with freed_on_error(stored):
        if stored.values and some.values and stored.bits != some.bits:
            raise BadColumnError(
                f"the index has fingerprints of {stored.bits} bits, the queries of {some.bits}: "
                "different schemes are never compared"
            )
        most = max(stored.values, some.values)
        tables = tables_for(most, distance, stored.sample if stored.values else some.sample)
        split, popular = plan_partitioning(tables, stored, some)
    found = join(split, stored, some).toDF(*_FOUND)
    return _NearRows(stored.cached, with_matches(index, found), described(most, tables, stored.sample), popular)


def limited(found: DataFrame) -> DataFrame:
    """Compute distinct matches, and mark them to be broadcast if they are few: a fingerprint may have many copies."""
    return F.broadcast(found) if found.count() <= BROADCAST_LIMIT else found


def with_matches(rows: DataFrame, found: DataFrame) -> DataFrame:
    """Return the rows of the fingerprints that were found, with columns near and distance."""
    return rows.join(found, rows["fingerprint"] == found["stored"]).drop("stored")


def broadcast_tables(some: Distinct, distance: int | None) -> LanesOrBlocks:
    """Return the tables of a few fingerprints; arguments and errors are those of `plan`."""
    planned = some.values if some.bits == LANE_BITS else min(some.values, _PLANNED)
    return tables_for(planned, distance, some.sample, broadcast=True)


def search(
    rows: DataFrame, some: Distinct, tables: BlockTables, read_column: ReadColumn = lanes_from_column
) -> DataFrame:
    """Return columns near (one of some fingerprints), stored and distance, a row for each match.

    Args:
        rows: the last column has fingerprints, without null; the others are returned with each match.
        read_column: `unpacked` if the last column is that of packed rows.
    """
    schema = ", ".join([PAIRS, *(f"{name} string" for name in rows.columns[:-1])])
    few = collected(some.packed(), tables.lanes)
    size = max(1, _IN_TABLES // len(tables))  # parts whose tables fit into the memory of a task
    context = rows.sparkSession.sparkContext
    parts = [context.broadcast(few[start : start + size]) for start in range(0, max(1, len(few)), size)]
    found = [rows.mapInArrow(partial(_search, part, tables, read_column), schema) for part in parts]
    return reduce(DataFrame.unionAll, found).toDF(*_FOUND, *rows.columns[:-1])


def _search(
    part: Broadcast[Lanes], tables: BlockTables, read_column: ReadColumn, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        column = batch.column(batch.num_columns - 1)
        stored = read_column(column, tables.lanes)
        rows = np.repeat(np.arange(batch.num_rows), lengths(column) // (8 * tables.lanes))
        for at, near in _permuted(part, tables).search(stored):
            found, places = pair_rows(near, stored[at]), pa.array(rows[at])
            for name in batch.schema.names[:-1]:
                found = found.append_column(name, batch.column(name).take(places))
            yield found


@lru_cache(maxsize=1)  # a worker process runs many tasks, and keeps one object for a broadcast
def _permuted(part: Broadcast[Lanes], tables: BlockTables) -> PermutedTables:
    return PermutedTables(tables, part.value)
