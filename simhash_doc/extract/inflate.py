"""Decompression that stops at a limit: what compresses a thousandfold must not fill the memory."""

from __future__ import annotations

import zlib
from typing import Protocol

GZIP_MAGIC = b"\x1f\x8b"
_GZIP = 31  # window bits of zlib for a gzip member
_STEP = 1 << 20


class Source(Protocol):
    """Anything that is read in pieces."""

    def read(self, size: int, /) -> bytes: ...


class CutOffError(Exception):
    """The input ends before the compressed stream does."""


class Rejoined:
    """A source from whose beginning some bytes were read already."""

    def __init__(self, head: bytes, rest: Source) -> None:
        self._head, self._rest = head, rest

    def read(self, size: int, /) -> bytes:
        """Return at least one byte and at most `size`, or no byte at the end."""
        if not self._head:
            return self._rest.read(size)
        data, self._head = self._head[:size], self._head[size:]
        return data


class TooLargeError(Exception):
    """More was decompressed than allowed."""


class GzipSource:
    """The decompressed bytes of a gzip stream of any number of members, read in pieces in bounded memory.

    What follows the last member and is none is passed over, as gzip does.

    Raises:
        zlib.error: the stream is damaged.
        CutOffError: it ends within a member.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._input = b""
        self._drawn = 0
        self._member: zlib._Decompress | None = None
        self.member_start = 0
        """Offset, in the compressed bytes, of the member that was read last."""

    def read(self, size: int, /) -> bytes:
        """Return at least one byte and at most `size`, or no byte at the end."""
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
            if not drawn:  # neither input nor output that was still to come
                raise CutOffError("it ends within a gzip member")

    def _draw(self) -> bytes:
        drawn = self._source.read(_STEP)
        self._drawn += len(drawn)
        return drawn

    def _next_member(self) -> bool:
        start = self._drawn - len(self._input)
        while len(self._input) < len(GZIP_MAGIC) and (drawn := self._draw()):
            self._input += drawn
        if not self._input or (start and not self._input.startswith(GZIP_MAGIC)):
            return False
        self.member_start = start
        self._member = zlib.decompressobj(_GZIP)
        return True


def read_all(source: Source, limit: int) -> bytes:
    """Return all bytes of a source.

    Raises:
        TooLargeError: there are more than `limit`.
    """
    pieces: list[bytes] = []
    total = 0
    while piece := source.read(_STEP):
        total += len(piece)
        if total > limit:
            raise TooLargeError
        pieces.append(piece)
    return b"".join(pieces)


def gzip_head(data: bytes, size: int = 64) -> bytes:
    """Return the first decompressed bytes, at most about `size`, of the first bytes of a gzip file, up to damage."""
    member = zlib.decompressobj(_GZIP)
    found = b""
    try:
        for start in range(0, len(data), size):
            found += member.decompress(data[start : start + size], size)
            if len(found) >= size:
                break
    except zlib.error:
        pass
    return found
