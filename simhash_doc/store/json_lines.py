"""Documents, collections and queries of a store as JSON objects, and loading a store from them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from simhash_doc.entries.reader import OnProblem, Record
from simhash_doc.entries.text_forms import UnreadableLineError, fingerprint_of
from simhash_doc.errors import SpecError, shown
from simhash_doc.fingerprint import CUSTOM_SUFFIX, Fingerprint
from simhash_doc.provenance import InvalidProvenanceError, Provenance, ProvenanceCheck
from simhash_doc.store.documents import (
    DEFAULT_COLLECTION,
    Collection,
    Document,
    DocumentMatch,
    WriteResult,
    check_document,
    is_integer,
)
from simhash_doc.store.errors import (
    BadDocumentError,
    CollectionError,
    DuplicateIdError,
    StoreParameterError,
)

if TYPE_CHECKING:
    from simhash_doc.store.store import FingerprintStore

BATCH = 50_000  # documents
_OPTIMIZED = 10_000  # documents after which the tables are optimized
Existing = Literal["fail", "skip", "replace"]
_KINDS: dict[type, str] = {str: "a string", dict: "an object", list: "a list"}
_LINE_ERRORS = (
    UnreadableLineError, SpecError, InvalidProvenanceError, BadDocumentError, CollectionError, StoreParameterError,
)  # fmt: skip


def parse_item(record: Record, collection: str | None = None) -> tuple[Document | Collection, list[Provenance]]:
    """Return the document or collection of an object, and the provenances that it names.

    An object with `slices` and no `fingerprint` defines a collection.

    Args:
        collection: the document's collection, which overrides that of the object; None for that of the object.

    Raises:
        UnreadableLineError: the object is neither.
        SpecError: the fingerprint is malformed.
        BadDocumentError: the document cannot be stored.
        InvalidProvenanceError: the provenance is malformed.
    """
    if "fingerprint" not in record and "slices" in record:
        known = _member(record, "provenance", list, [])
        return _collection(record), [Provenance.from_dict(one) for one in known]
    own = _member(record, "collection", str, DEFAULT_COLLECTION)
    time = _member(record, "time", str)
    try:
        when = None if time is None else datetime.fromisoformat(time)
    except ValueError as error:
        raise UnreadableLineError(f"'time' is {shown(time)}, not an ISO 8601 time") from error
    query = parse_query(record)
    uri, metadata = _member(record, "uri", str, _path_of(record)), _member(record, "metadata", dict, {})
    document = Document(
        parse_id(record), query.fingerprint, uri, own if collection is None else collection, metadata, when
    )
    check_document(document)
    return document, [query.provenance] if query.provenance else []


class NamedQuery(NamedTuple):
    """A fingerprint to search for, with the id or path and the provenance of its object, if it has them."""

    fingerprint: Fingerprint
    name: str | None = None
    provenance: Provenance | None = None


def parse_query(record: Record) -> NamedQuery:
    """Return the query of an object.

    Raises:
        UnreadableLineError: it has no fingerprint.
        SpecError: the fingerprint is malformed.
        InvalidProvenanceError: its provenance is malformed.
    """
    name = record.get("id", record.get("path"))
    found = fingerprint_of(record)
    provenance = ProvenanceCheck().parse(record.get("provenance"), found.scheme_id, canonical=found.canonical)
    return NamedQuery(found, name if isinstance(name, str) else None, provenance)


def parse_id(record: Record) -> str:
    """Return the id of an object, or its path if it has no id; of an existing file, the absolute path.

    Raises:
        UnreadableLineError: it has neither.
    """
    name = record["id"] if "id" in record else _path_of(record)
    if not isinstance(name, str):
        raise UnreadableLineError("the object has no 'id' and no 'path' that is a string")
    return name


def _path_of(record: Record) -> str | None:
    """Return the path of an object as `FolderUpdate` stores it, if it is one of a file, or of one with `#`."""
    path: str | None = _member(record, "path", str)
    for file in (path, path.partition("#")[0]) if path else ():
        if os.path.isfile(file):
            return os.path.abspath(file) + (path or "")[len(file) :]
    return path


def _member(record: Record, name: str, kind: type, default: Any = None) -> Any:
    """Return a member of an object, or the default if it is absent or null."""
    value = record.get(name)
    if value is None:
        return default
    if not isinstance(value, kind):
        raise UnreadableLineError(f"{name!r} is {shown(value)}, not {_KINDS[kind]}")
    return value


def _collection(record: Record) -> Collection:
    name, scheme, slices = record.get("collection"), record.get("scheme"), record.get("slices")
    if not (isinstance(name, str) and isinstance(scheme, str) and isinstance(slices, int) and is_integer(slices)):
        raise UnreadableLineError("the object defines no collection: it needs 'collection', 'scheme' and 'slices'")
    scheme_id = scheme.removesuffix(CUSTOM_SUFFIX)
    return Collection(0, name, scheme_id, scheme == scheme_id, slices)


def document_fields(document: Document) -> dict[str, object]:
    """Return a document as the fields of a JSON object."""
    text = str(document.fingerprint)
    return {
        "id": document.id,
        "uri": document.uri,
        "collection": document.collection,
        "scheme": text.partition(":")[0],
        "fingerprint": text,
        "metadata": document.metadata,
        "time": document.time.isoformat() if document.time else None,
    }


def collection_fields(collection: Collection, provenances: Iterable[Provenance]) -> dict[str, object]:
    """Return the definition of a collection as the fields of a JSON object."""
    fields = {"collection": collection.name, "scheme": collection.scheme, "slices": collection.slices}
    known = [one.to_dict() for one in provenances]
    return fields | ({"provenance": known} if known else {})


def match_fields(match: DocumentMatch) -> dict[str, object]:
    """Return a match as the fields of a JSON object."""
    return {"distance": match.distance, **document_fields(match.document)}


def line(fields: dict[str, object]) -> bytes:
    """Return fields as a JSON line."""
    return (json.dumps(fields) + "\n").encode("ascii")


class Loader:
    """Stores documents that arrive as JSON objects; a line that cannot be stored stops no other.

    Nothing is created before the first batch is stored.

    Args:
        store: the store; None if it does not exist.
        create: returns the store, created if it does not exist.
        collection: the documents' collection, which overrides those of the objects; None for those of the objects.
        slices: of a collection that does not exist; None for the scheme's default.
        existing: whether documents whose ids exist are reported, skipped or replaced.
        on_commit: called after each batch, which is durable then, with its number of documents.

    Attributes:
        written: how many documents were added, replaced and skipped so far.
    """

    def __init__(
        self,
        store: FingerprintStore | None,
        create: Callable[[], FingerprintStore],
        collection: str | None = None,
        slices: int | None = None,
        existing: Existing = "fail",
        *,
        on_commit: Callable[[int], object] = lambda count: None,
    ) -> None:
        self._create, self._collection, self._slices, self._existing = create, collection, slices, existing
        self._on_commit = on_commit
        self.written = WriteResult(0, 0)
        self._warned = False
        self._checks: dict[str, ProvenanceCheck] = {}
        self._schemes = {one.name: one.scheme for one in store.collections()} if store else {}
        self._new: dict[str, tuple[str, int | None]] = {}  # collections that are not created yet

    @cached_property
    def _store(self) -> FingerprintStore:
        return self._create()

    def load(
        self,
        records: Iterable[tuple[int, Record]],
        on_error: OnProblem,
        on_warning: OnProblem = lambda place, warning: None,
    ) -> None:
        """Store the documents of objects with the numbers of their lines.

        Args:
            records: the objects of a file.
            on_error: called for each line that cannot be stored.
            on_warning: called with the first line whose provenance differs from those that its collection has, so
                that distances are less reliable, and the reason.

        Raises:
            StoreError: the database fails.
        """
        self._on_error, self._on_warning = on_error, on_warning
        before = self.written
        documents = ((number, item) for number, record in records if (item := self._document(number, record)))
        while batch := list(islice(documents, BATCH)):
            self.written += self._store_batch(batch)
            self._on_commit(len(batch))
        self._create_collections()
        self._record_provenances()
        if self.written.added + self.written.replaced - before.added - before.replaced >= _OPTIMIZED:
            self._store.optimize()

    def _document(self, number: int, record: Record) -> Document | None:
        """Return the document of an object, if it has one that fits its collection."""
        try:
            item, provenances = parse_item(record, self._collection)
            if isinstance(item, Collection):
                name, scheme, slices = self._collection or item.name, item.scheme, item.slices
            else:
                name, scheme, slices = item.collection, str(item.fingerprint).partition(":")[0], None
            if name not in self._schemes:
                from simhash_doc.store.schema import check_new_collection  # later: it needs SQLAlchemy

                check_new_collection(name, scheme.removesuffix(CUSTOM_SUFFIX), self._slices or slices)
                self._schemes[name], self._new[name] = scheme, (scheme, self._slices or slices)
            elif slices and not self._collection:  # an existing one must have as many
                self._create_collections()
                self._store.create_collection(name, scheme, self._slices or slices)
            if scheme != self._schemes[name]:
                raise CollectionError(f"collection {name!r} holds {self._schemes[name]} fingerprints, not {scheme}")
            for provenance in provenances:
                self._check(number, name, provenance)
        except _LINE_ERRORS as error:
            self._on_error(f"line {number}", error)
            return None
        return None if isinstance(item, Collection) else item

    def _check(self, number: int, collection: str, provenance: Provenance) -> None:
        """Compare a provenance with the earlier ones of its collection; warn once."""
        if collection not in self._checks:
            known = () if collection in self._new else self._store.provenances(collection)
            self._checks[collection] = ProvenanceCheck(known)
        warning = self._checks[collection].add(provenance)
        if warning and not self._warned:
            self._on_warning(f"line {number}", warning)
            self._warned = True

    def _create_collections(self) -> None:
        for name, (scheme, slices) in self._new.items():
            self._store.create_collection(name, scheme, slices)
        self._new.clear()

    def _record_provenances(self) -> None:
        for collection, check in self._checks.items():
            self._store.add_provenances(check.known, collection)

    def _store_batch(self, documents: list[tuple[int, Document]]) -> WriteResult:
        """Store a batch, without documents whose ids are used twice, and its provenances before it."""
        self._create_collections()
        self._record_provenances()
        # Of several documents with one id the last counts if they are replaced, as if they were stored one by one.
        waiting: dict[tuple[str, str], tuple[int, Document]] = {}
        repeated: list[tuple[int, Document]] = []
        for number, document in documents:
            key = (document.collection, document.id)
            if self._existing == "replace" or key not in waiting:
                waiting[key] = number, document
            else:
                repeated.append((number, document))
        if self._existing == "replace":
            return self._store.upsert_many(document for _, document in waiting.values())
        added = 0
        while waiting:
            try:
                added = self._store.add_many(document for _, document in waiting.values())
                break
            except DuplicateIdError as error:
                repeated += (waiting.pop(key) for key in error.keys)
        if self._existing == "skip":
            return WriteResult(added, 0, len(repeated))
        for number, document in repeated:
            where = f"collection {document.collection!r}"
            self._on_error(f"line {number}", f"{document.id!r} is in {where} already; --existing skips or replaces it")
        return WriteResult(added, 0)
