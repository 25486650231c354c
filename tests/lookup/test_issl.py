"""ISSL: the paper's numbers, completeness where it can be had, recall, merging and saving."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_doc import Fingerprint, fingerprint
from simhash_doc.engines import select
from simhash_doc.lookup import (
    BadValueError,
    CorruptIndexError,
    IsslIndex,
    LookupParameterError,
    array_file,
    issl,
    merge_topk,
    recall,
)
from simhash_doc.lookup.nearest import Signatures, TopK
from simhash_doc.provenance import ProvenanceWarning


def noisy(n: int, bits: int, flipped: float = 0.1, seed: int = 1) -> tuple[Signatures, Signatures]:
    """Return n random signatures, and a query for each that differs in a share of its bits."""
    rng = np.random.default_rng(seed)
    stored = rng.integers(0, 256, (n, bits // 8), np.uint8)
    noise = np.packbits(rng.random((n, bits)) < flipped, axis=1)
    return stored, stored ^ noise


def same(a: TopK, b: TopK) -> bool:
    return np.array_equal(a.positions, b.positions) and np.array_equal(a.distances, b.distances)


def test_the_number_of_lists_read_is_that_of_the_paper() -> None:
    assert [len(issl._flips(errors)[0]) for errors in range(5)] == [1, 17, 137, 697, 2517]


def test_memory_is_that_of_the_paper_and_one_start_per_slice() -> None:
    stored, _ = noisy(300, 128)
    assert IsslIndex(stored, 128).nbytes == 4 * (300 * 8 + 65_536 * 8) + 4 * 8


@settings(max_examples=30, deadline=None)
@given(
    bits=st.sampled_from([16, 32, 64, 80, 1024, 4096]),
    n=st.integers(0, 40),
    k=st.integers(1, 12),
    seed=st.integers(0, 99),
)
def test_distances_are_true_and_in_order(bits: int, n: int, k: int, seed: int) -> None:
    stored, queries = noisy(n, bits, seed=seed)
    index = IsslIndex(stored, bits)
    found, exact = index.search(queries, k=k, max_error=2), index.exhaustive(queries, k=k)
    for query, positions, distances in zip(queries, found.positions, found.distances, strict=True):
        true = np.bitwise_count(stored ^ query).sum(axis=1)
        answers = [(int(true[at]), at) for at in positions.tolist() if at >= 0]
        assert answers == sorted(set(answers))
        assert [distance for distance in distances.tolist() if distance >= 0] == [distance for distance, _ in answers]
    order = [
        sorted(range(n), key=lambda at: (int(np.bitwise_count(stored[at] ^ query).sum()), at)) for query in queries
    ]
    assert [[at for at in row if at >= 0] for row in exact.positions.tolist()] == [row[:k] for row in order]


@pytest.mark.parametrize("canonical", [True, False])
def test_a_saved_index_keeps_the_mark_of_fingerprints(canonical: bool, tmp_path: Path) -> None:
    one, other = (Fingerprint(5, canonical=mark) for mark in (canonical, not canonical))
    IsslIndex([one], bits=64).save(tmp_path / "i")
    opened = IsslIndex.open(tmp_path / "i")
    assert opened.canonical == canonical
    for search in (opened.search, opened.exhaustive, lambda queries: IsslIndex([one, *queries], bits=64)):
        with pytest.warns(ProvenanceWarning, match="less reliable"):
            search([other])
    opened.search([one])
    with pytest.warns(ProvenanceWarning), pytest.raises(BadValueError, match="cannot share an index"):
        IsslIndex([one, other], bits=64).save(tmp_path / "j")
    IsslIndex([bytes(8)], bits=64).save(tmp_path / "k")
    assert IsslIndex.open(tmp_path / "k").canonical


@pytest.mark.parametrize(("bits", "max_error"), [(64, 1), (64, 3), (128, 0)])
def test_a_signature_with_a_slice_within_the_errors_is_always_scored(bits: int, max_error: int) -> None:
    """y differing bits in s slices leave one slice with y // s errors at most."""
    slices = bits // 16
    most = slices * (max_error + 1) - 1
    rng = np.random.default_rng(3)
    stored, _ = noisy(200, bits)
    flips = np.zeros((200, bits), bool)
    for row in flips:
        row[rng.permutation(bits)[:most]] = True
    queries = stored ^ np.packbits(flips, axis=1)
    found = IsslIndex(stored, bits).search(queries, k=200, max_error=max_error)
    for at, (positions, distances) in enumerate(zip(found.positions, found.distances, strict=True)):
        assert distances[positions == at].tolist() == [most]


def test_sorted_and_tabulated_scores_are_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(select, "_setting", "numpy")
    stored, queries = noisy(3000, 64)
    index = IsslIndex(stored, 64)
    one = index.search(queries[:50], max_error=3, candidates=20)
    monkeypatch.setattr(issl, "_SORTED", -1)
    assert same(index.search(queries[:50], max_error=3, candidates=20), one)


