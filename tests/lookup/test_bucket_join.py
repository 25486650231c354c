"""The compiled loops of `find_all`: the same pairs as sorted tables, and as comparing all."""

from __future__ import annotations

import sys

import numpy as np
import pytest

pytest.importorskip("numba")

from simhash_doc.lookup import bucket_join, find_all
from simhash_doc.lookup.blocks import LaneTables
from simhash_doc.lookup.planning import join
from simhash_doc.lookup.planning.join import plan_join
from tests.lookup.conftest import search_with_tables
from tests.lookup.distributions import (
    close_positions,
    clustered_lanes,
    compared,
    seeded,
)
from tests.lookup.test_pairs import found_pairs

pytestmark = pytest.mark.slow  # compiling takes seconds


@pytest.fixture(autouse=True)
def always_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(join, "_LEAST_COMPILED", 0)
    monkeypatch.setattr(join, "_LEAST_BY_LANES", 0)
    search_with_tables(monkeypatch)


def test_buckets_in_several_tasks_give_the_pairs_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    values, rows = seeded("clustered", 30_000), clustered_lanes(2500, 4, 26)
    expected = find_all(values, 5).values, find_all(rows, distance=26).values
    monkeypatch.setattr(bucket_join, "_TASK", 1000)
    monkeypatch.setattr(bucket_join, "_LANE_TASK", 300)
    assert np.array_equal(find_all(values, 5).values, expected[0])
    assert np.array_equal(find_all(rows, distance=26).values, expected[1])
    monkeypatch.setenv("SIMHASH_DOC_ENGINE", "numpy")
    assert np.array_equal(find_all(values, 5).values, expected[0])
    assert np.array_equal(find_all(rows, distance=26).values, expected[1])


def test_more_pairs_than_the_buffer_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    values = seeded("clustered", 4000)
    expected = close_positions(values, 3)
    monkeypatch.setattr(bucket_join, "_BUFFER", 40)
    monkeypatch.setattr(bucket_join, "_LONG_PART", 39)
    assert list(map(tuple, find_all(values, 5, 3).positions().tolist())) == expected
    rows = clustered_lanes(60, 4, 10)
    rows = np.concatenate((rows, rows[0] ^ (np.uint64(1) << np.arange(256, dtype=np.uint64).reshape(64, 4))))
    monkeypatch.setattr(bucket_join, "_LANE_BUFFER", 7)
    assert found_pairs(rows, 26) == compared(rows, 26)


@pytest.mark.parametrize("setting", ["python", "numpy"])
def test_the_setting_of_the_engine_counts(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMHASH_DOC_ENGINE", setting)
    monkeypatch.setattr(bucket_join, "bucket_pairs", None)
    monkeypatch.setattr(bucket_join, "lane_pairs", None)
    assert find_all([0, 1], 5, 3).values.tolist() == [[0, 1]]
    assert find_all([0, 1], distance=3, scheme="sd256").distances.tolist() == [1]


def test_numba_that_does_not_work_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "simhash_doc.lookup.bucket_kernels", None)
    monkeypatch.delattr("simhash_doc.lookup.bucket_kernels", raising=False)
    join._kernels_work.cache_clear()
    with pytest.warns(RuntimeWarning, match="numba cannot be used"):
        assert find_all([0, 1], 5, 3).values.tolist() == [[0, 1]]
    join._kernels_work.cache_clear()


def test_a_number_of_blocks_is_that_of_each_lane() -> None:
    values = clustered_lanes(100, 2, 4)
    tables = plan_join(values, 10, 12).tables
    assert isinstance(tables, LaneTables)
    assert [blocking.blocks for blocking in tables.blockings] == [12, 12]
    assert np.array_equal(find_all(values, blocks=12, distance=10).values, find_all(values, distance=10).values)
