"""What a database engine must be able to do for the store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from enum import Enum
from typing import NamedTuple, Protocol

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from simhash_doc.store.documents import Scalar, Written
from simhash_doc.store.layout import Layout


class Failure(Enum):
    """Kinds of failures of a database."""

    CONFLICT = "others are in the way; the same may succeed when tried again"
    LOST = "no connection"
    DUPLICATE = "an id is there already"
    OTHER = "anything else"


class Row(NamedTuple):
    """A document as it is written into a collection."""

    id: str
    uri: str | None
    metadata: str
    time: datetime
    words: tuple[int, ...]


class StoredRow(NamedTuple):
    """A document as it is read; `time` is in UTC."""

    entry: int
    collection: int
    id: str
    uri: str | None
    metadata: str
    time: datetime
    words: tuple[int, ...]


class Search(NamedTuple):
    """What is searched for in one table.

    Attributes:
        collection: number of the collection, or None for all of the table.
        distance: largest number of differing bits.
        limit: most answers to a query, or None.
        where: metadata that a match must have.
    """

    collection: int | None
    distance: int
    limit: int | None
    where: Mapping[str, Scalar]


Found = list[tuple[int, StoredRow]]  # distance and row; nearest first, then by collection and id


class Engine(Protocol):
    """SQLite or PostgreSQL. Connections are given within a transaction."""

    name: str

    def connect(self, url: sa.URL, *, create: bool, timeout: float) -> sa.Engine:
        """Return the pool of connections."""

    def transaction(self, connection: sa.Connection, *, writing: bool) -> AbstractContextManager[object]:
        """Begin a transaction that ends with the block."""

    def failure(self, error: DBAPIError) -> Failure:
        """Say what kind of failure an error is."""

    def lock_schema(self, connection: sa.Connection) -> None:
        """Let no other transaction change the schema until this one ends."""

    def insert(self, connection: sa.Connection, layout: Layout, collection: int, rows: Sequence[Row]) -> None:
        """Add rows; an id that is there already is a failure of kind DUPLICATE."""

    def upsert(self, connection: sa.Connection, layout: Layout, collection: int, rows: Sequence[Row]) -> Written:
        """Add rows, or replace those of the collection with the same ids."""

    def remove(self, connection: sa.Connection, layout: Layout, collection: int, ids: Sequence[str]) -> int:
        """Delete rows; return how many were there."""

    def present(self, connection: sa.Connection, layout: Layout, collection: int, ids: Sequence[str]) -> set[str]:
        """Return which ids are there."""

    def get(self, connection: sa.Connection, layout: Layout, collection: int, name: str) -> StoredRow | None:
        """Return the row with an id, or None."""

    def find(
        self, connection: sa.Connection, layout: Layout, search: Search, queries: Sequence[int]
    ) -> Iterator[Found]:
        """Yield what is found for each query, in order."""

    def fetch(self, connection: sa.Connection, layout: Layout, entries: Sequence[int]) -> list[StoredRow]:
        """Return the rows with these numbers, in any order."""

    def scan(self, connection: sa.Connection, layout: Layout, collection: int) -> Iterator[StoredRow]:
        """Yield the rows of a collection in the order of their numbers, without holding them all."""

    def settle(self, pool: sa.Engine, layout: Layout) -> None:
        """Prepare a table for searches after many changes."""

    def problems(self, connection: sa.Connection, layout: Layout) -> Iterator[str]:
        """Yield what is wrong with the table or its indexes."""

    def size(self, connection: sa.Connection, layout: Layout) -> int:
        """Return the bytes that the table takes with its indexes."""
