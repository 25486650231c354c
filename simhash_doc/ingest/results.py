"""What comes of reading a document: its fingerprint or its text, or why it has none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from simhash_doc.ingest.options import EXTRACTOR
from simhash_doc.provenance import Provenance
from simhash_doc.schemes import SchemeId
from simhash_doc_extraction import ExtractedText
from simhash_doc_extraction.base import NO_ARTICLE, ExceededLimit

if TYPE_CHECKING:
    from simhash_doc.engines.tracing import Trace
    from simhash_doc.fingerprint import Fingerprint

UNREADABLE = "unreadable"
"""Code of a document whose file or stream cannot be read."""
WORKER_FAILED = "worker-failed"
"""Code of a document whose worker process crashed."""
TOO_SHORT = "too-short"
"""Code of a document with fewer tokens than `ReadOptions.min_tokens`, which is left out of the results."""


_STAND_INS = {
    f"{NO_ARTICLE}error page": "error-page",
    f"{NO_ARTICLE}consent page": "consent",
    f"{NO_ARTICLE}robot check": "robot-check",
    f"{NO_ARTICLE}page that needs a script": "script-only",
}


@dataclass(frozen=True, slots=True)
class Result:
    """What all results have: a path, and either a value or an error."""

    path: str
    error: str | None = field(default=None, kw_only=True)
    code: str | None = field(default=None, kw_only=True)
    exceeded: ExceededLimit | None = field(default=None, kw_only=True)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was repaired or left out."""
        raise NotImplementedError


AnyResult = TypeVar("AnyResult", bound=Result)


@dataclass(frozen=True, slots=True)
class FingerprintResult(Result):
    """The fingerprint of one document, or why it has none.

    Attributes:
        path: The path as it was given; ``FILE#DATE/URI`` for a document of a WARC file.
        scheme: Short id of the scheme.
        fingerprint: None if there is an error.
        tokens: Number of tokens.
        distinct_tokens: Number of distinct tokens.
        support: Effective number of tokens (`Measurement`).
        error: Human-readable message; None if there is a fingerprint.
        code: Machine-readable name of the error: ``no-token``, ``unreadable``, ``worker-failed``, or the code of an
            `ExtractionError`.
        warnings: What was repaired or left out.
        trace: Every intermediate value, if it was requested.
        format: Format of the document from which the text was extracted; None for UTF-8 text, which is read as it is.
        incomplete: Why the document is only a part of what the server sent, or None.
        exceeded: The limit that the document exceeds, if that is the error.
        text: The text that was fingerprinted, if it was requested and is not over the limit.
        remainder: A digest of what the document shows outside its text, if it was requested; empty if there is nothing.

    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> from simhash_doc.ingest import fingerprint_documents
    >>> size = pathlib.Path(folder.name, "a.txt").write_text("The quick brown fox")
    >>> [(str(one.fingerprint), one.tokens, one.error) for one in fingerprint_documents(folder.name)]
    [('sd64:larqgiqsckcca', 4, None)]
    """

    scheme: SchemeId
    fingerprint: Fingerprint | None = None
    tokens: int = 0
    distinct_tokens: int = 0
    support: float = 0.0
    warnings: tuple[str, ...] = ()
    trace: Trace | None = None
    format: str | None = None
    incomplete: str | None = None
    text: str | None = field(default=None, repr=False)
    remainder: str = field(default="", repr=False)

    @property
    def stand_in(self) -> str | None:
        """What was captured instead: ``error-page``, ``consent``, ``robot-check`` or ``script-only``; or None."""
        return next(filter(None, map(_STAND_INS.get, self.warnings)), None)

    @property
    def provenance(self) -> Provenance:
        """The scheme, the version of the specification, and the software that the fingerprint comes from."""
        return Provenance.of_package(self.scheme, extractor=None if self.format is None else EXTRACTOR)


@dataclass(frozen=True, slots=True)
class TextResult(Result):
    """The text of one document, as it would be fingerprinted, or why it has none.

    Attributes:
        path: The path as it was given; ``FILE#DATE/URI`` for a document of a WARC file.
        extracted: None if there is an error.
        error: Human-readable message.
        code: Machine-readable name of the error, as in `FingerprintResult`.
        exceeded: The limit that the document exceeds, if that is the error.

    >>> from simhash_doc.ingest import extract_documents
    >>> [(one.path, one.extracted, one.code) for one in extract_documents("missing.txt")]
    [('missing.txt', None, 'unreadable')]
    """

    extracted: ExtractedText | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was repaired or left out."""
        return self.extracted.warnings if self.extracted else ()
