"""Errors of extraction. Each message states what was found, where, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from simhash_doc.errors import SimhashDocError


class ExtractionError(SimhashDocError):
    """Base of the errors that explain why a document gave no text.

    Attributes:
        code: machine-readable name of the error, in kebab-case: the name in the specification, if it has one.
        message: what was found and what to do, without the name of the document.
        name: name of the document, such as its path or the target URI of its WARC record, or None.
    """

    code: ClassVar[str] = "extraction-failed"

    def __init__(self, message: str, *, name: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.name = name

    def __reduce__(self) -> tuple[object, ...]:
        """Support pickling with the keyword argument `name`, so that a worker process can return the error."""
        return _restore, (type(self), self.message, self.name), vars(self)


def _restore(kind: type[ExtractionError], message: str, name: str | None) -> ExtractionError:
    return kind(message, name=name)


class UnsupportedFormatError(ExtractionError):
    """The content has a format that cannot be read, such as an image."""

    code = "unsupported-medium"


class EncryptedDocumentError(ExtractionError):
    """The document cannot be opened without a password."""

    code = "encrypted"


class CorruptDocumentError(ExtractionError):
    """The content is not valid in its format and cannot be repaired, for example because it is truncated."""

    code = "damaged"


class NoTextError(ExtractionError):
    """The document is readable but holds no text, such as a scanned PDF or an empty page (SD-EXTRACT-11)."""

    code = "no-text"


@dataclass(frozen=True, slots=True)
class ExceededLimit:
    """The one of `Limits` that a document exceeds, for messages of other programs.

    Attributes:
        field: name of the attribute of `Limits`.
        value: its value.
        subject: what is larger, such as ``the record``; None for the document itself.
        size: size of the document in bytes, as far as it was read; None for other subjects.
    """

    field: str
    value: int
    subject: str | None = None
    size: int | None = None


class LimitExceededError(ExtractionError):
    """The document exceeds one of its `Limits`. The message states the limit and its value.

    Attributes:
        exceeded: the limit; None if it is not one of bytes that `Limits` names.
    """

    code = "over-limit"
    exceeded: ExceededLimit | None = None

    @classmethod
    def of(cls, exceeded: ExceededLimit, name: str | None) -> LimitExceededError:
        """Return the error for a limit that the document `name` exceeds."""
        subject = f"{exceeded.size:,} bytes are" if exceeded.subject is None else f"{exceeded.subject} is"
        error = cls(f"{subject} over the limit {exceeded.field}={exceeded.value:,}", name=name)
        error.exceeded = exceeded
        return error


class MissingExtraError(ExtractionError):
    """A library of the extra `extract` is not installed."""

    code = "missing-extra"


class LimitValueError(SimhashDocError, ValueError):
    """A limit is not a positive number, or is larger than any system supports."""

    code = "limit-value"
