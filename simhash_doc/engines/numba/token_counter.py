"""A text that arrives in pieces, counted by the compiled loops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.base import LANE_BITS, Measurement, Multiset, TokenCounter
from simhash_doc.engines.numba.fold import FILLED, MARGIN, MARKS_SIZE, STATE_SIZE
from simhash_doc.engines.numba.hash_table_arrays import ARENA, ENTRIES, TOTAL, Table
from simhash_doc.engines.numba.kernels import GROW_SCRATCH, GROW_TABLE, kernels, reset_state
from simhash_doc.engines.numba.pointers import table_addresses
from simhash_doc.engines.numba.raw_memory import address

_SCRATCH = 1 << 15
_SLICE = 1 << 15


class _Checkpoint(NamedTuple):
    """The state of a text before its end was counted, to continue from it after results were requested."""

    unread: bytes
    scratch: npt.NDArray[np.uint8]
    state: npt.NDArray[np.int64]
    marks: npt.NDArray[np.uint32]
    table_state: npt.NDArray[np.int64]
    counts: npt.NDArray[np.uint8]


class NumbaTokenCounter:
    """The multiset of the tokens of a text that is fed in pieces (SD-CAP-1).

    Memory grows with the distinct tokens (about 20 bytes each, its own bytes, and the empty places of a hash table),
    and with the longest stretch in which text cannot be cut.
    """

    def __init__(self) -> None:
        self._table = Table(_SCRATCH, 4 * _SCRATCH)
        self._scratch = np.zeros(_SCRATCH + MARGIN, np.uint8)
        self._state = np.zeros(STATE_SIZE, np.int64)
        self._marks = np.zeros(MARKS_SIZE, np.uint32)
        self._unread = b""
        self._checkpoint: _Checkpoint | None = None
        reset_state(self._state)

    @property
    def total(self) -> int:
        """Occurrences of the tokens that are counted so far."""
        return int(self._table.state[TOTAL])

    def feed(self, data: bytes) -> None:
        self._resume()
        data = self._unread + data if self._unread else data
        self._unread = data[self._run(data, final=False) :]

    def tokens(self) -> NumbaTokenCounter:
        """Return this counter, including the tokens at the end of the text. `feed` can be called again afterwards."""
        if self._checkpoint is None:
            filled, state = self._state[FILLED], self._table.state
            self._checkpoint = _Checkpoint(
                self._unread,
                self._scratch[:filled].copy(),
                self._state.copy(),
                self._marks.copy(),
                state.copy(),
                self._table.counts[: state[ENTRIES]].copy(),
            )
            self._run(self._unread, final=True)
        return self

    def merge(self, other: TokenCounter) -> None:
        counts: Multiset = self.copy().tokens() if other is self else other.tokens()
        self._resume()
        total = self.total + counts.total
        if isinstance(counts, NumbaTokenCounter):
            table = counts._table
            self._add(table.arena, table.starts, table.counts, int(table.state[ENTRIES]))
        else:
            items = counts.items()
            while part := list(islice(items, _SLICE)):
                tokens = np.frombuffer(b"".join(token for token, _ in part), np.uint8)
                starts = np.cumsum([0, *(len(token) for token, _ in part)]).astype(np.uint32)
                self._add(tokens, starts, np.array([count for _, count in part], np.uint8), len(part))
        self._table.state[TOTAL] = total

    def items(self) -> Iterator[tuple[bytes, int]]:
        """Yield each distinct token's UTF-8 bytes and its capped count."""
        table = self._table
        for first in range(0, self.distinct(), _SLICE):
            last = min(first + _SLICE, self.distinct())
            starts = table.starts[first : last + 1].tolist()
            arena = table.arena[starts[0] : starts[-1]].tobytes()
            edges = [start - starts[0] for start in starts]
            tokens: Iterable[bytes] = (arena[a:b] for a, b in pairwise(edges))
            yield from zip(tokens, table.counts[first:last].tolist(), strict=True)

    def distinct(self) -> int:
        """Return the number of distinct tokens."""
        return int(self._table.state[ENTRIES])

    def measure(self, lanes: int) -> Measurement:
        """Return the counts and the exact sums (SD-SUM-1, SD-WIDE-2)."""
        self.tokens()
        counters, sums = np.zeros(8, np.uint64), np.zeros(LANE_BITS * lanes, np.int64)
        kernels().sum_bits(self._table.addresses, lanes, address(counters), address(sums))
        return Measurement.of_sums(self.total, self.distinct(), sums.tolist())

    def copy(self) -> NumbaTokenCounter:
        return deepcopy(self)

    def _run(self, data: bytes, *, final: bool) -> int:
        """Fold and count bytes; return how many were read."""
        array = np.frombuffer(data, np.uint8)
        feed = kernels().feed
        at = 0
        while True:
            at, status = feed(
                address(array), at, len(array), final, address(self._scratch), len(self._scratch),
                address(self._state), address(self._marks), self._table.addresses, table_addresses(),
            )  # fmt: skip
            if status == GROW_SCRATCH:
                self._scratch = np.append(self._scratch, np.zeros(len(self._scratch), np.uint8))
            elif status == GROW_TABLE:
                self._table.grow(int(self._state[FILLED]))
            else:
                return int(at)

    def _add(
        self, tokens: npt.NDArray[np.uint8], starts: npt.NDArray[np.uint32], counts: npt.NDArray[np.uint8], count: int
    ) -> None:
        padded = np.append(tokens[: starts[count]], np.zeros(8, np.uint8))
        first = 0
        while first < count:
            first = kernels().add_tokens(
                address(padded), address(starts), address(counts), first, count, self._table.addresses
            )
            if first < count:
                self._table.grow(int(starts[first + 1] - starts[first]) + 2)

    def _resume(self) -> None:
        """Restore the state before the end of the text was counted."""
        if self._checkpoint is None:
            return
        before, self._checkpoint = self._checkpoint, None
        self._unread = before.unread
        self._scratch[: len(before.scratch)] = before.scratch
        self._state[:], self._marks[:] = before.state, before.marks
        table = self._table
        table.counts[: len(before.counts)] = before.counts
        added = table.state[ENTRIES] > len(before.counts)
        for field in (ENTRIES, ARENA, TOTAL):
            table.state[field] = before.table_state[field]
        if added:
            kernels().rebuild_slots(table.addresses)
