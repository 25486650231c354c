from collections.abc import Iterable
from typing import Any, final

SPECIFICATION: str
"""The version of the specification."""
DATA_DIGEST: str
"""SHA-256 of the specification's list of digests of its Unicode data."""

# Text is bytes in UTF-8, or str without lone surrogates. The number of lanes is 1, 2, 4 or 8.

_Measured = tuple[int, int, int, int, int, tuple[int, ...]]
"""The value, tokens, distinct tokens, weight, squares, and sums of `simhash_doc.engines.base.Measurement`."""

def fingerprint(text: str | bytes, lanes: int) -> int | None:
    """Return the fingerprint of a text as an integer, lane 0 the most significant; None if it has no token."""

def measure(text: str | bytes, lanes: int) -> _Measured:
    """Return the fingerprint of a text with its counts and sums."""

def measure_batch(data: Any, bounds: Any, lanes: int) -> tuple[bytearray, bytearray]:
    """Return the values and the statistics of documents, without the global interpreter lock.

    Args:
        data: an object with a buffer of bytes, which nobody may change meanwhile.
        bounds: int64, shape (n + 1,), ascending: document i is `data[bounds[i]:bounds[i + 1]]`.

    Returns:
        uint64, shape (n, lanes), and int64, shape (n, 3), in native byte order: see
        `simhash_doc.engines.base.Measurements`.

    Raises:
        ValueError: the bounds are not ascending, or are outside of the data.
        BufferError: an array has another type.
    """

@final
class TokenCounter:
    """The tokens of a text that arrives in pieces. It can be pickled."""

    def feed(self, data: bytes) -> None:
        """Add the next bytes of the text. If a signal interrupts it, a part of them has been added."""

    def merge(self, other: TokenCounter) -> None:
        """Add the tokens of another counter, which may be this one."""

    def add(self, total: int, items: Iterable[tuple[bytes, int]]) -> None:
        """Add distinct tokens with their counts, which stand for `total` occurrences.

        Raises:
            ValueError: a token is empty or has a zero byte, or a count is 0.
        """

    def copy(self) -> TokenCounter:
        """Return an independent counter of the same text so far."""

    def tokens(self) -> tuple[int, list[tuple[bytes, int]]]:
        """Return the occurrences of tokens, and the distinct tokens with their counts, of the text so far."""

    def measure(self, lanes: int) -> _Measured:
        """Return the result of `measure` for the text so far."""
