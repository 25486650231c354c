"""The planner: what it promises is what is built, and it sees distributions that make the work quadratic."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from simhash_doc.lookup import Corpus, DegenerateDistributionWarning, LookupParameterError, plan
from simhash_doc.lookup.tables import Segment
from tests.lookup.distributions import seeded


@pytest.mark.parametrize("n", [0, 1, 100, 5000])
@pytest.mark.parametrize(("blocks", "distance"), [(4, 3), (5, 3), (7, 2)])
def test_bytes_are_those_of_the_tables(n: int, blocks: int, distance: int) -> None:
    segment = Segment.build(seeded("random", n), blocks, distance)
    assert plan(n, distance, blocks=blocks).bytes == segment.nbytes


def test_five_blocks_take_at_most_140_bytes_a_fingerprint() -> None:
    for n in (10**5, 10**6, 2**20 + 1, 3 * 10**6, 10**7, 10**8, 10**9):
        assert plan(n, blocks=5).bytes <= 140 * n


def test_candidates_are_those_that_queries_meet() -> None:
    values = seeded("random", 20_000)
    corpus = Segment.build(values, 4, 3)
    queries = seeded("random", 2000, seed=8)
    met = sum(len(at) for number in range(4) for at, _ in corpus._candidates(queries, number))
    assert met / len(queries) == pytest.approx(plan(20_000, blocks=4).candidates, rel=0.1)
    assert plan(values, blocks=4).candidates == pytest.approx(plan(20_000, blocks=4).candidates, rel=0.3)


def test_choices_agree_with_the_specification() -> None:
    assert [plan(n).blocks for n in (10**5, 10**6, 10**7, 10**8, 10**9)] == [4, 5, 5, 5, 6]
    assert plan(10**6, memory=10**8).blocks == 4
    assert Corpus.plan(10**6) == plan(10**6)


def test_too_little_memory_is_refused_with_what_is_needed() -> None:
    with pytest.raises(LookupParameterError, match=r"need [\d,]+ bytes at least, not 1,000"):
        plan(10**6, memory=1000)
    with pytest.raises(LookupParameterError, match="-1 fingerprints"):
        plan(-1)
    with pytest.raises(LookupParameterError, match="blocks is 3 for distance 3"):
        plan(10, blocks=3)


def test_a_block_shared_by_all_is_answered_by_more_blocks_or_a_warning() -> None:
    shared = seeded("random", 20_000) & np.uint64(2**48 - 1)  # 16 bits equal: a whole block of four
    with pytest.warns(DegenerateDistributionWarning, match="grows with the square"):
        assert plan(shared, blocks=4).degenerate
    most_shared = seeded("sharing a block", 20_000)  # 32 bits equal
    with pytest.warns(DegenerateDistributionWarning):
        assert plan(most_shared).candidates > 100


@pytest.mark.parametrize("kind", ["random", "clustered"])
def test_near_duplicates_are_not_called_degenerate(kind: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not plan(seeded(kind, 20_000)).degenerate
        assert plan([]).fingerprints == plan(0).fingerprints == 0
