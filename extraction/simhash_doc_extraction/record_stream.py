"""The bytes of a WARC or ARC file, decompressed in pieces, and where records begin in them.

Files have gzip members, bytes as they are, or both. Their input is limited here, so that neither a header line nor a
record can exhaust the memory.
"""

from __future__ import annotations

import io
import re
import zlib
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from simhash_doc_extraction.decompress import GZIP_MAGIC, GZIP_WINDOW_BITS, ByteSource, GzipSource

LOOKED_AT = 1 << 12
"""Bytes at the start of a record that show that it is one."""
WARC_START = b"WARC/"

_MOST_AGAIN = 4  # times the bytes that were taken: those that are read again because a length was wrong
_KEPT = 1 << 18  # bytes of a pipe that can be read again
_PIECE = 1 << 16
_MEMBER_HEAD = 1 << 10  # bytes of a gzip member that show whether a record begins in it
_STEP = 64
_ARC = (
    rb"[A-Za-z][A-Za-z0-9+.-]{1,15}:[^\r\n]{0,2000} [0-9A-Fa-f.:]{7,45} [0-9]{8,18} "
    rb"[^\r\n]{1,200} [^\r\n ]{1,80} {0,9}\r?\n"
)
"""A line of the address, the IP address, the time, the type and the length; damaged times and lengths are read, too."""
_ARC_START = re.compile(_ARC)
_START = re.compile(
    rb"(?:\r?\n){0,2}WARC/[0-9]\.[0-9]{1,3}\r?\n[A-Za-z][\w-]{2,40}:|^" + _ARC + rb"|\x1f\x8b\x08[\x00-\x1f]",
    re.MULTILINE,
)
"""Where a record can begin: after the end of another one, or in a gzip member."""


class OutputLimitError(Exception):
    """The decompressed data exceeds the limit."""


class CrawlFile:
    """The bytes of the file, which can be read again: all of them if it is seekable, otherwise the last ones.

    Attributes:
        offset: where the next byte is read.
    """

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._file = source if isinstance(source, io.IOBase) and source.seekable() else None
        self.offset = self._file.tell() if self._file else 0
        self._kept = self._ahead = b""

    def read(self, size: int, /) -> bytes:
        if self._ahead:
            data, self._ahead = self._ahead[:size], self._ahead[size:]
        else:
            data = self._source.read(size)
        self.offset += len(data)
        if not self._file:
            self._kept = (self._kept + data)[-_KEPT:]
        return data

    def go_back(self, offset: int) -> None:
        """Read next from an earlier offset, or from the first one that is left."""
        if self._file:
            self._file.seek(offset)
            self.offset = offset
        elif back := min(self.offset - offset, len(self._kept)):
            self._ahead = self._kept[-back:] + self._ahead
            self._kept = self._kept[:-back]
            self.offset -= back


