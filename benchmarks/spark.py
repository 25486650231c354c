"""Measure the jobs on Spark from 10^5 to 10^7 fingerprints, and write the figures that the documentation shows.

    python -m benchmarks.spark                     # all parts; needs the extra spark, and Java
    python -m benchmarks.spark days wide           # some parts, printed only
    python -m benchmarks.spark --small days wide   # with a hundredth of the fingerprints, printed only

All in one session on the cores of this machine. Bytes and rows are those of Spark's own event log.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pyspark.sql.functions as F  # noqa: N812
from pyspark.sql import DataFrame, SparkSession

from benchmarks import tables
from benchmarks.measuring import Row, chosen_parts, machine, median_seconds
from benchmarks.texts import Values, planted, planted_rows, random_values
from simhash_doc import lookup
from simhash_doc.lookup.arrays import as_rows
from simhash_doc.lookup.blocks import Blocking
from simhash_doc.spark import find_all, find_clusters, query
from simhash_doc.spark.columns import column_from_lanes
from simhash_doc.spark.jobs import run_dedupe

SIZES = (10**5, 10**6, 10**7)
BLOCKS, DISTANCE = 5, 3
MOST_FOR_SQL = 10**6
EARLIER, NEW = (10**6, 4 * 10**6, 10**7), (10**3, 10**4, 10**5)
WIDE, WIDE_DISTANCE = (10**5, 10**6), 26
METRICS = {
    "internal.metrics.shuffle.write.bytesWritten": "shuffle_bytes",
    "internal.metrics.input.bytesRead": "read_bytes",
    "internal.metrics.input.recordsRead": "read_rows",
    "data sent to Python workers": "python_bytes",
}


class Bench:
    """A session, and what was measured in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows: list[Row] = []
        (folder / "events").mkdir()
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        self.spark = (
            SparkSession.builder.master("local[*]")
            .config("spark.driver.memory", "3g")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.sql.shuffle.partitions", "8")
            .config("spark.local.dir", str(folder))
            # Spark does not count the bytes of vectored reads.
            .config("spark.hadoop.parquet.hadoop.vectored.io.enabled", "false")
            .config("spark.eventLog.enabled", "true")
            .config("spark.eventLog.dir", f"file://{folder}/events")
            .config("spark.eventLog.rolling.enabled", "false")
            .config("spark.eventLog.compress", "false")
            .getOrCreate()
        )
        self.spark.sparkContext.setLogLevel("ERROR")

    def measure(self, task: str, size: int, work: Callable[[], int], **more: object) -> None:
        """Time work that returns the number of its results; its shuffle bytes are added when the session ends."""
        group = f"{len(self.rows)}"
        self.spark.sparkContext.setJobGroup(group, task)
        start = time.perf_counter()
        results = work()
        row = {"task": task, "fingerprints": size, "seconds": time.perf_counter() - start, "results": results}
        self.rows.append({**row, "group": group, **more})
        print(self.rows[-1], flush=True)

    def table(self, values: Values, first: int = 0) -> DataFrame:
        """Write entries to a Parquet file, and return it."""
        return self.spark.read.parquet(self.file(values, first))

    def file(self, values: Values, first: int = 0) -> str:
        """Write entries to a Parquet file, and return its path."""
        path = self.new_path()
        made = pa.table({"id": _names(first, len(values)), "fingerprint": column_from_lanes(as_rows(values))})
        pq.write_table(made, path, row_group_size=max(1, len(values) // 8))
        return str(path)

    def new_path(self) -> Path:
        return self.folder / f"{len(list(self.folder.iterdir()))}"

    def finish(self) -> list[Row]:
        """End the session, and return the rows with their metrics."""
        self.spark.stop()
        totals = event_metrics(self.folder / "events")
        for row in self.rows:
            row |= {name: totals[row["group"], name] for name in METRICS.values()}
            del row["group"]
        return self.rows


def _names(first: int, count: int) -> pa.Array:
    return pa.array(np.char.add("https://example.org/articles/", np.arange(first, first + count).astype(str)))


def event_metrics(events: Path) -> dict[tuple[str, str], int]:
    """Return the sum of each metric over the stages of each job group."""
    groups: dict[tuple[int, int], str] = {}
    totals: dict[tuple[str, str], int] = defaultdict(int)
    for path in events.iterdir():
        with path.open(encoding="utf-8") as file:
            for event in map(json.loads, file):
                stage = event.get("Stage Info", {})
                key = (stage.get("Stage ID"), stage.get("Stage Attempt ID"))
                if event["Event"] == "SparkListenerStageSubmitted":
                    groups[key] = event.get("Properties", {}).get("spark.jobGroup.id", "")
                elif event["Event"] == "SparkListenerStageCompleted":
                    for value in stage["Accumulables"]:
                        if name := METRICS.get(value["Name"]):
                            totals[groups[key], name] += int(value["Value"])
    return totals


def count_pairs(df: DataFrame) -> int:
    with find_all(df, blocks=BLOCKS) as pairs:
        return pairs.values.count()


def count_ids(df: DataFrame) -> int:
    with find_all(df, blocks=BLOCKS) as pairs:
        return pairs.ids().count()


def count_members(df: DataFrame) -> int:
    with find_clusters(df, blocks=BLOCKS) as clusters:
        return clusters.members.count()


def count_matches(index: DataFrame, queries: DataFrame, broadcast_limit: int) -> int:
    with query(index, queries, blocks=BLOCKS, broadcast_limit=broadcast_limit) as matches:
        return matches.ids.count()


def count_sql(df: DataFrame) -> int:
    """Do the same with a plain join in SQL: a row for each fingerprint and table, joined with itself."""
    masks = Blocking(64, BLOCKS, DISTANCE).lane_masks.view(np.int64)[:, 0].tolist()
    value = df.select(F.conv(F.hex("fingerprint"), 16, -10).cast("bigint").alias("v")).distinct()
    keys = F.array(
        *(F.struct(F.lit(at).alias("t"), F.col("v").bitwiseAND(mask).alias("k")) for at, mask in enumerate(masks))
    )
    rows = value.select("v", F.explode(keys).alias("key")).select("v", "key.t", "key.k")
    a, b = rows.alias("a"), rows.alias("b")
    met = a.join(b, [F.col("a.t") == F.col("b.t"), F.col("a.k") == F.col("b.k"), F.col("a.v") < F.col("b.v")])
    # Spark would broadcast what it considers small; a crawl never is.
    df.sparkSession.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    difference = F.col("a.v").bitwiseXOR(F.col("b.v"))
    first = F.coalesce(*(F.when(difference.bitwiseAND(mask) == 0, F.lit(at)) for at, mask in enumerate(masks)))
    try:
        return met.where((F.bit_count(difference) <= DISTANCE) & (first == F.col("a.t"))).count()
    finally:
        df.sparkSession.conf.unset("spark.sql.autoBroadcastJoinThreshold")


def growth(bench: Bench, scale: int) -> None:
    for size in (size // scale for size in SIZES):
        values = planted(size, 1).stored
        df = bench.table(values)
        seconds = median_seconds(lambda values=values: lookup.find_all(values, BLOCKS), 3)  # type: ignore[misc]
        alone = {"search_seconds": seconds}
        bench.measure("pairs of fingerprints", size, lambda df=df: count_pairs(df), **alone)  # type: ignore[misc]
        if size <= MOST_FOR_SQL:
            bench.measure("pairs of fingerprints, plain SQL join", size, lambda df=df: count_sql(df), **alone)  # type: ignore[misc]
        bench.measure("pairs of ids", size, lambda df=df: count_ids(df))  # type: ignore[misc]
        seconds = median_seconds(lambda values=values: lookup.find_clusters(values, BLOCKS), 3)  # type: ignore[misc]
        bench.measure("clusters", size, lambda df=df: count_members(df), search_seconds=seconds)  # type: ignore[misc]


def matching(bench: Bench, scale: int) -> None:
    data = planted(10**6 // scale, 10**5 // scale)
    index, queries = bench.table(data.stored), bench.table(data.queries, 10**7)
    for name, most in (("queries broadcast", 1 << 20), ("both shuffled", 0)):
        bench.measure(
            f"{len(data.queries):,} queries, {name}",
            len(data.stored),
            lambda most=most: count_matches(index, queries, most),  # type: ignore[misc]
        )


def days(bench: Bench, scale: int) -> None:
    """Add days of several sizes to the output of earlier documents."""
    for size in (size // scale for size in EARLIER):
        data = planted(size, max(NEW) // scale)
        earlier = str(bench.new_path())
        run_dedupe(bench.spark, [bench.file(data.stored)], earlier, text_col=None)
        for n in (n // scale for n in NEW):
            fresh = np.concatenate((data.queries[: n // 2], random_values(n // 2, 9)))
            source, output = bench.file(fresh, 10**8), str(bench.new_path())

            def add(source: str = source, earlier: str = earlier, output: str = output) -> int:
                facts = run_dedupe(bench.spark, [source], output, previous=[earlier], text_col=None)
                return int(facts["new_clusters"])

            bench.measure(f"a day of {n:,} documents", size, add)


def wide(bench: Bench, scale: int) -> None:
    """Find the pairs of fingerprints of 256 bits within the distance of near-duplicates."""
    for size in (size // scale for size in WIDE):
        for kind in ("uniform", "biased"):
            df = bench.table(planted_rows(kind, size))

            def count(df: DataFrame = df) -> int:
                with find_all(df, distance=WIDE_DISTANCE) as pairs:
                    return pairs.values.count()

            bench.measure(f"pairs of {kind} sd256 fingerprints, distance {WIDE_DISTANCE}", size, count)


PARTS = {part.__name__: part for part in (growth, matching, days, wide)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="a hundredth of the fingerprints")
    options = chosen_parts(parser, PARTS)
    warnings.filterwarnings("ignore", category=FutureWarning)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        count_members(bench.table(planted(10**4, 1).stored))  # the first job of a session compiles much
        for part in options.parts:
            PARTS[part](bench, 100 if options.small else 1)
        rows = bench.finish()
    results = {"machine": {**machine(), "pyspark": pyspark.__version__}, "rows": rows}
    if len(options.parts) < len(PARTS) or options.small:
        print(json.dumps(results, indent=1))
    else:
        tables.write("spark", results)


if __name__ == "__main__":
    main()
