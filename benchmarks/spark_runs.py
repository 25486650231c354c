"""Outputs of earlier runs for the measurements on Spark, written without Spark."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.lookup_data import Values
from simhash_doc.spark.columns import column_from_lanes
from simhash_doc.spark.incremental import DOCUMENTS, DOCUMENTS_PER_FILE, FINGERPRINTS, IDS, pack_files, pack_hashes

DISTANCE = 3


def names(first: int, count: int) -> pa.Array:
    return pa.array(np.char.add("https://example.org/articles/", np.arange(first, first + count).astype(str)))


def earlier_runs(folder: Path, parts: Iterable[Values]) -> list[str]:
    """Write the outputs of a chain of runs, each document a cluster by itself; return their folders.

    Args:
        parts: the fingerprints of 64 bits of each run.
    """
    folders, runs, first = [], list[str](), 0
    for values in parts:
        runs.append(f"run {len(runs)}")
        output = folder / f"{len(runs)}"
        _write_run(output, values, first, list(runs))
        folders.append(str(output))
        first += len(values)
    return folders


def _write_run(output: Path, values: Values, first: int, runs: list[str]) -> None:
    for name in (DOCUMENTS, "merged", FINGERPRINTS, IDS):
        (output / name).mkdir(parents=True)
    ids = names(first, len(values))
    column = column_from_lanes(values.reshape(-1, 1))
    reasons = pa.nulls(len(values), pa.string())
    table = pa.table({"id": ids, "fingerprint": column, "reason": reasons, "cluster": ids})
    of_files = []
    for number, start in enumerate(range(0, len(values), DOCUMENTS_PER_FILE)):
        part = table.slice(start, DOCUMENTS_PER_FILE)
        file = f"part-{number}.parquet"
        pq.write_table(part, output / DOCUMENTS / file)
        of_files.append(
            pa.record_batch({"file": pa.array([file] * len(part)), "x": part["fingerprint"].combine_chunks()})
        )
    pq.write_table(pa.table({"cluster": ids[:0], "into": ids[:0]}), output / "merged" / "part.parquet")
    hashes = np.random.default_rng(first).integers(-(2**63), 2**63, len(values))  # no id is used again
    packed = pa.Table.from_batches(list(pack_files(runs[-1], 1, iter(of_files))))
    pq.write_table(packed, output / FINGERPRINTS / "part.parquet", row_group_size=128)
    packed = pa.Table.from_batches(list(pack_hashes(iter(pa.table({"hash": hashes}).to_batches()))))
    pq.write_table(packed, output / IDS / "part.parquet", row_group_size=128)
    report = {"command": "dedupe", "runs": runs, "distance": DISTANCE, "bits": 64, "distinct": len(values)}
    (output / "report.json").write_text(json.dumps({**report, "index": True, "provenance": None}))
    (output / "_SUCCESS").touch()
