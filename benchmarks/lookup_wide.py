"""All pairs of fingerprints of 256 bits at the distances of their thresholds, and what their first 64 bits find."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from math import comb
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks import lookup_wide_peers
from benchmarks.lookup_data import SEED, edited_texts
from benchmarks.measuring import isolated
from simhash_doc import buckets
from simhash_doc.lookup import find_all

Row = dict[str, object]
Values = npt.NDArray[np.uint64]
BITS = 256
CLOSE, LOOSE = 26, 36
_SPREAD = 0.79  # of the expected bucket of a bit, in units of that of a document: unrelated pairs differ in 96 bits
_FARTHEST = 40  # bits
_PIECE = 100_000
_COMPILED = 20_000

SEARCHES = (
    ("biased", 50_000, CLOSE),
    ("uniform", 10**5, CLOSE),
    ("biased", 10**5, CLOSE),
    ("uniform", 10**6, CLOSE),
    ("biased", 10**6, CLOSE),
    ("uniform", 10**6, LOOSE),
    ("biased", 10**6, LOOSE),
    ("uniform", 10**7, CLOSE),
    ("biased", 10**7, CLOSE),
    ("uniform", 10**7, LOOSE),
)


def planted_rows(kind: str, n: int) -> Values:
    """Return n fingerprints, shape (n, 4); every tenth is 0 to 40 bits or some more from the one before it.

    Args:
        kind: "uniform"; or "biased": each bit has a share of ones that is its own, as common words give it, so that
            two unrelated fingerprints differ in 96 bits on average, as those of two English documents do.
        n: a multiple of 10.
    """
    rng = np.random.default_rng(SEED)
    centres = rng.normal(0, _SPREAD if kind == "biased" else 0, BITS)
    ones = (np.mean(rng.normal(0, 1, (_PIECE, 1)) < centres, axis=0) * 65536).astype(np.uint16)
    packed = np.empty((n, BITS // 8), np.uint8)
    for start in range(0, n, _PIECE):
        bits = rng.integers(0, 65536, (min(_PIECE, n - start), BITS), np.uint16) < ones
        share = rng.integers(0, _FARTHEST + 1, (len(bits) // 10, 1)) / BITS
        bits[1::10] = bits[::10] ^ (rng.random((len(share), BITS), np.float32) < share)
        packed[start : start + len(bits)] = np.packbits(bits, axis=1)
    return packed.view(">u8").astype(np.uint64)


def search(kind: str, n: int, distance: int) -> Row:
    """Measure one search, after one that loads the compiled loops."""
    values = planted_rows(kind, n)
    find_all(values[:_COMPILED], distance=distance)
    start, used = time.perf_counter(), time.process_time()
    pairs = find_all(values, distance=distance)
    return {
        "seconds": round(time.perf_counter() - start, 2),
        "processor_seconds": round(time.process_time() - used, 2),
        "pairs": len(pairs),
    }


def wide() -> list[Row]:
    """Measure all searches once; SIMHASH_DOC_BENCH_LARGEST leaves out those above it."""
    largest = int(os.environ.get("SIMHASH_DOC_BENCH_LARGEST", "10000000"))
    rows: list[Row] = []

    def measure(library: str, kind: str, n: int, distance: int, work: Callable[..., Row]) -> None:
        result, peak = isolated(work, kind, n, distance)
        about = {"task": f"all pairs of {kind} fingerprints", "library": library, "fingerprints": n}
        rows.append({**about, "distance": distance, **result, "peak_mb": round(peak)})
        print(rows[-1], flush=True)

    for kind, n, distance in SEARCHES:
        if n <= largest:
            measure("simhash-doc", kind, n, distance, search)
    for library, kind, n, work in lookup_wide_peers.searches():
        if n <= largest:
            measure(library, kind, n, CLOSE, partial(lookup_wide_peers.measured, work))
    for row in rows:
        (exact,) = (one["pairs"] for one in rows if _is_same_search(one, row) and one["library"] == "simhash-doc")
        row["recall"] = int(str(row["pairs"])) / int(str(exact))
    return rows


def _is_same_search(one: Row, other: Row) -> bool:
    return all(one[name] == other[name] for name in ("task", "fingerprints", "distance"))


def recall_of_lanes() -> list[Row]:
    """Count the pairs that are within k bits in their first 64 bits, or in any of their four times 64.

    The pairs are generated texts of 300 words, 1 to 24 of which are replaced; and the true pairs of the calibration
    corpus, if SIMHASH_DOC_BENCH_CORPUS is its folder.
    """
    sources = [("generated texts", edited_texts(3000))]
    if corpus := os.environ.get("SIMHASH_DOC_BENCH_CORPUS"):
        sources.append(("calibration corpus", list(_corpus_pairs(Path(corpus)))))
    rows: list[Row] = []
    for name, pairs in sources:
        differing = np.array([[a != b for a, b in zip(*map(_bits, pair), strict=True)] for pair in pairs])
        lanes = differing.reshape(-1, 4, 64).sum(axis=2)
        apart = lanes.sum(axis=1)
        for low, high in ((1, CLOSE), (CLOSE + 1, LOOSE)):
            of_range = (apart >= low) & (apart <= high)
            about = {"pairs": name, "distance of 256": f"{low} to {high}", "number": int(of_range.sum())}
            rows += [about | _found_within(k, lanes[of_range]) for k in range(3, 11)]
    return rows


def _found_within(k: int, lanes: npt.NDArray[np.int64]) -> Row:
    """Return which shares of some pairs, of shape (p, 4), are within k bits."""
    return {
        "k": k,
        "recall_of_the_first_64": float((lanes[:, 0] <= k).mean()),
        "recall_expected": float(np.mean([_expected(bits, k) for bits in lanes.sum(axis=1).tolist()])),
        "recall_of_any_64": float((lanes.min(axis=1) <= k).mean()),
    }


def _expected(differing: int, k: int) -> float:
    """Return how often at most k of some differing bits are among the first 64, if all bits are equally likely."""
    ways = sum(comb(differing, bits) * comb(BITS - differing, 64 - bits) for bits in range(min(k, differing) + 1))
    return ways / comb(BITS, 64)


def _bits(text: str) -> list[bool]:
    return [bucket > 0 for bucket in buckets(text, "sd256")]


def _corpus_pairs(corpus: Path) -> Iterator[tuple[str, str]]:
    """Yield the texts of the true pairs of a corpus in the layout of `benchmarks/calibration/README.md`."""
    documents = map(json.loads, (corpus / "MANIFEST.jsonl").read_text(encoding="utf-8").splitlines())
    paths = {document["id"]: corpus / document["path"] for document in documents}
    for pair in map(json.loads, (corpus / "pairs.jsonl").read_text(encoding="utf-8").splitlines()):
        yield paths[pair["a"]].read_text(encoding="utf-8"), paths[pair["b"]].read_text(encoding="utf-8")
