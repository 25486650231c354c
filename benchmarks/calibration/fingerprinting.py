"""Every kind of fingerprint of every document, made in worker processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.calibration.hashing import (
    WORDS,
    Words,
    hashed,
    in_document_order,
    minhashes,
    saturated,
    simhashes,
)
from benchmarks.calibration.variants import CAPS, DECISIONS, LITERAL, SCHEME, tokens

MINHASH_WORDS = 4
SATURATING, SATURATING_SWAPPED = "saturating", "saturating, halves exchanged"
MINHASH = "1-bit MinHash"

Table = npt.NDArray[np.uint64]  # (documents, words); all zeros where a document has no token


def of_text(text: str) -> dict[str, Words]:
    """Return every kind of fingerprint of a text by name; nothing where the scheme finds no token."""
    found = tokens(text)
    if not found:
        return {}
    document = hashed(found)
    counted = {name: variant.cap for name, variant in CAPS.items() if variant is not LITERAL}
    kinds = dict(zip(counted, simhashes(document, list(counted.values())), strict=True))
    in_order = in_document_order(document, SCHEME.cap)
    middle = len(in_order) // 2
    kinds[SATURATING] = saturated(document, in_order)
    kinds[SATURATING_SWAPPED] = saturated(document, np.roll(in_order, -middle))
    kinds[MINHASH] = minhashes(document, MINHASH_WORDS)
    changed = {name: variant for name, variant in {**DECISIONS, **CAPS}.items() if name not in kinds}
    for name, variant in changed.items():
        if variant == SCHEME:
            kinds[name] = kinds["at most 8"][:1]
        elif listed := tokens(text, variant):
            kinds[name] = simhashes(hashed(listed, 1), [variant.cap])[0]
        else:
            kinds[name] = np.zeros(1, np.uint64)
    return kinds


def of_files(
    paths: Iterable[Path], workers: int, make: Callable[[str], dict[str, Words]] = of_text
) -> list[dict[str, Words]]:
    """Return the fingerprints of each file of UTF-8 text, in order."""
    listed = list(paths)
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(partial(_of_file, make), listed, chunksize=16))


def _of_file(make: Callable[[str], dict[str, Words]], path: Path) -> dict[str, Words]:
    return make(path.read_bytes().decode("utf-8", errors="replace"))


def tabulated(kinds: list[dict[str, Words]]) -> dict[str, Table]:
    """Return one table for each kind, a row for each document."""
    names = {name: len(words) for one in kinds for name, words in one.items()}
    return {
        name: np.array([one.get(name, np.zeros(words, np.uint64)) for one in kinds]) for name, words in names.items()
    }


__all__ = ["MINHASH", "SATURATING", "SATURATING_SWAPPED", "WORDS", "Table", "of_files", "of_text", "tabulated"]
