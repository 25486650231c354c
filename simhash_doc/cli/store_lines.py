"""Documents of a store as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any, BinaryIO

import click

from simhash_doc.cli.documents import STANDARD_INPUT, open_document
from simhash_doc.errors import SimhashDocError, SpecError
from simhash_doc.store import DEFAULT_COLLECTION, BadDocumentError, Collection, Document, Match
from simhash_doc.store.documents import check_document
from simhash_doc.value import Fingerprint

_SHOWN = 60


class UnreadableLineError(SimhashDocError, ValueError):
    """A line that holds no document."""


class Lines:
    """The lines of a file, or of standard input for ``-``; those that cannot be read are named and counted.

    Blank lines are passed over.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._name = "standard input" if path == STANDARD_INPUT else path
        self.failed = 0

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Yield the number and the text of each line.

        Raises:
            click.ClickException: the file cannot be read.
        """
        try:
            with open_document(self._path) as file:
                yield from self._texts(file)
        except OSError as error:
            raise click.ClickException(f"{self._path}: cannot be read: {error.strerror or error}") from error

    def refuse(self, number: int, reason: object) -> None:
        """Name a line on standard error."""
        self.failed += 1
        click.echo(f"simhash-doc: {self._name}: line {number}: {reason}", err=True)

    def items(self, collection: str | None = None) -> Iterator[tuple[int, Document | Collection]]:
        """Yield the number of each line and what it holds.

        A line with `slices` and no `fingerprint` defines a collection.

        Args:
            collection: the documents' collection, whatever the lines say; None for what they say.
        """
        for number, text in self:
            try:
                record = parsed_object(text)
                if "fingerprint" not in record and "slices" in record:
                    yield number, _collection(record)
                else:
                    document = _document(record, collection)
                    check_document(document)
                    yield number, document
            except (UnreadableLineError, SpecError, BadDocumentError) as error:
                self.refuse(number, error)

    def _texts(self, file: BinaryIO) -> Iterator[tuple[int, str]]:
        for number, line in enumerate(file, 1):
            if text := line.decode("utf-8", "replace").strip():
                yield number, text


def parsed_object(text: str) -> dict[str, Any]:
    """Return the JSON object of a line.

    Raises:
        UnreadableLineError: it is none.
    """
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        shown = text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
        raise UnreadableLineError(f"{shown!r} is no JSON object")
    return record


def fingerprint_of(record: dict[str, Any]) -> Fingerprint:
    """Return the fingerprint of an object, as `fingerprint --format json` and `store export` print it.

    Raises:
        UnreadableLineError: there is none.
        SpecError: it is malformed.
    """
    text, scheme = record.get("fingerprint"), record.get("scheme")
    if not isinstance(text, str):
        name = record.get("id", record.get("path"))
        raise UnreadableLineError(f"the object has no 'fingerprint' that is a string (document {name!r})")
    if isinstance(scheme, str) and ":" not in text:
        text = f"{scheme}:{text}"
        scheme = None
    return Fingerprint.parse(text, scheme if isinstance(scheme, str) else None)


def name_of(record: dict[str, Any]) -> str:
    """Return the id of an object, which is its path if it has no other.

    Raises:
        UnreadableLineError: it has neither.
    """
    name = record.get("id", record.get("path"))
    if not isinstance(name, str):
        raise UnreadableLineError("the object has no 'id' and no 'path' that is a string")
    return name


def _document(record: dict[str, Any], collection: str | None) -> Document:
    name = name_of(record)
    made = fingerprint_of(record)
    uri, metadata, time = record.get("uri", record.get("path")), record.get("metadata", {}), record.get("time")
    if uri is not None and not isinstance(uri, str):
        raise UnreadableLineError(f"'uri' is {uri!r}, not a string (document {name!r})")
    if not isinstance(metadata, dict):
        raise UnreadableLineError(f"'metadata' is {metadata!r}, not an object (document {name!r})")
    own = record.get("collection", DEFAULT_COLLECTION)
    if not isinstance(own, str):
        raise UnreadableLineError(f"'collection' is {own!r}, not a string (document {name!r})")
    try:
        when = None if time is None else datetime.fromisoformat(time)
    except (TypeError, ValueError) as error:
        raise UnreadableLineError(f"'time' is {time!r}, not a time of ISO 8601 (document {name!r})") from error
    return Document(name, made, uri, own if collection is None else collection, metadata, when)


def _collection(record: dict[str, Any]) -> Collection:
    name, scheme, slices = record.get("collection"), record.get("scheme"), record.get("slices")
    if not isinstance(name, str) or not isinstance(scheme, str) or not isinstance(slices, int):
        raise UnreadableLineError("the object defines no collection: it needs 'collection', 'scheme' and 'slices'")
    plain = scheme.removesuffix("+custom")
    return Collection(0, name, plain, scheme == plain, slices)


def document_fields(document: Document) -> dict[str, object]:
    """Return a document as the fields of a JSON object."""
    made = document.fingerprint
    return {
        "id": document.id,
        "uri": document.uri,
        "collection": document.collection,
        "scheme": made.to_uri().partition(":")[0],
        "fingerprint": str(made),
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
    return (json.dumps(fields) + "\n").encode("ascii")
