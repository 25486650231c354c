"""All pairs and clusters of a collection: its fingerprints are read once, and joined in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from simhash_doc.lookup.clusters import Clusters, find_clusters
from simhash_doc.lookup.pairs import find_all
from simhash_doc.lookup.planner import plan
from simhash_doc.lookup.wide import Words, find_all_wide, find_clusters_wide
from simhash_doc.store.database import Database
from simhash_doc.store.documents import Collection
from simhash_doc.store.engines import StoredRow
from simhash_doc.store.layout import Layout
from simhash_doc.store.slices import integer_table

_CHUNK = 10_000


def read_fingerprints(
    connection: sa.Connection, layout: Layout, collection: Collection
) -> tuple[npt.NDArray[np.int64], Words]:
    """Return the numbers of a collection's rows, ascending, shape (n,), and their fingerprints, shape (n, words)."""
    query = sa.text(
        f"SELECT entry, {', '.join(layout.words)} FROM {layout.name} WHERE collection = :collection ORDER BY entry"
    )
    options = {"stream_results": True, "yield_per": _CHUNK}
    rows = connection.execute(query, {"collection": collection.number}, execution_options=options)
    table = integer_table(rows, 1 + len(layout.words))
    return table[:, 0], np.ascontiguousarray(table[:, 1:]).view(np.uint64)


def pair_positions(fingerprints: Words, distance: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return all pairs within the distance as positions, shape (p, 2), and their distances, shape (p,)."""
    if fingerprints.shape[1] > 1:
        wide = find_all_wide(fingerprints, distance)
        return wide.positions, wide.distances
    values = fingerprints[:, 0]
    positions = find_all(values, plan(values, distance).blocks, distance).positions()
    return positions, np.bitwise_count(values[positions[:, 0]] ^ values[positions[:, 1]]).astype(np.int64)


def clusters_of(fingerprints: Words, distance: int) -> Clusters:
    """Return the clusters of fingerprints, as positions."""
    if fingerprints.shape[1] > 1:
        return find_clusters_wide(fingerprints, distance)
    values = fingerprints[:, 0]
    return find_clusters(values, plan(values, distance).blocks, distance)


def rows_in_order(
    database: Database, connection: sa.Connection, layout: Layout, entries: Sequence[int]
) -> Iterator[StoredRow]:
    """Yield the rows of entries, in the order of these; one that is asked for twice comes twice."""
    for start in range(0, len(entries), _CHUNK):
        part = entries[start : start + _CHUNK]
        rows = {row.entry: row for row in database.engine.fetch(connection, layout, sorted(set(part)))}
        yield from (rows[entry] for entry in part)


def names_of(
    database: Database, connection: sa.Connection, layout: Layout, entries: npt.NDArray[np.int64]
) -> dict[int, str]:
    """Return the ids of entries."""
    return {row.entry: row.id for row in database.engine.fetch(connection, layout, np.unique(entries).tolist())}
