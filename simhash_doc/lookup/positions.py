"""Positions in arrays, and arrays taken in pieces: from memory, or read from a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from simhash_doc.arrays import Lanes

Positions = npt.NDArray[np.int64]

# Work is done in chunks of this many lanes: 256 KB, which stays in the second-level cache.
CHUNK = 1 << 15
_PIECE_BYTES = 1 << 22


def ranges_from(first: Positions, length: Positions) -> Positions:
    """Return first[0], first[0] + 1, ... for length[0] numbers, then those of first[1], and so on."""
    before = np.cumsum(length) - length
    return np.repeat(first - before, length) + np.arange(int(length.sum()))


def pieces(rows: Lanes, start: int = 0, end: int | None = None) -> Iterator[Lanes]:
    """Yield the fingerprints [start, end) in pieces of shape (c, lanes), which must not be changed.

    Those that `open_lanes` has mapped are read: mapped pages would count as memory of the process.

    Raises:
        OSError: they cannot be read.
    """
    if isinstance(rows, np.memmap):
        last = len(rows) if end is None else end
        yield from read_lanes(Path(str(rows.filename)), rows.shape[1], start, last, rows.offset)
    else:
        yield rows[start:end]


def read_lanes(path: Path, lanes: int, start: int, end: int, offset: int = 0) -> Iterator[Lanes]:
    """Yield the fingerprints [start, end) of a file that has them from `offset` on, in bytes.

    Raises:
        OSError: they cannot be read.
    """
    step = _PIECE_BYTES // (8 * lanes)
    with path.open("rb") as file:
        file.seek(offset + 8 * lanes * start)
        for at in range(start, end, step):
            values = np.fromfile(file, "<u8", min(step, end - at) * lanes)
            if len(values) < min(step, end - at) * lanes:
                raise OSError(f"{path}: was truncated while it was read")
            yield values.reshape(-1, lanes)
