"""Loading a store from JSON lines: a line that cannot be stored is reported, and all others are stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import TYPE_CHECKING

from simhash_doc.errors import SpecError
from simhash_doc.ingest.entries import texts_of
from simhash_doc.ingest.errors import InvalidProvenanceError, UnreadableLineError
from simhash_doc.ingest.provenance import Provenance, ProvenanceCheck
from simhash_doc.store.documents import Collection, Document, WriteResult
from simhash_doc.store.errors import (
    BadDocumentError,
    CollectionError,
    DuplicateIdError,
    StoreError,
    StoreParameterError,
)
from simhash_doc.store.json_lines import parse_item

if TYPE_CHECKING:
    from simhash_doc.store.store import FingerprintStore

BATCH = 50_000  # lines
_OPTIMIZED = 10_000  # documents after which the tables are optimized
_Numbered = tuple[int, Document]
OnError = Callable[[int, object], object]
OnWarning = Callable[[int, str], object]
_LINE_ERRORS = (
    UnreadableLineError, SpecError, InvalidProvenanceError, BadDocumentError, CollectionError, StoreParameterError,
)  # fmt: skip


def load_lines(
    store: FingerprintStore,
    lines: Iterable[bytes],
    collection: str | None = None,
    slices: int | None = None,
    *,
    replace: bool,
    on_error: OnError,
    on_warning: OnWarning = lambda number, warning: None,
    on_commit: Callable[[int], object] | None = None,
) -> WriteResult:
    """Store the documents of JSON lines; return how many were added and replaced.

    Args:
        lines: in UTF-8; blank lines are skipped.
        collection: the documents' collection, which overrides those of the lines; None for those of the lines.
        slices: of a collection that does not exist; None for the scheme's default.
        replace: replace documents whose ids exist, instead of reporting them.
        on_error: called with the number of a line that cannot be stored, and the reason.
        on_warning: called with the number of the first line whose provenance differs from those that its collection
            has, so that distances are less reliable, and the reason.
        on_commit: called after each batch, which is durable then, with its number of documents.

    Raises:
        StoreError: the database fails; `stored` is the number of documents that were stored before.
    """
    loading = _Loading(store, slices, replace, on_error, on_warning)
    written = WriteResult(0, 0)
    texts = texts_of(lines)
    try:
        while part := list(islice(texts, BATCH)):
            documents = [
                (number, item) for number, text in part if (item := loading.document(number, text, collection))
            ]
            loading.record_provenances()
            written += loading.store(documents)
            if on_commit:
                on_commit(len(documents))
    except StoreError as error:
        error.stored = written.added + written.replaced
        raise
    if written.added + written.replaced >= _OPTIMIZED:
        store.optimize()
    return written


class _Loading:
    def __init__(
        self, store: FingerprintStore, slices: int | None, replace: bool, on_error: OnError, on_warning: OnWarning
    ) -> None:
        self._store, self._slices, self._replace, self._on_error = store, slices, replace, on_error
        self._on_warning: OnWarning | None = on_warning
        self._checks: dict[str, ProvenanceCheck] = {}
        self._recorded: dict[str, int] = {}
        self._schemes = {one.name: one.scheme for one in store.collections()}

    def document(self, number: int, text: str, collection: str | None) -> Document | None:
        """Return the document of a line, if it has one that fits its collection; create the collection first."""
        try:
            item, provenances = parse_item(text, collection)
            if isinstance(item, Collection):
                self._schemes[item.name] = self._store.create_collection(item.name, item.scheme, item.slices).scheme
                self._check(number, item.name, provenances)
                return None
            scheme = str(item.fingerprint).partition(":")[0]
            if item.collection not in self._schemes:
                created = self._store.create_collection(item.collection, scheme, self._slices)
                self._schemes[item.collection] = created.scheme
            known = self._schemes[item.collection]
            if scheme != known:
                raise CollectionError(f"collection {item.collection!r} holds {known} fingerprints, not {scheme}")
            self._check(number, item.collection, provenances)
        except _LINE_ERRORS as error:
            self._on_error(number, error)
            return None
        return item

    def _check(self, number: int, collection: str, provenances: Iterable[Provenance]) -> None:
        """Compare provenances with the earlier ones of their collection; warn once per run."""
        for provenance in provenances:
            if collection not in self._checks:
                known = self._store.provenances(collection)
                self._checks[collection], self._recorded[collection] = ProvenanceCheck(known), len(known)
            warning = self._checks[collection].add(provenance)
            if warning and self._on_warning:
                self._on_warning(number, warning)
                self._on_warning = None

    def record_provenances(self) -> None:
        """Store the provenances that are new in their collections."""
        for collection, check in self._checks.items():
            if new := check.known[self._recorded[collection] :]:
                self._store.add_provenances(new, collection)
                self._recorded[collection] = len(check.known)

    def store(self, documents: list[_Numbered]) -> WriteResult:
        """Store a batch, without documents whose ids are used twice."""
        if self._replace:
            # Of several documents with one id the last counts, as if they were stored one by one.
            last = {(document.collection, document.id): document for _, document in documents}
            return self._store.upsert_many(last.values())
        waiting: dict[tuple[str, str], _Numbered] = {}
        for number, document in documents:
            key = (document.collection, document.id)
            if key in waiting:
                self._report_repeated(number, document)
            else:
                waiting[key] = number, document
        while waiting:
            try:
                return WriteResult(self._store.add_many([document for _, document in waiting.values()]), 0)
            except DuplicateIdError as error:
                for key in error.keys:
                    self._report_repeated(*waiting.pop(key))
        return WriteResult(0, 0)

    def _report_repeated(self, number: int, document: Document) -> None:
        where = f"collection {document.collection!r}"
        self._on_error(number, f"{document.id!r} is in {where} already; --replace replaces it")
