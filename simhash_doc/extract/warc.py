"""WARC files (ISO 28500, and the older ARC): the documents of a crawl, one after another.

warcio reads the records. It runs in the calling process, which pure Python code cannot crash; what it reads is
decompressed and metered here, so that no header line and no record fills the memory.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import math
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.statusandheaders import StatusAndHeadersParser, StatusAndHeadersParserException

from simhash_doc.extract.decoding import decode
from simhash_doc.extract.detect import detect
from simhash_doc.extract.document import Extracted
from simhash_doc.extract.errors import Damaged, ExtractionError, OverLimit
from simhash_doc.extract.http_body import decoded
from simhash_doc.extract.inflate import GZIP_MAGIC, CutOffError, GzipSource, Rejoined, Source, TooLargeError
from simhash_doc.extract.limits import Limits

_HEADERS = 1 << 20  # bytes that the headers of a record, or those of its response, may take
_START = 1 << 16
_MEMBER = GZIP_MAGIC + b"\x08"
_RECORD_STARTS = (b"WARC/", b"filedesc:", b"http:", b"https:")
_DOCUMENT_RECORDS = frozenset({"response", "resource", "conversion"})
_NO_DOCUMENTS = ("image/", "audio/", "video/", "font/", "text/css", "text/javascript", "text/dns", "multipart/")
_NO_DOCUMENT = frozenset(
    "application/javascript application/x-javascript application/ecmascript application/json application/ld+json "
    "application/manifest+json application/font-woff application/font-woff2 application/vnd.ms-fontobject "
    "application/x-font-ttf application/x-shockwave-flash application/wasm application/octet-stream "
    "application/rss+xml application/atom+xml application/opensearchdescription+xml application/warc-fields".split()
)
_IN_CHARACTERS = frozenset({"text", "html", "xml", "jats", "tei", "docbook", "markdown", "asciidoc"})
_OK = re.compile(rb"HTTP/[\d.]+ +2\d\d\b")
_BROKEN = (zlib.error, CutOffError, TooLargeError, ArchiveLoadFailed, StatusAndHeadersParserException)


@dataclass(frozen=True, slots=True)
class Payload:
    """The document of one record, as it was sent."""

    uri: str
    body: bytes
    chunked: bool = False
    codings: tuple[str, ...] = ()
    charset: str | None = None

    def extract(self, *, name: str | None, limits: Limits) -> Extracted:
        """Return its text. Raises a kind of `ExtractionError`."""
        from simhash_doc.extract import extract

        data = decoded(self.body, chunked=self.chunked, codings=self.codings, name=name, limits=limits)
        inner = replace(limits, input_bytes=limits.expanded_bytes)
        return replace(extract(_marked(data, self.charset), name=self.uri, limits=inner), name=name)


def read_each(
    source: BinaryIO, *, medium: str, name: str | None, limits: Limits
) -> Iterator[Extracted | ExtractionError]:
    """Yield the text or the error of each document of a crawl, with its URI as its name."""
    for payload in Records(source, name=name, limits=limits):
        if isinstance(payload, ExtractionError):
            yield payload
            continue
        try:
            yield payload.extract(name=payload.uri, limits=limits)
        except ExtractionError as error:
            yield error


class Records:
    """The documents of a WARC file: iterable once, in the order of the file.

    A document is the payload of a response with a 2xx status, of a resource, or of a conversion (WET files), unless its
    declared type is that of a picture, style, script or feed; those are counted in `passed_over`. A damaged
    record is given as its error, and the next whole one follows if the file has a gzip member for each.
    """

    def __init__(self, source: Source, *, name: str | None, limits: Limits) -> None:
        self._source, self._name, self._limits = source, name, limits
        self._file = source if isinstance(source, io.IOBase) and source.seekable() else None
        self.passed_over = 0

    def __iter__(self) -> Iterator[Payload | ExtractionError]:
        start: int | None = self._file.tell() if self._file else 0
        while start is not None:
            if self._file:
                self._file.seek(start)
            head = self._source.read(len(GZIP_MAGIC))
            source: Source = Rejoined(head, self._source)
            members = GzipSource(source) if head == GZIP_MAGIC else None
            reading = _Reading()
            try:
                yield from self._read(_Metered(members or source), reading, zipped=members is not None)
            except _BROKEN as error:
                yield self._broken(error, reading)
                start = self._next_record(start + members.member_start + 1) if members else None
            else:
                return

    def _read(self, stream: _Metered, reading: _Reading, *, zipped: bool) -> Iterator[Payload | ExtractionError]:
        records = iter(ArchiveIterator(stream, no_record_parse=True))
        while True:
            stream.left, reading.headers = _HEADERS, True
            with contextlib.redirect_stderr(io.StringIO()):  # warcio writes there of what it repairs
                record = next(records, None)
            if record is None:
                return
            # A record that is not compressed expands to nothing.
            stream.left, reading.headers = self._limits.expanded_bytes if zipped else math.inf, False
            reading.uri = record.rec_headers.get_header("WARC-Target-URI") or record.rec_headers.get_header("uri")
            if record.rec_type in _DOCUMENT_RECORDS and reading.uri:
                made = self._payload(record, reading.uri)
                if made is None:
                    self.passed_over += 1
                else:
                    yield made
            while record.raw_stream.read(_HEADERS):
                pass

    def _payload(self, record: Any, uri: str) -> Payload | ExtractionError | None:
        """Return the document of a record; None if it holds none."""
        block = record.raw_stream.read(_START)
        fields = record.rec_headers
        chunked, codings = False, ""
        content_type = fields.get_header("Content-Type") or fields.get_header("content-type") or ""
        header_size = 0
        if record.rec_type == "response" and uri.startswith(("http:", "https:")):
            try:
                response, header_size = _response(block)
            except (StatusAndHeadersParserException, EOFError, ValueError, IndexError) as error:
                return Damaged(f"the record holds no HTTP response: {_short(error)}", name=uri)
            if not _OK.match(block):
                return None
            content_type = response.get_header("Content-Type") or ""
            chunked = "chunked" in (response.get_header("Transfer-Encoding") or "").lower()
            codings = response.get_header("Content-Encoding") or ""
        media_type, charset = _content_type(content_type)
        if media_type.startswith(_NO_DOCUMENTS) or media_type in _NO_DOCUMENT:
            return None
        limit = self._limits.input_bytes
        body = block[header_size:]
        body += record.raw_stream.read(max(limit + 1 - len(body), 0))
        if len(body) > limit:
            return OverLimit(f"its record is over the limit input_bytes={limit:,}", name=uri)
        if record.length is not None and header_size + len(body) < record.length:
            return Damaged("its record breaks off: the WARC file is truncated", name=uri)
        steps = tuple(step.strip().lower() for step in codings.split(",") if step.strip())
        return Payload(uri, body, chunked, steps, charset)

    def _broken(self, error: Exception, reading: _Reading) -> ExtractionError:
        where = f"after or within the record of {reading.uri}" if reading.uri else "in its first record"
        if isinstance(error, TooLargeError) and reading.headers:
            return OverLimit(f"{where}, the WARC file has headers of more than {_HEADERS:,} bytes", name=self._name)
        if isinstance(error, TooLargeError):
            limit = f"expanded_bytes={self._limits.expanded_bytes:,}"
            return OverLimit(f"{where}, the WARC file decompresses to more than the limit {limit}", name=self._name)
        return Damaged(f"{where}, the WARC file cannot be read: {_short(error)}", name=self._name)

    def _next_record(self, start: int) -> int | None:
        """Return the offset of the next gzip member that begins a record, from an offset on; a pipe has none."""
        if self._file is None:
            return None
        self._file.seek(start)
        held = b""
        offset = start
        while block := self._source.read(_HEADERS):
            held += block
            at = -1
            while (at := held.find(_MEMBER, at + 1)) >= 0:
                if _begins_record(held[at : at + 1024]):
                    return offset + at
            keep = min(len(held), 1024)
            offset += len(held) - keep
            held = held[-keep:]
        return None


@dataclass(slots=True)
class _Reading:
    """What is read, for messages: the record, or the headers of the next one."""

    uri: str | None = None
    headers: bool = True


class _Metered:
    """A source that gives no more bytes than `left`, which is set anew for each part of the work."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._given = 0
        self.left: float = 0

    def read(self, size: int, /) -> bytes:
        data = self._source.read(size)
        self._given += len(data)
        self.left -= len(data)
        if self.left < 0:
            raise TooLargeError
        return data

    def tell(self) -> int:
        return self._given


