"""The documents, matches and collections of a store."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from simhash_doc.arguments import DEFAULT_COLLECTION
from simhash_doc.fingerprint import CUSTOM_SUFFIX, Fingerprint
from simhash_doc.schemes import Scheme
from simhash_doc.store.errors import BadDocumentError, StoreParameterError

if TYPE_CHECKING:
    from simhash_doc.provenance import Provenance

LONGEST_ID = 2048  # bytes in UTF-8; PostgreSQL's indexes take 2,700
LONGEST_TEXT = 1 << 20  # bytes of a URI, and of metadata as JSON
DEEPEST = 100  # levels of metadata; SQLite and the stack of Python take about 1,000
BATCH = 50_000  # documents; smaller batches write every page of the indexes for fewer documents
_LARGEST = (1 << 63) - 1

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))

_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")  # as JSON has it, after any number of escaped backslashes

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Document:
    """A document of a collection.

    Attributes:
        id: identifier, unique in its collection; 1 to 2,048 bytes of UTF-8.
        fingerprint: of the collection's scheme.
        uri: location of the document, at most 1 MiB of UTF-8; or None.
        collection: name of the collection.
        metadata: JSON values by key, nested at most 100 levels deep, and at most 1 MiB as JSON.
        time: an aware datetime; None for the time of insertion. Returned in UTC.

    >>> from simhash_doc import Fingerprint
    >>> one = Document("a.html", Fingerprint(7), uri="https://example.org/a", metadata={"language": "en"})
    >>> one.id, one.collection
    ('a.html', 'default')
    """

    id: str
    fingerprint: Fingerprint
    uri: str | None = None
    collection: str = DEFAULT_COLLECTION
    metadata: Mapping[str, Any] = field(default_factory=dict)
    time: datetime | None = None


@dataclass(frozen=True, slots=True)
class DocumentMatch:
    """A document and the distance in bits between its fingerprint and the query.

    >>> import tempfile
    >>> from simhash_doc import Fingerprint
    >>> from simhash_doc.store import Document, FingerprintStore
    >>> folder = tempfile.TemporaryDirectory()
    >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
    >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
    >>> [(match.document.id, match.distance) for match in store.find(Fingerprint(1))]
    [('a', 1), ('b', 2)]
    """

    document: Document
    distance: int


@dataclass(frozen=True, slots=True)
class DocumentPair:
    """Ids of two documents of a collection, in the order of insertion, and their distance in bits.

    >>> import tempfile
    >>> from simhash_doc import Fingerprint
    >>> from simhash_doc.store import Document, FingerprintStore
    >>> folder = tempfile.TemporaryDirectory()
    >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
    >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
    >>> [*store.pairs()]
    [DocumentPair(first='a', second='b', distance=3)]
    """

    first: str
    second: str
    distance: int


@dataclass(frozen=True, slots=True)
class WriteResult:
    """Numbers of documents that were added, replaced, and skipped because their ids exist.

    >>> import tempfile
    >>> from simhash_doc import Fingerprint
    >>> from simhash_doc.store import Document, FingerprintStore
    >>> folder = tempfile.TemporaryDirectory()
    >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
    >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
    >>> store.upsert_many([Document("b", Fingerprint(1)), Document("c", Fingerprint(2))])
    WriteResult(added=1, replaced=1, skipped=0)
    """

    added: int
    replaced: int
    skipped: int = 0

    def __add__(self, other: WriteResult) -> WriteResult:
        return WriteResult(self.added + other.added, self.replaced + other.replaced, self.skipped + other.skipped)


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection: documents of one scheme, in a table with a fixed number of slices.

    Attributes:
        number: in the column `collection`.
        name: its name for the user.
        scheme: the `Scheme` of its fingerprints.
        canonical: False if it holds customized fingerprints (SD-CUSTOM-1).
        slices: columns s0, s1, ... of its table; queries reach up to 2 * slices - 1 bits.

    >>> import tempfile
    >>> from simhash_doc import Fingerprint
    >>> from simhash_doc.store import Document, FingerprintStore
    >>> folder = tempfile.TemporaryDirectory()
    >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
    >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
    >>> [(one.name, one.scheme.id, one.slices) for one in store.collections()]
    [('default', 'sd64', 4)]
    """

    number: int
    name: str
    scheme: Scheme
    canonical: bool
    slices: int

    @property
    def scheme_text(self) -> str:
        """The scheme as the database holds it, such as ``sd64`` or ``sd64+custom``."""
        return scheme_text(self.scheme.id, self.canonical)


