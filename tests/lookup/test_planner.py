"""The planner: its figures are those of the tables, and it detects distributions that make the work quadratic."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from simhash_doc import get_scheme
from simhash_doc.lookup import (
    Corpus,
    DegenerateDistributionWarning,
    LookupParameterError,
    TooExpensiveError,
    find_all,
    plan,
)
from simhash_doc.lookup.arrays import from_rows
from simhash_doc.lookup.blocks import Blocking
from simhash_doc.lookup.planning import JOIN, WIDE_JOIN, cheapest, plan_join
from simhash_doc.lookup.tables import Segment
from tests.lookup.distributions import seeded


@pytest.mark.parametrize("n", [0, 1, 100, 5000])
@pytest.mark.parametrize(("blocks", "distance"), [(4, 3), (5, 3), (7, 2)])
@pytest.mark.parametrize("scheme", ["sd64", "sd256"])
def test_bytes_are_those_of_the_tables(n: int, blocks: int, distance: int, scheme: str) -> None:
    lanes = get_scheme(scheme).lanes
    values = from_rows(seeded("random", n * lanes).reshape(n, lanes))
    segment = Segment.build(values, Blocking(64 * lanes, blocks, distance))
    assert plan(n, distance, blocks=blocks, scheme=scheme).bytes == segment.nbytes


def test_five_blocks_take_at_most_140_bytes_per_fingerprint() -> None:
    for n in (10**5, 10**6, 2**20 + 1, 3 * 10**6, 10**7, 10**8, 10**9):
        assert plan(n, blocks=5).bytes <= 140 * n


def test_candidates_are_those_that_queries_compare() -> None:
    values = seeded("random", 20_000)
    corpus = Segment.build(values, Blocking(64, 4, 3))
    queries = seeded("random", 2000, seed=8)
    met = sum(len(at) for number in range(4) for at, _ in corpus._candidates(queries, number))
    assert met / len(queries) == pytest.approx(plan(20_000, blocks=4).candidates, rel=0.1)
    assert plan(values, blocks=4).candidates == pytest.approx(plan(20_000, blocks=4).candidates, rel=0.3)


def test_choices_agree_with_the_specification() -> None:
    assert [plan(n).blocks for n in (10**5, 10**6, 10**7, 10**8, 10**9)] == [4, 5, 5, 5, 6]
    assert plan(10**6, memory=10**8).blocks == 4
    assert Corpus.plan(10**6) == plan(10**6)


def test_too_little_memory_is_rejected_with_the_bytes_needed() -> None:
    with pytest.raises(LookupParameterError, match=r"need [\d,]+ bytes at least, not 1,000"):
        plan(10**6, memory=1000)
    with pytest.raises(LookupParameterError, match="number of fingerprints is -1"):
        plan(-1)
    with pytest.raises(LookupParameterError, match="blocks is 3 for distance 3"):
        plan(10, blocks=3)


def test_a_block_shared_by_all_is_answered_by_more_blocks_or_a_warning() -> None:
    shared = seeded("random", 20_000) & np.uint64(2**48 - 1)  # 16 bits equal: one block of four
    with pytest.warns(DegenerateDistributionWarning, match="grows with the square"):
        assert plan(shared, blocks=4).degenerate
    most_shared = seeded("sharing a block", 20_000)  # 32 bits equal
    with pytest.warns(DegenerateDistributionWarning):
        assert plan(most_shared).candidates > 100


@pytest.mark.parametrize("kind", ["random", "clustered"])
def test_near_duplicates_are_not_degenerate(kind: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not plan(seeded(kind, 20_000)).degenerate
        assert plan([]).fingerprints == plan(0).fingerprints == 0


@pytest.mark.parametrize("kind", ["random", "clustered"])
def test_all_pairs_are_found_with_the_blocks_of_the_cheapest_join(kind: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert plan_join(seeded(kind, 20_000), 3).tables == Blocking(64, cheapest(20_000, 64, 3, JOIN).blocks, 3)


def test_a_shared_block_is_reported_before_all_pairs_are_found() -> None:
    values = np.arange(20_000, dtype=np.uint64)
    with pytest.warns(DegenerateDistributionWarning):
        assert plan_join(values, 3).tables == Blocking(64, plan(values, 3).blocks, 3)
    with pytest.warns(DegenerateDistributionWarning):
        find_all(values, blocks=4)


@pytest.mark.parametrize("scheme", ["sd64", "sd128", "sd256", "sd512"])
def test_the_close_threshold_is_feasible_for_a_million_fingerprints_of_every_width(scheme: str) -> None:
    known = get_scheme(scheme)
    assert known.close < cheapest(10**6, known.bits, known.close, WIDE_JOIN).blocks <= known.close + 6
    assert plan(10**6, scheme=scheme).distance == known.close


def test_a_distance_that_costs_too_much_is_rejected_with_the_numbers() -> None:
    with pytest.raises(TooExpensiveError, match=r"10,000,000 fingerprints of 64 bits at distance 30 take about \de\+1"):
        cheapest(10**7, 64, 30, JOIN)
    # An explicit number of blocks is used whatever it costs.
    assert len(find_all([0, 2**30 - 1], blocks=31, distance=30)) == 1


def test_every_planner_uses_the_same_arithmetic() -> None:
    pytest.importorskip("sqlalchemy")
    from simhash_doc.lookup.planning import describe
    from simhash_doc.store import expected_candidates

    # With one block more than the distance, a table of the index is a slice of the database.
    for bits, blocks in ((64, 4), (128, 11), (512, 57)):
        index = describe(10**6, bits, blocks, blocks - 1)
        assert expected_candidates(10**6, bits, blocks, blocks - 1) == index.candidates
