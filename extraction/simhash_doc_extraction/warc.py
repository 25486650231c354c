"""Reads WARC files (ISO 28500) and ARC files: the documents of a crawl, one at a time.

warcio parses the headers of records. It is pure Python, so it runs in the calling process. Where a record begins and
ends is decided here: its length is checked, and what cannot be read is named and searched for the next record.
"""

from __future__ import annotations

import io
import math
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from warcio.recordloader import ARCHeadersParser
from warcio.statusandheaders import StatusAndHeadersParser, StatusAndHeadersParserException

from simhash_doc_extraction.base import (
    CorruptDocumentError,
    ExceededLimit,
    ExtractionError,
    LimitExceededError,
    Limits,
    expanded_error,
)
from simhash_doc_extraction.codings import (
    NO_CODINGS,
    ZSTD_MAGIC,
    decoded_head,
)
from simhash_doc_extraction.decompress import GZIP_MAGIC, ByteSource
from simhash_doc_extraction.detection import detect, parse_content_type
from simhash_doc_extraction.payload import (
    HEAD_BYTES,
    Payload,
    ignored_type,
    may_be_document,
    one_line,
    skipped_kind,
)
from simhash_doc_extraction.record_stream import (
    LOOKED_AT,
    WARC_START,
    CrawlFile,
    OutputLimitError,
    RecordStream,
    begins_record,
    find_record,
    is_member,
)

_MAX_HEADER_BYTES = 1 << 20  # of a record, and of its HTTP response
_MOST_EXPANSION = 100  # of a compressed file as a whole; that of crawls is below 20
_DOCUMENT_RECORDS = frozenset({"response", "resource", "conversion"})
_OTHER_RECORDS = frozenset({"warcinfo", "request", "metadata", "revisit", "arc_header"})
_NOT_HTTP = ("dns:", "whois:", "ntp:")
_HTTP = re.compile(rb"HTTP/[\d.]+ +(\d\d\d)\b")
_HTTP_END = re.compile(rb"\r?\n(?:\r?\n|(?=<))")  # a line that begins with < is no header


_READ_ERRORS = (zlib.error, OutputLimitError, StatusAndHeadersParserException)


@dataclass(slots=True)
class _Record:
    """A record, whose headers have been read.

    Attributes:
        kind: its type, such as "response".
        fields: its headers.
        uri: its target URI, or "".
        block: its content, at most one byte more than the limit.
        problem: why the content is not what the length of the record says, or None.
        failure: the error after the content, or None.
    """

    kind: str
    fields: Any
    uri: str
    block: bytes = b""
    problem: str | None = None
    failure: Exception | None = None

    def field(self, *names: str) -> str:
        """Return the value of the first header that the record has, or ""."""
        return next(filter(None, map(self.fields.get_header, names)), "")


