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
from pyspark.sql.types import StructType

from simhash_doc.spark.cached import Cached
from simhash_doc.spark.columns import column_of, words_of
from simhash_doc.spark.distinct import Distinct, check_columns, check_values, distinct
from simhash_doc.spark.errors import BadColumnError
from simhash_doc.spark.pairs import PAIRS, entries, pair_rows
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
    if asked.values <= sent_whole:
        try:
            return _read_index(index_df, query_df, asked, id_col, fp_col, distance, blocks)
        finally:
            asked.unpersist()
    stored = distinct(index_df, id_col, fp_col, "the index")
    try:
        _check_same_width(stored, asked)
        return _meet(index_df, query_df, stored, asked, id_col, fp_col, distance, blocks)
    except BaseException:
        stored.unpersist()
        asked.unpersist()
        raise


def _check_same_width(stored: Distinct, asked: Distinct) -> None:
    if stored.values and asked.values and stored.bits != asked.bits:
        raise BadColumnError(
            f"the index holds fingerprints of {stored.bits} bits, the queries of {asked.bits}: "
            "fingerprints of different schemes are never compared"
        )


def _meet(
    index_df: DataFrame,
    query_df: DataFrame,
    stored: Distinct,
    asked: Distinct,
    id_col: str,
    fp_col: str,
    distance: int,
    blocks: int | None,
) -> Matches:
    most = max(stored.values, asked.values)
    chosen = plan(most, distance, bits=stored.bits, blocks=blocks)
    split, popular = planned_routes(Tables(stored.bits, chosen.blocks, distance), stored.packed(), asked.packed(), most)
    both = scattered(split, stored.packed(), "stored").unionAll(scattered(split, asked.packed(), "queries"))
    found = met(both).mapInArrow(partial(_join, split), PAIRS)
    of_query = entries(query_df, id_col, fp_col).select(F.col("id").alias("query"), F.col("fingerprint").alias("a"))
    of_index = entries(index_df, id_col, fp_col).select(F.col("id").alias("match"), F.col("fingerprint").alias("b"))
    ids = found.join(of_query, "a").join(of_index, "b").select("query", "match", "distance")
    return Matches([stored.rows, asked.rows], ids, chosen, popular)


def _join(split: Routes, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for a, b in joined_by_label(split, batches):
        yield pair_rows(a, b)


def _read_index(
    index_df: DataFrame,
    query_df: DataFrame,
    asked: Distinct,
    id_col: str,
    fp_col: str,
    distance: int,
    blocks: int | None,
) -> Matches:
    check_values(index_df, id_col, fp_col, "the index", asked.bits if asked.values else None)
    chosen = plan(asked.values, distance, bits=asked.bits, blocks=blocks)
    near = near_any(entries(index_df, id_col, fp_col), asked, Tables(asked.bits, chosen.blocks, distance))
    of_query = entries(query_df, id_col, fp_col).select(F.col("id").alias("query"), F.col("fingerprint").alias("near"))
    ids = near.join(of_query, "near").select("query", F.col("id").alias("match"), "distance")
    return Matches([], ids, chosen, [])


def near_any(rows: DataFrame, few: Distinct, tables: Tables) -> DataFrame:
    """Return the rows of a table that are near one of a few fingerprints, with columns near (binary) and distance.

    Args:
        rows: a table with a column fingerprint, without nulls.
    """
    words = tables.words
    data = b"".join(row["words"] for row in few.packed().select("words").collect())
    sent = rows.sparkSession.sparkContext.broadcast(data)
    schema = StructType([*rows.schema.fields, *StructType.fromDDL("near binary, distance int").fields])
    return rows.mapInArrow(partial(_near_any, sent, tables), schema)


def _near_any(sent: Broadcast[bytes], tables: Tables, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    stored = _stored(sent, tables)
    for batch in batches:
        queries = words_of(batch.column(batch.schema.names.index("fingerprint")), tables.words)
        for at, near in stored.matches(queries):
            rows = batch.take(pa.array(at))
            gap = pa.array(distances(queries[at] ^ near).astype(np.int32))
            yield rows.append_column("near", column_of(near)).append_column("distance", gap)


@lru_cache(maxsize=1)  # a worker process runs many tasks, and keeps one object for a broadcast
def _stored(sent: Broadcast[bytes], tables: Tables) -> StoredTables:
    return StoredTables(np.frombuffer(sent.value, "<u8").reshape(-1, tables.words), tables)
