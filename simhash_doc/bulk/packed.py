"""Documents as slices of one buffer of UTF-8, the layout of an Arrow string column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

BATCH_BYTES = 1 << 20
DOCUMENT_OVERHEAD = 64  # bytes that a document counts for besides its text, so that empty ones fill a batch too


_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class PackedTexts(Sequence[bytes | None]):
    """A sequence of documents that are slices of one buffer: document i is `data[bounds[i]:bounds[i + 1]]`.

    Attributes:
        data: the bytes of all of them, and perhaps more before and after; made from any object with a buffer.
        bounds: shape (n + 1,), rising.
        missing: shape (n,), True where there is no document.
    """

    def __init__(self, data: Any, bounds: npt.NDArray[np.int64], missing: npt.NDArray[np.bool_]) -> None:
        self.data = memoryview(data).cast("B")
        self.bounds = bounds
        self.missing = missing

    def __len__(self) -> int:
        return len(self.missing)

    @overload
    def __getitem__(self, at: int) -> bytes | None: ...
    @overload
    def __getitem__(self, at: slice) -> PackedTexts: ...
    def __getitem__(self, at: int | slice) -> bytes | PackedTexts | None:
        if isinstance(at, slice):
            start, stop, step = at.indices(len(self))
            if step != 1:
                raise ValueError("a slice of packed texts is contiguous")
            stop = max(start, stop)
            return PackedTexts(self.data, self.bounds[start : stop + 1], self.missing[start:stop])
        if not -len(self) <= at < len(self):
            raise IndexError(f"document {at} of {len(self)}")
        at %= len(self)
        return None if self.missing[at] else bytes(self.data[self.bounds[at] : self.bounds[at + 1]])

    def __iter__(self) -> Iterator[bytes | None]:
        data, bounds = self.data, self.bounds.tolist()
        for at, missing in enumerate(self.missing.tolist()):
            yield None if missing else bytes(data[bounds[at] : bounds[at + 1]])

    def trimmed(self) -> PackedTexts:
        """Return the same documents in the part of the buffer that is theirs; nothing is copied."""
        low, high = int(self.bounds[0]), int(self.bounds[-1])
        return PackedTexts(self.data[low:high], self.bounds - low, self.missing)

    def __reduce__(self) -> tuple[type[PackedTexts], tuple[object, ...]]:
        part = self.trimmed()
        return PackedTexts, (bytes(part.data), part.bounds, part.missing)


def cuts(sizes: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield (start, stop) of consecutive documents of about `BATCH_BYTES` in all, given the bytes of each."""
    ends = np.cumsum(sizes + DOCUMENT_OVERHEAD)
    start, before = 0, 0
    while start < len(ends):
        stop = max(start + 1, int(np.searchsorted(ends, before + BATCH_BYTES, "right")))
        yield start, stop
        start, before = stop, int(ends[stop - 1])


def pack(texts: Sequence[str | bytes | None]) -> PackedTexts:
    """Return documents as one buffer of UTF-8; lone surrogates are U+FFFD already, as SD-INPUT-2 has it."""
    parts = [b"" if text is None else text if isinstance(text, bytes) else _encoded(text) for text in texts]
    bounds = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(part) for part in parts], out=bounds[1:])
    return PackedTexts(b"".join(parts), bounds, np.array([text is None for text in texts], np.bool_))


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return _LONE_SURROGATE.sub("\ufffd", text).encode("utf-8")
