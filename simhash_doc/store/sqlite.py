"""The store in a SQLite file."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.exc import DBAPIError

from simhash_doc.arrays import lanes_from_ints, popcount
from simhash_doc.files import followed
from simhash_doc.store.database import Database, FoundRows, Search, on_conflict
from simhash_doc.store.documents import Scalar, WriteResult
from simhash_doc.store.errors import BusyError, CorruptStoreError, DatabaseError, DuplicateKeyError, NoStoreError
from simhash_doc.store.layout import (
    DATA_COLUMNS,
    SCHEMA_TABLE,
    Layout,
    NewRow,
    StoredRow,
    integer_table,
    needed,
    text_column,
)

_OLDEST = (3, 35)
_CACHE_KB = 256 << 10  # pages of a load in one transaction; taken only when needed
_WAL_BYTES = 64 << 20  # the log is cut back to this
_MOST_TERMS = 500  # SELECTs in one UNION: the limit of SQLite
# Seconds that SQLite waits for a lock before the transaction is retried. On its own it would check only
# every 0.1 s in the end, and often miss the moment between two transactions of a busy writer.
_WAIT = 0.1
_STEPS = 100_000  # of the virtual machine, some milliseconds, after which Python looks for signals
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_ENDINGS = ("", "-wal", "-shm", "-journal")  # of the files of a database
_JSON_TYPES = {str: ("text",), bool: ("true", "false"), int: ("integer", "real"), float: ("integer", "real")}


def is_database_file(database: str, path: str) -> bool:
    """Return True for the file of a database and for its journals, whether they exist or not; links count."""
    own = [os.path.realpath(database) + ending for ending in _ENDINGS]
    same = os.path.exists(path) and any(os.path.samefile(one, path) for one in own if os.path.exists(one))
    return same or os.path.realpath(path) in own


class Sqlite(Database):
    """A SQLite file.

    The journal is a write-ahead log: readers and a writer do not wait for each other. Each commit
    is synchronized to the disk.

    Raises:
        DatabaseError: the file does not exist, or cannot hold a store.
    """

    dialect = "sqlite"
    rows_ahead = 1  # more would not be faster

    def __init__(self, url: sa.URL, *, create: bool, timeout: float) -> None:
        if sqlite3.sqlite_version_info < _OLDEST:
            raise DatabaseError(f"SQLite is {sqlite3.sqlite_version} in this Python; the store needs 3.35 or newer")
        path = url.database
        if not path or path == ":memory:":
            raise DatabaseError("a store needs a file: an in-memory database of SQLite belongs to a single connection")
        if Path(path).is_dir():
            raise DatabaseError(f"{path}: is a directory; a store is a file, such as {Path(path) / 'near.sqlite'}")
        if not create and not Path(path).exists():
            raise NoStoreError(f"{path}: no such file")
        try:
            place = followed(path)
        except OSError as error:
            raise DatabaseError(f"{path}: {error.strerror}") from error
        url, parent = url.set(database=str(place)), place.parent
        if not parent.is_dir():
            raise DatabaseError(f"{path}: its directory {parent} does not exist")
        options = {"timeout": min(_WAIT, timeout), "isolation_level": None}
        if read_only := _read_only_uri(Path(path)):
            pool = sa.create_engine(url, creator=lambda: _opened(read_only, options))
        else:
            pool = sa.create_engine(url, connect_args=options)
            event.listen(pool, "connect", _use_log)
        event.listen(pool, "connect", _set_up)
        event.listen(pool, "begin", _begin)
        super().__init__(pool, path, timeout)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            with super()._translated():
                yield
        except DatabaseError as error:
            cause = error.__cause__
            if isinstance(cause, DBAPIError) and getattr(cause.orig, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
                raise KeyboardInterrupt from error  # SQLite swallows what the handler of the signal raised
            raise

    def check_objects(self, connection: sa.Connection) -> None:
        query = (
            "SELECT type, name FROM sqlite_master WHERE type = 'view' AND name LIKE 'simhash\\_%' ESCAPE '\\' "
            "OR type = 'trigger' AND tbl_name LIKE 'simhash\\_%' ESCAPE '\\'"
        )
        for kind, name in connection.exec_driver_sql(query):
            raise CorruptStoreError(
                f"{self.shown}: the {kind} {name!r} is not of a store; expected its own tables without triggers. "
                "Export the documents from a copy that you trust"
            )

    def _options(self, *, writing: bool) -> dict[str, Any]:
        return {"simhash_doc_writing": writing}

    def _kind(self, error: DBAPIError) -> type[DatabaseError]:
        code = getattr(error.orig, "sqlite_errorcode", 0)
        if code & 0xFF in _BUSY:
            return BusyError
        if code in (sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY):
            return DuplicateKeyError
        return DatabaseError

    @staticmethod
    def clock() -> float:
        # SQLite searches in this thread: a cold cache or other processes do not make a search look slow.
        return time.thread_time()

    def _among(self, parameter: str) -> str:
        return f"IN (SELECT value FROM json_each(:{parameter}))"

    def _listed(self, values: Sequence[int] | Sequence[str]) -> object:
        return json.dumps(values)

    def insert(self, connection: sa.Connection, layout: Layout, collection: int, rows: Sequence[NewRow]) -> WriteResult:
        connection.exec_driver_sql(_insertion(layout), _parameters(collection, rows))
        return WriteResult(len(rows), 0)

    def upsert(self, connection: sa.Connection, layout: Layout, collection: int, rows: Sequence[NewRow]) -> WriteResult:
        count = f"SELECT count(*) FROM {layout.name}"
        before = connection.exec_driver_sql(count).scalar_one()
        statement = f"{_insertion(layout)} {on_conflict(_columns(layout))}"
        connection.exec_driver_sql(statement, _parameters(collection, rows))
        added = connection.exec_driver_sql(count).scalar_one() - before
        return WriteResult(added, len(rows) - added)

    def find(
        self, connection: sa.Connection, layout: Layout, search: Search, queries: Sequence[int]
    ) -> Iterator[FoundRows]:
        one = search.collection is not None
        statement = candidates_query(layout, search.distance, one_collection=one)
        searched = needed(layout.bits, layout.slices, search.distance)
        slices = [(layout.cut[number], radius) for number, radius in searched.items()]
        for query in queries:
            keys = [key for part, radius in slices for key in part.keys(query, layout.bits, radius)]
            parameters = (*keys, search.collection) if one else tuple(keys)
            candidates = connection.exec_driver_sql(statement, parameters).fetchall()
            yield self._matches(connection, layout, search, query, candidates)

    def _matches(
        self, connection: sa.Connection, layout: Layout, search: Search, query: int, candidates: Sequence[Any]
    ) -> FoundRows:
        """Return the rows of the candidates (entry and lanes) that are within the distance."""
        if not candidates:
            return []
        table = integer_table(candidates, 1 + len(layout.lanes))
        query_lanes = lanes_from_ints([query], len(layout.lanes))
        bits = popcount(np.ascontiguousarray(table[:, 1:]).view(np.uint64) ^ query_lanes)
        found: FoundRows = []
        # Nearest first, so that a limit is reached without reading the rest.
        for distance in np.unique(bits[bits <= search.distance]).tolist():
            remaining = None if search.limit is None else search.limit - len(found)
            if remaining == 0:
                break
            entries = np.unique(table[bits == distance, 0]).tolist()
            found += [(distance, row) for row in self._filtered(connection, layout, entries, search.where, remaining)]
        return found

    def _filtered(
        self,
        connection: sa.Connection,
        layout: Layout,
        entries: list[int],
        where: Mapping[str, Scalar],
        limit: int | None,
    ) -> Iterator[StoredRow]:
        tests, parameters = [], [json.dumps(entries)]
        for key, value in where.items():
            test, values = _test(key, value)
            tests.append(f" AND {test}")
            parameters += values
        chosen = (
            f"{layout.select_rows(self.dialect)} AS e WHERE entry IN (SELECT value FROM json_each(?)){''.join(tests)} "
            f"ORDER BY collection, id LIMIT ?"
        )
        rows = connection.exec_driver_sql(chosen, (*parameters, -1 if limit is None else limit))
        return map(StoredRow.of, rows)

    def problems(self, connection: sa.Connection, layout: Layout) -> Iterator[str]:
        # Compares every index with its table, and tests every CHECK, including those of the slices.
        lines = connection.exec_driver_sql("SELECT * FROM pragma_integrity_check(?)", (layout.name,)).scalars()
        yield from (line for line in lines if line != "ok")

    def size(self, connection: sa.Connection, layout: Layout) -> int:
        """Return the bytes of the file: SQLite does not report those of a table."""
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        return int(pages * connection.exec_driver_sql("PRAGMA page_size").scalar_one())


def _read_only_uri(path: Path) -> str | None:
    """Return the URI of a file that can only be read, as on a read-only medium; None if it can be written."""
    if not path.exists() or all(os.access(name, os.W_OK) for name in (path, path.parent)):
        return None
    # SQLite would create files next to the database, unless it is known that nobody changes it.
    log = path.with_name(f"{path.name}-wal")
    immutable = "" if log.exists() and log.stat().st_size else "&immutable=1"
    return f"file:{quote(os.path.abspath(path))}?mode=ro{immutable}"


def _opened(uri: str, options: Mapping[str, Any]) -> sqlite3.Connection:
    connection: sqlite3.Connection = sqlite3.connect(uri, uri=True, check_same_thread=False, **options)
    return connection


def _use_log(connection: sqlite3.Connection, record: object) -> None:
    """Use a write-ahead log if the database has a store; other databases are not changed."""
    store = connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (SCHEMA_TABLE.name,)).fetchone()
    (journal,) = connection.execute("PRAGMA journal_mode").fetchone()
    if store and journal != "wal":
        connection.execute("PRAGMA journal_mode = WAL")


def _set_up(connection: sqlite3.Connection, record: object) -> None:
    connection.execute("PRAGMA trusted_schema = OFF")
    # Python calls the handlers of signals here. What they raise ends the statement, as an interruption.
    connection.set_progress_handler(lambda: False, _STEPS)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
    connection.execute(f"PRAGMA journal_size_limit = {_WAL_BYTES}")
    # A text that is not UTF-8 is an error of its row, not of the query.
    connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")


def _begin(connection: sa.Connection) -> None:
    # IMMEDIATE: a transaction that reads first and writes later could not wait for another writer.
    writing = connection.get_execution_options().get("simhash_doc_writing")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
    if not writing:
        # The snapshot is that of now, not that of the first query.
        connection.exec_driver_sql("SELECT 1 FROM sqlite_master LIMIT 1")


def _columns(layout: Layout) -> list[str]:
    return [*DATA_COLUMNS, *layout.lanes, *layout.slice_columns]


def _insertion(layout: Layout) -> str:
    lanes = [f"?{number}" for number in range(len(DATA_COLUMNS) + 1, len(DATA_COLUMNS) + len(layout.lanes) + 1)]
    data = [f"?{number}" for number in range(1, len(DATA_COLUMNS) + 1)]
    values = [*data, *lanes, *(part.sql(lanes) for part in layout.cut)]
    return f"INSERT INTO {layout.name} ({', '.join(_columns(layout))}) VALUES ({', '.join(values)})"


def _parameters(collection: int, rows: Sequence[NewRow]) -> list[tuple[Any, ...]]:
    return [
        (collection, name, uri, metadata, time.replace(tzinfo=None).isoformat(" ", "microseconds"), *lanes)
        for name, uri, metadata, time, lanes in rows
    ]


@lru_cache(maxsize=256)
def candidates_query(layout: Layout, distance: int, *, one_collection: bool) -> str:
    """Return a query for the rows that share a slice, within its radius: parameters are the keys and the collection.

    A row that shares several slices is returned several times.
    """
    tests, count = [], 0
    for number, radius in needed(layout.bits, layout.slices, distance).items():
        first, count = count + 1, count + len(layout.cut[number].masks(radius))
        keys = ", ".join(f"?{at}" for at in range(first, count + 1))
        tests.append(f"s{number} IN ({keys})" if radius else f"s{number} = {keys}")
    condition = f" AND collection = ?{count + 1}" if one_collection else ""
    lanes = layout.lanes_of("sqlite")
    parts = [f"SELECT entry, {lanes} FROM {layout.name} WHERE {test}{condition}" for test in tests]
    groups = [" UNION ALL ".join(parts[at : at + _MOST_TERMS]) for at in range(0, len(parts), _MOST_TERMS)]
    return groups[0] if len(groups) == 1 else " UNION ALL ".join(f"SELECT * FROM ({group})" for group in groups)


def _test(key: str, value: Scalar) -> tuple[str, list[Any]]:
    condition, parameters = "j.type = 'null'", []
    if value is not None:
        types = ", ".join(f"'{name}'" for name in _JSON_TYPES[type(value)])
        condition, parameters = f"j.type IN ({types}) AND j.value = ?", [value]
    metadata = f"json_each({text_column('e.metadata', 'sqlite')})"
    return f"EXISTS (SELECT 1 FROM {metadata} AS j WHERE j.key = ? AND {condition})", [key, *parameters]
