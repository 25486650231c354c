"""The interface of the store to a database system, and what SQLite and PostgreSQL share.

Transactions wait for other users of the database, are retried after a conflict, and translate errors.
"""

from __future__ import annotations

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, MultipleResultsFound
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from simhash_doc.store.documents import Scalar, WriteResult
from simhash_doc.store.errors import BusyError, ConnectionLostError, CorruptStoreError, DatabaseError
from simhash_doc.store.layout import Layout, NewRow, StoredRow

_Result = TypeVar("_Result")
ROWS_AT_ONCE = 10_000


class Search(NamedTuple):
    """The conditions of a search in one table.

    Attributes:
        collection: number of the collection, or None for all in the table.
        distance: maximum number of differing bits.
        limit: maximum number of matches of a query, or None.
        where: metadata that a match must have.
    """

    collection: int | None
    distance: int
    limit: int | None
    where: Mapping[str, Scalar]


FoundRows = list[tuple[int, StoredRow]]  # distance and row; nearest first, then by collection and id


class Database(ABC):
    """A SQLite file or a PostgreSQL database. Methods that take a connection run within its transaction.

    Args:
        pool: the pool of connections.
        shown: the name of the database in messages, without a password.
        timeout: seconds to wait for other users of the database, and to retry.
    """

    dialect: ClassVar[str]
    row_lock: ClassVar[str] = ""  # at the end of a SELECT of rows that are then changed
    time_text: ClassVar[str] = "time"  # the time of a row as a text
    rows_ahead: ClassVar[int]  # rows with their texts that are in memory while a table is read

    def __init__(self, pool: sa.Engine, shown: str, timeout: float) -> None:
        self.pool, self.shown, self.timeout = pool, shown, timeout

    def close(self) -> None:
        self.pool.dispose()

    # Transactions

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Open a transaction that reads one snapshot of the database."""
        with self._translated(), ExitStack() as opened:
            yield self._retried(lambda: opened.enter_context(self._transaction(writing=False)))

    def write(self, work: Callable[[sa.Connection], _Result]) -> _Result:
        """Run `work` in a transaction, which is durable when this returns; if this raises, nothing has changed.

        After a conflict it runs again, so it must have no other effect.

        Raises:
            BusyError: other users locked the database for longer than the timeout.
            ConnectionLostError: the connection to the server was lost.
        """

        def attempt() -> _Result:
            with self._transaction(writing=True) as connection:
                return work(connection)

        with self._translated():
            return self._retried(attempt)

    @contextmanager
    def _transaction(self, *, writing: bool) -> Iterator[sa.Connection]:
        with self.pool.connect() as connection:
            connection.execution_options(**self._options(writing=writing))
            with connection.begin():
                yield connection

    def _retried(self, attempt: Callable[[], _Result]) -> _Result:
        """Repeat an attempt that ends with a conflict until the time is over."""
        deadline = time.monotonic() + self.timeout
        while True:
            try:
                return attempt()
            except DBAPIError as error:
                if self._kind(error) is not BusyError or time.monotonic() > deadline:
                    raise
                time.sleep(random.uniform(0.001, 0.01))

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except PoolTimeoutError as error:
            raise BusyError(f"{self.shown}: too many threads use this store at the same time") from error
        except MultipleResultsFound as error:
            raise CorruptStoreError(f"{self.shown}: rows that must differ have one key; run `store verify`") from error
        except DBAPIError as error:
            reason, kind = self._reason(error), self._kind(error)
            if kind is BusyError:
                reason = f"other users locked the database for over {self.timeout:g} seconds ({reason})"
            elif kind is ConnectionLostError:
                reason = f"the connection failed or was lost: {reason}"
            raise kind(f"{self.shown}: {reason}") from error

    @abstractmethod
    def _options(self, *, writing: bool) -> dict[str, Any]:
        """Return the execution options of a connection for a transaction."""

    @abstractmethod
    def _kind(self, error: DBAPIError) -> type[DatabaseError]:
        """Return the class of an error: `BusyError` for a conflict, after which a retry may succeed."""

    def _reason(self, error: DBAPIError) -> str:
        """Return what a message says about an error."""
        return str(error.orig).strip() or type(error.orig).__name__

    def check_objects(self, connection: sa.Connection) -> None:  # noqa: B027
        """Refuse views and triggers under the names of the store: a statement on them could do anything.

        Raises:
            CorruptStoreError: there is one. The owner of a schema in PostgreSQL is trusted.
        """

    def lock_schema(self, connection: sa.Connection) -> None:  # noqa: B027
        """Prevent other transactions from changing the schema until this one ends; in SQLite it is the only one."""

    @staticmethod
    def clock() -> float:
        """Return the seconds by which searches are compared."""
        return time.perf_counter()

    # Rows

    def get(self, connection: sa.Connection, layout: Layout, collection: int, name: str) -> StoredRow | None:
        """Return the row with an id, or None."""
        query = _select_rows(layout, self.dialect, "collection = :collection AND id = :id")
        row = connection.execute(query, {"collection": collection, "id": name}).one_or_none()
        return None if row is None else StoredRow.of(row)

    def scan(self, connection: sa.Connection, layout: Layout, collection: int) -> Iterator[StoredRow]:
        """Yield the rows of a collection in the order of their numbers, without loading them all."""
        query = _select_rows(layout, self.dialect, "collection = :collection ORDER BY entry")
        return map(StoredRow.of, self.stream(connection, query, {"collection": collection}))

    def stream(
        self, connection: sa.Connection, query: sa.TextClause, parameters: Mapping[str, object]
    ) -> Iterator[sa.Row[Any]]:
        """Yield the rows of a query, `rows_ahead` of which are in memory."""
        options = {"stream_results": True, "yield_per": self.rows_ahead}
        return iter(connection.execute(query, parameters, execution_options=options))

    def fetch(self, connection: sa.Connection, layout: Layout, entries: Sequence[int]) -> list[StoredRow]:
        """Return the rows with these numbers, in any order."""
        query = _select_rows(layout, self.dialect, f"entry {self._among('entries')}")
        return [StoredRow.of(row) for row in connection.execute(query, {"entries": self._listed(entries)})]

    def present(self, connection: sa.Connection, layout: Layout, collection: int, ids: Sequence[str]) -> set[str]:
        """Return the ids that exist."""
        query = sa.text(f"SELECT id FROM {layout.name} WHERE collection = :collection AND id {self._among('ids')}")
        return set(connection.execute(query, {"collection": collection, "ids": self._listed(ids)}).scalars())

    def remove(self, connection: sa.Connection, layout: Layout, collection: int, ids: Sequence[str]) -> int:
        """Delete rows; return how many existed."""
        # Locked in order first: a plain DELETE locks rows as it finds them, and could deadlock.
        deletion = sa.text(
            f"DELETE FROM {layout.name} WHERE entry IN (SELECT entry FROM {layout.name} "
            f"WHERE collection = :collection AND id {self._among('ids')} ORDER BY collection, id{self.row_lock})"
        )
        return connection.execute(deletion, {"collection": collection, "ids": self._listed(ids)}).rowcount

    @abstractmethod
    def _among(self, parameter: str) -> str:
        """Return the SQL by which a value is one of those of a parameter, which `_listed` returns."""

    @abstractmethod
    def _listed(self, values: Sequence[int] | Sequence[str]) -> object:
        """Return several values as one parameter."""

    @abstractmethod
    def insert(self, connection: sa.Connection, layout: Layout, collection: int, rows: Sequence[NewRow]) -> WriteResult:
        """Add rows; an id that exists already is a `DuplicateKeyError`."""

    @abstractmethod
    def upsert(self, connection: sa.Connection, layout: Layout, collection: int, rows: Sequence[NewRow]) -> WriteResult:
        """Add rows, or replace those of the collection with the same ids."""

    @abstractmethod
    def find(
        self, connection: sa.Connection, layout: Layout, search: Search, queries: Sequence[int]
    ) -> Iterator[FoundRows]:
        """Yield the matches of each query, in order."""

    # Maintenance

    def optimize(self, layout: Layout) -> None:  # noqa: B027
        """Update the statistics and visibility of a table after many changes; SQLite has no choice of indexes."""

    @abstractmethod
    def problems(self, connection: sa.Connection, layout: Layout) -> Iterator[str]:
        """Yield the problems of the table and its indexes."""

    @abstractmethod
    def size(self, connection: sa.Connection, layout: Layout) -> int:
        """Return the bytes that the table takes with its indexes."""


def shown_url(url: sa.URL) -> str:
    """Return a URL as messages show it, without the passwords that it may have in several places."""
    return url.set(query=dict.fromkeys(url.query, "***")).render_as_string(hide_password=True)


@lru_cache(maxsize=256)
def _select_rows(layout: Layout, dialect: str, condition: str) -> sa.TextClause:
    """Return a query for rows; SQLAlchemy keeps what it computes in this object."""
    return sa.text(f"{layout.select_rows(dialect)} WHERE {condition}")


def on_conflict(columns: Sequence[str]) -> str:
    """Return the SQL of an insertion by which the columns replace those of the row with the same id."""
    assigned = (f"{name} = excluded.{name}" for name in columns if name not in ("collection", "id"))
    return f"ON CONFLICT (collection, id) DO UPDATE SET {', '.join(assigned)}"
