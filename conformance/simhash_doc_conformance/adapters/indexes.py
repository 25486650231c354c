"""The searches of this package as indexes: those that `conformance adapter --index` names."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from uuid import uuid4

from simhash_doc import lookup
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.schemes import get_scheme
from simhash_doc_conformance.errors import InputError, NotUnderstoodError

if TYPE_CHECKING:
    from simhash_doc.store import FingerprintStore

Entries = Sequence[tuple[str, Fingerprint]]
IdPairs = list[tuple[str, str]]
_MEMORY = 1 << 30  # bytes, for pairs on disk


def _cannot(given: object) -> NoReturn:
    raise NotUnderstoodError("this index only finds pairs")


@dataclass(frozen=True, slots=True)
class Index:
    """An empty index of one scheme, for queries within one distance.

    Attributes:
        pairs: return all pairs among entries that are not in the index yet.
        insert: add entries.
        near: return for each query the ids that are found.
        remove: remove entries.
    """

    pairs: Callable[[Entries], IdPairs]
    insert: Callable[[Entries], object] = _cannot
    near: Callable[[Sequence[Fingerprint]], list[list[str]]] = _cannot
    remove: Callable[[Entries], object] = _cannot


Open = Callable[[str, int], AbstractContextManager[Index]]


@contextmanager
def _memory(scheme: str, distance: int) -> Iterator[Index]:
    """A `Corpus` in memory, and `find_all`, which the engine `native` computes in the compiled core."""
    corpus = lookup.Corpus(distance=distance, scheme=get_scheme(scheme))
    yield Index(
        lambda entries: _named(
            entries, lookup.find_all(_values(entries), distance=distance, scheme=get_scheme(scheme))
        ),
        partial(_insert, corpus),
        partial(_near, corpus),
        lambda entries: corpus.remove_many(_values(entries), ids=[name for name, _ in entries]),
    )


@contextmanager
def _directory(scheme: str, distance: int) -> Iterator[Index]:
    """A `Corpus` in a directory, opened again for each step, and `find_all` within a limit of memory.

    It gets bare numbers: a directory has one mark for all fingerprints, and refuses the other one.
    """
    with tempfile.TemporaryDirectory() as folder:
        path, pairs = Path(folder, "corpus"), Path(folder, "pairs.npy")

        def find_all(entries: Entries) -> IdPairs:
            values = _values(entries)
            output = lookup.PairFile(path=pairs, memory=_MEMORY)
            return _named(entries, lookup.find_all(values, distance=distance, scheme=get_scheme(scheme), output=output))

        def insert(entries: Entries) -> None:
            values, names = [value.value for _, value in entries], [name for name, _ in entries]
            if not path.exists():
                lookup.Corpus.build(path, values, ids=names, distance=distance, scheme=get_scheme(scheme))
            elif len(entries) == 1:
                lookup.Corpus.open(path).insert(values[0], id=names[0])
            else:
                lookup.Corpus.open(path).add_many(values, ids=names)

        yield Index(
            find_all,
            insert,
            lambda queries: _near(lookup.Corpus.open(path), queries),
            lambda entries: lookup.Corpus.open(path).remove_many(_values(entries), ids=[name for name, _ in entries]),
        )


@contextmanager
def _clusters(scheme: str, distance: int) -> Iterator[Index]:
    """`find_clusters`: two fingerprints within the distance are in one cluster, and pairs connect each cluster."""

    def pairs(entries: Entries) -> IdPairs:
        found = []
        for cluster in lookup.find_clusters(_values(entries), distance=distance, scheme=get_scheme(scheme)):
            members = [entries[at] for at in cluster]
            close = [(a[0], b[0]) for a, b in combinations(members, 2) if a[1].distance(b[1]) <= distance]
            if not _are_connected([name for name, _ in members], close):
                raise AssertionError(f"a cluster at distance {distance} is not connected: {members[:10]}")
            found += close
        return found

    yield Index(pairs)


def _are_connected(names: Sequence[str], close: IdPairs) -> bool:
    """Return True if all of some names are reached from the first."""
    reached, size = {names[0]}, 0
    while len(reached) > size:
        size = len(reached)
        for a, b in close:
            if a in reached or b in reached:
                reached |= {a, b}
    return len(reached) == len(names)


@contextmanager
def _store(url: str, scheme: str, distance: int) -> Iterator[Index]:
    """A collection of its own in a database. The mark of customised fingerprints is not stored (SD-LOOK-4)."""
    from simhash_doc.store import BadDocumentError, Document

    store, name = _opened_store(url), f"conformance-{uuid4().hex}"
    store.create_collection(name, scheme=scheme, slices=distance + 1)

    def insert(entries: Entries) -> None:
        try:
            store.add_many(
                Document(key, Fingerprint(value.value, value.scheme), collection=name) for key, value in entries
            )
        except BadDocumentError as error:
            raise NotUnderstoodError(str(error)) from error

    def pairs(entries: Entries) -> IdPairs:
        insert(entries)
        return [(pair.first, pair.second) for pair in store.pairs(distance=distance, collection=name)]

    try:
        yield Index(
            pairs,
            insert,
            lambda queries: [
                [match.document.id for match in found]
                for found in store.find_many(queries, distance=distance, collection=name)
            ],
            lambda entries: store.remove((key for key, _ in entries), collection=name),
        )
    finally:
        store.remove([document.id for document in store.documents(name)], collection=name)


@cache
def _opened_store(url: str) -> FingerprintStore:
    from simhash_doc.store import FingerprintStore

    return FingerprintStore(url)


@cache
def _sqlite_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder that is removed at the end of the process."""
    return tempfile.TemporaryDirectory()


