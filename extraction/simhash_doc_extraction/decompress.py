"""Decompression in pieces, so that a small input cannot expand to more than a limit; and gzip documents."""

from __future__ import annotations

import io
import zlib
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from simhash_doc_extraction.base import (
    CorruptDocumentError,
    ExtractedText,
    Limits,
    UnsupportedFormatError,
    expanded_error,
)

GZIP_MAGIC = b"\x1f\x8b"
GZIP_WINDOW_BITS = 31
"""The argument `wbits` with which zlib reads one gzip member."""

_STEP = 1 << 20
_DRAWN = 1 << 16  # bytes; reading starts again at many places of a corrupt file
_SEARCHED = 1 << 10  # bytes that are searched one by one for damage


class ByteSource(Protocol):
    """An object that is read in pieces."""

    def read(self, size: int, /) -> bytes:
        """Return at least one byte and at most `size` bytes, or no byte at the end."""
        ...


class TruncatedStreamError(zlib.error):
    """The input ends before the compressed stream does."""


class PrefixedSource:
    """A source whose first bytes were already read: returns them, then the rest of the source."""

    def __init__(self, head: bytes, rest: ByteSource) -> None:
        self._head, self._rest = head, rest

    def read(self, size: int, /) -> bytes:
        """Return at least one byte and at most `size` bytes, or no byte at the end."""
        if not self._head:
            return self._rest.read(size)
        data, self._head = self._head[:size], self._head[size:]
        return data


class GzipSource:
    """The decompressed bytes of a gzip stream with any number of members, read in bounded memory.

    Zero bytes between members are padding. Reading ends before other bytes that do not begin a member.

    Args:
        source: the compressed stream.
        step: number of bytes that are read from it at once.

    Attributes:
        member_start: offset in the compressed stream of the member that was read last, in bytes.
    """

    def __init__(self, source: ByteSource, step: int = _DRAWN) -> None:
        self._source, self._step = source, step
        self._input = b""
        self._drawn = 0
        self._member: zlib._Decompress | None = None
        self._failure: zlib.error | None = None
        self.member_start = 0

    def read(self, size: int, /) -> bytes:
        """Return at least one byte and at most `size` bytes, all of one member, or no byte at the end.

        What precedes damage is returned first.

        Raises:
            zlib.error: the stream is corrupt.
            TruncatedStreamError: the stream ends within a member.
        """
        while True:
            if self._member is None and not self._next_member():
                return b""
            assert self._member is not None
            drawn = self._input or self._draw()
            if self._failure:
                raise self._failure
            before = self._member.copy()
            try:
                data = self._member.decompress(drawn, size)
            except zlib.error as error:
                self._failure = error
                data = _before_damage(before, drawn)
                self._input = drawn
                if not data:
                    raise
                return data
            self._input = self._member.unconsumed_tail
            if self._member.eof:
                self._input = self._member.unused_data
                self._member = None
            if data:
                return data
            if not drawn:  # no input left, and no output pending
                raise TruncatedStreamError("it ends within a gzip member")

    @property
    def consumed(self) -> int:
        """Offset in the compressed stream of the first byte that was not decompressed, in bytes."""
        return self._drawn - len(self._input)

    def _draw(self) -> bytes:
        drawn = self._source.read(self._step)
        self._drawn += len(drawn)
        return drawn

    def _next_member(self) -> bool:
        is_first = self._drawn == len(self._input)
        while True:
            if not is_first:
                self._input = self._input.lstrip(b"\0")
            if len(self._input) >= len(GZIP_MAGIC) or not (drawn := self._draw()):
                break
            self._input += drawn
        if not self._input or not (is_first or self._input.startswith(GZIP_MAGIC)):
            return False
        self.member_start = self.consumed
        self._member = zlib.decompressobj(GZIP_WINDOW_BITS)
        return True


def _before_damage(member: zlib._Decompress, data: bytes) -> bytes:
    """Return what a member gives for some bytes of it, before the one that is in error."""
    pieces: list[bytes] = []
    for start in range(0, len(data), _SEARCHED):
        before = member.copy()
        try:
            pieces.append(member.decompress(data[start : start + _SEARCHED]))
        except zlib.error:
            with suppress(zlib.error):
                pieces += (before.decompress(data[at : at + 1]) for at in range(start, start + _SEARCHED))
            break
    return b"".join(pieces)


def read_at_most(source: ByteSource, size: int) -> bytes:
    """Return the first `size` bytes of a source, or all; memory is allocated for what there is, not for `size`."""
    pieces: list[bytes] = []
    while size > 0 and (piece := source.read(min(size, _STEP))):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def gzip_head(data: bytes, size: int = 64) -> bytes:
    """Return about the first `size` decompressed bytes, from the first bytes `data` of a gzip file.

    A corrupt stream gives the bytes before the corruption.
    """
    source = GzipSource(io.BytesIO(data), size)
    found = b""
    with suppress(zlib.error):
        while len(found) < size and (piece := source.read(size)):
            found += piece
    return found


def read_gzip(
    data: bytes, document_format: str, limits: Limits, name: str | None = None, *, remainder: bool = False
) -> ExtractedText:
    """Read the document in a gzip file. The result has the format of the document, which may depend on the name."""
    from simhash_doc_extraction import extract

    source = GzipSource(io.BytesIO(data))
    try:
        inner = read_at_most(source, limits.expanded_bytes + 1)
    except zlib.error as error:
        raise CorruptDocumentError(f"the {document_format} file cannot be decompressed: {error}") from error
    if len(inner) > limits.expanded_bytes:
        raise expanded_error(limits, "decompressed, the gzip file")
    if inner.startswith(GZIP_MAGIC):
        raise UnsupportedFormatError("a gzip file inside a gzip file is not read: decompress it once")
    inner_name = name[:-3] if name and name.lower().endswith(".gz") else name
    own = replace(limits, input_bytes=limits.expanded_bytes)
    extracted = extract(inner, name=inner_name, limits=own, remainder=remainder)
    if not (left := len(data) - source.consumed):
        return extracted
    return replace(extracted, warnings=(f"data after the gzip stream left out: {left:,} bytes", *extracted.warnings))
