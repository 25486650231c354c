"""Limits on the decompressed bytes of a record, and of a complete WARC file."""

from __future__ import annotations

from collections.abc import Callable

from simhash_doc.extract.decompress import ByteSource, OutputLimitError

_MOST_EXPANSION = 100  # of a compressed file as a whole; that of crawls is below 20


class ExpansionError(Exception):
    """The decompressed bytes of a complete file exceed the limit."""


class Work:
    """The decompressed bytes of a file, including those of corrupt records whose parts are read again.

    So the time that a file takes is bounded by its size, whatever it contains.
    """

    def __init__(self, expanded_bytes: int) -> None:
        self._allowed = 2 * expanded_bytes
        self._expanded = self._compressed = 0

    def add(self, size: int, compressed: int) -> None:
        """Count decompressed bytes up to an offset in the compressed file."""
        self._expanded += size
        self._compressed = max(self._compressed, compressed)
        if self._expanded > self._allowed + _MOST_EXPANSION * self._compressed:
            raise ExpansionError(
                f"the WARC file expands to more than {_MOST_EXPANSION} times its size; the rest of it is not read"
            )


class LimitedSource:
    """A source that raises `OutputLimitError` after `left` bytes. The reader sets `left` again for each record.

    `on_read` is called with the size of everything that is read.
    """

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._given = 0
        self.left: float = 0
        self.on_read: Callable[[int], object] = lambda _: None

    def read(self, size: int, /) -> bytes:
        data = self._source.read(size)
        self._given += len(data)
        self.on_read(len(data))
        self.left -= len(data)
        if self.left < 0:
            raise OutputLimitError
        return data

    def tell(self) -> int:
        return self._given
