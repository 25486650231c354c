"""Documents, collections and queries of a store as JSON lines."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from simhash_doc.fingerprint import CUSTOM_SUFFIX, Fingerprint
from simhash_doc.ingest.entries import fingerprint_of, parse_object, shown
from simhash_doc.ingest.errors import UnreadableLineError
from simhash_doc.ingest.provenance import Provenance, parse_provenance
from simhash_doc.store.documents import DEFAULT_COLLECTION, Collection, Document, Match, check_document, is_integer


def parse_item(text: str, collection: str | None = None) -> tuple[Document | Collection, Provenance | None]:
    """Return the document of a line and its provenance; a line with `slices` and no `fingerprint` defines a collection.

    Args:
        collection: the document's collection, which overrides that of the line; None for that of the line.

    Raises:
        UnreadableLineError: the line is not such an object.
        SpecError: the fingerprint is malformed.
        BadDocumentError: the document cannot be stored.
        InvalidProvenanceError: the provenance is malformed.
    """
    record = parse_object(text)
    if "fingerprint" not in record and "slices" in record:
        return _collection(record), None
    document = _document(record, collection)
    check_document(document)
    return document, _provenance(record, document.fingerprint)


def parse_query(text: str) -> tuple[Fingerprint, str | None]:
    """Return the fingerprint of a line, an object or a text form, and its id or path if it has one.

    Raises:
        UnreadableLineError: the line has no fingerprint.
        SpecError: the fingerprint is malformed.
        InvalidProvenanceError: its provenance is malformed.
    """
    if not text.startswith("{"):
        return Fingerprint.parse(text), None
    record = parse_object(text)
    name = record.get("id", record.get("path"))
    fingerprint = fingerprint_of(record)
    _provenance(record, fingerprint)
    return fingerprint, name if isinstance(name, str) else None


def parse_id(text: str) -> str:
    """Return the id of the object of a line, or its path if it has no id.

    Raises:
        UnreadableLineError: it has neither.
    """
    return _id(parse_object(text))


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


def collection_fields(collection: Collection) -> dict[str, object]:
    """Return the definition of a collection as the fields of a JSON object."""
    return {"collection": collection.name, "scheme": collection.scheme, "slices": collection.slices}


def match_fields(match: Match) -> dict[str, object]:
    """Return a match as the fields of a JSON object."""
    return {"distance": match.distance, **document_fields(match.document)}


def line(fields: dict[str, object]) -> bytes:
    """Return fields as a JSON line."""
    return (json.dumps(fields) + "\n").encode("ascii")


def _id(record: dict[str, Any]) -> str:
    name = record.get("id", record.get("path"))
    if not isinstance(name, str):
        raise UnreadableLineError("the object has no 'id' and no 'path' that is a string")
    return name


def _document(record: dict[str, Any], collection: str | None) -> Document:
    name = _id(record)
    fingerprint = fingerprint_of(record)
    uri, metadata, time = record.get("uri", record.get("path")), record.get("metadata", {}), record.get("time")
    if uri is not None and not isinstance(uri, str):
        raise UnreadableLineError(f"'uri' is {shown(uri)}, not a string (document {shown(name)})")
    if not isinstance(metadata, dict):
        raise UnreadableLineError(f"'metadata' is {shown(metadata)}, not an object (document {shown(name)})")
    own = record.get("collection", DEFAULT_COLLECTION)
    if not isinstance(own, str):
        raise UnreadableLineError(f"'collection' is {shown(own)}, not a string (document {shown(name)})")
    try:
        when = None if time is None else datetime.fromisoformat(time)
    except (TypeError, ValueError) as error:
        raise UnreadableLineError(f"'time' is {shown(time)}, not an ISO 8601 time (document {shown(name)})") from error
    return Document(name, fingerprint, uri, own if collection is None else collection, metadata, when)


def _provenance(record: dict[str, Any], fingerprint: Fingerprint) -> Provenance | None:
    return parse_provenance(record.get("provenance"), fingerprint.scheme_id, canonical=fingerprint.canonical)


def _collection(record: dict[str, Any]) -> Collection:
    name, scheme, slices = record.get("collection"), record.get("scheme"), record.get("slices")
    if not (isinstance(name, str) and isinstance(scheme, str) and isinstance(slices, int) and is_integer(slices)):
        raise UnreadableLineError("the object defines no collection: it needs 'collection', 'scheme' and 'slices'")
    scheme_id = scheme.removesuffix(CUSTOM_SUFFIX)
    return Collection(0, name, scheme_id, scheme == scheme_id, slices)
