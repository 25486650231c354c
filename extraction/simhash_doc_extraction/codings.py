"""The transfer and content codings of HTTP (RFC 9110, section 8.4; RFC 9112, section 7), undone within limits.

A crawler can store a decoded body with its original headers, so the content decides whether a body is encoded.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from simhash_doc_extraction import READERS
from simhash_doc_extraction.base import CorruptDocumentError, Limits, MissingExtraError, expanded_error
from simhash_doc_extraction.decompress import GZIP_MAGIC, GzipSource, TruncatedStreamError, gzip_head
from simhash_doc_extraction.detection import detect
from simhash_doc_extraction.encoding import is_utf8

MOST_CODINGS = 3
"""Most content codings of a response."""
CODINGS = ("gzip", "x-gzip", "deflate", "br", "zstd")
NO_CODINGS = frozenset({"", "identity", "utf-8", "none", "binary", "8bit", "7bit"})
"""What servers send as a content coding though it is none."""
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,12})[ \t]*(?:;[^\r\n]{0,1000})?\r?\n")
_CUT_CHUNK = "the body ends before its last chunk"


def without_chunks(body: bytes) -> tuple[bytes, str | None]:
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


_STEP = 1 << 20  # bytes that are decoded at once


def undo_coding(body: bytes, coding: str, limits: Limits) -> tuple[bytes, str | None]:
    """Return the body without one of `CODINGS`, and why it is incomplete, if so.

    A body that does not look encoded is returned unchanged.

    Raises:
        CorruptDocumentError: nothing of the body can be decoded.
        LimitExceededError: the result is over the limit.
        ModuleNotFoundError: the coding needs the extra `extract`, and that is not installed.
    """
    source = None
    if coding in ("gzip", "x-gzip"):
        if not body.startswith(GZIP_MAGIC):
            return body, None
        source = GzipSource(io.BytesIO(body))
        pieces = iter(partial(source.read, _STEP), b"")
    elif coding == "deflate":
        pieces = _inflated(body)
    elif coding == "zstd":
        if not body.startswith(ZSTD_MAGIC):
            return body, None
        pieces = _without_zstd(body)
    else:
        pieces = _without_brotli(body)
    decoded = bytearray()
    try:
        for piece in pieces:
            decoded += piece
            if len(decoded) > limits.expanded_bytes:
                raise expanded_error(limits, f"decoded from {coding}, the body")
    except zlib.error as error:
        if coding in ("deflate", "br") and (not decoded or (is_utf8(body) and detect(body) in READERS)):
            return body, None  # not encoded: these codings have no magic number
        if decoded:
            return bytes(decoded), f"the body ends within the content coding {coding}"
        raise CorruptDocumentError(f"the body cannot be decoded from {coding}: {error}") from error
    if source and (left := len(body.rstrip(b"\r\n\0")) - source.consumed) > 0:
        return bytes(decoded), f"{left:,} bytes after the content coding {coding} are not read"
    return bytes(decoded), None


def decoded_head(body: bytes, chunked: bool, codings: tuple[str, ...], size: int) -> bytes | None:
    """Return the start of a body, decoded from its first `size` bytes; None if that needs native code."""
    head, _ = without_chunks(body[:size]) if chunked else (body[:size], None)
    for coding in reversed(codings[:MOST_CODINGS]):
        if coding in ("gzip", "x-gzip"):
            head = gzip_head(head, size) if head.startswith(GZIP_MAGIC) else head
        elif coding == "deflate":
            with suppress(zlib.error):
                head = next(_inflated(head))[:size]
        elif coding in CODINGS:
            return None
    return head


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
    decoder = _brotli_decoder()
    while not decoder.is_finished():
        try:
            piece: bytes = decoder.process(body, output_buffer_limit=_STEP)
        except Exception as error:  # its own type, which is not the same in all versions
            raise zlib.error(str(error)) from error
        body = b""
        if not piece and not decoder.is_finished():
            raise TruncatedStreamError("it ends within the compressed stream")
        yield piece


def _brotli_decoder() -> Any:
    """Return a decoder of the package brotli. Other packages, such as brotlipy, install a module of the same name."""
    import brotli

    decoder: Any = brotli.Decompressor()
    try:
        decoder.is_finished()
        decoder.process(b"", output_buffer_limit=1)
    except (AttributeError, TypeError) as error:
        raise MissingExtraError(
            f"the content coding br needs the package brotli, version 1.2 or newer; the module brotli in "
            f"{getattr(brotli, '__file__', 'this environment')} is another one ({error}): pip uninstall brotlipy, then "
            "pip install --force-reinstall brotli"
        ) from error
    return decoder


_ZSTD_PIECE = 512  # bytes, which expand to 16 MiB at most
_ZSTD_WINDOW = 1 << 27  # bytes of memory; RFC 9659 allows 8 MiB in this coding


def _without_zstd(body: bytes) -> Iterator[bytes]:
    """Yield pieces of a body in the coding zstd (RFC 8878), which has one frame or many. Raises `zlib.error`, too."""
    import zstandard

    at = 0
    while body.startswith(ZSTD_MAGIC, at):
        decoder = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()
        while not decoder.eof:
            given = body[at : at + _ZSTD_PIECE]
            at += len(given)
            try:
                piece = decoder.decompress(given)
            except zstandard.ZstdError as error:
                raise zlib.error(str(error)) from error
            if not given and not decoder.eof:
                raise TruncatedStreamError("it ends within the compressed stream")
            yield piece
        at -= len(decoder.unused_data)
