"""Fingerprints of a batch of documents by the compiled loops."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simhash_doc.bulk.compiled.counting import Table
from simhash_doc.bulk.compiled.folding import MARGIN, MARKS_SIZE, STATE_SIZE
from simhash_doc.bulk.compiled.kernels import DONE, GROW_SCRATCH, GROW_TABLE, kernels
from simhash_doc.bulk.compiled.memory import address
from simhash_doc.bulk.compiled.tables import table_addresses

_SCRATCH = 1 << 15


class BatchWorker:
    """The arrays that the compiled loops work in, kept from batch to batch."""

    def __init__(self) -> None:
        self._scratch = np.zeros(_SCRATCH + MARGIN, np.uint8)
        self._state = np.zeros(STATE_SIZE, np.int64)
        self._marks = np.zeros(MARKS_SIZE, np.uint32)
        self._table = Table(_SCRATCH, 4 * _SCRATCH)

    def fingerprint(
        self, data: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64], words: int
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_], list[int]]:
        """Return the fingerprints of data[offsets[i]:offsets[i + 1]], which have none, and which were given up."""
        count = len(offsets) - 1
        made = np.zeros((count, words), np.uint64)
        missing = np.ones(count, bool)
        given_up: list[int] = []
        lanes, sums = np.zeros(8, np.uint64), np.zeros(64 * words, np.int64)
        _, fingerprint_all, _ = kernels()
        first = 0
        while first < count:
            scratch, table = self._scratch, self._table
            first, status = fingerprint_all(
                address(data), address(offsets), first, count, words, address(made), address(missing),
                address(scratch), len(scratch), address(self._state), address(self._marks), table.addresses,
                table_addresses(), address(lanes), address(sums),
            )  # fmt: skip
            if status == GROW_SCRATCH:
                self._scratch = np.zeros(2 * len(scratch), np.uint8)
            elif status == GROW_TABLE:
                entries = 2 * len(table.counts)
                self._table = Table(entries, 4 * entries)
            elif status != DONE:
                given_up.append(first)
                first += 1
        return made, missing, given_up
