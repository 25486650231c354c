"""What becomes of one document: its text or its fingerprint, or why it has none."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO

from simhash_doc.accumulator import Accumulator
from simhash_doc.api import Trace, trace
from simhash_doc.cli.confinement import confine
from simhash_doc.cli.documents import open_document
from simhash_doc.cli.reading import Reading
from simhash_doc.cli.sources import HEAD, Ready, Source, is_plain_text
from simhash_doc.errors import NoTokenError
from simhash_doc.extract import Extracted, ExtractionError, OverLimit, extract
from simhash_doc.value import Fingerprint

_BLOCK = 1 << 20
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one document: a fingerprint or an error, and warnings. `reason` is the error's kind, in words."""

    path: str
    scheme: str
    fingerprint: Fingerprint | None = None
    tokens: int = 0
    distinct_tokens: int = 0
    error: str | None = None
    reason: str | None = None
    warnings: tuple[str, ...] = ()
    trace: Trace | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """The text of one document, or an error, and the error's kind in words."""

    path: str
    extracted: Extracted | None = None
    error: str | None = None
    reason: str | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        return self.extracted.warnings if self.extracted else ()


def fingerprint_source(source: Source | Ready[Outcome], scheme: str, reading: Reading, *, traced: bool) -> Outcome:
    """Return the fingerprint of one document; a failure is part of the outcome.

    Plain text is read block by block. With `traced`, all of it is kept in memory and the outcome has its trace.
    """
    if isinstance(source, Ready):
        return source.result
    confine(reading.memory)
    try:
        if is_file(source):
            with open_document(source.name) as file:
                head = file.read(HEAD)
                if is_plain_text(head, source.name, reading):
                    return fingerprint_text(source.name, file, head, scheme, traced=traced)
                extracted = _extracted(source, reading, head + _rest(file, len(head), reading))
        else:
            extracted = _extracted(source, reading, source.data)
        accumulator = Accumulator(scheme)
        accumulator.update(extracted.text)
        outcome = Outcome(source.name, scheme, warnings=extracted.warnings)
        return _with_fingerprint(outcome, accumulator, extracted.text if traced else None)
    except OSError as error:
        return Outcome(source.name, scheme, error=f"cannot be read: {error.strerror or error}", reason="unreadable")
    except ExtractionError as error:
        return Outcome(source.name, scheme, error=error.message, reason=in_words(error))
    except MemoryError:
        error_text, reason = _too_much_memory(reading)
        return Outcome(source.name, scheme, error=error_text, reason=reason)


def text_of_source(source: Source | Ready[Text], reading: Reading) -> Text:
    """Return the text of one document, as it would be fingerprinted; a failure is part of the result."""
    if isinstance(source, Ready):
        return source.result
    confine(reading.memory)
    try:
        data = source.data
        if is_file(source):
            with open_document(source.name) as file:
                data = _rest(file, 0, reading)
            if is_plain_text(data[:HEAD], source.name, reading):
                return Text(source.name, _plain(data, source.name, reading))
        return Text(source.name, _extracted(source, reading, data))
    except OSError as error:
        return Text(source.name, error=f"cannot be read: {error.strerror or error}", reason="unreadable")
    except ExtractionError as error:
        return Text(source.name, error=error.message, reason=in_words(error))
    except MemoryError:
        error_text, reason = _too_much_memory(reading)
        return Text(source.name, error=error_text, reason=reason)


def fingerprint_text(path: str, file: BinaryIO, head: bytes, scheme: str, *, traced: bool) -> Outcome:
    """Return the fingerprint of UTF-8 text, of which some bytes were read, in bounded memory."""
    accumulator, check = Accumulator(scheme), _Utf8Check()
    kept = io.BytesIO()
    for block in _blocks(head, file):
        check.feed(block)
        accumulator.update(block)
        if traced:
            kept.write(block)
    check.feed(b"", final=True)
    outcome = Outcome(path, scheme, warnings=check.warnings())
    return _with_fingerprint(outcome, accumulator, kept.getvalue() if traced else None)


def is_file(source: Source) -> bool:
    """Whether a document is still to be opened."""
    return source.data is None and source.payload is None and source.error is None


def in_words(error: ExtractionError) -> str:
    """Return the kind of an error in words: "over limit", "no text"."""
    return error.reason.replace("-", " ")


def _blocks(head: bytes, file: BinaryIO) -> Iterator[bytes]:
    while head:
        yield head
        head = file.read(_BLOCK)


def _rest(file: BinaryIO, read: int, reading: Reading) -> bytes:
    """Return what is left of a file, up to the limit and one byte, so that too much is seen as such."""
    return file.read(max(reading.limits.input_bytes + 1 - read, 0))


def _extracted(source: Source, reading: Reading, data: bytes | None) -> Extracted:
    if source.error:
        raise source.error
    if source.payload:
        return source.payload.extract(name=source.name, limits=reading.limits)
    assert data is not None
    return extract(data, name=source.name, medium=reading.medium, limits=reading.limits)


def _plain(data: bytes, name: str, reading: Reading) -> Extracted:
    if len(data) > reading.limits.input_bytes:
        raise OverLimit(
            f"it is over the limit bytes={reading.limits.input_bytes}; fingerprints of plain text have none"
        )
    check = _Utf8Check()
    check.feed(data, final=True)
    return Extracted(data.decode("utf-8", "replace"), "text", name, check.warnings())


def _too_much_memory(reading: Reading) -> tuple[str, str]:
    return f"it needs more memory than the limit memory={reading.memory // _MIB}M", "over limit"


def _with_fingerprint(outcome: Outcome, accumulator: Accumulator, traced: str | bytes | None) -> Outcome:
    if traced is not None:
        outcome = replace(outcome, trace=trace(traced, outcome.scheme))
    counts = accumulator.counts()
    try:
        made = accumulator.fingerprint()
    except NoTokenError:
        error = "has no fingerprint: it holds no token (no word outside links)"
        return replace(outcome, error=error, reason="no token")
    return replace(outcome, fingerprint=made, tokens=counts.total, distinct_tokens=counts.distinct())


class _Utf8Check:
    """Finds the first byte that is ill-formed in UTF-8 given in blocks."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._read = 0
        self._first_bad_byte: int | None = None

    def feed(self, block: bytes, *, final: bool = False) -> None:
        if self._first_bad_byte is not None:
            return
        held_back = len(self._decoder.getstate()[0])
        try:
            self._decoder.decode(block, final)
        except UnicodeDecodeError as error:
            self._first_bad_byte = self._read - held_back + error.start
        self._read += len(block)

    def warnings(self) -> tuple[str, ...]:
        if self._first_bad_byte is None:
            return ()
        where = f"first bad byte at offset {self._first_bad_byte}"
        return (f"is not well-formed UTF-8: {where}; each ill-formed part counts as U+FFFD",)
