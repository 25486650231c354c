"""Text from documents of many formats, ready to be fingerprinted. Needs the extra `extract`; never uses the network.

>>> from simhash_doc.extract import extract
>>> extract(b"The quick brown fox").format
'text'

The functions here run in the calling process and enforce the limits on size. For untrusted documents, use
`simhash_doc.ingest`: `extract_in_sandbox` for one, `extract_contents` and `extract_documents` for many. It runs the
functions in worker processes, which also contain crashes of native parsers and enforce limits on time and memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from simhash_doc.extract.decompress import read_at_most
from simhash_doc.extract.detect import detect
from simhash_doc.extract.errors import (
    CorruptDocumentError,
    EncryptedDocumentError,
    ExceededLimit,
    ExtractionError,
    LimitExceededError,
    MissingExtraError,
    NoTextError,
    UnsupportedFormatError,
)
from simhash_doc.extract.limits import Limits
from simhash_doc.extract.registry import CONTAINERS, get_container_reader, get_reader, missing_extra
from simhash_doc.extract.result import BlockDecision, ExtractedText

__all__ = [
    "BlockDecision",
    "CorruptDocumentError",
    "EncryptedDocumentError",
    "ExtractedText",
    "ExtractionError",
    "LimitExceededError",
    "Limits",
    "MissingExtraError",
    "NoTextError",
    "UnsupportedFormatError",
    "detect",
    "extract",
    "extract_each",
]

_DEFAULT = Limits()
HEAD = 64 * 1024
"""Number of bytes from which `extract_each` detects the format."""


def extract(
    data: bytes,
    *,
    name: str | None = None,
    document_format: str | None = None,
    limits: Limits = _DEFAULT,
    explain: bool = False,
) -> ExtractedText:
    """Return the text of one document (SD-EXTRACT-1 to SD-EXTRACT-11).

    Args:
        data: the document as stored.
        name: name of the document, for messages. Its extension decides between formats with similar content
            (SD-EXTRACT-10).
        document_format: a key of `registry.READERS`, to read the document in this format without detection.
        limits: limits on size and number of pages.
        explain: for a web page, also return each of its blocks with the reason why it is or is not in the text.

    Raises:
        ExtractionError: the document gave no text. The subclass says why; its `name` is `name`.
    """
    if len(data) > limits.input_bytes:
        raise LimitExceededError.of(ExceededLimit("input_bytes", limits.input_bytes, size=len(data)), name)
    if document_format is None or not data:
        document_format = detect(data, name)
    if document_format == "empty":
        raise NoTextError("no text: the document is empty", name=name)
    if document_format in CONTAINERS:
        raise UnsupportedFormatError(f"{document_format} content holds many documents: use extract_each", name=name)
    read = get_reader(document_format, name, explain=explain)
    try:
        extracted = read(data, document_format=document_format, name=name, limits=limits)
    except ExtractionError as error:
        error.name = error.name or name
        raise
    except MemoryError as error:
        raise LimitExceededError("the document needs more memory than its process may use", name=name) from error
    except ModuleNotFoundError as error:
        raise missing_extra(document_format, name, error) from error
    except Exception as error:  # an unexpected failure of a reader must not stop the caller's run
        raise CorruptDocumentError(
            f"the {document_format} cannot be read: {type(error).__name__}: {error}", name=name
        ) from error
    if not extracted.text.strip():
        raise NoTextError("no text: the document holds none", name=name)
    return extracted


def extract_each(
    source: BinaryIO, *, name: str | None = None, limits: Limits = _DEFAULT
) -> Iterator[ExtractedText | ExtractionError]:
    """Yield the text of each document in a file: of every member of a container (WARC), otherwise of the file itself.

    Args:
        source: a seekable binary file. It is read from its current position.
        name: name of the file, for messages and for detection as in `extract`.
        limits: limits on each document.

    Yields:
        The text of a document, or the error if it has none; the documents after it follow.
    """
    start = source.tell()
    document_format = detect(source.read(HEAD), name)
    source.seek(start)
    try:
        if document_format in CONTAINERS:
            read_each = get_container_reader(document_format, name)
            yield from read_each(source, document_format=document_format, name=name, limits=limits)
        else:
            yield extract(read_at_most(source, limits.input_bytes + 1), name=name, limits=limits)
    except ExtractionError as error:
        yield error
