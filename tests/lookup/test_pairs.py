"""All pairs, in memory and on disk, of one input and of two, against comparing all; and their clusters."""

from __future__ import annotations

import multiprocessing
import tracemalloc
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.measuring import peak_mb
from simhash_doc import Fingerprint, get_schemes
from simhash_doc.lookup import (
    Corpus,
    LookupParameterError,
    PairFile,
    Pairs,
    clusters,
    clusters_of,
    external,
    find_all,
    find_clusters,
    joins,
    pairs,
)
from tests.commands import run
from tests.lookup.distributions import (
    FINGERPRINTS,
    KINDS,
    Values,
    close_positions,
    clustered_lanes,
    compared,
    integers,
    parameters,
    seeded,
)
from tests.values import from_ints, positions, to_ints


def expected_clusters(n: int, edges: Iterable[Sequence[int]]) -> list[list[int]]:
    """Return the connected components with two or more members, by walking the edges."""
    near: dict[int, set[int]] = {node: set() for node in range(n)}
    for a, b in edges:
        near[a].add(b)
        near[b].add(a)
    seen: set[int] = set()
    found = []
    for start in range(n):
        component, waiting = [], [start]
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                component.append(node)
                waiting += near[node]
        if len(component) > 1:
            found.append(sorted(component))
    return found


