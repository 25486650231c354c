"""The compiled loops of `find_all`: the same pairs as sorted tables, and as comparing all."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings

from simhash_doc.lookup import bucket_join, find_all, planning
from tests.lookup.distributions import FINGERPRINTS, KINDS, close_positions, parameters, seeded

pytest.importorskip("numba")
pytestmark = pytest.mark.slow  # compiling takes seconds


@pytest.fixture(autouse=True)
def always_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "_LEAST_COMPILED", 0)


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
    planning._kernels.cache_clear()
    with pytest.warns(RuntimeWarning, match="numba cannot be used"):
        assert find_all([0, 1], 5, 3).values.tolist() == [[0, 1]]
    planning._kernels.cache_clear()