@settings(deadline=None)
@given(
    bits=st.sampled_from([16, 64, 80, 256]),
    n=st.integers(0, 300),
    k=st.integers(1, 12),
    candidates=st.sampled_from([12, 40, 1000]),
    max_error=st.integers(0, 3),
    values=st.sampled_from([2, 16, 256]),
    seed=st.integers(0, 99),
)
def test_the_compiled_core_and_numpy_give_equal_answers(
    bits: int, n: int, k: int, candidates: int, max_error: int, values: int, seed: int
) -> None:
    """With few values of a byte, many scores are equal."""
    pytest.importorskip("simhash_doc_native")
    rng = np.random.default_rng(seed)
    index = IsslIndex(rng.integers(0, values, (n, bits // 8), np.uint8), bits)
    queries = rng.integers(0, values, (5, bits // 8), np.uint8)
    found = []
    for engine in ("numpy", "native"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(select, "_setting", engine)
            found.append(index.search(queries, k=k, max_error=max_error, candidates=candidates))
    assert same(*found)


@pytest.mark.usefixtures("engine")
def test_planted_neighbours_are_found() -> None:
    """At the largest distance for copies of 256 bits."""
    rng = np.random.default_rng(4)
    stored = rng.integers(0, 256, (20_000, 32), np.uint8)
    planted = np.zeros((500, 256), np.uint8)
    for row in planted:
        row[rng.permutation(256)[:25]] = 1
    found = IsslIndex(stored, 256).search(stored[:500] ^ np.packbits(planted, axis=1))
    assert np.mean((found.positions == np.arange(500)[:, None]).any(axis=1)) >= 0.995


@pytest.mark.usefixtures("engine")
def test_corrupt_lists_are_an_error(tmp_path: Path) -> None:
    stored, queries = noisy(50, 64)
    index = IsslIndex(stored, 64)
    index.save(tmp_path / "issl")
    opened = IsslIndex.open(tmp_path / "issl", verify=False)
    opened._members = np.full_like(opened._members, 50)
    with pytest.raises(CorruptIndexError, match="the slice lists are corrupt"):
        opened.search(queries)


def test_recall_at_ten_grows_with_the_errors_allowed() -> None:
    rng = np.random.default_rng(2)
    centres, _ = noisy(200, 256)
    noise = np.packbits(rng.random((4000, 256)) < 0.2, axis=1)
    stored = np.repeat(centres, 20, axis=0) ^ noise
    queries = centres ^ np.packbits(rng.random((200, 256)) < 0.2, axis=1)
    index = IsslIndex(stored, 256)
    exact = index.exhaustive(queries)
    recalls = [recall(index.search(queries, max_error=errors, candidates=100), exact=exact) for errors in range(1, 5)]
    assert recalls == sorted(recalls)
    assert recalls[0] < 0.5 < 0.95 < recalls[3]
    assert recall(exact, exact=exact) == 1


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_do_not_change_the_answer(threads: int) -> None:
    stored, queries = noisy(500, 128)
    index = IsslIndex(stored, 128)
    assert same(index.search(queries[:50], workers=threads), index.search(queries[:50]))


@pytest.mark.slow
def test_answers_of_parts_merge_to_that_of_the_whole() -> None:
    stored, queries = noisy(500, 64, 0.3)
    unsplit = IsslIndex(stored, 64).search(queries, k=7, max_error=7)
    cuts = [0, 3, 200, 500]
    parts = [IsslIndex(stored[start:end], 64).search(queries, k=7, max_error=7) for start, end in pairwise(cuts)]
    assert same(merge_topk(parts, offsets=cuts[:-1], k=7), unsplit)
    with pytest.raises(LookupParameterError, match="3 parts and 1 offsets"):
        merge_topk(parts, offsets=[0], k=7)


def test_a_saved_index_gives_the_same_answers(tmp_path: Path) -> None:
    stored, queries = noisy(300, 80)
    index = IsslIndex(stored, 80)
    index.save(tmp_path / "issl")
    for mapped in (True, False):
        opened = IsslIndex.open(tmp_path / "issl", mapped=mapped)
        assert same(opened.search(queries), index.search(queries))
    corrupted = bytearray((tmp_path / "issl").read_bytes())
    corrupted[-1] ^= 1
    (tmp_path / "issl").write_bytes(corrupted)
    with pytest.raises(CorruptIndexError, match="'members' is corrupt"):
        IsslIndex.open(tmp_path / "issl")
    array_file.write_arrays(tmp_path / "other", "permuted-tables", {}, {})
    with pytest.raises(CorruptIndexError, match="of kind 'permuted-tables', not 'slice-lists'"):
        IsslIndex.open(tmp_path / "other")
    array_file.write_arrays(tmp_path / "odd", "slice-lists", {"bits": 80, "slice_width": 16, "signatures": 3}, {})
    with pytest.raises(CorruptIndexError, match="does not describe slice lists"):
        IsslIndex.open(tmp_path / "odd")


def test_fingerprints_of_any_scheme_are_signatures() -> None:
    made = [fingerprint(text, "sd512") for text in ("one two three four", "one two three five", "other words here")]
    assert IsslIndex(made, 512).search(made[:1], k=3, max_error=3).positions[0, :2].tolist() == [0, 1]


def test_invalid_arguments_are_rejected() -> None:
    stored, queries = noisy(10, 64)
    index = IsslIndex(stored, 64)
    with pytest.raises(LookupParameterError, match="bits is 24"):
        IsslIndex([b"abc"], 24)
    with pytest.raises(LookupParameterError, match="bits is 8192"):
        IsslIndex(np.zeros((1, 1024), np.uint8), 8192)
    with pytest.raises(BadValueError, match=r"shape \(10, 8\) and dtype uint8; signatures of 128 bits"):
        IsslIndex(stored, 128)
    with pytest.raises(BadValueError, match="position 1: the signature has 64 bits, not 32"):
        IsslIndex([bytes(4), bytes(8)], 32)
    with pytest.raises(LookupParameterError, match="max_error is 8; expected 0 to 7"):
        index.search(queries, max_error=8)
    with pytest.raises(LookupParameterError, match="k is 0"):
        index.search(queries, k=0)
