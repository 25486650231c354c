"""The planner: its figures are those of the tables, and it detects distributions that make the work quadratic."""

from __future__ import annotations

import warnings
from collections import Counter
from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import get_scheme
from simhash_doc.arrays import ints_from_lanes, lanes_from_ints
from simhash_doc.engines import select
from simhash_doc.lookup import (
    Corpus,
    DegenerateDistributionWarning,
    LookupParameterError,
    TooExpensiveError,
    find_all,
    find_clusters,
    joins,
    plan,
)
from simhash_doc.lookup.blocks import Blocking, BlockTables, LaneTables, prefix_widths
from simhash_doc.lookup.clusters import affordable_clusters
from simhash_doc.lookup.planning.costs import uniform_candidates
from simhash_doc.lookup.planning.join import COMPILED_JOIN, Nearness, plan_join
from simhash_doc.lookup.planning.pair_tables import (
    _cost,
    _sum_of_products,
    lane_distances,
    plan_lanes,
    reject_expensive,
)
from simhash_doc.lookup.tables import PermutedTables
from simhash_doc.schemes import SchemeId
from tests.lookup.distributions import clustered_lanes, seeded


@pytest.mark.parametrize("n", [0, 1, 100, 5000])
@pytest.mark.parametrize(("blocks", "distance"), [(4, 3), (5, 3), (7, 2)])
@pytest.mark.parametrize("scheme", ["sd64", "sd256"])
def test_bytes_are_those_of_the_tables(n: int, blocks: int, distance: int, scheme: SchemeId) -> None:
    lanes = get_scheme(scheme).lanes
    values = seeded("random", n * lanes).reshape(n, lanes)
    permuted = PermutedTables(Blocking(64 * lanes, blocks, distance), values)
    arrays: list[np.ndarray] = [values] if lanes > 1 else []
    for table in permuted.tables:
        arrays += [table.values if table.rows is None else table.rows, table.starts, table.counts]
    assert plan(n, distance=distance, blocks=blocks, scheme=scheme).bytes == sum(array.nbytes for array in arrays)


def test_five_blocks_take_at_most_140_bytes_per_fingerprint() -> None:
    for n in (10**5, 10**6, 2**20 + 1, 3 * 10**6, 10**7, 10**8, 10**9):
        assert plan(n, blocks=5).bytes <= 140 * n


def test_candidates_are_those_that_queries_compare() -> None:
    values = seeded("random", 20_000)
    corpus = PermutedTables(Blocking(64, 4, 3), values[:, None])
    queries = seeded("random", 2000, seed=8)[:, None]
    met = sum(len(at) for number in range(4) for at, _ in corpus._candidates(queries, number))
    assert met / len(queries) == pytest.approx(plan(20_000, blocks=4).candidates, rel=0.1)
    assert plan(values, blocks=4).candidates == pytest.approx(plan(20_000, blocks=4).candidates, rel=0.3)


def test_choices_agree_with_the_specification() -> None:
    assert [plan(n).blocks for n in (10**5, 10**6, 10**7, 10**8, 10**9)] == [4, 5, 5, 5, 6]
    assert plan(10**6, memory=10**8).blocks == 4


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
        assert plan_join(seeded(kind, 20_000)[:, None], Nearness(3)).tables == Blocking(64, 4, 3)


def test_a_shared_block_is_reported_before_all_pairs_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(select, "_setting", "numpy")
    values = np.arange(4000, dtype=np.uint64)
    with pytest.warns(DegenerateDistributionWarning):
        assert plan_join(values[:, None], Nearness(3), in_memory=False).tables == Blocking(
            64, plan(values, distance=3).blocks, 3
        )
    with pytest.warns(DegenerateDistributionWarning):
        assert plan_join(values[:, None], Nearness(3)).tables is None  # tables would save nothing
    with pytest.warns(DegenerateDistributionWarning) as caught:
        find_all(values, blocks=4)
    assert caught[0].filename == __file__


