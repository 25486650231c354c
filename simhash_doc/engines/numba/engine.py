"""Engine `numba`: the pipeline as compiled loops over UTF-8 bytes, for documents and for a text in pieces."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import islice, pairwise

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.base import (
    LANE_BITS,
    LARGE_DOCUMENT,
    Measurement,
    Measurements,
    Multiset,
    Text,
    TokenCounter,
    encode,
)
from simhash_doc.engines.numba.fold import LAST, MARGIN, MARKS_SIZE, STARTER, STATE_SIZE
from simhash_doc.engines.numba.hash_table import ENTRIES, TOTAL, Table
from simhash_doc.engines.numba.intrinsics import address
from simhash_doc.engines.numba.kernels import DONE, GROW_SCRATCH, kernels, table_addresses
from simhash_doc.engines.text_buffer import TextBuffer, pack

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
            return measured.value if measured.tokens else None
        return self._worker().fingerprint_one(data, lanes)

    def measure(self, text: Text, lanes: int) -> Measurement:
        data = encode(text) if isinstance(text, str) else text
        if len(data) > LARGE_DOCUMENT:
            return self._measure_large(data, lanes)
        return self._worker().measure_one(data, lanes)

    def measure_batch(self, texts: Sequence[Text | None], lanes: int) -> Measurements:
        texts = texts if isinstance(texts, TextBuffer) else pack(texts)
        data, bounds = np.frombuffer(texts.data, np.uint8), np.ascontiguousarray(texts.bounds)
        sizes = np.diff(bounds)
        # The loops do not check where they read.
        if sizes.min(initial=0) < 0 or bounds[0] < 0 or bounds[-1] > len(data):
            raise ValueError("the bounds of a text buffer are not ascending, or are outside its buffer")
        result = Measurements.empty(len(texts), lanes)
        first = 0
        for large in (*np.flatnonzero(sizes > LARGE_DOCUMENT).tolist(), len(texts)):
            part = slice(first, large)
            self._worker().fingerprint(data, bounds[first : large + 1], result.values[part], result.statistics[part])
            if large < len(texts):
                document = bytes(texts.data[bounds[large] : bounds[large + 1]])
                result.put_measured(large, self._measure_large(document, lanes))
            first = large + 1
        result.values[texts.missing], result.statistics[texts.missing] = 0, 0
        return result

    def token_counter(self) -> TokenCounter:
        return NumbaTokenCounter()

    def _measure_large(self, data: bytes, lanes: int) -> Measurement:
        counter = NumbaTokenCounter()
        counter.count(data, final=True)
        return counter.sums(lanes)

    def _worker(self) -> BatchWorker:
        """Return the arrays of this thread: the loops run without the global interpreter lock."""
        worker: BatchWorker | None = getattr(self._local, "worker", None)
        if worker is None:
            worker = self._local.worker = BatchWorker()
        return worker


class _Workspace:
    """The arrays in which the compiled loops fold and count one text at a time."""

    def __init__(self) -> None:
        self._state = np.zeros(STATE_SIZE, np.int64)
        self._state[[LAST, STARTER]] = -1
        self._marks = np.zeros(MARKS_SIZE, np.uint32)
        self._scratch = np.zeros(_SCRATCH + MARGIN, np.uint8)
        self._table = Table(_SCRATCH, 4 * _SCRATCH)

    def _arguments(self) -> tuple[object, ...]:
        """Return the arguments that stand for the arrays in calls of the loops, valid until `_grow` or `deepcopy`."""
        arrays = (address(self._scratch), len(self._scratch), address(self._state), address(self._marks))
        return (*arrays, self._table.addresses, table_addresses())

    def _grow(self, status: int) -> None:
        """Enlarge what was too small for a call that returned this status."""
        if status == GROW_SCRATCH:
            self._scratch = np.append(self._scratch, np.zeros(len(self._scratch), np.uint8))
        else:
            self._table.grow(len(self._scratch))


class BatchWorker(_Workspace):
    """Fingerprints documents in arrays that are kept from call to call. For one thread."""

    def __init__(self) -> None:
        super().__init__()
        self._counters = np.zeros(8, np.uint64)
        self._sums = np.zeros(LANE_BITS * _MAX_LANES, np.int64)
        # For one document.
        self._offsets = np.zeros(2, np.int64)
        self._lanes = np.zeros(_MAX_LANES, np.uint64)
        self._tokens = np.zeros((1, 3), np.int64)
        # Finding an address takes longer than fingerprinting a short text.
        self._sum_addresses = address(self._counters), address(self._sums)
        self._one = address(self._offsets), address(self._lanes), address(self._tokens)
        self._kept_arguments = self._arguments()

    def fingerprint(
        self,
        data: npt.NDArray[np.uint8],
        offsets: npt.NDArray[np.int64],
        lanes: npt.NDArray[np.uint64],
        tokens: npt.NDArray[np.int64],
    ) -> None:
        """Write the results of the documents data[offsets[i]:offsets[i + 1]] to the arrays of `Measurements`."""
        addresses = address(data), address(offsets), address(lanes), address(tokens)
        self._run(len(tokens), lanes.shape[1], *addresses)

    def fingerprint_one(self, document: bytes, lanes: int) -> int | None:
        """Return the fingerprint of one document as an integer; None if it has no token."""
        self._run_one(document, lanes)
        if not self._tokens[0, 0]:
            return None
        if lanes == 1:
            return int(self._lanes[0])
        return int.from_bytes(self._lanes[:lanes].astype(">u8").tobytes(), "big")

    def measure_one(self, document: bytes, lanes: int) -> Measurement:
        """Return the counts and sums of one document."""
        self._run_one(document, lanes)
        total, sums = int(self._table.state[TOTAL]), self._sums[: LANE_BITS * lanes].tolist()
        return Measurement.of_sums(total, self._tokens[0].tolist(), sums)

    def _run_one(self, document: bytes, lanes: int) -> None:
        self._offsets[1] = len(document)
        self._run(1, lanes, address(np.frombuffer(document, np.uint8)), *self._one)

    def _run(self, count: int, lanes: int, data: int, offsets: int, result: int, tokens: int) -> None:
        """Fingerprint documents; the last four arguments are addresses."""
        fingerprint_all = kernels().fingerprint_all
        first = 0
        while True:
            first, status = fingerprint_all(
                data, offsets, first, count, lanes, result, tokens, *self._kept_arguments, *self._sum_addresses
            )
            if status == DONE:
                return
            self._grow(status)
            self._kept_arguments = self._arguments()


_SLICE = 1 << 15  # tokens that are listed at once


class NumbaTokenCounter(_Workspace):
    """The multiset of the tokens of a text that is fed in pieces (SD-CAP-1).

    Memory grows with the distinct tokens (about 20 bytes each, its own bytes, and the empty places of a hash table;
    twice that while results are requested before the end), and with the longest stretch in which text cannot be cut.
    """

    def __init__(self) -> None:
        super().__init__()
        self._unread = b""
        self._complete: NumbaTokenCounter | None = None  # with the tokens at the end of the text

    @property
    def total(self) -> int:
        """Occurrences of the tokens that are counted so far."""
        return int(self._table.state[TOTAL])

    def feed(self, data: bytes) -> None:
        self._complete = None
        data = self._unread + data if self._unread else data
        self._unread = data[self.count(data, final=False) :]

    def tokens(self) -> NumbaTokenCounter:
        """Return a counter that includes the tokens at the end of the text."""
        if self._complete is None:
            self._complete = self.copy()
            self._complete.count(self._unread, final=True)
        return self._complete

    def copy(self) -> NumbaTokenCounter:
        self._complete = None
        return deepcopy(self)

    def merge(self, other: TokenCounter) -> None:
        counts: Multiset = other.tokens()
        self._complete = None
        total = self.total + counts.total
        if isinstance(counts, NumbaTokenCounter):
            table = counts._table
            self._add(table.arena, table.starts, table.counts, counts.distinct())
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
            tokens = [arena[start - starts[0] : end - starts[0]] for start, end in pairwise(starts)]
            yield from zip(tokens, table.counts[first:last].tolist(), strict=True)

    def distinct(self) -> int:
        """Return the number of distinct tokens."""
        return int(self._table.state[ENTRIES])

    def measure(self, lanes: int) -> Measurement:
        return self.tokens().sums(lanes)

    def sums(self, lanes: int) -> Measurement:
        """Return the counts and the exact sums of what is counted so far (SD-SUM-1, SD-WIDE-2)."""
        counters, sums = np.zeros(8, np.uint64), np.zeros(LANE_BITS * lanes, np.int64)
        kernels().sum_bits(self._table.addresses, lanes, address(counters), address(sums))
        capped = self._table.counts[: self.distinct()].astype(np.int64)
        statistics = (len(capped), int(capped.sum()), int((capped * capped).sum()))
        return Measurement.of_sums(self.total, statistics, sums.tolist())

    def count(self, data: bytes, *, final: bool) -> int:
        """Fold and count bytes, up to the end of the text if `final`; return how many were read."""
        array = np.frombuffer(data, np.uint8)
        at = 0
        while True:
            at, status = kernels().feed(address(array), at, len(array), final, *self._arguments())
            if status == DONE:
                return int(at)
            self._grow(status)

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
