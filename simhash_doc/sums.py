"""Exact sums per bit of the tokens of many documents at once (SD-CAP-1, SD-SUM-1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simhash_doc.reference import OCCURRENCE_CAP

_BLOCK = 255 // OCCURRENCE_CAP  # tokens whose counts add up to one byte at most
_ONES = np.uint64(0x0101010101010101)


class Weighed(NamedTuple):
    """Distinct tokens of documents."""

    documents: npt.NDArray[np.intp]  # ascending
    hashes: npt.NDArray[np.uint64]  # shape (n, words)
    occurrences: npt.NDArray[np.int64]


class Measured(NamedTuple):
    """What became of documents."""

    sums: npt.NDArray[np.int64]  # shape (n, 64 * words)
    tokens: npt.NDArray[np.int64]  # occurrences of tokens
    distinct: npt.NDArray[np.int64]


def measure_tokens(parts: list[Weighed], count: int, words: int) -> Measured:
    """Return the sums of `count` documents over tokens of which none is in two parts."""
    measured = Measured(np.zeros((count, 64 * words), np.int64), np.zeros(count, np.int64), np.zeros(count, np.int64))
    for part in parts:
        if len(part.documents):
            _add(part, measured)
    return measured


def signs(sums: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """Return fingerprints, shape (n, words), of sums of shape (n, 64 * words): the bits of those over 0 (SD-SIGN-1)."""
    return np.packbits(sums > 0, axis=1, bitorder="little").view("<u8").astype(np.uint64, copy=False)


def _add(part: Weighed, to: Measured) -> None:
    edges = part.documents.searchsorted(np.arange(len(to.sums) + 1))
    distinct = edges[1:] - edges[:-1]
    here = distinct.nonzero()[0]  # documents with a token
    firsts = edges[here]
    counts = np.minimum(part.occurrences, OCCURRENCE_CAP)
    # Each document in blocks of a length that keeps the eight counters of a 64-bit integer apart.
    blocks = -(-distinct[here] // _BLOCK)
    first_blocks = blocks.cumsum() - blocks
    within = np.arange(blocks.sum()) - first_blocks.repeat(blocks)
    block_starts = firsts.repeat(blocks) + _BLOCK * within
    weights = counts.astype(np.uint64)
    weight = np.add.reduceat(counts, firsts)[:, None]
    for word in range(part.hashes.shape[1]):
        hashes = part.hashes[:, word]
        lanes = np.empty((len(block_starts), 8), np.uint64)
        for lane in range(8):
            # Bit i + 8 b of a hash is counted in byte b of lane i.
            lanes[:, lane] = np.add.reduceat((hashes >> np.uint64(lane) & _ONES) * weights, block_starts)
        by_lane = np.add.reduceat(lanes.view(np.uint8), first_blocks, axis=0, dtype=np.int64)
        ones = by_lane.reshape(-1, 8, 8).transpose(0, 2, 1).reshape(-1, 64)
        to.sums[here, 64 * word : 64 * (word + 1)] += 2 * ones - weight
    to.tokens[here] += np.add.reduceat(part.occurrences, firsts)
    to.distinct[here] += distinct[here]
