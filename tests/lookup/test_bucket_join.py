"""The join of the compiled core: the same pairs as comparing each with each, whatever the distribution."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("simhash_doc_native")

from simhash_doc.arrays import Lanes
from simhash_doc.engines import select
from simhash_doc.lookup import bucket_join, external, find_all, find_clusters, joins
from simhash_doc.lookup.blocks import LaneTables
from simhash_doc.lookup.planning.join import plan_join
from tests.lookup.conftest import search_with_tables
from tests.lookup.distributions import close_positions, clustered_lanes, compared, seeded
from tests.lookup.test_pairs import found_pairs

pytestmark = pytest.mark.filterwarnings("ignore::simhash_doc.lookup.errors.DegenerateDistributionWarning")


@pytest.fixture(autouse=True)
def in_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(select, "_setting", "native")
    search_with_tables(monkeypatch)


@pytest.fixture(params=["one task", "many tasks"])
def tasks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Join all buckets in one task; or the smallest ones, each of them in a task of its own."""
    if request.param == "many tasks":
        monkeypatch.setattr(joins, "_BUCKET_BITS", 4)
        monkeypatch.setattr(bucket_join, "_SMALL_TASK", 1)
        monkeypatch.setattr(bucket_join, "_LARGE_TASK", 20)


def distributions(lanes: int, n: int, farthest: int) -> Iterator[tuple[str, Lanes]]:
    rng = np.random.default_rng(7)
    random = rng.integers(0, 2**64, (n, lanes), np.uint64)
    yield "random", random
    yield "clustered", clustered_lanes(n, lanes, farthest)
    yield "sorted", np.sort(clustered_lanes(n, lanes, farthest), axis=0)
    yield "equal", np.repeat(random[:1], n, axis=0)
    hub = np.repeat(random[:1], n, axis=0)
    for _ in range(farthest):
        hub[np.arange(n), rng.integers(0, lanes, n)] ^= np.uint64(1) << rng.integers(0, 64, n, np.uint64)
    yield "hub", np.concatenate((hub, random[: n // 4]))
    # Each byte has one of two values.
    yield "few blocks", rng.integers(0, 2, (n, lanes * 8)).astype(np.uint8).view(np.uint64)
    yield "one bit", random & np.uint64(1 << 17)
    yield "low bits", random & np.uint64(0xFFFF)
    yield "high bits", random & np.uint64(0xFFFF << 48)


def expected(rows: Lanes, distance: int, sd64_distance: int | None = None) -> np.ndarray:
    """Return the distinct pairs of values, by comparing each with each."""
    first, second = np.triu_indices(len(rows), 1)
    apart = np.bitwise_count(rows[first] ^ rows[second])
    near = apart.sum(axis=1) <= distance
    if sd64_distance is not None:
        near &= apart[:, 0] <= sd64_distance
    ends = np.stack((rows[first[near]], rows[second[near]]), axis=1).tolist()
    return np.array(sorted({(tuple(min(pair)), tuple(max(pair))) for pair in ends}), np.uint64).reshape(
        -1, 2, rows.shape[1]
    )


@pytest.mark.parametrize(
    ("lanes", "distance", "blocks", "sd64_distance"),
    [
        (1, 0, None, None),
        (1, 1, None, None),
        (1, 3, None, None),
        (1, 3, 6, None),
        (1, 3, 12, None),
        (1, 8, None, None),
        (2, 0, None, None),
        (2, 10, None, None),
        (4, 26, None, None),
        (4, 26, 9, None),
        (4, 30, None, 3),
        (8, 5, None, None),
        (8, 50, None, None),
    ],
)
@pytest.mark.usefixtures("tasks")
def test_pairs_are_those_of_comparing_each_with_each(
    lanes: int, distance: int, blocks: int | None, sd64_distance: int | None
) -> None:
    for kind, rows in distributions(lanes, 100, max(1, distance)):
        values = rows if lanes > 1 else rows[:, 0]
        found = find_all(values, blocks, distance, sd64_distance=sd64_distance).values.reshape(-1, 2, lanes)
        assert np.array_equal(found, expected(rows, distance, sd64_distance)), kind


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("n", [0, 1, 2, 9, 10, 11, 128, 129, 130, 137, 1000])
def test_pairs_of_one_part_of_any_size(lanes: int, n: int) -> None:
    # The bits of all keys are equal but for the lowest ones, which a division may not reach.
    rng = np.random.default_rng(n)
    rows = np.zeros((n, lanes), np.uint64)
    for _ in range(4):
        rows[:, -1] ^= np.uint64(1) << rng.integers(0, 64, n, np.uint64)
    found = find_all(rows if lanes > 1 else rows[:, 0], distance=3, scheme="sd64" if lanes == 1 else "sd256").values
    assert np.array_equal(found.reshape(-1, 2, lanes), expected(rows, 3))


def test_a_centre_with_thousands_of_near_ones() -> None:
    centre = seeded("random", 1)[0]
    bits = np.uint64(1) << np.arange(64, dtype=np.uint64)
    two = (bits[:, None] | bits[None])[np.triu_indices(64)] ^ centre
    values = np.concatenate((two, [centre], seeded("random", 3000)))
    assert np.array_equal(find_all(values, distance=3).positions(), close_positions(values, 3))


def test_buckets_in_several_tasks_give_the_pairs_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    values, rows = seeded("clustered", 30_000), clustered_lanes(2500, 4, 26)
    expected = find_all(values, 5).values, find_all(rows, distance=26).values
    clusters = find_clusters(values, 5).members
    monkeypatch.setattr(bucket_join, "_SMALL_TASK", 300)
    monkeypatch.setattr(bucket_join, "_LARGE_TASK", 1000)
    monkeypatch.setattr(bucket_join, "available_cores", lambda: 3)
    assert np.array_equal(find_all(values, 5).values, expected[0])
    assert np.array_equal(find_all(rows, distance=26).values, expected[1])
    assert np.array_equal(find_clusters(values, 5).members, clusters)
    monkeypatch.setattr(select, "_setting", "numpy")
    assert np.array_equal(find_all(values, 5).values, expected[0])
    assert np.array_equal(find_all(rows, distance=26).values, expected[1])
    assert np.array_equal(find_clusters(values, 5).members, clusters)


def test_two_inputs_give_the_pairs_of_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = clustered_lanes(2000, 2, 10)
    found = find_all(rows[:900], against=rows[900:], distance=10)
    monkeypatch.setattr(select, "_setting", "numpy")
    assert np.array_equal(find_all(rows[:900], against=rows[900:], distance=10).values, found.values)


@pytest.mark.parametrize(("distance", "sd64_distance"), [(26, None), (20, 3)])
def test_lanes_are_joined_out_of_core(
    distance: int, sd64_distance: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = clustered_lanes(3000, 4, 26)
    path = tmp_path / "rows.npy"
    np.save(path, rows)
    in_memory = find_all(rows, distance=distance, sd64_distance=sd64_distance).values
    monkeypatch.setattr(joins, "_BUCKET_BITS", 5)
    monkeypatch.setattr(external, "OVERHEAD", 0)
    found = find_all(
        path, distance=distance, sd64_distance=sd64_distance, memory=100_000, output=tmp_path / "pairs.npy"
    )
    assert np.array_equal(found.values, in_memory)


@pytest.mark.parametrize("setting", ["python", "numpy"])
def test_the_setting_of_the_engine_counts(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(select, "_setting", setting)
    monkeypatch.setattr(bucket_join, "bucket_pairs", None)
    assert find_all([0, 1], 5, 3).values.tolist() == [[0, 1]]
    assert find_all([0, 1], distance=3, scheme="sd256").distances.tolist() == [1]


def test_a_number_of_blocks_is_that_of_each_lane() -> None:
    values = clustered_lanes(100, 2, 4)
    tables = plan_join(values, 10, 12).tables
    assert isinstance(tables, LaneTables)
    assert [blocking.blocks for blocking in tables.blockings] == [12, 12]
    assert np.array_equal(find_all(values, blocks=12, distance=10).values, find_all(values, distance=10).values)
    assert found_pairs(values, 10) == compared(values, 10)