def _begins_record(data: bytes) -> bool:
    try:
        start = zlib.decompressobj(31).decompress(data, 64)
    except zlib.error:
        return False
    return start.startswith(_RECORD_STARTS)


def _marked(data: bytes, charset: str | None) -> bytes:
    """Return a text with a declared encoding in UTF-8 with a mark, which every reader obeys; other data as it is."""
    if charset is None or detect(data[:_START]) not in _IN_CHARACTERS:
        return data
    return codecs.BOM_UTF8 + decode(data, declared=charset, markup=True)[0].encode("utf-8", "replace")


def _response(block: bytes) -> tuple[Any, int]:
    """Return the status and headers of an HTTP response, and how many bytes they take."""
    stream = io.BytesIO(block)
    return StatusAndHeadersParser(["HTTP/"]).parse(stream), stream.tell()


def _content_type(value: str) -> tuple[str, str | None]:
    """Return the media type and the charset of a Content-Type header."""
    media_type, *parameters = value.lower().split(";")
    for parameter in parameters:
        key, _, charset = parameter.partition("=")
        if key.strip() == "charset":
            return media_type.strip(), charset.strip(" \"'") or None
    return media_type.strip(), None


def _short(error: Exception) -> str:
    text = str(error) or type(error).__name__
    return text if len(text) <= 200 else f"{text[:200]}..."
