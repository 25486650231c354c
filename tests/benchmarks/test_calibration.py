"""The calibration against brute force on a small corpus, and its statistics against their definitions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simhash_doc
from benchmarks import results
from benchmarks.calibration import fingerprinting, measure, variants
from benchmarks.calibration.corpus import Corpus, load
from benchmarks.calibration.fingerprinting import MINHASH, Table, fingerprint_documents, fingerprint_text, kinds_of
from benchmarks.calibration.measure import SCHEME_TABLE
from benchmarks.calibration.pairs import band, negatives, pair_distances, sets, within
from benchmarks.calibration.tables import wilson
from simhash_doc import reference
from simhash_doc.schemes import get_scheme
from tests.benchmarks.small_corpus import write_corpus
from tests.strategies import any_text

RESULTS = results.read("calibration")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return load(write_corpus(tmp_path_factory.mktemp("corpus")))


@pytest.fixture(scope="module")
def fingerprints(corpus: Corpus) -> dict[str, Table]:
    return fingerprint_documents(corpus.documents.values(), kinds_of)


@given(any_text)
def test_the_default_variant_equals_the_scheme(given_text: str) -> None:
    assert Counter(variants.tokens(given_text)) == Counter(reference.tokens(given_text))
    kinds = fingerprint_text(given_text)
    if not kinds:
        with pytest.raises(simhash_doc.NoTokenError):
            simhash_doc.fingerprint(given_text)
        return
    expected = simhash_doc.fingerprint(given_text, "sd512").hex
    assert "".join(f"{int(lane):016x}" for lane in kinds[SCHEME_TABLE]) == expected


@pytest.mark.parametrize(
    ("variant", "given_text", "expected"),
    [
        (variants.Variant(folding=False), "Straße STRASSE ﬁn", ["Straße", "STRASSE", "ﬁn"]),
        (variants.Variant(folding=False), "see HTTPS://EXAMPLE.ORG/a now", ["see", "now"]),
        (variants.Variant(links=False), "see https://example.org", ["see", "https", "example", "org"]),
        (variants.Variant(spacing_marks=False), "काम", ["क", "म"]),
        (variants.Variant(trimmed=False), "_so_ __ 12", ["_so_"]),
        (variants.Variant(split="whole"), "東京都へ", ["東京都へ"]),
        (variants.Variant(split="trigrams"), "東京都へ 東京", ["東京都", "京都へ", "東京"]),
        (variants.Variant(split="single"), "東京", ["東", "京"]),
    ],
)
def test_a_variant_changes_one_decision(variant: variants.Variant, given_text: str, expected: list[str]) -> None:
    assert variants.tokens(given_text, variant) == expected


@given(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=200), st.sampled_from([None, 1, 4, 8]))
def test_caps_count_the_first_occurrences(tokens: list[str], cap: int | None) -> None:
    counts = {token: min(count, cap or count) for token, count in Counter(tokens).items()}
    expected = sum((total > 0) << bit for bit, total in enumerate(reference.bit_sums(counts)))
    assert fingerprinting.simhash(fingerprinting.hash_tokens(tokens, 1), cap)[0] == expected


def test_minhash_bits_agree_as_often_as_the_sets_overlap() -> None:
    # A bit agrees with probability (1 + J) / 2 for sets of Jaccard similarity J.
    shared, own = 600, 200
    a = fingerprinting.hash_tokens([f"s{i}" for i in range(shared)] + [f"a{i}" for i in range(own)], 1)
    b = fingerprinting.hash_tokens([f"s{i}" for i in range(shared)] + [f"b{i}" for i in range(own)], 1)
    lanes = 64
    differing = np.bitwise_count(fingerprinting.minhashes(a, lanes) ^ fingerprinting.minhashes(b, lanes)).sum()
    expected = 64 * lanes * (1 - shared / (shared + 2 * own)) / 2
    assert abs(differing - expected) < 5 * sqrt(expected)


@pytest.mark.slow
@pytest.mark.parametrize("bits", [64, 128, 512])
def test_negatives_equal_brute_force(corpus: Corpus, fingerprints: dict[str, Table], bits: int) -> None:
    for lang, distances in negatives(corpus, fingerprints[SCHEME_TABLE], bits).items():
        documents = [d for d in corpus.documents.values() if d.kind == "unrelated" and d.lang == lang]
        expected: Counter[int] = Counter()
        for a, b in combinations(documents, 2):
            if a.docfamily != b.docfamily and frozenset((a.id, b.id)) not in corpus.residue:
                values = [simhash_doc.fingerprint(d.text, get_scheme(f"sd{bits}")).value for d in (a, b)]
                expected[(values[0] ^ values[1]).bit_count()] += 1
        assert Counter(distances.tolist()) == expected


@pytest.mark.parametrize(("distances", "expected"), [([5, 9, 7, 7], 6), ([0, 0, 0, 4], -1), ([3, 3, 8], 7)])
def test_the_largest_distance_with_two_false_positives(distances: list[int], expected: int) -> None:
    assert measure.most_distance(np.array(distances)) == expected


def test_true_pairs_equal_the_package(corpus: Corpus, fingerprints: dict[str, Table]) -> None:
    for pair, found in zip(
        corpus.pairs, pair_distances(corpus, corpus.pairs, fingerprints[SCHEME_TABLE], 64), strict=True
    ):
        a, b = (simhash_doc.fingerprint(corpus.documents[one].text) for one in (pair.a, pair.b))
        assert found == a.distance(b)
    assert within(np.array([0, 3, 3, 9]), 4) == [1, 1, 1, 3, 3]


def test_every_pair_is_in_one_part(corpus: Corpus) -> None:
    divided = sets(corpus)
    assert {name: len(pairs) for name, pairs in divided["group"].items()} == {
        "revision": 4,
        "cross-media": 1,
        "cross-media, synthetic": 1,
        "cross-media, hard": 1,
    }
    assert list(divided["edit class"]) == ["tiny", "medium", "large", "rewrite"]
    assert [band(pair) for pair in corpus.pairs[:4]] == [">= 0.95", "0.85 to 0.95", "0.50 to 0.70", "< 0.30"]


def test_decisions_are_measured_on_the_small_corpus(corpus: Corpus, fingerprints: dict[str, Table]) -> None:
    divided = sets(corpus)
    rows = measure.decisions(corpus, fingerprints, divided)
    assert rows["version 1"]["moved"]["pairs"] == 0
    assert rows["links kept"]["moved"]["pairs"] > 0
    assert measure.cuts(corpus, fingerprints) == {}, "no true Thai pair"
    compared = measure.compare_with_minhash(corpus, fingerprints, divided["all by similarity"])
    assert {row["method"] for row in compared} == {"simhash, at most 8", "simhash, once", MINHASH}


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_score_intervals_solve_their_equation(counted: tuple[int, int]) -> None:
    found, of = counted
    low, high = wilson(found, of)
    share = found / of
    assert 0 <= low <= share <= high <= 1
    z = 1.959963984540054
    for end in (low, high):
        if 0 < end < 1:
            assert abs(share - end) == pytest.approx(z * sqrt(end * (1 - end) / of), abs=1e-9)


@pytest.mark.parametrize("trials", [1, 5, 60])
def test_the_bound_for_no_event_is_exact(trials: int) -> None:
    bound = Fraction(measure.upper_bound_of_none(trials))
    none = sum(comb(trials, k) * bound**k * (1 - bound) ** (trials - k) for k in range(1))
    assert float(none) == pytest.approx(0.05)


def test_the_text_of_an_original_is_extracted(corpus: Corpus) -> None:
    pytest.importorskip("lxml")
    from benchmarks.extraction.sources import distance, dumped, extracted, stored

    document = corpus.documents["xm-0html"]
    assert distance(extracted(document), stored(document)) == 0
    assert distance(dumped(document), stored(document)) > 0, "with the menu"


def test_the_committed_results_are_consistent() -> None:
    for one in RESULTS["widths"].values():
        summed = np.sum([row["within"] for row in one["languages"].values()], axis=0)
        assert summed.tolist() == one["false_positives"]["within"]
        assert sum(row["pairs"] for row in one["languages"].values()) == one["false_positives"]["pairs"]
        for way in ("edit class", "revisions by similarity"):
            parts = np.sum([row["within"] for row in one["recall"][way].values()], axis=0)
            assert parts.tolist() == one["recall"]["group"]["revision"]["within"]
