"""Counts the tokens of a text that arrives in pieces, for the engines that work on strings (`python`, `numpy`).

A text is cut where its pieces together have the tokens of the text.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from copy import copy
from functools import cache

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.base import Measurement, TokenCounter
from simhash_doc.engines.token_counts import TokenCounts
from simhash_doc.engines.unicode_tables import CONTINUA, COPY, KEEP, WORD, CodePoints, tables, to_code_points
from simhash_doc.reference import LINK_TAIL
from simhash_doc.unicode_data import CODE_POINTS, CUTTABLE, REPLACEMENT, fold_map

BLOCK = 1 << 17  # characters that are counted at once


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
