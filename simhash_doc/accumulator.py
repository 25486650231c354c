"""Fingerprints of texts that arrive in pieces or from several workers."""

from __future__ import annotations

import codecs
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simhash_doc.bulk.setting import is_fast
from simhash_doc.counts import TokenCounts
from simhash_doc.errors import NoTokenError
from simhash_doc.pinned import scheme as find_scheme
from simhash_doc.reference import to_buckets
from simhash_doc.sums import signs
from simhash_doc.tokens import prepare, token_counts
from simhash_doc.value import Fingerprint

if TYPE_CHECKING:
    from simhash_doc.bulk.compiled.counts import CompiledCounts

_BLOCK = 1 << 17  # characters that are counted in one go
_WORTH_ENGINE = 1 << 12  # characters

_NAMES: dict[type | None, str] = {str: "text", bytes: "bytes"}

Tokenizer = Callable[[str], Iterable[str]]


class WholeCounts:
    """The tokens of a text that was counted in one go."""

    def __init__(
        self, sums: npt.NDArray[np.int64], tokens: npt.NDArray[np.int64], distinct: npt.NDArray[np.int64]
    ) -> None:
        self.total, self._distinct, self._sums = int(tokens[0]), int(distinct[0]), sums[0]

    def distinct(self) -> int:
        """Return the number of distinct tokens."""
        return self._distinct

    def bit_sums(self, words: int) -> npt.NDArray[np.int64]:
        """Return the first 64 x `words` exact sums (SD-SUM-1, SD-WIDE-2).

        Raises:
            NoTokenError: there is no token (SD-SUM-2).
        """
        if not self.total:
            raise NoTokenError("the text holds no token, so it has no fingerprint")
        sums: npt.NDArray[np.int64] = self._sums[: 64 * words]
        return sums