@dataclass(frozen=True, slots=True)
class CollectionStats:
    """The contents of a collection, and the cost of a query in it.

    Attributes:
        collection: its name, scheme and slices.
        documents: number of documents.
        bytes: of its table with all indexes; in SQLite of the file. Collections of one scheme and
            one number of slices share a table.
        distance: in bits, for which the cost is shown: slices - 1, or if it is more, the close threshold.
        expected_candidates: rows that a query at that distance compares, if fingerprints are uniform.
        measured_candidates: the mean of that over queries for up to 200 stored fingerprints; a row
            counts once for each slice that it shares, so a document itself counts for all of them.
        provenances: the different provenances of its fingerprints, as far as known.

    >>> import tempfile
    >>> from simhash_doc import Fingerprint
    >>> from simhash_doc.store import Document, FingerprintStore
    >>> folder = tempfile.TemporaryDirectory()
    >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
    >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
    >>> [(one.collection.name, one.documents, one.distance) for one in store.stats()]
    [('default', 2, 3)]
    """

    collection: Collection
    documents: int
    bytes: int
    distance: int
    expected_candidates: float
    measured_candidates: float
    provenances: tuple[Provenance, ...]


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of a check: the number of documents read, and the problems found.

    >>> import tempfile
    >>> from simhash_doc import Fingerprint
    >>> from simhash_doc.store import Document, FingerprintStore
    >>> folder = tempfile.TemporaryDirectory()
    >>> store = FingerprintStore(f"{folder.name}/near.sqlite")
    >>> written = store.add_many([Document("a", Fingerprint(0)), Document("b", Fingerprint(7))])
    >>> found = store.verify()
    >>> found.valid, found.documents, found.problems
    (True, 2, ())
    """

    documents: int
    problems: tuple[str, ...]

    @property
    def valid(self) -> bool:
        return not self.problems


def scheme_text(scheme_id: str, canonical: bool) -> str:
    return scheme_id if canonical else scheme_id + CUSTOM_SUFFIX


def check_text(text: object, what: str, longest: int = LONGEST_TEXT, shortest: int = 0) -> str:
    """Return a text that both database systems can hold.

    Raises:
        BadDocumentError: it is not a str, is empty where it must not be, is too long, or has a character
            that UTF-8 or PostgreSQL cannot hold.
    """
    if not isinstance(text, str):
        raise BadDocumentError(f"{what} is {text!r}, of type {type(text).__name__}; expected a str")
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise BadDocumentError(f"{what} {text!r} is not valid Unicode: it has a lone surrogate") from error
    if "\0" in text:
        raise BadDocumentError(f"{what} {text!r} has the character U+0000, which a database text cannot hold")
    if not shortest <= size <= longest:
        shown = text if size <= 60 else text[:57] + "..."
        raise BadDocumentError(f"{what} {shown!r} has {size:,} bytes; expected {shortest} to {longest:,}")
    return text


def metadata_text(metadata: object) -> str:
    """Return metadata as JSON, keys in order.

    Raises:
        ValueError: they are not a mapping from str to JSON values that both database systems can hold.
    """
    if not isinstance(metadata, Mapping) or not all(isinstance(key, str) for key in metadata):
        raise ValueError("not a mapping with keys of type str")
    if _is_deeper(metadata, DEEPEST):
        raise ValueError(f"nested more than {DEEPEST} levels deep")
    try:
        text = _ENCODER.encode(dict(metadata))
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise ValueError("not valid Unicode: a text has a lone surrogate") from error
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"not encodable as JSON: {error}") from error
    if size > LONGEST_TEXT:
        raise ValueError(f"{size:,} bytes of JSON; expected at most {LONGEST_TEXT:,}")
    if _NUL.search(text):
        raise ValueError("not storable: a text has U+0000, which a database text cannot hold")
    return text


def _is_deeper(value: object, most: int) -> bool:
    level: list[Any] = [value]
    for _ in range(most):
        nested = [one for one in level if isinstance(one, Mapping | list | tuple)]
        if not nested:
            return False
        level = [item for one in nested for item in (one.values() if isinstance(one, Mapping) else one)]
    return any(isinstance(one, Mapping | list | tuple) for one in level)


def is_integer(value: object) -> bool:
    """Return True if a value is an int and not a bool."""
    return isinstance(value, int) and not isinstance(value, bool)


def check_document(document: Document) -> str:
    """Reject a document that cannot be stored; return its metadata as JSON.

    Raises:
        BadDocumentError: a part of it is invalid; the message names it.
    """
    fingerprint: object = document.fingerprint
    name, uri = document.id, document.uri
    check_text(name, "a document's id", LONGEST_ID, 1)
    if not isinstance(fingerprint, Fingerprint):
        raise BadDocumentError(f"the fingerprint of document {name!r} is {fingerprint!r}, not a Fingerprint")
    if uri is not None:
        check_text(uri, f"the URI of document {name!r}")
    if document.time is not None:
        utc_time(document.id, document.time)
    try:
        return metadata_text(document.metadata)
    except ValueError as error:
        raise BadDocumentError(f"the metadata of document {name!r} are {error}") from error


def utc_time(name: str, time: object) -> datetime:
    """Return a document's time in UTC.

    Raises:
        BadDocumentError: it is not an aware datetime.
    """
    if not isinstance(time, datetime) or time.tzinfo is None:
        raise BadDocumentError(f"the time of document {name!r} is {time!r}; expected a datetime with a time zone")
    try:
        return time.astimezone(UTC)
    except OverflowError as error:
        raise BadDocumentError(
            f"the time of document {name!r} is {time}; in UTC it is outside years 1 to 9999"
        ) from error


def check_filter(where: Mapping[str, Scalar] | None) -> dict[str, Scalar]:
    """Return a metadata filter: each key must exist, with an equal JSON value.

    Raises:
        StoreParameterError: a key is not a str, or a value is not a str, number, bool or None of JSON.
    """
    if not isinstance(where, Mapping | None):
        raise TypeError(f"where is {type(where).__name__}; expected a dict of metadata")
    checked = dict(where or {})
    for key, value in checked.items():
        if not isinstance(value, Scalar):
            raise StoreParameterError(f"filter {key!r}: {value!r}; a value is a str, a number, a bool or None")
        if isinstance(value, int) and not -_LARGEST <= value <= _LARGEST:
            raise StoreParameterError(f"filter {key!r}: {value} does not fit in 64 bits")
    try:
        metadata_text(checked)
    except ValueError as error:
        raise StoreParameterError(f"the filter is {error}") from error
    return checked
