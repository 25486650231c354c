"""Errors of the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from simhash_doc.errors import SimhashDocError

_SHOWN = 5


class StoreError(SimhashDocError):
    """Base of the errors of a store.

    Attributes:
        code: machine-readable name of the kind of error.
        stored: documents of the same call that were stored, in batches before the one that failed.
    """

    code: ClassVar[str] = "store"
    stored: int = 0


class BadDocumentError(StoreError, ValueError):
    """A document cannot be stored: its id, URI, metadata or time is invalid."""

    code = "bad-document"


class StoreParameterError(StoreError, ValueError):
    """A distance, a number of slices or results, or a filter is invalid."""

    code = "store-parameter"
    is_usage = True


class CollectionError(StoreError):
    """A collection does not exist, or has a different scheme or number of slices."""

    code = "collection"
    is_usage = True


class DuplicateIdError(StoreError):
    """Some ids already exist in the collection or occur twice. The batch was not stored.

    Attributes:
        keys: (collection, id) of each.
    """

    code = "duplicate-id"

    def __init__(self, keys: Sequence[tuple[str, str]]) -> None:
        self.keys = tuple(keys)
        named = ", ".join(f"{name!r} in collection {collection!r}" for collection, name in self.keys[:_SHOWN])
        more = f" and {len(self.keys) - _SHOWN} more" if len(self.keys) > _SHOWN else ""
        done = "nothing of this batch was stored (upsert replaces documents)"
        super().__init__(f"ids are in use, or given twice: {named}{more}; {done}")


class DatabaseError(StoreError):
    """The database cannot be opened or used: it is absent, corrupt, unsupported or not permitted."""

    code = "database"


class NoStoreError(DatabaseError):
    """The database does not exist, or has no store."""

    code = "no-store"


class CorruptStoreError(DatabaseError):
    """The tables of a store contain data that this program did not write."""

    code = "corrupt-store"


class DuplicateKeyError(DatabaseError):
    """The database rejected rows because their ids exist."""

    code = "duplicate-key"


class SchemaVersionError(DatabaseError):
    """The tables have a version that this program does not support."""

    code = "schema-version"


class BusyError(DatabaseError):
    """Other users locked the database for longer than the timeout."""

    code = "busy"


class ConnectionLostError(DatabaseError):
    """The connection to the server was lost. Committed batches are stored."""

    code = "connection-lost"
