"""Text from documents of many formats, ready to be fingerprinted. Needs the extra `extract`; never uses the network.

>>> from simhash_doc_extraction import extract
>>> extract(b"The quick brown fox").format
'text'

The functions here run in the calling process and enforce the limits on size. For untrusted documents, use
`simhash_doc.ingest`: `extract_in_sandbox` for one, `extract_contents` and `extract_documents` for many. It runs the
functions in worker processes, which also contain crashes of native parsers and enforce limits on time and memory.

A change that alters the text of any document raises `VERSION`.

Detection and readers are loaded with the first document, so importing the names of the formats is cheap.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, BinaryIO, Protocol

from simhash_doc_extraction.base import (
    BlockDecision,
    CorruptDocumentError,
    EncryptedDocumentError,
    ExceededLimit,
    ExtractedText,
    ExtractionError,
    IncompleteDocumentError,
    InternalError,
    LimitExceededError,
    Limits,
    MissingExtraError,
    NoTextError,
    Record,
    SkippedRecordError,
    UnsupportedFormatError,
    warning_kind,
)
from simhash_doc_extraction.version import VERSION

if TYPE_CHECKING:
    from simhash_doc_extraction.decompress import ByteSource
    from simhash_doc_extraction.detection import detect
    from simhash_doc_extraction.payload import Payload

__all__ = [
    "VERSION",
    "BlockDecision",
    "CorruptDocumentError",
    "EncryptedDocumentError",
    "ExtractedText",
    "ExtractionError",
    "IncompleteDocumentError",
    "InternalError",
    "LimitExceededError",
    "Limits",
    "MissingExtraError",
    "NoTextError",
    "Record",
    "UnsupportedFormatError",
    "detect",
    "extract",
    "extract_each",
    "warning_kind",
]

Reader = Callable[[bytes, str, Limits], ExtractedText]
"""Reads one document of a format. The result and the `ExtractionError` that it may raise have no name yet."""

READERS: dict[str, str] = {
    "asciidoc": "asciidoc:read_asciidoc",
    "docbook": "vocabularies.reader:read_xml_document",
    "docx": "docx:read_docx",
    "eml": "mail:read_mail",
    "epub": "epub:read_epub",
    "fb2": "vocabularies.reader:read_fictionbook",
    "gzip": "decompress:read_gzip",
    "html": "html.reader:read_html",
    "jats": "vocabularies.reader:read_xml_document",
    "markdown": "markdown:read_markdown",
    "mhtml": "mhtml:read_mhtml",
    "odt": "odt:read_odt",
    "pdf": "pdf.reader:read_pdf",
    "rtf": "rtf.reader:read_rtf",
    "tei": "vocabularies.reader:read_xml_document",
    "text": "text:read_plain",
    "xml": "vocabularies.reader:read_xml_document",
}
"""Format -> "module:function" of a `Reader`. The module is imported when the first document of its format is read."""

CONTAINERS = frozenset({"mbox", "wacz", "warc"})
"""Formats of files that hold many documents: `extract_each` reads them."""

HEAD = 64 * 1024
"""Number of bytes from which `extract_each` detects the format."""

_EXPLAINED = "html"  # its reader can also return the decision about each block
_ADVICE = {
    "Parquet file": "for a column of texts, use simhash-doc table fingerprint or table dedupe",
    "Zstandard": "decompress it first: zstdcat FILE | simhash-doc fingerprint -",
}
_DEFAULT = Limits()


def __getattr__(name: str) -> object:
    if name != "detect":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from simhash_doc_extraction.detection import detect

    globals()[name] = detect
    return detect


def extract(
    data: bytes,
    *,
    name: str | None = None,
    format: str | None = None,  # noqa: A002
    content_type: str | None = None,
    limits: Limits = _DEFAULT,
    explain: bool = False,
    remainder: bool = False,
) -> ExtractedText:
    """Return the text of one document (SD-EXTRACT-1 to SD-EXTRACT-11).

    Args:
        data: the document as stored.
        name: name of the document, for messages. Its extension decides between formats with similar content
            (SD-EXTRACT-10).
        format: the format, for example ``html``, to read the document without detection.
        content_type: the header Content-Type with which the document was sent. Its media type decides before the
            extension of the name; its charset counts as declared by the transport (SD-EXTRACT-9).
        limits: limits on size and number of pages.
        explain: for a web page, also return each of its blocks with the reason why it is or is not in the text.
        remainder: also return a digest of what the document shows outside its text.

    Raises:
        ExtractionError: the document yielded no text. The subclass says why; its `name` is `name`.
        TypeError: the data are not bytes, or another argument has the wrong type.

    >>> page = "<p>Žluťoučký kůň</p>".encode("iso-8859-2")
    >>> extract(page, content_type="text/html; charset=iso-8859-2").text
    'Žluťoučký kůň'
    """
    from simhash_doc_extraction.detection import check_names, detect, parse_content_type, type_of_page

    data, document_format = _checked_bytes(data), format
    check_names(name=name, format=format, content_type=content_type)
    if not isinstance(limits, Limits):
        raise TypeError(f"limits is {type(limits).__name__}; expected Limits")
    media_type, charset = parse_content_type(content_type or "")
    try:
        if len(data) > limits.input_bytes:
            raise LimitExceededError.of(ExceededLimit("input_bytes", limits.input_bytes, size=len(data)))
        if document_format is None or not data:
            document_format = detect(data, name, media_type or None)
        if document_format == "empty":
            raise NoTextError("no text: the document is empty")
        if document_format in CONTAINERS:
            raise UnsupportedFormatError(f"{document_format} content holds many documents: use extract_each")
        extracted = _read(data, document_format, name, limits, explain, charset, remainder)
        if not extracted.text.strip():
            raise NoTextError("no text: the document holds none")
    except ExtractionError as error:
        error.name = error.name or name
        raise
    declared = type_of_page(name, media_type or None) if extracted.format == "text" else None
    warnings = (f"read as plain text: it has no tags, and {declared}",) if declared else ()
    return replace(extracted, name=name, warnings=(*warnings, *extracted.warnings))


def _checked_bytes(data: object) -> bytes:
    if isinstance(data, bytes | bytearray | memoryview):
        return bytes(data)
    remedy = {"str": "a text needs no extraction, and a file is read with open(path, 'rb').read()"}
    if isinstance(data, os.PathLike):
        raise TypeError(f"data is {type(data).__name__}; expected bytes: read the file with data.read_bytes()")
    advice = remedy.get(type(data).__name__)
    raise TypeError(f"data is {type(data).__name__}; expected bytes{f': {advice}' if advice else ''}")


def _read(
    data: bytes,
    document_format: str,
    name: str | None,
    limits: Limits,
    explain: bool,
    charset: str | None,
    remainder: bool,
) -> ExtractedText:
    try:
        warnings: tuple[str, ...] = ()
        if charset is not None:
            from simhash_doc_extraction.payload import with_byte_order_mark

            data, warnings = with_byte_order_mark(data, charset)
        if document_format == "gzip":
            from simhash_doc_extraction.decompress import read_gzip

            # its name may end with that of the document in it, such as a.md.gz
            return read_gzip(data, document_format, limits, name, remainder=remainder)
        extracted = get_reader(document_format, explain=explain)(data, document_format, limits)
        if remainder:
            from simhash_doc_extraction.remainder import remainder_of

            found = remainder_of(data, extracted.format, extracted.text, limits)
            extracted = replace(extracted, remainder=found)
        return replace(extracted, warnings=(*warnings, *extracted.warnings)) if warnings else extracted
    except ExtractionError:
        raise
    except MemoryError as error:
        raise LimitExceededError("the document needs more memory than its process may use") from error
    except RecursionError as error:
        raise LimitExceededError("the parts of the document are nested too deeply") from error
    except ModuleNotFoundError as error:
        raise MissingExtraError.of(document_format, error) from error
    except Exception as error:  # an unexpected failure of a reader must not stop the caller's run
        raise InternalError.of(error, f"the {document_format}") from error


def get_reader(document_format: str, *, explain: bool = False) -> Reader:
    """Return the reader of a format.

    Args:
        document_format: a key of `READERS`.
        explain: return a reader that explains its result, if there is one for the format.

    Raises:
        UnsupportedFormatError: the format is not a key of `READERS`.
        ModuleNotFoundError: a library of the extra `extract` is not installed.
    """
    if document_format not in READERS:
        advice = _ADVICE.get(document_format, f"supported formats: {', '.join(sorted({*READERS, *CONTAINERS}))}")
        raise UnsupportedFormatError(f"no text can be read from {document_format} content; {advice}")
    module, _, function = READERS[document_format].partition(":")
    reader: Callable[..., ExtractedText] = getattr(import_module(f"simhash_doc_extraction.{module}"), function)
    return partial(reader, explain=True) if explain and document_format == _EXPLAINED else reader


def extract_each(
    source: BinaryIO,
    *,
    name: str | None = None,
    limits: Limits = _DEFAULT,
    select: Callable[[Record], bool] | None = None,
) -> Iterator[ExtractedText | ExtractionError]:
    """Yield the text of each document in a file: of every member of a container (WARC, WACZ, mbox), or of the file.

    Args:
        source: a seekable binary file. It is read from its current position.
        name: name of the file, for messages and for detection as in `extract`.
        limits: limits on each document.
        select: called with the record of each document of a web archive before it is read; the document is skipped
            unless it returns True. A file that is not a web archive has no record, and is always read.

    Yields:
        The text of a document, or the error if it has none; the documents after it follow. Its `record` has the URI,
        date, status and headers in a web archive.

    Raises:
        MissingExtraError: a package that reads the documents is not installed.
        TypeError: the source is not a binary file, or `select` is not a function.

    >>> import io
    >>> page = io.BytesIO(b"<p>The quick brown fox")
    >>> [found.text for found in extract_each(page, name="fox.html")]
    ['The quick brown fox']
    """
    from simhash_doc_extraction.detection import check_names

    if isinstance(source, str | bytes | os.PathLike) or not hasattr(source, "seek"):
        raise TypeError(f"source is {type(source).__name__}; expected a binary file, for example open(path, 'rb')")
    check_names(name=name)
    if select is not None and not callable(select):
        raise TypeError(f"select is {type(select).__name__}; expected a function")
    return _each(source, name, limits, select)


def _each(
    source: BinaryIO, name: str | None, limits: Limits, select: Callable[[Record], bool] | None
) -> Iterator[ExtractedText | ExtractionError]:
    from simhash_doc_extraction.decompress import read_at_most
    from simhash_doc_extraction.detection import detect

    start = source.tell()
    document_format = detect(source.read(HEAD), name)
    source.seek(start)
    try:
        if document_format not in CONTAINERS:
            yield extract(read_at_most(source, limits.input_bytes + 1), name=name, limits=limits)
            return
        for payload in open_members(document_format, source, name=name, limits=limits):
            if isinstance(payload, ExtractionError):
                yield payload
                continue
            if select is not None and not select(payload.record):
                continue
            try:
                yield payload.extract(payload.uri, limits)
            except SkippedRecordError:
                continue
            except ExtractionError as error:
                error.record = payload.record
                yield error
            except Exception as error:
                yield InternalError.of(error, "the record", name=getattr(payload, "name", name))
    except MissingExtraError:  # as a result it would hide in a program that takes only the texts
        raise
    except ExtractionError as error:
        yield error


_MEMBERS = {"mbox": "mbox:Messages", "wacz": "wacz:CollectedRecords", "warc": "warc:Records"}
"""Container -> "module:class" of its `Members`."""


class Members(Protocol):
    """The documents of a container as they are stored, in the order of the file. Can be iterated once.

    Attributes:
        skipped: number of members so far that hold no document, by kind.
        revisits: number of members so far that only refer to an earlier capture.
    """

    skipped: Counter[str]
    revisits: int

    def __iter__(self) -> Iterator[Payload | ExtractionError]: ...


def open_members(document_format: str, source: ByteSource, *, name: str | None, limits: Limits) -> Members:
    """Return the documents of a container as they are stored.

    Args:
        document_format: one of `CONTAINERS`.
        source: the file. A WACZ file must be seekable.
        name: its name, for messages.
        limits: limits on each document.

    Raises:
        MissingExtraError: the extra `extract` is not installed.
    """
    module, _, kind = _MEMBERS[document_format].partition(":")
    try:
        members: Members = getattr(import_module(f"simhash_doc_extraction.{module}"), kind)(
            source, name=name, limits=limits
        )
    except ModuleNotFoundError as error:
        raise MissingExtraError.of(document_format, error, name=name) from error
    return members
