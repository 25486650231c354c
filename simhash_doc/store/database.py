"""A database and transactions on it: waiting for others, trying again, and saying what went wrong."""

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
from simhash_doc.store.engines import Engine, Failure
from simhash_doc.store.errors import (
    BusyError,
    ConnectionLostError,
    DatabaseError,
    DuplicateKeyError,
    StoreParameterError,
)
from simhash_doc.store.layout import Layout

Result = TypeVar("Result")
_ENGINES: dict[str, Engine] = {"sqlite": sqlite.Sqlite(), "postgresql": postgresql.Postgresql()}


class Database:
    """A SQLite file or a PostgreSQL database.

    Args:
        url: a URL of SQLAlchemy (``postgresql://user@host/name``, ``sqlite:///file``) or the path of a SQLite file.
        create: whether a SQLite file may be made.
        timeout: seconds to wait for other users of the database, and to try again.

    Raises:
        DatabaseError: the URL is none, of another kind of database, or the file is not there.
    """

    def __init__(self, url: str | os.PathLike[str], *, create: bool, timeout: float) -> None:
        if not timeout > 0:
            raise StoreParameterError(f"timeout is {timeout!r}; it is a number of seconds over 0")
        made = _parsed(os.fspath(url))
        self.timeout = timeout
        self.shown = made.render_as_string(hide_password=True)
        kind = made.get_backend_name()
        if kind not in _ENGINES:
            raise DatabaseError(f"{self.shown}: a store is in SQLite (a path) or PostgreSQL (postgresql://...)")
        self.engine = _ENGINES[kind]
        if kind == "sqlite":
            self.shown = made.database or ""
        try:
            self.pool = self.engine.connect(made, create=create, timeout=timeout)
        except (NoSuchModuleError, ArgumentError) as error:
            raise DatabaseError(f"{self.shown}: {error}") from error

    def close(self) -> None:
        self.pool.dispose()

    def read(self, work: Callable[[sa.Connection], Result]) -> Result:
        """Return what `work` reads, all of it from one state of the database."""
        return self._retried(work, writing=False)

    def write(self, work: Callable[[sa.Connection], Result], timeout: float | None = None) -> Result:
        """Run `work` in a transaction, which is on the disk when this returns, or has changed nothing.

        If others are in the way it is run again, so that it must have no other effect.

        Args:
            timeout: seconds to try; None for the timeout of the store.

        Raises:
            BusyError: others held the database for longer than the timeout.
            ConnectionLostError: the server went away.
        """
        return self._retried(work, writing=True, timeout=timeout)

    def settle(self, layout: Layout) -> None:
        """Prepare a table for searches after many changes."""
        with self._translated():
            self.engine.settle(self.pool, layout)

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Open a transaction for reading a long answer piece by piece."""
        deadline = time.monotonic() + self.timeout
        with self._translated(), ExitStack() as opened:
            while True:
                try:
                    connection = opened.enter_context(self.pool.connect())
                    opened.enter_context(self.engine.transaction(connection, writing=False))
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
                    with self.pool.connect() as connection, self.engine.transaction(connection, writing=writing):
                        return work(connection)
                except DBAPIError as error:
                    self._pause_or_raise(error, deadline)

    def _pause_or_raise(self, error: DBAPIError, deadline: float) -> None:
        """Wait a moment before another try, if one may help and there is time for it."""
        if self.engine.failure(error) is not Failure.CONFLICT or time.monotonic() > deadline:
            raise error
        time.sleep(random.uniform(0.001, 0.01))

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except PoolTimeoutError as error:
            raise BusyError(f"{self.shown}: too many threads use this store at once") from error
        except DBAPIError as error:
            reason = str(error.orig).strip() or type(error.orig).__name__
            match self.engine.failure(error):
                case Failure.CONFLICT:
                    raise BusyError(
                        f"{self.shown}: others held the database for over {self.timeout:g} seconds ({reason})"
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
        raise DatabaseError(f"{url.partition('://')[0]}://...: is no database URL: {error}") from error
