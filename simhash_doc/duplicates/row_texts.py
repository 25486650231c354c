"""The texts of some rows of a column, in a temporary file."""

from __future__ import annotations

from collections.abc import Iterable
from tempfile import SpooledTemporaryFile
from typing import Any
from weakref import finalize

import numpy as np

from simhash_doc.batch.batches import TextOrNull, batches
from simhash_doc.lookup.positions import Positions

_HELD_BYTES = 1 << 20  # that are in memory; more are in the file


class RowTexts:
    """The texts of some rows, of which memory holds only the places.

    Args:
        source: the texts of all rows, as `batches` takes them.
        rows: those that are stored, by position.
        count: the number of all rows.
    """

    def __init__(self, source: Iterable[Any], rows: Positions, count: int) -> None:
        self._file = SpooledTemporaryFile(_HELD_BYTES)  # noqa: SIM115 - deleted with the object
        finalize(self, self._file.close)
        chosen, self._sizes = np.zeros(count, np.bool_), np.full(count, -1)
        chosen[rows] = True
        for batch in batches(source) if len(rows) else ():
            for at in np.flatnonzero(chosen[batch.first : batch.first + len(batch)]).tolist():
                text = as_utf8(batch.texts[at])
                if text is not None:
                    self._sizes[batch.first + at] = self._file.write(text)
        self._ends = np.cumsum(np.maximum(self._sizes, 0))

    def text(self, row: int) -> str | None:
        """Return the text of a row; None if it has none, or is not stored."""
        size = int(self._sizes[row])
        if size < 0:
            return None
        self._file.seek(int(self._ends[row]) - size)
        return self._file.read(size).decode("utf-8", "replace")


def as_utf8(text: TextOrNull) -> bytes | None:
    """Return a text as UTF-8."""
    return text.encode("utf-8", "replace") if isinstance(text, str) else text
