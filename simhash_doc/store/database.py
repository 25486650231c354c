"""A database and its transactions: waiting for other users, retries, and translation of errors."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from simhash_doc.store import postgresql, sqlite
from simhash_doc.store.backend import Backend, Failure
from simhash_doc.store.errors import (
    BusyError,
    ConnectionLostError,
    DatabaseError,
    DuplicateKeyError,
    StoreParameterError,
)
from simhash_doc.store.layout import Layout

Result = TypeVar("Result")
_ENDINGS = ("", "-wal", "-shm", "-journal")  # of the files of a SQLite database
_BACKENDS: dict[str, Backend] = {"sqlite": sqlite.Sqlite(), "postgresql": postgresql.Postgresql()}


class Database:
    """A SQLite file or a PostgreSQL database.

    Args:
        url: a URL of SQLAlchemy (``postgresql://user@host/name``, ``sqlite:///file``) or the path of a SQLite file.
        create: create a SQLite file that does not exist.
        timeout: seconds to wait for other users of the database, and to retry.

    Raises:
        DatabaseError: the URL is invalid or of another kind of database, or the file does not exist.
    """

    def __init__(self, url: str | os.PathLike[str], *, create: bool, timeout: float) -> None:
        if not timeout > 0:
            raise StoreParameterError(f"timeout is {timeout!r}; expected a positive number of seconds")
        parsed = _parsed(os.fspath(url))
        self.timeout = timeout
        self.shown = parsed.render_as_string(hide_password=True)
        kind = parsed.get_backend_name()
        if kind not in _BACKENDS:
            raise DatabaseError(
                f"{self.shown}: unsupported database; a store is in SQLite (a path) or PostgreSQL (postgresql://...)"
            )
        self.backend = _BACKENDS[kind]
        self._file: str | None = None
        if kind == "sqlite":
            self.shown = self._file = parsed.database or ""
        try:
            self.pool = self.backend.connect(parsed, create=create, timeout=timeout)
        except (NoSuchModuleError, ArgumentError) as error:
            raise DatabaseError(f"{self.shown}: {error}") from error

    def close(self) -> None:
        self.pool.dispose()

    def is_own_file(self, path: str) -> bool:
        """Return True for the file of a SQLite database, and for its journals."""
        if self._file is None:
            return False
        own = os.path.realpath(self._file)
        return os.path.realpath(path) in {own + ending for ending in _ENDINGS}

    def read(self, work: Callable[[sa.Connection], Result]) -> Result:
        """Return the result of `work`, which reads one snapshot of the database."""
        return self._retried(work, writing=False)

    def write(self, work: Callable[[sa.Connection], Result], timeout: float | None = None) -> Result:
        """Run `work` in a transaction, which is durable when this returns; if this raises, nothing has changed.

        After a conflict it runs again, so it must have no other effect.

        Args:
            timeout: seconds to retry; None for the timeout of the store.

        Raises:
            BusyError: other users locked the database for longer than the timeout.
            ConnectionLostError: the connection to the server was lost.
        """
        return self._retried(work, writing=True, timeout=timeout)

    def optimize(self, layout: Layout) -> None:
        """Update the statistics and visibility of a table after many changes."""
        with self._translated():
            self.backend.optimize(self.pool, layout)

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Open a transaction for reading a long result in parts."""
        deadline = time.monotonic() + self.timeout
        with self._translated(), ExitStack() as opened:
            while True:
                try:
                    connection = opened.enter_context(self.pool.connect())
                    opened.enter_context(self.backend.transaction(connection, writing=False))
                except DBAPIError as error:
                    opened.close()
                    self._pause_or_raise(error, deadline)
                else:
                    break
            yield connection

    def _retried(
        self, work: Callable[[sa.Connection], Result], *, writing: bool, timeout: float | None = None
    ) -> Result:
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        with self._translated():
            while True:
                try:
                    with self.pool.connect() as connection, self.backend.transaction(connection, writing=writing):
                        return work(connection)
                except DBAPIError as error:
                    self._pause_or_raise(error, deadline)

    def _pause_or_raise(self, error: DBAPIError, deadline: float) -> None:
        """Wait before a retry, or raise if a retry cannot help or the time is over."""
        if self.backend.failure(error) is not Failure.CONFLICT or time.monotonic() > deadline:
            raise error
        time.sleep(random.uniform(0.001, 0.01))

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except PoolTimeoutError as error:
            raise BusyError(f"{self.shown}: too many threads use this store at the same time") from error
        except DBAPIError as error:
            reason = str(error.orig).partition("\nCONTEXT:")[0].strip() or type(error.orig).__name__
            match self.backend.failure(error):
                case Failure.CONFLICT:
                    raise BusyError(
                        f"{self.shown}: other users locked the database for over {self.timeout:g} seconds ({reason})"
                    ) from error
                case Failure.DUPLICATE:
                    raise DuplicateKeyError(f"{self.shown}: {reason}") from error
                case Failure.LOST:
                    raise ConnectionLostError(f"{self.shown}: the connection failed or was lost: {reason}") from error
            raise DatabaseError(f"{self.shown}: {reason}") from error


def _parsed(url: str) -> sa.URL:
    if "://" not in url:
        return sa.URL.create("sqlite", database=url)
    try:
        return sa.make_url(url.replace("postgres://", "postgresql://", 1) if url.startswith("postgres://") else url)
    except (ArgumentError, ValueError) as error:
        raise DatabaseError(f"{url.partition('://')[0]}://...: not a database URL: {error}") from error
