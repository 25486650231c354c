"""Fingerprints of texts that arrive in pieces or from several workers."""

from __future__ import annotations

from typing import Self

from simhash_doc.arguments import Many, Tokenizer, exact, function, texts
from simhash_doc.engines.base import LARGE_DOCUMENT, Measurement, TokenCounter, utf8
from simhash_doc.engines.select import select_engine
from simhash_doc.errors import NoTokenError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.schemes import AnyScheme, get_scheme

_NAMES: dict[type | None, str] = {str: "text", bytes: "bytes"}


class Accumulator:
    """Fingerprint of a text that arrives in pieces (spec, section 2: the order of tokens does not matter).

    The fingerprint does not depend on where the pieces end. Memory grows with the number of distinct tokens, and with
    the longest part that cannot be cut: a word, or text that may be a link. Up to 256 KiB of text are also kept.

    Only one thread at a time may use an accumulator. With the compiled core, a call while another thread's call runs
    raises RuntimeError (`Already borrowed` or `Already mutably borrowed`).

    Args:
        scheme: a short id, for example ``sd64``, or a `Scheme`.
        tokenizer: called once with the link-free text (folded, links removed) instead of steps 3 to 5, so the
            complete text is kept until then; the result is not canonical (spec, section 11).
        stop_tokens: tokens to leave out, in the form that the tokens of a text have, for example ``the`` and not
            ``The``; the result is not canonical if there are any.

    Attributes:
        scheme: the `Scheme`.
        canonical: False if there is a tokenizer or a stop token.

    Raises:
        UnknownSchemeError: the registry has no such scheme.
        TypeError: the stop tokens are one str, or one of them is not a str; or the tokenizer is not a function.
        ValueError: without a tokenizer, a stop token is not a token, for example ``The`` or ``don't``.

    >>> accumulator = Accumulator()
    >>> for chunk in ("The quick br", "own fox"):
    ...     accumulator.update(chunk)
    >>> str(accumulator.fingerprint())
    'sd64:larqgiqsckcca'
    """

    def __init__(
        self, scheme: AnyScheme = "sd64", *, tokenizer: Tokenizer | None = None, stop_tokens: Many[str] = ()
    ) -> None:
        self.scheme = get_scheme(scheme)
        if tokenizer is not None:
            function(tokenizer, "tokenizer")
        self._tokenizer = tokenizer
        self._stop_tokens = frozenset(texts(stop_tokens, "stop_tokens", "tokens"))
        self.canonical = tokenizer is None and not self._stop_tokens
        self._given: type | None = None
        self._size = 0
        self._kept = bytearray()
        # None while the text is only kept, up to LARGE_DOCUMENT: engines measure it faster when it is complete.
        self._counter: TokenCounter | None = None
        if not self.canonical:
            from simhash_doc.engines.python import custom_token_counter  # only this engine runs them

            self._counter = custom_token_counter(tokenizer, self._stop_tokens)
        self._measured: Measurement | None = None

    def update(self, chunk: str | bytes) -> None:
        """Add the next piece of the text: a str, or UTF-8 bytes, which may end inside a character.

        Raises:
            TypeError: the chunk is neither, or text follows bytes or bytes follow text.

        >>> accumulator = Accumulator()
        >>> accumulator.update("žluť".encode()[:1])
        >>> accumulator.update("žluť".encode()[1:])
        >>> accumulator.measure().tokens
        1
        """
        chunk = exact(chunk, "the chunk")
        kind = bytes if isinstance(chunk, bytes) else str
        if self._given not in (None, kind):
            raise TypeError(f"{_NAMES[kind]} after {_NAMES[self._given]}: use only one of the two types")
        self._given = kind if chunk else self._given
        data = utf8(chunk) if isinstance(chunk, str) else chunk
        self._size += len(data)
        self._measured = None
        if self._counter is None and self._size <= LARGE_DOCUMENT:
            self._kept += data
        else:
            self._started(self._size).feed(data)

    def merge(self, other: Accumulator) -> None:
        """Add the text of another accumulator as a separate text. The other accumulator does not change.

        Raises:
            ValueError: the other has a different scheme, tokenizer or stop list.

        >>> first, second = Accumulator(), Accumulator()
        >>> first.update("The quick")
        >>> second.update("brown fox")
        >>> first.merge(second)
        >>> str(first.fingerprint())
        'sd64:larqgiqsckcca'
        """
        if not isinstance(other, Accumulator):
            raise TypeError(f"the other is {type(other).__name__}; expected an Accumulator")
        mine = (self.scheme, self._tokenizer, self._stop_tokens)
        if mine != (other.scheme, other._tokenizer, other._stop_tokens):
            raise ValueError("accumulators can be merged only if they have the same scheme, tokenizer and stop list")
        size = self._size + other._size
        self._started(size).merge(other.copy()._started(size) if other._counter is None else other._counter)
        self._measured = None

    def __repr__(self) -> str:
        return f"<Accumulator of {self.scheme}: {self._size:,} bytes of text>"

    def copy(self) -> Self:
        """Return an independent accumulator of the same text so far; it shares only the tokenizer.

        `copy.copy` and `copy.deepcopy` do the same. Accumulators can be pickled if their tokenizer can.

        >>> accumulator = Accumulator()
        >>> accumulator.update("The quick brown")
        >>> longer = accumulator.copy()
        >>> longer.update(" fox")
        >>> accumulator.measure().tokens, longer.measure().tokens
        (3, 4)
        """
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._kept = self._kept.copy()
        twin._counter = self._counter.copy() if self._counter else None
        return twin

    __copy__ = copy

    def __deepcopy__(self, _: dict[int, object]) -> Self:
        return self.copy()

    def measure(self) -> Measurement:
        """Return the fingerprint of the text so far as an integer, with its numbers of tokens and its sums.

        >>> accumulator = Accumulator()
        >>> accumulator.update("to be or not to be")
        >>> measured = accumulator.measure()
        >>> measured.tokens, measured.distinct_tokens, len(measured.sums)
        (6, 4, 64)
        """
        if self._measured is None:
            lanes = self.scheme.lanes
            if self._counter is None:
                self._measured = select_engine(self._size).measure(bytes(self._kept), lanes)
            else:
                self._measured = self._counter.measure(lanes)
        return self._measured

    def buckets(self) -> list[int]:
        """Return the 64 signed 8-bit buckets of each lane, in [-127, 127] (SD-BUCKET-1).

        Raises:
            NoTokenError: there is no token so far.

        >>> accumulator = Accumulator()
        >>> accumulator.update("The quick brown fox")
        >>> accumulator.buckets()[:4]
        [-4, 0, 0, 0]
        """
        from simhash_doc.reference import to_buckets

        return to_buckets(self._measure_tokens().sums)

    def fingerprint(self) -> Fingerprint:
        """Return the fingerprint of the text so far. `update` can be called again afterwards.

        Raises:
            NoTokenError: there is no token so far.

        >>> accumulator = Accumulator("sd128")
        >>> accumulator.update("The quick brown fox")
        >>> str(accumulator.fingerprint().narrow("sd64"))
        'sd64:larqgiqsckcca'
        """
        return Fingerprint(self._measure_tokens().value, self.scheme, canonical=self.canonical)

    def _measure_tokens(self) -> Measurement:
        measured = self.measure()
        if not measured.distinct_tokens:
            raise NoTokenError
        return measured

    def _started(self, size: int) -> TokenCounter:
        """Return the counter; the first call creates it, for a text of `size` bytes."""
        if self._counter is None:
            self._counter = select_engine(size).token_counter()
            self._counter.feed(bytes(self._kept))
            self._kept = bytearray()
        return self._counter
