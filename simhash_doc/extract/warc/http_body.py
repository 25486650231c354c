"""Decodes the body of an HTTP response: chunks and content codings (RFC 9110, section 8.4)."""

from __future__ import annotations

import io
import zlib
from typing import Any

from simhash_doc.extract.decompress import (
    GZIP_MAGIC,
    ByteSource,
    GzipSource,
    OutputLimitError,
    TruncatedStreamError,
    read_all,
)
from simhash_doc.extract.errors import (
    CorruptDocumentError,
    LimitExceededError,
    MissingExtraError,
    UnsupportedFormatError,
)
from simhash_doc.extract.limits import Limits

_MAX_CODINGS = 3
_STEP = 1 << 20


def decode_body(body: bytes, *, chunked: bool, codings: tuple[str, ...], name: str | None, limits: Limits) -> bytes:
    """Return the document in the body of a response.

    A crawler can store a decoded body with its original headers, so a body that does not look encoded is returned
    unchanged. If a body is truncated, the readable part is returned.

    Args:
        body: the body as stored.
        chunked: the response declares the transfer coding "chunked".
        codings: the declared content codings, in the order of the header.
        name: name of the document, for messages.
        limits: `expanded_bytes` limits the result of each coding.

    Raises:
        CorruptDocumentError: nothing of the body can be decoded.
        LimitExceededError: the decoded body is over the limit, or there are too many codings.
        MissingExtraError: the body has the coding br, and the extra `extract` is not installed.
        UnsupportedFormatError: a coding is not known.
    """
    if chunked:
        from warcio.bufferedreaders import ChunkedDataReader

        body = ChunkedDataReader(io.BytesIO(body)).read()
    if len(codings) > _MAX_CODINGS:
        raise LimitExceededError(
            f"the response has {len(codings)} content codings, over the limit of {_MAX_CODINGS}", name=name
        )
    for coding in reversed(codings):
        try:
            body = _undo_coding(body, coding, name, limits.expanded_bytes)
        except OutputLimitError as error:
            raise limits.expanded_error(f"decoded from {coding}, the body", name) from error
    return body


def _undo_coding(body: bytes, coding: str, name: str | None, limit: int) -> bytes:
    if coding in ("", "identity", "utf-8", "none"):  # the last two are not codings, but servers send them
        return body
    source: ByteSource
    if coding in ("gzip", "x-gzip"):
        if not body.startswith(GZIP_MAGIC):
            return body
        source = GzipSource(io.BytesIO(body))
    elif coding == "deflate":
        source = _DeflateSource(body)
    elif coding == "br":
        source = _BrotliSource(body, name)
    else:
        raise UnsupportedFormatError(
            f"the content coding {coding!r} is not supported (supported: gzip, deflate, br)", name=name
        )
    pieces = _RecordingSource(source)
    try:
        return read_all(pieces, limit)
    except (zlib.error, TruncatedStreamError, _BrotliError) as error:
        if pieces.kept:
            return b"".join(pieces.kept)
        if coding in ("deflate", "br"):
            return body  # not encoded: these codings have no magic number
        raise CorruptDocumentError(f"the body cannot be decoded from {coding}: {error}", name=name) from error


class _BrotliError(Exception):
    """The body is not a Brotli stream, or is corrupt."""


class _RecordingSource:
    """A source that keeps what was read, so that the start of a truncated body is not lost."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self.kept: list[bytes] = []

    def read(self, size: int, /) -> bytes:
        piece = self._source.read(size)
        self.kept.append(piece)
        return piece


class _DeflateSource:
    """A body in the coding deflate: in zlib format by the standard, without its header from many servers."""

    def __init__(self, body: bytes) -> None:
        self._left = body
        self._inflate = zlib.decompressobj(15 if _is_zlib(body) else -15)

    def read(self, size: int, /) -> bytes:
        if self._inflate.eof:
            return b""
        data = self._inflate.decompress(self._left, size)
        self._left = self._inflate.unconsumed_tail
        if not data and not self._inflate.eof:
            raise TruncatedStreamError("it ends within the compressed stream")
        return data


def _is_zlib(body: bytes) -> bool:
    return len(body) > 1 and body[0] & 15 == 8 and (body[0] << 8 | body[1]) % 31 == 0


class _BrotliSource:
    """A body in the coding br, decoded in pieces: a few bytes can expand to gigabytes."""

    def __init__(self, body: bytes, name: str | None) -> None:
        try:
            import brotli
        except ModuleNotFoundError as error:
            raise MissingExtraError(
                "the content coding br needs the package brotli: pip install 'simhash-doc[extract]'", name=name
            ) from error
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
            raise TruncatedStreamError("it ends within the compressed stream")
        return data
