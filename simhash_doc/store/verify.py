"""Verification and statistics of a store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import sqlalchemy as sa

from simhash_doc.store.database import Database
from simhash_doc.store.documents import Collection, CollectionStats, Verification
from simhash_doc.store.errors import CorruptStoreError
from simhash_doc.store.layout import (
    COLLECTION_TABLE,
    Layout,
    StoredRow,
    checked_document,
    expected_candidates,
    integer_column,
    needed,
)
from simhash_doc.store.schema import collections, read_provenances

_SAMPLE = 200


def collection_stats(database: Database, connection: sa.Connection) -> list[CollectionStats]:
    """Return the statistics of each collection."""
    figures = []
    for collection in collections(connection):
        layout = Layout.of(collection)
        parameters = {"collection": collection.number}
        count = sa.text(f"SELECT count(*) FROM {layout.name} WHERE collection = :collection")
        documents = int(connection.execute(count, parameters).scalar_one())
        distance = max(layout.slices - 1, min(collection.scheme.close, 2 * layout.slices - 1))
        figures.append(
            CollectionStats(
                collection=collection,
                documents=documents,
                bytes=database.size(connection, layout),
                distance=distance,
                expected_candidates=expected_candidates(documents, layout.bits, layout.slices, distance),
                measured_candidates=_measured_candidates(connection, layout, collection, documents, distance),
                provenances=read_provenances(connection, collection),
            )
        )
    return figures


def _measured_candidates(
    connection: sa.Connection, layout: Layout, collection: Collection, documents: int, distance: int
) -> float:
    """Return the mean number of rows that share a slice with a row, as a query for the distance searches them.

    A row counts once for each shared slice.
    """
    # The first rows are a fair sample: their order does not depend on the fingerprints.
    parameters = {"collection": collection.number, "most": _SAMPLE}
    own = f"FROM {layout.name} WHERE collection = :collection"
    total = 0
    for number, radius in needed(layout.bits, layout.slices, distance).items():
        column, masks = f"s{number}", layout.cut[number].masks(radius)
        sample = f"(SELECT {column} AS own {own} ORDER BY entry LIMIT :most) AS sample"
        every = " UNION ALL ".join(f"SELECT {mask} AS mask" for mask in masks)
        key = "own + mask - 2 * (own & mask)"  # of both systems, neither of which has the other's exclusive or
        keys = f"(SELECT {key} AS key FROM {sample} CROSS JOIN ({every}) AS masks) AS keys"
        count = (
            f"SELECT count(*) FROM {keys} CROSS JOIN {layout.name} "  # in SQLite, the order of the loops
            f"WHERE {column} = key AND collection = :collection"
        )
        total += int(connection.execute(sa.text(count), parameters).scalar_one())
    return total / max(1, min(documents, _SAMPLE))


def verify_database(database: Database, connection: sa.Connection) -> Verification:
    """Check tables, indexes and every row.

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
    problems += [
        f"table {COLLECTION_TABLE.name}: two collections have one {what}"
        for what in ("number", "name")
        if len({getattr(one, what) for one in known}) < len(known)
    ]
    inspector = sa.inspect(connection)
    layouts = {Layout.of(collection): None for collection in known}
    for name in inspector.get_table_names():
        if name.startswith("simhash_sd") and name not in {layout.name for layout in layouts}:
            unknown = connection.execute(sa.select(sa.func.count()).select_from(sa.table(name))).scalar_one()
            problems += [f"table {name}: the collection of {unknown:,} rows is unknown"] if unknown else []
    for layout in layouts:
        where = f"table {layout.name}"
        if not inspector.has_table(layout.name):
            problems.append(f"{where} does not exist")
            continue
        existing = {index["name"] for index in inspector.get_indexes(layout.name)}
        missing = [name for name in map(layout.index_name, range(layout.slices)) if name not in existing]
        problems += [f"{where}: index {name} does not exist" for name in missing]
        if ["collection", "id"] not in [one["column_names"] for one in inspector.get_unique_constraints(layout.name)]:
            problems.append(f"{where}: no constraint keeps the ids of a collection unique")
        problems += [f"{where}: {problem}" for problem in database.problems(connection, layout)]
        by_number = {collection.number: collection for collection in known if Layout.of(collection) == layout}
        slices = ", ".join(integer_column(name, database.dialect) for name in layout.slice_columns)
        columns = layout.columns(database.dialect, database.time_text)
        query = sa.text(f"SELECT {slices}, {columns} FROM {layout.name} ORDER BY entry")
        for row in database.stream(connection, query, {}):
            documents += 1
            stored = StoredRow.of(row[layout.slices :])
            problems += [
                f"{where}: entry {stored.entry}: {problem}"
                for problem in _row_problems(stored, row[: layout.slices], layout, by_number)
            ]
    return Verification(documents, tuple(problems))


def _row_problems(
    row: StoredRow, slices: Sequence[object], layout: Layout, by_number: Mapping[int, Collection]
) -> Iterator[str]:
    try:
        value = checked_document(row, by_number.get(row.collection)).fingerprint.value
    except ValueError as error:
        yield str(error)
        return
    for at, (part, kept) in enumerate(zip(layout.cut, slices, strict=True)):
        if kept != (right := part.key(value, layout.bits)):
            yield f"slice s{at} is {kept}, but {right} in the fingerprint"
