"""The tokens of a text that arrives in pieces, for the engines that work on strings (`python`, `numpy`).

A text is cut where its pieces together have the tokens of the text. Their tokens go to a multiset, in memory that is
bounded by the bytes of the tokens themselves.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from functools import cache
from itertools import islice, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import xxhash

from simhash_doc.engines.base import LANE_BITS, Measurement, Multiset, TokenCounter
from simhash_doc.engines.bit_sums import MAX_LENGTH, WeightedTokens, sum_tokens, windows_of, xxh64_of_short
from simhash_doc.engines.unicode_tables import CONTINUA, COPY, KEEP, WORD, CodePoints, tables, to_code_points
from simhash_doc.reference import LINK_TAIL, OCCURRENCE_CAP
from simhash_doc.unicode_data import CODE_POINTS, CUTTABLE, REPLACEMENT, fold_map

BLOCK = 1 << 17  # characters that are counted at once
_BUFFER_LIMIT = 1 << 20  # distinct tokens in the buffer, a dict; a token takes about 130 bytes there
_ARRAY_BYTES = 64  # longer tokens stay in a dict: a text of n bytes has at most n / 64 of them
_SHORT = 8  # bytes, of an integer
_SLICE = 1 << 15
_MERGED_PIECE = 1 << 18

# All of one size: integers that hold tokens of up to eight bytes, or strings of bytes of one length.
Tokens = npt.NDArray[Any]
Counts = npt.NDArray[np.uint8]
Run = tuple[Tokens, Counts]


class TextCounter:
    """A text in pieces, cut where the parts have the tokens of the text together.

    Args:
        count: adds the tokens of a text to a multiset.
        in_pieces: False if `count` must see the complete text; then all of it is kept in memory.
    """

    def __init__(self, count: Callable[[str, TokenCounts], None], *, in_pieces: bool = True) -> None:
        self._count, self._in_pieces = count, in_pieces
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._counts = TokenCounts()
        self._complete: TokenCounts | None = None  # with the tokens of what is pending
        self._pending: list[str] = []
        self._pending_size = 0
        self._next_cut = BLOCK

    def feed(self, data: bytes) -> None:
        self._complete = None
        for start in range(0, len(data), BLOCK):
            self._push(self._decoder.decode(data[start : start + BLOCK]))

    def merge(self, other: TokenCounter) -> None:
        counts = other.tokens()
        self._complete = None
        self._counts.merge(counts)

    def copy(self) -> TextCounter:
        twin = copy(self)
        twin._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        twin._decoder.setstate(self._decoder.getstate())
        twin._counts = self._counts.copy()
        twin._complete = None
        twin._pending = list(self._pending)
        return twin

    def tokens(self) -> TokenCounts:
        tail = "".join(self._pending) + self._decoder.getstate()[0].decode("utf-8", errors="replace")
        if not tail:
            return self._counts
        if self._complete is None:
            self._complete = self._counts.copy()
            self._count(tail, self._complete)
        return self._complete

    def measure(self, lanes: int) -> Measurement:
        return self.tokens().measure(lanes)

    def _push(self, text: str) -> None:
        self._pending.append(text)
        self._pending_size += len(text)
        if self._pending_size < self._next_cut or not self._in_pieces:
            return
        pending = "".join(self._pending)
        end, start = last_cut(pending)
        if end:
            self._count(pending[:end], self._counts)
            pending = pending[start:]
        self._pending, self._pending_size = [pending], len(pending)
        # Doubled where there was no place to cut, so that no character is searched again and again.
        self._next_cut = max(BLOCK, 2 * len(pending))


_NEAR = 1 << 12  # characters, which nearly always include one of CUTTABLE
_WINDOW = 1 << 16


def last_cut(text: str) -> tuple[int, int]:
    """Return (end, start) such that text[:end] and text[start:] have the tokens of the text together.

    The place is one of the last possible ones; (0, 0) if there is none. In a stretch of a script without spaces the
    character before the cut is in both parts: the last of one bigram and the first of the next.
    """
    near = max(text.rfind(character, max(1, len(text) - _NEAR)) for character in CUTTABLE)
    if near > 0:
        return near, near
    for upto in range(len(text), 0, -_WINDOW):
        since = max(0, upto - _WINDOW - 2)  # windows overlap: a cut between bigrams takes three characters to find
        end, start = _last_cut_of(to_code_points(text[since:upto]))
        if end:
            return since + end, since + start
    return 0, 0


def _last_cut_of(given: CodePoints) -> tuple[int, int]:
    outside = _cut_before().take(given)
    stays = tables().actions.take(given) == KEEP
    unspaced = np.uint8(WORD | CONTINUA)
    continua = stays & (tables().classes.take(given) & unspaced == unspaced)
    # Where scriptio continua begins or ends, tokens end too.
    outside[1:] |= stays[1:] & stays[:-1] & (continua[1:] != continua[:-1])
    places = np.flatnonzero(outside)
    if len(places) and places[-1] > 0:
        return int(places[-1]), int(places[-1])
    between = np.flatnonzero(continua[:-2] & continua[1:-1] & continua[2:]) + 1
    return (int(between[-1]) + 1, int(between[-1])) if len(between) else (0, 0)


@cache
def _cut_before() -> npt.NDArray[np.bool_]:
    """Return which characters text may be cut before, by code point.

    The first character that each folds to is a starter that does not change the text before it, is in no word, and
    ends a link.
    """
    data = tables()
    ends_link = np.ones(CODE_POINTS, bool)
    ends_link[:0x80] = [not re.fullmatch(LINK_TAIL, chr(character)) for character in range(0x80)]
    outside: npt.NDArray[np.bool_] = ends_link & (data.classes & np.uint8(WORD) == 0) & (data.actions == KEEP)
    cuttable = outside.copy()
    cuttable[data.actions == COPY] = outside[ord(REPLACEMENT)]  # of the unassigned ones
    for character, target in fold_map().items():
        if data.actions[character] == COPY:
            cuttable[character] = outside[ord(target[0])]
    return cuttable


class TokenCounts:
    """A multiset of tokens that keeps no count above the cap (SD-CAP-1).

    Tokens of up to eight bytes are integers in sorted arrays. Longer ones go to a buffer, which is a dict. At a
    million tokens the buffer is flushed into sorted arrays, one per length, in which a token takes its bytes and
    one more instead of over a hundred. Very long tokens stay in the buffer, as do those that end with NUL. Several
    sorted arrays of one length ("runs") are compacted into one when results are requested.
    """

    def __init__(self) -> None:
        self.total = 0
        self._buffer: dict[bytes, int] = {}
        self._flush_at = _BUFFER_LIMIT
        self._runs: dict[int, list[Run]] = {}

    def add(self, counts: Mapping[bytes, int]) -> None:
        """Add occurrences of tokens, given by their UTF-8 bytes."""
        short = [token for token in counts if _fits_array(token, _SHORT)]
        if short:
            tokens = np.array(short, f"S{_SHORT}").view("<u8").astype(np.uint64, copy=False)
            self.add_short(tokens, np.array([counts[token] for token in short], np.int64))
            counts = {token: count for token, count in counts.items() if not _fits_array(token, _SHORT)}
        _add_capped(self._buffer, counts)
        self.total += sum(counts.values())
        if len(self._buffer) > self._flush_at:
            self._flush()

    def add_short(self, tokens: npt.NDArray[np.uint64], occurrences: npt.NDArray[np.int64]) -> None:
        """Add occurrences of distinct tokens of at most eight bytes, as little-endian integers."""
        self.total += int(occurrences.sum())
        order = np.argsort(tokens)
        counts = np.minimum(occurrences[order], OCCURRENCE_CAP).astype(np.uint8)
        if len(order):
            self._add_run(_SHORT, (tokens[order], counts), merge_all=False)

    def merge(self, other: Multiset) -> None:
        """Add the tokens of another multiset, which does not change."""
        if not isinstance(other, TokenCounts):
            self._merge_items(other)
            return
        _add_capped(self._buffer, other._buffer)
        self.total += other.total
        for size, runs in list(other._runs.items()):
            for run in list(runs):
                self._add_run(size, run)
        if len(self._buffer) > self._flush_at:
            self._flush()

    def _merge_items(self, other: Multiset) -> None:
        total = self.total + other.total  # its items are capped
        items = other.items()
        while part := dict(islice(items, _SLICE)):
            self.add(part)
        self.total = total

    def copy(self) -> TokenCounts:
        """Return an independent multiset of the same tokens."""
        twin = TokenCounts()
        twin.total = self.total
        twin._buffer, twin._flush_at = dict(self._buffer), self._flush_at
        twin._runs = {size: list(runs) for size, runs in self._runs.items()}
        return twin

    def items(self) -> Iterator[tuple[bytes, int]]:
        """Yield each distinct token's UTF-8 bytes and its capped count."""
        self._compact()
        for size, ((tokens, counts),) in self._runs.items():
            for part in _slices(len(tokens)):
                yield from zip(_as_bytes(tokens[part], size).tolist(), counts[part].tolist(), strict=True)
        yield from self._buffer.items()

    def distinct(self) -> int:
        """Return the number of distinct tokens."""
        self._compact()
        return sum(len(tokens) for ((tokens, _),) in self._runs.values()) + len(self._buffer)

    def measure(self, lanes: int) -> Measurement:
        """Return the counts and the exact sums (SD-SUM-1, SD-WIDE-2)."""
        sums, statistics = np.zeros(LANE_BITS * lanes, np.int64), np.zeros(3, np.int64)
        for hashes, counts in self._hashes(lanes):
            part = WeightedTokens(np.zeros(len(hashes), np.intp), hashes, counts.astype(np.int64))
            measured = sum_tokens([part], 1, lanes)
            sums += measured.sums[0]
            statistics += measured.statistics[0]
        return Measurement.of_sums(self.total, statistics.tolist(), sums.tolist())

    def _hashes(self, lanes: int) -> Iterator[tuple[npt.NDArray[np.uint64], Counts]]:
        """Yield the hashes of the distinct tokens, shape (n, lanes), with their counts."""
        self._compact()
        for size, ((tokens, counts),) in self._runs.items():
            for part in _slices(len(tokens)):
                hash_tokens = _hash_short if size <= MAX_LENGTH else hash_each
                yield hash_tokens(_as_bytes(tokens[part], size), lanes), counts[part]
        keys, values = list(self._buffer), np.fromiter(self._buffer.values(), np.uint8, len(self._buffer))
        for part in _slices(len(keys)):
            yield hash_each(keys[part], lanes), values[part]

    def _compact(self) -> None:
        """Leave one run of each size, so that no token is in two places."""
        if any(size > _SHORT for size in self._runs):
            self._flush()
        for size, runs in self._runs.items():
            while len(runs) > 1:
                self._add_run(size, runs.pop())

    def _flush(self) -> None:
        """Move the tokens of the buffer to the runs, except those that no run can hold."""
        by_size: dict[int, list[bytes]] = {}
        for key in self._buffer:
            if _fits_array(key, _ARRAY_BYTES):
                by_size.setdefault(len(key), []).append(key)
        for size, keys in by_size.items():
            keys.sort()
            counts = np.array([self._buffer.pop(key) for key in keys], np.uint8)
            self._add_run(size, (np.array(keys, f"S{size}"), counts), merge_all=False)
        self._flush_at = _BUFFER_LIMIT + len(self._buffer)

    def _add_run(self, size: int, run: Run, *, merge_all: bool = True) -> None:
        """Add a sorted run, merged with earlier ones so that their sizes keep doubling."""
        runs = self._runs.setdefault(size, [])
        while runs and (merge_all or len(runs[-1][0]) < 2 * len(run[0])):
            run = _merge(runs.pop(), run)
        runs.append(run)


