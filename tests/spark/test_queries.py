"""Queries against an index, and days added to previous ones."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.spark.requirements import require_spark

require_spark()

from pyspark.sql import SparkSession

from simhash_doc.engines.lanes import ints_from_lanes
from simhash_doc.spark import BadColumnError, queries, query
from simhash_doc.spark.incremental import Previous, update_clusters
from tests.lookup.distributions import clustered_lanes
from tests.spark.tables import clusters_of, expected_clusters, name, table, values_of


@pytest.mark.parametrize("broadcast_limit", [0, 10_000])
def test_matches_are_those_of_comparing_all(spark: SparkSession, broadcast_limit: int) -> None:
    values = values_of("duplicate-heavy", 600)
    stored, asked = values[:450], np.concatenate((values[450:], values[:10] ^ np.uint64(1 << 40)))
    index, others = table(spark, stored), table(spark, asked, first=5000)
    with query(index, others, broadcast_limit=broadcast_limit) as matches:
        found = Counter(tuple(row) for row in matches.ids.collect())
    gaps = np.bitwise_count(asked[:, None] ^ stored[None])
    expected = {(name(5000 + a), name(b), int(gaps[a, b])) for a, b in zip(*np.nonzero(gaps <= 3), strict=True)}
    assert max(found.values()) == 1
    assert set(found) == expected


@pytest.mark.parametrize("broadcast_limit", [0, 10_000])
def test_wide_matches(spark: SparkSession, broadcast_limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    bits, distance = 256, 26
    monkeypatch.setattr(queries, "_IN_TABLES", 700)  # some fingerprints at a time
    values = ints_from_lanes(clustered_lanes(160, bits // 64, distance))
    asked = values[60:]
    with query(
        table(spark, values[:100], bits),
        table(spark, asked, bits, first=500),
        distance=distance,
        broadcast_limit=broadcast_limit,
    ) as matches:
        found = Counter((row["query"], row["match"]) for row in matches.ids.collect())
    expected = {
        (name(500 + a), name(b))
        for a, one in enumerate(asked)
        for b, stored in enumerate(values[:100])
        if (one ^ stored).bit_count() <= distance
    }
    assert len(expected) > 100
    assert found == dict.fromkeys(expected, 1)


def test_updates_give_the_same_clusters_as_one_run(spark: SparkSession, tmp_path: Path) -> None:
    # Chains, whose links arrive in any order, merge clusters of previous runs. Days are joined in both ways.
    chain = np.cumsum(np.uint64(7) << np.arange(0, 60, 3, dtype=np.uint64), dtype=np.uint64)
    values = np.random.default_rng(5).permutation(np.concatenate((chain, ~chain, values_of("duplicate-heavy", 200))))
    previous: Previous | None = None
    for day, start in enumerate(range(0, len(values), 80)):
        df = table(spark, values[start : start + 80], first=start)
        with update_clusters(df, previous, broadcast_limit=(0, 10_000)[day % 2]) as added:
            for part in ("documents", "merged"):
                getattr(added, part).write.parquet(str(tmp_path / f"{part}{day}"))
        documents = spark.read.parquet(*(str(tmp_path / f"documents{done}") for done in range(day + 1)))
        previous = Previous(documents, spark.read.parquet(str(tmp_path / f"merged{day}")))
    assert previous is not None
    assert previous.merged.count() > 0
    assert previous.clusters().count() == len(values)
    assert clusters_of(previous.clusters()) == expected_clusters(values)


def test_an_id_of_a_previous_run_is_rejected(spark: SparkSession) -> None:
    first = table(spark, [1, 2, 3])
    with update_clusters(first) as update:
        # As read from a file: otherwise every query computes the first update again.
        previous = Previous(*(spark.createDataFrame(df.toArrow()) for df in (update.documents, update.merged)))
        for limit in (0, 100):
            with pytest.raises(BadColumnError, match="of a previous run, such as '0000002'"):
                update_clusters(table(spark, [5, 6], first=2), previous, broadcast_limit=limit)
        with pytest.raises(
            BadColumnError, match="of a previous run holds fingerprints of 8 bytes where 16 are expected"
        ):
            update_clusters(table(spark, [5], 128, first=9), previous)
