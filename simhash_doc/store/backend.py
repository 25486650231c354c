"""The interface of the store to a database system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from enum import Enum
from typing import NamedTuple, Protocol

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from simhash_doc.store.documents import Scalar, WriteResult
from simhash_doc.store.layout import Layout


class Failure(Enum):
    """Kinds of database failures."""

    CONFLICT = "a conflict with another transaction; a retry may succeed"
    LOST = "no connection"
    DUPLICATE = "an id exists already"
    OTHER = "anything else"


class Row(NamedTuple):
    """A document as it is written to a collection; `lanes` are signed."""

    id: str
    uri: str | None
    metadata: str
    time: datetime
    lanes: tuple[int, ...]


class StoredRow(NamedTuple):
    """A document as it is read; `time` is in UTC, `lanes` are signed."""

    entry: int
    collection: int
    id: str
    uri: str | None
    metadata: str
    time: datetime
    lanes: tuple[int, ...]


class Search(NamedTuple):
    """The conditions of a search in one table.

    Attributes:
        collection: number of the collection, or None for all in the table.
        distance: maximum number of differing bits.
        max_results: maximum number of matches of a query, or None.
        where: metadata that a match must have.
    """

    collection: int | None
    distance: int
    max_results: int | None
    where: Mapping[str, Scalar]


Found = list[tuple[int, StoredRow]]  # distance and row; nearest first, then by collection and id


class Backend(Protocol):
    """SQLite or PostgreSQL. Connections are passed within a transaction."""

    name: str

    def connect(self, url: sa.URL, *, create: bool, timeout: float) -> sa.Engine:
        """Return the pool of connections."""

    def transaction(self, connection: sa.Connection, *, writing: bool) -> AbstractContextManager[object]:
        """Start a transaction that ends with the block."""

    def failure(self, error: DBAPIError) -> Failure:
        """Return the kind of failure of an error."""

    def lock_schema(self, connection: sa.Connection) -> None:
        """Prevent other transactions from changing the schema until this one ends."""

    def insert(self, connection: sa.Connection, layout: Layout, collection: int, rows: Sequence[Row]) -> None:
        """Add rows; an id that exists already is a failure of kind DUPLICATE."""

    def upsert(self, connection: sa.Connection, layout: Layout, collection: int, rows: Sequence[Row]) -> WriteResult:
        """Add rows, or replace those of the collection with the same ids."""

    def remove(self, connection: sa.Connection, layout: Layout, collection: int, ids: Sequence[str]) -> int:
        """Delete rows; return how many existed."""

    def present(self, connection: sa.Connection, layout: Layout, collection: int, ids: Sequence[str]) -> set[str]:
        """Return the ids that exist."""

    def get(self, connection: sa.Connection, layout: Layout, collection: int, name: str) -> StoredRow | None:
        """Return the row with an id, or None."""

    def find(
        self, connection: sa.Connection, layout: Layout, search: Search, queries: Sequence[int]
    ) -> Iterator[Found]:
        """Yield the matches of each query, in order."""

    def fetch(self, connection: sa.Connection, layout: Layout, entries: Sequence[int]) -> list[StoredRow]:
        """Return the rows with these numbers, in any order."""

    def scan(self, connection: sa.Connection, layout: Layout, collection: int) -> Iterator[StoredRow]:
        """Yield the rows of a collection in the order of their numbers, without loading them all."""

    def optimize(self, pool: sa.Engine, layout: Layout) -> None:
        """Update the statistics and visibility of a table after many changes."""

    def problems(self, connection: sa.Connection, layout: Layout) -> Iterator[str]:
        """Yield the problems of the table and its indexes."""

    def size(self, connection: sa.Connection, layout: Layout) -> int:
        """Return the bytes that the table takes with its indexes."""