def _fits_array(token: bytes, longest: int) -> bool:
    """Return True if an array of strings can hold a token: one that ends with NUL would lose its end there."""
    return len(token) <= longest and not token.endswith(b"\0")


def _as_bytes(tokens: Tokens, size: int) -> npt.NDArray[np.bytes_]:
    integers = tokens.dtype == np.uint64
    texts: npt.NDArray[np.bytes_] = (tokens.astype("<u8", copy=False) if integers else tokens).view(f"S{size}")
    return texts


def _slices(count: int) -> Iterator[slice]:
    return (slice(start, start + _SLICE) for start in range(0, count, _SLICE))


def _hash_short(tokens: npt.NDArray[np.bytes_], lanes: int) -> npt.NDArray[np.uint64]:
    """Return the hashes of tokens of at most `MAX_LENGTH` bytes in one array. None of them ends with NUL."""
    size = tokens.itemsize
    windows = windows_of(tokens.tobytes() + bytes(7))
    lengths = np.char.str_len(tokens).astype(np.uint8)
    return xxh64_of_short(windows, np.arange(0, len(tokens) * size, size), lengths, lanes)


def hash_each(tokens: npt.NDArray[np.bytes_] | list[bytes], lanes: int) -> npt.NDArray[np.uint64]:
    """Return the hashes of tokens of any length, shape (n, lanes), one by one."""
    keys = tokens if isinstance(tokens, list) else tokens.tolist()
    hashes = np.empty((len(keys), lanes), np.uint64)
    for lane in range(lanes):
        hashes[:, lane] = [xxhash.xxh64_intdigest(key, lane) for key in keys]
    return hashes


