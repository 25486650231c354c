"""Fingerprints of a batch of documents by the compiled loops."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simhash_doc.bulk.compiled.counting import PADDING, TABLE_STATE_SIZE, Table, make_key
from simhash_doc.bulk.compiled.folding import MARGIN, MARKS_SIZE, STATE_SIZE
from simhash_doc.bulk.compiled.kernels import DONE, GROW_SCRATCH, GROW_TABLE, kernels
from simhash_doc.bulk.compiled.tables import tables

_SCRATCH = 1 << 15


def make_table(entries: int, arena: int) -> Table:
    """Return an empty table with room for so many distinct tokens of so many bytes."""
    slots = 1 << (2 * entries + 2).bit_length()
    return Table(
        np.zeros(slots, np.uint32),
        np.zeros(entries + 1, np.uint64),
        np.zeros(entries + 2, np.int64),
        np.zeros(entries + 1, np.uint8),
        np.zeros(arena + PADDING, np.uint8),
        np.zeros(TABLE_STATE_SIZE, np.int64),
    )


class BatchWorker:
    """The arrays that the compiled loops work in, kept from batch to batch."""

    def __init__(self) -> None:
        self._scratch = np.zeros(_SCRATCH + MARGIN, np.uint8)
        self._state = np.zeros(STATE_SIZE, np.int64)
        self._marks = np.zeros(MARKS_SIZE, np.int32)
        self._key = make_key()
        self._entries = 1 << 15
        self._table = make_table(self._entries, 8 * self._entries)

    def fingerprint(
        self, data: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64], words: int
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_], list[int]]:
        """Return the fingerprints of data[offsets[i]:offsets[i + 1]], which have none, and which were given up."""
        count = len(offsets) - 1
        fingerprints = np.zeros((count, words), np.uint64)
        missing = np.ones(count, bool)
        given_up: list[int] = []
        lanes, sums = np.zeros(8, np.uint64), np.zeros(64 * words, np.int64)
        _, fingerprint_all, _ = kernels()
        first = 0
        while first < count:
            first, status = fingerprint_all(
                data, offsets, first, fingerprints, missing, self._scratch, self._state, self._marks,
                self._table, self._key, tables(), lanes, sums,
            )  # fmt: skip
            if status == GROW_SCRATCH:
                self._scratch = np.zeros(2 * len(self._scratch), np.uint8)
            elif status == GROW_TABLE:
                self._entries *= 2
                self._table = make_table(self._entries, 8 * self._entries)
            elif status != DONE:
                given_up.append(first)
                first += 1
        return fingerprints, missing, given_up