def check(found: Pairs, listed: list[int], expected: list[tuple[int, int]], old: list[int] | None = None) -> None:
    """Compare pairs with those of positions in a list, or in two, that are expected."""
    second = listed if old is None else old
    assert list(map(tuple, positions(found))) == expected
    by_value = {(listed[a], second[b]) for a, b in expected}
    if old is None:
        by_value = {(min(pair), max(pair)) for pair in by_value}
    assert list(zip(*(to_ints(found.value_pairs[:, side]) for side in (0, 1)), strict=True)) == sorted(by_value)
    assert found.value_distances.tolist() == [(a ^ b).bit_count() for a, b in sorted(by_value)]


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("lanes", [1, 2])
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_every_pair_and_cluster_is_found_once_in_memory_and_on_disk(
    lanes: int, data: st.DataObject, tmp_path: Path
) -> None:
    check_every_way(lanes, data, tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_more_pairs_and_clusters_are_found_once_in_memory_and_on_disk(
    lanes: int, data: st.DataObject, tmp_path: Path
) -> None:
    check_every_way(lanes, data, tmp_path)


def check_every_way(lanes: int, data: st.DataObject, folder: Path) -> None:
    """Compare searches and clusters of drawn fingerprints, in memory and on disk, with all pairs."""
    blocks: int | None = None
    if lanes == 1:
        listed, (blocks, distance) = data.draw(FINGERPRINTS), data.draw(st.sampled_from(parameters()))
    else:
        listed, distance = data.draw(integers(lanes, farthest=20)), data.draw(st.integers(0, 14))
    values = from_ints(listed, lanes)
    near = [(a, b) for a, b in combinations(range(len(listed)), 2) if (listed[a] ^ listed[b]).bit_count() <= distance]
    found = find_all(values, blocks=blocks, distance=distance)
    check(found, listed, near)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "_BATCH_ROWS", data.draw(st.sampled_from([1, 7])))
        assert [(first, second) for first, second, _ in found] == near
        patch.setattr("simhash_doc.lookup.planning.join._IN_ORDER", 0)
        check(find_all(values, distance=distance), listed, near)  # compared each with each
    connected = expected_clusters(len(listed), near)
    assert [group.tolist() for group in clusters_of(found)] == connected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joins, "_LONG_RUN", data.draw(st.sampled_from([1, 3, 256])))
        patch.setattr(clusters, "_PAIRS_HELD", data.draw(st.sampled_from([1, 10])))
        assert [group.tolist() for group in find_clusters(values, blocks=blocks, distance=distance)] == connected
        patch.setattr("simhash_doc.lookup.planning.join._IN_ORDER", 0)
        assert [group.tolist() for group in find_clusters(values, distance=distance)] == connected
    split = data.draw(st.integers(0, len(listed)))
    new, old = listed[:split], listed[split:]
    across = [(a, b) for a in range(len(new)) for b in range(len(old)) if (new[a] ^ old[b]).bit_count() <= distance]
    check(find_all(values[:split], blocks=blocks, distance=distance, against=values[split:]), new, across, old)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(external, "OVERHEAD", 0)
        patch.setattr(joins, "_BUCKET_BITS", 3)
        memory = 100_000 if lanes == 1 else 400_000 * lanes  # the least that 120 near fingerprints need
        find = partial(
            find_all, blocks=blocks, distance=distance, output=PairFile(path=folder / "pairs.npy", memory=memory)
        )
        check(find(values), listed, near)
        patch.setattr(joins, "_DROPPED", data.draw(st.sampled_from([0, 1 << 20])))
        check(find(values[:split], against=values[split:]), new, across, old)


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("blocks", "distance"), [(4, 3), (5, 3), (6, 2), (8, 5), (2, 1), (64, 1)])
def test_larger_lists(kind: str, blocks: int, distance: int, monkeypatch: pytest.MonkeyPatch) -> None:
    values = seeded(kind, 60 if kind == "all equal" else 900)
    expected = close_positions(values, distance)
    check(find_all(values, blocks=blocks, distance=distance), values.tolist(), expected)
    groups = [group.tolist() for group in find_clusters(values, blocks=blocks, distance=distance)]
    assert groups == expected_clusters(len(values), expected)


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(
    ("lanes", "distance"),
    [
        (2, 10),
        (4, 0),
        (4, 26),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in ((2, 16), (4, 2), (4, 36), (8, 56))),
    ],
)
def test_larger_lists_of_wide_fingerprints(lanes: int, distance: int) -> None:
    values = clustered_lanes(1000, lanes, distance)
    values[:100, 1] = 7
    expected = compared(values, distance)
    assert len(expected) > 100
    assert found_pairs(values, distance) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_matches_across_chunks_are_found(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values = seeded(kind, 200)
    unchunked = find_all(values, blocks=4, distance=3).value_pairs
    monkeypatch.setattr(joins, "CHUNK", 7)
    assert np.array_equal(find_all(values, blocks=4, distance=3).value_pairs, unchunked)


def test_a_million_copies_are_one_cluster() -> None:
    (group,) = find_clusters(np.zeros(1_000_000, np.uint64))
    assert Counter(np.diff(group).tolist()) == {1: 999_999}


def around_centres(n: int, lanes: int, farthest: int, seed: int = 1) -> Values:
    """Return n fingerprints up to `farthest` bits from one of three, whose other bits all have, and ten copies."""
    rng = np.random.default_rng(seed)
    bits = (rng.random((3, 64 * lanes)) < 0.5)[rng.integers(0, 3, n)]
    for row, count in zip(bits, rng.integers(0, farthest + 1, n), strict=True):
        row[rng.choice(len(row), count, replace=False)] ^= True
    return np.concatenate((rows := np.packbits(bits, axis=1).view(">u8").astype(np.uint64), rows[:10]))


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("blocks", [None, 8])
@pytest.mark.parametrize(
    ("lanes", "farthest", "distance", "sd64_distance"),
    [
        (1, 3, 3, None),
        (1, 6, 3, None),
        pytest.param(4, 20, 26, None, marks=pytest.mark.slow),
        pytest.param(4, 30, 26, None, marks=pytest.mark.slow),
        (4, 20, 26, 2),
    ],
)
def test_clusters_of_few_texts_with_many_edits_are_those_of_all_pairs(
    lanes: int, farthest: int, distance: int, sd64_distance: int | None, blocks: int | None
) -> None:
    values = around_centres(700, lanes, farthest)
    near = np.bitwise_count(values[:, None] ^ values[None])
    is_near = near.sum(axis=2, dtype=np.int64) <= distance
    if sd64_distance is not None:
        is_near &= near[:, :, 0] <= sd64_distance
    edges = np.argwhere(np.triu(is_near, 1)).tolist()
    assert len(edges) > 700
    found = find_clusters(values, blocks=blocks, distance=distance, sd64_distance=sd64_distance)
    assert [group.tolist() for group in found] == expected_clusters(len(values), edges)


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("blocks", [None, pytest.param(5, marks=pytest.mark.slow)])
def test_clusters_take_memory_for_the_fingerprints_and_not_for_their_pairs(blocks: int | None) -> None:
    values = around_centres(6000, 1, 2)[:, 0]
    tracemalloc.start()
    try:
        assert len(find_clusters(values, blocks=blocks, distance=3)) == 3
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20 << 20  # the 6 million pairs take 96 MB


def test_a_chain_longer_than_the_distance_is_one_cluster() -> None:
    chain = [(1 << step) - 1 for step in range(0, 65, 3)]
    assert [group.tolist() for group in find_clusters(chain)] == [list(range(len(chain)))]


def test_components_of_a_long_path_in_random_order() -> None:
    rng = np.random.default_rng(3)
    names = rng.permutation(5000)
    edges = rng.permutation(4999)
    labels = np.arange(5000)
    for part in np.array_split(edges, 7):
        clusters.unite(labels, names[part], names[part + 1])
    assert clusters.flatten(labels) == 1
    assert set(labels.tolist()) == {0}


@pytest.mark.parametrize(("blocks", "distance"), [(3, 3), (2, 5), (65, 3), (5, -1), (0, 0)])
def test_parameters_out_of_range_are_rejected(blocks: int, distance: int) -> None:
    with pytest.raises(LookupParameterError, match=r"blocks is|distance is"):
        find_all([1, 2], blocks=blocks, distance=distance)


def test_one_block_of_64_and_64_blocks_of_one() -> None:
    values = [0, 1, 3, 3, 2**64 - 1]
    assert positions(find_all(values, blocks=1, distance=0)) == [[2, 3]]
    assert positions(find_all(values, blocks=64, distance=1)) == [[0, 1], [1, 2], [1, 3], [2, 3]]


@pytest.mark.slow
def test_memory_does_not_grow_with_the_pairs() -> None:
    found = find_all([7] * 5000)  # 12 million pairs take 200 MB
    tracemalloc.start()
    try:
        count = sum(len(first) for first, _, _ in found.batches())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 5000 * 4999 // 2
    assert peak < 50_000_000


class Counted:
    """Counts the fingerprints whose differing bits are counted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.compared = 0
        bitwise_count = np.bitwise_count

        def counting(values: Values, *arguments: Any, **options: Any) -> Any:
            self.compared += np.size(values)
            return bitwise_count(values, *arguments, **options)

        monkeypatch.setattr(np, "bitwise_count", counting)


def test_all_pairs_of_random_fingerprints_take_a_few_comparisons_each(monkeypatch: pytest.MonkeyPatch) -> None:
    values = seeded("random", 100_000)
    counted = Counted(monkeypatch)
    find_all(values, blocks=5)
    # Each of 10 tables compares a fingerprint with the neighbours that share its prefix.
    assert counted.compared < 3 * len(values)


def twins(n: int) -> Values:
    """Return n fingerprints, each within a bit of another."""
    values = seeded("random", n // 2)
    return np.random.default_rng(2).permutation(np.concatenate((values, values ^ np.uint64(1))))


@pytest.mark.parametrize("lanes", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_clusters_in_pieces_are_those_of_the_pairs(kind: str, lanes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    values = seeded(kind, 300 if kind != "all equal" else 60)
    wide = values if lanes == 1 else np.column_stack((values, values))
    found = find_all(np.ma.MaskedArray(wide, np.arange(wide.size).reshape(wide.shape) % 7 == 0), distance=3)
    expected = expected_clusters(len(wide), positions(found))
    for module, name in ((pairs, "_PAIRS_READ"), (pairs, "_LOCATED"), (clusters, "_PAIRS_READ"), (clusters, "_LABELS")):
        monkeypatch.setattr(module, name, 7)
    assert [members.tolist() for members in clusters_of(found)] == expected


def test_pairs_that_are_connected_are_left_out_before_they_are_sorted() -> None:
    a, b, c, d, e = (np.array([[7, value]], np.uint64) for value in (1, 2, 3, 4, 5))
    stars = np.concatenate((a, a, c, c)), np.concatenate((a, b, c, d))  # {a, b} and {c, d}
    connected, others = [(a, b), (b, a), (c, d)], [(b, c), (a, e), (e, e)]
    assert [len(clusters._not_connected(pair, *clusters._by_hash(stars))[0]) for pair in connected] == [0, 0, 0]
    assert [len(clusters._not_connected(pair, *clusters._by_hash(stars))[0]) for pair in others] == [1, 1, 1]
    hashes = np.zeros(4, np.uint64)  # of all: only the first is found
    assert len(clusters._not_connected((c, d), hashes, stars)[0]) == 1
    none = stars[0][:0], stars[1][:0]
    assert clusters._not_connected((a, b), *clusters._by_hash(none)) == (a, b)


def test_memory_is_bounded_by_the_fingerprints_in_pairs() -> None:
    values = twins(200_000)
    found = find_all(values, blocks=5)
    clusters_of(found)
    tracemalloc.start()
    clusters_of(found)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    fixed = 24 << 20  # pieces, and a bitmap of 4 MiB
    assert peak < fixed + (32 + 8) * len(values)


def test_too_little_memory_is_an_error(tmp_path: Path) -> None:
    found = find_all(twins(20_000), blocks=5)
    with pytest.raises(LookupParameterError, match=r"20,000 fingerprints need 1 MiB of memory; raise the limit"):
        clusters_of(found, memory=500_000)
    assert len(clusters_of(found, memory=700_000)) == 10_000
    copies = find_all(np.zeros(200_000, np.uint64))
    with pytest.raises(LookupParameterError, match="clusters of 1 fingerprints need 2 MiB"):
        clusters_of(copies, memory=1_000_000)
    np.save(tmp_path / "values.npy", twins(40_000))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("simhash_doc.lookup.external.OVERHEAD", (300 << 20) - 1_000_000)
        done = run("find-clusters", tmp_path / "values.npy", "--memory", "300M", "-o", tmp_path / "clusters.jsonl")
    assert (done.returncode, "the clusters of 40,000 fingerprints need 2 MiB" in done.stderr) == (2, True)
    assert not (tmp_path / "clusters.jsonl").exists()


@pytest.mark.slow
def test_resident_memory_of_a_search_out_of_core_keeps_its_limit(tmp_path: Path) -> None:
    n, memory = 6_000_000, 512 << 20
    np.save(tmp_path / "values.npy", twins(n))
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        count, peak = pool.submit(_clusters_and_peak, tmp_path, memory).result()
    assert count == n // 2
    mapped = sum(path.stat().st_size for path in tmp_path.glob("*.npy")) / 1e6
    assert peak < memory / 1e6 + mapped


def _clusters_and_peak(folder: Path, memory: int) -> tuple[int, float]:
    found = find_all(folder / "values.npy", output=PairFile(path=folder / "pairs.npy", memory=memory))
    count = len(clusters_of(found, memory=memory))
    return count, peak_mb()


def found_pairs(values: Values, distance: int) -> list[tuple[int, int, int]]:
    return list(find_all(values, distance=distance))


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(
    ("lanes", "distance"), [(2, 10), *(pytest.param(*case, marks=pytest.mark.slow) for case in ((4, 20), (8, 40)))]
)
def test_pairs_that_are_near_in_the_first_lane(lanes: int, distance: int, tmp_path: Path) -> None:
    values = clustered_lanes(500, lanes, distance)
    np.save(tmp_path / "values.npy", values)
    for within in (0, 3, distance + 1):
        apart = np.bitwise_count(values[:, None, 0] ^ values[None, :, 0])
        near = [row for row in compared(values, distance) if apart[row[0], row[1]] <= within]
        found = find_all(values, distance=distance, sd64_distance=within)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("simhash_doc.lookup.planning.join._IN_ORDER", 0)
            compared_all = find_all(values, distance=distance, sd64_distance=within)
        assert np.array_equal(compared_all.value_pairs, found.value_pairs)
        assert positions(found) == [[first, second] for first, second, _ in near]
        on_disk = find_all(
            tmp_path / "values.npy",
            distance=distance,
            sd64_distance=within,
            output=PairFile(path=tmp_path / "pairs.npy", memory=1 << 30),
        )
        assert np.array_equal(on_disk.value_pairs, found.value_pairs)


def test_a_first_lane_alone_has_no_distance_of_its_own() -> None:
    with pytest.raises(LookupParameterError, match="a distance of sd64 needs wider fingerprints"):
        find_all([0, 1], distance=3, sd64_distance=2)
    with pytest.raises(LookupParameterError, match="distance is 64; expected 0 to 63"):
        find_all([0, 1], distance=80, sd64_distance=64, scheme="sd128")


def test_the_distance_is_the_close_threshold_by_default() -> None:
    for scheme in get_schemes().values():
        assert Corpus(scheme=scheme.id).distance == scheme.close
        pair = [Fingerprint(0, scheme.id), Fingerprint((1 << scheme.close) - 1, scheme.id)]
        assert len(find_all(pair)) == 1
        assert len(find_all([pair[0], Fingerprint((2 << scheme.close) - 1, scheme.id)])) == 0
