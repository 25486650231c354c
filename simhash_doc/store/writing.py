"""Insertion of documents, in atomic batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from itertools import islice

import sqlalchemy as sa

from simhash_doc.schemes import get_scheme
from simhash_doc.store.backend import Row
from simhash_doc.store.database import Database
from simhash_doc.store.documents import Collection, Document, WriteResult, check_document, utc_time
from simhash_doc.store.errors import (
    BadDocumentError,
    DuplicateIdError,
    DuplicateKeyError,
    StoreError,
    StoreParameterError,
)
from simhash_doc.store.layout import Layout
from simhash_doc.store.schema import check_collection, ensure_collection, find_collection
from simhash_doc.store.slices import to_signed_lanes

BATCH = 50_000  # documents; smaller batches write every page of the indexes for fewer documents


class Batch:
    """Checked documents of one transaction, by collection."""

    def __init__(self, documents: Sequence[Document]) -> None:
        now = datetime.now(UTC)
        self._given: dict[str, list[Row]] = {}
        self._schemes: dict[str, tuple[str, bool]] = {}
        for document in documents:
            metadata = _checked(document)
            fingerprint, name = document.fingerprint, document.collection
            if name not in self._given:
                self._given[name], self._schemes[name] = [], (fingerprint.scheme_id, fingerprint.canonical)
            scheme_id, canonical = self._schemes[name]
            if fingerprint.scheme_id != scheme_id or fingerprint.canonical != canonical:
                check_collection(
                    Collection(0, name, scheme_id, canonical, 0), fingerprint.scheme_id, fingerprint.canonical
                )
            lanes = to_signed_lanes(fingerprint.value, _lanes_of(scheme_id))
            time = now if document.time is None else utc_time(document.id, document.time)
            self._given[name].append(Row(document.id, document.uri, metadata, time, lanes))

    def __len__(self) -> int:
        return sum(map(len, self._given.values()))

    def insert(self, database: Database, connection: sa.Connection) -> None:
        """Add all documents.

        Raises:
            DuplicateKeyError: an id exists already.
            DuplicateIdError: an id occurs twice.
            CollectionError: a collection holds fingerprints of another scheme.
        """
        self._reject_repeats()
        for layout, number, rows in self._by_table(database, connection):
            database.backend.insert(connection, layout, number, rows)

    def upsert(self, database: Database, connection: sa.Connection) -> WriteResult:
        """Add all documents, or replace existing ones.

        Raises:
            DuplicateIdError: an id occurs twice.
            CollectionError: as for `insert`.
        """
        self._reject_repeats()
        written = WriteResult(0, 0)
        for layout, number, rows in self._by_table(database, connection):
            written += database.backend.upsert(connection, layout, number, rows)
        return written

    def present(self, database: Database, connection: sa.Connection) -> list[tuple[str, str]]:
        """Return (collection, id) of the documents that exist in the store."""
        found = []
        for name, rows in self._given.items():
            if collection := find_collection(connection, name):
                ids = [row.id for row in rows]
                existing = database.backend.present(connection, Layout.of(collection), collection.number, ids)
                found += [(name, key) for key in ids if key in existing]
        return found

    def _by_table(self, database: Database, connection: sa.Connection) -> Iterator[tuple[Layout, int, list[Row]]]:
        # In the order of their names, so that two writers cannot deadlock.
        for name in sorted(self._given):
            scheme_id, canonical = self._schemes[name]
            collection = ensure_collection(database, connection, name, scheme_id, canonical, None)
            yield Layout.of(collection), collection.number, self._given[name]

    def _reject_repeats(self) -> None:
        for name, rows in self._given.items():
            counts = Counter(row.id for row in rows)
            if len(counts) < len(rows):
                raise DuplicateIdError([(name, repeated) for repeated, count in counts.items() if count > 1])


def _checked(document: object) -> str:
    if not isinstance(document, Document):
        raise BadDocumentError(f"{document!r} is not a Document")
    return check_document(document)


@cache
def _lanes_of(scheme_id: str) -> int:
    return get_scheme(scheme_id).lanes


def add_batches(
    database: Database, documents: Iterable[Document], size: int, on_commit: Callable[[int], object] | None
) -> int:
    """Add documents, each batch in a separate transaction; return how many."""

    def add(batch: Batch) -> WriteResult:
        while True:
            try:
                database.write(lambda connection: batch.insert(database, connection))
            except DuplicateKeyError as error:
                if repeated := database.read(lambda connection: batch.present(database, connection)):
                    raise DuplicateIdError(repeated) from error
            else:
                return WriteResult(len(batch), 0)

    return _each_batch(documents, size, add, on_commit).added


def upsert_batches(
    database: Database, documents: Iterable[Document], size: int, on_commit: Callable[[int], object] | None
) -> WriteResult:
    """Add or replace documents, each batch in a separate transaction."""

    def upsert(batch: Batch) -> WriteResult:
        return database.write(lambda connection: batch.upsert(database, connection))

    return _each_batch(documents, size, upsert, on_commit)


def _each_batch(
    documents: Iterable[Document],
    size: int,
    write: Callable[[Batch], WriteResult],
    on_commit: Callable[[int], object] | None,
) -> WriteResult:
    if size < 1:
        raise StoreParameterError(f"the batch size is {size!r}; expected 1 or more")
    written, stored = WriteResult(0, 0), 0
    rest = iter(documents)
    while listed := list(islice(rest, size)):
        try:
            written += write(Batch(listed))
        except StoreError as error:
            error.stored = stored
            raise
        stored += len(listed)
        if on_commit:
            on_commit(stored)
    return written
