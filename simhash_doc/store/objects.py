"""Documents, collections and queries of a store as JSON objects, and files of fingerprints as such objects."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, BinaryIO, NamedTuple

from simhash_doc.arguments import DEFAULT_COLLECTION
from simhash_doc.entries import UnreadableLineError
from simhash_doc.entries.entry import (
    Entry,
    EntryId,
    EntryOrError,
    EntryRows,
    escaped_name,
    fingerprint_of,
    unescaped_name,
)
from simhash_doc.entries.formats import detected, entries_of
from simhash_doc.entries.json_lines import JsonObject, parse_object
from simhash_doc.entries.line_formats import Lines, parse_line
from simhash_doc.errors import SpecError, shown
from simhash_doc.fingerprint import CUSTOM_SUFFIX, Fingerprint
from simhash_doc.provenance import Provenance, ProvenanceCheck
from simhash_doc.schemes import get_scheme
from simhash_doc.store.documents import (
    Collection,
    Document,
    DocumentMatch,
    check_document,
    is_integer,
)

_NO_BYTE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_KINDS: dict[type, str] = {str: "a string", dict: "an object", list: "a list"}


def read_objects(
    file: BinaryIO, *, plain_ids: bool = False, on_columns: Callable[[Sequence[str]], object] = lambda names: None
) -> Iterator[tuple[str, JsonObject | Exception | None]]:
    """Yield the place and the content of each row of a file, and of each line that is not blank.

    A place is ``row 0`` of Parquet, and ``line 1`` of other files.

    The content is the fields of a JSON object, as the line has it, or else `fingerprint`, and if the row has them
    `provenance`, and `path` or `id`: in a table by the name of the column, in a line `path`. It is None for a row
    without a fingerprint, and an error for one that cannot be read. A JSON object may stand between lines of another
    format, and base32 between JSON objects.

    Args:
        file: fingerprints in any format that `EntryReader` reads.
        plain_ids: give ids as JSON can hold them, and not in the types of Parquet.
        on_columns: called with the columns of a table before each batch of its rows.

    Raises:
        UnreadableInputError: raised during iteration; the file cannot be read to its end.
    """
    form, file = detected(file)
    for block in entries_of(file, form or "json", plain_ids=plain_ids):
        if isinstance(block, EntryRows):
            on_columns(block.names)
        for at, number in enumerate(block.numbers):
            place = f"{block.unit} {number}"
            if isinstance(block, EntryRows):
                yield place, _object_of(block.entry(at), block.name_key)
            elif block.texts[at]:
                yield place, _object_of_line(block, at, form)


def _object_of_line(lines: Lines, at: int, form: str | None) -> JsonObject | Exception | None:
    text = lines.texts[at]
    if not text.startswith("{") and form != "json":
        return _object_of(lines.entry(at), "path")
    try:
        if not text.startswith("{"):
            return _object_of(parse_line(text, "base32"), "path")
        fields = parse_object(text)
    except (UnreadableLineError, SpecError) as error:
        is_bare = form == "json" and not text.startswith("{")
        return UnreadableLineError(f"{shown(text)} is not a JSON object") if is_bare else error
    return None if fields.get("fingerprint", "") is None else fields


def _object_of(entry: EntryOrError | None, name_key: str) -> JsonObject | Exception | None:
    if not isinstance(entry, Entry):
        return entry
    if entry.fingerprint is None:
        return None
    fields = {"fingerprint": str(entry.fingerprint), name_key: entry.name, "provenance": entry.provenance}
    return {name: value for name, value in fields.items() if value is not None}


def parse_item(
    fields: JsonObject, collection: str | None = None, *, text_ids: bool = False
) -> tuple[Document | Collection, list[Provenance]]:
    """Return the document or collection of an object, and the provenances that it names.

    An object with `slices` and no `fingerprint` defines a collection.

    Args:
        collection: the document's collection, which overrides that of the object; None for that of the object.
        text_ids: as for `parse_id`.

    Raises:
        UnreadableLineError: the object is neither.
        SpecError: the fingerprint is malformed.
        BadDocumentError: the document cannot be stored.
        InvalidProvenanceError: the provenance is malformed.
    """
    if "fingerprint" not in fields and "slices" in fields:
        known = _member(fields, "provenance", list, [])
        return _collection(fields), [Provenance.from_dict(one) for one in known]
    own = _member(fields, "collection", str, DEFAULT_COLLECTION)
    time = _member(fields, "time", str)
    try:
        when = None if time is None else datetime.fromisoformat(time)
    except ValueError as error:
        raise UnreadableLineError(f"'time' is {shown(time)}, not an ISO 8601 time") from error
    query = parse_query(fields)
    uri, metadata = _member(fields, "uri", str, _path_of(fields)), _member(fields, "metadata", dict, {})
    document = Document(
        parse_id(fields, text_ids=text_ids),
        query.fingerprint,
        uri and _storable(uri),
        own if collection is None else collection,
        metadata,
        when,
    )
    check_document(document)
    return document, [query.provenance] if query.provenance else []


class NamedQuery(NamedTuple):
    """A fingerprint to search for, with the id or path and the provenance of its object, if it has them."""

    fingerprint: Fingerprint
    name: EntryId = None
    provenance: Provenance | None = None


def parse_query(fields: JsonObject) -> NamedQuery:
    """Return the query of an object.

    Raises:
        UnreadableLineError: it has no fingerprint.
        SpecError: the fingerprint is malformed.
        InvalidProvenanceError: its provenance is malformed.
    """
    name = fields.get("id", fields.get("path"))
    found = fingerprint_of(fields)
    provenance = ProvenanceCheck().parse(fields.get("provenance"), found.scheme.id, canonical=found.canonical)
    return NamedQuery(found, None if isinstance(name, list | dict) else name, provenance)


def parse_id(fields: JsonObject, *, text_ids: bool = False) -> str:
    """Return the id of an object, or its path if it has no id; of an existing file, the absolute path.

    Args:
        fields: the object.
        text_ids: return an integer as its digits, instead of refusing it: the ids of a store are texts.

    Raises:
        UnreadableLineError: it has neither, or not as a text.
    """
    name = fields["id"] if "id" in fields else _path_of(fields)
    if type(name) is int and text_ids:
        return str(name)
    if name is not None and not isinstance(name, str):
        how = "--text-ids takes its digits" if type(name) is int else "write the ids as text"
        raise UnreadableLineError(
            f"the id {shown(str(name))} is of type {type(name).__name__}, but the ids of a store are texts: {how}"
        )
    if not isinstance(name, str):
        raise UnreadableLineError("the object has no 'id' and no 'path' that is a string")
    return _storable(name)


def _storable(name: str) -> str:
    """Return a path or id with escapes for the bytes that are not UTF-8; one with other surrogates stays."""
    return name if _NO_BYTE.search(name) else escaped_name(name)


def _path_of(fields: JsonObject) -> str | None:
    """Return the path of an object as `FolderUpdate` stores it, if it is one of a file, or of one with `#`."""
    path: str | None = _member(fields, "path", str)
    for file in (path, path.partition("#")[0]) if path else ():
        if os.path.isfile(file):
            return os.path.abspath(file) + (path or "")[len(file) :]
    return path


def _member(fields: JsonObject, name: str, kind: type, default: Any = None) -> Any:
    """Return a member of an object, or the default if it is absent or null."""
    value = fields.get(name)
    if value is None:
        return default
    if not isinstance(value, kind):
        raise UnreadableLineError(f"{name!r} is {shown(value)}, not {_KINDS[kind]}")
    return value


def _collection(fields: JsonObject) -> Collection:
    name, scheme, slices = fields.get("collection"), fields.get("scheme"), fields.get("slices")
    if not (isinstance(name, str) and isinstance(scheme, str) and isinstance(slices, int) and is_integer(slices)):
        raise UnreadableLineError("the object defines no collection: it needs 'collection', 'scheme' and 'slices'")
    scheme_id = scheme.removesuffix(CUSTOM_SUFFIX)
    return Collection(0, name, get_scheme(scheme_id), scheme == scheme_id, slices)


def document_fields(document: Document) -> dict[str, object]:
    """Return a document as the fields of a JSON object."""
    text = str(document.fingerprint)
    return {
        "id": unescaped_name(document.id),
        "uri": document.uri and unescaped_name(document.uri),
        "collection": document.collection,
        "scheme": text.partition(":")[0],
        "fingerprint": text,
        "metadata": document.metadata,
        "time": document.time.isoformat() if document.time else None,
    }


def collection_fields(collection: Collection, provenances: Iterable[Provenance]) -> dict[str, object]:
    """Return the definition of a collection as the fields of a JSON object."""
    fields = {"collection": collection.name, "scheme": collection.scheme_text, "slices": collection.slices}
    known = [one.to_dict() for one in provenances]
    return fields | ({"provenance": known} if known else {})


def match_fields(match: DocumentMatch) -> dict[str, object]:
    """Return a match as the fields of a JSON object."""
    return {"distance": match.distance, **document_fields(match.document)}
