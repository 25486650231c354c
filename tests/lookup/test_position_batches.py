"""Pairs of entries in batches: all of them, in order, in bounded memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc.lookup import find_all, pairs


@given(
    values=st.lists(st.integers(0, 40) | st.sampled_from([2**64 - 1, 2**63]), max_size=40),
    distance=st.integers(0, 4),
    rows=st.sampled_from([1, 7, 1 << 18]),
    scheme=st.sampled_from(["sd64", "sd128"]),
)
def test_batches_are_the_pairs_of_brute_force(values: list[int], distance: int, rows: int, scheme: str) -> None:
    expected = [
        [first, second]
        for first in range(len(values))
        for second in range(first + 1, len(values))
        if (values[first] ^ values[second]).bit_count() <= distance
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "_BATCH_ROWS", rows)
        found = find_all(values, distance=distance, scheme=scheme)
        batches = list(found.position_batches())
        assert [row for batch in batches for row in batch.tolist()] == expected
        assert found.positions().tolist() == expected
        assert found.positions().dtype == np.int64


@pytest.mark.slow
def test_memory_does_not_grow_with_the_pairs() -> None:
    found = find_all([7] * 5000)  # 12 million pairs take 200 MB
    tracemalloc.start()
    try:
        count = sum(len(batch) for batch in found.position_batches())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 5000 * 4999 // 2
    assert peak < 50_000_000
