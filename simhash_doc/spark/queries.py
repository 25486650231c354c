"""Which entries of one table are near those of another."""

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

from simhash_doc.spark.cached import Cached
from simhash_doc.spark.columns import column_of, words_of
from simhash_doc.spark.distinct import Distinct, check_columns, check_values, distinct
from simhash_doc.spark.errors import BadColumnError
from simhash_doc.spark.pairs import entries, pair_rows
from simhash_doc.spark.planning import SparkPlan, plan
from simhash_doc.spark.routes import PopularKey, Routes, joined_by_label, met, planned_routes, scattered
from simhash_doc.spark.tables import StoredTables, Tables, distances

SENT_WHOLE = 1 << 20
"""Distinct fingerprints of the smaller side that are sent to every task: about 300 MB of tables for 64 bits."""


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
    distance: int = 3,
    blocks: int | None = None,
    *,
    sent_whole: int = SENT_WHOLE,
) -> Matches:
    """Find, for each entry of a table, the entries of an index within `distance` bits: exact, each match once.

    If one side has few distinct fingerprints, they are sent to every task and the other side is read where it
    is: it goes through no shuffle. Otherwise both sides meet by key as in `find_all`.

    Args:
        index_df, query_df: tables with the same id column and fingerprint column, see `find_all`.
        sent_whole: number of distinct fingerprints that counts as few.

    Raises:
        BadColumnError: a column is absent, of the wrong type or holds what it must not; the two sides have
            fingerprints of different widths. Repeated ids are found on a side that is not only read.
        LookupParameterError: not 0 <= distance < blocks <= bits.

    Warns:
        DegenerateDistributionWarning: so many fingerprints share a key that the work is quadratic.
    """
    check_columns(index_df, id_col, fp_col, "the index")
    asked = distinct(query_df, id_col, fp_col, "the queries")
    try:
        few = asked.values <= sent_whole
        if few:
            check_values(index_df, id_col, fp_col, "the index", asked.bits if asked.values else None)
        near = near_some(index_df, id_col, fp_col, asked, distance, blocks, few=few)
    except BaseException:
        asked.unpersist()
        raise
    of_query = entries(query_df, id_col, fp_col).select(F.col("id").alias("query"), F.col("fingerprint").alias("near"))
    ids = near.rows.join(of_query, "near").select("query", F.col(f"`{id_col}`").alias("match"), "distance")
    return Matches([asked.rows, *near.cached], ids, near.plan, near.popular)


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
    df: DataFrame, id_col: str, fp_col: str, some: Distinct, distance: int, blocks: int | None, *, few: bool
) -> Near:
    """Find the rows of a table that are near one of some fingerprints.

    Args:
        few: send these fingerprints to every task, and read the table where it is.
    """
    rows = df.where(F.col(f"`{fp_col}`").isNotNull())
    if few:
        chosen = plan(some.values, distance, bits=some.bits, blocks=blocks)
        data = b"".join(row["words"] for row in some.packed().select("words").collect())
        return Near([], near_any(rows, fp_col, data, Tables(some.bits, chosen.blocks, distance)), chosen, [])
    stored = distinct(df, id_col, fp_col, "the index")
    try:
        if stored.values and some.values and stored.bits != some.bits:
            raise BadColumnError(
                f"the index holds fingerprints of {stored.bits} bits, the queries of {some.bits}: "
                "those of different schemes are never compared"
            )
        most = max(stored.values, some.values)
        chosen = plan(most, distance, bits=some.bits, blocks=blocks)
        split, popular = planned_routes(
            Tables(some.bits, chosen.blocks, distance), stored.packed(), some.packed(), most
        )
        both = scattered(split, stored.packed(), "stored").unionAll(scattered(split, some.packed(), "queries"))
        found = met(both).mapInArrow(partial(_join, split), "near binary, stored binary, distance int")
        return Near(
            [stored.rows], rows.join(found, rows[f"`{fp_col}`"] == found["stored"]).drop("stored"), chosen, popular
        )
    except BaseException:
        stored.unpersist()
        raise


def _join(split: Routes, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for near, stored in joined_by_label(split, batches):
        yield pair_rows(near, stored).rename_columns(["near", "stored", "distance"])


def near_any(rows: DataFrame, fp_col: str, few: bytes, tables: Tables) -> DataFrame:
    """Return the rows of a table that are near one of a few fingerprints, with columns near (binary) and distance.

    Args:
        rows: a table whose fingerprints are not null.
        few: the words of distinct fingerprints, little-endian.
    """
    sent = rows.sparkSession.sparkContext.broadcast(few)
    schema = StructType(
        [*rows.schema.fields, StructField("near", BinaryType()), StructField("distance", IntegerType())]
    )
    return rows.mapInArrow(partial(_near_any, fp_col, sent, tables), schema)


def _near_any(
    fp_col: str, sent: Broadcast[bytes], tables: Tables, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    stored = _stored(sent, tables)
    for batch in batches:
        queries = words_of(batch.column(batch.schema.names.index(fp_col)), tables.words)
        for at, near in stored.matches(queries):
            rows = batch.take(pa.array(at))
            gap = pa.array(distances(queries[at] ^ near).astype(np.int32))
            yield rows.append_column("near", column_of(near)).append_column("distance", gap)


@lru_cache(maxsize=1)  # a worker process runs many tasks, and keeps one object for a broadcast
def _stored(sent: Broadcast[bytes], tables: Tables) -> StoredTables:
    return StoredTables(np.frombuffer(sent.value, "<u8").reshape(-1, tables.words), tables)