class Accumulator:
    """Fingerprint of a text given piece by piece (spec, section 2: the order of tokens does not matter).

    Any chunking gives the fingerprint of the whole text. Memory grows with the
    distinct tokens, and with the longest stretch that cannot be cut: a word, or what may be a link.

    Args:
        scheme: short id or long name of the scheme.
        tokenizer: called once with the prepared text (folded, links removed) in place
            of steps 3 to 5, so the whole text is kept until then; the result is not
            canonical (spec, section 11).
        stop_tokens: tokens to leave out; the result is not canonical if there are any.

    >>> accumulator = Accumulator()
    >>> for chunk in ("The quick br", "own fox"):
    ...     accumulator.update(chunk)
    >>> accumulator.fingerprint().to_uri()
    'sd64:larqgiqsckcca'
    """

    def __init__(
        self, scheme: str = "sd64", *, tokenizer: Tokenizer | None = None, stop_tokens: Collection[str] = ()
    ) -> None:
        self.scheme = find_scheme(scheme)
        self.canonical = tokenizer is None and not stop_tokens
        self._tokenizer = tokenizer
        self._stop_tokens = frozenset(stop_tokens)
        self._given: type | None = None
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._counts = TokenCounts()
        self._compiled: CompiledCounts | None = None  # takes over from `_counts` where it is worth it
        self._counts_with_tail: TokenCounts | None = None
        self._pending: list[str] = []
        self._pending_size = 0
        self._next_cut: float = _BLOCK if tokenizer is None else math.inf
        self._whole: WholeCounts | None = None

    def update(self, chunk: str | bytes) -> None:
        """Add the next piece of the text, as text or as UTF-8 bytes, which may end inside a character.

        Raises:
            TypeError: the chunk is neither, or text follows bytes or bytes follow text.
        """
        if not isinstance(chunk, str | bytes):
            raise TypeError(f"a chunk is str or bytes, not {type(chunk).__name__}")
        kind = bytes if isinstance(chunk, bytes) else str
        if self._given not in (None, kind):
            raise TypeError(f"{_NAMES[kind]} after {_NAMES[self._given]}: give an accumulator one or the other")
        self._given = kind if chunk else self._given
        self._counts_with_tail = self._whole = None
        if self._compiled is None and self.canonical and is_fast(len(chunk)):
            self._compiled = self._taken_over()
        for start in range(0, len(chunk), _BLOCK):
            part = chunk[start : start + _BLOCK]
            if self._compiled is not None:
                self._compiled.feed(part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass"))
            else:
                self._push(self._decoder.decode(part) if isinstance(part, bytes) else part)

    def merge(self, other: Accumulator) -> None:
        """Add all that another accumulator was given, as a text of its own; it is left as it was.

        Raises:
            ValueError: it is of another scheme, or has another tokenizer or stop list.
        """
        mine = (self.scheme, self._tokenizer, self._stop_tokens)
        if mine != (other.scheme, other._tokenizer, other._stop_tokens):
            raise ValueError("accumulators merge only with the same scheme, tokenizer and stop list")
        counts = other._all_counts()
        self._counts_with_tail = self._whole = None
        if self._compiled is None and isinstance(counts, TokenCounts):
            self._counts.merge(counts)
            return
        if self._compiled is None:
            self._compiled = self._taken_over()
        self._compiled.merge(counts)

    def counts(self) -> TokenCounts | CompiledCounts | WholeCounts:
        """Return how many tokens there are so far, and their sums; what was returned before is not valid any more."""
        if self._whole is None and self.canonical and self._compiled is None and not self._counts.total:
            from simhash_doc.bulk.engine import measure_document

            text = self._tail().encode("utf-8", "surrogatepass")
            if (measured := measure_document(text, self.scheme.words)) is not None:
                self._whole = WholeCounts(*measured)
        return self._whole or self._all_counts()

    def _all_counts(self) -> TokenCounts | CompiledCounts:
        """Return the capped counts of all tokens so far, until more is given."""
        if self._compiled is not None:
            self._compiled.finish()
            return self._compiled
        tail = self._tail()
        if not tail:
            return self._counts
        if self._counts_with_tail is None:
            self._counts_with_tail = self._counts.copy()
            self._count(tail, self._counts_with_tail)
        return self._counts_with_tail

    def _tail(self) -> str:
        """Return what is not counted yet."""
        return "".join(self._pending) + self._decoder.getstate()[0].decode("utf-8", errors="replace")

    def buckets(self) -> list[int]:
        """Return the 64 signed 8-bit buckets of each word, in [-127, 127] (SD-BUCKET-1).

        Raises:
            NoTokenError: no token so far.
        """
        return to_buckets(self.counts().bit_sums(self.scheme.words).tolist())

    def fingerprint(self) -> Fingerprint:
        """Return the fingerprint of all that was given so far; more may be given afterwards.

        Raises:
            NoTokenError: no token so far.
        """
        words = signs(self.counts().bit_sums(self.scheme.words)[None])[0]
        data = words.astype(">u8").tobytes()  # word 0 first, each with its highest byte first (SD-TEXT-1, SD-WIDE-3)
        return Fingerprint.from_bytes(data, self.scheme.id, canonical=self.canonical)

    def _taken_over(self) -> CompiledCounts:
        """Return all that was given so far as what the compiled loops go on with."""
        from simhash_doc.bulk.compiled.counts import CompiledCounts

        compiled = CompiledCounts()
        compiled.merge(self._counts)
        # What is pending begins where text may be cut.
        compiled.feed("".join(self._pending).encode("utf-8", "surrogatepass") + self._decoder.getstate()[0])
        self._counts, self._pending = TokenCounts(), []
        return compiled

    def _push(self, text: str) -> None:
        self._pending.append(text)
        self._pending_size += len(text)
        if self._pending_size < self._next_cut:
            return
        from simhash_doc.bulk.plain_cuts import last_cut

        pending = "".join(self._pending)
        end, start = last_cut(pending)
        if end:
            self._count(pending[:end], self._counts)
            pending = pending[start:]
        self._pending, self._pending_size = [pending], len(pending)
        # Doubled where there was no place to cut, so that no character is searched again and again.
        self._next_cut = max(_BLOCK, 2 * len(pending))

    def _count(self, text: str, counts: TokenCounts) -> None:
        if self.canonical and len(text) >= _WORTH_ENGINE:
            from simhash_doc.bulk.engine import count_text

            if count_text(text, counts):
                return
        prepared = prepare(text)
        found = token_counts(prepared) if self._tokenizer is None else [Counter(self._tokenizer(prepared))]
        for counter in found:
            for token in self._stop_tokens & counter.keys():
                del counter[token]
            counts.add({token.encode("utf-8"): count for token, count in counter.items()})