class RecordStream:
    """The decompressed bytes from one offset in the file on: gzip members, or all bytes as they are.

    Attributes:
        left: bytes that may be read before `OutputLimitError` is raised. The reader sets it again for each record.
        uri: URI of the last record, for messages.
        in_headers: whether headers are being read.
        at_member: whether the next byte is the first of a gzip member.
    """

    def __init__(self, file: CrawlFile, count: Callable[[int, int], None], *, raw: bool = False) -> None:
        self.start = file.offset
        head = b"" if raw else file.read(len(GZIP_MAGIC))
        file.go_back(self.start)
        self.start = file.offset
        self.members = GzipSource(file) if head == GZIP_MAGIC else None
        self._source: ByteSource = self.members or file
        self._count = count
        self._held, self._at = b"", 0
        self._following: deque[tuple[int, bytes]] = deque()  # members after the one that is read, and their first bytes
        self._member = self._taken_from = -1
        self._ended = False
        self._failure: zlib.error | None = None
        self._taken = self._again = 0
        self.left: float = 0
        self.uri: str | None = None
        self.in_headers = True
        self.at_member = False

    @property
    def position(self) -> int:
        """Offset in the file after the last byte that was taken; if it is compressed, that was decompressed."""
        return self.start + (self.members.consumed if self.members else self._taken)

    def peek(self, size: int) -> bytes:
        """Return the next bytes of a member: `size`, or all that it has left. No byte: the stream has ended.

        What precedes damage is returned first.
        """
        while len(self._held) - self._at < size and (self._following or not self._ended):
            if self._following or self._failure:
                if self._at < len(self._held):
                    break
                if not self._following and self._failure:
                    raise self._failure
                (self._member, self._held), self._at, self.at_member = self._following.popleft(), 0, True
                continue
            try:
                piece = self._source.read(_PIECE)
            except zlib.error as error:
                self._failure = error
                continue
            if not piece:
                self._ended = True
            elif self.members and self.members.member_start != self._member:
                self._following.append((self.members.member_start, piece))
            else:
                self._held, self._at = self._held[self._at :] + piece, 0
            if self.members:
                self._count(len(piece), self.start + self.members.consumed)
        return self._held[self._at : self._at + size]

    def take(self, size: int) -> bytes:
        """Return the next bytes of a member, at most `size`, and go on behind them."""
        data = self.peek(1) and self._held[self._at : self._at + size]
        if data:
            self._at += len(data)
            self._taken += len(data)
            self.at_member = False
            self._taken_from = self._member
            self.left -= len(data)
            if self.left < 0:
                raise OutputLimitError
        return data

    @property
    def is_damaged(self) -> bool:
        """Whether the member of the last byte that was taken is the one whose damage was found."""
        return self.members is not None and self.members.member_start == self._taken_from

    def take_back(self, data: bytes) -> bool:
        """Read bytes again that were taken last; False if too many were already."""
        self._again += len(data)
        if self._again > _MOST_AGAIN * self._taken + _PIECE:
            return False
        rest = self._held[self._at :]
        if self.at_member:
            self._following.appendleft((self._member, rest))
            self._member, rest = self._taken_from, b""
        self._held, self._at, self.at_member = data + rest, 0, False
        self._taken -= len(data)
        return True

    def readline(self) -> bytes:
        """Return a line; no byte if a record begins here, whose member follows a part of another one."""
        pieces = []
        while data := self.peek(1):
            if self.at_member and self.is_at_record():
                break
            end = self._held.find(b"\n", self._at) + 1
            data = self.take((end or len(self._held)) - self._at)
            pieces.append(data)
            if end:
                break
        return b"".join(pieces)

    def is_at_record(self) -> bool:
        """Return True if a record begins here."""
        data = self.peek(LOOKED_AT)
        return begins_record(data) or (self.members is None and is_member(data))

    def is_at_end(self) -> bool:
        """Return True if a record can end here."""
        return not self.peek(1) or self.at_member or self.is_at_record()

    def skip_padding(self) -> bytes:
        """Take line ends and zero bytes, at most `LOOKED_AT`."""
        data = self.peek(LOOKED_AT)
        return self.take(len(data) - len(data.lstrip(b"\r\n\0")))

    def take_other(self, most: int) -> tuple[bytes, int]:
        """Take what is before the next record; return the first bytes of it, at most `most`, and its size."""
        pieces: list[bytes] = []
        size = kept = 0
        while data := self.peek(_PIECE):
            if self.at_member and self.is_at_record():
                break
            found = find_record(data, members=self.members is None)
            is_all = len(data) < _PIECE  # of the member
            end = found if found >= 0 else len(data) if is_all else len(data) - LOOKED_AT
            data = self.take(end)
            size += len(data)
            if kept < most:
                pieces.append(data[: most - kept])
                kept += len(pieces[-1])
            if found >= 0:
                break
        return b"".join(pieces), size


def begins_record(data: bytes) -> bool:
    return data.startswith(WARC_START) or _ARC_START.match(data) is not None


def is_member(data: bytes) -> bool:
    """Return True if a gzip member begins here that begins a record."""
    if not data.startswith(GZIP_MAGIC):
        return False
    member = zlib.decompressobj(GZIP_WINDOW_BITS)
    head = b""
    with suppress(zlib.error):  # what is before damage shows that it is one
        for start in range(0, _MEMBER_HEAD, _STEP):
            head += member.decompress(data[start : start + _STEP], _MEMBER_HEAD)
            if member.eof or len(head) >= _MEMBER_HEAD:
                break
    return begins_record(head)


def find_record(data: bytes, *, members: bool = False) -> int:
    """Return where a record begins in some bytes, with `members` also in a gzip member; -1 if none does."""
    for found in _START.finditer(data):
        if not found[0].startswith(GZIP_MAGIC) or (members and is_member(data[found.start() : found.start() + 1024])):
            return found.start()
    return -1
