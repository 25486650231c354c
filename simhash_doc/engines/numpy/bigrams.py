"""Tokens of scripts without spaces, and their hashes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.bit_sums import WeightedTokens
from simhash_doc.engines.numpy.fold import ALPHABETIC, CODE_POINT, CONTINUA, CodePoints
from simhash_doc.engines.xxh64 import xxh64_of_short

_SCALAR = np.uint64(21)  # bits of a code point
_LOW = np.uint64((1 << 21) - 1)


class Bigrams(NamedTuple):
    """Distinct bigrams, and stretches of one character, of documents. All arrays have the shape (n,).

    Attributes:
        documents: number of the document, ascending.
        packed: UTF-8 as a little-endian integer.
        lengths: bytes, at most 8.
        occurrences: how often the bigram occurs in the document.
    """

    documents: npt.NDArray[np.intp]
    packed: npt.NDArray[np.uint64]
    lengths: npt.NDArray[np.uint8]
    occurrences: npt.NDArray[np.int64]

    def weighted(self, lanes: int) -> WeightedTokens:
        """Return the bigrams with their hashes."""
        hashes = xxh64_of_short(self.packed, np.arange(len(self.packed)), self.lengths, lanes)
        return WeightedTokens(self.documents, hashes, self.occurrences)


def count_bigrams(folded: CodePoints, borders: npt.NDArray[np.intp], first: int) -> Bigrams:
    """Return the distinct bigrams, and stretches of one, of joined texts (SD-SPLIT-2, SD-SPLIT-3).

    Args:
        folded: the texts with flags, joined by a character that is not scriptio continua.
        borders: the positions of these characters.
        first: number of the first document; that of the last is less than 2^22.
    """
    continua = folded & CONTINUA != 0
    padded = np.concatenate(([False], continua, [False]))
    after = continua & padded[2:]
    firsts = np.flatnonzero(after)
    alone = np.flatnonzero(continua & ~after & ~padded[:-2])
    alphabetic = folded & ALPHABETIC != 0
    firsts = firsts[alphabetic[firsts] | alphabetic[firsts + 1]]
    alone = alone[alphabetic[alone]]
    characters = (folded & CODE_POINT).astype(np.uint64)
    keys = np.concatenate((characters[firsts] << _SCALAR | characters[firsts + 1], characters[alone]))
    # The document is the highest part of the key, so one sort finds the distinct tokens of all documents.
    documents = np.concatenate((_borders_before(firsts, borders), _borders_before(alone, borders)))
    keys |= (documents + np.uint64(first)) << np.uint64(42)
    keys.sort()
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))) if len(keys) else np.zeros(0, np.intp)
    occurrences = np.diff(np.append(starts, len(keys)))
    keys = keys[starts]
    packed, lengths = _utf8(keys >> _SCALAR & _LOW, keys & _LOW)
    return Bigrams((keys >> np.uint64(42)).astype(np.intp), packed, lengths.astype(np.uint8), occurrences)


def _borders_before(places: npt.NDArray[np.intp], borders: npt.NDArray[np.intp]) -> npt.NDArray[np.uint64]:
    """Return the number of borders before each place; the places are ascending."""
    edges = np.concatenate(([0], np.searchsorted(places, borders), [len(places)]))
    return np.repeat(np.arange(len(borders) + 1, dtype=np.uint64), np.diff(edges))


def _utf8(
    first: npt.NDArray[np.uint64], second: npt.NDArray[np.uint64]
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Return the UTF-8 of pairs of characters as little-endian integers, and the lengths; a first of 0 is none."""
    head, head_length = _one_utf8(first)
    tail, tail_length = _one_utf8(second)
    head_length[first == 0] = 0
    return head | tail << head_length * np.uint64(8), head_length + tail_length


def _one_utf8(character: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    # Characters of scriptio continua are all at or above U+0800.
    u = np.uint64
    low, middle, high = (character >> u(6 * i) & u(0x3F) for i in range(3))
    behind_lead = (u(0x80) | middle) << u(8) | (u(0x80) | low) << u(16)
    three = u(0xE0) | character >> u(12) | behind_lead
    four = u(0xF0) | character >> u(18) | (u(0x80) | high) << u(8) | behind_lead << u(8)
    is_four = character >= u(0x10000)
    three[character == 0] = 0
    return np.where(is_four, four, three), np.where(is_four, u(4), u(3))
