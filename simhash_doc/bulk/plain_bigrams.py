"""Tokens of scripts without spaces, and their hashes, with numpy alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simhash_doc.bulk.plain_fold import CodePoints
from simhash_doc.bulk.tables import ALPHABETIC, CONTINUA, WORD

_P1, _P2, _P3, _P4, _P5 = (
    np.uint64(prime)
    for prime in (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
)
_SCALAR = np.uint64(21)  # bits of a code point
_LOW = np.uint64((1 << 21) - 1)


class Weighed(NamedTuple):
    """Distinct tokens of documents."""

    documents: npt.NDArray[np.intp]  # ascending
    hashes: npt.NDArray[np.uint64]  # shape (n, words)
    occurrences: npt.NDArray[np.int64]


def is_continua(classes: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """Return which characters are word characters of scriptio continua, given `tables().classes` of each."""
    both = np.uint8(WORD | CONTINUA)
    continua: npt.NDArray[np.bool_] = classes & both == both
    return continua


def count_bigrams(
    folded: CodePoints, classes: npt.NDArray[np.uint8], documents: npt.NDArray[np.int32], words: int
) -> Weighed:
    """Return the distinct bigrams, and stretches of one, of texts that lie end to end (SD-SPLIT-2, SD-SPLIT-3).

    Args:
        folded: the texts, with a character between them that is not scriptio continua.
        classes: `tables().classes[folded]`.
        documents: number of the document of each character, less than 2^22.
        words: words of the hashes.
    """
    continua = is_continua(classes)
    padded = np.concatenate(([False], continua, [False]))
    after = continua & padded[2:]
    firsts = np.flatnonzero(after)
    alone = np.flatnonzero(continua & ~after & ~padded[:-2])
    alphabetic = classes & np.uint8(ALPHABETIC) > 0
    firsts = firsts[alphabetic[firsts] | alphabetic[firsts + 1]]
    alone = alone[alphabetic[alone]]
    keys = np.concatenate(
        (folded[firsts].astype(np.uint64) << _SCALAR | folded[firsts + 1], folded[alone].astype(np.uint64))
    )
    # One sort finds the distinct tokens of all documents: the document is the highest part of the key.
    keys |= documents[np.concatenate((firsts, alone))].astype(np.uint64) << np.uint64(42)
    keys.sort()
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))) if len(keys) else np.zeros(0, np.intp)
    occurrences = np.diff(np.append(starts, len(keys)))
    keys = keys[starts]
    packed, lengths = _utf8(keys >> _SCALAR & _LOW, keys & _LOW)
    return Weighed(
        (keys >> np.uint64(42)).astype(np.intp),
        np.stack([xxh64_of_eight(packed, lengths, word) for word in range(words)], axis=1),
        occurrences,
    )


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


def xxh64_of_eight(
    packed: npt.NDArray[np.uint64], lengths: npt.NDArray[np.uint64], seed: int
) -> npt.NDArray[np.uint64]:
    """Return XXH64 of up to eight bytes each, given as little-endian integers (spec, appendix A)."""
    hashes = np.empty(len(packed), np.uint64)
    for length in np.unique(lengths).tolist():
        chosen = lengths == length
        lane = packed[chosen]
        u = np.uint64
        accumulator = np.full(len(lane), (seed + int(_P5) + length) & (1 << 64) - 1, u)
        if length == 8:
            accumulator = _rotated(accumulator ^ _rotated(lane * _P2, 31) * _P1, 27) * _P1 + _P4
            left, lane = 0, lane
        elif length >= 4:
            accumulator = _rotated(accumulator ^ (lane & u(0xFFFFFFFF)) * _P1, 23) * _P2 + _P3
            left, lane = length - 4, lane >> u(32)
        else:
            left = length
        for i in range(left):
            accumulator = _rotated(accumulator ^ (lane >> u(8 * i) & u(0xFF)) * _P5, 11) * _P1
        accumulator = (accumulator ^ accumulator >> u(33)) * _P2
        accumulator = (accumulator ^ accumulator >> u(29)) * _P3
        hashes[chosen] = accumulator ^ accumulator >> u(32)
    return hashes


def _rotated(value: npt.NDArray[np.uint64], bits: int) -> npt.NDArray[np.uint64]:
    return value << np.uint64(bits) | value >> np.uint64(64 - bits)
