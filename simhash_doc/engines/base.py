"""The interface of the engines: the pipeline for one text, for a batch of texts, and for a text in pieces.

Engines exchange text as UTF-8.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from simhash_doc.schemes import LANE_BITS
from simhash_doc.unicode_data import REPLACEMENT

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

AnyText = str | bytes

LARGE_DOCUMENT = 1 << 18  # bytes or characters; engines count a longer document piece by piece, to bound memory


class Measurement(NamedTuple):
    """The fingerprint of one text, with its numbers of tokens and its sums.

    Attributes:
        value: the fingerprint as an integer, lane 0 the most significant (SD-SIGN-1, SD-WIDE-3); 0 without a token.
        tokens: occurrences of tokens.
        distinct_tokens: distinct tokens.
        weight: sum of the capped counts of the distinct tokens (SD-CAP-1).
        squares: sum of the squares of their capped counts.
        sums: exact sums of the bits, 64 per lane, bit 0 of lane 0 first (SD-SUM-1, SD-WIDE-2).

    >>> from simhash_doc import Accumulator
    >>> accumulator = Accumulator()
    >>> accumulator.update("to be or not to be")
    >>> measured = accumulator.measure()
    >>> measured.tokens, measured.distinct_tokens, measured.weight, measured.squares, measured.support
    (6, 4, 6, 10, 3.6)
    """

    value: int
    tokens: int
    distinct_tokens: int
    weight: int
    squares: int
    sums: tuple[int, ...]

    @property
    def support(self) -> float:
        """Effective number of tokens: (sum of capped counts)^2 / sum of their squares; 0 if there is no token.

        If all counts are equal, it is the number of distinct tokens. In a short text, one repeated word can outweigh
        the others, so unrelated texts can be near. If the support is under 15, compare the texts (docs/search.md).
        """
        return self.weight * self.weight / self.squares if self.squares else 0.0


def measurement_of_sums(tokens: int, statistics: Sequence[int], sums: Sequence[int]) -> Measurement:
    """Return the measurement with the signs of the sums as its value, given a row of `Measurements.statistics`."""
    value = 0
    for start in range(0, len(sums), LANE_BITS):
        lane = sums[start : start + LANE_BITS]
        value = value << LANE_BITS | int("".join("1" if one > 0 else "0" for one in reversed(lane)), 2)
    distinct_tokens, weight, squares = statistics
    return Measurement(value, tokens, distinct_tokens, weight, squares, tuple(sums))


@dataclass(frozen=True, slots=True, eq=False)
class Measurements:
    """The fingerprints of n texts, and what they rest on, in the order of the texts.

    Attributes:
        values: shape (n, lanes), uint64; lane j is the one hashed with seed j. 0 where there is no fingerprint.
        statistics: shape (n, 3), int64; distinct tokens, sum of their capped counts (SD-CAP-1), sum of the squares of
            these counts. 0 where a text has no token, or is missing.
    """

    values: npt.NDArray[np.uint64]
    statistics: npt.NDArray[np.int64]

    @classmethod
    def empty(cls, texts: int, lanes: int) -> Measurements:
        """Return the result for texts without a token."""
        import numpy as np

        return cls(np.zeros((texts, lanes), np.uint64), np.zeros((texts, 3), np.int64))

    def __len__(self) -> int:
        return len(self.values)

    @property
    def missing(self) -> npt.NDArray[np.bool_]:
        """Shape (n,); True where there is no fingerprint."""
        missing: npt.NDArray[np.bool_] = self.statistics[:, 0] == 0
        return missing

    @property
    def distinct_tokens(self) -> npt.NDArray[np.int64]:
        """Shape (n,); distinct tokens of each text."""
        return self.statistics[:, 0]

    @property
    def weight(self) -> npt.NDArray[np.int64]:
        """Shape (n,); sum of the capped counts of each text (SD-CAP-1)."""
        return self.statistics[:, 1]

    @property
    def support(self) -> npt.NDArray[np.float64]:
        """Shape (n,); the effective number of tokens of each text (see `Measurement`)."""
        import numpy as np

        weight, squares = self.weight.astype(np.float64), self.statistics[:, 2]
        support: npt.NDArray[np.float64] = weight * weight / np.maximum(squares, 1)
        return support

    def put(self, at: int, value: int, statistics: Sequence[int]) -> None:
        """Set the fingerprint, as an integer, and the statistics of one text that has a token."""
        from simhash_doc.arrays import lanes_from_ints

        self.values[at], self.statistics[at] = lanes_from_ints([value], self.values.shape[1])[0], statistics

    def put_measured(self, at: int, measured: Measurement) -> None:
        """Set the result of one text."""
        if measured.distinct_tokens:
            self.put(at, measured.value, (measured.distinct_tokens, measured.weight, measured.squares))


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
        """Return the result for the text so far. `feed` can be called again afterwards."""


class Engine(Protocol):
    """An implementation of the pipeline. All engines give the results of `simhash_doc.reference`."""

    @property
    def name(self) -> str:
        """`python`, `numpy` or `native`."""

    def fingerprint(self, text: AnyText, lanes: int) -> int | None:
        """Return the fingerprint of a text as an integer, lane 0 the most significant; None if there is no token."""

    def measure(self, text: AnyText, lanes: int) -> Measurement:
        """Return the fingerprint of a text with its counts and sums."""

    def measure_batch(self, texts: Sequence[AnyText | None], lanes: int) -> Measurements:
        """Return the fingerprints of documents; None stands for a document that is missing.

        Raises:
            TypeError: a document is neither str, bytes nor None.
        """

    def token_counter(self) -> TokenCounter:
        """Return a counter of the tokens of a text that arrives in pieces."""


SURROGATE = re.compile("[\ud800-\udfff]")


def utf8(text: str) -> bytes:
    """Return a text as UTF-8, each lone surrogate as U+FFFD (SD-INPUT-3)."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return SURROGATE.sub(REPLACEMENT, text).encode("utf-8")
