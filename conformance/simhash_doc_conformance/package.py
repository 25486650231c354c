"""This package as an implementation: each operation is answered by what its users call, never by the reference.

A search is one of those that `conformance adapter --index` names.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import metadata
from io import BytesIO
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from uuid import uuid4

import simhash_doc
from simhash_doc import extract, lookup
from simhash_doc.engines import python, strings
from simhash_doc.engines.select import get_setting, set_engine
from simhash_doc.errors import SchemeMismatchError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.schemes import get_scheme
from simhash_doc_conformance.errors import InputError, NotUnderstoodError
from simhash_doc_conformance.inputs import Entry

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
    """A `Corpus` in memory, and `find_all`, by the loops of the engine."""
    corpus = lookup.Corpus(distance=distance, scheme=scheme)
    yield Index(
        lambda entries: _named(entries, lookup.find_all(_values(entries), distance=distance, scheme=scheme)),
        partial(_insert, corpus),
        partial(_near, corpus),
        lambda entries: corpus.remove_bulk(_values(entries), [name for name, _ in entries]),
    )


@contextmanager
def _directory(scheme: str, distance: int) -> Iterator[Index]:
    """A `Corpus` in a directory, opened again for each step, and `find_all` within a limit of memory."""
    with tempfile.TemporaryDirectory() as folder:
        path, pairs = Path(folder, "corpus"), Path(folder, "pairs.npy")

        def find_all(entries: Entries) -> IdPairs:
            values = _values(entries)
            return _named(
                entries, lookup.find_all(values, distance=distance, scheme=scheme, memory=_MEMORY, output=pairs)
            )

        def insert(entries: Entries) -> None:
            if path.exists():
                _insert(lookup.Corpus.open(path), entries)
            else:
                names = [name for name, _ in entries]
                lookup.Corpus.build(path, _values(entries), names, distance=distance, scheme=scheme)

        yield Index(
            find_all,
            insert,
            lambda queries: _near(lookup.Corpus.open(path), queries),
            lambda entries: lookup.Corpus.open(path).remove_bulk(_values(entries), [name for name, _ in entries]),
        )


@contextmanager
def _clusters(scheme: str, distance: int) -> Iterator[Index]:
    """`find_clusters`: two fingerprints within the distance are in one cluster, and pairs connect each cluster."""

    def pairs(entries: Entries) -> IdPairs:
        found = []
        for cluster in lookup.find_clusters(_values(entries), distance=distance, scheme=scheme):
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
    store.create_collection(name, scheme, distance + 1)

    def insert(entries: Entries) -> None:
        try:
            store.add_many(Document(key, replace(value, canonical=True), collection=name) for key, value in entries)
        except BadDocumentError as error:
            raise NotUnderstoodError(str(error)) from error

    def pairs(entries: Entries) -> IdPairs:
        insert(entries)
        return [(pair.first, pair.second) for pair in store.pairs(distance, name)]

    try:
        yield Index(
            pairs,
            insert,
            lambda queries: [
                [match.document.id for match in found] for found in store.find_many(queries, distance, collection=name)
            ],
            lambda entries: store.remove((key for key, _ in entries), name),
        )
    finally:
        store.remove([document.id for document in store.documents(name)], name)


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
        corpus.insert(entries[0][1], entries[0][0])
    else:
        corpus.insert_bulk(_values(entries), [name for name, _ in entries])


def _near(corpus: lookup.Corpus, queries: Sequence[Fingerprint]) -> list[list[str]]:
    found = [corpus.matches(queries[0])] if len(queries) == 1 else corpus.matches_bulk(queries)
    return [[str(name) for match in matches for name in match.ids] for matches in found]


def _named(entries: Entries, pairs: lookup.Pairs) -> IdPairs:
    return [(entries[a][0], entries[b][0]) for a, b in pairs.positions().tolist()]


# The steps that the engines `numpy` and `numba` do not expose. Declaring them would certify the engine `python`.
_STEPS = frozenset({"fold", "tokens", "hash_tokens", "trace"})


class PackageImplementation:
    """The package with the engine of this process.

    `fold` and `tokens` are the steps of the engine `python`; all others are public functions.

    Args:
        engine: `auto`, `python`, `numpy` or `numba`, see `set_engine`; None to keep the configured engine.
        index: see `open_with`.

    Raises:
        EngineUnavailableError: the engine is not installed or cannot be used.
        InputError: the name of the index is unknown.
    """

    def __init__(self, engine: str | None = None, index: str = "memory") -> None:
        if engine is not None:
            set_engine(engine)
        self.engine = get_setting()
        self.index: str | None
        self.index, self._open = open_with(index)
        self.undeclared = frozenset() if has_extra("extract") else frozenset({"extract"})
        if self.index in ("clusters", "spark"):
            self.undeclared |= {"update"} if self.index == "spark" else {"query", "update"}
        if self.engine in ("numpy", "numba"):
            self.undeclared |= _STEPS

    def fingerprint_text_form(self, given: str | bytes, scheme: str) -> str:
        return str(simhash_doc.fingerprint(given, scheme))

    def fingerprint_of_pieces(self, pieces: Sequence[str] | Sequence[bytes], scheme: str) -> str:
        accumulator = simhash_doc.Accumulator(scheme)
        accumulator.merge(simhash_doc.Accumulator(scheme))  # now the engine gets each piece, though the text is short
        for piece in pieces:
            if isinstance(piece, str):
                raise NotUnderstoodError("a str is not a sequence of code units")
            accumulator.update(piece)
        return str(accumulator.fingerprint())

    def text_form(self, data: bytes, scheme: str, *, canonical: bool) -> str:
        return str(Fingerprint.from_bytes(data, scheme, canonical=canonical))

    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        return Fingerprint.parse(text, scheme)

    def compare(self, a: str, b: str) -> dict[str, Any]:
        one, other = self.parse(a), self.parse(b)
        return {"distance": one.distance(other), "similarity": one.similarity(other)}

    def narrow(self, text: str, scheme: str) -> str:
        get_scheme(scheme)  # an unknown scheme is reported before a malformed text form
        return str(self.parse(text).narrow(scheme))

    def read(self, given: str | bytes) -> str:
        return given.decode("utf-8", "replace") if isinstance(given, bytes) else given

    def fold(self, text: str) -> str:
        return strings.fold(text)

    def tokens(self, given: str | bytes) -> list[str]:
        return [token.decode("utf-8") for token in python.count_tokens(self.read(given)).elements()]

    def token_hashes(self, tokens: Sequence[str], scheme: str) -> list[str]:
        return [self._hash(token, scheme) for token in tokens]

    def _hash(self, token: str, scheme: str) -> str:
        """Return the hash of a token: the fingerprint of a text with this token alone."""
        return simhash_doc.fingerprint("text", scheme, tokenizer=lambda text: [token]).hex

    def buckets(self, given: str | bytes, scheme_id: str) -> list[int]:
        return simhash_doc.buckets(given, scheme_id)

    def search(self, entries: Sequence[Entry], queries: Sequence[str], distance: int) -> list[list[str]]:
        parsed, asked = self._checked(entries, queries)
        if not asked or not parsed:
            return [[] for _ in asked]
        bits = asked[0].scheme.bits
        with self._open(asked[0].scheme_id, min(distance, bits - 1)) as index:
            index.insert(parsed)
            found = index.near(asked)
            if distance >= bits:  # The functions refuse it. What is not near a value is near its complement.
                others = index.near([_complement(query) for query in asked])
                found = [[*names, *sorted({*more} - {*names})] for names, more in zip(found, others, strict=True)]
            return found

    def all_pairs(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        parsed, _ = self._checked(entries, ())
        if not parsed:
            return []
        scheme = parsed[0][1].scheme
        with self._open(scheme.id, min(distance, scheme.bits - 1)) as index:
            found = index.pairs(parsed)
        if distance >= scheme.bits:
            found += [(a, b) for (a, x), (b, y) in combinations(parsed, 2) if x.value == _complement(y).value]
        return found

    def update(self, steps: Sequence[Mapping[str, Any]], distance: int) -> list[list[list[str]]]:
        stored: dict[str, Fingerprint] = {}
        answers = []
        with self._open(self.parse(steps[0]["insert"][0][1]).scheme_id, distance) as index:
            for step in steps:
                inserted = [(name, self.parse(text)) for name, text in step.get("insert", ())]
                stored.update(inserted)
                index.insert(inserted)
                index.remove([(name, stored.pop(name)) for name in step.get("remove", ())])
                if "query" in step:
                    answers.append(index.near([self.parse(text) for text in step["query"]]))
        return answers

    def _checked(self, entries: Sequence[Entry], queries: Sequence[str]) -> tuple[Entries, list[Fingerprint]]:
        """Return the entries and queries.

        Raises:
            SpecError: a text form is malformed.
            SchemeMismatchError: all are well-formed, but not of one scheme (SD-LOOK-4).
        """
        parsed = [(name, self.parse(text)) for name, text in entries]
        asked = [self.parse(text) for text in queries]
        if len({value.scheme_id for value in (*asked, *(value for _, value in parsed))}) > 1:
            raise SchemeMismatchError("the fingerprints are of several schemes")
        return parsed, asked

    def trace(self, given: str | bytes, scheme: str) -> dict[str, Any]:
        traced = simhash_doc.trace(given, scheme)
        steps: dict[str, Any] = {
            "folded": traced.folded,
            "prepared": traced.prepared,
            "tokens": [one.token for one in traced.tokens for _ in range(one.occurrences)],
        }
        if traced.fingerprint is None:
            return {**steps, "error": "no-token"}
        return {**steps, "buckets": traced.buckets, "fingerprint": f"{scheme}:{traced.fingerprint}"}

    def extract(self, document: bytes, name: str | None) -> str:
        texts = []
        for extracted in extract.extract_each(BytesIO(document), name=name):
            if isinstance(extracted, extract.ExtractionError):
                raise extracted
            texts.append(extracted.text)
        return "\n\n".join(texts)


def _complement(fingerprint: Fingerprint) -> Fingerprint:
    """Return the fingerprint that differs in all bits."""
    return Fingerprint(~fingerprint.value % 2**fingerprint.scheme.bits, fingerprint.scheme_id)


def has_extra(extra: str) -> bool:
    """Return True if all libraries of an extra of this package are installed."""
    wanted = re.compile(rf"([\w.-]+).*; .*extra == ['\"]{extra}['\"]")
    named = (wanted.match(requirement) for requirement in metadata.requires("simhash-doc") or ())
    try:
        return all(metadata.version(match[1]) for match in named if match)
    except metadata.PackageNotFoundError:
        return False
