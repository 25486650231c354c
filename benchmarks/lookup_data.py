"""Fingerprints to measure near-duplicate search with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.uint64]
SEED = 42


@dataclass(frozen=True)
class Planted:
    """Distinct fingerprints, a tenth of them 1 to 3 bits from another; and queries 0 to 4 bits from one."""

    stored: Values
    queries: Values


def random_values(n: int, seed: int = SEED) -> Values:
    return np.random.default_rng(seed).integers(0, 2**64, n, np.uint64)


def flipped(values: Values, counts: npt.NDArray[np.integer], rng: np.random.Generator) -> Values:
    """Return the values with as many different bits flipped as `counts` says, 4 at most."""
    bits = np.argsort(rng.random((len(values), 64)), axis=1)[:, :4].astype(np.uint64)
    masks = np.uint64(1) << bits
    masks[np.arange(4) >= counts[:, None]] = 0
    return values ^ np.bitwise_or.reduce(masks, axis=1)


def planted(n: int, queries: int = 100_000) -> Planted:
    rng = np.random.default_rng(SEED)
    values = random_values(n)
    copies = n // 10
    for start in range(0, copies, 100_000):
        part = slice(start, min(start + 100_000, copies))
        originals = values[copies:][part]
        values[part] = flipped(originals, rng.integers(1, 4, len(originals)), rng)
    stored = rng.permutation(np.unique(values))
    asked = flipped(rng.choice(stored, queries), rng.integers(0, 5, queries), rng)
    return Planted(stored, asked)


def edited_texts(count: int, words: int = 300) -> list[tuple[str, str]]:
    """Return pairs of synthetic texts: words by Zipf's law, and the text with some of them replaced."""
    rng = np.random.default_rng(SEED)
    syllables = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]
    vocabulary = ["".join(rng.choice(syllables, rng.integers(1, 5))) for _ in range(20_000)]
    weights = 1 / np.arange(2, len(vocabulary) + 2)
    weights /= weights.sum()
    pairs = []
    for _ in range(count):
        text = rng.choice(len(vocabulary), words, p=weights)
        changed = text.copy()
        places = rng.choice(words, rng.integers(1, 25), replace=False)
        changed[places] = rng.choice(len(vocabulary), len(places), p=weights)
        pairs.append((" ".join(vocabulary[i] for i in text), " ".join(vocabulary[i] for i in changed)))
    return pairs
