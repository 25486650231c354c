"""Masked entries, which are documents without a fingerprint, take no part; positions are those of the input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc.batch import fingerprint_many
from simhash_doc.lookup import Corpus, find_all, find_clusters, plan
from simhash_doc.lookup.arrays import to_ints

SCHEMES = ["sd64", "sd128"]
TEXTS = ["one two three four five", "12 34", None, "six seven eight nine", "", "One two three four five!", "56"]


@pytest.mark.parametrize("scheme", ["sd64", "sd128", "sd256", "sd512"])
def test_documents_without_words_are_in_no_cluster(scheme: str) -> None:
    found = fingerprint_many(TEXTS, scheme)
    assert [cluster.tolist() for cluster in find_clusters(found)] == [[0, 5]]
    assert find_all(found).positions().tolist() == [[0, 5]]


@given(
    values=st.lists(st.one_of(st.none(), st.integers(0, 40), st.integers(0, 2**64 - 1)), max_size=30),
    scheme=st.sampled_from(SCHEMES),
)
def test_the_answers_are_those_for_the_others(values: list[int | None], scheme: str) -> None:
    lanes = {"sd64": 1, "sd128": 2}[scheme]
    data = np.array([[0] * (lanes - 1) + [value or 0] for value in values], np.uint64).reshape(-1, lanes)
    hidden = np.array([value is None for value in values], bool)
    mask = np.repeat(hidden[:, None], lanes, axis=1)
    masked = np.ma.MaskedArray(data[:, 0] if lanes == 1 else data, mask[:, 0] if lanes == 1 else mask)
    present = [at for at, value in enumerate(values) if value is not None]
    pairs = [
        [a, b] for a in present for b in present if a < b and ((values[a] or 0) ^ (values[b] or 0)).bit_count() <= 3
    ]
    assert find_all(masked, distance=3, scheme=scheme).positions().tolist() == pairs
    rest = [
        [present[at] for at in cluster.tolist()] for cluster in find_clusters(data[present], distance=3, scheme=scheme)
    ]
    assert [cluster.tolist() for cluster in find_clusters(masked, distance=3, scheme=scheme)] == rest


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_corpus_does_not_contain_what_is_masked(scheme: str) -> None:
    found = fingerprint_many(TEXTS, scheme)
    corpus = Corpus(scheme=scheme)
    assert corpus.insert_bulk(found, list(range(len(TEXTS)))) == len(corpus) == 2
    matches = corpus.find_all_bulk(found)
    assert sorted(set(matches.queries.tolist())) == [0, 3, 5]
    values = to_ints(corpus.find_all_bulk(found[[0]]).values)
    assert sorted(name for value in values for name in corpus.ids_of(value)) == [0, 5]
    assert corpus.remove_bulk(found) == (0, 2)
    assert len(corpus) == 0


def test_a_list_may_have_masked_items() -> None:
    listed = list(np.ma.MaskedArray(np.array([7, 0, 0, 5], np.uint64), [False, True, True, False]))
    assert [cluster.tolist() for cluster in find_clusters(listed)] == [[0, 3]]
    corpus = Corpus()
    assert corpus.insert_bulk(iter(listed), ["a", "b", "c", "d"]) == 2
    assert (corpus.ids_of(7), corpus.ids_of(5), 0 in corpus) == (("a",), ("d",), False)


def test_the_planner_counts_what_has_a_fingerprint() -> None:
    assert plan(fingerprint_many(TEXTS)).fingerprints == 3
