"""Fingerprints, saturating counters and 1-bit MinHash of token lists, in numpy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import xxhash

from simhash_doc.reference import BUCKET_LIMIT

WORDS = 8  # the widest scheme; the first words of it are the narrower ones
_SLICE = 1 << 15
_SATURATED_AT_ONCE = 1 << 12

Words = npt.NDArray[np.uint64]  # shape (words,): word j as an integer
Bits = npt.NDArray[np.uint8]  # shape (tokens, 64 x words), bit i of word j at 64 j + i


@dataclass(frozen=True, slots=True)
class Hashed:
    """The distinct tokens of a document: their hashes for each word, how often each occurs, and their order."""

    hashes: npt.NDArray[np.uint64]  # (distinct, words)
    counts: npt.NDArray[np.int64]  # (distinct,)
    order: npt.NDArray[np.int64]  # (occurrences,) -> index of the distinct token


def hashed(tokens: Sequence[str], words: int = WORDS) -> Hashed:
    """Hash the distinct tokens; word j with seed j (SD-HASH-1, SD-WIDE-2)."""
    index = {token: at for at, token in enumerate(dict.fromkeys(tokens))}
    counted = Counter(tokens)
    hashes = np.empty((len(index), words), np.uint64)
    encoded = [token.encode("utf-8") for token in index]
    for word in range(words):
        hashes[:, word] = [xxhash.xxh64_intdigest(token, word) for token in encoded]
    counts = np.array([counted[token] for token in index], np.int64)
    return Hashed(hashes, counts, np.array([index[token] for token in tokens], np.int64))


def bits_of(hashes: npt.NDArray[np.uint64]) -> Bits:
    """Return the bits of each row, least significant first."""
    return np.unpackbits(np.ascontiguousarray(hashes, "<u8").view(np.uint8), axis=1, bitorder="little")


def signs(sums: npt.NDArray[np.int64]) -> Words:
    """Return the fingerprint: bit i is set where sum i is positive (SD-SIGN-1). Clamping changes no sign."""
    return np.packbits(sums > 0, bitorder="little").view("<u8").astype(np.uint64)


def simhashes(document: Hashed, caps: Sequence[int | None]) -> list[Words]:
    """Return the fingerprint for each cap on the occurrences of a token, None for no cap."""
    weights = np.array([document.counts if cap is None else np.minimum(document.counts, cap) for cap in caps])
    sums = np.zeros((len(caps), 64 * document.hashes.shape[1]), np.int64)
    for start in range(0, len(document.counts), _SLICE):
        part = slice(start, start + _SLICE)
        # float64 is exact up to 2^53 occurrences.
        chosen = weights[:, part].astype(np.float64)
        ones = chosen @ bits_of(document.hashes[part]).astype(np.float64)
        sums += (2 * ones - chosen.sum(axis=1, keepdims=True)).astype(np.int64)
    return [signs(row) for row in sums]


def in_document_order(document: Hashed, cap: int | None) -> npt.NDArray[np.int64]:
    """Return the distinct token of each occurrence that counts: of each token the first ones, up to the cap."""
    if cap is None:
        return document.order
    # The rank of each occurrence among those of its token, by a stable sort.
    by_token = np.argsort(document.order, kind="stable")
    starts = np.concatenate(([0], np.cumsum(document.counts)[:-1]))
    ranks = np.empty(len(document.order), np.int64)
    ranks[by_token] = np.arange(len(document.order)) - np.repeat(starts, document.counts)
    return document.order[ranks < cap]


def saturated(document: Hashed, occurrences: npt.NDArray[np.int64]) -> Words:
    """Return word 0 made by 8-bit counters that saturate at every addition, in the order given.

    Adding and then clamping is a function x -> min(high, max(low, x + shift)), and so is one after another,
    so that a document is reduced in log n steps instead of n.
    """
    total = np.zeros(64, np.int32)
    for start in range(0, len(occurrences), _SATURATED_AT_ONCE):
        part = document.hashes[occurrences[start : start + _SATURATED_AT_ONCE], :1]
        shift = 2 * bits_of(part).astype(np.int32) - 1
        low = np.full_like(shift, -BUCKET_LIMIT)
        high = np.full_like(shift, BUCKET_LIMIT)
        while len(shift) > 1:
            if len(shift) % 2:  # the function that changes nothing
                shift = np.vstack((shift, np.zeros((1, 64), np.int32)))
                low = np.vstack((low, np.full((1, 64), -BUCKET_LIMIT, np.int32)))
                high = np.vstack((high, np.full((1, 64), BUCKET_LIMIT, np.int32)))
            later = shift[1::2]
            low, high = (
                np.clip(low[::2] + later, low[1::2], high[1::2]),
                np.clip(high[::2] + later, low[1::2], high[1::2]),
            )
            shift = shift[::2] + later
        total = np.clip(total + shift[0], low[0], high[0])
    return signs(total.astype(np.int64))


def minhashes(document: Hashed, words: int) -> Words:
    """Return 64 x `words` one-bit minwise hashes of the set of tokens.

    Hash function i mixes the token's XXH64 with a constant of its own (the finaliser of SplitMix64); the bit is the
    lowest of the smallest value (Li and König, b-bit minwise hashing, 2010).
    """
    functions = 64 * words
    smallest = np.full(functions, np.iinfo(np.uint64).max, np.uint64)
    offsets = np.arange(1, functions + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for start in range(0, len(document.hashes), _SLICE // 8):
        mixed = document.hashes[start : start + _SLICE // 8, :1] + offsets
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed ^= mixed >> np.uint64(shift)
            mixed *= np.uint64(factor)
        mixed ^= mixed >> np.uint64(31)
        np.minimum(smallest, mixed.min(axis=0), out=smallest)
    return np.packbits((smallest & np.uint64(1)).astype(bool), bitorder="little").view("<u8").astype(np.uint64)