class Records:
    """The documents of a WARC file, in the order of the file. Can be iterated once.

    A document is the payload of a response with a 2xx status, of a resource, or of a conversion (WET files). A record
    whose declared type is that of an image, style sheet, script or feed holds one only if its content is a document.
    What is damaged is yielded as an error, and iteration continues with the next record.

    Attributes:
        skipped: number of records so far that hold no document, by kind: the status, the media type, or the format.
        revisits: number of records so far that only say that a page had not changed since an earlier capture.
    """

    def __init__(self, source: ByteSource, *, name: str | None, limits: Limits) -> None:
        self._file, self._name, self._limits = CrawlFile(source), name, limits
        self._expanded = self._compressed = 0  # bytes, including those of corrupt records that are read again
        self.skipped: Counter[str] = Counter()
        self.revisits = 0

    def __iter__(self) -> Iterator[Payload | ExtractionError]:
        is_damaged = False
        while True:
            stream = RecordStream(self._file, self._count)
            start = stream.start
            try:
                yield from self._read(stream)
                start = stream.position
                is_damaged = False
            except LimitExceededError as error:
                error.name = self._name
                yield error
                return
            except _READ_ERRORS as error:
                yield self._error_at(error, stream)
                # What a record over the limit consists of is not searched for records: its parts could be over it too.
                is_in_member = stream.members and not isinstance(error, OutputLimitError)
                start = start + stream.members.member_start + 1 if is_in_member and stream.members else stream.position
                is_damaged = True
            self._file.go_back(start)
            rest = RecordStream(self._file, self._count, raw=True)
            rest.left = math.inf
            rest.uri = stream.uri
            while rest.skip_padding():
                pass
            stray = 0 if rest.is_at_record() else rest.take_other(0)[1]
            if stray and not is_damaged:
                yield self._stray(stray, rest)
            if not rest.peek(1):
                return
            self._file.go_back(rest.position)

    def _count(self, expanded: int, compressed: int) -> None:
        """Count decompressed bytes, up to an offset in the compressed file: its size bounds the time that it takes."""
        self._expanded += expanded
        self._compressed = max(self._compressed, compressed)
        if self._expanded > 2 * self._limits.expanded_bytes + _MOST_EXPANSION * self._compressed:
            raise LimitExceededError(
                f"the WARC file expands to more than {_MOST_EXPANSION} times its size; the rest of it is not read"
            )

    def _read(self, stream: RecordStream) -> Iterator[Payload | ExtractionError]:
        """Yield the documents of records, until other bytes follow in the file."""
        while True:
            stream.left = math.inf
            while stream.skip_padding():
                pass
            if not (data := stream.peek(LOOKED_AT)) or (stream.members is None and is_member(data)):
                return
            if not begins_record(data):
                yield self._stray(stream.take_other(0)[1], stream)
                continue
            stream.left, stream.in_headers, stream.at_member = _MAX_HEADER_BYTES, True, False
            is_arc = not data.startswith(WARC_START)
            if is_arc:
                fields = ARCHeadersParser().parse(stream)
            else:
                head, cut = _header(stream)
                if cut:
                    yield self._stray(cut, stream)
                fields = StatusAndHeadersParser(["WARC/"]).parse(io.BytesIO(head))
            kind = "response" if is_arc else (fields.get_header("WARC-Type") or "").lower()
            uri = fields.get_header("uri" if is_arc else "WARC-Target-URI") or ""
            uri = uri.strip().removeprefix("<").removesuffix(">").replace(" ", "%20")
            if is_arc and uri.startswith("filedesc:"):
                kind = "arc_header"
            record = _Record(kind, fields, uri)
            stream.uri = uri or stream.uri
            # An uncompressed record does not expand.
            stream.left, stream.in_headers = self._limits.expanded_bytes if stream.members else math.inf, False
            length = record.field("length" if is_arc else "Content-Length")
            self._read_block(stream, record, length, used=fields.total_len if is_arc else 0)
            yield from self._documents(record)
            if record.failure:
                raise record.failure

    def _read_block(self, stream: RecordStream, record: _Record, length: str, used: int) -> None:
        """Take the content of a record, at most up to the start of the next one; check its length."""
        declared = int(length[:18]) if length.isdecimal() and length.isascii() else -1
        size = max(declared - used, 0)
        most = self._limits.input_bytes + _MAX_HEADER_BYTES + 1
        pieces: list[bytes] = []
        got = kept = 0
        try:
            if declared < 0:
                block, got = stream.take_other(most)
                pieces.append(_without_end(block))
                record.problem = f"the record has no valid length (Content-Length: {one_line(length)!r})"
                return
            while got < size and stream.peek(1) and not (stream.at_member and stream.is_at_record()):
                data = stream.take(size - got)
                got += len(data)
                if kept < most:
                    pieces.append(data)
                    kept += len(data)
            if got > kept:
                return
            gap = stream.skip_padding()
            is_complete = got == size and stream.is_at_end()
            if is_complete and (gap or stream.at_member):
                return
            block = b"".join(pieces)
            pieces = [block]
            ahead = b"" if stream.at_member else gap + stream.peek(LOOKED_AT)  # the block may end in the next header
            inner = find_record(block + ahead, members=stream.members is None)
            if 0 <= inner < len(block) and stream.take_back(block[inner:] + gap):
                pieces = [block[:inner]]
                record.problem = (
                    f"the length of the record is wrong: after {inner:,} of {size:,} bytes the next one begins"
                )
            elif is_complete:
                return
            elif got < size:
                record.problem = f"the record has {got:,} of {size:,} bytes (Content-Length)"
            elif gap.count(b"\n") < 2:
                more, extra = stream.take_other(most)
                pieces += [gap, _without_end(more)]
                record.problem = f"the length of the record is wrong: {size:,} of {size + extra:,} bytes"
        except zlib.error as error:
            record.failure = error
            if stream.is_damaged:
                record.problem = f"the record is damaged: {error}"
        finally:
            record.block = b"".join(pieces)

    def _documents(self, record: _Record) -> Iterator[Payload | ExtractionError]:
        """Yield the document of a record or its error, or count the record as one without a document."""
        if record.kind == "revisit":
            self.revisits += 1
        elif record.kind in _DOCUMENT_RECORDS:
            if record.uri:
                found = self._payload(record)
                record.block = b""
                if not isinstance(found, str):
                    yield found
                    return
                self.skipped[found] += 1
            else:
                number = record.field("WARC-Record-ID")
                message = f"the record {one_line(number) or 'without a number'} has no address (WARC-Target-URI)"
                yield CorruptDocumentError(message, name=self._name)
        elif record.kind not in _OTHER_RECORDS:
            self.skipped["continuation" if record.kind == "continuation" else "record of unknown type"] += 1
        if record.problem and not record.failure:
            yield CorruptDocumentError(
                f"at the {one_line(record.kind)} of {record.uri}: {record.problem}", name=self._name
            )

    def _payload(self, record: _Record) -> Payload | ExtractionError | str:
        """Return the document of a record or its error, or the kind of a record that holds no document."""
        block, uri = record.block, record.uri
        content_type = record.field("Content-Type")
        scheme = uri.partition(":")[0].lower()
        incomplete = record.problem or _declared_incomplete(record)
        chunked, codings, lengths = False, "", list[str]()
        start, code = 0, None
        headers: tuple[tuple[str, str], ...] = ()
        status = _HTTP.match(block)
        is_declared = record.kind != "conversion" and content_type.lower().startswith("application/http")
        is_expected = not content_type and scheme in ("http", "https")
        if is_declared or (record.kind == "response" and (status or is_expected)):
            while status and status[1].startswith(b"1") and (end := _HTTP_END.search(block, start)):
                start = end.end()  # of an interim response
                status = _HTTP.match(block, start)
            end = _HTTP_END.search(block, start, start + _MAX_HEADER_BYTES)
            if end is None and len(block) > start + _MAX_HEADER_BYTES:
                return LimitExceededError(
                    f"the response has headers of more than {_MAX_HEADER_BYTES:,} bytes", name=uri
                )
            first, start = start, end.end() if end else len(block)
            try:
                response = StatusAndHeadersParser(["HTTP/"]).parse(io.BytesIO(block[first:start]))
            except (StatusAndHeadersParserException, EOFError, ValueError, IndexError) as error:
                return CorruptDocumentError(f"the record does not hold an HTTP response: {_short(error)}", name=uri)
            if not status or not status[1].startswith(b"2"):
                return f"status {status[1].decode()}" if status else "no valid status"
            code, headers = int(status[1]), tuple(response.headers)
            content_type = _joined(response, "Content-Type", first=True)
            transfer = [coding for coding in _joined(response, "Transfer-Encoding").split(",") if coding]
            chunked = "chunked" in transfer
            codings = ",".join([_joined(response, "Content-Encoding"), *(one for one in transfer if one != "chunked")])
            if status[1] == b"206":
                incomplete = incomplete or "the server sent a part of the document (status 206)"
            lengths = _joined(response, "Content-Length").split(",")  # one value, as it should be, or several
        elif uri.lower().startswith(_NOT_HTTP):
            return scheme
        media_type, charset = parse_content_type(content_type)
        declared = tuple(coding for coding in codings.split(",") if coding not in NO_CODINGS)
        body = block[start:]
        ignored = ignored_type(media_type)
        if ignored and (head := decoded_head(body, chunked, declared, HEAD_BYTES)) is not None:
            found = detect(head)
            is_cut = found == "ZIP archive" and len(body) > len(head)  # its format may show in the rest
            if not (is_cut or may_be_document(found, ignored)):
                return skipped_kind(ignored, head)
        limit = self._limits.input_bytes
        if len(body) > limit:
            return LimitExceededError.of(ExceededLimit("input_bytes", limit, "the record"), name=uri)
        sent = 0 if chunked else max((int(length[:18]) for length in lengths if length.isdecimal()), default=0)
        stored_decoded = declared and not body.startswith((GZIP_MAGIC, ZSTD_MAGIC))  # then its length is another
        if len(body) < sent and not stored_decoded:
            incomplete = incomplete or f"the body has {len(body):,} of {sent:,} bytes (Content-Length)"
        date = re.sub(r"\D", "", record.field("WARC-Date", "archive-date"))[:14]
        if len(date) >= len("2024"):
            date += "00000101000000"[len(date) :]  # WARC 1.1 allows times without seconds, hours, days or months
        return Payload(
            uri, body, chunked, declared, charset, date, incomplete, ignored, media_type or None, code, headers
        )

    def _stray(self, size: int, stream: RecordStream) -> CorruptDocumentError:
        where = f"after the record of {stream.uri}" if stream.uri else "before its first record"
        return CorruptDocumentError(f"{where}, the WARC file has {size:,} bytes that are no record", name=self._name)

    def _error_at(self, error: Exception, stream: RecordStream) -> ExtractionError:
        where = f"after or within the record of {stream.uri}" if stream.uri else "in its first record"
        if isinstance(error, OutputLimitError) and stream.in_headers:
            return LimitExceededError(
                f"{where}, the WARC file has headers of more than {_MAX_HEADER_BYTES:,} bytes", name=self._name
            )
        if isinstance(error, OutputLimitError):
            return expanded_error(self._limits, f"{where}, the decompressed WARC file", name=self._name)
        return CorruptDocumentError(f"{where}, the WARC file cannot be read: {_short(error)}", name=self._name)


