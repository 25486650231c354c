"""The compiled loops of `find_all`: the same pairs as sorted tables, and as comparing all."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_doc.lookup import bucket_join, find_all, planning
from simhash_doc.lookup.arrays import from_ints
from simhash_doc.lookup.planning import LaneTables, plan_join
from tests.lookup.distributions import (
    FINGERPRINTS,
    KINDS,
    close_positions,
    clustered_lanes,
    compared,
    integers,
    parameters,
    seeded,
)
from tests.lookup.test_pairs import found_pairs

pytest.importorskip("numba")
pytestmark = pytest.mark.slow  # compiling takes seconds


@pytest.fixture(autouse=True)
def always_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "_LEAST_COMPILED", 0)
    monkeypatch.setattr(planning, "_LEAST_BY_LANES", 0)


@pytest.mark.parametrize(("blocks", "distance"), parameters())
@settings(max_examples=25, deadline=None)
@given(listed=FINGERPRINTS)
def test_every_pair_is_found_once(blocks: int, distance: int, listed: list[int]) -> None:
    values = np.array(listed, np.uint64)
    found = find_all(values, blocks, distance)
    assert list(map(tuple, found.positions().tolist())) == close_positions(values, distance)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("blocks", "distance"), [(4, 3), (5, 3), (6, 2), (8, 5), (2, 1), (64, 1)])
def test_pairs_of_larger_lists(kind: str, blocks: int, distance: int, monkeypatch: pytest.MonkeyPatch) -> None:
    values = seeded(kind, 30_000 if distance == 3 else 3000)
    monkeypatch.setattr(bucket_join, "_TASK", 1000)
    found = find_all(values, blocks, distance)
    monkeypatch.setattr(planning, "_LEAST_COMPILED", len(values) + 1)
    expected = find_all(values, blocks, distance)
    assert len(expected) > 0 or kind in ("random", "sharing a block")
    assert np.array_equal(found.values, expected.values)


def test_more_pairs_than_the_buffer_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    values = seeded("clustered", 4000)
    expected = close_positions(values, 3)
    monkeypatch.setattr(bucket_join, "_BUFFER", 40)
    monkeypatch.setattr(bucket_join, "_LONG_PART", 39)
    assert list(map(tuple, find_all(values, 5, 3).positions().tolist())) == expected


@pytest.mark.parametrize("setting", ["python", "numpy"])
def test_the_setting_of_the_engine_counts(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMHASH_DOC_ENGINE", setting)
    monkeypatch.setattr(bucket_join, "bucket_pairs", None)
    assert find_all([0, 1], 5, 3).values.tolist() == [[0, 1]]


def test_numba_that_does_not_work_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "simhash_doc.lookup.bucket_kernels", None)
    monkeypatch.delattr("simhash_doc.lookup.bucket_kernels", raising=False)
    planning._kernels_work.cache_clear()
    with pytest.warns(RuntimeWarning, match="numba cannot be used"):
        assert find_all([0, 1], 5, 3).values.tolist() == [[0, 1]]
    planning._kernels_work.cache_clear()


@pytest.mark.parametrize("lanes", [2, 4, 8])
@settings(max_examples=25, deadline=None)
@given(data=st.data(), distance=st.integers(0, 40))
def test_every_pair_is_found_once_by_lanes(lanes: int, data: st.DataObject, distance: int) -> None:
    values = from_ints(data.draw(integers(lanes, farthest=30)), lanes)
    assert found_pairs(values, distance) == compared(values, distance)


@pytest.mark.parametrize(("lanes", "distance"), [(2, 10), (2, 16), (4, 2), (4, 26), (4, 36), (8, 56)])
def test_pairs_of_larger_lists_by_lanes(lanes: int, distance: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bucket_join, "_LANE_TASK", 300)
    values = clustered_lanes(2500, lanes, distance)
    expected = compared(values, distance)
    assert len(expected) > 500
    assert found_pairs(values, distance) == expected


def test_more_pairs_than_the_buffer_holds_by_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    values = clustered_lanes(60, 4, 10)
    values = np.concatenate((values, values[0] ^ (np.uint64(1) << np.arange(256, dtype=np.uint64).reshape(64, 4))))
    monkeypatch.setattr(bucket_join, "_LANE_BUFFER", 7)
    assert found_pairs(values, 26) == compared(values, 26)


def test_many_fingerprints_that_share_a_lane() -> None:
    values = clustered_lanes(1500, 4, 10)
    values[:, 1] = 7
    assert found_pairs(values, 26) == compared(values, 26)


def test_a_number_of_blocks_is_that_of_each_lane() -> None:
    values = clustered_lanes(100, 2, 4)
    tables = plan_join(values, 10, 12).tables
    assert isinstance(tables, LaneTables)
    assert [blocking.blocks for blocking in tables.blockings] == [12, 12]
    assert np.array_equal(find_all(values, blocks=12, distance=10).values, find_all(values, distance=10).values)


@pytest.mark.parametrize("setting", ["python", "numpy"])
def test_the_setting_of_the_engine_counts_by_lanes(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMHASH_DOC_ENGINE", setting)
    monkeypatch.setattr(bucket_join, "lane_pairs", None)
    for lanes, distance in ((2, 10), (4, 0), (4, 26), (8, 56)):
        values = clustered_lanes(600, lanes, distance)
        assert found_pairs(values, distance) == compared(values, distance)
        plan = plan_join(values, distance)
        assert isinstance(plan.tables, LaneTables)
        assert not plan.compiled


def test_a_search_on_disk_is_by_lanes_without_compiled_loops(tmp_path: Path) -> None:
    values = clustered_lanes(300, 4, 26)
    plan = plan_join(values, 26, in_memory=False)
    assert (isinstance(plan.tables, LaneTables), plan.compiled) == (True, False)
    found = find_all(values, distance=26, memory=1 << 30, output=tmp_path / "pairs.npy")
    assert np.array_equal(found.values, find_all(values, distance=26).values)
