"""The interface of the engines: the pipeline for one text, for a batch of texts, and for a text in pieces.

Engines exchange text as UTF-8.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from simhash_doc.unicode_data import REPLACEMENT

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Text = str | bytes

LANE_BITS = 64
LARGE_DOCUMENT = 1 << 18  # bytes or characters; engines count a longer document piece by piece, to bound memory


class TokenStatistics(NamedTuple):
    """How many tokens a text has, and how evenly.

    Attributes:
        distinct: distinct tokens.
        weight: sum of their capped counts (SD-CAP-1).
        squares: sum of the squares of their capped counts.
    """

    distinct: int
    weight: int
    squares: int


class Measurement(NamedTuple):
    """The counts and sums of one text.

    Attributes:
        total: occurrences of tokens.
        tokens: the statistics of the tokens.
        sums: exact sums of the bits, 64 per lane, bit 0 of lane 0 first (SD-SUM-1, SD-WIDE-2).
        value: the fingerprint as an integer, lane 0 the most significant (SD-SIGN-1, SD-WIDE-3).
    """

    total: int
    tokens: TokenStatistics
    sums: list[int]
    value: int

    @classmethod
    def of_sums(cls, total: int, tokens: TokenStatistics, sums: list[int]) -> Measurement:
        """Return the measurement with the signs of the sums as its value."""
        value = 0
        for start in range(0, len(sums), LANE_BITS):
            lane = sums[start : start + LANE_BITS]
            value = value << LANE_BITS | int("".join("1" if one > 0 else "0" for one in reversed(lane)), 2)
        return cls(total, tokens, sums, value)


class Counts(NamedTuple):
    """The tokens of a text.

    Attributes:
        total: occurrences.
        distinct: distinct tokens.
        support: effective number of tokens: (sum of capped counts)^2 / sum of their squares. In a text of few words
            one word that is repeated outweighs the others, and brings unrelated texts near it.
    """

    total: int
    distinct: int
    support: float


class FingerprintBatch(NamedTuple):
    """The fingerprints of several documents.

    Attributes:
        lanes: shape (n, lanes); lane j is the one hashed with seed j. 0 where there is no fingerprint.
        tokens: shape (n, 3), the members of `TokenStatistics`; 0 where the document has no token, or is None.
    """

    lanes: npt.NDArray[np.uint64]
    tokens: npt.NDArray[np.int64]

    @classmethod
    def empty(cls, documents: int, lanes: int) -> FingerprintBatch:
        """Return the result for documents without a token."""
        import numpy as np

        return cls(np.zeros((documents, lanes), np.uint64), np.zeros((documents, 3), np.int64))

    @property
    def missing(self) -> npt.NDArray[np.bool_]:
        """Shape (n,); True where there is no fingerprint."""
        missing: npt.NDArray[np.bool_] = self.tokens[:, 0] == 0
        return missing

    def put(self, at: int, value: int, tokens: TokenStatistics) -> None:
        """Set the fingerprint, as an integer, and the statistics of one document that has a token."""
        from simhash_doc.arrays import lanes_from_ints

        self.lanes[at], self.tokens[at] = lanes_from_ints([value], self.lanes.shape[1])[0], tokens

    def put_measured(self, at: int, measured: Measurement) -> None:
        """Set the result of one document."""
        if measured.total:
            self.put(at, measured.value, measured.tokens)


class Multiset(Protocol):
    """Distinct tokens with their capped counts (SD-CAP-1)."""

    @property
    def total(self) -> int:
        """Occurrences of tokens, not capped."""

    def items(self) -> Iterator[tuple[bytes, int]]:
        """Yield each distinct token's UTF-8 bytes and its capped count."""


class TokenCounter(Protocol):
    """The tokens of one text that arrives in pieces.

    Memory grows with the distinct tokens, and with the longest stretch that cannot be cut.
    """

    def feed(self, data: bytes) -> None:
        """Add the next bytes of the text, in UTF-8. They may end inside a character."""

    def merge(self, other: TokenCounter) -> None:
        """Add the tokens of another counter as those of a separate text. The other counter does not change."""

    def copy(self) -> TokenCounter:
        """Return an independent counter of the same text so far."""

    def tokens(self) -> Multiset:
        """Return the tokens so far, including those at the end of the text. Valid until the next call of `feed`."""

    def measure(self, lanes: int) -> Measurement:
        """Return the counts and sums of the text so far. `feed` can be called again afterwards."""


class Engine(Protocol):
    """An implementation of the pipeline. All engines give the results of `simhash_doc.reference`."""

    @property
    def name(self) -> str:
        """`python`, `numpy` or `numba`."""

    def fingerprint(self, text: Text, lanes: int) -> int | None:
        """Return the fingerprint of a text as an integer, lane 0 the most significant; None if there is no token."""

    def measure(self, text: Text, lanes: int) -> Measurement:
        """Return the counts and sums of a text."""

    def fingerprint_batch(self, texts: Sequence[Text | None], lanes: int) -> FingerprintBatch:
        """Return the fingerprints of documents; None stands for a document that is missing.

        Raises:
            TypeError: a document is neither str, bytes nor None.
        """

    def token_counter(self) -> TokenCounter:
        """Return a counter of the tokens of a text that arrives in pieces."""


SURROGATE = re.compile("[\ud800-\udfff]")


def encode(text: str) -> bytes:
    """Return a text as UTF-8, each lone surrogate as U+FFFD (SD-INPUT-3)."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return SURROGATE.sub(REPLACEMENT, text).encode("utf-8")


def exact(text: object, what: str = "the text") -> str | bytes:
    """Return a text as str or bytes itself: a subclass may report another length or content from call to call.

    Raises:
        TypeError: it is neither; the message begins with `what`.
    """
    if type(text) is str or type(text) is bytes:
        return text
    if not isinstance(text, str | bytes):
        raise TypeError(f"{what} is {type(text).__name__}; expected str or bytes")
    return str.__str__(text) if isinstance(text, str) else memoryview(text).tobytes()
