"""Stored rows as documents. Other programs can write to the database, so every column is checked."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from simhash_doc.fingerprint import Fingerprint
from simhash_doc.store.backend import StoredRow
from simhash_doc.store.documents import Collection, Document, is_integer
from simhash_doc.store.errors import CorruptStoreError
from simhash_doc.store.slices import from_signed_lanes


def document(row: StoredRow, collection: Collection) -> Document:
    """Return the document of a row.

    Raises:
        CorruptStoreError: a column holds data that this program did not store.
    """
    try:
        texts: tuple[object, object] = row.id, row.uri
        if not isinstance(texts[0], str) or not isinstance(texts[1], str | None):
            raise ValueError("the id or the uri is not a text")
        if not all(map(is_integer, row.lanes)):
            raise ValueError("a lane of the fingerprint is not an integer")
        fingerprint = Fingerprint(from_signed_lanes(row.lanes), collection.scheme_id, collection.canonical)
        return Document(row.id, fingerprint, row.uri, collection.name, parsed_metadata(row.metadata), row.time)
    except ValueError as error:
        raise corrupt_entry(row.entry, error) from error


def parsed_metadata(text: object) -> dict[str, Any]:
    """Return the metadata of a row.

    Raises:
        ValueError: they are not a JSON object.
    """
    try:
        metadata = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        metadata = None
    if not isinstance(metadata, dict):
        raise ValueError("the metadata are not a JSON object")
    return metadata


def parsed_time(text: object) -> datetime:
    """Return the time of a row, which SQLite holds as text.

    Raises:
        ValueError: it is not an ISO 8601 timestamp.
    """
    try:
        if isinstance(text, str):
            return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        pass
    raise ValueError("the time is not an ISO 8601 timestamp")


def corrupt_entry(entry: object, problem: object) -> CorruptStoreError:
    """Return the error for a row."""
    return CorruptStoreError(f"entry {entry} is corrupt: {problem}; `store verify` lists all problems")
