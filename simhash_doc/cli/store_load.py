"""Loading a store from JSON lines: a line that cannot be stored is named, and all others are stored."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import click

from simhash_doc.cli.progress import Progress
from simhash_doc.cli.store_lines import Lines
from simhash_doc.store import (
    Collection,
    CollectionError,
    Document,
    DuplicateIdError,
    StoreError,
    StoreParameterError,
    Written,
)

if TYPE_CHECKING:
    from simhash_doc.store import FingerprintStore

BATCH = 50_000  # lines
_MANY = 10_000  # documents after which the database is settled
Numbered = tuple[int, Document]


def load(made: FingerprintStore, lines: Lines, collection: str | None, slices: int | None, *, replace: bool) -> Written:
    """Store what the lines hold; return how many documents.

    Args:
        collection: the documents' collection, whatever the lines say; None for what they say.
        slices: of a collection that is not there yet; None for the scheme's default.
        replace: whether documents whose ids are there are replaced, or refused.

    Raises:
        StoreError: the database fails. What was stored before is told on standard error.
    """
    loading = _Loading(made, lines, slices, replace)
    written = Written(0, 0)
    items = lines.items(collection)
    with Progress(None, "documents stored") as progress:
        try:
            while part := list(islice(items, BATCH)):
                documents = [numbered for number, item in part if (numbered := loading.document(number, item))]
                written += loading.store(documents)
                progress.advance(len(documents))
        except StoreError:
            progress.clear()
            click.echo(f"simhash-doc: {written.added + written.replaced:,} documents are stored", err=True)
            raise
    if written.added + written.replaced >= _MANY:
        made.settle()
    return written


class _Loading:
    def __init__(self, made: FingerprintStore, lines: Lines, slices: int | None, replace: bool) -> None:
        self._made, self._lines, self._slices, self._replace = made, lines, slices, replace
        self._schemes = {one.name: one.scheme for one in made.collections()}

    def document(self, number: int, item: Document | Collection) -> Numbered | None:
        """Return the document of a line, if it holds one that fits its collection; make the collection first."""
        name = item.name if isinstance(item, Collection) else item.collection
        scheme = item.scheme if isinstance(item, Collection) else item.fingerprint.to_uri().partition(":")[0]
        try:
            if isinstance(item, Collection):
                self._schemes[name] = self._made.create_collection(name, scheme, item.slices).scheme
                return None
            if name not in self._schemes:
                self._schemes[name] = self._made.create_collection(name, scheme, self._slices).scheme
        except (CollectionError, StoreParameterError) as error:
            self._lines.refuse(number, error)
            return None
        if scheme != self._schemes[name]:
            self._lines.refuse(number, f"{scheme} in collection {name!r}, which holds {self._schemes[name]}")
            return None
        return number, item

    def store(self, documents: list[Numbered]) -> Written:
        """Store a batch, without documents whose ids are used twice."""
        if self._replace:
            # Of several with one id the last counts, as it would one after the other.
            last = {(document.collection, document.id): document for _, document in documents}
            return self._made.upsert_many(last.values())
        waiting: dict[tuple[str, str], Numbered] = {}
        for number, document in documents:
            key = (document.collection, document.id)
            if key in waiting:
                self._refuse(number, document)
            else:
                waiting[key] = number, document
        while waiting:
            try:
                return Written(self._made.add_many([document for _, document in waiting.values()]), 0)
            except DuplicateIdError as error:
                for key in error.keys:
                    self._refuse(*waiting.pop(key))
        return Written(0, 0)

    def _refuse(self, number: int, document: Document) -> None:
        where = f"collection {document.collection!r}"
        self._lines.refuse(number, f"{document.id!r} is in {where} already; --replace replaces it")
