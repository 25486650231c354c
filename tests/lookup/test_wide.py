"""Pairs and clusters of wide fingerprints against comparing all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc.lookup import LookupParameterError, find_all, find_clusters
from simhash_doc.lookup.wide import Words, bit_field, find_all_wide, find_clusters_wide


@st.composite
def fingerprints(draw: st.DrawFn) -> Words:
    words = draw(st.integers(1, 8))
    rows = draw(st.lists(st.integers(0, (1 << (64 * words)) - 1), min_size=1, max_size=3))
    flips = st.sets(st.integers(0, 64 * words - 1), max_size=12).map(lambda bits: sum(1 << bit for bit in bits))
    values = draw(st.lists(st.builds(int.__xor__, st.sampled_from(rows), flips), max_size=25))
    packed = b"".join(value.to_bytes(8 * words, "big") for value in values)
    return np.frombuffer(packed, ">u8").reshape(len(values), words).astype(np.uint64)


def compared(words: Words, distance: int) -> list[tuple[int, int, int]]:
    apart = np.bitwise_count(words[:, None] ^ words[None]).sum(axis=2, dtype=np.int64)
    first, second = np.nonzero(np.triu(apart <= distance, 1))
    return list(zip(first.tolist(), second.tolist(), apart[first, second].tolist(), strict=True))


@given(fingerprints(), st.integers(0, 14))
def test_all_pairs_are_found_once(words: Words, distance: int) -> None:
    found = find_all_wide(words, distance)
    rows = [(*pair, apart) for pair, apart in zip(found.positions.tolist(), found.distances.tolist(), strict=True)]
    assert rows == compared(words, distance)


@pytest.mark.parametrize(("words", "distance"), [(1, 3), (2, 10), (4, 26), (8, 56)])
def test_thousands_are_joined_as_by_comparing_all(words: int, distance: int) -> None:
    rng = np.random.default_rng(words)
    values = rng.integers(0, 2**64, (2000, words), np.uint64)
    values[1000:] = values[rng.integers(0, 1000, 1000)]
    for bits in range(distance + 2):  # some of each distance, and beyond
        changed = slice(1000 + 15 * bits, 1015 + 15 * bits)
        for flipped in rng.choice(64 * words, bits, replace=False).tolist():
            values[changed, flipped // 64] ^= np.uint64(1) << np.uint64(flipped % 64)
    found = find_all_wide(values, distance)
    rows = [(*pair, apart) for pair, apart in zip(found.positions.tolist(), found.distances.tolist(), strict=True)]
    assert rows == compared(values, distance)


@given(fingerprints().filter(lambda words: words.shape[1] == 1), st.integers(0, 4))
def test_of_one_word_the_answers_are_those_of_the_narrow_look_up(words: Words, distance: int) -> None:
    values = words[:, 0]
    assert find_all_wide(words, distance).positions.tolist() == find_all(values, 6, distance).positions().tolist()
    wide, narrow = find_clusters_wide(words, distance), find_clusters(values, 6, distance)
    assert [members.tolist() for members in wide] == [members.tolist() for members in narrow]


@given(fingerprints(), st.data())
def test_a_bit_field_is_a_run_of_the_digits(words: Words, data: st.DataObject) -> None:
    bits = 64 * words.shape[1]
    width = data.draw(st.integers(1, 64))
    start = data.draw(st.integers(0, bits - width))
    digits = ["".join(f"{word:064b}" for word in row) for row in words.tolist()]
    right = [int(row[start : start + width], 2) for row in digits]
    assert bit_field(words, start, width).tolist() == right


@pytest.mark.parametrize("distance", [-1, 128])
def test_a_distance_that_cannot_be_is_refused(distance: int) -> None:
    with pytest.raises(LookupParameterError):
        find_all_wide(np.zeros((3, 2), np.uint64), distance)
