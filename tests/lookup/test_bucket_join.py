"""The join of the compiled core: the same pairs as comparing each with each, whatever the distribution."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("simhash_doc_native")

import simhash_doc_native as core

from simhash_doc.arrays import Lanes
from simhash_doc.engines import select
from simhash_doc.lookup import PairFile, bucket_join, external, find_all, find_clusters, joins
from simhash_doc.lookup.blocks import LaneTables
from simhash_doc.lookup.bucket_join import BucketField, BucketJoin, LaneTable
from simhash_doc.lookup.joins import first_bits
from simhash_doc.lookup.planning.join import Nearness, plan_join
from simhash_doc.schemes import get_scheme
from tests.lookup.conftest import search_with_tables
from tests.lookup.distributions import close_positions, clustered_lanes, compared, seeded
from tests.lookup.test_pairs import found_pairs
from tests.values import positions

pytestmark = pytest.mark.filterwarnings("ignore::simhash_doc.lookup.errors.DegenerateDistributionWarning")


@pytest.fixture(autouse=True)
def in_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(select, "_setting", "native")
    search_with_tables(monkeypatch)


@pytest.fixture(params=["one task", "many tasks", "pieces", "many tasks in pieces of a pair"])
def tasks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Join all buckets in one task, or the smallest ones, each in a task of its own; pairs all at once or in pieces."""
    if "pieces" in request.param:
        monkeypatch.setattr(bucket_join, "_PIECE", 7 if request.param == "pieces" else 1)
        monkeypatch.setattr(bucket_join, "available_cores", lambda: 3)
    if "many tasks" in request.param:
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
        found = find_all(values, blocks=blocks, distance=distance, sd64_distance=sd64_distance).value_pairs.reshape(
            -1, 2, lanes
        )
        assert np.array_equal(found, expected(rows, distance, sd64_distance)), kind


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("n", [0, 1, 2, 9, 10, 11, 128, 129, 130, 137, 1000])
def test_pairs_of_one_part_of_any_size(lanes: int, n: int) -> None:
    # The bits of all keys are equal but for the lowest ones, which a division may not reach.
    rng = np.random.default_rng(n)
    rows = np.zeros((n, lanes), np.uint64)
    for _ in range(4):
        rows[:, -1] ^= np.uint64(1) << rng.integers(0, 64, n, np.uint64)
    found = find_all(
        rows if lanes > 1 else rows[:, 0], distance=3, scheme="sd64" if lanes == 1 else "sd256"
    ).value_pairs
    assert np.array_equal(found.reshape(-1, 2, lanes), expected(rows, 3))


