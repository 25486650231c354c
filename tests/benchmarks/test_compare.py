"""The comparison with hashes of other projects: its limits, its edits, and its distances."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from benchmarks import compare
from benchmarks.compare import EDITS, METHODS, edited, limit_of
from simhash_doc import fingerprint
from simhash_doc.schemes import get_schemes

WORDS = [f"word{at}" for at in range(compare.WORDS)]
OTHER = [f"other{at}" for at in range(compare.WORDS)]


@pytest.mark.parametrize("pairs", [10, 99_999, 100_000, 350_000])
def test_the_limit_admits_at_most_one_of_100000_unrelated_pairs(pairs: int) -> None:
    distances = sorted(random.Random(pairs).choices(range(20, 120), k=pairs))
    limit, allowed = limit_of(distances), pairs // 100_000
    assert sum(distance <= limit for distance in distances) <= allowed
    assert sum(distance <= limit + 1 for distance in distances) > allowed


def test_no_distance_is_admitted_where_unrelated_hashes_are_equal() -> None:
    assert limit_of([0] * 5 + [9] * 100) == -1


@pytest.mark.parametrize(("name", "share"), [("5 %", 0.05), ("10 %", 0.1), ("20 %", 0.2), ("30 %", 0.3)])
def test_a_share_of_the_words_is_replaced(name: str, share: float) -> None:
    new = EDITS[name](WORDS, OTHER, random.Random(1))
    assert sum(a != b for a, b in zip(WORDS, new, strict=True)) == share * len(WORDS)
    assert set(new) <= {*WORDS, *OTHER}


def test_the_other_edits_are_what_they_are_called() -> None:
    generator = random.Random(1)
    moved = EDITS["moved"](WORDS, OTHER, generator)
    assert moved != WORDS
    assert Counter(moved) == Counter(WORDS)
    assert EDITS["framed"](WORDS, OTHER, generator)[30:-30] == WORDS
    assert EDITS["half"](WORDS, OTHER, generator) == WORDS[: len(WORDS) // 2]
    assert EDITS["capitals"](["(One,", "two."], OTHER, generator) == ["ONE", "TWO"]


def test_all_methods_get_the_same_edits() -> None:
    texts = [(" ".join(WORDS), "a"), (" ".join(OTHER), "b")]
    assert edited(texts, "20 %") == edited(texts, "20 %")


@pytest.mark.parametrize("scheme", ["sd64", "sd256"])
def test_our_hash_is_the_fingerprint(scheme: str) -> None:
    texts = [" ".join(WORDS), " ".join(OTHER)]
    method = METHODS[f"simhash-doc {scheme}"]
    one, other = (fingerprint(text, get_schemes()[scheme]) for text in texts)
    assert method.hashes(texts) == [one.value, other.value]
    assert method.distance(one.value, other.value) == one.distance(other)


def test_the_distance_of_signatures_counts_values_that_differ() -> None:
    assert compare.different([1, 2, 3], [1, 9, 3]) == 1
