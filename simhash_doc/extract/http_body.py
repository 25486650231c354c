"""The document in the body of an HTTP response: chunks joined, content codings undone (RFC 9110, section 8.4)."""

from __future__ import annotations

import io
import zlib
from typing import Any

from simhash_doc.extract.errors import Damaged, MissingExtra, OverLimit, UnsupportedMedium
from simhash_doc.extract.inflate import GZIP_MAGIC, CutOffError, GzipSource, Source, TooLargeError, read_all
from simhash_doc.extract.limits import Limits

_MOST_CODINGS = 3
_STEP = 1 << 20


def decoded(body: bytes, *, chunked: bool, codings: tuple[str, ...], name: str | None, limits: Limits) -> bytes:
    """Return the document in a body that was sent with the given content codings, in the order of the header.

    A crawler may have stored the body joined or decoded already and kept the header: what does not
    begin like the coding is taken as it is. Of a body that breaks off, the readable part is returned.

    Raises:
        OverLimit: decoded, it is over the limit.
        UnsupportedMedium: a coding is not known.
    """
    if chunked:
        from warcio.bufferedreaders import ChunkedDataReader

        body = ChunkedDataReader(io.BytesIO(body)).read()
    if len(codings) > _MOST_CODINGS:
        raise OverLimit(
            f"{len(codings)} content codings one over another, over the limit of {_MOST_CODINGS}", name=name
        )
    for coding in reversed(codings):
        try:
            body = _undone(body, coding, name, limits.expanded_bytes)
        except TooLargeError as error:
            limit = f"expanded_bytes={limits.expanded_bytes:,}"
            raise OverLimit(f"decoded from {coding}, the body is over the limit {limit}", name=name) from error
    return body


def _undone(body: bytes, coding: str, name: str | None, limit: int) -> bytes:
    if coding in ("", "identity", "utf-8", "none"):  # the last two are no codings, but servers send them
        return body
    source: Source
    if coding in ("gzip", "x-gzip"):
        if not body.startswith(GZIP_MAGIC):
            return body
        source = GzipSource(io.BytesIO(body))
    elif coding == "deflate":
        source = _Inflated(body)
    elif coding == "br":
        source = _Brotli(body, name)
    else:
        raise UnsupportedMedium(f"content coding {coding!r} is not known (known: gzip, deflate, br)", name=name)
    pieces = _Kept(source)
    try:
        return read_all(pieces, limit)
    except (zlib.error, CutOffError, _BrotliError) as error:
        if pieces.kept:
            return b"".join(pieces.kept)
        if coding in ("deflate", "br"):
            return body  # these have no mark by which to know them
        raise Damaged(f"the body cannot be decoded from {coding}: {error}", name=name) from error


class _BrotliError(Exception):
    """The body is no Brotli stream, or is a damaged one."""


class _Kept:
    """A source that remembers what was read of it."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.kept: list[bytes] = []

    def read(self, size: int, /) -> bytes:
        piece = self._source.read(size)
        self.kept.append(piece)
        return piece


class _Inflated:
    """A body in deflate: zlib by the standard, raw by the mistake of many servers."""

    def __init__(self, body: bytes) -> None:
        self._left = body
        self._inflate = zlib.decompressobj(15 if _is_zlib(body) else -15)

    def read(self, size: int, /) -> bytes:
        if self._inflate.eof:
            return b""
        data = self._inflate.decompress(self._left, size)
        self._left = self._inflate.unconsumed_tail
        if not data and not self._inflate.eof:
            raise CutOffError("it ends within the stream")
        return data


def _is_zlib(body: bytes) -> bool:
    return len(body) > 1 and body[0] & 15 == 8 and (body[0] << 8 | body[1]) % 31 == 0


class _Brotli:
    """A body in Brotli, decoded in pieces: a few bytes of it can stand for gigabytes."""

    def __init__(self, body: bytes, name: str | None) -> None:
        try:
            import brotli
        except ModuleNotFoundError as error:
            raise MissingExtra("the coding br needs brotli: pip install 'simhash-doc[extract]'", name=name) from error
        self._error: type[Exception] = brotli.error
        self._decoder: Any = brotli.Decompressor()
        self._left = body

    def read(self, size: int, /) -> bytes:
        if self._decoder.is_finished():
            return b""
        try:
            data: bytes = self._decoder.process(self._left, output_buffer_limit=min(size, _STEP))
        except self._error as error:
            raise _BrotliError(str(error)) from error
        self._left = b""
        if not data and not self._decoder.is_finished():
            raise CutOffError("it ends within the stream")
        return data
