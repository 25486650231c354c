"""Decompression in pieces, so that a small input cannot expand to more than a limit; and gzip documents."""

from __future__ import annotations

import io
import zlib
from dataclasses import replace
from typing import Protocol

from simhash_doc.extract.base import CorruptDocumentError, ExtractedText, Limits, UnsupportedFormatError

GZIP_MAGIC = b"\x1f\x8b"
GZIP_WINDOW_BITS = 31
"""The argument `wbits` with which zlib reads one gzip member."""

_STEP = 1 << 20
_DRAWN = 1 << 16  # bytes; reading starts again at many places of a corrupt file


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

    Data after the last member that does not start a member is ignored, as gzip does.

    Attributes:
        member_start: offset in the compressed stream of the member that was read last, in bytes.
    """

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._input = b""
        self._drawn = 0
        self._member: zlib._Decompress | None = None
        self.member_start = 0

    def read(self, size: int, /) -> bytes:
        """Return at least one byte and at most `size` bytes, or no byte at the end.

        Raises:
            zlib.error: the stream is corrupt.
            TruncatedStreamError: the stream ends within a member.
        """
        while True:
            if self._member is None and not self._next_member():
                return b""
            assert self._member is not None
            drawn = self._input or self._draw()
            data = self._member.decompress(drawn, size)
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
        drawn = self._source.read(_DRAWN)
        self._drawn += len(drawn)
        return drawn

    def _next_member(self) -> bool:
        start = self._drawn - len(self._input)
        while len(self._input) < len(GZIP_MAGIC) and (drawn := self._draw()):
            self._input += drawn
        if not self._input or (start and not self._input.startswith(GZIP_MAGIC)):
            return False
        self.member_start = start
        self._member = zlib.decompressobj(GZIP_WINDOW_BITS)
        return True


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
    member = zlib.decompressobj(GZIP_WINDOW_BITS)
    found = b""
    try:
        for start in range(0, len(data), size):
            found += member.decompress(data[start : start + size], size)
            if len(found) >= size:
                break
    except zlib.error:
        pass
    return found


def read_gzip(data: bytes, document_format: str, limits: Limits, name: str | None = None) -> ExtractedText:
    """Read the document in a gzip file. The result has the format of the document, which may depend on the name."""
    from simhash_doc.extract import extract

    source = GzipSource(io.BytesIO(data))
    try:
        inner = read_at_most(source, limits.expanded_bytes + 1)
    except zlib.error as error:
        raise CorruptDocumentError(f"the {document_format} file cannot be decompressed: {error}") from error
    if len(inner) > limits.expanded_bytes:
        raise limits.expanded_error("decompressed, the gzip file")
    if inner.startswith(GZIP_MAGIC):
        raise UnsupportedFormatError("a gzip file inside a gzip file is not read: decompress it once")
    inner_name = name[:-3] if name and name.lower().endswith(".gz") else name
    extracted = extract(inner, name=inner_name, limits=replace(limits, input_bytes=limits.expanded_bytes))
    if not data[source.consumed :].strip(b"\0"):
        return extracted
    return replace(extracted, warnings=("the data after the gzip stream was left out", *extracted.warnings))
