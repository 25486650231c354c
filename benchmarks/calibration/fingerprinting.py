"""Computes every kind of fingerprint of every document, in worker processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.calibration.hashing import (
    LANES,
    Lanes,
    hash_tokens,
    in_document_order,
    minhashes,
    saturated,
    simhashes,
)
from benchmarks.calibration.variants import CAPS, DECISIONS, LITERAL, SCHEME, tokens

MINHASH_LANES = 4
SATURATING, SATURATING_SWAPPED = "saturating", "saturating, halves exchanged"
MINHASH = "1-bit MinHash"

Table = npt.NDArray[np.uint64]  # shape (documents, lanes); all zeros for a document without a token


def fingerprint_text(text: str) -> dict[str, Lanes]:
    """Return every kind of fingerprint of a text by name, or nothing for a text without a token."""
    found = tokens(text)
    if not found:
        return {}
    document = hash_tokens(found)
    counted = {name: variant.cap for name, variant in CAPS.items() if variant is not LITERAL}
    kinds = dict(zip(counted, simhashes(document, list(counted.values())), strict=True))
    in_order = in_document_order(document, SCHEME.cap)
    middle = len(in_order) // 2
    kinds[SATURATING] = saturated(document, in_order)
    kinds[SATURATING_SWAPPED] = saturated(document, np.roll(in_order, -middle))
    kinds[MINHASH] = minhashes(document, MINHASH_LANES)
    changed = {name: variant for name, variant in {**DECISIONS, **CAPS}.items() if name not in kinds}
    for name, variant in changed.items():
        if variant == SCHEME:
            kinds[name] = kinds["at most 8"][:1]
        elif listed := tokens(text, variant):
            kinds[name] = simhashes(hash_tokens(listed, 1), [variant.cap])[0]
        else:
            kinds[name] = np.zeros(1, np.uint64)
    return kinds


def fingerprint_files(
    paths: Iterable[Path], workers: int, make: Callable[[str], dict[str, Lanes]] = fingerprint_text
) -> list[dict[str, Lanes]]:
    """Return the fingerprints of each file of UTF-8 text, in order.

    Args:
        paths: the files.
        workers: number of worker processes.
        make: computes the fingerprints of a text.
    """
    listed = list(paths)
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(partial(_of_file, make), listed, chunksize=16))


def _of_file(make: Callable[[str], dict[str, Lanes]], path: Path) -> dict[str, Lanes]:
    return make(path.read_bytes().decode("utf-8", errors="replace"))


def to_tables(kinds: list[dict[str, Lanes]]) -> dict[str, Table]:
    """Return a table per kind of fingerprint, with a row per document."""
    names = {name: len(lanes) for one in kinds for name, lanes in one.items()}
    return {
        name: np.array([one.get(name, np.zeros(lanes, np.uint64)) for one in kinds]) for name, lanes in names.items()
    }


__all__ = [
    "LANES",
    "MINHASH",
    "SATURATING",
    "SATURATING_SWAPPED",
    "Table",
    "fingerprint_files",
    "fingerprint_text",
    "to_tables",
]
