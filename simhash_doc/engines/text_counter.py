"""Counts the tokens of a text that arrives in pieces, for the engines that work on strings (`python`, `numpy`)."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from copy import copy

from simhash_doc.engines.base import Measurement, TokenCounter
from simhash_doc.engines.numpy.cuts import folded_pieces, last_cut
from simhash_doc.engines.token_counts import TokenCounts

BLOCK = 1 << 17  # characters that are counted at once
LARGE_PIECE = 1 << 18  # characters; a longer piece had no place to cut, and is folded first to find one


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
            self._add(tail, self._complete)
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
            self._add(pending[:end], self._counts)
            pending = pending[start:]
        self._pending, self._pending_size = [pending], len(pending)
        # Doubled where there was no place to cut, so that no character is searched again and again.
        self._next_cut = max(BLOCK, 2 * len(pending))

    def _add(self, text: str, counts: TokenCounts) -> None:
        if len(text) <= LARGE_PIECE or not self._in_pieces:
            self._count(text, counts)
            return
        for piece in folded_pieces(text, LARGE_PIECE // 2):  # folding twice changes nothing
            self._count(piece, counts)
