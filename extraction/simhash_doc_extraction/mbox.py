"""Reads mbox files (RFC 4155): the messages of a mailbox, one at a time."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator

from simhash_doc_extraction.base import (
    CorruptDocumentError,
    ExceededLimit,
    ExtractionError,
    LimitExceededError,
    Limits,
)
from simhash_doc_extraction.decompress import GZIP_MAGIC, ByteSource, GzipSource, PrefixedSource
from simhash_doc_extraction.payload import Payload

MAIL_TYPE = "message/rfc822"
_PIECE = 1 << 20
_HEADER = re.compile(rb">?[!-9;-~]{1,100}:")
_QUOTED = re.compile(rb">+From ")
_SEPARATOR = re.compile(rb"From .*\d\d:\d\d")


class Messages:
    """The messages of a mailbox, in the order of the file. Can be iterated once.

    A message begins with a line "From " with a time, after an empty line, before a header. The file may be a gzip file.

    Attributes:
        skipped: number of members without a document, by kind: none.
        revisits: number of members that refer to others: none.
    """

    def __init__(self, source: ByteSource, *, name: str | None, limits: Limits) -> None:
        self._source, self._name, self._limits = source, name, limits
        self.skipped: Counter[str] = Counter()
        self.revisits = 0
        self._damage: zlib.error | None = None

    def __iter__(self) -> Iterator[Payload | ExtractionError]:
        limit, number = self._limits.input_bytes, 0
        for number, (body, size) in enumerate(self._bodies(), 1):
            name = f"message {number}"
            if size > limit:
                yield LimitExceededError.of(ExceededLimit("input_bytes", limit, "the message"), name=name)
            else:
                yield Payload(name, body, media_type=MAIL_TYPE)
        if self._damage:
            yield CorruptDocumentError(
                f"the mailbox is damaged after message {number}: {self._damage}", name=self._name
            )

    def _bodies(self) -> Iterator[tuple[bytes, int]]:
        """Yield the bytes of each message and their number; the bytes are cut off where they are over the limit."""
        kept: list[bytes] = []
        size, start, after_empty = 0, b"", True
        for line in self._lines():
            if start and _HEADER.match(line):
                if size:
                    yield b"".join(kept), size
                kept, size, start = [], 0, b""
            for piece in (start, line):
                size += len(piece)
                if size <= self._limits.input_bytes:
                    kept.append(piece[1:] if _QUOTED.match(piece) else piece)
            start = b""
            if after_empty and _SEPARATOR.match(line.removeprefix(b"\xef\xbb\xbf")):
                start = line
                size -= len(line)
                if kept and kept[-1] is line:
                    kept.pop()
            after_empty = not line.strip()
        if size or start:
            yield b"".join([*kept, start]), size + len(start)

    def _lines(self) -> Iterator[bytes]:
        """Yield the lines of the file; parts of a line that is longer than a piece."""
        rest = b""
        for piece in self._pieces():
            *lines, rest = (rest + piece).splitlines(keepends=True)
            yield from lines
            if len(rest) > _PIECE:
                yield rest
                rest = b""
        if rest:
            yield rest

    def _pieces(self) -> Iterator[bytes]:
        """Yield the bytes of the file, decompressed up to its end or to damage."""
        head = self._source.read(len(GZIP_MAGIC))
        source: ByteSource = PrefixedSource(head, self._source)
        if head == GZIP_MAGIC:
            source = GzipSource(source)
        try:
            while piece := source.read(_PIECE):
                yield piece
        except zlib.error as error:
            self._damage = error
