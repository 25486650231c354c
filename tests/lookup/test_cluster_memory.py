"""Clusters of pairs that are read in pieces: the same clusters, in bounded memory."""

from __future__ import annotations

import multiprocessing
import tracemalloc
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from benchmarks.measuring import peak_mb
from simhash_doc.lookup import LookupParameterError, clusters, clusters_of, find_all, pairs
from tests.commands import run
from tests.lookup.distributions import KINDS, Values, seeded
from tests.lookup.test_pairs import expected_clusters


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
    expected = expected_clusters(len(wide), found.positions().tolist())
    for module, name in ((pairs, "PAIRS_READ"), (clusters, "PAIRS_READ"), (pairs, "_LOCATED"), (clusters, "_LABELS")):
        monkeypatch.setattr(module, name, 7)
    assert [members.tolist() for members in clusters_of(found)] == expected


def test_memory_is_bounded_by_the_fingerprints_in_pairs() -> None:
    values = twins(200_000)
    found = find_all(values, 5)
    clusters_of(found)
    tracemalloc.start()
    clusters_of(found)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    fixed = 24 << 20  # pieces, and a bitmap of 4 MiB
    assert peak < fixed + (32 + 8) * len(values)


def test_too_little_memory_is_an_error(tmp_path: Path) -> None:
    found = find_all(twins(20_000), 5)
    with pytest.raises(LookupParameterError, match=r"20,000 fingerprints need 1 MiB of memory; raise the limit"):
        clusters_of(found, memory=500_000)
    assert len(clusters_of(found, memory=700_000)) == 10_000
    copies = find_all(np.zeros(200_000, np.uint64))
    with pytest.raises(LookupParameterError, match="clusters of 1 fingerprints need 2 MiB"):
        clusters_of(copies, memory=1_000_000)
    np.save(tmp_path / "values.npy", twins(40_000))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("simhash_doc.cli.pairs.OVERHEAD", (300 << 20) - 1_000_000)
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
    found = find_all(folder / "values.npy", output=folder / "pairs.npy", memory=memory)
    count = len(clusters_of(found, memory=memory))
    return count, peak_mb()
