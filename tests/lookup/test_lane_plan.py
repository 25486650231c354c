"""The tables of the lanes of wide fingerprints: every pair is found, and their costs."""

from __future__ import annotations

from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc.lookup import TooExpensiveError
from simhash_doc.lookup.blocks import Blocking
from simhash_doc.lookup.planning import (
    LANE_JOIN,
    _cost,
    _sum_of_products,
    expected_candidates,
    lane_distances,
    plan_lanes,
)

NO_SAMPLE = np.empty((0, 4), np.uint64)


@given(st.data(), st.sampled_from([2, 4, 8]), st.integers(0, 127))
def test_no_pair_within_the_distance_exceeds_that_of_each_lane(data: st.DataObject, lanes: int, distance: int) -> None:
    within = lane_distances(lanes, distance)
    differing = data.draw(st.lists(st.integers(0, 64), min_size=lanes, max_size=lanes))
    if sum(differing) <= distance:
        assert any(bits <= most for bits, most in zip(differing, within, strict=True))
    # No lane has a larger distance than it needs: one bit more in each is one bit too many.
    assert sum(most + 1 for most in within) == distance + 1


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.data())
def test_the_sum_of_products_is_that_of_all_choices(shares: list[float], data: st.DataObject) -> None:
    chosen = data.draw(st.integers(1, len(shares)))
    assert _sum_of_products(shares, chosen) == pytest.approx(sum(map(prod, combinations(shares, chosen))))


def test_lanes_that_no_pair_needs_have_no_tables() -> None:
    assert [blocking is None for blocking in plan_lanes(1000, 256, 1, NO_SAMPLE).blockings] == [
        False,
        False,
        True,
        True,
    ]


def test_the_cost_of_uniform_fingerprints_is_that_of_the_keys() -> None:
    for blocking in plan_lanes(10**6, 256, 26, NO_SAMPLE).blockings:
        assert blocking is not None
        widths = Blocking(64, blocking.blocks, blocking.distance).masks
        tables = {width: [mask.bit_count() for mask in widths].count(width) for width in range(65)}
        expected = len(blocking) * LANE_JOIN.table + expected_candidates(10**6, tables)
        assert _cost(10**6, blocking, NO_SAMPLE[:, 0], LANE_JOIN) == pytest.approx(expected)


def test_fingerprints_that_agree_more_often_get_longer_keys() -> None:
    rng = np.random.default_rng(1)
    biased = np.packbits(rng.random((4096, 256)) < 0.25, axis=1).view(">u8").astype(np.uint64)
    uniform, correlated = plan_lanes(10**7, 256, 26, NO_SAMPLE), plan_lanes(10**7, 256, 26, biased)
    for few, many in zip(uniform.blockings, correlated.blockings, strict=True):
        assert few is not None
        assert many is not None
        assert many.blocks > few.blocks


def test_a_distance_that_costs_too_much_is_rejected() -> None:
    with pytest.raises(TooExpensiveError, match=r"10,000,000 fingerprints of 256 bits at distance 120 .* tables\)"):
        plan_lanes(10**7, 256, 120, NO_SAMPLE)
