"""Engine `numba`: the pipeline as compiled loops over UTF-8 bytes, for documents and for a text in pieces."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.base import (
    LANE_BITS,
    LARGE_DOCUMENT,
    FingerprintBatch,
    Measurement,
    Multiset,
    Text,
    TokenCounter,
    encode,
)
from simhash_doc.engines.numba.fold import FILLED, MARGIN, MARKS_SIZE, STATE_SIZE
from simhash_doc.engines.numba.hash_table import ARENA, ENTRIES, TOTAL, Table
from simhash_doc.engines.numba.intrinsics import address
from simhash_doc.engines.numba.kernels import GROW_SCRATCH, GROW_TABLE, kernels, reset_state, table_addresses
from simhash_doc.engines.text_buffer import TextBuffer, fingerprint_groups

_SCRATCH = 1 << 15  # bytes of folded text, at first
_MAX_LANES = 8
_SAMPLE_TEXT = "The quick brown ﬁx, e\u0301té 東京タワー http://a.example/x"
_SAMPLE_FINGERPRINT = 0x1D0B43EA1AC78D20


class NumbaEngine:
    """The compiled loops. Loading them takes half a second, or 10 to 20 seconds where they are not compiled yet.

    Raises:
        RuntimeError: the loops do not work on this machine.
    """

    name = "numba"

    def __init__(self) -> None:
        if sys.byteorder != "little":
            raise RuntimeError("the compiled loops read integers in little-endian byte order; this machine is another")
        self._local = threading.local()
        found = self.fingerprint(_SAMPLE_TEXT, 1)
        if found != _SAMPLE_FINGERPRINT:
            raise RuntimeError(f"the compiled loops give the fingerprint {found} for a sample, not 0x1d0b43ea1ac78d20")

    def fingerprint(self, text: Text, lanes: int) -> int | None:
        data = encode(text) if isinstance(text, str) else text
        if len(data) > LARGE_DOCUMENT:
            measured = self._measure_large(data, lanes)
            return measured.value if measured.total else None
        return self._worker().fingerprint_one(data, lanes)

    def measure(self, text: Text, lanes: int) -> Measurement:
        data = encode(text) if isinstance(text, str) else text
        if len(data) > LARGE_DOCUMENT:
            return self._measure_large(data, lanes)
        return self._worker().measure_one(data, lanes)

    def fingerprint_batch(self, texts: Sequence[Text | None], lanes: int) -> FingerprintBatch:
        if isinstance(texts, TextBuffer) and len(texts):
            return self._fingerprint_buffer(texts, lanes)
        return fingerprint_groups(texts, lanes, self._fingerprint_group, self._measure_large)

    def token_counter(self) -> TokenCounter:
        return NumbaTokenCounter()

    def _fingerprint_buffer(self, texts: TextBuffer, lanes: int) -> FingerprintBatch:
        """Fingerprint documents without copying them out of their buffer."""
        data = np.frombuffer(texts.data, np.uint8)
        sizes = np.diff(texts.bounds)
        # The loops do not check where they read.
        if sizes.min() < 0 or texts.bounds[0] < 0 or texts.bounds[-1] > len(data):
            raise ValueError("the bounds of a text buffer are not ascending, or are outside its buffer")
        if sizes.max() > LARGE_DOCUMENT:
            return fingerprint_groups(list(texts), lanes, self._fingerprint_group, self._measure_large)
        result = self._worker().fingerprint(data, np.ascontiguousarray(texts.bounds), lanes)
        result.lanes[texts.missing] = 0
        return FingerprintBatch(result.lanes, result.missing | texts.missing)

    def _fingerprint_group(self, documents: list[bytes], lanes: int) -> FingerprintBatch:
        offsets = np.zeros(len(documents) + 1, np.int64)
        np.cumsum([len(document) for document in documents], out=offsets[1:])
        return self._worker().fingerprint(np.frombuffer(b"".join(documents), np.uint8), offsets, lanes)

    def _measure_large(self, data: bytes, lanes: int) -> Measurement:
        counter = self.token_counter()
        counter.feed(data)
        return counter.measure(lanes)

    def _worker(self) -> BatchWorker:
        """Return the arrays of this thread: the loops run without the global interpreter lock."""
        worker: BatchWorker | None = getattr(self._local, "worker", None)
        if worker is None:
            worker = self._local.worker = BatchWorker()
        return worker


class BatchWorker:
    """The arrays that the compiled loops work in, kept from call to call. For one thread."""

    def __init__(self) -> None:
        self._state = np.zeros(STATE_SIZE, np.int64)
        self._marks = np.zeros(MARKS_SIZE, np.uint32)
        self._counters = np.zeros(8, np.uint64)
        self._sums = np.zeros(LANE_BITS * _MAX_LANES, np.int64)
        self._scratch = np.zeros(_SCRATCH + MARGIN, np.uint8)
        self._table = Table(_SCRATCH, 4 * _SCRATCH)
        # For one document.
        self._offsets = np.zeros(2, np.int64)
        self._lanes = np.zeros(_MAX_LANES, np.uint64)
        self._missing = np.zeros(1, np.bool_)
        arrays = (self._state, self._marks, self._counters, self._sums, self._offsets, self._lanes, self._missing)
        # Finding an address takes longer than fingerprinting a short text.
        self._fixed = tuple(address(array) for array in arrays)
        self._scratch_address = address(self._scratch)

    def fingerprint(self, data: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64], lanes: int) -> FingerprintBatch:
        """Return the fingerprints of the documents data[offsets[i]:offsets[i + 1]]."""
        count = len(offsets) - 1
        result = FingerprintBatch(np.zeros((count, lanes), np.uint64), np.ones(count, np.bool_))
        addresses = (address(data), address(offsets), address(result.lanes), address(result.missing))
        self._run(count, lanes, *addresses)
        return result

    def fingerprint_one(self, document: bytes, lanes: int) -> int | None:
        """Return the fingerprint of one document as an integer; None if it has no token."""
        self._run_one(document, lanes)
        if self._missing[0]:
            return None
        if lanes == 1:
            return int(self._lanes[0])
        return int.from_bytes(self._lanes[:lanes].astype(">u8").tobytes(), "big")

    def measure_one(self, document: bytes, lanes: int) -> Measurement:
        """Return the counts and sums of one document."""
        self._run_one(document, lanes)
        state = self._table.state
        return Measurement.of_sums(int(state[TOTAL]), int(state[ENTRIES]), self._sums[: LANE_BITS * lanes].tolist())

    def _run_one(self, document: bytes, lanes: int) -> None:
        self._offsets[1] = len(document)
        data = np.frombuffer(document, np.uint8)
        self._run(1, lanes, address(data), *self._fixed[4:])

    def _run(self, count: int, lanes: int, data: int, offsets: int, result: int, missing: int) -> None:
        """Fingerprint documents; the last four arguments are addresses."""
        state, marks, counters, sums = self._fixed[:4]
        fingerprint_all = kernels().fingerprint_all
        first = 0
        while first < count:
            first, status = fingerprint_all(
                data, offsets, first, count, lanes, result, missing,
                self._scratch_address, len(self._scratch), state, marks, self._table.addresses, table_addresses(),
                counters, sums,
            )  # fmt: skip
            if status == GROW_SCRATCH:
                self._scratch = np.zeros(2 * len(self._scratch), np.uint8)
                self._scratch_address = address(self._scratch)
            elif status == GROW_TABLE:
                self._table.grow(len(self._scratch))


_SLICE = 1 << 15  # tokens that are listed at once


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
