"""The store in a PostgreSQL database."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.exc import DBAPIError

from simhash_doc.store import statements
from simhash_doc.store.backend import Failure, Found, Row, Search, StoredRow
from simhash_doc.store.documents import WriteResult
from simhash_doc.store.errors import DatabaseError, StoreExtraMissingError
from simhash_doc.store.layout import DATA_COLUMNS, Layout
from simhash_doc.store.slices import to_signed_lanes

_OLDEST = 140000  # bit_count
_SCHEMA_LOCK = 0x73696D68617368  # "simhash"
_ROWS_AT_ONCE = 10_000
_QUERIES_AT_ONCE = 1000
# deadlock_detected, serialization_failure, lock_not_available
_CONFLICTS = {"40P01", "40001", "55P03"}
_TYPES = {"collection": "integer", "id": "text", "uri": "text", "metadata": "text", "time": "timestamptz"}


class Postgresql:
    """See `Backend`."""

    name = "postgresql"

    def connect(self, url: sa.URL, *, create: bool, timeout: float) -> sa.Engine:
        try:
            import psycopg  # noqa: F401
        except ImportError as error:
            raise StoreExtraMissingError(
                f"PostgreSQL needs psycopg: pip install 'simhash-doc[sql]' ({error})"
            ) from error
        pool = sa.create_engine(
            url.set(drivername="postgresql+psycopg"),
            pool_pre_ping=True,  # a connection that broke while it was idle is replaced
            connect_args={"connect_timeout": max(2, round(timeout))},
        )

        def set_up(connection: Any, record: object) -> None:
            if connection.info.server_version < _OLDEST:
                raise DatabaseError(
                    f"the server is PostgreSQL {connection.info.server_version // 10000}; the store needs 14 or newer"
                )
            connection.execute("SELECT set_config('lock_timeout', %s, false)", (f"{round(timeout * 1000)}ms",))
            # The plan of a search does not depend on its values, and planning takes longer than searching.
            connection.execute("SELECT set_config('plan_cache_mode', 'force_generic_plan', false)")
            connection.commit()

        event.listen(pool, "connect", set_up)
        return pool

    @contextmanager
    def transaction(self, connection: sa.Connection, *, writing: bool) -> Iterator[None]:
        connection.execution_options(isolation_level="READ COMMITTED" if writing else "REPEATABLE READ")
        with connection.begin():
            yield

    def failure(self, error: DBAPIError) -> Failure:
        state = getattr(error.orig, "sqlstate", None)
        if state in _CONFLICTS:
            return Failure.CONFLICT
        if state == "23505":
            return Failure.DUPLICATE
        if error.connection_invalidated or state is None or state[:2] in ("08", "57"):
            return Failure.LOST
        return Failure.OTHER

    def lock_schema(self, connection: sa.Connection) -> None:
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _SCHEMA_LOCK})

    def insert(self, connection: sa.Connection, layout: Layout, collection: int, rows: Sequence[Row]) -> None:
        names = [*DATA_COLUMNS, *layout.lanes]
        statement = f"COPY {layout.name} ({', '.join(names)}) FROM STDIN"
        from psycopg import Error

        cursor = connection.connection.cursor()
        try:
            with cursor.copy(statement) as copy:
                for name, uri, metadata, time, lanes in rows:
                    copy.write_row((collection, name, uri, metadata, time, *lanes))
        except Error as error:
            raise DBAPIError(statement, None, error) from error
        finally:
            cursor.close()

    def upsert(self, connection: sa.Connection, layout: Layout, collection: int, rows: Sequence[Row]) -> WriteResult:
        types = [*_TYPES.items(), *((lane, "bigint") for lane in layout.lanes)]
        arrays = ", ".join(f"CAST(:{name} AS {kind}[])" for name, kind in types)
        values = ", ".join("CAST(metadata AS jsonb)" if name == "metadata" else name for name, _ in types)
        names = ", ".join(name for name, _ in types)
        statement = sa.text(
            f"WITH written AS (INSERT INTO {layout.name} ({names}) "
            f"SELECT {values} FROM unnest({arrays}) AS given ({names}) "
            # Two transactions that write the same rows lock them in the same order: no deadlock.
            f"ORDER BY collection, id "
            f"ON CONFLICT (collection, id) DO UPDATE SET {statements.assignments(layout)} RETURNING xmax = 0 AS added) "
            f"SELECT count(*) FILTER (WHERE added), count(*) FILTER (WHERE NOT added) FROM written"
        )
        written = WriteResult(0, 0)
        ordered = sorted(rows, key=lambda row: row.id)
        for start in range(0, len(ordered), _ROWS_AT_ONCE):
            part = ordered[start : start + _ROWS_AT_ONCE]
            flat = zip(*((collection, *row[:-1], *row.lanes) for row in part), strict=True)
            parameters = {name: list(column) for (name, _), column in zip(types, flat, strict=True)}
            written += WriteResult(*connection.execute(statement, parameters).one())
        return written

    def remove(self, connection: sa.Connection, layout: Layout, collection: int, ids: Sequence[str]) -> int:
        # Locked in order first: a plain DELETE locks rows as it finds them, and could deadlock.
        deletion = sa.text(
            f"WITH gone AS (SELECT entry FROM {layout.name} WHERE collection = :collection AND id = ANY(:ids) "
            f"ORDER BY collection, id FOR UPDATE) "
            f"DELETE FROM {layout.name} WHERE entry IN (SELECT entry FROM gone)"
        )
        result = connection.execute(deletion, {"collection": collection, "ids": list(ids)})
        return int(result.rowcount)

    def present(self, connection: sa.Connection, layout: Layout, collection: int, ids: Sequence[str]) -> set[str]:
        query = sa.text(f"SELECT id FROM {layout.name} WHERE collection = :collection AND id = ANY(:ids)")
        return set(connection.execute(query, {"collection": collection, "ids": list(ids)}).scalars())

    def get(self, connection: sa.Connection, layout: Layout, collection: int, name: str) -> StoredRow | None:
        query = sa.text(f"{statements.select_entries(layout)} WHERE collection = :collection AND id = :id")
        row = connection.execute(query, {"collection": collection, "id": name}).one_or_none()
        return None if row is None else _stored(row)

    def find(
        self, connection: sa.Connection, layout: Layout, search: Search, queries: Sequence[int]
    ) -> Iterator[Found]:
        one = search.collection is not None
        statement = sa.text(statements.search(layout, search.distance, len(search.where), one_collection=one))
        parameters: dict[str, Any] = {"distance": search.distance, "maximum": search.max_results}
        if one:
            parameters["collection"] = search.collection
        for number, (key, value) in enumerate(search.where.items()):
            parameters |= {f"key{number}": key, f"value{number}": json.dumps(value)}
        for start in range(0, len(queries), _QUERIES_AT_ONCE):
            part = queries[start : start + _QUERIES_AT_ONCE]
            lanes = zip(*(to_signed_lanes(query, len(layout.lanes)) for query in part), strict=True)
            asked = parameters | {f"q{number}": list(column) for number, column in enumerate(lanes)}
            rows = connection.execute(statement, asked)
            answers = {
                number: [(row[1], _stored(row[2:])) for row in group]
                for number, group in groupby(rows, key=lambda row: row[0])
            }
            yield from (answers.get(number, []) for number in range(1, len(part) + 1))

    def fetch(self, connection: sa.Connection, layout: Layout, entries: Sequence[int]) -> list[StoredRow]:
        query = sa.text(f"{statements.select_entries(layout)} WHERE entry = ANY(:entries)")
        return [_stored(row) for row in connection.execute(query, {"entries": list(entries)})]

    def scan(self, connection: sa.Connection, layout: Layout, collection: int) -> Iterator[StoredRow]:
        query = sa.text(f"{statements.select_entries(layout)} WHERE collection = :collection ORDER BY entry")
        options = {"stream_results": True, "yield_per": _ROWS_AT_ONCE}
        return map(_stored, connection.execute(query, {"collection": collection}, execution_options=options))

    def optimize(self, pool: sa.Engine, layout: Layout) -> None:
        # Until a vacuum has marked pages as visible to all, an index search has to read the rows too.
        with pool.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql(f"VACUUM (ANALYZE) {layout.name}")

    def problems(self, connection: sa.Connection, layout: Layout) -> Iterator[str]:
        query = sa.text(
            "SELECT c.relname, i.indisvalid AND i.indisready FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
            "WHERE i.indrelid = CAST(:table AS regclass)"
        )
        for name, valid in connection.execute(query, {"table": layout.name}):
            if not valid:
                yield f"table {layout.name}: index {name} is not valid: REINDEX INDEX {name} rebuilds it"
        rows = sa.text(
            f"SELECT entry FROM {layout.name} WHERE jsonb_typeof(metadata) <> 'object' "
            "OR time NOT BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999999+00' ORDER BY entry"
        )
        for entry in connection.execute(rows).scalars():
            yield f"table {layout.name}: entry {entry}: the metadata are not a JSON object, or the time is out of range"

    def size(self, connection: sa.Connection, layout: Layout) -> int:
        query = sa.text("SELECT pg_total_relation_size(CAST(:table AS regclass))")
        return int(connection.execute(query, {"table": layout.name}).scalar_one())


def _stored(row: Sequence[Any]) -> StoredRow:
    entry, collection, name, uri, metadata, time, *lanes = row
    return StoredRow(entry, collection, name, uri, metadata, time.astimezone(UTC), tuple(lanes))
