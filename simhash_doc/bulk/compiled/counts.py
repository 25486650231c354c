"""A text given in pieces, counted by the compiled loops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from itertools import islice, pairwise
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from simhash_doc.bulk.compiled.addresses import table_addresses
from simhash_doc.bulk.compiled.folding import FILLED, MARGIN, MARKS_SIZE, STATE_SIZE
from simhash_doc.bulk.compiled.kernels import GROW_SCRATCH, GROW_TABLE, kernels, reset_state
from simhash_doc.bulk.compiled.memory import address
from simhash_doc.bulk.compiled.token_table import ARENA, ENTRIES, TOTAL, Table
from simhash_doc.errors import NoTokenError

_SCRATCH = 1 << 15
_SLICE = 1 << 15


class Counts(Protocol):
    """A multiset of tokens, as far as it is read to be merged into another."""

    @property
    def total(self) -> int:
        """Number of tokens."""

    def items(self) -> Iterator[tuple[bytes, int]]:
        """Yield each distinct token's UTF-8 bytes and its capped count."""


class _Before(NamedTuple):
    """What is needed to go on with a text whose counts were asked for in between."""

    unread: bytes
    scratch: npt.NDArray[np.uint8]
    state: npt.NDArray[np.int64]
    marks: npt.NDArray[np.uint32]
    table_state: npt.NDArray[np.int64]
    counts: npt.NDArray[np.uint8]


class CompiledCounts:
    """The multiset of the tokens of a text (SD-CAP-1), which is given as UTF-8 in pieces.

    Memory grows with the distinct tokens (about 20 bytes for each, its own bytes, and the empty
    places of a table), and with the longest stretch in which text cannot be cut.
    """

    def __init__(self) -> None:
        self._table = Table(_SCRATCH, 4 * _SCRATCH)
        self._scratch = np.zeros(_SCRATCH + MARGIN, np.uint8)
        self._state = np.zeros(STATE_SIZE, np.int64)
        self._marks = np.zeros(MARKS_SIZE, np.uint32)
        self._unread = b""
        self._before: _Before | None = None
        reset_state(self._state)

    @property
    def total(self) -> int:
        """Number of tokens, of those that are counted so far."""
        return int(self._table.state[TOTAL])

    def feed(self, data: bytes) -> None:
        """Add the next bytes of the text, which may end inside a character."""
        self._go_on()
        data = self._unread + data if self._unread else data
        self._unread = data[self._run(data, final=False) :]

    def finish(self) -> None:
        """Count the tokens at the end of the text too; more may be given all the same."""
        if self._before is None:
            filled, state = self._state[FILLED], self._table.state
            self._before = _Before(
                self._unread,
                self._scratch[:filled].copy(),
                self._state.copy(),
                self._marks.copy(),
                state.copy(),
                self._table.counts[: state[ENTRIES]].copy(),
            )
            self._run(self._unread, final=True)

    def merge(self, other: Counts) -> None:
        """Add the occurrences of another multiset; it is left as it was."""
        self._go_on()
        total = self.total + other.total
        if isinstance(other, CompiledCounts):
            table = other._table
            self._add(table.arena, table.starts, table.counts, int(table.state[ENTRIES]))
        else:
            items = other.items()
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
            kept = table.arena[starts[0] : starts[-1]].tobytes()
            ends = [start - starts[0] for start in starts]
            tokens: Iterable[bytes] = (kept[a:b] for a, b in pairwise(ends))
            yield from zip(tokens, table.counts[first:last].tolist(), strict=True)

    def distinct(self) -> int:
        """Return the number of distinct tokens."""
        return int(self._table.state[ENTRIES])

    def bit_sums(self, words: int) -> npt.NDArray[np.int64]:
        """Return the 64 x `words` exact sums (SD-SUM-1, SD-WIDE-2).

        Raises:
            NoTokenError: there is no token (SD-SUM-2).
        """
        if not self.total:
            raise NoTokenError("the text holds no token, so it has no fingerprint")
        lanes, sums = np.zeros(8, np.uint64), np.zeros(64 * words, np.int64)
        kernels().sum_bits(self._table.addresses, words, address(lanes), address(sums))
        return sums

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

    def _go_on(self) -> None:
        """Take back what `finish` counted."""
        if self._before is None:
            return
        before, self._before = self._before, None
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

    def __copy__(self) -> CompiledCounts:
        return deepcopy(self)
