"""Slices of a fingerprint: if fewer bits differ than there are slices, one slice at least is the same.

So the rows that share a slice with the query hold every match, and an index on each slice finds them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise

import numpy as np
import numpy.typing as npt

from simhash_doc.lookup.wide import WORD, Words, bit_field
from simhash_doc.store.documents import is_integer
from simhash_doc.store.errors import StoreParameterError

# A slice column holds the leading bits of its slice, 31 at most: a non-negative number in 4 bytes.
# Two slices that are equal have equal leading bits, so nothing is missed.
KEY_BITS = 31


@dataclass(frozen=True, slots=True)
class Slice:
    """The `width` bits from `start` on, bit 0 being the most significant."""

    start: int
    width: int

    @property
    def key_bits(self) -> int:
        return min(self.width, KEY_BITS)

    def sql(self, words: list[str]) -> str:
        """Return the key as an SQL expression over the words, signed 64-bit integers; all operators wrap or mask."""
        word, offset = divmod(self.start, WORD)
        over = offset + self.key_bits - WORD  # bits in the next word
        if over <= 0:
            return f"({words[word]} >> {-over}) & {(1 << self.key_bits) - 1}"
        upper = f"({words[word]} & {(1 << (WORD - offset)) - 1}) << {over}"
        return f"({upper}) | (({words[word + 1]} >> {WORD - over}) & {(1 << over) - 1})"

    def key(self, value: int, bits: int) -> int:
        """Return the key of a fingerprint of `bits` bits."""
        return value >> (bits - self.start - self.key_bits) & (1 << self.key_bits) - 1

    def keys(self, words: Words) -> npt.NDArray[np.int64]:
        """Return the keys of fingerprints, shape (n, words), most significant word first."""
        return bit_field(words, self.start, self.key_bits).astype(np.int64)


@lru_cache(maxsize=1024, typed=True)
def cut(bits: int, slices: int) -> tuple[Slice, ...]:
    """Return slices that cover all bits, the leading bits first, their widths equal or one apart.

    Raises:
        StoreParameterError: not 1 <= slices <= bits.
    """
    if not is_integer(slices) or not 1 <= slices <= bits:
        raise StoreParameterError(f"{slices!r} slices; a fingerprint of {bits} bits has 1 to {bits}")
    edges = [number * bits // slices for number in range(slices + 1)]
    return tuple(Slice(start, end - start) for start, end in pairwise(edges))


@lru_cache(maxsize=1024, typed=True)
def needed(bits: int, slices: int, distance: int) -> tuple[int, ...]:
    """Return the numbers of the slices that a query looks up: distance + 1 of them, the widest.

    Any distance + 1 slices will do, since each differing bit spoils one at most.

    Raises:
        StoreParameterError: not 0 <= distance < slices.
    """
    check_distance(slices, distance)
    every = cut(bits, slices)
    widest = sorted(range(slices), key=lambda number: (-every[number].key_bits, number))
    return tuple(sorted(widest[: distance + 1]))


def check_distance(slices: int, distance: int) -> None:
    """Refuse a distance that the slices cannot answer.

    Raises:
        StoreParameterError: not 0 <= distance < slices.
    """
    if not is_integer(distance) or distance < 0:
        raise StoreParameterError(f"distance is {distance!r}; it is a number of bits, 0 or more")
    if distance >= slices:
        raise StoreParameterError(
            f"distance {distance} needs a collection of at least {distance + 1} slices; this one has {slices}, "
            f"which answer up to distance {slices - 1}"
        )


def expected_candidates(documents: int, bits: int, slices: int, distance: int) -> float:
    """Return how many rows a query compares on average, if the fingerprints are uniform.

    >>> round(expected_candidates(1_000_000, 64, 4, 3))
    61
    """
    every = cut(bits, slices)
    return documents * sum(0.5 ** every[number].key_bits for number in needed(bits, slices, distance))


def to_words(value: int, words: int) -> tuple[int, ...]:
    """Return a fingerprint as signed 64-bit integers, most significant first.

    >>> to_words(2**64 - 1, 2)
    (0, -1)
    """
    if words == 1:
        return (value - (1 << WORD) if value >> (WORD - 1) else value,)
    half, whole = 1 << (WORD - 1), 1 << WORD
    parts = ((value >> (WORD * (words - 1 - number))) & (whole - 1) for number in range(words))
    return tuple(part - whole if part >= half else part for part in parts)


def from_words(words: tuple[int, ...]) -> int:
    """Return the fingerprint that `to_words` took apart."""
    value = 0
    for word in words:
        value = value << WORD | word & ((1 << WORD) - 1)
    return value


def word_array(rows: list[tuple[int, ...]], words: int) -> Words:
    """Return signed words, n rows of them, as an array of shape (n, words), uint64."""
    return np.array(rows, np.int64).reshape(len(rows), words).view(np.uint64)


def integer_table(rows: Iterable[Iterable[int]], columns: int) -> npt.NDArray[np.int64]:
    """Return rows of integers, n of them, as an array of shape (n, columns)."""
    # Number by number: an array made of a list of rows takes ten times as long.
    return np.fromiter(chain.from_iterable(rows), np.int64).reshape(-1, columns)
