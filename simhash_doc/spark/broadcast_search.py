"""Many fingerprints compared with a few, which are broadcast to every task as permuted tables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial, reduce

import numpy as np
import pyarrow as pa
from pyspark import Broadcast
from pyspark.sql import DataFrame

from simhash_doc.engines.lanes import LANE_BITS, Lanes
from simhash_doc.lookup.arrays import as_rows, from_rows
from simhash_doc.lookup.blocks import Tables
from simhash_doc.lookup.permuted_tables import Segment
from simhash_doc.spark.columns import lanes_from_column, lengths, unpacked
from simhash_doc.spark.distinct import Distinct
from simhash_doc.spark.pairs import pair_rows
from simhash_doc.spark.planning import LanesOrBlocks, tables_for

FOUND = "near binary, stored binary, distance int"
_PLANNED = 1 << 17  # fingerprints over 64 bits: for more, there would be more tables with longer keys
_IN_TABLES = 1 << 24  # fingerprints of all tables together that are broadcast at a time: about 200 MB in a task


def broadcast_tables(some: Distinct, distance: int | None, blocks: int | None) -> LanesOrBlocks:
    """Return the tables of a few fingerprints; arguments and errors are those of `plan`."""
    planned = some.values if some.bits == LANE_BITS else min(some.values, _PLANNED)
    return tables_for(planned, distance, some.bits, blocks, some.sample, broadcast=True)


def search_column(fingerprints: DataFrame, some: Distinct, tables: Tables) -> DataFrame:
    """Return columns near (one of some fingerprints), stored and distance, a row for each match.

    Args:
        fingerprints: one column, without null.
    """
    searches = [partial(_search_column, part, tables) for part in _broadcast(fingerprints, some, tables)]
    return reduce(DataFrame.unionAll, [fingerprints.mapInArrow(search, FOUND) for search in searches])


def search_packed(rows: DataFrame, some: Distinct, tables: Tables) -> DataFrame:
    """Return columns near, stored, distance, run and file, a row for each match.

    Args:
        rows: columns run, file and lanes: packed fingerprints.
    """
    schema = f"{FOUND}, run string, file string"
    parts = _broadcast(rows, some, tables)
    return reduce(
        DataFrame.unionAll, [rows.mapInArrow(partial(_search_packed, part, tables), schema) for part in parts]
    )


def _broadcast(rows: DataFrame, some: Distinct, tables: Tables) -> list[Broadcast[Lanes]]:
    """Broadcast some fingerprints in parts whose tables fit into the memory of a task."""
    data = b"".join(row["lanes"] for row in some.packed().select("lanes").collect())
    few = np.frombuffer(data, "<u8").astype(np.uint64, copy=False).reshape(-1, tables.lanes)
    size = max(1, _IN_TABLES // len(tables))
    context = rows.sparkSession.sparkContext
    return [context.broadcast(few[start : start + size]) for start in range(0, max(1, len(few)), size)]


def _search_column(
    part: Broadcast[Lanes], tables: Tables, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        stored = lanes_from_column(batch.column(0), tables.lanes)
        for at, near in _segment(part, tables).search(from_rows(stored)):
            yield found_rows(as_rows(near), stored[at])


def _search_packed(
    part: Broadcast[Lanes], tables: Tables, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        column = batch.column(2)
        stored = unpacked(column, tables.lanes)
        rows = np.repeat(np.arange(batch.num_rows), lengths(column) // (8 * tables.lanes))
        for at, near in _segment(part, tables).search(from_rows(stored)):
            found, places = found_rows(as_rows(near), stored[at]), pa.array(rows[at])
            for name in ("run", "file"):
                found = found.append_column(name, batch.column(name).take(places))
            yield found


def found_rows(near: Lanes, stored: Lanes) -> pa.RecordBatch:
    """Return rows of matches."""
    return pair_rows(near, stored).rename_columns(["near", "stored", "distance"])


@lru_cache(maxsize=1)  # a worker process runs many tasks, and keeps one object for a broadcast
def _segment(part: Broadcast[Lanes], tables: Tables) -> Segment:
    return Segment.build(from_rows(part.value), tables)
