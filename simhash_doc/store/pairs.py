"""All pairs and clusters of a collection: its fingerprints are read once, and joined in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from simhash_doc.engines.lanes import popcount
from simhash_doc.lookup.arrays import Positions, Values, from_rows
from simhash_doc.lookup.clusters import find_clusters
from simhash_doc.lookup.pairs import find_all
from simhash_doc.lookup.planner import planned_blocks
from simhash_doc.store.backend import StoredRow
from simhash_doc.store.database import Database
from simhash_doc.store.documents import Collection, Document, Pair
from simhash_doc.store.layout import Layout
from simhash_doc.store.slices import integer_table
from simhash_doc.store.stored import document

_CHUNK = 10_000


def pairs(database: Database, connection: sa.Connection, collection: Collection, distance: int) -> Iterator[Pair]:
    """Yield every pair within a distance, once, in the order of insertion."""
    layout = Layout.of(collection)
    entries, fingerprints = _read_fingerprints(connection, layout, collection)
    found = find_all(fingerprints, planned_blocks(fingerprints, distance), distance)
    for part in found.position_batches():
        ids = _ids_of(database, connection, layout, entries[part])
        apart = popcount(fingerprints[part[:, 0]] ^ fingerprints[part[:, 1]]).tolist()
        for (first, second), bits in zip(entries[part].tolist(), apart, strict=True):
            yield Pair(ids[first], ids[second], bits)


def clusters(
    database: Database, connection: sa.Connection, collection: Collection, distance: int
) -> Iterator[list[Document]]:
    """Yield the connected components of the pairs: two documents or more each, in the order of insertion."""
    layout = Layout.of(collection)
    entries, fingerprints = _read_fingerprints(connection, layout, collection)
    groups = find_clusters(fingerprints, planned_blocks(fingerprints, distance), distance)
    rows = _rows_in_order(database, connection, layout, entries[groups.members].tolist())
    for members in groups:
        yield [document(next(rows), collection) for _ in members]


def _read_fingerprints(connection: sa.Connection, layout: Layout, collection: Collection) -> tuple[Positions, Values]:
    """Return the numbers of a collection's rows, ascending, shape (n,), and their fingerprints."""
    query = sa.text(
        f"SELECT entry, {', '.join(layout.lanes)} FROM {layout.name} WHERE collection = :collection ORDER BY entry"
    )
    options = {"stream_results": True, "yield_per": _CHUNK}
    rows = connection.execute(query, {"collection": collection.number}, execution_options=options)
    table = integer_table(rows, 1 + len(layout.lanes))
    return table[:, 0], from_rows(np.ascontiguousarray(table[:, 1:]).view(np.uint64))


def _rows_in_order(
    database: Database, connection: sa.Connection, layout: Layout, entries: Sequence[int]
) -> Iterator[StoredRow]:
    """Yield the rows of entries, in the order of these; an entry that occurs twice is yielded twice."""
    for start in range(0, len(entries), _CHUNK):
        part = entries[start : start + _CHUNK]
        rows = {row.entry: row for row in database.backend.fetch(connection, layout, sorted(set(part)))}
        yield from (rows[entry] for entry in part)


def _ids_of(
    database: Database, connection: sa.Connection, layout: Layout, entries: npt.NDArray[np.int64]
) -> dict[int, str]:
    """Return the ids of entries."""
    return {row.entry: row.id for row in database.backend.fetch(connection, layout, np.unique(entries).tolist())}
