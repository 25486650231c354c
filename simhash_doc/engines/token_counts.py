"""The tokens of a text that arrives in pieces, for the engines that work on strings (`python`, `numpy`).

A text is cut where its pieces together have the tokens of the text. Their tokens are counted in one dictionary.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from functools import cache
from itertools import islice

import numpy as np
import numpy.typing as npt
import xxhash

from simhash_doc.engines.base import Measurement, Multiset, TokenCounter, measurement_of_sums
from simhash_doc.engines.bit_sums import MAX_LENGTH, WeightedTokens, sum_tokens, windows_of, xxh64_of_short
from simhash_doc.engines.unicode_tables import (
    CODE_POINT,
    CONTINUA,
    MARK,
    OUTSIDE,
    CodePoints,
    folded_characters,
    to_code_points,
)
from simhash_doc.reference import LINK_TAIL, OCCURRENCE_CAP
from simhash_doc.schemes import LANE_BITS
from simhash_doc.unicode_data import CUTTABLE

BLOCK = 1 << 17  # characters that are counted at once
_SLICE = 1 << 15  # tokens that are hashed at once


class TextCounter:
    """A text in pieces, cut where the parts have the tokens of the text together.

    Args:
        count: returns the tokens of a text, in UTF-8, with their occurrences.
        in_pieces: False if `count` must see the complete text; then all of it is kept in memory.
    """

    def __init__(self, count: Callable[[str], Mapping[bytes, int]], *, in_pieces: bool = True) -> None:
        self._count, self._in_pieces = count, in_pieces
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._counts = TokenCounts()
        self._pending: list[str] = []
        self._pending_size = 0
        self._of_pending: Mapping[bytes, int] | None = None  # its tokens, while they are counted too
        self._next_cut = BLOCK

    def feed(self, data: bytes) -> None:
        self._leave_pending()
        for start in range(0, len(data), BLOCK):
            self._push(self._decoder.decode(data[start : start + BLOCK]))

    def merge(self, other: TokenCounter) -> None:
        self._counts.merge(other.tokens())

    def copy(self) -> TextCounter:
        twin = copy(self)
        twin._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        twin._decoder.setstate(self._decoder.getstate())
        twin._counts = self._counts.copy()
        twin._pending = list(self._pending)
        return twin

    def tokens(self) -> TokenCounts:
        if self._of_pending is None:
            tail = "".join(self._pending) + self._decoder.getstate()[0].decode("utf-8", errors="replace")
            self._of_pending = self._count(tail) if tail else {}
            self._counts.add(self._of_pending)
        return self._counts

    def measure(self, lanes: int) -> Measurement:
        return self.tokens().measure(lanes)

    def _leave_pending(self) -> None:
        """Take the tokens of the pending text out of the counts again: they may change with the next characters."""
        if self._of_pending is not None:
            self._counts.remove(self._of_pending)
            self._of_pending = None

    def _push(self, text: str) -> None:
        self._pending.append(text)
        self._pending_size += len(text)
        if self._pending_size < self._next_cut or not self._in_pieces:
            return
        pending = "".join(self._pending)
        end, start = last_cut(pending)
        if end:
            self._counts.add(self._count(pending[:end]))
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
    folded = folded_characters().take(given)
    is_alone = folded < MARK  # it changes no other character
    continua = is_alone & (folded & CONTINUA != 0)
    # Where scriptio continua begins or ends, tokens end too.
    outside[1:] |= is_alone[1:] & is_alone[:-1] & (continua[1:] != continua[:-1])
    places = np.flatnonzero(outside)
    if len(places) and places[-1] > 0:
        return int(places[-1]), int(places[-1])
    between = np.flatnonzero(continua[:-2] & continua[1:-1] & continua[2:]) + 1
    return (int(between[-1]) + 1, int(between[-1])) if len(between) else (0, 0)


@cache
def _cut_before() -> npt.NDArray[np.bool_]:
    """Return which characters text may be cut before, by code point.

    Each folds to one starter that does not change the text before it, is in no word, and ends a link.
    """
    folded = folded_characters()
    outside = folded & (OUTSIDE | CONTINUA) == OUTSIDE
    outside[:0x80] = [not re.fullmatch(LINK_TAIL, chr(character)) for character in range(0x80)]
    cuttable: npt.NDArray[np.bool_] = outside[folded & CODE_POINT] & (folded < MARK)
    return cuttable


class TokenCounts:
    """A multiset of tokens, given by their UTF-8 bytes.

    A distinct token takes about 80 bytes of memory.
    """

    def __init__(self) -> None:
        self.total = 0
        self._counts: dict[bytes, int] = {}  # not capped, so that `remove` undoes `add`

    def add(self, counts: Mapping[bytes, int]) -> None:
        """Add occurrences of tokens."""
        self._add(counts.items())
        self.total += sum(counts.values())

    def remove(self, counts: Mapping[bytes, int]) -> None:
        """Take occurrences away that were added before."""
        for token, count in counts.items():
            self._counts[token] -= count
            if not self._counts[token]:
                del self._counts[token]
        self.total -= sum(counts.values())

    def merge(self, other: Multiset) -> None:
        """Add the tokens of another multiset, which does not change."""
        total = self.total + other.total  # its items are capped
        self._add(other.items())
        self.total = total

    def _add(self, items: Iterable[tuple[bytes, int]]) -> None:
        counts = self._counts
        for token, count in items:
            counts[token] = counts.get(token, 0) + count

    def copy(self) -> TokenCounts:
        """Return an independent multiset of the same tokens."""
        twin = TokenCounts()
        twin.total, twin._counts = self.total, dict(self._counts)
        return twin

    def items(self) -> Iterator[tuple[bytes, int]]:
        """Yield each distinct token's UTF-8 bytes and its capped count."""
        for token, count in self._counts.items():
            yield token, min(count, OCCURRENCE_CAP)

    def measure(self, lanes: int) -> Measurement:
        """Return the counts and the exact sums (SD-SUM-1, SD-WIDE-2)."""
        sums, statistics = np.zeros(LANE_BITS * lanes, np.int64), np.zeros(3, np.int64)
        items = iter(self._counts.items())
        while part := list(islice(items, _SLICE)):
            hashes = hash_tokens([token for token, _ in part], lanes)
            counts = np.array([count for _, count in part], np.int64)
            measured = sum_tokens([WeightedTokens(np.zeros(len(part), np.intp), hashes, counts)], 1, lanes)
            sums += measured.sums[0]
            statistics += measured.statistics[0]
        return measurement_of_sums(self.total, statistics.tolist(), sums.tolist())


def hash_tokens(tokens: list[bytes], lanes: int) -> npt.NDArray[np.uint64]:
    """Return the hashes of tokens of any length, shape (n, lanes)."""
    lengths = np.fromiter(map(len, tokens), np.intp, len(tokens))
    windows, starts = windows_of(b"".join(tokens) + bytes(8)), lengths.cumsum() - lengths
    hashes = xxh64_of_short(windows, starts, np.minimum(lengths, MAX_LENGTH).astype(np.uint8), lanes)
    for at in (lengths > MAX_LENGTH).nonzero()[0].tolist():
        hashes[at] = [xxhash.xxh64_intdigest(tokens[at], lane) for lane in range(lanes)]
    return hashes
