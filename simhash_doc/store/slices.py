"""Slices of a fingerprint: if fewer bits differ than there are slices, at least one slice is equal.

So the rows that share a slice with the query include every match, and an index on each slice
finds them. The slices are the blocks of `simhash_doc.lookup`, counted from the most significant
bit: with one block more than the distance, each block is a table's key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.lanes import LANE_BITS, LANE_MASK, Lanes, bit_field
from simhash_doc.lookup import blocks, costs
from simhash_doc.store.documents import is_integer
from simhash_doc.store.errors import CorruptStoreError, StoreParameterError

# A slice column holds the leading bits of its slice, 31 at most: a non-negative number in 4 bytes.
# Two slices that are equal have equal leading bits, so no match is missed.
KEY_BITS = 31


@dataclass(frozen=True, slots=True)
class Slice:
    """The `width` bits from `start` on, bit 0 being the most significant."""

    start: int
    width: int

    @property
    def key_bits(self) -> int:
        return min(self.width, KEY_BITS)

    def sql(self, lanes: list[str]) -> str:
        """Return the key as an SQL expression over the lanes, signed 64-bit integers; all operators wrap or mask."""
        lane, offset = divmod(self.start, LANE_BITS)
        over = offset + self.key_bits - LANE_BITS  # bits in the next lane
        if over <= 0:
            return f"({lanes[lane]} >> {-over}) & {(1 << self.key_bits) - 1}"
        upper = f"({lanes[lane]} & {(1 << (LANE_BITS - offset)) - 1}) << {over}"
        return f"({upper}) | (({lanes[lane + 1]} >> {LANE_BITS - over}) & {(1 << over) - 1})"

    def key(self, value: int, bits: int) -> int:
        """Return the key of a fingerprint of `bits` bits."""
        return value >> (bits - self.start - self.key_bits) & (1 << self.key_bits) - 1

    def keys(self, rows: Lanes) -> npt.NDArray[np.int64]:
        """Return the keys of fingerprints, shape (n, lanes), most significant lane first."""
        return bit_field(rows, self.start, self.key_bits).astype(np.int64)


@lru_cache(maxsize=1024, typed=True)
def cut(bits: int, slices: int) -> tuple[Slice, ...]:
    """Return slices that cover all bits, the leading bits first; their widths are equal or differ by one.

    Raises:
        StoreParameterError: not 1 <= slices <= bits.
    """
    if not is_integer(slices) or not 1 <= slices <= bits:
        raise StoreParameterError(f"slices is {slices!r}; expected 1 to {bits} for a fingerprint of {bits} bits")
    return tuple(Slice(block.low, block.width) for block in blocks.cut(bits, slices))


@lru_cache(maxsize=1024, typed=True)
def needed(bits: int, slices: int, distance: int) -> tuple[int, ...]:
    """Return the numbers of the slices that a query searches: distance + 1 of them, the widest.

    Any distance + 1 slices will do, since each differing bit changes one at most.

    Raises:
        StoreParameterError: not 0 <= distance < slices.
    """
    check_distance(slices, distance)
    every = cut(bits, slices)
    widest = sorted(range(slices), key=lambda number: (-every[number].key_bits, number))
    return tuple(sorted(widest[: distance + 1]))


def check_distance(slices: int, distance: int) -> None:
    """Reject a distance that is too large for the slices.

    Raises:
        StoreParameterError: not 0 <= distance < slices.
    """
    if not is_integer(distance) or distance < 0:
        raise StoreParameterError(f"distance is {distance!r}; expected 0 bits or more")
    if distance >= slices:
        raise StoreParameterError(
            f"distance {distance} needs a collection of at least {distance + 1} slices; this one has {slices}, "
            f"for queries up to distance {slices - 1}"
        )


def expected_candidates(documents: int, bits: int, slices: int, distance: int) -> float:
    """Return how many rows a query compares on average, if the fingerprints are uniform.

    >>> round(expected_candidates(1_000_000, 64, 4, 3))
    61
    """
    every = cut(bits, slices)
    widths = Counter(every[number].key_bits for number in needed(bits, slices, distance))
    return costs.expected_candidates(documents, widths)


def to_signed_lanes(value: int, lanes: int) -> tuple[int, ...]:
    """Return a fingerprint as signed 64-bit integers, most significant first, as a database holds them.

    >>> to_signed_lanes(2**64 - 1, 2)
    (0, -1)
    """
    half, full = 1 << (LANE_BITS - 1), 1 << LANE_BITS
    if lanes == 1:
        return (value - full if value >= half else value,)
    parts = ((value >> (LANE_BITS * (lanes - 1 - number))) & LANE_MASK for number in range(lanes))
    return tuple(part - full if part >= half else part for part in parts)


def from_signed_lanes(lanes: tuple[int, ...]) -> int:
    """Return the fingerprint that `to_signed_lanes` split."""
    value = 0
    for lane in lanes:
        value = value << LANE_BITS | lane & LANE_MASK
    return value


def integer_table(rows: Iterable[Iterable[int]], columns: int) -> npt.NDArray[np.int64]:
    """Return n rows of integers as an array of shape (n, columns).

    Raises:
        CorruptStoreError: a value is not an integer.
    """
    try:
        # Number by number: creating an array from a list of rows takes ten times as long.
        return np.fromiter(chain.from_iterable(rows), np.int64).reshape(-1, columns)
    except (TypeError, ValueError, OverflowError) as error:
        raise CorruptStoreError(f"a column of integers holds another type: {error}") from error