def test_clusters_of_a_template_give_no_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs that only connect are few, however many fingerprints share a block."""
    monkeypatch.setattr(select, "_setting", "numpy")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(find_clusters(np.arange(4000, dtype=np.uint64), blocks=4)) == 1


@pytest.mark.parametrize("scheme", ["sd64", "sd128", "sd256", "sd512"])
def test_the_close_threshold_is_feasible_for_a_million_fingerprints_of_every_width(scheme: SchemeId) -> None:
    known = get_scheme(scheme)
    assert known.close < Corpus(scheme=scheme).blocks <= known.close + 6
    assert plan(10**6, scheme=scheme).distance == known.close


@pytest.mark.parametrize(("bits", "distance"), [(64, 30), (256, 120)])
def test_a_distance_that_costs_too_much_is_rejected_with_the_numbers(bits: int, distance: int) -> None:
    tables, cost = plan_lanes(10**7, bits, distance, NO_SAMPLE, COMPILED_JOIN)
    with pytest.raises(
        TooExpensiveError, match=rf"10,000,000 fingerprints of {bits} bits at distance {distance} .* \(\d+ tables"
    ):
        reject_expensive(10**7, tables, 100 * cost, COMPILED_JOIN)
    reject_expensive(10**7, tables, 1, COMPILED_JOIN)
    # An explicit number of blocks is used whatever it costs.
    assert len(find_all([0, 2**30 - 1], blocks=31, distance=30)) == 1


@pytest.mark.parametrize(("lanes", "distance"), [(1, 3), (1, 40), (4, 26), (8, 400), (8, 511)])
def test_a_small_list_is_compared_without_tables_whatever_the_distance(
    lanes: int, distance: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = clustered_lanes(60, lanes, 0) if lanes > 1 else seeded("random", 60)[:, None]
    for planner in ("join.plan_lanes", "pair_tables.considered_blocks", "join.sample_of"):
        monkeypatch.setattr(f"simhash_doc.lookup.planning.{planner}", None)
    assert plan_join(values, Nearness(distance)).tables is None
    find_all(values, distance=distance)
    monkeypatch.undo()
    assert (
        plan_join(values, Nearness(distance, blocks=distance + 1 if lanes == 1 else None), in_memory=False).tables
        is not None
    )


def test_every_planner_uses_the_same_arithmetic() -> None:
    pytest.importorskip("sqlalchemy")
    from simhash_doc.store.layout import expected_candidates

    # With one block more than the distance, a table of the index is a slice of the database.
    for bits, blocks in ((64, 4), (128, 11), (512, 57)):
        index = uniform_candidates(10**6, prefix_widths(bits, blocks, blocks - 1))
        assert expected_candidates(10**6, bits, blocks, blocks - 1) == index


NO_SAMPLE = np.empty((0, 4), np.uint64)


def planned(fingerprints: int, distance: int, sample: np.ndarray = NO_SAMPLE) -> LaneTables:
    tables, _ = plan_lanes(fingerprints, 256, distance, sample, COMPILED_JOIN)
    assert isinstance(tables, LaneTables)
    return tables


@given(st.data(), st.sampled_from([2, 4, 8]), st.integers(0, 127))
def test_no_pair_within_the_distance_exceeds_that_of_each_lane(data: st.DataObject, lanes: int, distance: int) -> None:
    within = lane_distances(64 * lanes, distance)
    differing = data.draw(st.lists(st.integers(0, 64), min_size=lanes, max_size=lanes))
    if sum(differing) <= distance:
        assert any(bits <= most for bits, most in zip(differing, within, strict=False))
    # No lane has a larger distance than it needs: one bit more in each is one bit too many.
    assert sum(most + 1 for most in within) == distance + 1


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.data())
def test_the_sum_of_products_is_that_of_all_choices(shares: list[float], data: st.DataObject) -> None:
    chosen = data.draw(st.integers(1, len(shares)))
    assert _sum_of_products(shares, chosen) == pytest.approx(sum(map(prod, combinations(shares, chosen))))


def test_lanes_that_no_pair_needs_have_no_tables() -> None:
    assert len(planned(1000, 1).blockings) == 2


def test_the_cost_of_uniform_fingerprints_is_that_of_the_keys() -> None:
    for blocking in planned(10**6, 26).blockings:
        widths = Blocking(64, blocking.blocks, blocking.distance).masks
        tables = {width: [mask.bit_count() for mask in widths].count(width) for width in range(65)}
        expected = len(blocking) * COMPILED_JOIN.table + uniform_candidates(10**6, tables)
        assert _cost(10**6, blocking, NO_SAMPLE[:, 0], COMPILED_JOIN) == pytest.approx(expected)


def test_fingerprints_that_agree_more_often_get_longer_keys() -> None:
    rng = np.random.default_rng(1)
    biased = np.packbits(rng.random((4096, 256)) < 0.25, axis=1).view(">u8").astype(np.uint64)
    uniform, correlated = planned(10**7, 26), planned(10**7, 26, biased)
    for few, many in zip(uniform.blockings, correlated.blockings, strict=True):
        assert many.blocks > few.blocks


def lane_tables(bits: int, distance: int, spare: int = 0) -> LaneTables:
    """Return tables with `spare` more blocks in each lane than a distance needs."""
    distances = lane_distances(bits, distance)
    return LaneTables(bits, distance, tuple(Blocking(64, most + 1 + spare, most) for most in distances))


@pytest.mark.parametrize("tables", [lane_tables(256, 26), Blocking(128, 14, 12), Blocking(64, 5, 3)])
@pytest.mark.parametrize("long_run", [2, 256])
def test_tables_find_every_pair_and_match_once(
    tables: BlockTables, long_run: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joins, "_LONG_RUN", long_run)
    monkeypatch.setattr(joins, "_GATHERED", 16)
    rows = np.unique(clustered_lanes(200, tables.lanes, tables.distance + 4), axis=0)
    near = np.bitwise_count(rows[:, None] ^ rows[None]).sum(axis=2, dtype=np.int64) <= tables.distance
    listed = ints_from_lanes(rows)
    within, between = Counter[frozenset[int]](), Counter[tuple[int, int]]()
    for table in range(len(tables)):
        for a, b in joins.matches_within(rows, tables, table):
            within.update(map(frozenset, zip(ints_from_lanes(a), ints_from_lanes(b), strict=True)))
        for a, b in joins.matches_between(rows[:50], rows[30:], tables, table):
            between.update(zip(ints_from_lanes(a), ints_from_lanes(b), strict=True))
    pairs = {frozenset((listed[a], listed[b])) for a, b in np.argwhere(np.triu(near, 1)).tolist()}
    matches = {(listed[a], listed[30 + b]) for a, b in np.argwhere(near[:50, 30:]).tolist()}
    assert len(pairs) > 20
    assert (within, between) == (dict.fromkeys(pairs, 1), dict.fromkeys(matches, 1))


@pytest.mark.parametrize(("bits", "distance"), [(128, 10), (256, 26), (512, 56)])
def test_permuted_tables_find_every_match_once(bits: int, distance: int) -> None:
    values = clustered_lanes(200, bits // 64, distance + 4)
    stored, queries = np.unique(values[:120], axis=0), values[80:]
    found = Counter[tuple[int, int]]()
    for at, near in PermutedTables(lane_tables(bits, distance), stored).search(queries):
        found.update(zip(at.tolist(), ints_from_lanes(near), strict=True))
    apart = np.bitwise_count(queries[:, None] ^ stored[None]).sum(axis=2, dtype=np.int64)
    listed = ints_from_lanes(stored)
    expected = {(int(a), listed[b]) for a, b in zip(*np.nonzero(apart <= distance), strict=True)}
    assert len(expected) > 100
    assert found == dict.fromkeys(expected, 1)


@given(
    tables=st.one_of(
        st.builds(lane_tables, st.sampled_from([128, 256, 512]), st.integers(0, 40), st.integers(0, 1)),
        st.sampled_from([Blocking(64, 5, 3), Blocking(128, 6, 4), Blocking(256, 7, 2)]),
    ),
    data=st.data(),
)
def test_a_pair_has_one_first_table_whose_key_agrees(tables: BlockTables, data: st.DataObject) -> None:
    places = data.draw(st.sets(st.integers(0, tables.bits - 1), max_size=tables.distance))
    difference = sum(1 << place for place in places)
    agreeing = [number for number, mask in enumerate(tables.masks) if not difference & mask]
    row = lanes_from_ints([difference], tables.lanes)
    first = [number for number in range(len(tables)) if tables.is_first(row, number)[0]]
    assert len(first) == 1
    assert first == agreeing[:1] if isinstance(tables, Blocking) else first[0] in agreeing


def test_fingerprints_around_one_point_have_no_clusters_if_all_their_pairs_take_too_long() -> None:
    choose = np.random.default_rng(76)
    flipped = np.packbits(choose.random((6000, 256)) < 0.12, axis=1).view(np.uint64)
    around, apart = flipped ^ choose.integers(0, 2**64, 4, np.uint64), choose.integers(0, 2**64, (6000, 4), np.uint64)
    assert affordable_clusters(around, 36, 1_000) is None
    for values, most in ((around, 10**6), (apart, 10_000)):
        found, expected = affordable_clusters(values, 36, most), find_clusters(values, distance=36, scheme="sd256")
        assert found is not None
        assert [one.tolist() for one in found] == [one.tolist() for one in expected]
        assert len(found.members) < len(values)
