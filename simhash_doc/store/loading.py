"""Loading a store from JSON objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Literal

from simhash_doc.entries import UnreadableLineError
from simhash_doc.entries.entry_files import OnProblem
from simhash_doc.entries.json_lines import JsonObject
from simhash_doc.errors import SpecError
from simhash_doc.fingerprint import CUSTOM_SUFFIX
from simhash_doc.provenance import InvalidProvenanceError, Provenance, ProvenanceCheck
from simhash_doc.store.committed import Committed
from simhash_doc.store.documents import BATCH, Collection, Document, WriteResult
from simhash_doc.store.errors import BadDocumentError, CollectionError, DuplicateIdError, StoreParameterError
from simhash_doc.store.objects import parse_item

if TYPE_CHECKING:
    from simhash_doc.store.store import FingerprintStore

_OPTIMIZED = 10_000  # documents after which the tables are optimized
Existing = Literal["fail", "skip", "replace"]
_LINE_ERRORS = (
    UnreadableLineError, SpecError, InvalidProvenanceError, BadDocumentError, CollectionError, StoreParameterError,
)  # fmt: skip


class Loader:
    """Stores documents that arrive as JSON objects; a line that cannot be stored stops no other.

    Nothing is created before the first batch is stored.

    Args:
        store: the store; None if it does not exist.
        create: returns the store, created if it does not exist.
        collection: the documents' collection, which overrides those of the objects; None for those of the objects.
        slices: of a collection that does not exist; None for the scheme's default.
        existing: whether documents whose ids exist are reported, skipped or replaced.
        text_ids: as for `parse_id`.
        on_commit: called after each batch, which is durable then, with its number of documents.

    Attributes:
        written: how many documents were added, replaced and skipped so far.
        committed: counts those that the database has stored, also after an interruption.
    """

    def __init__(
        self,
        store: FingerprintStore | None,
        create: Callable[[], FingerprintStore],
        collection: str | None = None,
        slices: int | None = None,
        existing: Existing = "fail",
        *,
        text_ids: bool = False,
        on_commit: Callable[[int], object] = lambda count: None,
    ) -> None:
        self._create, self._collection, self._slices, self._existing = create, collection, slices, existing
        self._on_commit, self._text_ids = on_commit, text_ids
        self.written = WriteResult(0, 0)
        self.committed = Committed()
        self._warned = False
        self._checks: dict[str, ProvenanceCheck] = {}
        self._schemes = {one.name: one.scheme_text for one in store.collections()} if store else {}
        self._new: dict[str, tuple[str, int | None]] = {}  # collections that are not created yet

    @cached_property
    def _store(self) -> FingerprintStore:
        return self._create()

    def load(
        self,
        objects: Iterable[tuple[str, JsonObject]],
        on_error: OnProblem,
        on_warning: OnProblem = lambda place, warning: None,
    ) -> None:
        """Store the documents of objects with the places of their lines or rows.

        Args:
            objects: the objects of a file.
            on_error: called for each line that cannot be stored.
            on_warning: called with the first line whose provenance differs from those that its collection has, so
                that distances are less reliable, and the reason.

        Raises:
            StoreError: the database fails.
        """
        self._on_error, self._on_warning = on_error, on_warning
        before = self.written
        documents = ((place, item) for place, fields in objects if (item := self._document(place, fields)))
        while batch := list(islice(documents, BATCH)):
            self.written += self._store_batch(batch)
            self._on_commit(len(batch))
        self._create_collections()
        self._record_provenances()
        if self.written.added + self.written.replaced - before.added - before.replaced >= _OPTIMIZED:
            self._store.optimize()

    def _document(self, place: str, fields: JsonObject) -> Document | None:
        """Return the document of an object, if it has one that fits its collection."""
        try:
            item, provenances = parse_item(fields, self._collection, text_ids=self._text_ids)
            if isinstance(item, Collection):
                name, scheme, slices = self._collection or item.name, item.scheme_text, item.slices
            else:
                name, scheme, slices = item.collection, str(item.fingerprint).partition(":")[0], None
            if name not in self._schemes:
                from simhash_doc.store.schema import check_new_collection  # later: it needs SQLAlchemy

                check_new_collection(name, scheme.removesuffix(CUSTOM_SUFFIX), self._slices or slices)
                self._schemes[name], self._new[name] = scheme, (scheme, self._slices or slices)
            elif slices and not self._collection:  # an existing one must have as many
                self._create_collections()
                self._store.create_collection(name, scheme=scheme, slices=self._slices or slices)
            if scheme != self._schemes[name]:
                raise CollectionError(f"collection {name!r} holds {self._schemes[name]} fingerprints, not {scheme}")
            for provenance in provenances:
                self._check(place, name, provenance)
        except _LINE_ERRORS as error:
            self._on_error(place, error)
            return None
        return None if isinstance(item, Collection) else item

    def _check(self, place: str, collection: str, provenance: Provenance) -> None:
        """Compare a provenance with the earlier ones of its collection; warn once."""
        if collection not in self._checks:
            known = () if collection in self._new else self._store.provenances(collection)
            self._checks[collection] = ProvenanceCheck(known)
        warning = self._checks[collection].add(provenance)
        if warning and not self._warned:
            self._on_warning(place, warning)
            self._warned = True

    def _create_collections(self) -> None:
        for name, (scheme, slices) in self._new.items():
            self._store.create_collection(name, scheme=scheme, slices=slices)
        self._new.clear()

    def _record_provenances(self) -> None:
        for collection, check in self._checks.items():
            self._store.add_provenances(check.known, collection=collection)

    def _store_batch(self, documents: list[tuple[str, Document]]) -> WriteResult:
        """Store a batch, without documents whose ids are used twice, and its provenances before it."""
        self._create_collections()
        self._record_provenances()
        # Of several documents with one id the last counts if they are replaced, as if they were stored one by one.
        waiting: dict[tuple[str, str], tuple[str, Document]] = {}
        repeated: list[tuple[str, Document]] = []
        for place, document in documents:
            key = (document.collection, document.id)
            if self._existing == "replace" or key not in waiting:
                waiting[key] = place, document
            else:
                repeated.append((place, document))
        if self._existing == "replace":
            return self.committed.write(self._store, [document for _, document in waiting.values()], update=True)
        added = 0
        while waiting:
            try:
                one_batch = [document for _, document in waiting.values()]
                added = self.committed.write(self._store, one_batch, update=False).added
                break
            except DuplicateIdError as error:
                repeated += (waiting.pop(key) for key in error.keys)
        if self._existing == "skip":
            return WriteResult(added, 0, len(repeated))
        for place, document in repeated:
            where = f"collection {document.collection!r}"
            self._on_error(place, f"{document.id!r} is in {where} already; --existing skips or replaces it")
        return WriteResult(added, 0)
