"""All pairs out of core: growth from a million to a billion fingerprints, each size in a process of its own."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.lookup_data import SEED
from benchmarks.measuring import isolated
from simhash_doc.lookup import find_all_on_disk

Row = dict[str, object]
GIB = 1 << 30
SIZES = ((10**6, GIB), (10**7, GIB), (10**8, GIB), (10**8, 4 * GIB), (10**9, 4 * GIB))
_PIECE = 10**6


def write_planted(path: Path, n: int) -> None:
    """Write n random fingerprints, a tenth of them 1 to 3 bits from another, as a .npy file.

    n is a multiple of 10^6.
    """
    rng = np.random.default_rng(SEED)
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<u8", "fortran_order": False, "shape": (n,)})
        for _ in range(n // _PIECE):
            values = rng.integers(0, 2**64, _PIECE, np.uint64)
            copies = _PIECE // 10
            values[:copies] = values[copies : 2 * copies]
            bit, flips = rng.integers(0, 64, copies, np.uint64), rng.integers(1, 4, copies)
            for number in range(3):
                other = np.uint64(1) << (bit + np.uint64(21 * number)) % np.uint64(64)
                values[:copies] ^= np.where(flips > number, other, np.uint64(0))
            values.tofile(file)


def search(values: Path, memory: int) -> tuple[float, float, int]:
    """Return the seconds, the seconds of both cores, and the number of pairs."""
    start, used = time.perf_counter(), time.process_time()
    pairs = find_all_on_disk(values, values.with_name("pairs.npy"), memory=memory)
    return time.perf_counter() - start, time.process_time() - used, len(pairs)


def growth_on_disk() -> list[Row]:
    """Measure each size once; SIMHASH_DOC_BENCH_LARGEST leaves out those above it."""
    largest = int(os.environ.get("SIMHASH_DOC_BENCH_LARGEST", "100000000"))
    rows: list[Row] = []
    for n, memory in SIZES:
        if n > largest:
            continue
        with tempfile.TemporaryDirectory() as folder:
            values = Path(folder) / "values.npy"
            isolated(write_planted, values, n)
            isolated(search, values, memory) if n == SIZES[0][0] else None  # compiles
            (seconds, processor, pairs), peak = isolated(search, values, memory)
            rows.append(
                {
                    "task": "all pairs, out of core",
                    "fingerprints": n,
                    "memory_limit_bytes": memory,
                    "seconds": round(seconds, 2),
                    "processor_seconds": round(processor, 2),
                    "peak_mb": round(peak),
                    "pairs": pairs,
                }
            )
            print(rows[-1], flush=True)
    return rows
