"""Fingerprints of documents of any format."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, BinaryIO

from simhash_doc.accumulator import Accumulator, Counts
from simhash_doc.engines.base import Measurement
from simhash_doc.engines.select import select_engine
from simhash_doc.errors import NoTokenError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest.documents import Failure, invalid_utf8
from simhash_doc.ingest.options import ReadOptions
from simhash_doc.ingest.results import TOO_SHORT, FingerprintResult
from simhash_doc.ingest.sources import Results
from simhash_doc.schemes import get_scheme

if TYPE_CHECKING:
    from simhash_doc.extract.result import ExtractedText

_BLOCK = 1 << 20
_DEFAULT = ReadOptions()


def fingerprint_documents(
    paths: Iterable[str | os.PathLike[str]],
    scheme: str = "sd64",
    *,
    options: ReadOptions = _DEFAULT,
    jobs: int | None = None,
    traced: bool = False,
) -> Results[FingerprintResult]:
    """Return an iterator over the fingerprints of documents of any format, in order.

    Documents that are not UTF-8 text are parsed in worker processes without network, limited in memory and time. A
    document that cannot be read has a result with an error; the others are not affected. UTF-8 text is read block by
    block, whatever its size.

    Args:
        paths: Files; directories, which are replaced by the files below them; ``-`` for standard input. Each
            document of a WARC file has its own result.
        scheme: Short id of the scheme.
        options: Format of the documents, and limits on each.
        jobs: Number of worker processes; None for one per core. None are started for a small amount of text.
        traced: Whether to compute every intermediate value; the text is then kept in memory.

    Raises:
        UnknownSchemeError: The scheme is not in the registry.

    >>> for result in fingerprint_documents(["missing.txt"]):
    ...     print(result.path, result.fingerprint, result.code)
    missing.txt None unreadable
    """
    return Results(paths, FingerprintTask(options, get_scheme(scheme).id, traced), jobs)


@dataclass(frozen=True, slots=True)
class FingerprintTask:
    """Compute fingerprints of a scheme; with `traced`, every intermediate value too."""

    options: ReadOptions
    scheme: str
    traced: bool

    def of_text(self, path: str, head: bytes, file: BinaryIO) -> FingerprintResult:
        """Return the fingerprint of UTF-8 text, read block by block."""
        check = _Utf8Check()
        check.feed(head)
        block = file.read(_BLOCK)
        if not block:
            check.feed(b"", final=True)
            return self._of_complete(FingerprintResult(path, self.scheme, warnings=check.warnings), head)
        accumulator, kept = Accumulator(self.scheme), [head]
        accumulator.update(head)
        while block:
            check.feed(block)
            accumulator.update(block)
            if self.traced:
                kept.append(block)
            block = file.read(_BLOCK)
        check.feed(b"", final=True)
        result = FingerprintResult(path, self.scheme, warnings=check.warnings)
        counts = accumulator.counts()
        fingerprint = accumulator.fingerprint() if counts.total else None
        return self._finished(result, fingerprint, counts, b"".join(kept))

    def of_extracted(self, path: str, extracted: ExtractedText) -> FingerprintResult:
        """Return the fingerprint of a text that was extracted."""
        result = FingerprintResult(path, self.scheme, warnings=extracted.warnings, format=extracted.format)
        return self._of_complete(result, extracted.text)

    def failed(self, failure: Failure) -> FingerprintResult:
        """Return the result for a document that cannot be read."""
        return FingerprintResult(failure.path, self.scheme, error=failure.error, code=failure.code)

    def _of_complete(self, result: FingerprintResult, text: str | bytes) -> FingerprintResult:
        measured = select_engine(len(text)).measure(text, get_scheme(self.scheme).lanes)
        fingerprint = Fingerprint(measured.value, self.scheme) if measured.total else None
        return self._finished(result, fingerprint, measured, text)

    def _finished(
        self,
        result: FingerprintResult,
        fingerprint: Fingerprint | None,
        counts: Counts | Measurement,
        text: str | bytes,
    ) -> FingerprintResult:
        if self.traced:
            from simhash_doc.engines.tracing import trace

            result = replace(result, trace=trace(text, self.scheme))
        if counts.total < self.options.min_tokens:
            return replace(result, code=TOO_SHORT, error=f"has fewer than {self.options.min_tokens:,} tokens")
        if fingerprint is None:
            if not text:
                return replace(result, error="has no fingerprint: it is empty", code=NoTokenError.code)
            message = "has no fingerprint: the text contains no token (no word outside links)"
            return replace(result, error=message, code=NoTokenError.code)
        return replace(result, fingerprint=fingerprint, tokens=counts.total, distinct_tokens=counts.distinct)


class _Utf8Check:
    """Finds the first byte that is not well-formed UTF-8 in a text that arrives in blocks."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._read = 0
        self.warnings: tuple[str, ...] = ()

    def feed(self, block: bytes, *, final: bool = False) -> None:
        """Check the next bytes; `final` marks the end of the text."""
        if self.warnings:
            return
        incomplete = len(self._decoder.getstate()[0])
        try:
            self._decoder.decode(block, final)
        except UnicodeDecodeError as error:
            self.warnings = (invalid_utf8(self._read - incomplete + error.start),)
        self._read += len(block)
