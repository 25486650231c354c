"""Measure the jobs on Spark from 10^5 to 10^7 fingerprints, and write the figures that the documentation shows.

    python -m benchmarks.spark             # all sizes, about four minutes; needs the extra spark, and Java
    python -m benchmarks.spark 100000      # one size or several

All in one session on the cores of this machine. Shuffle bytes are those of Spark's own event log.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pyspark.sql.functions as F  # noqa: N812
from pyspark.sql import DataFrame, SparkSession

from benchmarks.lookup_data import Values, planted, random_values
from benchmarks.measuring import machine, median_seconds
from benchmarks.spark_report import write_report
from simhash_doc import lookup
from simhash_doc.lookup.blocks import Blocking
from simhash_doc.spark import Previous, find_all, find_clusters, query, update_clusters
from simhash_doc.spark.columns import column_from_lanes

RESULTS = Path(__file__).parent.parent / "docs/benchmarks"
SIZES = (10**5, 10**6, 10**7)
BLOCKS, DISTANCE = 5, 3
MOST_FOR_SQL = 10**6
EARLIER, NEW = (10**6, 4 * 10**6), (10**4, 10**5)

Row = dict[str, Any]


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
        path = self.folder / f"{len(list(self.folder.iterdir()))}.parquet"
        names = np.char.add("https://example.org/articles/", np.arange(first, first + len(values)).astype(str))
        made = pa.table({"id": names, "fingerprint": column_from_lanes(values.reshape(-1, 1))})
        pq.write_table(made, path, row_group_size=max(1, len(values) // 8))
        return self.spark.read.parquet(str(path))

    def finish(self) -> list[Row]:
        """End the session, and return the rows with their shuffle bytes."""
        self.spark.stop()
        written = shuffle_bytes(self.folder / "events")
        for row in self.rows:
            row["shuffle_bytes"] = written[row.pop("group")]
        return self.rows


def shuffle_bytes(events: Path) -> dict[str, int]:
    """Return the bytes that the stages of each job group wrote for shuffles."""
    groups: dict[tuple[int, int], str] = {}
    totals: dict[str, int] = defaultdict(int)
    for path in events.iterdir():
        with path.open(encoding="utf-8") as file:
            for event in map(json.loads, file):
                stage = event.get("Stage Info", {})
                key = (stage.get("Stage ID"), stage.get("Stage Attempt ID"))
                if event["Event"] == "SparkListenerStageSubmitted":
                    groups[key] = event.get("Properties", {}).get("spark.jobGroup.id", "")
                elif event["Event"] == "SparkListenerStageCompleted":
                    for value in stage["Accumulables"]:
                        if value["Name"] == "internal.metrics.shuffle.write.bytesWritten":
                            totals[groups[key]] += int(value["Value"])
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


def growth(bench: Bench, sizes: tuple[int, ...]) -> None:
    for size in sizes:
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


def matching(bench: Bench) -> None:
    data = planted(10**6)
    index, queries = bench.table(data.stored), bench.table(data.queries, 10**7)
    for name, most in (("queries broadcast", 1 << 20), ("both shuffled", 0)):
        bench.measure(
            f"100,000 queries, {name}",
            10**6,
            lambda most=most: count_matches(index, queries, most),  # type: ignore[misc]
        )


def days(bench: Bench) -> None:
    """Add days of two sizes to previous documents of two sizes."""
    for size in EARLIER:
        stored = planted(size, max(NEW))
        path = str(bench.folder / f"documents{size}")
        bench.table(stored.stored).withColumn("cluster", F.col("id")).write.parquet(path)
        before = bench.spark.read.parquet(path)
        previous = Previous(before, before.select("cluster", F.col("cluster").alias("into")).limit(0))
        for new in NEW:
            fresh = np.concatenate((stored.queries[: new // 2], random_values(new // 2, 9)))
            df = bench.table(fresh, 10**8)

            def add(df: DataFrame = df, previous: Previous = previous) -> int:
                with update_clusters(df, previous, blocks=BLOCKS) as day:
                    return day.documents.count()

            bench.measure(f"a day of {new:,} documents", size, add)


def main() -> None:
    warnings.filterwarnings("ignore", category=FutureWarning)
    sizes = tuple(int(size) for size in sys.argv[1:]) or SIZES
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        count_members(bench.table(planted(10**4, 1).stored))  # the first job of a session compiles much
        growth(bench, sizes)
        if not sys.argv[1:]:
            matching(bench)
            days(bench)
        rows = bench.finish()
    results = {"machine": {**machine(), "pyspark": pyspark.__version__}, "rows": rows}
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "spark.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    write_report(results, RESULTS)


if __name__ == "__main__":
    main()
