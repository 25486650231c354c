"""Fingerprints that are read in pieces: from an array in memory, or from a file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from simhash_doc.lookup.arrays import Values, lanes_of
from simhash_doc.lookup.errors import BadValueError
from simhash_doc.schemes import get_schemes

_CHUNK_BYTES = 1 << 22


class ValueSource(Protocol):
    """Fingerprints of one scheme, in any order, with or without copies."""

    def __len__(self) -> int: ...

    @property
    def lanes(self) -> int:
        """Number of lanes of a fingerprint."""
        ...

    def chunks(self, start: int = 0, end: int | None = None) -> Iterator[Values]:
        """Yield the fingerprints [start, end) in pieces, each of shape (c,) or (c, lanes), which must not be changed.

        Raises:
            OSError: they cannot be read.
        """
        ...

    def mapped(self) -> Values:
        """Return all fingerprints, shape (n,) or (n, lanes), mapped from the file if there is one."""
        ...


@dataclass(frozen=True, slots=True)
class ArraySource:
    """An array, shape (n,) or (n, lanes), dtype uint64."""

    values: Values

    def __len__(self) -> int:
        return len(self.values)

    @property
    def lanes(self) -> int:
        return lanes_of(self.values)

    def chunks(self, start: int = 0, end: int | None = None) -> Iterator[Values]:
        yield self.values[start:end]

    def mapped(self) -> Values:
        return self.values


@dataclass(frozen=True, slots=True)
class FileSource:
    """A file, which is read, not mapped: mapped pages would count as memory of the process.

    Attributes:
        path: the file.
        offset: where the fingerprints begin, in bytes.
        count, lanes: their number and width.
    """

    path: Path
    offset: int
    count: int
    lanes: int

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> FileSource:
        """Return the fingerprints of a .npy file of shape (n,) or (n, lanes), dtype uint64, little-endian.

        Raises:
            OSError: it cannot be read.
            BadValueError: it is not such a file.
        """
        try:
            mapped = np.load(path, mmap_mode="r", allow_pickle=False)
        except (EOFError, ValueError) as error:
            raise BadValueError(f"{path}: is not a .npy file ({error})") from error
        if not isinstance(mapped, np.memmap) or mapped.dtype != "<u8" or mapped.ndim not in (1, 2):
            found = f"{mapped.dtype} {mapped.shape}" if isinstance(mapped, np.ndarray) else type(mapped).__name__
            raise BadValueError(f"{path}: holds {found}; expected uint64 of shape (n,) or (n, lanes)")
        if not mapped.flags.c_contiguous:
            raise BadValueError(f"{path}: is in Fortran order; expected rows one after the other")
        lanes = 1 if mapped.ndim == 1 else mapped.shape[1]
        if lanes not in {scheme.lanes for scheme in get_schemes().values()} or mapped.shape[1:] == (1,):
            raise BadValueError(f"{path}: has the shape {mapped.shape}, which is not that of fingerprints of a scheme")
        return cls(Path(path), mapped.offset, len(mapped), lanes)

    def __len__(self) -> int:
        return self.count

    def mapped(self) -> Values:
        shape = (self.count,) if self.lanes == 1 else (self.count, self.lanes)
        if not self.count:
            return np.empty(shape, np.uint64)
        return np.memmap(self.path, np.uint64, "r", self.offset, shape)

    def chunks(self, start: int = 0, end: int | None = None) -> Iterator[Values]:
        step = _CHUNK_BYTES // (8 * self.lanes)
        end = self.count if end is None else end
        with self.path.open("rb") as file:
            file.seek(self.offset + 8 * self.lanes * start)
            for at in range(start, end, step):
                values = np.fromfile(file, "<u8", min(step, end - at) * self.lanes)
                if len(values) < min(step, end - at) * self.lanes:
                    raise OSError(f"{self.path}: was truncated while it was read")
                yield values if self.lanes == 1 else values.reshape(-1, self.lanes)
