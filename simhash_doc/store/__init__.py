"""Fingerprints with the data of their documents in SQLite or PostgreSQL, for concurrent readers and writers.

A fingerprint is cut into slices, one indexed column each. Rows within a distance below the number of
slices share a slice with the query: the indexes find all of them, and the full distance decides.
Needs ``pip install 'simhash-doc[sql]'``; a missing package is reported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simhash_doc.errors import MissingExtraError
from simhash_doc.store.documents import (
    Collection,
    CollectionStats,
    Document,
    DocumentMatch,
    DocumentPair,
    Verification,
    WriteResult,
)
from simhash_doc.store.errors import (
    BadDocumentError,
    BusyError,
    CollectionError,
    ConnectionLostError,
    CorruptStoreError,
    DatabaseError,
    DuplicateIdError,
    NoStoreError,
    SchemaVersionError,
    StoreError,
    StoreParameterError,
)

if TYPE_CHECKING:
    from simhash_doc.store.store import FingerprintStore

__all__ = [
    "BadDocumentError",
    "BusyError",
    "Collection",
    "CollectionError",
    "CollectionStats",
    "ConnectionLostError",
    "CorruptStoreError",
    "DatabaseError",
    "Document",
    "DocumentMatch",
    "DocumentPair",
    "DuplicateIdError",
    "FingerprintStore",
    "NoStoreError",
    "SchemaVersionError",
    "StoreError",
    "StoreParameterError",
    "Verification",
    "WriteResult",
]


def __getattr__(name: str) -> object:
    if name != "FingerprintStore":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        import sqlalchemy  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(f"the store needs SQLAlchemy: pip install 'simhash-doc[sql]' ({error})") from error
    from simhash_doc.store.store import FingerprintStore

    return FingerprintStore
