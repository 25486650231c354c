"""Fingerprints of one text with other features than those of version 1, all 64 bits wide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import xxhash

from benchmarks.calibration.hashing import Hashed, hashed, minhashes, simhashes

Fingerprint = npt.NDArray[np.uint64]  # shape (lanes,)


def grams(tokens: Sequence[str], size: int) -> list[str]:
    """Return the sequences of `size` adjacent tokens, or all tokens as one if there are fewer."""
    return [" ".join(tokens[i : i + size]) for i in range(max(1, len(tokens) - size + 1))]


def pairs(tokens: Sequence[str]) -> list[str]:
    """Return the adjacent pairs of tokens."""
    return [f"{a} {b}" for a, b in pairwise(tokens)] or list(tokens)


def gram_ids(tokens: Sequence[str], size: int = 8) -> npt.NDArray[np.uint64]:
    """Return the distinct hashes of the word n-grams of a text, ascending."""
    return np.unique(np.array([xxhash.xxh64_intdigest(gram.encode()) for gram in grams(tokens, size)], np.uint64))


def _simhash(cap: int | None, features: Callable[[Sequence[str]], list[str]]) -> Callable[[Sequence[str]], Fingerprint]:
    def fingerprint(tokens: Sequence[str]) -> Fingerprint:
        return simhashes(hashed(features(tokens), 1), [cap])[0]

    return fingerprint


def _minhash(tokens: Sequence[str]) -> Fingerprint:
    counted = Counter(grams(tokens, 5))
    hashes = np.array([[xxhash.xxh64_intdigest(gram.encode())] for gram in counted], np.uint64)
    return minhashes(Hashed(hashes, np.ones(len(hashes), np.int64), np.arange(len(hashes))), 1)


FEATURES: dict[str, Callable[[Sequence[str]], Fingerprint]] = {
    "version 1": _simhash(8, list),
    "words uncapped": _simhash(None, list),
    "cap 16": _simhash(16, list),
    "cap 4": _simhash(4, list),
    "once": _simhash(1, list),
    "words + adjacent pairs": _simhash(8, lambda tokens: [*tokens, *pairs(tokens)]),
    "adjacent pairs": _simhash(8, pairs),
    "3+5-grams": _simhash(8, lambda tokens: [*grams(tokens, 3), *grams(tokens, 5)]),
    "1-bit MinHash, 5-grams": _minhash,
}


def wide(tokens: Sequence[str]) -> Fingerprint:
    """Return the sd256 fingerprint of version 1, whose first lanes are sd64 and sd128."""
    return simhashes(hashed(tokens, 4), [8])[0]
