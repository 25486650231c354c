"""Reads WARC files (ISO 28500) and ARC files: the documents of a crawl, one at a time.

warcio parses the records. It is pure Python, so it runs in the calling process. Its input is decompressed and limited
here, so that neither a header line nor a record can exhaust the memory.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import math
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.statusandheaders import StatusAndHeadersParser, StatusAndHeadersParserException

from simhash_doc.extract import extract
from simhash_doc.extract.base import (
    CorruptDocumentError,
    ExceededLimit,
    ExtractedText,
    ExtractionError,
    LimitExceededError,
    Limits,
    MissingExtraError,
    UnsupportedFormatError,
)
from simhash_doc.extract.decompress import (
    GZIP_MAGIC,
    ByteSource,
    GzipSource,
    PrefixedSource,
    TruncatedStreamError,
    gzip_head,
    read_at_most,
)
from simhash_doc.extract.detect import decode, detect

_MAX_HEADER_BYTES = 1 << 20  # of a record with those of its HTTP response
_HEAD_BYTES = 1 << 16  # of a record, for its HTTP headers and the detection of its format
_SEARCH_BYTES = 1 << 12  # of the first block that is searched for the next record
_MOST_EXPANSION = 100  # of a compressed file as a whole; that of crawls is below 20
_MEMBER = GZIP_MAGIC + b"\x08"
_RECORD_STARTS = (b"WARC/", b"filedesc:", b"http:", b"https:")
_DOCUMENT_RECORDS = frozenset({"response", "resource", "conversion"})
_IGNORED_TYPE_PREFIXES = tuple("image/ audio/ video/ font/ text/css text/javascript text/dns multipart/".split())
_IGNORED_TYPES = frozenset(
    "application/javascript application/x-javascript application/ecmascript application/json application/ld+json "
    "application/manifest+json application/font-woff application/font-woff2 application/vnd.ms-fontobject "
    "application/x-font-ttf application/x-shockwave-flash application/wasm application/octet-stream "
    "application/rss+xml application/atom+xml application/opensearchdescription+xml application/warc-fields".split()
)
_CHARACTER_FORMATS = frozenset({"text", "html", "xml", "jats", "tei", "docbook", "markdown", "asciidoc"})
_PARTIAL = re.compile(rb"HTTP/[\d.]+ +206\b")
_SUCCESS = re.compile(rb"HTTP/[\d.]+ +2\d\d\b")


@dataclass(frozen=True, slots=True)
class Payload:
    """The document of one record, as the server sent it.

    Attributes:
        uri: target URI of the record.
        body: body of the HTTP response, or content of the record.
        chunked: the response declares the transfer coding "chunked".
        codings: declared content codings, in the order of the header.
        charset: declared character encoding, or None.
        date: date of the capture as 14 digits, or "" if the record has none.
        incomplete: why the body is only a part of what the server sent, or None.
    """

    uri: str
    body: bytes
    chunked: bool = False
    codings: tuple[str, ...] = ()
    charset: str | None = None
    date: str = ""
    incomplete: str | None = None

    @property
    def name(self) -> str:
        """The date and the URI, which together distinguish the captures of a page."""
        return f"{self.date}/{self.uri}" if self.date else self.uri

    def extract(self, name: str, limits: Limits) -> ExtractedText:
        """Return the text of the document under the name `name`. Raises `ExtractionError`."""
        try:
            decoded, reason = self._decoded(limits)
            data = _with_byte_order_mark(decoded, self.charset)
        except ModuleNotFoundError as error:
            raise MissingExtraError.of("the record", error, name=name) from error
        except ExtractionError as error:
            error.name = name
            raise
        inner = replace(limits, input_bytes=limits.expanded_bytes)
        extracted = replace(extract(data, name=self.uri, limits=inner), name=name)
        reason = self.incomplete or reason
        if reason is None:
            return extracted
        return replace(extracted, incomplete=reason, warnings=(f"incomplete: {reason}", *extracted.warnings))

    def _decoded(self, limits: Limits) -> tuple[bytes, str | None]:
        """Return the body without chunks and content codings (RFC 9110, section 8.4), and why it is incomplete, if so.

        A crawler can store a decoded body with its original headers, so a body that does not look encoded is returned
        unchanged. If a body is truncated, the readable part is returned.

        Raises:
            CorruptDocumentError: nothing of the body can be decoded.
            LimitExceededError: the result of a coding is over the limit, or there are too many codings.
            MissingExtraError: the body has the coding br, and the extra `extract` is not installed.
            UnsupportedFormatError: a coding is not known.
        """
        body, reason = _without_chunks(self.body) if self.chunked else (self.body, None)
        if len(self.codings) > _MAX_CODINGS:
            raise LimitExceededError(
                f"the response has {len(self.codings)} content codings, over the limit of {_MAX_CODINGS}"
            )
        for coding in reversed(self.codings):
            if coding not in ("", "identity", "utf-8", "none"):  # the last two are not codings, but servers send them
                body, is_complete = _undo_coding(body, coding, limits)
                reason = reason if is_complete else f"the body ends within the content coding {coding}"
        return body, reason


_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,12})[ \t]*(?:;[^\r\n]{0,1000})?\r?\n")
_CUT_CHUNK = "the body ends before its last chunk"


def _without_chunks(body: bytes) -> tuple[bytes, str | None]:
    """Return a body without the transfer coding chunked, and why it is incomplete, if so.

    A body that does not begin with a chunk was stored decoded.
    """
    pieces: list[bytes] = []
    at = 0
    while found := _CHUNK.match(body, at):
        start, size = found.end(), int(found[1], 16)
        pieces.append(body[start : start + size])
        at = start + size
        if not size:
            return b"".join(pieces), None
        at += 2 if body.startswith(b"\r\n", at) else 1 if body.startswith(b"\n", at) else 0
    return b"".join([*pieces, body[at:]]), _CUT_CHUNK if pieces else None


_MAX_CODINGS = 3
_STEP = 1 << 20  # bytes that are decoded at once


def _undo_coding(body: bytes, coding: str, limits: Limits) -> tuple[bytes, bool]:
    """Return the body without a coding, and whether the coding is complete."""
    if coding in ("gzip", "x-gzip"):
        if not body.startswith(GZIP_MAGIC):
            return body, True
        pieces = iter(partial(GzipSource(io.BytesIO(body)).read, _STEP), b"")
    elif coding == "deflate":
        pieces = _inflated(body)
    elif coding == "br":
        pieces = _without_brotli(body)
    else:
        raise UnsupportedFormatError(f"the content coding {coding!r} is not supported (supported: gzip, deflate, br)")
    decoded = bytearray()
    try:
        for piece in pieces:
            decoded += piece
            if len(decoded) > limits.expanded_bytes:
                raise limits.expanded_error(f"decoded from {coding}, the body")
    except zlib.error as error:
        if decoded:
            return bytes(decoded), False
        if coding in ("deflate", "br"):
            return body, True  # not encoded: these codings have no magic number
        raise CorruptDocumentError(f"the body cannot be decoded from {coding}: {error}") from error
    return bytes(decoded), True


def _inflated(body: bytes) -> Iterator[bytes]:
    """Yield pieces of a body in the coding deflate: in zlib format by the standard, without its header from many."""
    is_zlib = len(body) > 1 and body[0] & 15 == 8 and (body[0] << 8 | body[1]) % 31 == 0
    inflate = zlib.decompressobj(15 if is_zlib else -15)
    while not inflate.eof:
        piece = inflate.decompress(body, _STEP)
        body = inflate.unconsumed_tail
        if not piece and not inflate.eof:
            raise TruncatedStreamError("it ends within the compressed stream")
        yield piece


def _without_brotli(body: bytes) -> Iterator[bytes]:
    """Yield pieces of a body in the coding br: a few bytes can expand to gigabytes. Raises `zlib.error`, too."""
    import brotli

    decoder: Any = brotli.Decompressor()
    while not decoder.is_finished():
        try:
            piece: bytes = decoder.process(body, output_buffer_limit=_STEP)
        except brotli.error as error:
            raise zlib.error(str(error)) from error
        body = b""
        if not piece and not decoder.is_finished():
            raise TruncatedStreamError("it ends within the compressed stream")
        yield piece


class OutputLimitError(Exception):
    """The decompressed data exceeds the limit."""


_READ_ERRORS = (zlib.error, OutputLimitError, ArchiveLoadFailed, StatusAndHeadersParserException)


class _Stream:
    """What warcio reads: the records from one offset in the file on, decompressed.

    Attributes:
        left: bytes that may be read before `OutputLimitError` is raised. The reader sets it again for each record.
        uri: URI of the last record, for messages.
        in_headers: whether headers are being read.
    """

    def __init__(self, source: ByteSource, count: Callable[[int, int], None], start: int) -> None:
        head = source.read(len(GZIP_MAGIC))
        source = PrefixedSource(head, source)
        self.members = GzipSource(source) if head == GZIP_MAGIC else None
        self._source: ByteSource = self.members or source
        self._count, self._start = count, start
        self._given = 0
        self.left: float = 0
        self.uri: str | None = None
        self.in_headers = True

    def read(self, size: int, /) -> bytes:
        data = self._source.read(size)
        self._given += len(data)
        if self.members:
            self._count(len(data), self._start + self.members.consumed)
        self.left -= len(data)
        if self.left < 0:
            raise OutputLimitError
        return data

    def tell(self) -> int:
        return self._given


class Records:
    """The documents of a WARC file, in the order of the file. Can be iterated once.

    A document is the payload of a response with a 2xx status, of a resource, or of a conversion (WET files), unless its
    declared type is that of an image, style sheet, script or feed. A corrupt record is yielded as its error. Iteration
    continues with the next valid record if each record is a separate gzip member and the file is seekable.

    Attributes:
        skipped: number of records so far that hold no document.
        revisits: number of records so far that only say that a page had not changed since an earlier capture.
    """

    def __init__(self, source: ByteSource, *, name: str | None, limits: Limits) -> None:
        self._source, self._name, self._limits = source, name, limits
        self._file = source if isinstance(source, io.IOBase) and source.seekable() else None
        self._expanded = self._compressed = 0  # bytes, including those of corrupt records that are read again
        self.skipped = self.revisits = 0

    def __iter__(self) -> Iterator[Payload | ExtractionError]:
        start: int | None = self._file.tell() if self._file else 0
        while start is not None:
            if self._file:
                self._file.seek(start)
            stream = _Stream(self._source, self._count, start)
            try:
                yield from self._read(stream)
            except LimitExceededError as error:
                error.name = self._name
                yield error
                return
            except _READ_ERRORS as error:
                yield self._error_at(error, stream)
                if stream.members is None:
                    return
                # What a record over the limit consists of is not searched for records: its parts could be over it too.
                is_too_large = isinstance(error, OutputLimitError)
                done = stream.members.consumed if is_too_large else stream.members.member_start + 1
                start = self._next_record(start + done)
            else:
                return

    def _count(self, expanded: int, compressed: int) -> None:
        """Count decompressed bytes, up to an offset in the compressed file: its size bounds the time that it takes."""
        self._expanded += expanded
        self._compressed = max(self._compressed, compressed)
        if self._expanded > 2 * self._limits.expanded_bytes + _MOST_EXPANSION * self._compressed:
            raise LimitExceededError(
                f"the WARC file expands to more than {_MOST_EXPANSION} times its size; the rest of it is not read"
            )

    def _read(self, stream: _Stream) -> Iterator[Payload | ExtractionError]:
        records = iter(ArchiveIterator(stream, no_record_parse=True))
        while True:
            stream.left, stream.in_headers = _MAX_HEADER_BYTES, True
            with contextlib.redirect_stderr(io.StringIO()):  # warcio reports repairs there
                record = next(records, None)
            if record is None:
                return
            # An uncompressed record does not expand.
            stream.left, stream.in_headers = self._limits.expanded_bytes if stream.members else math.inf, False
            stream.uri = record.rec_headers.get_header("WARC-Target-URI") or record.rec_headers.get_header("uri")
            self.revisits += record.rec_type == "revisit"
            if record.rec_type in _DOCUMENT_RECORDS and not stream.uri:
                number = record.rec_headers.get_header("WARC-Record-ID")
                yield CorruptDocumentError(f"the record {number} has no address (WARC-Target-URI)", name=self._name)
            elif record.rec_type in _DOCUMENT_RECORDS:
                payload = self._payload(record, stream.uri)
                if payload is None:
                    self.skipped += 1
                else:
                    yield payload
            while record.raw_stream.read(_MAX_HEADER_BYTES):
                pass

    def _payload(self, record: Any, uri: str) -> Payload | ExtractionError | None:
        """Return the document of a record or its error, or None if the record holds no document."""
        block = record.raw_stream.read(_HEAD_BYTES)
        fields = record.rec_headers
        chunked, codings, incomplete, length = False, "", _declared_incomplete(fields), None
        content_type = fields.get_header("Content-Type") or fields.get_header("content-type") or ""
        header_size = 0
        if record.rec_type == "response" and uri.startswith(("http:", "https:")):
            try:
                stream = io.BytesIO(block)
                response = StatusAndHeadersParser(["HTTP/"]).parse(stream)
                header_size = stream.tell()
            except (StatusAndHeadersParserException, EOFError, ValueError, IndexError) as error:
                return CorruptDocumentError(f"the record does not hold an HTTP response: {_short(error)}", name=uri)
            if not _SUCCESS.match(block):
                return None
            content_type = response.get_header("Content-Type") or ""
            chunked = "chunked" in (response.get_header("Transfer-Encoding") or "").lower()
            codings = response.get_header("Content-Encoding") or ""
            if _PARTIAL.match(block):
                incomplete = incomplete or "the server sent a part of the document (status 206)"
            length = response.get_header("Content-Length")
        media_type, charset = _content_type(content_type)
        if media_type.startswith(_IGNORED_TYPE_PREFIXES) or media_type in _IGNORED_TYPES:
            return None
        limit = self._limits.input_bytes
        body = block[header_size:]
        body += read_at_most(record.raw_stream, limit + 1 - len(body))
        if len(body) > limit:
            return LimitExceededError.of(ExceededLimit("input_bytes", limit, "the record"), name=uri)
        if record.length is not None and header_size + len(body) < record.length:
            return CorruptDocumentError("the record is incomplete: the WARC file is truncated", name=uri)
        declared = tuple(coding.strip().lower() for coding in codings.split(",") if coding.strip())
        sent = int(length[:18]) if length and length.isdecimal() and not chunked else 0
        stored_decoded = declared and not body.startswith(GZIP_MAGIC)  # then its length is another
        if len(body) < sent and not stored_decoded:
            incomplete = incomplete or f"the body has {len(body):,} of {sent:,} bytes (Content-Length)"
        date = re.sub(r"\D", "", fields.get_header("WARC-Date") or fields.get_header("archive-date") or "")[:14]
        return Payload(uri, body, chunked, declared, charset, date, incomplete)

    def _error_at(self, error: Exception, stream: _Stream) -> ExtractionError:
        where = f"after or within the record of {stream.uri}" if stream.uri else "in its first record"
        if isinstance(error, OutputLimitError) and stream.in_headers:
            return LimitExceededError(
                f"{where}, the WARC file has headers of more than {_MAX_HEADER_BYTES:,} bytes", name=self._name
            )
        if isinstance(error, OutputLimitError):
            return self._limits.expanded_error(f"{where}, the decompressed WARC file", name=self._name)
        return CorruptDocumentError(f"{where}, the WARC file cannot be read: {_short(error)}", name=self._name)

    def _next_record(self, start: int) -> int | None:
        """Return the offset of the next gzip member, from `start` on, that begins a record. A pipe gives None."""
        if self._file is None:
            return None
        self._file.seek(start)
        held = b""
        offset, size = start, _SEARCH_BYTES
        while block := self._source.read(size):
            held += block
            size = _MAX_HEADER_BYTES
            at = -1
            while (at := held.find(_MEMBER, at + 1)) >= 0:
                if gzip_head(held[at : at + 1024]).startswith(_RECORD_STARTS):
                    return offset + at
            keep = min(len(held), 1024)
            offset += len(held) - keep
            held = held[-keep:]
        return None


def _declared_incomplete(fields: Any) -> str | None:
    """Return why a record does not hold the complete document, as its headers say, or None."""
    if reason := fields.get_header("WARC-Truncated"):
        return f"the record is truncated (WARC-Truncated: {_line(reason)})"
    if number := fields.get_header("WARC-Segment-Number"):
        return f"the record is a segment, and the others are not read (WARC-Segment-Number: {_line(number)})"
    return None


def _line(value: str) -> str:
    return "".join(character if character.isprintable() else " " for character in value[:80])


def _with_byte_order_mark(data: bytes, charset: str | None) -> bytes:
    """Return text with a declared encoding as UTF-8 with a byte order mark, which every reader obeys.

    Data in a binary format, or without a declared encoding, is returned unchanged.
    """
    if charset is None or detect(data[:_HEAD_BYTES]) not in _CHARACTER_FORMATS:
        return data
    return codecs.BOM_UTF8 + decode(data, declared=charset, markup=True)[0].encode("utf-8", "replace")


def _content_type(value: str) -> tuple[str, str | None]:
    """Return the media type and the charset of a Content-Type header, in lower case."""
    media_type, *parameters = value.lower().split(";")
    for parameter in parameters:
        key, _, charset = parameter.partition("=")
        if key.strip() == "charset":
            return media_type.strip(), charset.strip(" \"'") or None
    return media_type.strip(), None


def _short(error: Exception) -> str:
    text = str(error) or type(error).__name__
    return text if len(text) <= 200 else f"{text[:200]}..."
