"""Pairs and clusters on Spark are those of the search in memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from tests.spark.conftest import require_spark

require_spark()

from pyspark.sql import SparkSession

from simhash_doc import get_schemes
from simhash_doc.arrays import ints_from_lanes
from simhash_doc.lookup import DegenerateDistributionWarning, LookupParameterError
from simhash_doc.spark import TooManyPairsError, distinct, find_all, find_clusters, partitioning
from tests.lookup.distributions import clustered_lanes
from tests.spark.tables import (
    brute_force,
    clusters_of,
    expected_clusters,
    expected_ids,
    rows_of,
    table,
    values_of,
)

CLOSE = {scheme.bits: scheme.close for scheme in get_schemes().values()}


def test_pairs_and_clusters_are_those_of_the_search_in_memory(spark: SparkSession) -> None:
    values = values_of("duplicate-heavy", 800)
    df = table(spark, values)
    with find_clusters(df) as clusters:
        found = Counter(tuple(row) for row in clusters.pairs.ids().collect())
        assert max(found.values(), default=1) == 1
        assert set(found) == expected_ids(values)
        assert clusters.pairs.count_ids() == len(found)
        expected = expected_clusters(values)
        assert clusters_of(clusters.members) == expected
        assert {row["cluster"] for row in clusters.members.collect()} == {min(members) for members in expected}


def test_popular_keys_are_split_and_reported(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partitioning, "_SMALLEST_BUCKET", 100)
    monkeypatch.setattr(partitioning, "_TASKS_PER_CORE", 100)
    values = values_of("skewed", 2000)
    with pytest.warns(DegenerateDistributionWarning, match=r"up to 6[0-9][0-9] that agree in bits [0-9., ]+:"):
        pairs = find_all(table(spark, values))
    with pairs:
        assert max(key.stored for key in pairs.popular) > 600
        assert {tuple(row) for row in pairs.ids(None).collect()} == expected_ids(values)


def test_clusters_are_the_same_in_rounds(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simhash_doc.spark.components._IN_ONE_TASK", 0)
    # A chain, in which each is near the next only, and clusters around it.
    chain = [int(value) for value in np.cumsum(1 << np.arange(60, dtype=np.uint64), dtype=np.uint64)]
    values = np.concatenate((np.array(chain, np.uint64), values_of("planted", 1500)))
    with find_clusters(table(spark, values), distance=1) as found:
        assert clusters_of(found.members) == expected_clusters(values, 1)
        assert 0 < found.rounds < 15


@pytest.mark.parametrize(("bits", "distance"), [(64, 6), (128, 2), (256, None), (512, None)])
def test_pairs_of_every_width(spark: SparkSession, bits: int, distance: int | None) -> None:
    farthest = CLOSE[bits] if distance is None else distance
    values = ints_from_lanes(clustered_lanes(200, bits // 64, farthest + 4))
    with find_all(table(spark, values, bits), distance=distance) as pairs:
        found = [tuple(row) for row in pairs.ids(None).collect()]
    expected = brute_force(values, farthest)
    assert len(expected) > 50
    assert Counter(found) == dict.fromkeys(expected, 1)


def test_pairs_that_are_near_in_the_first_lane(spark: SparkSession) -> None:
    lanes = clustered_lanes(300, 4, 24)
    values = ints_from_lanes(lanes)
    with find_all(table(spark, values, 256), distance=20, sd64_distance=3) as pairs:
        found = [tuple(row) for row in pairs.ids(None).collect()]
        assert isinstance(pairs.plan.blocks, tuple)
        assert pairs.plan.blocks[1:] == (0, 0, 0)
    everything = brute_force(values, 20)
    apart = np.bitwise_count(lanes[:, None, 0] ^ lanes[None, :, 0])
    near = [row for row in everything if apart[int(row[0]), int(row[1])] <= 3]
    assert 20 < len(near) < len(everything)
    assert Counter(found) == dict.fromkeys(near, 1)


def test_a_sample_has_a_share_of_the_fingerprints(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    values = clustered_lanes(3000, 2, 60)
    found = distinct.distinct(table(spark, ints_from_lanes(values), 128))
    everything = set(ints_from_lanes(values))
    assert sorted(ints_from_lanes(replace(found).sample)) == sorted(everything)
    monkeypatch.setattr(distinct, "_SAMPLE", 500)
    chosen = set(ints_from_lanes(replace(found).sample))
    assert chosen < everything
    assert 350 < len(chosen) < 650


def test_fifty_thousand_copies_make_one_pair_of_values(spark: SparkSession) -> None:
    df = spark.range(50_000).selectExpr("id", "unhex(lpad(hex(id div 49999), 16, '0')) AS fingerprint")
    with find_clusters(df) as clusters:
        values = [tuple(row) for row in clusters.pairs.values.collect()]
        zero, one = bytes(8), bytes(7) + b"\1"
        assert sorted(values) == [(zero, zero, 0), (zero, one, 1)]
        with pytest.raises(TooManyPairsError, match="1,249,975,000 pairs of ids are over the limit of 1,000,000,000"):
            clusters.pairs.ids()
        assert clusters.members.where("cluster = 0").count() == 50_000


def test_entries_without_a_fingerprint_are_in_no_pair(spark: SparkSession) -> None:
    df = rows_of(spark, [("a", None), ("b", b"12345678"), ("c", None), ("d", b"12345678")])
    with find_all(df) as pairs:
        assert [tuple(row) for row in pairs.ids(None).collect()] == [("b", "d", 0)]
        assert (pairs.distinct.entries, pairs.distinct.missing) == (2, 2)
    empty = rows_of(spark, [("a", None)])
    with find_clusters(empty) as clusters:
        assert clusters.members.count() == 0
        assert clusters.pairs.ids(None).count() == 0


@pytest.mark.parametrize(("id_type", "ids"), [("bigint", [-5, 0, 2**60]), ("binary", [b"x", b"", b"xy"])])
def test_ids_may_be_of_several_types(spark: SparkSession, id_type: str, ids: list[object]) -> None:
    df = rows_of(spark, [(value, b"abcdefgh") for value in ids], f"`my id` {id_type}, `a.b` binary")
    with find_all(df, id_col="my id", fp_col="a.b") as pairs:
        found = sorted(tuple(row)[:2] for row in pairs.ids(None).collect())
    ordered = sorted(ids)  # type: ignore[type-var]
    assert found == sorted([(ordered[0], ordered[1]), (ordered[0], ordered[2]), (ordered[1], ordered[2])])


def test_what_is_cached_is_freed_after_an_error(spark: SparkSession) -> None:
    before = set(spark.sparkContext._jsc.getPersistentRDDs())
    with pytest.raises(LookupParameterError, match="distance"):
        find_all(table(spark, [1, 2]), distance=65)
    assert set(spark.sparkContext._jsc.getPersistentRDDs()) <= before
