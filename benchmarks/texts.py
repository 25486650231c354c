"""Texts of a corpus, and generated texts and fingerprints, to measure with."""

from __future__ import annotations

import random

import numpy as np
import numpy.typing as npt

from benchmarks.calibration.corpus import Corpus

LANGUAGES = {
    "en": "English",
    "ru": "Russian",
    "ar": "Arabic",
    "hi": "Hindi",
    "vi": "Vietnamese",
    "ko": "Korean",
    "zh": "Chinese",
    "ja": "Japanese",
    "th": "Thai",
}


def texts_by_language(corpus: Corpus) -> dict[str, str]:
    """Return the texts of a corpus, all documents of a language one after the other, except generated ones."""
    found: dict[str, list[str]] = {language: [] for language in LANGUAGES}
    for document in corpus.documents.values():
        if document.lang in found and not document.synthetic:
            found[document.lang].append(document.text)
    # Documents of one family stand together in the manifest; revisions should not be neighbours.
    for texts in found.values():
        random.Random(1).shuffle(texts)
    return {language: "\n\n".join(texts) for language, texts in found.items()}


def documents_of(text: str, size: int, total: int) -> list[str]:
    """Return documents of about `size` bytes of UTF-8, `total` bytes in total or all there are, none twice.

    If the text is shorter than one document, it is repeated.
    """
    in_bytes = len(text.encode("utf-8"))
    while in_bytes < size:
        text, in_bytes = text + text, 2 * in_bytes
    step = max(1, size * len(text) // in_bytes)
    count = max(1, min(total, in_bytes) // size)
    return [text[at * step : (at + 1) * step] for at in range(count)]


Values = npt.NDArray[np.uint64]
SEED = 42


def random_values(n: int, seed: int = SEED) -> Values:
    return np.random.default_rng(seed).integers(0, 2**64, n, np.uint64)


def flipped(values: Values, counts: npt.NDArray[np.integer], rng: np.random.Generator) -> Values:
    """Return the values with as many different bits flipped as `counts` says, 4 at most."""
    bits = np.argsort(rng.random((len(values), 64)), axis=1)[:, :4].astype(np.uint64)
    masks = np.uint64(1) << bits
    masks[np.arange(4) >= counts[:, None]] = 0
    return values ^ np.bitwise_or.reduce(masks, axis=1)


def planted_values(n: int, seed: int = SEED) -> Values:
    """Return random fingerprints, the first tenth of them 1 to 3 bits from another."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 2**64, n, np.uint64)
    values[: n // 10] = flipped(values[n // 10 :][: n // 10], rng.integers(1, 4, n // 10), rng)
    return values


def planted(n: int, queries: int) -> tuple[Values, Values]:
    """Return up to n fingerprints, a tenth of them 1 to 3 bits from another; and queries 0 to 4 bits from one."""
    rng = np.random.default_rng(SEED)
    stored = rng.permutation(np.unique(planted_values(n)))
    asked = flipped(rng.choice(stored, queries), rng.integers(0, 5, queries), rng)
    return stored, asked


def planted_rows(kind: str, n: int, piece: int = 100_000) -> Values:
    """Return n fingerprints, shape (n, 4); every tenth is 0 to 40 bits or some more from the one before it.

    Args:
        kind: "uniform"; or "biased": each bit has a share of ones that is its own, as common words give it, so that
            two unrelated fingerprints differ in 96 bits on average, as those of two English documents do.
        n: a multiple of 10.
    """
    rng = np.random.default_rng(SEED)
    # 0.79 of the spread of a document's buckets: unrelated pairs differ in 96 bits.
    centres = rng.normal(0, 0.79 if kind == "biased" else 0, 256)
    ones = (np.mean(rng.normal(0, 1, (piece, 1)) < centres, axis=0) * 65536).astype(np.uint16)
    packed = np.empty((n, 32), np.uint8)
    for start in range(0, n, piece):
        bits = rng.integers(0, 65536, (min(piece, n - start), 256), np.uint16) < ones
        share = rng.integers(0, 40 + 1, (len(bits) // 10, 1)) / 256
        bits[1::10] = bits[::10] ^ (rng.random((len(share), 256), np.float32) < share)
        packed[start : start + len(bits)] = np.packbits(bits, axis=1)
    return packed.view(">u8").astype(np.uint64)
