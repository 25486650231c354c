"""Verification and statistics of a store."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import sqlalchemy as sa

from simhash_doc.store.database import Database
from simhash_doc.store.documents import Collection, CollectionStats, Verification
from simhash_doc.store.errors import CorruptStoreError
from simhash_doc.store.layout import Layout, expected_candidates, integer_table, needed
from simhash_doc.store.schema import collections, read_provenances

_SAMPLE = 200
_CHUNK = 20_000


def stats(database: Database, connection: sa.Connection) -> list[CollectionStats]:
    """Return the statistics of each collection."""
    figures = []
    for collection in collections(connection):
        layout = Layout.of(collection)
        parameters = {"collection": collection.number}
        count = sa.text(f"SELECT count(*) FROM {layout.name} WHERE collection = :collection")
        documents = int(connection.execute(count, parameters).scalar_one())
        distance = layout.slices - 1
        figures.append(
            CollectionStats(
                collection=collection,
                documents=documents,
                bytes=database.size(connection, layout),
                distance=distance,
                expected_candidates=expected_candidates(documents, layout.bits, layout.slices, distance),
                measured_candidates=_measured_candidates(connection, layout, collection),
                provenances=read_provenances(connection, collection),
            )
        )
    return figures


def _measured_candidates(connection: sa.Connection, layout: Layout, collection: Collection) -> float:
    """Return the mean number of rows that share a slice with a row; a row counts once for each shared slice."""
    columns = [f"s{number}" for number in needed(layout.bits, layout.slices, layout.slices - 1)]
    # The first rows are a fair sample: their order does not depend on the fingerprints.
    sample = sa.text(
        f"SELECT {', '.join(columns)} FROM {layout.name} WHERE collection = :collection ORDER BY entry LIMIT :most"
    )
    parameters = {"collection": collection.number, "most": _SAMPLE}
    rows = connection.execute(sample, parameters).all()
    total = 0
    for at, column in enumerate(columns):
        count = sa.text(f"SELECT count(*) FROM {layout.name} WHERE {column} = :key AND collection = :collection")
        for row in rows:
            parameters = {"key": row[at], "collection": collection.number}
            total += int(connection.execute(count, parameters).scalar_one())
    return total / max(1, len(rows))


def verify(database: Database, connection: sa.Connection) -> Verification:
    """Check tables and indexes, and the collection and slices of each row.

    In SQLite every index is compared with its table.
    """
    problems: list[str] = []
    documents = 0
    known = collections(connection)
    for collection in known:
        try:
            read_provenances(connection, collection)
        except CorruptStoreError as error:
            problems.append(str(error))
    inspector = sa.inspect(connection)
    for layout in {Layout.of(collection): None for collection in known}:
        if not inspector.has_table(layout.name):
            problems.append(f"table {layout.name} does not exist")
            continue
        existing = {index["name"] for index in inspector.get_indexes(layout.name)}
        missing = [name for name in map(layout.index_name, range(layout.slices)) if name not in existing]
        problems += [f"table {layout.name}: index {name} does not exist" for name in missing]
        problems += database.problems(connection, layout)
        numbers = {collection.number for collection in known if Layout.of(collection) == layout}
        problems += _row_problems(connection, layout, numbers)
        documents += connection.execute(sa.text(f"SELECT count(*) FROM {layout.name}")).scalar_one()
    return Verification(documents, tuple(problems))


def _row_problems(connection: sa.Connection, layout: Layout, numbers: set[int]) -> Iterator[str]:
    columns = ", ".join(["entry", "collection", *layout.lanes, *layout.slice_columns])
    query = sa.text(f"SELECT {columns} FROM {layout.name} ORDER BY entry")
    result = connection.execute(query, execution_options={"stream_results": True, "yield_per": _CHUNK})
    for rows in result.partitions(_CHUNK):
        where = f"table {layout.name}"
        try:
            table = integer_table(rows, 2 + len(layout.lanes) + layout.slices)
        except CorruptStoreError as error:
            yield f"{where}: entries {rows[0][0]} to {rows[-1][0]}: {error}"
            continue
        rows_of_lanes = np.ascontiguousarray(table[:, 2 : 2 + len(layout.lanes)]).view(np.uint64)
        for at, part in enumerate(layout.cut):
            right, kept = part.keys(rows_of_lanes), table[:, 2 + len(layout.lanes) + at]
            for row in np.flatnonzero(right != kept).tolist():
                entry = f"{where}: entry {table[row, 0]}"
                yield f"{entry}: slice s{at} is {kept[row]}, but {right[row]} in the fingerprint"
        for row in np.flatnonzero(~np.isin(table[:, 1], sorted(numbers))).tolist():
            yield f"{where}: entry {table[row, 0]}: unknown collection number {table[row, 1]}"
