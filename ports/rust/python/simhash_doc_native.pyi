from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol, final

INTERFACE: int
"""Raised whenever a function changes: the package uses one interface."""
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

def nearest(rows: Any, queries: Any, k: int) -> tuple[bytearray, bytearray]:
    """Return the k nearest rows to each query, by comparing all, without the global interpreter lock.

    Args:
        rows: uint8, shape (n, width): signatures, which nobody may change meanwhile.
        queries: the same, shape (q, width).
        k: number of answers, at most n.

    Returns:
        The positions of the rows and their distances in bits, int64, shape (q, k): nearest first, equal distances by
        position.

    Raises:
        ValueError: an array has another shape, or is not contiguous; or k is larger.
        BufferError: an array has another type.
    """

def search_slice_lists(
    signatures: Any, starts: Any, members: Any, queries: Any, k: int, max_error: int, candidates: int
) -> tuple[bytearray, bytearray]:
    """Return about the k nearest signatures to each query, found in slice lists, without the global interpreter lock.

    Args:
        signatures: uint8, shape (n, width), the width even.
        starts: uint32, shape (slices, 2^16 + 1): where the list of each value begins in the members of a slice.
        members: uint32, shape (slices, n): the positions of the signatures of each list.
        queries: uint8, shape (q, width).
        k: number of answers, at most n.
        max_error: bits by which the slice of a list that is read may differ, at most 7.
        candidates: how many of the best scores are compared.

    Returns:
        As `nearest`, with -1 in place of missing answers.

    Raises:
        ValueError: as `nearest`; or a list names a signature that does not exist.
        BufferError: an array has another type.
    """

@final
class BucketField(Protocol):
    """The bits of a lane that number the buckets: see `simhash_doc.lookup.bucket_join.BucketField`."""

    @property
    def lane(self) -> int: ...
    @property
    def low(self) -> int: ...
    @property
    def bits(self) -> int: ...

class LaneTable(Protocol):
    """A table of one lane: see `simhash_doc.lookup.bucket_join.LaneTable`."""

    @property
    def key(self) -> int: ...
    @property
    def skipped(self) -> list[int]: ...

# Arrays are objects with a contiguous buffer of uint64. All functions release the global interpreter lock.

def count_buckets(rows: Any, field: BucketField, counts: Any) -> None:
    """Add the number of fingerprints of each bucket to `counts`, shape (2^bits,).

    Args:
        rows: shape (n, lanes).

    Raises:
        ValueError: an array has another shape, the bits are not those of a lane, or the arrays share memory.
    """

def fill_buckets(rows: Any, field: BucketField, first: int, places: Any, out: Any) -> None:
    """Write the fingerprints of the buckets first, first + 1, ... to `out`.

    Args:
        rows: shape (n, lanes).
        places: where the next fingerprint of each bucket goes, shape (buckets,); advanced.
        out: shape (m, lanes); other threads may write to other places.

    Raises:
        ValueError: a place is outside of `out`; or as in `count_buckets`.
    """

@final
class BucketPairs:
    """Both sides of the pairs in buckets that one of the tables is the first to find, each pair once, piece by piece.

    The sides of a piece are uint64, each of shape (pairs, lanes), in native byte order. A piece has at least one pair.

    Args:
        rows: shape (n, lanes), in the order of the buckets.
        edges: where the first bucket begins, and where each ends.
        tables: those of the lane of the field.
        limits: the largest distance in each lane that is searched.
        distance: the largest distance in all lanes.
        copies: yield each fingerprint that occurs more than once as a pair with itself, too.
        connect: of many pairs of fingerprints with one key, yield only some, which connect what all of them connect.
        piece: the number of pairs of a piece; and more, as one fingerprint may have so many, or the copies of a bucket.

    Raises:
        ValueError: an array has another shape, the edges descend or are outside of the rows, the lane of the field is
            not one of those that are searched, or a bucket has over 2^32 - 1 fingerprints.
    """

    def __new__(
        cls,
        rows: Any,
        edges: list[int],
        field: BucketField,
        tables: Sequence[LaneTable],
        limits: list[int],
        distance: int,
        copies: bool,
        connect: bool,
        piece: int,
    ) -> BucketPairs: ...
    def __iter__(self) -> Iterator[tuple[bytearray, bytearray]]: ...
    def __next__(self) -> tuple[bytearray, bytearray]: ...

_Lists = tuple[Any, Any, Any]
"""A list of integers from 0 on for each text: all integers (int32), and where each list begins and its size (int64)."""

def assign_similar(
    fingerprints: Any,
    tokens: _Lists,
    is_first: Any,
    numbers: _Lists | None,
    protected: Any,
    distance: int,
    least: float,
) -> tuple[bytearray, bytearray]:
    """Assign each text to the first kept text that is near, is similar, and has its numbers.

    Args:
        fingerprints: of texts in the order of preference, shape (n, lanes).
        tokens: those of each text, ascending; the fewer texts have a token, the lower it is.
        is_first: uint8, whether a token is the first of those that one word counts for.
        numbers: those of each text, in its order; None if they do not count.
        protected: uint8, shape (n,): whether a text is kept in any case.
        distance: most bits in which the fingerprints differ.
        least: least share of common tokens, and of common distinct ones; over 0, at most 1.

    Returns:
        The position of the text that each is left out for, or its own, int64; and the share of common tokens, float64.

    Raises:
        ValueError: an array has another shape, an integer is outside of its range, or the share is.
        BufferError: an array has another type.
    """

class TokenNumbers:
    """Integers for the tokens of texts: from 0 on, in the order in which they come.

    A token that counts c times in a text is c different integers. A text that has it d times shares the least of both.
    Where memory is short, `numbers` raises `MemoryError`, and the object is of no more use.
    """

    def numbers(self, text: str | bytes) -> bytearray:
        """Return the integers of the tokens of a text, int32, in any order."""

    def is_first(self) -> bytearray:
        """Return whether each integer is the first of a token, uint8."""

class TokenCounter:
    """The tokens of a text that arrives in pieces. It can be pickled.

    Memory, and the state that is pickled, grow with the distinct tokens, and with the longest word.

    One thread at a time may use it. Another one that calls it meanwhile gets `RuntimeError: Already borrowed` or
    `Already mutably borrowed`, and nothing changes.

    Where memory is short, every method raises `MemoryError`. If that was `feed`, `merge` or `add`, the counter may have
    a part of the tokens: from then on, each use raises `RuntimeError`.
    """

    def feed(self, data: bytes) -> None:
        """Add the next bytes of the text.

        If the handler of a signal raises an exception (Ctrl-C), a part of them has been added, from the first one on,
        each once. The others have not, and nothing tells how many these are.
        """

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
