"""What `simhash-doc spark dedupe` takes for rows of text: time, memory, disk, and what it finds.

    python -m benchmarks.spark_texts                # docs/benchmarks/spark-texts.json
    python -m benchmarks.spark_texts --rows 10000000 --policy defaults --more     # adds a run to the file

`benchmarks.planted_table` makes the rows. Its number of letters grows with the table. The policies are the defaults,
and the one that the documentation recommends for training text. Spark runs in local mode on all cores. CPU counts all
processes, Java's and Python's. Memory is their largest sum, in which pages that processes share count for each.
"""

from __future__ import annotations

import itertools
import tempfile
import threading
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import results
from benchmarks.deduplication import judged
from benchmarks.measuring import Row, machine, parser_of, seconds
from benchmarks.planted_table import rows
from benchmarks.spark import cpu_seconds
from simhash_doc.duplicates.policy import Policy
from simhash_doc.spark.jobs import JobInput, run_dedupe_texts
from simhash_doc.spark.session import start_session

SIZES = (100_000, 1_000_000)
SD64_DISTANCE = 5
POLICIES = {"defaults": Policy(), "training text": Policy(numbers="ignore", min_similarity=0.8)}
_PART = 1 << 16


def resident_mb() -> float:
    """Return the resident memory of this process and all below it."""
    total = 0
    for process in (psutil.Process(), *psutil.Process().children(recursive=True)):
        try:
            total += process.memory_info().rss
        except psutil.Error:
            continue
    return total / 1e6


def written(path: Path, count: int) -> list[tuple[str, int, str]]:
    """Write a table of planted rows, and return them without their texts."""
    table: list[tuple[str, int, str]] = []
    schema = pa.schema([("id", pa.int64()), ("text", pa.string())])
    made = rows(count)
    with pq.ParquetWriter(path, schema) as writer:
        while part := list(itertools.islice(made, _PART)):
            ids = range(len(table), len(table) + len(part))
            writer.write_table(pa.table({"id": ids, "text": [text for text, _, _ in part]}, schema))
            table += [("", origin, kind) for _, origin, kind in part]
    return table


def measure(spark: Any, policy: str, count: int) -> Row:
    """Return what a table with a number of rows takes, and what is found in it."""
    with tempfile.TemporaryDirectory() as folder:
        return measure_in(Path(folder), spark, policy, count)


def measure_in(folder: Path, spark: Any, policy: str, count: int) -> Row:
    source, output = folder / f"{count}.parquet", folder / f"out{count}"
    table = written(source, count)
    peak, done = [0.0], threading.Event()

    def watch() -> None:
        while not done.wait(1):
            peak[0] = max(peak[0], resident_mb())

    watching = threading.Thread(target=watch)
    watching.start()
    before, facts = cpu_seconds(), dict[str, Any]()
    try:
        wall = seconds(
            lambda: facts.update(
                run_dedupe_texts(spark, JobInput([str(source)]), str(output), POLICIES[policy], SD64_DISTANCE)
            )
        )
    finally:
        done.set()
        watching.join()
    cpu = cpu_seconds() - before
    found = pq.read_table(output / "documents", columns=["id", "cluster"]).sort_by("id")
    clusters = found["cluster"].to_pylist()
    kept = [None if cluster == row else cluster for row, cluster in enumerate(clusters)]
    row = {
        "policy": policy,
        "rows": count,
        "input_mb": round(source.stat().st_size / 1e6),
        "output_mb": round(sum(file.stat().st_size for file in output.rglob("*") if file.is_file()) / 1e6),
        "cpu_seconds": round(cpu, 1),
        "seconds": round(wall, 1),
        "peak_mb": round(peak[0]),
        **{name: facts[name] for name in ("blocks", "tables", "shuffle_bytes", "candidates", "partitions", "compared")},
        **judged(kept, table),
    }
    print(row, flush=True)
    return row


def main() -> None:
    """Measure, and write the results."""
    parser = parser_of(__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=SIZES)
    parser.add_argument("--policy", nargs="*", choices=POLICIES, default=list(POLICIES))
    parser.add_argument("--more", action="store_true", help="keep the rows that were measured before")
    options = parser.parse_args()
    spark = start_session("local[*]", [("spark.driver.memory", "4g"), ("spark.ui.enabled", "false")])
    measure(spark, "defaults", 2_000)  # Java compiles
    measured = [measure(spark, policy, count) for policy in options.policy for count in options.rows]
    known = results.read("spark-texts").get("runs", []) if options.more else []
    found = {
        "command": "python -m benchmarks.spark_texts",
        "machine": machine() | {"pyspark": metadata.version("pyspark")},
        "policies": {name: asdict(policy) for name, policy in POLICIES.items()},
        "sd64_distance": SD64_DISTANCE,
        "runs": [*known, *measured],
    }
    results.write("spark-texts", found)


if __name__ == "__main__":
    main()
