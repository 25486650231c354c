"""Fingerprints of a batch of documents by the compiled loops."""

from __future__ import annotations

import sys

import numpy as np
import numpy.typing as npt

from simhash_doc.bulk.compiled.addresses import table_addresses
from simhash_doc.bulk.compiled.folding import MARGIN, MARKS_SIZE, STATE_SIZE
from simhash_doc.bulk.compiled.kernels import GROW_SCRATCH, GROW_TABLE, kernels
from simhash_doc.bulk.compiled.memory import address
from simhash_doc.bulk.compiled.token_table import Table

_SCRATCH = 1 << 15
_SAMPLE = 0x1D0B43EA1AC78D20


class BatchWorker:
    """The arrays that the compiled loops work in, kept from batch to batch."""

    def __init__(self) -> None:
        self._scratch = np.zeros(_SCRATCH + MARGIN, np.uint8)
        self._state = np.zeros(STATE_SIZE, np.int64)
        self._marks = np.zeros(MARKS_SIZE, np.uint32)
        self._table = Table(_SCRATCH, 4 * _SCRATCH)

    def fingerprint(
        self, data: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64], words: int
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
        """Return the fingerprints of data[offsets[i]:offsets[i + 1]], and which have none."""
        count = len(offsets) - 1
        made = np.zeros((count, words), np.uint64)
        missing = np.ones(count, bool)
        lanes, sums = np.zeros(8, np.uint64), np.zeros(64 * words, np.int64)
        fingerprint_all = kernels().fingerprint_all
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
                table.grow(len(scratch))
        return made, missing


def try_out() -> None:
    """Compile the loops, or load them, and see that they work.

    Raises:
        RuntimeError: they give something else than the specification.
    """
    if sys.byteorder != "little":
        raise RuntimeError("the compiled loops read integers as little-endian processors have them")
    data = np.frombuffer("The quick brown ﬁx, e\u0301té 東京タワー http://a.example/x".encode(), np.uint8)
    made, missing = BatchWorker().fingerprint(data, np.array([0, len(data)], np.int64), 1)
    if missing[0] or int(made[0, 0]) != _SAMPLE:
        raise RuntimeError("the compiled loops give a wrong fingerprint")
