"""An index in a directory of segments: built, changed, merged and queried, each step in a process of its own."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.lookup_data import SEED, flipped
from benchmarks.lookup_external import write_planted
from benchmarks.measuring import isolated, median_seconds
from simhash_doc.lookup import SegmentedCorpus

Row = dict[str, object]
SIZES = (10**6, 10**7, 10**8)
QUERIES = 100_000
ADDED = 100_000


def build(values: Path, index: Path) -> float:
    """Return the seconds of a build."""
    return _seconds(lambda: SegmentedCorpus.build(index, np.load(values, mmap_mode="r")))


def add(index: Path) -> float:
    """Return the seconds in which new fingerprints are added, with the opening and any merge."""
    new = np.random.default_rng(SEED + 1).integers(0, 2**64, ADDED, np.uint64)
    return _seconds(lambda: SegmentedCorpus.open(index, verify=False).insert_bulk(new))


def remove(index: Path) -> float:
    """Return the seconds in which some of them are removed, with the opening."""
    new = np.random.default_rng(SEED + 1).integers(0, 2**64, ADDED, np.uint64)
    return _seconds(lambda: SegmentedCorpus.open(index, verify=False).remove_bulk(new[:1000]))


def merge(index: Path) -> float:
    """Return the seconds of a merge of all parts."""
    return _seconds(lambda: SegmentedCorpus.open(index, verify=False).merge())


def query(values: Path, index: Path) -> dict[str, float]:
    """Return the seconds of queries 0 to 4 bits from a stored fingerprint: the first time in a process, and again."""
    rng = np.random.default_rng(SEED + 2)
    stored = np.load(values, mmap_mode="r")
    chosen = stored[np.sort(rng.integers(0, len(stored), QUERIES))]
    queries = flipped(rng.permutation(chosen), rng.integers(0, 5, QUERIES), rng)
    corpus = SegmentedCorpus.open(index, verify=False)
    first = _seconds(lambda: corpus.find_all_bulk(queries))
    again = median_seconds(lambda: corpus.find_all_bulk(queries), 3)
    single = queries[:2000].tolist()
    one = median_seconds(lambda: [corpus.find_all(value) for value in single], 3) / len(single)
    return {"first_seconds": first, "seconds": again, "one_query": one, "matches": len(corpus.find_all_bulk(queries))}


def growth_of_segments() -> list[Row]:
    """Measure each size once; SIMHASH_DOC_BENCH_LARGEST leaves out those above it."""
    largest = int(os.environ.get("SIMHASH_DOC_BENCH_LARGEST", "100000000"))
    rows: list[Row] = []

    def measure(task: str, n: int, index: Path, work: Callable[..., float | dict[str, float]], *more: Path) -> None:
        found, peak = isolated(work, *more, index)
        figures = found if isinstance(found, dict) else {"seconds": found}
        size = sum(path.stat().st_size for path in index.iterdir())
        parts = len(list(index.glob("segment-*")))
        row = {"task": task, "fingerprints": n, "segments": parts, "bytes": size, "peak_mb": round(peak), **figures}
        rows.append(row)
        print(row, flush=True)

    for n in SIZES:
        if n > largest:
            continue
        with tempfile.TemporaryDirectory() as folder:
            values, index = Path(folder) / "values.npy", Path(folder) / "index"
            isolated(write_planted, values, n)
            measure("build", n, index, build, values)
            measure(f"{QUERIES:,} queries", n, index, query, values)
            measure(f"add {ADDED:,}", n, index, add)
            measure("remove 1,000", n, index, remove)
            measure("merge into one segment", n, index, merge)
            measure(f"{QUERIES:,} queries", n, index, query, values)
    return rows


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