_VERSION = re.compile(rb"WARC/[0-9]\.[0-9]{1,3}\r?\n")


def _header(stream: RecordStream) -> tuple[bytes, int]:
    """Return the header of a record, and the size of that of another record, which is cut where this one begins."""
    lines = [stream.readline()]
    while lines[-1].rstrip(b"\r\n"):
        lines.append(stream.readline())
    head = b"".join(lines)
    cut = max((found.start() for found in _VERSION.finditer(head)), default=0)
    return head[cut:], cut


def _without_end(block: bytes) -> bytes:
    """Return the content of a record without the two line ends behind it."""
    for end in (b"\r\n\r\n", b"\n\n"):
        if block.endswith(end):
            return block[: -len(end)]
    return block


def _joined(response: Any, name: str, *, first: bool = False) -> str:
    """Return the values of all headers with a name, in lower case and without spaces; or only of the first."""
    values = [value for key, value in response.headers if key.lower() == name.lower()]
    if first:
        return values[0] if values else ""
    return ",".join(values).lower().replace(" ", "").replace("\t", "")


def _declared_incomplete(record: _Record) -> str | None:
    """Return why a record does not hold the complete document, as its headers say, or None."""
    if reason := record.field("WARC-Truncated"):
        return f"the record is truncated (WARC-Truncated: {one_line(reason)})"
    if number := record.field("WARC-Segment-Number"):
        return f"the record is a segment, and the others are not read (WARC-Segment-Number: {one_line(number)})"
    return None


def _short(error: Exception) -> str:
    text = str(error) or type(error).__name__
    return text if len(text) <= 200 else f"{text[:200]}..."
