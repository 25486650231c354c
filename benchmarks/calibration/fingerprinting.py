"""Computes every kind of fingerprint of every document, in worker processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import xxhash

from benchmarks.calibration.corpus import Document
from benchmarks.calibration.variants import CAPS, DECISIONS, SCHEME, tokens

MINHASH = "1-bit MinHash"
MINHASH_LANES = 4
LANES = 8  # of the widest scheme; a narrower scheme has the first of them
_AT_ONCE = 1 << 12  # tokens

Lanes = npt.NDArray[np.uint64]  # shape (lanes,)
Table = npt.NDArray[np.uint64]  # shape (documents, lanes); all zeros for a document without a token
Bits = npt.NDArray[np.uint8]  # shape (tokens, 64 x lanes), bit i of lane j at 64 j + i


def fingerprint_documents(
    documents: Iterable[Document], kinds_of: Callable[[Document], dict[str, Lanes]]
) -> dict[str, Table]:
    """Return a table for each kind of fingerprint, with a row for each document, computed in worker processes.

    Args:
        documents: the documents.
        kinds_of: returns the kinds of fingerprints of a document by name, or nothing if it has none.
    """
    with ProcessPoolExecutor() as pool:
        kinds = list(pool.map(kinds_of, documents, chunksize=8))
    names = {name: len(lanes) for one in kinds for name, lanes in one.items()}
    return {
        name: np.array([one.get(name, np.zeros(lanes, np.uint64)) for one in kinds]) for name, lanes in names.items()
    }


def kinds_of(document: Document) -> dict[str, Lanes]:
    """Return every kind of fingerprint that the calibration compares."""
    return fingerprint_text(document.text)


def fingerprint_text(text: str) -> dict[str, Lanes]:
    """Return every kind of fingerprint of a text by name, or nothing for a text without a token."""
    found = tokens(text)
    if not found:
        return {}
    document = hash_tokens(found)
    kinds = {MINHASH: minhashes(document, MINHASH_LANES)}
    for name, variant in {**DECISIONS, **CAPS}.items():
        if replace(variant, cap=SCHEME.cap) == SCHEME:  # the same tokens
            kinds[name] = simhash(document, variant.cap)
        elif listed := tokens(text, variant):
            kinds[name] = simhash(hash_tokens(listed, 1), variant.cap)
        else:
            kinds[name] = np.zeros(1, np.uint64)
    return kinds


@dataclass(frozen=True, slots=True)
class HashedTokens:
    """The hashed tokens of a document.

    Attributes:
        hashes: array of shape (distinct tokens, lanes): the hash of each distinct token in each lane.
        counts: array of shape (distinct tokens,): the number of occurrences of each.
    """

    hashes: npt.NDArray[np.uint64]
    counts: npt.NDArray[np.int64]


def hash_tokens(tokens: Sequence[str], lanes: int = LANES) -> HashedTokens:
    """Hash the distinct tokens, with seed j for lane j (SD-HASH-1, SD-WIDE-2)."""
    counted = Counter(tokens)
    encoded = [token.encode("utf-8") for token in counted]
    hashes = np.empty((len(counted), lanes), np.uint64)
    for lane in range(lanes):
        hashes[:, lane] = [xxhash.xxh64_intdigest(token, lane) for token in encoded]
    return HashedTokens(hashes, np.array(list(counted.values()), np.int64))


def bits_of(hashes: npt.NDArray[np.uint64]) -> Bits:
    """Return the bits of each row, least significant first."""
    return np.unpackbits(np.ascontiguousarray(hashes, "<u8").view(np.uint8), axis=1, bitorder="little")


def lanes_of_bits(ones: npt.NDArray[np.bool_]) -> Lanes:
    """Return the lanes with these bits, the least significant of the first lane first."""
    return np.packbits(ones, bitorder="little").view("<u8").astype(np.uint64)


def simhash(document: HashedTokens, cap: int | None) -> Lanes:
    """Return the lanes of a document in which a token counts at most `cap` times."""
    counts = document.counts if cap is None else np.minimum(document.counts, cap)
    return positive(counts, bits_of(document.hashes))


def positive(counts: npt.NDArray[np.int64], bits: Bits) -> Lanes:
    """Return the lanes of tokens with these counts and bits: a bit is set if its sum is positive (SD-SIGN-1)."""
    weights = counts.astype(np.float32)  # exact up to 2^24 occurrences
    return lanes_of_bits(2 * (weights @ bits) > weights.sum())


def minhashes(document: HashedTokens, lanes: int) -> Lanes:
    """Return 64 x `lanes` one-bit minwise hashes of the set of tokens.

    Hash function i mixes the XXH64 of a token with its own constant (the finalizer of SplitMix64). Each bit is the
    lowest bit of the smallest hash (Li and König, b-bit minwise hashing, 2010).
    """
    functions = 64 * lanes
    smallest = np.full(functions, np.iinfo(np.uint64).max, np.uint64)
    offsets = np.arange(1, functions + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for start in range(0, len(document.hashes), _AT_ONCE):
        mixed = document.hashes[start : start + _AT_ONCE, :1] + offsets
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed ^= mixed >> np.uint64(shift)
            mixed *= np.uint64(factor)
        mixed ^= mixed >> np.uint64(31)
        np.minimum(smallest, mixed.min(axis=0), out=smallest)
    return lanes_of_bits((smallest & np.uint64(1)).astype(bool))
