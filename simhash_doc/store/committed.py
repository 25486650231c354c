"""The number of documents that a database has stored, also after an interruption."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from threading import Thread
from typing import TYPE_CHECKING

from simhash_doc.store.documents import Document, WriteResult
from simhash_doc.store.errors import CollectionError, ConnectionLostError, DatabaseError, StoreError

if TYPE_CHECKING:
    from simhash_doc.store.store import FingerprintStore

_PATIENCE = 3  # seconds for the answer of a database after an interruption


class Committed:
    """Counts documents that are written, each batch in one transaction.

    An interruption may come when a transaction is durable, and before it is counted. So the database is asked about the
    last batch: its documents have the time at which they were written, unless they have a time of their own.
    """

    def __init__(self) -> None:
        # One attribute, because an interruption may also come between two assignments.
        self._state: tuple[int, FingerprintStore | None, Sequence[Document]] = 0, None, ()

    def write(self, store: FingerprintStore, documents: Sequence[Document], *, update: bool) -> WriteResult:
        """Store documents in one transaction; with `update`, replace those with their ids.

        Raises:
            StoreError: as of `FingerprintStore.add_many` and `upsert_many`.
        """
        now = datetime.now(UTC)
        timed = [replace(one, time=now) if one.time is None else one for one in documents]
        count = self._state[0]
        self._state = count, store, timed
        size = max(len(timed), 1)
        try:
            if update:
                found = store.upsert_many(timed, batch=size)
            else:
                found = WriteResult(store.add_many(timed, batch=size), 0)
        except StoreError as error:
            if not isinstance(error, ConnectionLostError):  # the transaction has failed: nothing is unknown
                self._state = count, None, ()
            raise
        self._state = count + found.added + found.replaced, None, ()
        return found

    def count(self) -> tuple[int, int]:
        """Return how many documents the database has stored: at least, and at most. They differ if it does not answer.

        What ended the write may be a server that fell silent, so the answer is not awaited for long.
        """
        count, store, waiting = self._state
        if store is None or not waiting:
            return count, count
        answers: list[bool] = []
        asking = Thread(target=_ask, args=(store, waiting[0], answers), daemon=True)
        asking.start()
        asking.join(_PATIENCE)
        return count + len(waiting) * (answers == [True]), count + len(waiting) * (answers != [False])


def _ask(store: FingerprintStore, document: Document, answers: list[bool]) -> None:
    """Append whether a document is stored as it was written; nothing if the database does not answer."""
    with suppress(DatabaseError):
        try:
            found = store.get(document.id, collection=document.collection)
        except CollectionError:
            found = None
        same = found is not None and (found.time, found.fingerprint) == (document.time, document.fingerprint)
        answers.append(same)
