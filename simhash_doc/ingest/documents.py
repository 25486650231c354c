"""The states of a document before its result: open text, content to parse, a failure, or a known result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Generic, Protocol, TypeVar

from simhash_doc.ingest.results import UNREADABLE, Result

if TYPE_CHECKING:
    from simhash_doc.extract.errors import ExtractionError
    from simhash_doc.extract.result import ExtractedText
    from simhash_doc.extract.warc.reader import Payload
    from simhash_doc.ingest.options import ReadOptions

R = TypeVar("R", bound=Result)
R_co = TypeVar("R_co", bound=Result, covariant=True)


@dataclass(frozen=True, slots=True)
class OpenText:
    """UTF-8 text in an open file, valid until the next document is requested.

    Attributes:
        path: Its path.
        head: The bytes that were read already.
        file: The file, from which the rest is read.
        size: Size in bytes; None for a stream.
    """

    path: str
    head: bytes
    file: BinaryIO
    size: int | None


@dataclass(frozen=True, slots=True)
class Document:
    """A document that can be sent to another process.

    Attributes:
        path: Its path.
        size: Its size in bytes.
        format: Its format; None if it must be detected from the complete content.
        plain: Whether it is UTF-8 text.
        content: The document: its bytes, the payload of a WARC record, or None for the file at `path`.
    """

    path: str
    size: int
    format: str | None = None
    plain: bool = False
    content: bytes | Payload | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A document that cannot be read, with a message and the code of the error."""

    path: str
    error: str
    code: str


@dataclass(frozen=True, slots=True)
class Ready(Generic[R]):
    """A document whose result is known; it passes through the worker processes to keep the order."""

    result: R


class Task(Protocol[R_co]):
    """What is computed for each document. It can be sent to another process."""

    @property
    def options(self) -> ReadOptions: ...

    def of_text(self, path: str, head: bytes, file: BinaryIO) -> R_co:
        """Return the result for UTF-8 text, of which `head` was read already.

        Raises:
            OSError: The file cannot be read.
        """

    def of_extracted(self, path: str, extracted: ExtractedText) -> R_co:
        """Return the result for a text that was extracted."""

    def failed(self, failure: Failure) -> R_co:
        """Return the result for a document that cannot be read."""


def unreadable(path: str, error: OSError | MemoryError) -> Failure:
    """Return the failure of a file that cannot be read."""
    reason = error.strerror or str(error) if isinstance(error, OSError) else "not enough memory"
    return Failure(path, f"cannot be read: {reason}", UNREADABLE)


def unextractable(path: str, error: ExtractionError) -> Failure:
    """Return the failure of a document that has no text."""
    return Failure(path, error.message, error.code)


def invalid_utf8(offset: int) -> str:
    """Return the warning for a text with an invalid byte at an offset."""
    return f"not well-formed UTF-8: first invalid byte at offset {offset}; each invalid sequence counts as U+FFFD"
