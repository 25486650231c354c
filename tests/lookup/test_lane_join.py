"""The compiled loops of `find_all` for wide fingerprints: the same pairs as comparing all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_doc.lookup import bucket_join, find_all, planning
from simhash_doc.lookup.arrays import from_ints
from simhash_doc.lookup.planning import LaneTables, plan_join
from tests.lookup.distributions import clustered_lanes
from tests.lookup.test_widths import compared, found_pairs, integers

pytest.importorskip("numba")
pytestmark = pytest.mark.slow  # compiling takes seconds


@pytest.fixture(autouse=True)
def always_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "_LEAST_BY_LANES", 0)


@pytest.mark.parametrize("lanes", [2, 4, 8])
@settings(max_examples=25, deadline=None)
@given(data=st.data(), distance=st.integers(0, 40))
def test_every_pair_is_found_once(lanes: int, data: st.DataObject, distance: int) -> None:
    values = from_ints(data.draw(integers(lanes, farthest=30)), lanes)
    assert found_pairs(values, distance) == compared(values, distance)


@pytest.mark.parametrize(("lanes", "distance"), [(2, 10), (2, 16), (4, 2), (4, 26), (4, 36), (8, 56)])
def test_pairs_of_larger_lists(lanes: int, distance: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bucket_join, "_LANE_TASK", 300)
    values = clustered_lanes(2500, lanes, distance)
    expected = compared(values, distance)
    assert len(expected) > 500
    assert found_pairs(values, distance) == expected


def test_more_pairs_than_the_buffer_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    values = clustered_lanes(60, 4, 10)
    values = np.concatenate((values, values[0] ^ (np.uint64(1) << np.arange(256, dtype=np.uint64).reshape(64, 4))))
    monkeypatch.setattr(bucket_join, "_LANE_BUFFER", 7)
    assert found_pairs(values, 26) == compared(values, 26)


def test_many_fingerprints_that_share_a_lane() -> None:
    values = clustered_lanes(1500, 4, 10)
    values[:, 1] = 7
    assert found_pairs(values, 26) == compared(values, 26)


def test_a_number_of_blocks_uses_the_tables_of_these_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bucket_join, "lane_pairs", None)
    assert len(find_all(clustered_lanes(100, 2, 4), blocks=12, distance=10)) > 0


@pytest.mark.parametrize("setting", ["python", "numpy"])
def test_the_setting_of_the_engine_counts(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMHASH_DOC_ENGINE", setting)
    monkeypatch.setattr(bucket_join, "lane_pairs", None)
    values = clustered_lanes(100, 2, 4)
    assert found_pairs(values, 10) == compared(values, 10)
    assert not plan_join(values, 10).compiled


def test_a_search_on_disk_does_not_join_lanes() -> None:
    values = clustered_lanes(100, 4, 4)
    assert isinstance(plan_join(values, 26).tables, LaneTables)
    assert not plan_join(values, 26, by_lanes=False).compiled
