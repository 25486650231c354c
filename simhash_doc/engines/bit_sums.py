"""Exact sums per bit of the tokens of many documents at once, as arrays (SD-CAP-1, SD-SUM-1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.base import LANE_BITS
from simhash_doc.reference import OCCURRENCE_CAP

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
    """The sums of several documents.

    Attributes:
        sums: shape (n, 64 * lanes).
        totals: shape (n,); occurrences of tokens.
        distinct: shape (n,); distinct tokens.
    """

    sums: npt.NDArray[np.int64]
    totals: npt.NDArray[np.int64]
    distinct: npt.NDArray[np.int64]


def sum_tokens(parts: list[WeightedTokens], documents: int, lanes: int) -> BitSums:
    """Return the sums of documents 0 to `documents` - 1. No token of a document is in two parts."""
    sums = np.zeros((documents, LANE_BITS * lanes), np.int64)
    result = BitSums(sums, np.zeros(documents, np.int64), np.zeros(documents, np.int64))
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
    weight = np.add.reduceat(counts, firsts)[:, None]
    for lane in range(part.hashes.shape[1]):
        counters = _byte_counters(part.hashes[:, lane], weights, block_starts)
        totals = np.add.reduceat(counters, first_blocks, axis=0, dtype=np.int64)
        ones = totals.reshape(-1, 8, 8).transpose(0, 2, 1).reshape(-1, LANE_BITS)
        to.sums[present, LANE_BITS * lane : LANE_BITS * (lane + 1)] += 2 * ones - weight
    to.totals[present] += np.add.reduceat(part.occurrences, firsts)
    to.distinct[present] += distinct[present]


def _byte_counters(
    hashes: npt.NDArray[np.uint64], weights: npt.NDArray[np.uint64], block_starts: npt.NDArray[np.intp]
) -> npt.NDArray[np.uint8]:
    """Return how often each bit is set in each block, shape (blocks, 64): bit i + 8 b is in column 8 i + b."""
    counters = np.empty((len(block_starts), 8), np.uint64)
    for bit in range(8):
        counters[:, bit] = np.add.reduceat((hashes >> np.uint64(bit) & _ONES) * weights, block_starts)
    return counters.view(np.uint8)
