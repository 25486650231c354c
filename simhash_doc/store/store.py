"""The store: what a program uses."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from types import TracebackType

import numpy as np
import sqlalchemy as sa

from simhash_doc.pinned import scheme as find_scheme
from simhash_doc.store import checking
from simhash_doc.store.database import Database
from simhash_doc.store.documents import (
    DEFAULT_COLLECTION,
    Collection,
    CollectionStats,
    Document,
    Match,
    Pair,
    Scalar,
    Verification,
    Written,
    is_integer,
)
from simhash_doc.store.errors import StoreParameterError
from simhash_doc.store.finding import Question, document, find_part, named_collection
from simhash_doc.store.joins import clusters_of, names_of, pair_positions, read_fingerprints, rows_in_order
from simhash_doc.store.layout import Layout
from simhash_doc.store.schema import collections, make_collection, open_schema
from simhash_doc.store.writing import BATCH, add_batches, upsert_batches
from simhash_doc.value import CUSTOM_SUFFIX, Fingerprint

_QUERIES_AT_ONCE = 1000
_PAIRS_AT_ONCE = 10_000


class FingerprintStore:
    """Fingerprints with the data of their documents, in SQLite or PostgreSQL.

    Processes and threads may share a database: each change is one transaction, which others see whole
    or not at all, and which is on the disk when the call returns. Each reading call sees one state.

    Args:
        url: the path of a SQLite file, or a URL such as ``postgresql://user@host/database``.
        create: make the file and the tables if they are not there.
        timeout: seconds to wait for other users of the database.

    Raises:
        DatabaseError: the database cannot be opened, or is none.
        SchemaVersionError: a newer program made its tables.

    >>> import tempfile
    >>> from simhash_doc import fingerprint
    >>> folder = tempfile.TemporaryDirectory()
    >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
    >>> store.add(Document("a", fingerprint("The quick brown fox"), metadata={"language": "en"}))
    >>> [(match.document.id, match.distance) for match in store.find(fingerprint("the QUICK brown fox"))]
    [('a', 0)]
    """

    def __init__(self, url: str | os.PathLike[str], *, create: bool = True, timeout: float = 30.0) -> None:
        self._database = Database(url, create=create, timeout=timeout)
        try:
            open_schema(self._database, create=create)
        except BaseException:
            self._database.close()
            raise

    def close(self) -> None:
        """Close the connections. The store opens new ones if it is used again."""
        self._database.close()

    def __enter__(self) -> FingerprintStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Collections

    def collections(self) -> list[Collection]:
        """Return all collections, in the order of their making."""
        return self._database.read(collections)

    def create_collection(self, name: str, scheme: str = "sd64", slices: int | None = None) -> Collection:
        """Make a collection, or return the one of this name.

        `add` and `upsert` make a collection by themselves, of the scheme of the first document.

        Args:
            scheme: short id, such as ``sd64``; ``+custom`` at its end for customised fingerprints.
            slices: queries reach up to slices - 1 bits; None for the scheme's recommended threshold.

        Raises:
            CollectionError: there is one, with another scheme or number of slices.
            StoreParameterError: not 1 <= slices <= bits.
            UnknownSchemeError: the scheme is not in the registry.
        """
        scheme_id = scheme.removesuffix(CUSTOM_SUFFIX)
        return self._database.write(
            lambda connection: make_collection(self._database, connection, name, scheme_id, scheme == scheme_id, slices)
        )

    # Changes

    def add(self, document: Document) -> None:
        """Store a document.

        Raises:
            DuplicateIdError: its collection has a document of this id.
            CollectionError: its collection is of another scheme.
            BadDocumentError: a part of it cannot be stored.
        """
        self.add_many([document])

    def add_many(
        self,
        documents: Iterable[Document],
        *,
        batch: int = BATCH,
        acknowledge: Callable[[int], object] | None = None,
    ) -> int:
        """Store documents, each batch in a transaction of its own; return how many.

        Args:
            batch: documents of a transaction. Larger ones are faster and take more memory.
            acknowledge: called with the number stored so far after each batch, which then is on the disk.

        Raises:
            DuplicateIdError, CollectionError, BadDocumentError: as for `add`. Nothing of the batch is
                stored then; its `stored` tells how many documents were, in batches before.
        """
        return add_batches(self._database, documents, batch, acknowledge)

    def upsert(self, document: Document) -> bool:
        """Store a document, in place of the one with its id if there is one; say whether there was none.

        Raises:
            CollectionError, BadDocumentError: as for `add`.
        """
        return self.upsert_many([document]).added == 1

    def upsert_many(
        self,
        documents: Iterable[Document],
        *,
        batch: int = BATCH,
        acknowledge: Callable[[int], object] | None = None,
    ) -> Written:
        """Store documents, in place of those with their ids; arguments are those of `add_many`.

        Raises:
            DuplicateIdError: an id comes twice in one batch.
            CollectionError, BadDocumentError: as for `add_many`.
        """
        return upsert_batches(self._database, documents, batch, acknowledge)

    def remove(self, ids: str | Iterable[str], collection: str = DEFAULT_COLLECTION) -> int:
        """Remove documents in one transaction; return how many were there.

        Raises:
            CollectionError: there is no such collection.
        """
        wanted = sorted({ids} if isinstance(ids, str) else set(ids))

        def work(connection: sa.Connection) -> int:
            known = named_collection(connection, collection)
            return self._database.engine.remove(connection, Layout.of(known), known.number, wanted)

        return self._database.write(work)

    def settle(self) -> None:
        """Vacuum and analyze the tables after many changes, as PostgreSQL does itself, but later; no need in SQLite."""
        for layout in {Layout.of(collection): None for collection in self.collections()}:
            self._database.settle(layout)

    # Reading

    def get(self, id: str, collection: str = DEFAULT_COLLECTION) -> Document | None:  # noqa: A002
        """Return a document, or None.

        Raises:
            CollectionError: there is no such collection.
        """

        def work(connection: sa.Connection) -> Document | None:
            known = named_collection(connection, collection)
            row = self._database.engine.get(connection, Layout.of(known), known.number, id)
            return None if row is None else document(row, known)

        return self._database.read(work)

    def documents(self, collection: str | None = None) -> Iterator[Document]:
        """Yield all documents of a collection, or of all, from one state of the store and without holding them all.

        Raises:
            CollectionError: there is no such collection.
        """
        with self._database.reading() as connection:
            known = collections(connection) if collection is None else [named_collection(connection, collection)]
            for one in known:
                for row in self._database.engine.scan(connection, Layout.of(one), one.number):
                    yield document(row, one)

    def find(
        self,
        fingerprint: Fingerprint,
        distance: int | None = None,
        *,
        limit: int | None = None,
        collection: str | None = None,
        where: Mapping[str, Scalar] | None = None,
    ) -> list[Match]:
        """Return the documents within a distance of a fingerprint: nearest first, then by collection and id.

        Args:
            distance: bits that may differ; None for the scheme's recommended threshold.
            limit: the most to return; None for all.
            collection: None for all collections of the fingerprint's scheme.
            where: keys that a match's metadata must have, with these values: str, number, bool or None.

        Raises:
            CollectionError: there is no such collection, or it is of another scheme.
            StoreParameterError: the distance is not below the number of slices, or limit or filter cannot be.
        """
        return next(self.find_many([fingerprint], distance, limit=limit, collection=collection, where=where))

    def find_many(
        self,
        fingerprints: Iterable[Fingerprint],
        distance: int | None = None,
        *,
        limit: int | None = None,
        collection: str | None = None,
        where: Mapping[str, Scalar] | None = None,
    ) -> Iterator[list[Match]]:
        """Yield what `find` returns for each fingerprint, in order; a thousand at a time see one state."""
        question = Question.checked(distance, limit, collection, where)
        rest = iter(fingerprints)
        while part := list(islice(rest, _QUERIES_AT_ONCE)):
            yield from self._database.read(partial(find_part, self._database, queries=part, question=question))

    def pairs(self, distance: int | None = None, collection: str = DEFAULT_COLLECTION) -> Iterator[Pair]:
        """Yield every pair of documents of a collection within a distance, once, in the order of storing.

        c documents with one fingerprint make c (c - 1) / 2 pairs (SD-LOOK-3); `clusters` answers in
        linear space. The fingerprints are read into memory: 16 bytes a document for sd64, and some 150
        more while they are joined.

        Raises:
            CollectionError: there is no such collection.
            StoreParameterError: the distance is negative or not below the number of bits.
        """
        with self._database.reading() as connection:
            known = named_collection(connection, collection)
            layout, bits = Layout.of(known), _distance(known, distance)
            entries, fingerprints = read_fingerprints(connection, layout, known)
            positions, distances = pair_positions(fingerprints, bits)
            for start in range(0, len(positions), _PAIRS_AT_ONCE):
                part = entries[positions[start : start + _PAIRS_AT_ONCE]]
                ids = names_of(self._database, connection, layout, part)
                apart = distances[start : start + _PAIRS_AT_ONCE].tolist()
                for (first, second), away in zip(part.tolist(), apart, strict=True):
                    yield Pair(ids[first], ids[second], away)

    def clusters(self, distance: int | None = None, collection: str = DEFAULT_COLLECTION) -> Iterator[list[Document]]:
        """Yield the connected components of the pairs: two documents or more each, in the order of storing.

        Memory and errors are those of `pairs`.
        """
        with self._database.reading() as connection:
            known = named_collection(connection, collection)
            layout, bits = Layout.of(known), _distance(known, distance)
            entries, fingerprints = read_fingerprints(connection, layout, known)
            groups = clusters_of(fingerprints, bits)
            rows = rows_in_order(self._database, connection, layout, entries[groups.members].tolist())
            for size in np.diff(groups.starts).tolist():
                yield [document(row, known) for row in islice(rows, size)]

    # Looking after it

    def stats(self) -> list[CollectionStats]:
        """Return the size of each collection and the cost of its queries."""
        return self._database.read(lambda connection: checking.stats(self._database, connection))

    def verify(self) -> Verification:
        """Check tables, indexes and rows. It reads everything."""
        return self._database.read(lambda connection: checking.verify(self._database, connection))


def _distance(collection: Collection, distance: int | None) -> int:
    bits = Layout.of(collection).bits
    chosen = find_scheme(collection.scheme_id).close if distance is None else distance
    if not is_integer(chosen) or not 0 <= chosen < bits:
        raise StoreParameterError(f"distance is {chosen!r}; for {collection.scheme} it is 0 to {bits - 1}")
    return chosen