@pytest.mark.parametrize("piece", [30, 500, 5000])
@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("kind", ["distinct", "copies", "long parts", "one copy at the end"])
def test_pairs_come_in_pieces(kind: str, lanes: int, piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.zeros((1 << 10, lanes), np.uint64)
    # Bits of the first block, or of the last one; the long parts agree in all keys but these.
    rows[:, -1] = np.arange(1 << 10, dtype=np.uint64) << np.uint64(54 if kind != "long parts" else 0)
    if kind == "copies":
        rows = np.concatenate((rows, rows[::3], rows[::7]))
    elif kind == "one copy at the end":
        rows = np.concatenate((rows, rows[-1:]))
    monkeypatch.setattr(bucket_join, "_PIECE", piece)
    tables = plan_join(rows, Nearness(3)).tables
    assert tables is not None
    found = list(bucket_join.bucket_pairs(rows, tables))
    # The pairs of one more fingerprint, or the copies of a bucket.
    assert max(len(first) for first, _ in found) <= piece + len(rows)
    pairs = np.concatenate([np.sort(np.stack(sides, axis=1), axis=1) for sides in found])
    assert len(np.unique(pairs.reshape(len(pairs), -1), axis=0)) == len(pairs)
    monkeypatch.setattr(bucket_join, "_PIECE", 1 << 30)
    everything = bucket_join.bucket_pairs(rows, tables)
    assert sum(len(first) for first, _ in everything) == len(pairs)
    values = rows if lanes > 1 else rows[:, 0]
    scheme = "sd64" if lanes == 1 else "sd256"
    copied = np.count_nonzero(np.unique(rows, axis=0, return_counts=True)[1] > 1)
    assert (
        len(find_all(values, distance=3, scheme=get_scheme(scheme)).value_pairs)
        == (1 << 10) * (10 + 45 + 120) // 2 + copied
    )


@pytest.mark.slow
def test_a_centre_with_thousands_of_near_ones() -> None:
    centre = seeded("random", 1)[0]
    bits = np.uint64(1) << np.arange(64, dtype=np.uint64)
    two = (bits[:, None] | bits[None])[np.triu_indices(64)] ^ centre
    values = np.concatenate((two, [centre], seeded("random", 3000)))
    assert np.array_equal(np.array(positions(find_all(values, distance=3))), close_positions(values, 3))


def test_buckets_in_several_tasks_give_the_pairs_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    values, rows = seeded("clustered", 30_000), clustered_lanes(2500, 4, 26)
    expected = find_all(values, blocks=5).value_pairs, find_all(rows, distance=26).value_pairs
    clusters = find_clusters(values, blocks=5).members
    monkeypatch.setattr(bucket_join, "_SMALL_TASK", 300)
    monkeypatch.setattr(bucket_join, "_LARGE_TASK", 1000)
    monkeypatch.setattr(bucket_join, "available_cores", lambda: 3)
    assert np.array_equal(find_all(values, blocks=5).value_pairs, expected[0])
    assert np.array_equal(find_all(rows, distance=26).value_pairs, expected[1])
    assert np.array_equal(find_clusters(values, blocks=5).members, clusters)
    monkeypatch.setattr(select, "_setting", "numpy")
    assert np.array_equal(find_all(values, blocks=5).value_pairs, expected[0])
    assert np.array_equal(find_all(rows, distance=26).value_pairs, expected[1])
    assert np.array_equal(find_clusters(values, blocks=5).members, clusters)


def test_two_inputs_give_the_pairs_of_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = clustered_lanes(2000, 2, 10)
    found = find_all(rows[:900], against=rows[900:], distance=10)
    monkeypatch.setattr(select, "_setting", "numpy")
    assert np.array_equal(find_all(rows[:900], against=rows[900:], distance=10).value_pairs, found.value_pairs)


@pytest.mark.parametrize(("distance", "sd64_distance"), [(26, None), (20, 3)])
def test_lanes_are_joined_out_of_core(
    distance: int, sd64_distance: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = clustered_lanes(3000, 4, 26)
    path = tmp_path / "rows.npy"
    np.save(path, rows)
    in_memory = find_all(rows, distance=distance, sd64_distance=sd64_distance).value_pairs
    monkeypatch.setattr(joins, "_BUCKET_BITS", 5)
    monkeypatch.setattr(external, "OVERHEAD", 0)
    found = find_all(
        path,
        distance=distance,
        sd64_distance=sd64_distance,
        output=PairFile(path=tmp_path / "pairs.npy", memory=100_000),
    )
    assert np.array_equal(found.value_pairs, in_memory)


@pytest.mark.parametrize("setting", ["python", "numpy"])
def test_the_setting_of_the_engine_counts(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(select, "_setting", setting)
    monkeypatch.setattr(bucket_join, "bucket_pairs", None)
    assert find_all([0, 1], blocks=5, distance=3).value_pairs.tolist() == [[0, 1]]
    assert find_all([0, 1], distance=3, scheme="sd256").value_distances.tolist() == [1]


def test_a_number_of_blocks_is_that_of_each_lane() -> None:
    values = clustered_lanes(100, 2, 4)
    tables = plan_join(values, Nearness(10, blocks=12)).tables
    assert isinstance(tables, LaneTables)
    assert [blocking.blocks for blocking in tables.blockings] == [12, 12]
    assert np.array_equal(
        find_all(values, blocks=12, distance=10).value_pairs, find_all(values, distance=10).value_pairs
    )
    assert found_pairs(values, 10) == compared(values, 10)


FIELD = BucketField(0, 60, 4)
ROWS = np.arange(8, dtype=np.uint64).reshape(4, 2)


def integers(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.uint64)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((ROWS, FIELD, integers(15)), r"`counts` has 15 items; expected 2\^4"),
        ((ROWS[:, 0].copy(), FIELD, integers(16)), "has 1 dimensions; expected 2"),
        ((integers(4, 0), FIELD, integers(16)), "has no column"),
        ((ROWS, BucketField(2, 60, 4), integers(16)), "lane 2; there are 2 lanes"),
        ((ROWS, BucketField(0, 61, 4), integers(16)), "4 bits from bit 61 on; a lane has 64"),
        ((ROWS, BucketField(0, 0, 64), integers(16)), "64 bits from bit 0 on"),
        ((ROWS, BucketField(0, 2**32 - 1, 2), integers(16)), "a lane has 64"),
        ((integers(8, 2), FIELD, integers(16)[::2]), "not contiguous"),
    ],
)
def test_arrays_that_do_not_fit_are_not_counted(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        core.count_buckets(*arguments)


@pytest.mark.slow  # the step `native` builds the core that refuses it
def test_integers_of_another_byte_order_are_not_counted() -> None:
    other = ROWS.dtype.newbyteorder()
    with pytest.raises(BufferError, match="another byte order"):
        core.count_buckets(ROWS.astype(other), FIELD, integers(16))


@pytest.mark.parametrize(
    ("places", "out", "message"),
    [
        (integers(16), integers(3, 2), "the fingerprints changed during the search"),
        (np.full(16, 2**64 - 1, np.uint64), integers(4, 2), "the fingerprints changed during the search"),
        (integers(16), integers(8, 1), "`out` has 1 lanes, and the rows have 2"),
        (integers(16), integers(8), "has 1 dimensions; expected 2"),
    ],
)
def test_arrays_that_do_not_fit_are_not_filled(places: Any, out: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        core.fill_buckets(ROWS, FIELD, 0, places, out)


def test_written_arrays_share_no_memory_with_the_rows() -> None:
    rows = integers(20, 1)
    with pytest.raises(ValueError, match="`counts` shares memory with the rows"):
        core.count_buckets(rows, FIELD, rows[4:, 0])
    with pytest.raises(ValueError, match="`places` shares memory with the rows"):
        core.fill_buckets(rows, FIELD, 0, rows[4:, 0], integers(20, 1))
    with pytest.raises(ValueError, match="`out` shares memory with the rows"):
        core.fill_buckets(rows[:10], FIELD, 0, integers(16), rows[9:])
    core.fill_buckets(rows[:10], FIELD, 0, integers(16), rows[10:])


@pytest.mark.parametrize(
    ("rows", "edges", "field", "limits", "message"),
    [
        (ROWS, [0, 5], FIELD, [1, 1], "the last bucket ends at row 5; there are 4 rows"),
        (ROWS, [0, 3, 2], FIELD, [1, 1], "the edges of the buckets descend"),
        (ROWS, [0, 4], BucketField(2, 60, 4), [1, 1], "lane 2; there are 2 lanes"),
        (ROWS, [0, 4], BucketField(1, 60, 4), [1], "distances of 1 lanes; lane 1 is joined"),
        (ROWS.reshape(-1), [0, 4], FIELD, [1], "has 1 dimensions; expected 2"),
        (integers(4, 3), [0, 4], FIELD, [1, 1, 1], "the number of lanes is 3"),
    ],
)
def test_buckets_that_do_not_fit_are_not_joined(
    rows: Any, edges: list[int], field: BucketField, limits: list[int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        core.BucketPairs(rows, edges, field, [LaneTable(0xFFFF, [])], limits, 3, True, False, 1)


@pytest.mark.parametrize("to", [0, 2**64 - 1])
def test_fingerprints_that_change_during_the_search_are_no_result(to: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joins, "_BUCKET_BITS", 4)
    values = seeded("random", 1000)[:, None].copy()
    tables = plan_join(values, Nearness(3)).tables
    assert tables is not None
    join, group = BucketJoin(values, tables), tables.groups[0]
    bits = first_bits(len(values), group.block)
    counts = join.count(group.block, bits)
    values[::2] = to
    with pytest.raises(ValueError, match="the fingerprints changed during the search"):
        list(join.join(group, bits, 0, counts, copies=True))
    # Some buckets only: none of them has too many.
    values[:] = to
    half = counts.shape[1] // 2
    low = half if to == 0 else 0
    with pytest.raises(ValueError, match="fewer fingerprints than counted: the fingerprints changed"):
        list(join.join(group, bits, low, counts[:, low : low + half], copies=True))
