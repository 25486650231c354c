"""Putting documents into a store, in batches that are there whole or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from itertools import islice

import sqlalchemy as sa

from simhash_doc.pinned import scheme as find_scheme
from simhash_doc.store.database import Database
from simhash_doc.store.documents import Collection, Document, Written, check_document, utc_time
from simhash_doc.store.engines import Row
from simhash_doc.store.errors import (
    BadDocumentError,
    DuplicateIdError,
    DuplicateKeyError,
    StoreError,
    StoreParameterError,
)
from simhash_doc.store.layout import Layout
from simhash_doc.store.schema import check_collection, find_collection, make_collection
from simhash_doc.store.slices import to_words

BATCH = 50_000  # documents; smaller ones touch every page of the indexes for less


class Batch:
    """Checked documents of one transaction, by collection."""

    def __init__(self, documents: Sequence[Document]) -> None:
        now = datetime.now(UTC)
        self._given: dict[str, list[Row]] = {}
        self._schemes: dict[str, tuple[str, bool]] = {}
        for document in documents:
            metadata = _checked(document)
            made, name = document.fingerprint, document.collection
            if name not in self._given:
                self._given[name], self._schemes[name] = [], (made.scheme_id, made.canonical)
            scheme_id, canonical = self._schemes[name]
            if made.scheme_id != scheme_id or made.canonical != canonical:
                check_collection(Collection(0, name, scheme_id, canonical, 0), made.scheme_id, made.canonical)
            words = to_words(made.value, _words_of(scheme_id))
            time = now if document.time is None else utc_time(document.id, document.time)
            self._given[name].append(Row(document.id, document.uri, metadata, time, words))

    def __len__(self) -> int:
        return sum(map(len, self._given.values()))

    def insert(self, database: Database, connection: sa.Connection) -> None:
        """Add all.

        Raises:
            DuplicateKeyError: an id is there already.
            DuplicateIdError: an id comes twice.
            CollectionError: a collection holds fingerprints of another scheme.
        """
        self._refuse_repeats()
        for layout, number, rows in self._placed(database, connection):
            database.engine.insert(connection, layout, number, rows)

    def upsert(self, database: Database, connection: sa.Connection) -> Written:
        """Add all, or replace what is there.

        Raises:
            DuplicateIdError: an id comes twice.
            CollectionError: as for `insert`.
        """
        self._refuse_repeats()
        written = Written(0, 0)
        for layout, number, rows in self._placed(database, connection):
            written += database.engine.upsert(connection, layout, number, rows)
        return written

    def present(self, database: Database, connection: sa.Connection) -> list[tuple[str, str]]:
        """Return (collection, id) of those documents that the store has already."""
        found = []
        for name, rows in self._given.items():
            if collection := find_collection(connection, name):
                ids = [row.id for row in rows]
                there = database.engine.present(connection, Layout.of(collection), collection.number, ids)
                found += [(name, key) for key in ids if key in there]
        return found

    def _placed(self, database: Database, connection: sa.Connection) -> Iterator[tuple[Layout, int, list[Row]]]:
        # In the order of their names, so that two writers cannot wait for each other in a circle.
        for name in sorted(self._given):
            scheme_id, canonical = self._schemes[name]
            collection = make_collection(database, connection, name, scheme_id, canonical, None)
            yield Layout.of(collection), collection.number, self._given[name]

    def _refuse_repeats(self) -> None:
        for name, rows in self._given.items():
            counts = Counter(row.id for row in rows)
            if len(counts) < len(rows):
                raise DuplicateIdError([(name, repeated) for repeated, count in counts.items() if count > 1])


def _checked(document: object) -> str:
    if not isinstance(document, Document):
        raise BadDocumentError(f"{document!r} is no Document")
    return check_document(document)


@cache
def _words_of(scheme_id: str) -> int:
    return find_scheme(scheme_id).words


def add_batches(
    database: Database, documents: Iterable[Document], size: int, acknowledge: Callable[[int], object] | None
) -> int:
    """Add documents, each batch in a transaction of its own; return how many."""

    def add(batch: Batch) -> Written:
        while True:
            try:
                database.write(lambda connection: batch.insert(database, connection))
            except DuplicateKeyError as error:
                if repeated := database.read(lambda connection: batch.present(database, connection)):
                    raise DuplicateIdError(repeated) from error
            else:
                return Written(len(batch), 0)

    return _each_batch(documents, size, add, acknowledge).added


def upsert_batches(
    database: Database, documents: Iterable[Document], size: int, acknowledge: Callable[[int], object] | None
) -> Written:
    """Add or replace documents, each batch in a transaction of its own."""

    def upsert(batch: Batch) -> Written:
        return database.write(lambda connection: batch.upsert(database, connection))

    return _each_batch(documents, size, upsert, acknowledge)


def _each_batch(
    documents: Iterable[Document],
    size: int,
    write: Callable[[Batch], Written],
    acknowledge: Callable[[int], object] | None,
) -> Written:
    if size < 1:
        raise StoreParameterError(f"batches of {size!r}; their size is 1 or more")
    written, stored = Written(0, 0), 0
    rest = iter(documents)
    while listed := list(islice(rest, size)):
        try:
            written += write(Batch(listed))
        except StoreError as error:
            error.stored = stored
            raise
        stored += len(listed)
        if acknowledge:
            acknowledge(stored)
    return written
