"""The number of documents that a database has stored, also after an interruption."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from simhash_doc.store.documents import Document, WriteResult
from simhash_doc.store.errors import StoreError

if TYPE_CHECKING:
    from simhash_doc.store.store import FingerprintStore


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
        found = store.upsert_many(timed, batch=size) if update else WriteResult(store.add_many(timed, batch=size), 0)
        self._state = count + found.added + found.replaced, None, ()
        return found

    def count(self) -> int:
        """Return how many documents the database has stored."""
        count, store, waiting = self._state
        with suppress(StoreError):  # there is no collection, or no connection: nothing more is known
            if store and waiting:
                found = store.get(waiting[0].id, collection=waiting[0].collection)
                if found and (found.time, found.fingerprint) == (waiting[0].time, waiting[0].fingerprint):
                    count += len(waiting)
        return count
