"""Documents as slices of one buffer of UTF-8, the layout of an Arrow string column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from simhash_doc.arguments import exact
from simhash_doc.engines.base import AnyText, utf8

BATCH_BYTES = 1 << 20
DOCUMENT_OVERHEAD = 64  # bytes that a document counts for in addition to its text, so that empty ones fill a batch too


class TextBuffer(Sequence[bytes | None]):
    """A sequence of documents that are slices of one buffer: document i is `data[bounds[i]:bounds[i + 1]]`.

    Args:
        data: an object with a buffer that has the bytes of all documents, and possibly more before and after.
        bounds: shape (n + 1,), ascending.
        missing: shape (n,), True where there is no document.
    """

    def __init__(self, data: Any, bounds: npt.NDArray[np.int64], missing: npt.NDArray[np.bool_]) -> None:
        self.data = memoryview(data).cast("B")
        self.bounds = bounds
        self.missing = missing

    def __len__(self) -> int:
        return len(self.missing)

    @property
    def nbytes(self) -> int:
        """Size of all documents in bytes."""
        return int(self.bounds[-1] - self.bounds[0])

    @overload
    def __getitem__(self, at: int) -> bytes | None: ...
    @overload
    def __getitem__(self, at: slice) -> TextBuffer: ...
    def __getitem__(self, at: int | slice) -> bytes | TextBuffer | None:
        if isinstance(at, slice):
            start, stop, step = at.indices(len(self))
            if step != 1:
                raise ValueError(f"the step of the slice is {step}; a slice of a text buffer has step 1")
            stop = max(start, stop)
            return TextBuffer(self.data, self.bounds[start : stop + 1], self.missing[start:stop])
        if not -len(self) <= at < len(self):
            raise IndexError(f"index {at} is out of range; the text buffer has {len(self)} documents")
        at %= len(self)
        return None if self.missing[at] else bytes(self.data[self.bounds[at] : self.bounds[at + 1]])

    def __iter__(self) -> Iterator[bytes | None]:
        data, bounds = self.data, self.bounds.tolist()
        for at, missing in enumerate(self.missing.tolist()):
            yield None if missing else bytes(data[bounds[at] : bounds[at + 1]])

    def __reduce__(self) -> tuple[type[TextBuffer], tuple[object, ...]]:
        low, high = int(self.bounds[0]), int(self.bounds[-1])  # without the bytes before and after
        return TextBuffer, (bytes(self.data[low:high]), self.bounds - low, self.missing)


def batch_ranges(sizes: npt.NDArray[np.int64], most: int = BATCH_BYTES) -> Iterator[tuple[int, int]]:
    """Yield (start, stop) of consecutive documents of about `most` bytes in total, given the bytes of each."""
    ends = np.cumsum(sizes + DOCUMENT_OVERHEAD)
    start, before = 0, 0
    while start < len(ends):
        stop = max(start + 1, int(np.searchsorted(ends, before + most, "right")))
        yield start, stop
        start, before = stop, int(ends[stop - 1])


def pack(texts: Sequence[AnyText | None]) -> TextBuffer:
    """Return documents in one buffer of UTF-8. Raises the errors of `texts_as_utf8`."""
    parts = texts_as_utf8(texts)
    bounds = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(part) for part in parts], out=bounds[1:])
    return TextBuffer(b"".join(parts), bounds, np.array([text is None for text in texts], np.bool_))


def texts_as_utf8(texts: Sequence[AnyText | None]) -> list[bytes]:
    """Return documents as UTF-8; an empty one, which has no token either, stands for one that is missing.

    Raises:
        TypeError: a document is neither str, bytes nor None.
    """
    parts = []
    for at, text in enumerate(texts):
        if type(text) is str:
            parts.append(utf8(text))
        elif type(text) is bytes:
            parts.append(text)
        elif text is None:
            parts.append(b"")
        elif isinstance(text, str | bytes):
            plain = exact(text)
            parts.append(utf8(plain) if isinstance(plain, str) else plain)
        else:
            raise TypeError(f"document {at} is {type(text).__name__}; expected str, bytes or None")
    return parts