@contextmanager
def _spark(scheme: str, distance: int) -> Iterator[Index]:
    """Tables of Spark, in a session of this process."""
    from simhash_doc import spark
    from simhash_doc.spark.session import start_session

    session = start_session()
    stored: list[tuple[str, Fingerprint]] = []

    def table(rows: Entries) -> Any:
        schema = "id string, fingerprint binary"
        return session.createDataFrame([(name, bytearray(bytes(value))) for name, value in rows], schema)

    def near(queries: Sequence[Fingerprint]) -> list[list[str]]:
        asked = table([(str(at), query) for at, query in enumerate(queries)])
        answers: list[list[str]] = [[] for _ in queries]
        with spark.query(table(stored), asked, distance=distance) as found:
            for row in found.ids.collect():
                answers[int(row["query"])].append(row["match"])
        return answers

    def pairs(entries: Entries) -> IdPairs:
        with spark.find_all(table(entries), distance=distance) as found:
            return [(row["a"], row["b"]) for row in found.ids().collect()]

    yield Index(pairs, stored.extend, near)


INDEXES: dict[str, Open] = {"memory": _memory, "directory": _directory, "clusters": _clusters, "spark": _spark}


def open_with(index: str) -> tuple[str, Open]:
    """Return the name of a search, and the function that opens an empty index.

    Args:
        index: a name of `INDEXES`, ``sqlite``, or the URL of a PostgreSQL database, where collections are created.

    Raises:
        InputError: the name of the search is unknown.
    """
    if index == "sqlite":
        return index, partial(_store, str(Path(_sqlite_folder().name, "conformance.sqlite")))
    if index.startswith("postgresql"):
        return "postgresql", partial(_store, index)
    if index not in INDEXES:
        names = ", ".join([*INDEXES, "sqlite"])
        raise InputError(f"{index!r} is not an index; expected {names}, or the URL of a PostgreSQL database")
    return index, INDEXES[index]


def _values(entries: Entries) -> list[Fingerprint]:
    return [value for _, value in entries]


def _insert(corpus: lookup.Corpus, entries: Entries) -> None:
    if len(entries) == 1:
        corpus.insert(entries[0][1], id=entries[0][0])
    else:
        corpus.add_many(_values(entries), ids=[name for name, _ in entries])


def _near(corpus: lookup.Corpus, queries: Sequence[Fingerprint]) -> list[list[str]]:
    found: Iterable[list[lookup.Match]] = corpus.find_many(queries)
    if len(queries) == 1:
        found = [corpus.find(queries[0])]
    return [[str(name) for match in matches for name in match.ids] for matches in found]


def _named(entries: Entries, pairs: lookup.Pairs) -> IdPairs:
    return [(entries[a][0], entries[b][0]) for a, b, _ in pairs]
