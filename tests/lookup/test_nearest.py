"""The nearest signatures: those of comparing each with each, with the compiled core and without it."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_doc.engines import select
from simhash_doc.lookup import BadValueError, Corpus, LookupParameterError
from simhash_doc.lookup.nearest import Signatures, TopK, find_nearest
from simhash_doc.schemes import SchemeId


def expected(rows: Signatures, queries: Signatures, k: int) -> list[list[tuple[int, int]]]:
    """Return distances and positions, by sorting all of them."""
    apart = np.unpackbits(rows[None] ^ queries[:, None], axis=2).sum(axis=2, dtype=np.int64)
    return [sorted(zip(row.tolist(), range(len(rows)), strict=True))[:k] for row in apart]


def listed(found: TopK) -> list[list[tuple[int, int]]]:
    both = zip(found.distances.tolist(), found.positions.tolist(), strict=True)
    return [[*zip(distances, positions, strict=True)] for distances, positions in both]


def searched(engine: str, rows: Signatures, queries: Signatures, k: int, threads: int = 1) -> TopK:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(select, "_setting", engine)
        return find_nearest(rows, queries, k, threads=threads)


@pytest.mark.parametrize("engine", ["numpy", "native"])
@settings(deadline=None)
@given(
    width=st.sampled_from([2, 8, 10, 16, 32, 64, 72, 512]),
    n=st.integers(0, 200),
    asked=st.integers(0, 7),
    k=st.integers(1, 220),
    values=st.sampled_from([1, 2, 256]),
    threads=st.integers(1, 3),
    seed=st.integers(0, 99),
)
def test_the_nearest_are_those_of_sorting_all(
    engine: str, width: int, n: int, asked: int, k: int, values: int, threads: int, seed: int
) -> None:
    """With few values of a byte, many distances are equal."""
    if engine == "native":
        pytest.importorskip("simhash_doc_native")
    rng = np.random.default_rng(seed)
    rows, queries = (rng.integers(0, values, (size, width), np.uint8) for size in (n, asked))
    assert listed(searched(engine, rows, queries, k, threads)) == expected(rows, queries, k)


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("width", [8, 32])
def test_positions_go_on_over_blocks(width: int) -> None:
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 4, (9001, width), np.uint8)
    queries = np.concatenate((rows[[0, 63, 64, 4095, 4096, 9000]], rng.integers(0, 256, (2, width), np.uint8)))
    assert listed(find_nearest(rows, queries, 20)) == expected(rows, queries, 20)


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("lanes", [1, 2, 8])
def test_fingerprints_are_compared_as_their_bytes(lanes: int) -> None:
    rng = np.random.default_rng(6)
    rows = rng.integers(0, 2**64, (100, 2 * lanes), np.uint64)[:, :lanes]
    found = find_nearest(rows, rows[:5], 100)
    whole = [np.ascontiguousarray(part).view(np.uint8) for part in (rows, rows[:5])]
    assert listed(found) == expected(whole[0], whole[1], 100)


def test_arguments_out_of_range_are_rejected() -> None:
    rows = np.zeros((3, 2), np.uint64)
    with pytest.raises(LookupParameterError, match="k is 0"):
        find_nearest(rows, rows, 0)
    with pytest.raises(LookupParameterError, match="threads 0"):
        find_nearest(rows, rows, 1, threads=0)
    with pytest.raises(BadValueError, match=r"shape \(3, 2\) and dtype uint64, and the queries \(3, 1\)"):
        find_nearest(rows, rows[:, :1], 1)


def test_the_core_refuses_arrays_of_another_form() -> None:
    core = pytest.importorskip("simhash_doc_native")
    rows, starts, members = np.zeros((3, 4), np.uint8), np.zeros((2, 65_537), np.uint32), np.zeros((2, 3), np.uint32)
    with pytest.raises(ValueError, match="the queries have 2 bytes, and the rows have 4"):
        core.nearest(rows, np.zeros((1, 2), np.uint8), 1)
    with pytest.raises(ValueError, match="k is 4; there are 3 rows"):
        core.nearest(rows, rows, 4)
    with pytest.raises(BufferError):
        core.nearest(rows.view(np.uint32), rows, 1)
    with pytest.raises(ValueError, match="k is 4; there are 3 signatures"):
        core.search_slice_lists(rows, starts, members, rows, 4, 2, 10)
    with pytest.raises(ValueError, match="max_error is 8; expected at most 7"):
        core.search_slice_lists(rows, starts, members, rows, 1, 8, 10)
    for wrong in ((rows[:, :3].copy(), starts, members), (rows, starts[:1], members), (rows, starts, members[:, :2])):
        with pytest.raises(ValueError, match="the lists are not those of 3 signatures"):
            core.search_slice_lists(wrong[0], *(part.copy() for part in wrong[1:]), wrong[0], 1, 2, 10)


@pytest.mark.usefixtures("engine")
@given(
    batches=st.lists(st.lists(st.integers(0, 63), max_size=12), max_size=3),
    removed=st.lists(st.integers(0, 63), max_size=3),
    asked=st.lists(st.integers(0, 63) | st.none(), max_size=4),
    k=st.integers(1, 40),
    scheme=st.sampled_from(["sd64", "sd256"]),
)
@settings(deadline=None)
def test_one_query_and_many_have_the_answers_of_sorting_by_distance_and_value(
    batches: list[list[int]], removed: list[int], asked: list[int | None], k: int, scheme: SchemeId
) -> None:
    """Values of six bits have many equal distances; a corpus has them in several segments, in any order."""
    corpus = Corpus(scheme=scheme, distance=1)
    for batch in batches:
        corpus.add_many(batch)
        corpus.remove_many(removed)
    stored = {*chain.from_iterable(batches)} - {*removed}
    expected = [
        sorted(((value ^ query).bit_count(), value) for value in stored)[:k] if query is not None else []
        for query in asked
    ]
    found = corpus.nearest_many(asked, k=k)
    assert [[(match.distance, match.value) for match in matches] for matches in found] == expected
    for query, wanted in zip(asked, expected, strict=True):
        if query is not None:
            assert [(match.distance, match.value) for match in corpus.nearest(query, k=k)] == wanted
