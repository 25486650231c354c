"""XXH64 of many short tokens at once (spec, appendix A), and the exact sums per bit of many documents, as arrays.

See SD-CAP-1 and SD-SUM-1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simhash_doc.reference import OCCURRENCE_CAP
from simhash_doc.schemes import LANE_BITS

# The primes of XXH64.
P1, P2, P3, P4, P5 = (
    np.uint64(prime)
    for prime in (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
)
# Masks of the first 0 to 8 bytes of a little-endian integer of eight bytes.
LOW_BYTES = np.array([(1 << 8 * count) - 1 for count in range(9)], np.uint64)
MAX_LENGTH = 31  # bytes; from 32 on XXH64 has another form

_Integers = npt.NDArray[np.uint64]
_Round = tuple[Callable[[_Integers, _Integers], _Integers], slice | npt.NDArray[np.intp], _Integers]

_U = np.uint64


def windows_of(text: bytes) -> _Integers:
    """Return the 8-byte windows of a text as little-endian integers, shape (len(text) - 7,): one per start byte."""
    return np.ndarray(len(text) - 7, "<u8", text, strides=(1,))


def xxh64_of_short(
    windows: _Integers, starts: npt.NDArray[np.intp], lengths: npt.NDArray[np.uint8], lanes: int
) -> npt.NDArray[np.uint64]:
    """Return the hashes of tokens of at most `MAX_LENGTH` bytes, shape (n, lanes); lane j has the seed j.

    Args:
        windows: `windows_of` the text.
        starts: shape (n,); the first byte of each token.
        lengths: shape (n,); the bytes of each token.
        lanes: number of lanes.
    """
    rounds = list(_rounds(windows, starts, lengths))
    hashes = np.empty((len(starts), lanes), np.uint64)
    for lane in range(lanes):
        accumulators = lengths + _U((lane + int(P5)) & (1 << 64) - 1)
        for mix, chosen, values in rounds:
            accumulators[chosen] = mix(accumulators[chosen], values)
        accumulators = (accumulators ^ accumulators >> _U(33)) * P2
        accumulators = (accumulators ^ accumulators >> _U(29)) * P3
        hashes[:, lane] = accumulators ^ accumulators >> _U(32)
    return hashes


def _rounds(windows: _Integers, starts: npt.NDArray[np.intp], lengths: npt.NDArray[np.uint8]) -> Iterator[_Round]:
    """Yield the rounds in order: the operation, the tokens that it applies to, and the bytes of each."""
    for end in range(8, int(lengths.max(initial=0)) + 1, 8):
        chosen = _where(lengths >= end)
        yield _mix_eight, chosen, windows[starts[chosen] + (end - 8)]
    rest = windows[np.minimum(starts + (lengths & 24), len(windows) - 1)]
    chosen = _where(lengths & 4 != 0)
    yield _mix_four, chosen, rest[chosen] & _U(0xFFFFFFFF)
    rest[chosen] >>= _U(32)
    for at in range(3):
        chosen = _where(lengths & 3 > at)
        yield _mix_one, chosen, rest[chosen] >> _U(8 * at) & _U(0xFF)


def _where(condition: npt.NDArray[np.bool_]) -> slice | npt.NDArray[np.intp]:
    """Return an index that selects the items for which a condition is true."""
    return slice(None) if condition.all() else condition.nonzero()[0]


def _mix_eight(accumulators: _Integers, values: _Integers) -> _Integers:
    return _rotated(accumulators ^ _rotated(values * P2, 31) * P1, 27) * P1 + P4


def _mix_four(accumulators: _Integers, values: _Integers) -> _Integers:
    return _rotated(accumulators ^ values * P1, 23) * P2 + P3


def _mix_one(accumulators: _Integers, values: _Integers) -> _Integers:
    return _rotated(accumulators ^ values * P5, 11) * P1


def _rotated(value: _Integers, bits: int) -> _Integers:
    return value << _U(bits) | value >> _U(64 - bits)


_BLOCK = 255 // OCCURRENCE_CAP  # tokens whose counts fit into one byte together
_ONES = np.uint64(0x0101010101010101)


class WeightedTokens(NamedTuple):
    """Distinct tokens of several documents.

    Attributes:
        documents: shape (n,); the number of the token's document, ascending.
        hashes: shape (n, lanes).
        occurrences: shape (n,); not capped.
    """

    documents: npt.NDArray[np.intp]
    hashes: npt.NDArray[np.uint64]
    occurrences: npt.NDArray[np.int64]


class BitSums(NamedTuple):
    """The sums of several documents. They are 64 times as large as the fingerprints: `Measurements` keeps the signs.

    Attributes:
        sums: shape (n, 64 * lanes).
        totals: shape (n,); occurrences of tokens.
        statistics: shape (n, 3); see `Measurements`.
    """

    sums: npt.NDArray[np.int64]
    totals: npt.NDArray[np.int64]
    statistics: npt.NDArray[np.int64]


def sum_tokens(parts: list[WeightedTokens], documents: int, lanes: int) -> BitSums:
    """Return the sums of documents 0 to `documents` - 1. No token of a document is in two parts."""
    sums = np.zeros((documents, LANE_BITS * lanes), np.int64)
    result = BitSums(sums, np.zeros(documents, np.int64), np.zeros((documents, 3), np.int64))
    for part in parts:
        if len(part.documents):
            _add(part, result)
    return result


def signs(sums: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """Return the fingerprints, shape (n, lanes), of sums of shape (n, 64 * lanes): 1 where a sum is > 0 (SD-SIGN-1)."""
    return np.packbits(sums > 0, axis=1, bitorder="little").view("<u8").astype(np.uint64, copy=False)


def _add(part: WeightedTokens, to: BitSums) -> None:
    edges = part.documents.searchsorted(np.arange(len(to.sums) + 1))
    distinct = edges[1:] - edges[:-1]
    present = distinct.nonzero()[0]  # documents with a token
    firsts = edges[present]
    counts = np.minimum(part.occurrences, OCCURRENCE_CAP)
    # Each document is cut into blocks so short that the eight byte counters of a 64-bit integer cannot overflow.
    blocks = -(-distinct[present] // _BLOCK)
    first_blocks = blocks.cumsum() - blocks
    within = np.arange(blocks.sum()) - first_blocks.repeat(blocks)
    block_starts = firsts.repeat(blocks) + _BLOCK * within
    weights = counts.astype(np.uint64)
    weight = np.add.reduceat(counts, firsts)
    for lane in range(part.hashes.shape[1]):
        counters = _byte_counters(part.hashes[:, lane], weights, block_starts)
        totals = np.add.reduceat(counters, first_blocks, axis=0, dtype=np.int64)
        ones = totals.reshape(-1, 8, 8).transpose(0, 2, 1).reshape(-1, LANE_BITS)
        to.sums[present, LANE_BITS * lane : LANE_BITS * (lane + 1)] += 2 * ones - weight[:, None]
    to.totals[present] += np.add.reduceat(part.occurrences, firsts)
    squares = np.add.reduceat(counts * counts, firsts)
    to.statistics[present] += np.stack((distinct[present], weight, squares), axis=1)


def _byte_counters(
    hashes: npt.NDArray[np.uint64], weights: npt.NDArray[np.uint64], block_starts: npt.NDArray[np.intp]
) -> npt.NDArray[np.uint8]:
    """Return how often each bit is set in each block, shape (blocks, 64): bit i + 8 b is in column 8 i + b."""
    counters = np.empty((len(block_starts), 8), np.uint64)
    for bit in range(8):
        counters[:, bit] = np.add.reduceat((hashes >> np.uint64(bit) & _ONES) * weights, block_starts)
    return counters.view(np.uint8)