def _add_capped(to: dict[bytes, int], counts: Mapping[bytes, int]) -> None:
    for key, count in counts.items():
        to[key] = min(OCCURRENCE_CAP, to.get(key, 0) + count)


def _merge(a: Run, b: Run) -> Run:
    """Merge two sorted runs of distinct tokens, with counts added and capped.

    This is done piece by piece, so that only the two runs and the result are large.
    """
    tokens = np.empty(len(a[0]) + len(b[0]), a[0].dtype)
    counts = np.empty(len(tokens), np.uint8)
    filled = 0
    edges_a = [*range(0, len(a[0]), _MERGED_PIECE), len(a[0])]
    inner = np.searchsorted(b[0], a[0][edges_a[1:-1]]).tolist()
    edges_b = [0, *inner, len(b[0])]
    for (start_a, end_a), (start_b, end_b) in zip(pairwise(edges_a), pairwise(edges_b), strict=True):
        part_a, part_b = slice(start_a, end_a), slice(start_b, end_b)
        piece = _merge_piece((a[0][part_a], a[1][part_a]), (b[0][part_b], b[1][part_b]))
        end = filled + len(piece[0])
        tokens[filled:end], counts[filled:end] = piece
        filled = end
    return tokens[:filled], counts[:filled]


def _merge_piece(a: Run, b: Run) -> Run:
    tokens = np.concatenate((a[0], b[0]))
    order = np.argsort(tokens, kind="stable")
    tokens = tokens[order]
    counts = np.concatenate((a[1], b[1]))[order]
    first = np.ones(len(tokens), bool)
    np.not_equal(tokens[1:], tokens[:-1], out=first[1:])
    repeated = np.flatnonzero(~first)
    counts[repeated - 1] = np.minimum(OCCURRENCE_CAP, counts[repeated - 1] + counts[repeated])
    return tokens[first], counts[first]
