"""Queries against an index."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.spark.conftest import require_spark

require_spark()

from pyspark.sql import SparkSession

from simhash_doc.arrays import ints_from_lanes
from simhash_doc.spark import queries, query
from tests.lookup.distributions import clustered_lanes
from tests.spark.tables import name, table, values_of


@pytest.fixture(params=[0, queries.BROADCAST_LIMIT], ids=["shuffled", "broadcast"])
def _limit(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "BROADCAST_LIMIT", request.param)


@pytest.mark.usefixtures("_limit")
def test_matches_are_those_of_comparing_all(spark: SparkSession) -> None:
    values = values_of("duplicate-heavy", 600)
    stored, asked = values[:450], np.concatenate((values[450:], values[:10] ^ np.uint64(1 << 40)))
    index, others = table(spark, stored), table(spark, asked, first=5000)
    with query(index, others) as matches:
        found = Counter(tuple(row) for row in matches.ids.collect())
    gaps = np.bitwise_count(asked[:, None] ^ stored[None])
    expected = {(name(5000 + a), name(b), int(gaps[a, b])) for a, b in zip(*np.nonzero(gaps <= 3), strict=True)}
    assert max(found.values()) == 1
    assert set(found) == expected


@pytest.mark.usefixtures("_limit")
def test_wide_matches(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    bits, distance = 256, 26
    monkeypatch.setattr(queries, "_IN_TABLES", 700)  # some fingerprints at a time
    values = ints_from_lanes(clustered_lanes(160, bits // 64, distance))
    asked = values[60:]
    index, others = table(spark, values[:100], bits), table(spark, asked, bits, first=500)
    with query(index, others, distance=distance) as matches:
        found = Counter((row["query"], row["match"]) for row in matches.ids.collect())
    expected = {
        (name(500 + a), name(b))
        for a, one in enumerate(asked)
        for b, stored in enumerate(values[:100])
        if (one ^ stored).bit_count() <= distance
    }
    assert len(expected) > 100
    assert found == dict.fromkeys(expected, 1)
