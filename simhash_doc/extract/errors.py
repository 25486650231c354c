"""Why a document gave no text. Every message says what, where, and what would be right."""

from __future__ import annotations

from typing import ClassVar

from simhash_doc.errors import SimhashDocError


class ExtractionError(SimhashDocError):
    """No text could be taken from a document.

    `name` is the document's, such as its path or a WARC record's target URI, or None.
    """

    reason: ClassVar[str] = "extraction-failed"

    def __init__(self, message: str, *, name: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.name = name

    def __reduce__(self) -> tuple[object, ...]:  # keeps `name` on the way out of a worker process
        return _again, (type(self), self.message, self.name)


def _again(kind: type[ExtractionError], message: str, name: str | None) -> ExtractionError:
    return kind(message, name=name)


class UnsupportedMedium(ExtractionError):  # noqa: N818
    """The content is of no medium that can be read, such as an image."""

    reason = "unsupported-medium"


class Encrypted(ExtractionError):  # noqa: N818
    """The document opens with a password only."""

    reason = "encrypted"


class Damaged(ExtractionError):  # noqa: N818
    """The content is not what its first bytes promise: truncated, or not well-formed beyond repair."""

    reason = "damaged"


class NoText(ExtractionError):  # noqa: N818
    """The document was read, and holds no text: a scanned PDF, an empty page."""

    reason = "no-text"


class OverLimit(ExtractionError):  # noqa: N818
    """The document exceeds a limit. The message names the limit and its value."""

    reason = "over-limit"


class MissingExtra(ExtractionError):  # noqa: N818
    """A library of the extra `extract` is not installed."""

    reason = "missing-extra"
