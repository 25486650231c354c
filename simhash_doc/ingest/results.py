"""The result for one document: its text or its fingerprint, or an error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from simhash_doc.engines.tracing import Trace
    from simhash_doc.extract.result import ExtractedText
    from simhash_doc.fingerprint import Fingerprint
    from simhash_doc.ingest.provenance import Provenance

UNREADABLE = "unreadable"
"""Code of a document whose file or stream cannot be read."""
WORKER_FAILED = "worker-failed"
"""Code of a document whose worker process crashed or took too long."""
TOO_SHORT = "too-short"
"""Code of a document with fewer tokens than `ReadOptions.min_tokens`, which is left out of the results."""


class Result(Protocol):
    """The common attributes of all results. A result has either a value or an error."""

    @property
    def path(self) -> str: ...
    @property
    def error(self) -> str | None: ...
    @property
    def code(self) -> str | None: ...
    @property
    def warnings(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class FingerprintResult:
    """The fingerprint of one document, or why it has none.

    Attributes:
        path: The path as it was given; ``FILE#URI`` for a document of a WARC file.
        scheme: Short id of the scheme.
        fingerprint: None if there is an error.
        tokens: Number of tokens.
        distinct_tokens: Number of distinct tokens.
        error: Human-readable message; None if there is a fingerprint.
        code: Machine-readable name of the error: ``no-token``, ``unreadable``, ``worker-failed``, or the code of an
            `ExtractionError`.
        warnings: What was repaired or left out.
        trace: Every intermediate value, if it was requested.
        format: Format of the document from which the text was extracted; None for UTF-8 text, which is read as it is.
    """

    path: str
    scheme: str
    fingerprint: Fingerprint | None = None
    tokens: int = 0
    distinct_tokens: int = 0
    error: str | None = None
    code: str | None = None
    warnings: tuple[str, ...] = ()
    trace: Trace | None = None
    format: str | None = None

    @property
    def provenance(self) -> Provenance:
        """The scheme, the version of the specification, and the software that the fingerprint comes from."""
        from simhash_doc.ingest.provenance import Provenance

        return Provenance.of_package(self.scheme, extracted=self.format is not None)


@dataclass(frozen=True, slots=True)
class TextResult:
    """The text of one document, as it would be fingerprinted, or why it has none.

    Attributes:
        path: The path as it was given; ``FILE#URI`` for a document of a WARC file.
        extracted: None if there is an error.
        error: Human-readable message.
        code: Machine-readable name of the error, as in `FingerprintResult`.
    """

    path: str
    extracted: ExtractedText | None = None
    error: str | None = None
    code: str | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was repaired or left out."""
        return self.extracted.warnings if self.extracted else ()
