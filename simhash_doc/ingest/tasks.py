"""What is computed for each document, here or in a worker process: its fingerprint or its text."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, TypeVar

from simhash_doc.accumulator import Accumulator
from simhash_doc.engines.base import Measurement
from simhash_doc.engines.select import select_engine
from simhash_doc.errors import NoTokenError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest.options import ReadOptions
from simhash_doc.ingest.results import TOO_SHORT, UNREADABLE, FingerprintResult, Result, TextResult
from simhash_doc.parallel.values import of_json, to_json
from simhash_doc.schemes import SchemeId, get_scheme
from simhash_doc_extraction import ExtractedText, ExtractionError, LimitExceededError, NoTextError
from simhash_doc_extraction.base import ExceededLimit
from simhash_doc_extraction.decompress import read_at_most

if TYPE_CHECKING:
    from simhash_doc_extraction.payload import Payload

_BLOCK = 1 << 20

ReadError = OSError | MemoryError | ExtractionError
R_co = TypeVar("R_co", bound=Result, covariant=True)
_Received = TypeVar("_Received", bound=Result)


@dataclass(frozen=True, slots=True)
class UnparsedDocument:
    """A document as it is sent to a worker process, which parses it.

    Attributes:
        path: Its path.
        size: Its size in bytes.
        format: Its format; None if it must be detected from the complete content.
        plain: Whether it is UTF-8 text.
        content: The document: its bytes, the payload of a WARC record, or None for the file at `path`.
        content_type: The header Content-Type with which it was sent, or None.
    """

    path: str
    size: int
    format: str | None = None
    plain: bool = False
    content: bytes | Payload | None = None
    content_type: str | None = None


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

    def failed(self, path: str, error: ReadError) -> R_co:
        """Return the result for a document that cannot be read."""

    def pack(self, result: Any) -> tuple[object, str]:
        """Return a result of this task as JSON and a text, without the path, which the receiver knows."""

    def unpack(self, path: str, value: Any, text: str) -> R_co:
        """Return the result that `pack` was given.

        Raises:
            Exception: It is no result of this task.
        """


_ERROR = {"error": str | None, "code": str | None, "exceeded": ExceededLimit | None}
"""What results of every task are sent with, and the types."""
_MEASURED = {
    **_ERROR,
    "tokens": int,
    "distinct_tokens": int,
    "support": float,
    "warnings": tuple[str, ...],
    "format": str | None,
    "incomplete": str | None,
    "remainder": str,
}


def _sent(result: Result, members: Mapping[str, Any]) -> dict[str, object]:
    """Return the members that have a value: most results have few."""
    return {name: to_json(value) for name in members if (value := getattr(result, name))}


def _received(value: Any, members: Mapping[str, Any]) -> dict[str, Any]:
    return {name: of_json(members[name], member) for name, member in value.items()}


def _checked(result: _Received, found: object) -> _Received:
    """Return a result, which has a value or an error: without both, nobody would notice that the document is missing.

    Raises:
        ValueError: It has both or none.
    """
    if (found is None) == (result.error is None):
        raise ValueError("a result without a value and an error, or with both")
    return result


@dataclass(frozen=True, slots=True)
class FingerprintTask:
    """Compute fingerprints of a scheme, given by its short id."""

    options: ReadOptions
    scheme: SchemeId

    def of_text(self, path: str, head: bytes, file: BinaryIO) -> FingerprintResult:
        """Return the fingerprint of UTF-8 text, read block by block."""
        check = _Utf8Check()
        check.feed(head)
        block = file.read(_BLOCK)
        if not block:
            check.feed(b"", final=True)
            return self._of_complete(FingerprintResult(path, self.scheme, warnings=check.warnings), head)
        accumulator, kept, size = Accumulator(self.scheme), [head], len(head)
        accumulator.update(head)
        while block:
            check.feed(block)
            accumulator.update(block)
            size += len(block)
            if self.options.traced or (self.options.with_text and size <= self.options.limits.input_bytes):
                kept.append(block)
            block = file.read(_BLOCK)
        check.feed(b"", final=True)
        result = FingerprintResult(path, self.scheme, warnings=check.warnings)
        is_kept = size <= self.options.limits.input_bytes
        return self._finished(result, accumulator.measure(), b"".join(kept), is_kept=is_kept)

    def of_extracted(self, path: str, extracted: ExtractedText) -> FingerprintResult:
        """Return the fingerprint of a text that was extracted."""
        result = FingerprintResult(path, self.scheme, warnings=extracted.warnings, format=extracted.format)
        result = replace(result, incomplete=extracted.incomplete, remainder=extracted.remainder)
        return self._of_complete(result, extracted.text)

    def failed(self, path: str, error: ReadError) -> FingerprintResult:
        """Return the result for a document that cannot be read."""
        incomplete = error.incomplete if isinstance(error, ExtractionError) else None
        return FingerprintResult(path, self.scheme, incomplete=incomplete, **_described(error))

    def pack(self, result: FingerprintResult) -> tuple[object, str]:
        """Return a result as JSON and its text."""
        found = {
            "value": result.fingerprint.hex if result.fingerprint else None,
            "trace": to_json(result.trace),
            "has_text": result.text is not None,
            "members": _sent(result, _MEASURED),
        }
        return found, result.text or ""

    def unpack(self, path: str, value: Any, text: str) -> FingerprintResult:
        """Return a result of another process."""
        from simhash_doc.engines.tracing import Trace

        fingerprint = None if value["value"] is None else Fingerprint(int(value["value"], 16), self.scheme)
        trace = of_json(Trace | None, value["trace"])
        found = {"fingerprint": fingerprint, "trace": trace, "text": text if value["has_text"] else None}
        members = _received(value["members"], _MEASURED)
        return _checked(FingerprintResult(path, self.scheme, **members, **found), fingerprint)

    def _of_complete(self, result: FingerprintResult, text: str | bytes) -> FingerprintResult:
        measured = select_engine(len(text)).measure(text, get_scheme(self.scheme).lanes)
        return self._finished(result, measured, text)

    def _finished(
        self, result: FingerprintResult, measured: Measurement, text: str | bytes, *, is_kept: bool = True
    ) -> FingerprintResult:
        if self.options.traced:
            from simhash_doc.engines.tracing import trace

            result = replace(result, trace=trace(text, self.scheme))
        if measured.tokens < self.options.min_tokens:
            return replace(result, code=TOO_SHORT, error=f"has fewer than {self.options.min_tokens:,} tokens")
        if not measured.tokens:
            if not text:
                return replace(result, error="has no fingerprint: it is empty", code=NoTokenError.code)
            message = "has no fingerprint: the text contains no token (no word outside links)"
            return replace(result, error=message, code=NoTokenError.code)
        return replace(
            result,
            fingerprint=Fingerprint(measured.value, self.scheme),
            tokens=measured.tokens,
            distinct_tokens=measured.distinct_tokens,
            support=measured.support,
            text=(text if isinstance(text, str) else text.decode("utf-8", "replace"))
            if self.options.with_text and is_kept
            else None,
        )


@dataclass(frozen=True, slots=True)
class TextTask:
    """Return the texts of documents."""

    options: ReadOptions

    def of_text(self, path: str, head: bytes, file: BinaryIO) -> TextResult:
        """Return UTF-8 text, decoded."""
        limit = self.options.limits.input_bytes
        data = head + read_at_most(file, limit + 1 - len(head))
        if len(data) > limit:
            message = f"the text is over the limit of {limit:,} bytes, which does not apply to `fingerprint`"
            return self.failed(path, LimitExceededError(message))
        warnings: tuple[str, ...] = ()
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            text, warnings = data.decode("utf-8", "replace"), (_invalid_utf8(error.start),)
        if not text.strip():
            reason = "the document contains only white space" if data else "the document is empty"
            return self.failed(path, NoTextError(f"no text: {reason}"))
        return TextResult(path, ExtractedText(text, "text", path, warnings))

    def of_extracted(self, path: str, extracted: ExtractedText) -> TextResult:
        """Return a text that was extracted."""
        return TextResult(path, extracted)

    def failed(self, path: str, error: ReadError) -> TextResult:
        """Return the result for a document that cannot be read."""
        return TextResult(path, **_described(error))

    def pack(self, result: TextResult) -> tuple[object, str]:
        """Return a result as JSON and its text."""
        extracted = result.extracted
        found = {
            "extracted": to_json(replace(extracted, text="") if extracted else None),
            "members": _sent(result, _ERROR),
        }
        return found, extracted.text if extracted else ""

    def unpack(self, path: str, value: Any, text: str) -> TextResult:
        """Return a result of another process."""
        extracted = of_json(ExtractedText | None, value["extracted"])
        found = replace(extracted, text=text) if extracted else None
        return _checked(TextResult(path, found, **_received(value["members"], _ERROR)), found)


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
            self.warnings = (_invalid_utf8(self._read - incomplete + error.start),)
        self._read += len(block)


def _invalid_utf8(offset: int) -> str:
    return f"not well-formed UTF-8: first invalid byte at offset {offset}; each invalid sequence counts as U+FFFD"


def _described(error: ReadError) -> dict[str, Any]:
    """Return an error as the fields of a result."""
    if isinstance(error, ExtractionError):
        exceeded = error.exceeded if isinstance(error, LimitExceededError) else None
        return {"error": error.message, "code": error.code, "exceeded": exceeded}
    reason = error.strerror or str(error) if isinstance(error, OSError) else "not enough memory"
    return {"error": f"cannot be read: {reason}", "code": UNREADABLE}
