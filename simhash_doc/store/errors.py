"""The errors of the store."""

from __future__ import annotations

from collections.abc import Sequence

from simhash_doc.errors import SimhashDocError

_SHOWN = 5


class StoreError(SimhashDocError):
    """Base of what can go wrong with a store.

    Attributes:
        stored: documents of the same call that were stored, in batches before the one that failed.
    """

    stored: int = 0


class MissingExtraError(StoreError, ImportError):
    """A package that the store needs is not installed."""


class BadDocumentError(StoreError, ValueError):
    """A document that cannot be stored: its id, URI, metadata or time is not what it must be."""


class StoreParameterError(StoreError, ValueError):
    """A distance, a number of slices, a limit or a filter that cannot be."""


class CollectionError(StoreError):
    """A collection that is not there, or whose scheme or slices are others."""


class DuplicateIdError(StoreError):
    """Documents whose ids their collection has already, or that were given twice; their batch was not stored.

    Attributes:
        keys: (collection, id) of each.
    """

    def __init__(self, keys: Sequence[tuple[str, str]]) -> None:
        self.keys = tuple(keys)
        named = ", ".join(f"{name!r} in collection {collection!r}" for collection, name in self.keys[:_SHOWN])
        more = f" and {len(self.keys) - _SHOWN} more" if len(self.keys) > _SHOWN else ""
        super().__init__(f"ids used twice: {named}{more}; nothing of this batch was stored (upsert replaces documents)")


class DatabaseError(StoreError):
    """The database cannot be opened or used: absent, damaged, of another kind, or not permitted."""


class DuplicateKeyError(DatabaseError):
    """The database refused rows because their ids are there."""


class SchemaVersionError(DatabaseError):
    """The tables are of a newer version than this program knows."""


class BusyError(DatabaseError):
    """Other users of the database held it for longer than the timeout."""


class ConnectionLostError(DatabaseError):
    """The connection to the server broke. What was acknowledged before is stored."""
