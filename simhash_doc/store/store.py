"""The store: collections of fingerprints and the data of their documents in a database."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from datetime import UTC, datetime
from itertools import islice

import numpy as np
import sqlalchemy as sa

from simhash_doc.arguments import DEFAULT_COLLECTION, Many, OnProgress, function, integer, real, texts
from simhash_doc.arguments import collection as one_of_many
from simhash_doc.duplicates.parts import find_parts
from simhash_doc.fingerprint import CUSTOM_SUFFIX, Fingerprint
from simhash_doc.fingerprints import Fingerprints
from simhash_doc.lookup.clusters import find_clusters
from simhash_doc.lookup.pairs import find_all
from simhash_doc.lookup.positions import Positions
from simhash_doc.provenance import Provenance, provenances_of
from simhash_doc.schemes import Scheme, get_scheme, or_close
from simhash_doc.store import searching
from simhash_doc.store import verify as checking
from simhash_doc.store.database import ROWS_AT_ONCE
from simhash_doc.store.documents import (
    BATCH,
    Collection,
    CollectionStats,
    Document,
    DocumentMatch,
    DocumentPair,
    Scalar,
    Verification,
    WriteResult,
    check_document,
    check_filter,
    check_text,
    utc_time,
)
from simhash_doc.store.errors import (
    BadDocumentError,
    DuplicateIdError,
    DuplicateKeyError,
    StoreError,
    StoreParameterError,
)
from simhash_doc.store.joining import Route, fingerprints_of
from simhash_doc.store.layout import Layout, NewRow, StoredRow, document, to_signed_lanes
from simhash_doc.store.schema import (
    check_collection,
    collections,
    ensure_collection,
    find_collection,
    named_collection,
    open_database,
    read_provenances,
    record_provenances,
)

_ATTEMPTS = 3  # to write a batch that is rejected although none of its ids is stored
_FIRST_QUERIES, _MOST_QUERIES, _MOST_JOINED = 16, 1000, 10_000  # that are searched at once
_MATCHES_AT_ONCE = 20_000  # of the queries that are searched at once; a match takes about 2 KB


_Batch = dict[tuple[str, str, bool], list[NewRow]]  # by the name, scheme and canonical of the collection


class FingerprintStore:
    """Fingerprints with the data of their documents, in SQLite or PostgreSQL.

    Processes and threads may share a database: each change is one atomic transaction, which is durable
    when the call returns. Each reading call sees one snapshot. A copy or a pickle opens the database again.

    Args:
        url: the path of a SQLite file, or a URL such as ``postgresql://user@host/database``.
        create: create the file and the tables if they do not exist.
        timeout: seconds to wait for other users of the database.

    Raises:
        DatabaseError: the database cannot be opened, or has no store.
        SchemaVersionError: its tables are of another version of this program.

    >>> import tempfile
    >>> from simhash_doc import fingerprint
    >>> folder = tempfile.TemporaryDirectory()
    >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
    >>> store.add(Document("a", fingerprint("The quick brown fox"), metadata={"language": "en"}))
    >>> [(match.document.id, match.distance) for match in store.find(fingerprint("the QUICK brown fox"))]
    [('a', 0)]
    """

    def __init__(self, url: str | os.PathLike[str], *, create: bool = True, timeout: float = 30.0) -> None:
        timeout = real(timeout, "timeout")
        self._database = open_database(url, create=create, timeout=timeout)
        path = os.fspath(url)
        self._opened = (path if "://" in path else os.path.abspath(path)), timeout

    def __getstate__(self) -> dict[str, object]:
        """Return what a copy opens: the path or URL, with its password, and the timeout."""
        return {"opened": self._opened}

    def __setstate__(self, state: dict[str, tuple[str, float]]) -> None:
        """Open the store again, which must exist."""
        url, timeout = state["opened"]
        self.__init__(url, create=False, timeout=timeout)  # type: ignore[misc]

    def close(self) -> None:
        """Close the connections. The store opens new ones when it is used again.

        >>> import tempfile
        >>> from simhash_doc import Fingerprint
        >>> folder = tempfile.TemporaryDirectory()
        >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
        >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
        >>> store.close()
        >>> with FingerprintStore(f"{folder.name}/near.sqlite") as again:  # closes it at the end
        ...     again.get("b").fingerprint.value
        7
        """
        self._database.close()

    def __enter__(self) -> FingerprintStore:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # Collections

    def collections(self) -> list[Collection]:
        """Return all collections, in the order of their creation.

        >>> import tempfile
        >>> from simhash_doc import Fingerprint
        >>> folder = tempfile.TemporaryDirectory()
        >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
        >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
        >>> [one.name for one in store.collections()]
        ['default']
        """
        with self._database.reading() as connection:
            return collections(connection)

    def create_collection(self, name: str, *, scheme: str | Scheme = "sd64", slices: int | None = None) -> Collection:
        """Create a collection, or return the existing one of this name.

        `add` and `upsert` create a collection of the scheme of the first document if they need one.

        Args:
            name: 1 to 200 bytes of UTF-8.
            scheme: a short id, for example ``sd64``, or a `Scheme`; with the suffix ``+custom`` for customized
                fingerprints.
            slices: queries reach up to 2 * slices - 1 bits, and are fastest up to slices - 1. None for the default,
                which suits the close threshold of the scheme.

        Raises:
            CollectionError: it exists with a different scheme or number of slices.
            StoreParameterError: not 1 <= slices <= bits.
            UnknownSchemeError: the scheme is not in the registry.

        >>> import tempfile
        >>> from simhash_doc import Fingerprint
        >>> folder = tempfile.TemporaryDirectory()
        >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
        >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
        >>> store.create_collection("wide", scheme="sd256").slices
        14
        """
        if not isinstance(scheme, str | Scheme):
            raise TypeError(f"scheme is {type(scheme).__name__}; expected a short id, for example 'sd64', or a Scheme")
        if slices is not None:
            slices = integer(slices, "slices", 1, error=StoreParameterError)
        text = str(scheme)
        scheme_id = text.removesuffix(CUSTOM_SUFFIX)
        return self._database.write(
            lambda connection: ensure_collection(self._database, connection, name, scheme_id, text == scheme_id, slices)
        )

    def provenances(self, collection: str = DEFAULT_COLLECTION) -> tuple[Provenance, ...]:
        """Return the different provenances of the fingerprints of a collection, as far as known.

        Raises:
            CollectionError: the collection does not exist.

        >>> import tempfile
        >>> from simhash_doc import Fingerprint
        >>> folder = tempfile.TemporaryDirectory()
        >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
        >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
        >>> store.provenances()
        ()
        """
        with self._database.reading() as connection:
            return read_provenances(connection, named_collection(connection, collection))

    def add_provenances(self, provenances: Iterable[Provenance], *, collection: str = DEFAULT_COLLECTION) -> None:
        """Record where the fingerprints of a collection come from. At most a hundred provenances are stored.

        Raises:
            CollectionError: the collection does not exist.
            SchemeMismatchError: a provenance is of a different scheme than the collection.

        >>> import tempfile
        >>> from simhash_doc import Fingerprint
        >>> folder = tempfile.TemporaryDirectory()
        >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
        >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
        >>> from simhash_doc.provenance import Provenance, provenances_of
        >>> store.add_provenances([Provenance.of_package("sd64")])
        >>> [one.scheme for one in store.provenances()]
        ['sd64']
        """
        listed = provenances_of(provenances)

        def work(connection: sa.Connection) -> None:
            record_provenances(self._database, connection, named_collection(connection, collection), listed)

        self._database.write(work)

    # Changes

    def add(self, document: Document) -> None:
        """Store a document.

        Raises:
            DuplicateIdError: its collection has a document of this id.
            CollectionError: its collection has a different scheme.
            BadDocumentError: a part of it is invalid.

        >>> import tempfile
        >>> from simhash_doc import Fingerprint
        >>> folder = tempfile.TemporaryDirectory()
        >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
        >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
        >>> store.add(Document("c", Fingerprint(255)))
        >>> store.get("c").fingerprint.value
        255
        """
        self.add_many([document])

    def add_many(
        self,
        documents: Iterable[Document],
        *,
        batch: int = BATCH,
        progress: OnProgress = lambda done, total: None,
    ) -> int:
        """Store documents, each batch in a separate transaction; return how many.

        Args:
            documents: a collection or an iterator, which may be endless.
            batch: documents per transaction. Larger batches are faster and take more memory.
            progress: called after each batch, which is durable then, with the number stored so far, and the number of
                all documents if they are a sequence.

        Raises:
            DuplicateIdError, CollectionError, BadDocumentError: as for `add`. Nothing of the batch is
                stored then; `stored` of the error is the number of documents stored before it.

        >>> import tempfile
        >>> from simhash_doc import Fingerprint
        >>> folder = tempfile.TemporaryDirectory()
        >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
        >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
        >>> store.add_many([Document("c", Fingerprint(255)), Document("d", Fingerprint(254))])
        2
        """
        return self._write(documents, batch, progress, replace=False).added

    def upsert(self, document: Document) -> bool:
        """Store a document, or replace the document with the same id; return True if the id was new.

        Raises:
            CollectionError, BadDocumentError: as for `add`.

        >>> import tempfile
        >>> from simhash_doc import Fingerprint
        >>> folder = tempfile.TemporaryDirectory()
        >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
        >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
        >>> store.upsert(Document("a", Fingerprint(255))), store.upsert(Document("c", Fingerprint(1)))
        (False, True)
        """
        return self.upsert_many([document]).added == 1

    def upsert_many(
        self,
        documents: Iterable[Document],
        *,
        batch: int = BATCH,
        progress: OnProgress = lambda done, total: None,
    ) -> WriteResult:
        """Store documents, and replace documents that have the same ids. The arguments are those of `add_many`.

        Raises:
            DuplicateIdError: an id occurs twice in one batch.
            CollectionError, BadDocumentError: as for `add_many`.

        >>> import tempfile
        >>> from simhash_doc import Fingerprint
        >>> folder = tempfile.TemporaryDirectory()
        >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
        >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
        >>> store.upsert_many([Document("a", Fingerprint(255)), Document("c", Fingerprint(1))])
        WriteResult(added=1, replaced=1, skipped=0)
        """
        return self._write(documents, batch, progress, replace=True)

    def _write(self, documents: Iterable[Document], size: int, progress: OnProgress, *, replace: bool) -> WriteResult:
        size = integer(size, "batch", 1, error=StoreParameterError)
        function(progress, "progress")
        written, stored = WriteResult(0, 0), 0
        total = len(documents) if isinstance(documents, Sized) else None
        rest: Iterator[Document] = iter(one_of_many(documents, "documents", "Document"))
        while part := list(islice(rest, size)):
            try:
                written += self._write_batch(part, replace=replace)
            except StoreError as error:
                error.stored = stored
                raise
            stored += len(part)
            progress(stored, total)
        return written

    def _write_batch(self, documents: Sequence[Document], *, replace: bool) -> WriteResult:
        batch = _checked(documents)
        write = self._database.upsert if replace else self._database.insert

        def work(connection: sa.Connection) -> WriteResult:
            written = WriteResult(0, 0)
            for (name, scheme_id, canonical), rows in batch.items():
                collection = ensure_collection(self._database, connection, name, scheme_id, canonical, None)
                written += write(connection, Layout.of(collection), collection.number, rows)
            return written

        for _ in range(_ATTEMPTS):  # another process may have removed what was in the way
            try:
                return self._database.write(work)
            except DuplicateKeyError as error:
                refused = error
                if not replace and (repeated := self._present(batch)):
                    raise DuplicateIdError(repeated) from error
        raise refused

    def _present(self, batch: _Batch) -> list[tuple[str, str]]:
        found = []
        with self._database.reading() as connection:
            for (name, *_), rows in batch.items():
                if collection := find_collection(connection, name):
                    ids = [row.id for row in rows]
                    existing = self._database.present(connection, Layout.of(collection), collection.number, ids)
                    found += [(name, key) for key in ids if key in existing]
        return found

    def remove(self, ids: str | Iterable[str], *, collection: str = DEFAULT_COLLECTION) -> int:
        """Remove documents in one transaction; return how many existed.

        Args:
            ids: one id, or a collection of ids.
            collection: name of the collection.

        Raises:
            CollectionError: the collection does not exist.

        >>> import tempfile
        >>> from simhash_doc import Fingerprint
        >>> folder = tempfile.TemporaryDirectory()
        >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
        >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
        >>> store.remove(["a", "missing"]), store.get("a")
        (1, None)
        """
        given = {ids} if isinstance(ids, str) else {*texts(ids, "ids", "ids")}
        distinct = sorted(filter(_can_exist, given))

        def work(connection: sa.Connection) -> int:
            known = named_collection(connection, collection)
            return self._database.remove(connection, Layout.of(known), known.number, distinct)

        return self._database.write(work)

    def optimize(self) -> None:
        """Vacuum and analyze the tables after many changes. PostgreSQL would do this later; SQLite does not need it.

        >>> import tempfile
        >>> from simhash_doc import Fingerprint
        >>> folder = tempfile.TemporaryDirectory()
        >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
        >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
        >>> store.optimize()
        """
        for layout in {Layout.of(collection): None for collection in self.collections()}:
            self._database.optimize(layout)

    # Reading

    def get(self, id: str, *, collection: str = DEFAULT_COLLECTION) -> Document | None:  # noqa: A002
        """Return a document, or None.

        Raises:
            CollectionError: the collection does not exist.
            TypeError: the id is not a str.

        >>> import tempfile
        >>> from simhash_doc import Fingerprint
        >>> folder = tempfile.TemporaryDirectory()
        >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
        >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
        >>> store.get("b").fingerprint.value, store.get("missing")
        (7, None)
        """
        if not isinstance(id, str):
            raise TypeError(f"id is {id!r}, of type {type(id).__name__}; expected a str")
        with self._database.reading() as connection:
            known = named_collection(connection, collection)
            row = self._database.get(connection, Layout.of(known), known.number, id) if _can_exist(id) else None
            return None if row is None else document(row, known)

    def documents(self, collection: str | None = None) -> Iterator[Document]:
        """Yield all documents of a collection, or of all, from one snapshot and without loading them all.

        Raises:
            CollectionError: the collection does not exist.

        >>> import tempfile
        >>> from simhash_doc import Fingerprint
        >>> folder = tempfile.TemporaryDirectory()
        >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
        >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
        >>> [document.id for document in store.documents()]
        ['a', 'b']
        """
        with self._database.reading() as connection:
            known = collections(connection) if collection is None else [named_collection(connection, collection)]
            for one in known:
                for row in self._database.scan(connection, Layout.of(one), one.number):
                    yield document(row, one)

    def find(
        self,
        fingerprint: Fingerprint | str,
        *,
        distance: int | None = None,
        limit: int | None = None,
        collection: str | None = None,
        where: Mapping[str, Scalar] | None = None,
    ) -> list[DocumentMatch]:
        """Return the documents within a distance of a fingerprint: nearest first, then by collection and id.

        Args:
            fingerprint: the query, or its text form.
            distance: bits that may differ; None for the close threshold of the scheme.
            limit: maximum number of matches; None for all.
            collection: None for all collections of the fingerprint's scheme.
            where: keys that a match's metadata must have, with these values: str, number, bool or None.

        Raises:
            CollectionError: the collection does not exist, or it has a different scheme.
            TypeError: the distance or the limit is not an integer.
            BadDocumentError: the query is neither a `Fingerprint` nor a text form.
            StoreParameterError: the distance is not below twice the number of slices; or the limit or the filter is
                invalid.

        >>> import tempfile
        >>> from simhash_doc import Fingerprint
        >>> folder = tempfile.TemporaryDirectory()
        >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
        >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
        >>> [(match.document.id, match.distance) for match in store.find(Fingerprint(1), distance=1)]
        [('a', 1)]
        """
        if fingerprint is None:
            raise BadDocumentError("the query is None, not a Fingerprint")
        return next(self.find_many([fingerprint], distance=distance, limit=limit, collection=collection, where=where))

    def find_many(
        self,
        fingerprints: Many[Fingerprint | str | None] | Fingerprints,
        *,
        distance: int | None = None,
        limit: int | None = None,
        collection: str | None = None,
        where: Mapping[str, Scalar] | None = None,
    ) -> Iterator[list[DocumentMatch]]:
        """Yield what `find` returns for each fingerprint or text form, in order, and [] for None.

        Queries of one read share a snapshot.

        Without `where`, many queries are joined with all fingerprints of the collections, if this is faster than a
        search for each. The answers are the same.

        >>> import tempfile
        >>> from simhash_doc import Fingerprint
        >>> folder = tempfile.TemporaryDirectory()
        >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
        >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
        >>> [[match.document.id for match in found] for found in store.find_many([Fingerprint(1), None])]
        [['a', 'b'], []]
        """
        if limit is not None:
            limit = integer(limit, "limit", 1, error=StoreParameterError)
        if distance is not None:
            distance = integer(distance, "distance", 0, error=StoreParameterError)
        query = searching.Query(distance, limit, collection, check_filter(where))
        return self._found(iter(one_of_many(fingerprints, "fingerprints", "Fingerprint")), query)

    def _found(self, rest: Iterator[Fingerprint | str | None], query: searching.Query) -> Iterator[list[DocumentMatch]]:
        size, route = _FIRST_QUERIES, Route()
        while part := list(islice(rest, size)):
            with self._database.reading() as connection:
                answers = searching.find_matches(self._database, connection, part, query, route)
            fitting = _MATCHES_AT_ONCE * len(part) // max(sum(map(len, answers)), 1)
            more, most = (8, _MOST_JOINED) if route.joined else (2, _MOST_QUERIES)
            size = max(1, min(more * len(part), fitting, most))
            yield from answers

    def pairs(self, *, distance: int | None = None, collection: str = DEFAULT_COLLECTION) -> Iterator[DocumentPair]:
        """Yield every pair of documents of a collection within a distance, once, in the order of insertion.

        c documents with one fingerprint make c (c - 1) / 2 pairs (SD-LOOK-3); `clusters` needs only
        linear space. The fingerprints are read into memory: 16 bytes per document for sd64, and about
        150 more while they are joined.

        Raises:
            CollectionError: the collection does not exist.
            StoreParameterError: the distance is negative or not below the number of bits.
            TooExpensiveError: the pairs cannot be found in a reasonable time.

        >>> import tempfile
        >>> from simhash_doc import Fingerprint
        >>> folder = tempfile.TemporaryDirectory()
        >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
        >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
        >>> [(pair.first, pair.second, pair.distance) for pair in store.pairs()]
        [('a', 'b', 3)]
        """
        with self._database.reading() as connection:
            known = named_collection(connection, collection)
            layout = Layout.of(known)
            entries, fingerprints = next(fingerprints_of(connection, layout, known.number))
            for *both, apart in find_all(fingerprints, distance=_distance(known, distance)).batches():
                firsts, seconds = (entries[side] for side in both)
                rows = self._database.fetch(connection, layout, np.union1d(firsts, seconds).tolist())
                ids = {row.entry: document(row, known).id for row in rows}
                for first, second, bits in zip(firsts.tolist(), seconds.tolist(), apart.tolist(), strict=True):
                    yield DocumentPair(ids[first], ids[second], bits)

    def clusters(
        self, *, distance: int | None = None, collection: str = DEFAULT_COLLECTION
    ) -> Iterator[list[Document]]:
        """Yield the connected components of the pairs: two documents or more each, in the order of insertion.

        Two documents of a component may be further apart than the distance. To leave out documents, use
        `simhash_doc.find_duplicates`. Memory and errors are as for `pairs`.

        >>> import tempfile
        >>> from simhash_doc import Fingerprint
        >>> folder = tempfile.TemporaryDirectory()
        >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
        >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
        >>> [[document.id for document in cluster] for cluster in store.clusters()]
        [['a', 'b']]
        """
        with self._database.reading() as connection:
            known = named_collection(connection, collection)
            entries, fingerprints = next(fingerprints_of(connection, Layout.of(known), known.number))
            components = find_clusters(fingerprints, distance=_distance(known, distance))
            yield from self._groups(connection, known, entries, components)

    def _groups(
        self, connection: sa.Connection, known: Collection, entries: Positions, groups: Iterable[Positions]
    ) -> Iterator[list[Document]]:
        """Yield the documents of groups, which are positions among the numbers of rows."""
        groups = [*groups]
        wanted = [entry for group in groups for entry in entries[group].tolist()]
        rows = self._fetch_in_order(connection, Layout.of(known), wanted)
        for group in groups:
            yield [document(next(rows), known) for _ in group]

    def _fetch_in_order(self, connection: sa.Connection, layout: Layout, entries: Sequence[int]) -> Iterator[StoredRow]:
        for start in range(0, len(entries), ROWS_AT_ONCE):
            part = entries[start : start + ROWS_AT_ONCE]
            rows = {row.entry: row for row in self._database.fetch(connection, layout, part)}
            yield from (rows[entry] for entry in part)

    # Maintenance

    def stats(self) -> list[CollectionStats]:
        """Return the size of each collection and the cost of its queries.

        >>> import tempfile
        >>> from simhash_doc import Fingerprint
        >>> folder = tempfile.TemporaryDirectory()
        >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
        >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
        >>> [(one.collection.name, one.documents) for one in store.stats()]
        [('default', 2)]
        """
        with self._database.reading() as connection:
            return checking.collection_stats(self._database, connection)

    def verify(self) -> Verification:
        """Check tables, indexes and rows. It reads everything.

        >>> import tempfile
        >>> from simhash_doc import Fingerprint
        >>> folder = tempfile.TemporaryDirectory()
        >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
        >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
        >>> store.verify().valid
        True
        """
        with self._database.reading() as connection:
            return checking.verify_database(self._database, connection)


def _distance(collection: Collection, distance: int | None) -> int:
    bits = Layout.of(collection).bits
    chosen = or_close(collection.scheme, distance)
    return integer(chosen, "distance", 0, bits - 1, StoreParameterError)


def _can_exist(name: str) -> bool:
    """Return False for an id that a database text cannot hold."""
    try:
        check_text(name, "an id")
    except BadDocumentError:
        return False
    return True


def _checked(documents: Sequence[Document]) -> _Batch:
    """Return documents as rows, in the order of their collections, so that two writers cannot deadlock.

    Raises:
        BadDocumentError: a document cannot be stored.
        CollectionError: documents of one collection are of different schemes.
        DuplicateIdError: an id occurs twice.
    """
    now = datetime.now(UTC)
    batch: _Batch = {}
    schemes: dict[str, tuple[str, bool]] = {}
    for one in documents:
        if not isinstance(one, Document):
            raise BadDocumentError(f"{one!r} is not a Document")
        metadata = check_document(one)
        fingerprint, name = one.fingerprint, one.collection
        own = fingerprint.scheme.id, fingerprint.canonical
        scheme = schemes.setdefault(name, own)
        if own != scheme:
            check_collection(Collection(0, name, get_scheme(scheme[0]), scheme[1], 0), *own)
        lanes = to_signed_lanes(fingerprint.value, fingerprint.scheme.lanes)
        time = now if one.time is None else utc_time(one.id, one.time)
        batch.setdefault((name, *scheme), []).append(NewRow(one.id, one.uri, metadata, time, lanes))
    for (name, *_), rows in batch.items():
        counts = Counter(row.id for row in rows)
        if len(counts) < len(rows):
            raise DuplicateIdError([(name, repeated) for repeated, count in counts.items() if count > 1])
    return dict(sorted(batch.items()))


def comparable_parts(store: FingerprintStore, distance: int, collection: str) -> tuple[list[list[Document]], bool]:
    """Return the parts of a collection in which texts can be compared, and whether near fingerprints connect each.

    They are the clusters; or one part has all documents, because a search for near fingerprints takes too long
    (`simhash_doc.duplicates.parts`). Errors are as for `FingerprintStore.pairs`.
    """
    with store._database.reading() as connection:
        known = named_collection(connection, collection)
        entries, fingerprints = next(fingerprints_of(connection, Layout.of(known), known.number))
        found = find_parts(fingerprints, _distance(known, distance), tokens=0)
        return [*store._groups(connection, known, entries, found.members)], found.near
