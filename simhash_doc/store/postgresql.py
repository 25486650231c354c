"""The store in a PostgreSQL database."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.exc import DataError, DBAPIError

from simhash_doc.errors import MissingExtraError, SimhashDocError
from simhash_doc.store.database import ROWS_AT_ONCE, Database, FoundRows, Search, on_conflict, shown_url
from simhash_doc.store.documents import WriteResult
from simhash_doc.store.errors import (
    BusyError,
    ConnectionLostError,
    CorruptStoreError,
    DatabaseError,
    DuplicateKeyError,
)
from simhash_doc.store.layout import DATA_COLUMNS, Layout, NewRow, Slice, StoredRow, needed, to_signed_lanes

_OLDEST = 140000  # bit_count
_SCHEMA_LOCK = 0x73696D68617368  # "simhash"
# deadlock_detected, serialization_failure, lock_not_available
_CONFLICTS = {"40P01", "40001", "55P03"}
_TYPES = {"collection": "integer", "id": "text", "uri": "text", "metadata": "text", "time": "timestamptz"}


class Postgresql(Database):
    """A PostgreSQL database.

    Raises:
        MissingExtraError: psycopg is not installed.
    """

    dialect = "postgresql"
    row_lock = " FOR UPDATE"
    rows_ahead = 100
    time_text = "to_json(time) #>> '{}'"  # ISO 8601 whatever the settings, and for times that Python cannot hold

    def __init__(self, url: sa.URL, *, timeout: float) -> None:
        try:
            from simhash_doc.store.interruptible import InterruptibleConnection
        except ImportError as error:
            raise MissingExtraError(f"PostgreSQL needs psycopg: pip install 'simhash-doc[sql]' ({error})") from error
        pool = sa.create_engine(
            url.set(drivername="postgresql+psycopg"),
            pool_pre_ping=True,  # a connection that broke while it was idle is replaced
            # The driver takes neither another encoding of the database or its settings, nor another style of dates.
            connect_args={"connect_timeout": max(2, round(timeout)), "client_encoding": "utf8"},
        )

        def set_up(connection: Any, record: object) -> None:
            if connection.info.server_version < _OLDEST:
                raise DatabaseError(
                    f"the server is PostgreSQL {connection.info.server_version // 10000}; the store needs 14 or newer"
                )
            connection.execute("SELECT set_config('DateStyle', 'ISO', false)")
            connection.execute("SELECT set_config('lock_timeout', %s, false)", (f"{round(timeout * 1000)}ms",))
            # The plan of a search does not depend on its values, and planning takes longer than searching.
            connection.execute("SELECT set_config('plan_cache_mode', 'force_generic_plan', false)")
            connection.commit()

        def connect(dialect: object, record: object, arguments: list[Any], options: dict[str, Any]) -> Any:
            return InterruptibleConnection.connect(*arguments, **options)

        event.listen(pool, "do_connect", connect)
        event.listen(pool, "connect", set_up)
        super().__init__(pool, shown_url(url), timeout)

    @contextmanager
    def _transaction(self, *, writing: bool) -> Iterator[sa.Connection]:
        with super()._transaction(writing=writing) as connection:
            try:
                yield connection
            except (DBAPIError, SimhashDocError):
                raise
            except BaseException:
                connection.invalidate()  # closed: a rollback would wait for the server, which may have fallen silent
                raise

    def _options(self, *, writing: bool) -> dict[str, Any]:
        return {"isolation_level": "READ COMMITTED" if writing else "REPEATABLE READ"}

    def _kind(self, error: DBAPIError) -> type[DatabaseError]:
        state = getattr(error.orig, "sqlstate", None)
        if state in _CONFLICTS:
            return BusyError
        if state == "23505":
            return DuplicateKeyError
        if state is None and isinstance(error, DataError):  # of the driver: Python has no such time
            return CorruptStoreError
        if error.connection_invalidated or state is None or state.startswith(("08", "57P")):
            return ConnectionLostError
        return DatabaseError

    def _reason(self, error: DBAPIError) -> str:
        said = getattr(error.orig, "diag", None)  # by the server; nothing about its SQL, which users do not know
        texts = (said.message_primary, said.message_detail, said.message_hint) if said else ()
        return "; ".join(filter(None, texts)) or super()._reason(error)

    def lock_schema(self, connection: sa.Connection) -> None:
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _SCHEMA_LOCK})

    def _among(self, parameter: str) -> str:
        return f"= ANY(:{parameter})"

    def _listed(self, values: Sequence[int] | Sequence[str]) -> object:
        return list(values)

    def insert(self, connection: sa.Connection, layout: Layout, collection: int, rows: Sequence[NewRow]) -> WriteResult:
        names = [*DATA_COLUMNS, *layout.lanes]
        statement = f"COPY {layout.name} ({', '.join(names)}) FROM STDIN"
        from psycopg import Error

        from simhash_doc.store.interruptible import InterruptibleWriter

        cursor: Any = connection.connection.cursor()
        try:
            with cursor.copy(statement, writer=InterruptibleWriter(cursor)) as copy:
                for name, uri, metadata, time, lanes in rows:
                    copy.write_row((collection, name, uri, metadata, time, *lanes))
        except Error as error:
            raise DBAPIError(statement, None, error) from error
        finally:
            cursor.close()
        return WriteResult(len(rows), 0)

    def upsert(self, connection: sa.Connection, layout: Layout, collection: int, rows: Sequence[NewRow]) -> WriteResult:
        types = [*_TYPES.items(), *((lane, "bigint") for lane in layout.lanes)]
        arrays = ", ".join(f"CAST(:{name} AS {kind}[])" for name, kind in types)
        values = ", ".join("CAST(metadata AS jsonb)" if name == "metadata" else name for name, _ in types)
        names = ", ".join(name for name, _ in types)
        statement = sa.text(
            f"WITH written AS (INSERT INTO {layout.name} ({names}) "
            f"SELECT {values} FROM unnest({arrays}) AS given ({names}) "
            # Two transactions that write the same rows lock them in the same order: no deadlock.
            f"ORDER BY collection, id "
            f"{on_conflict([name for name, _ in types])} RETURNING xmax = 0 AS added) "
            f"SELECT count(*) FILTER (WHERE added), count(*) FILTER (WHERE NOT added) FROM written"
        )
        written = WriteResult(0, 0)
        ordered = sorted(rows, key=lambda row: row.id)
        for start in range(0, len(ordered), ROWS_AT_ONCE):
            part = ordered[start : start + ROWS_AT_ONCE]
            flat = zip(*((collection, *row[:-1], *row.lanes) for row in part), strict=True)
            parameters = {name: list(column) for (name, _), column in zip(types, flat, strict=True)}
            written += WriteResult(*connection.execute(statement, parameters).one())
        return written

    def find(
        self, connection: sa.Connection, layout: Layout, search: Search, queries: Sequence[int]
    ) -> Iterator[FoundRows]:
        one = search.collection is not None
        statement = sa.text(search_statement(layout, search.distance, len(search.where), one_collection=one))
        parameters: dict[str, Any] = {"distance": search.distance, "maximum": search.limit}
        if one:
            parameters["collection"] = search.collection
        for number, (key, value) in enumerate(search.where.items()):
            parameters |= {f"key{number}": key, f"value{number}": json.dumps(value)}
        lanes = zip(*(to_signed_lanes(query, len(layout.lanes)) for query in queries), strict=True)
        parameters |= {f"q{number}": list(column) for number, column in enumerate(lanes)}
        answers: list[FoundRows] = [[] for _ in queries]
        for number, distance, *row in connection.execute(statement, parameters):
            answers[number - 1].append((distance, StoredRow.of(row)))
        return iter(answers)

    def optimize(self, layout: Layout) -> None:
        # Until a vacuum has marked pages as visible to all, an index search has to read the rows too.
        options = {"isolation_level": "AUTOCOMMIT"}
        with self._translated(), self.pool.connect().execution_options(**options) as connection:
            connection.exec_driver_sql(f"VACUUM (ANALYZE) {layout.name}")

    def problems(self, connection: sa.Connection, layout: Layout) -> Iterator[str]:
        query = sa.text(
            "SELECT c.relname, i.indisvalid AND i.indisready FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
            "WHERE i.indrelid = CAST(:table AS regclass)"
        )
        for name, valid in connection.execute(query, {"table": layout.name}):
            if not valid:
                yield f"index {name} is not valid: REINDEX INDEX {name} rebuilds it"

    def size(self, connection: sa.Connection, layout: Layout) -> int:
        query = sa.text("SELECT pg_total_relation_size(CAST(:table AS regclass))")
        return int(connection.execute(query, {"table": layout.name}).scalar_one())


def _keys(part: Slice, radius: int, lanes: list[str]) -> str:
    """Return the SQL of the key of a slice, or of any within the radius."""
    key = f"CAST({part.sql(lanes)} AS INTEGER)"
    return f"ANY (ARRAY[{', '.join(f'{key} # {mask}' for mask in part.masks(radius))}])" if radius else key


@lru_cache(maxsize=256)
def search_statement(layout: Layout, distance: int, filters: int, *, one_collection: bool) -> str:
    """Return a query for the matches of several fingerprints, with the number of each and the distance.

    Parameters: q0, q1, ..., arrays of the lanes; collection; distance; maximum; key0, value0, ...: the filter.
    """
    lanes = [f"q.q{number}" for number in range(len(layout.lanes))]
    bits = " + ".join(
        f"bit_count(CAST({lane} # {query} AS bit(64)))" for lane, query in zip(layout.lanes, lanes, strict=True)
    )
    condition = " AND collection = :collection" if one_collection else ""
    near = " UNION ".join(
        f"SELECT entry AS found, {bits} AS distance FROM {layout.name} "
        f"WHERE s{number} = {_keys(layout.cut[number], radius, lanes)}{condition} AND {bits} <= :distance"
        for number, radius in needed(layout.bits, layout.slices, distance).items()
    )
    tests = [f"e.metadata -> :key{number} = CAST(:value{number} AS jsonb)" for number in range(filters)]
    arrays = ", ".join(f"CAST(:q{number} AS bigint[])" for number in range(len(lanes)))
    names = ", ".join(f"q{number}" for number in range(len(lanes)))
    return (
        f"SELECT q.number, m.* FROM unnest({arrays}) WITH ORDINALITY AS q({names}, number) CROSS JOIN LATERAL ("
        f"SELECT near.distance, {layout.columns('postgresql')} "
        # OFFSET keeps the planner, which expects too many matches, from reading all of the table.
        f"FROM ({near}) AS near JOIN LATERAL (SELECT * FROM {layout.name} WHERE entry = found OFFSET 0) AS e ON true"
        f"{' WHERE ' + ' AND '.join(tests) if tests else ''} "
        f"ORDER BY near.distance, e.collection, e.id LIMIT CAST(:maximum AS bigint)"
        f") AS m ORDER BY q.number, m.distance, m.collection, m.id"
    )
