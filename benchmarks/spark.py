"""What clusters of fingerprints take on Spark: seconds of CPU for each fingerprint, and for each comparison.

    python -m benchmarks.spark

Runs `simhash-doc spark dedupe --fingerprint` in local mode, on uniform fingerprints of 64 bits, of two numbers, and on
some of which a third share 40 bits. Counts the CPU of all processes, Java's and Python's: other work on the machine
delays them, and counts little. It writes docs/benchmarks/spark.json; docs/spark.md says what follows for 10^9.
"""

from __future__ import annotations

import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import results
from benchmarks.measuring import machine, parser_of, seconds
from simhash_doc.lookup.blocks import Blocking
from simhash_doc.spark import near_pairs
from simhash_doc.spark.columns import column_from_lanes
from simhash_doc.spark.jobs import JobInput, run_dedupe
from simhash_doc.spark.session import start_session

SIZES = (250_000, 1_500_000)
SKEWED = 200_000


def cpu_seconds() -> float:
    """Return the CPU time of this process and all below it, those that ended included."""
    tree = [psutil.Process(), *psutil.Process().children(recursive=True)]
    return sum(sum(process.cpu_times()[:4]) for process in tree)


def fingerprints(n: int, *, skewed: bool) -> np.ndarray:
    """Return uniform fingerprints; or of each third one, the first 40 bits are the same."""
    values = np.random.default_rng(n).integers(0, 2**64, n, np.uint64)
    return np.where(np.arange(n) % 3 == 0, values & np.uint64(0xFFFFFF), values) if skewed else values


def measure(spark: Any, n: int, folder: Path, *, skewed: bool = False) -> dict[str, Any]:
    """Return what clusters of n fingerprints take."""
    source, output = str(folder / "in.parquet"), str(folder / f"out{n}{skewed}")
    column = column_from_lanes(fingerprints(n, skewed=skewed).reshape(-1, 1))
    pq.write_table(pa.table({"id": np.arange(n), "fingerprint": column}), source, row_group_size=1 << 18)
    before, facts = cpu_seconds(), dict[str, Any]()
    with patch.object(near_pairs, "tables_for", lambda *_, **__: Blocking(64, 5, 3)):  # as for 10^9, not for so few
        wall = seconds(lambda: facts.update(run_dedupe(spark, JobInput([source]), output)))
    row = {
        "fingerprints": n,
        "skewed": skewed,
        **{name: facts[name] for name in ("blocks", "tables", "shuffle_bytes", "candidates", "partitions")},
        "cpu_seconds": round(cpu_seconds() - before, 1),
        "seconds": round(wall, 1),
    }
    print(row, flush=True)
    return row


def main() -> None:
    """Measure, and write the results."""
    parser_of(__doc__).parse_args()
    spark = start_session("local[2]", [("spark.driver.memory", "2g"), ("spark.ui.enabled", "false")])
    with tempfile.TemporaryDirectory() as folder:
        measure(spark, 10_000, Path(folder))  # Java compiles
        rows = [measure(spark, n, Path(folder)) for n in SIZES]
        rows.append(measure(spark, SKEWED, Path(folder), skewed=True))
    small, large, skewed = rows
    each = (large["cpu_seconds"] - small["cpu_seconds"]) / (SIZES[1] - SIZES[0])
    comparisons = SKEWED * skewed["candidates"] / 2
    start = small["cpu_seconds"] - each * SIZES[0]
    found = {
        "command": "python -m benchmarks.spark",
        "machine": machine() | {"pyspark": metadata.version("pyspark")},
        "runs": rows,
        "microseconds_per_fingerprint": round(1e6 * each, 1),
        "nanoseconds_per_comparison": round(1e9 * (skewed["cpu_seconds"] - start - each * SKEWED) / comparisons, 2),
    }
    results.write("spark", found)


if __name__ == "__main__":
    main()
