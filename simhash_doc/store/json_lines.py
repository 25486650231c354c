"""Documents, collections and queries of a store as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from simhash_doc.errors import shown
from simhash_doc.fingerprint import CUSTOM_SUFFIX, Fingerprint
from simhash_doc.ingest.entries import fingerprint_of, parse_object
from simhash_doc.ingest.errors import UnreadableLineError
from simhash_doc.ingest.provenance import Provenance, parse_provenance
from simhash_doc.store.documents import DEFAULT_COLLECTION, Collection, Document, Match, check_document, is_integer


def parse_item(text: str, collection: str | None = None) -> tuple[Document | Collection, list[Provenance]]:
    """Return the document or collection of a line, and the provenances that it names.

    A line with `slices` and no `fingerprint` defines a collection.

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
        return _collection(record), _provenances(record)
    document = _document(record, collection)
    check_document(document)
    provenance = _provenance(record, document.fingerprint)
    return document, [provenance] if provenance else []


class NamedQuery(NamedTuple):
    """A fingerprint to search for, with the id or path and the provenance of its line, if it has them."""

    fingerprint: Fingerprint
    name: str | None = None
    provenance: Provenance | None = None


def parse_query(text: str) -> NamedQuery:
    """Return the query of a line, an object or a text form.

    Raises:
        UnreadableLineError: the line has no fingerprint.
        SpecError: the fingerprint is malformed.
        InvalidProvenanceError: its provenance is malformed.
    """
    if not text.startswith("{"):
        return NamedQuery(Fingerprint.parse(text))
    record = parse_object(text)
    name = record.get("id", record.get("path"))
    fingerprint = fingerprint_of(record)
    return NamedQuery(fingerprint, name if isinstance(name, str) else None, _provenance(record, fingerprint))


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


def collection_fields(collection: Collection, provenances: Iterable[Provenance]) -> dict[str, object]:
    """Return the definition of a collection as the fields of a JSON object."""
    fields = {"collection": collection.name, "scheme": collection.scheme, "slices": collection.slices}
    known = [one.to_dict() for one in provenances]
    return fields | ({"provenance": known} if known else {})


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


def _provenances(record: dict[str, Any]) -> list[Provenance]:
    """Return the provenances of a collection."""
    found = record.get("provenance", [])
    if not isinstance(found, list):
        raise UnreadableLineError(f"'provenance' of a collection is {shown(found)}, not a list")
    return [Provenance.from_dict(one) for one in found]


def _collection(record: dict[str, Any]) -> Collection:
    name, scheme, slices = record.get("collection"), record.get("scheme"), record.get("slices")
    if not (isinstance(name, str) and isinstance(scheme, str) and isinstance(slices, int) and is_integer(slices)):
        raise UnreadableLineError("the object defines no collection: it needs 'collection', 'scheme' and 'slices'")
    scheme_id = scheme.removesuffix(CUSTOM_SUFFIX)
    return Collection(0, name, scheme_id, scheme == scheme_id, slices)
