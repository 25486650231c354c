"""Probing the least certain bits: the order of the probes, and what they find."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import buckets, fingerprint
from simhash_doc.lookup import BadValueError, Corpus, LookupParameterError
from simhash_doc.lookup.arrays import to_ints
from simhash_doc.lookup.multiprobe import find_probable, fingerprints_of, likely_flips
from tests.lookup.distributions import seeded

WORDS = [f"{first}{second}" for first in ("lor", "ip", "dol", "sit", "am") for second in ("ana", "obo", "uru", "ele")]


def some_buckets(n: int, seed: int = 1) -> npt.NDArray[np.int64]:
    rng = np.random.default_rng(seed)
    sizes: npt.NDArray[np.int64] = rng.integers(1, 100, (n, 64))
    signs: npt.NDArray[np.int64] = rng.choice([-1, 1], (n, 64))
    return np.multiply(sizes, signs)


@given(few=st.lists(st.integers(-127, 127), min_size=1, max_size=9), most=st.integers(0, 4))
def test_every_mask_comes_once_cheapest_first(few: list[int], most: int) -> None:
    masks = list(likely_flips(few, most))
    expected = {
        sum(1 << bit for bit in bits) for count in range(most + 1) for bits in combinations(range(len(few)), count)
    }
    assert len(masks) == len(set(masks))
    assert set(masks) == expected
    costs = [sum(abs(few[bit]) for bit in range(len(few)) if mask >> bit & 1) for mask in masks]
    assert costs == sorted(costs)


def test_buckets_stand_for_the_fingerprint() -> None:
    texts = [" ".join(WORDS[start : start + 7]) for start in range(10)]
    made = [fingerprint(text).value for text in texts]
    assert fingerprints_of(np.array([buckets(text) for text in texts])).tolist() == made


def test_all_probes_find_all() -> None:
    rows = some_buckets(20)
    queries = fingerprints_of(rows)
    rng = np.random.default_rng(4)
    stored = set[int]()
    for query in queries.tolist():
        for count in range(7):
            stored.add(query ^ sum(1 << int(bit) for bit in rng.permutation(64)[:count]))
    corpus = Corpus(2, 1)
    corpus.insert_bulk(sorted(stored))
    probes = sum(comb(64, count) for count in range(3))
    found = find_probable(corpus, rows, distance=3, probes=probes)
    exact = Corpus(5, 3)
    exact.insert_bulk(sorted(stored))
    expected = exact.find_all_bulk(queries)
    assert sorted(zip(found.queries.tolist(), found.values.tolist(), strict=True)) == sorted(
        zip(expected.queries.tolist(), expected.values.tolist(), strict=True)
    )
    assert found.distances.tolist() == np.bitwise_count(queries[found.queries] ^ found.values).tolist()


def test_uncertain_bits_are_found_sooner_than_certain_ones() -> None:
    rows = some_buckets(100)
    queries = fingerprints_of(rows)
    order = np.argsort(np.abs(rows), axis=1)
    unsure = queries ^ (np.uint64(1) << order[:, :5].astype(np.uint64)).sum(axis=1, dtype=np.uint64)
    sure = queries ^ (np.uint64(1) << order[:, -5:].astype(np.uint64)).sum(axis=1, dtype=np.uint64)
    corpus = Corpus()
    corpus.insert_bulk(np.concatenate((unsure, sure, seeded("random", 1000))))
    found = find_probable(corpus, rows, distance=5, probes=16)
    hits = set(found.values.tolist())
    assert hits >= set(unsure.tolist())
    assert not hits & set(sure.tolist())
    assert len(find_probable(corpus, rows, distance=5, probes=1)) == 0


def test_the_exact_distance_is_always_found() -> None:
    rows = some_buckets(50)
    queries = fingerprints_of(rows)
    corpus = Corpus()
    corpus.insert_bulk(queries ^ np.uint64(7))
    assert find_probable(corpus, rows, distance=4, probes=1).queries.tolist() == list(range(50))


@pytest.mark.parametrize("rows", [np.zeros(64, int), np.zeros((1, 63), int), np.zeros((1, 64))])
def test_other_shapes_are_rejected(rows: npt.NDArray[np.int64]) -> None:
    with pytest.raises(BadValueError, match=r"expected \(q, 64\) integers"):
        find_probable(Corpus(), rows, distance=4)


@pytest.mark.parametrize(("distance", "probes"), [(3, 5), (65, 5), (4, 0)])
def test_numbers_out_of_range_are_rejected(distance: int, probes: int) -> None:
    with pytest.raises(LookupParameterError, match="a distance over the corpus's 3"):
        find_probable(Corpus(), some_buckets(1), distance, probes)


def test_probes_beyond_the_distance_work_for_every_width() -> None:
    rng = np.random.default_rng(2)
    buckets = rng.integers(20, 100, (1, 128)) * rng.choice([-1, 1], (1, 128))
    buckets[0, [3, 70]] = 1, -1  # the least certain bits: bit 3 of lane 0 and bit 6 of lane 1
    value = sum((bucket > 0) << bit % 64 << (64 if bit < 64 else 0) for bit, bucket in enumerate(buckets[0].tolist()))
    corpus = Corpus(2, 1, "sd128")
    far = value ^ 1 << 67 ^ 1 << 6 ^ 1 << 127
    corpus.insert_bulk([far, value ^ 0b111])
    assert to_ints(find_probable(corpus, buckets, 3, probes=4).values) == [far]
    assert len(find_probable(corpus, buckets, 3, probes=1)) == 0
