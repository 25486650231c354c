"""Rates of unrelated pairs: counts and model against brute force, and published figures against each other."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pytest

from benchmarks import results
from benchmarks.calibration import unrelated
from benchmarks.calibration.corpus import load
from benchmarks.calibration.near_duplicates import CONFIRMED, confirmed_pairs, replaced_words, scans
from benchmarks.calibration.rate_model import (
    BITS,
    Rule,
    curves,
    drawn,
    fit_line,
    recommended_rules,
    score_line,
)
from benchmarks.calibration.rates import COLLECTIONS, HITS_PER_QUERY, observed
from benchmarks.calibration.tables import number
from benchmarks.calibration.unrelated import (
    DICE,
    WIDTHS,
    Counts,
    Passages,
    chosen_documents,
    count,
    cut,
    passages_of,
    works,
)
from simhash_doc import fingerprint, thresholds
from simhash_doc.schemes import get_schemes
from tests.benchmarks.small_corpus import text, write_corpus

RESULTS = results.read("rates")


def passages(seed: int = 1, works: int = 7, each: int = 4) -> Passages:
    """Return random passages, some of them near each other, and some of these with the same tokens."""
    rng = np.random.default_rng(seed)
    number = works * each
    rows = rng.integers(0, 1 << 63, (number, 8), np.uint64)
    rows[number // 2 :] = rows[: number - number // 2]
    for row in rows:
        row ^= np.uint64(1) << rng.integers(0, 63, 8).astype(np.uint64)
    ids = [rng.integers(0, 1000, 12).tolist() for _ in range(number)]
    ids[-1] = ids[number // 2 - 1]
    return Passages("xx", ids, rows, np.repeat(np.arange(works), each), np.arange(works) % 2)


def brute_force(given: Passages) -> tuple[dict[str, Counts], int]:
    """Count the pairs one by one; return the number of those that share text, too."""
    found, related = {"different": Counts(), "same": Counts()}, 0
    for a, b in combinations(range(len(given.rows)), 2):
        first, second = given.families[a], given.families[b]
        if first == second:
            continue
        counts = found["same" if given.sources[first] == given.sources[second] else "different"]
        bits = [(int(x) ^ int(y)).bit_count() for x, y in zip(given.rows[a], given.rows[b], strict=True)]
        distances = {width: [sum(bits[at : at + width // 64]) for at in range(0, 8, width // 64)] for width in WIDTHS}
        grams = [{tuple(one[i : i + 3]) for i in range(len(one) - 2)} for one in (given.ids[a], given.ids[b])]
        shared = 2 * len(grams[0] & grams[1]) / (len(grams[0]) + len(grams[1])) >= DICE
        if shared and any(min(distances[width]) <= unrelated.NEAR[width] for width in WIDTHS):
            related += 1
            continue
        for width in WIDTHS:
            for distance in distances[width]:
                counts.histograms[width][distance] += 1
    return found, related


def assert_equal(found: Counts, expected: Counts) -> None:
    for width in WIDTHS:
        assert found.histograms[width].tolist() == expected.histograms[width].tolist()


def test_counts_equal_brute_force() -> None:
    given = passages()
    found, (expected, related) = count(given), brute_force(given)
    assert related == 1
    assert expected["same"].pairs
    assert_equal(found.different, expected["different"])
    assert_equal(found.same, expected["same"])
    assert found.works == 7
    near = int(found.different.histograms[64][:4].sum())
    assert observed(found.different, Rule(64, 3)) == (near, 8 * found.different.pairs)


def test_a_bootstrap_replicate_equals_drawing_works() -> None:
    given = passages(3)
    found = count(given)
    drawn_works = np.random.default_rng(1).multinomial(7, np.full(7, 1 / 7), unrelated.REPLICATES)
    for replicate in (0, 1):
        times = drawn_works[replicate]
        expected: Counter[int] = Counter()
        for a, b in combinations(range(28), 2):
            first, second = given.families[a], given.families[b]
            if first != second and given.sources[first] != given.sources[second] and given.ids[a] != given.ids[b]:
                distance = int(np.bitwise_count(given.rows[a] ^ given.rows[b]).sum())
                expected[distance] += times[first] * times[second]
        histogram = found.different.replicates[replicate]
        assert {at: value for at, value in enumerate(histogram.tolist()) if value} == {
            at: value for at, value in expected.items() if value
        }


def test_passages_have_the_fingerprints_of_their_tokens(tmp_path: Path) -> None:
    corpus = load(write_corpus(tmp_path, 10))
    chosen = chosen_documents(corpus)
    found = passages_of("hu", chosen["hu"], [25, unrelated.FULL])
    assert len(found[25].ids) == 4 * len(chosen["hu"])
    for row, document in zip(found[unrelated.FULL].rows, chosen["hu"], strict=True):
        expected = fingerprint(document.text, "sd512").hex
        assert "".join(f"{int(lane):016x}" for lane in row) == expected


def test_related_documents_are_one_work(tmp_path: Path) -> None:
    corpus = load(write_corpus(tmp_path))
    work_of = works(corpus)
    assert work_of["rev-0a"] == work_of["rev-0b"]
    assert work_of["en-5"] == work_of["en-9"], "a pair of the residue"
    assert work_of["en-0"] == work_of["en-1"], "of one family"
    assert len({work_of[f"th-{at}"] for at in range(4, 14)}) == 10
    chosen = chosen_documents(corpus)
    assert len({work_of[one.id] for one in chosen["en"]}) == len(chosen["en"])


def test_passages_are_consecutive_and_not_too_many() -> None:
    assert cut(range(10), 3) == [range(3), range(3, 6), range(6, 9)]
    spread = cut(range(10_000), 3)
    assert len(spread) == unrelated.PASSAGES
    assert all(one[0] % 3 == 0 and len(one) == 3 for one in spread)
    assert cut(range(24), unrelated.FULL) == []
    assert cut(range(25), unrelated.FULL) == [range(25)]


@pytest.mark.parametrize(
    ("bits", "of"),
    [(64, 256), *(pytest.param(*case, marks=pytest.mark.slow) for case in ((64, 512), (256, 512), (512, 512)))],
)
def test_drawn_bits_are_hypergeometric(bits: int, of: int) -> None:
    table = drawn(bits, of)
    assert np.allclose(table.sum(axis=1), 1)
    for differing, found in ((0, 0), (5, 2), (of // 3, bits // 3), (of, bits)):
        exact = comb(differing, found) * comb(of - differing, bits - found) / comb(of, bits)
        assert table[differing, found] == pytest.approx(exact, rel=1e-9)


@pytest.mark.slow
def test_a_confirmed_hit_needs_both_distances() -> None:
    rule = Rule(64, 3, 20)
    assert rule.name == "sd64 <= 3, sd256 <= 20"
    for differing in (10, 40, 60):
        exact = sum(
            comb(differing, near)
            * comb(512 - differing, 64 - near)
            * comb(differing - near, rest)
            * comb(448 - differing + near, 192 - rest)
            for near in range(4)
            for rest in range(21 - near)
            if near + rest <= differing
        ) / (comb(512, 64) * comb(448, 192))
        assert rule.kernel[differing] == pytest.approx(exact, rel=1e-9)
    assert (rule.kernel <= Rule(64, 3).kernel + 1e-12).all()
    assert (rule.kernel <= Rule(256, 20).kernel + 1e-12).all()
    assert Rule(64, 64, 256).kernel == pytest.approx(1)


def test_fitting_a_line_recovers_it() -> None:
    within = np.minimum(10**8, 10 ** (8 - 0.06 * np.arange(200)[::-1]))
    histogram = np.zeros(513)
    histogram[:200] = np.diff(within, prepend=0.0)
    shares = fit_line(histogram)
    assert shares.sum() == pytest.approx(1)
    assert np.cumsum(shares)[20] == pytest.approx(10 ** (-0.06 * 179))
    with pytest.raises(ValueError, match="too few"):
        fit_line(histogram / 10**6)


def test_a_line_is_scored_by_the_nearest_pairs_of_the_other_half() -> None:
    rng = np.random.default_rng(1)
    halves = np.array([np.bincount(rng.binomial(512, 0.4, 200_000), minlength=513) for _ in range(2)])
    deep = [int(np.searchsorted(np.cumsum(half), 3)) for half in halves]
    found = score_line(halves)
    assert found["seen"] == halves[1][: deep[0]].sum() + halves[0][: deep[1]].sum()
    assert found["expected"] == pytest.approx(6, abs=3), "the line continues the curve"


def test_replaced_words_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.calibration.near_duplicates.SMALLEST_SAMPLE", 10)
    one_word, replaced = (by_length["20"] for by_length in replaced_words(load(write_corpus(tmp_path)), [20]))
    assert set(one_word) == {"en", "hu", "all"}, "Thai is written without spaces"
    assert one_word["en"]["trials"] >= 10
    for scheme in get_schemes():
        close, loose = one_word["en"][scheme]
        assert 0 <= close <= loose <= one_word["en"]["trials"]
    shares = [one_word[lang]["sd64"][1] / one_word[lang]["trials"] for lang in ("en", "hu")]
    assert one_word["all"]["sd64"][1]["mean"] == pytest.approx(np.mean(shares), abs=1e-3)
    assert replaced["0.02"]["sd256"][26] == one_word["all"]["sd256"][0]["mean"], "one word of 20"
    for row in replaced.values():
        for name, rules in curves().items():
            assert len(row[name]) == len(rules)
            assert row[name] == sorted(row[name])
        assert row["sd64 confirmed 20"][3] <= min(row["sd64"][3], row["sd256"][20])
    assert replaced["0.2"]["sd256"][26] < replaced["0.06"]["sd256"][26] == replaced["0.02"]["sd256"][26]


def test_true_pairs_are_found_as_by_the_package(tmp_path: Path) -> None:
    corpus = load(write_corpus(tmp_path))
    found = confirmed_pairs(corpus)
    revisions = [pair for pair in corpus.pairs if pair.relation == "revision"]
    expected = Counter[str]()
    for pair in revisions:
        texts = [corpus.documents[one].text for one in (pair.a, pair.b)]
        near, wide = (fingerprint(texts[0], one).distance(fingerprint(texts[1], one)) for one in ("sd64", "sd256"))
        for rule in CONFIRMED:
            expected[rule.name] += near <= rule.distance and (rule.confirmed is None or wide <= rule.confirmed)
    assert found["all: revision"] == {"pairs": len(revisions)} | expected
    assert expected["sd64 <= 6"]


def test_scans_are_found_by_their_share_of_wrong_characters(tmp_path: Path) -> None:
    rows = []
    for seed, wrong in enumerate((0.0, 0.05, 0.07, 0.3)):
        article = text("en", seed)
        read = article if wrong < 0.06 else text("en", 50 + seed)
        quality = {"quality_report": {"cer": wrong}}
        sides = {
            "ground_truth": {"transcription_unit": article},
            "ocr_hypothesis": {"transcription_unit": read} | quality,
        }
        rows.append(json.dumps(sides))
    (tmp_path / "scans.jsonl").write_text("\n".join(rows), encoding="utf-8")
    found = scans(tmp_path / "scans.jsonl")
    assert {name: row["pairs"] for name, row in found.items()} == {
        "all": 4,
        "at most 0.05": 2,
        "0.05 to 0.10": 1,
        "0.10 to 0.20": 0,
        "unrelated": 12,
    }
    assert found["at most 0.05"]["sd64 <= 3"] == 2
    assert found["unrelated"]["sd256 <= 26"] == 0


def test_figures_are_rounded_to_two_digits() -> None:
    shown = {
        0.0: "0",
        0.000123: "1.2·10⁻⁴",
        0.00123: "0.0012",
        0.0123: "0.012",
        1.26: "1.3",
        47.4: "47",
        4740: "4,740",
        1e6: "1.0·10⁶",
    }
    assert {value: number(value) for value in shown} == shown


def test_the_committed_results_are_consistent() -> None:
    assert RESULTS["collections"] == list(COLLECTIONS)
    for length, row in RESULTS["lengths"].items():
        pairs = sum(one["different"]["pairs"] for one in row["groups"].values())
        assert list(row["rates"]) == [rule.name for rule in recommended_rules()]
        for rule in recommended_rules():
            rate = row["rates"][rule.name]
            low, high = rate["interval"]
            assert low <= high
            if rule.confirmed is None:
                assert rate["trials"] == pairs * BITS // rule.bits
        for lang, one in row["languages"].items():
            assert one["works"] >= 20, (length, lang)
        for name, rules in curves().items():
            curve = row["within"][name]
            assert [len(curve[key]) for key in ("low", "rate", "high")] == 3 * [len(rules)]
            for rule, low, rate, high in zip(rules, curve["low"], curve["rate"], curve["high"], strict=True):
                assert low <= high
                if rule in recommended_rules():
                    assert (rate, [low, high]) == tuple(row["rates"][rule.name][key] for key in ("rate", "interval"))


def test_recommended_distances_follow_from_the_rates() -> None:
    for length, by_scheme in RESULTS["distances"].items():
        rates = RESULTS["lengths"][length]["rates"]
        for rule in recommended_rules():
            name = f"sd{rule.bits}" if rule.confirmed is None else f"sd{rule.bits} confirmed {rule.confirmed}"
            rate = rates[rule.name]["rate"]
            for size, distance in zip(COLLECTIONS, by_scheme[name], strict=True):
                if abs(rate * size - HITS_PER_QUERY) > 0.1 * HITS_PER_QUERY:  # beyond the rounding
                    assert (distance >= rule.distance) == (rate * size <= HITS_PER_QUERY)


def test_the_thresholds_of_the_package_are_the_measured_ones() -> None:
    lengths = [str(length) for length in thresholds.LENGTHS]
    assert list(RESULTS["distances"]) == lengths
    assert list(thresholds.COLLECTIONS) == RESULTS["collections"]
    measured = {
        name.replace(" confirmed ", "/"): tuple(tuple(RESULTS["distances"][length][name]) for length in lengths)
        for name in RESULTS["distances"]["25"]
    }
    assert measured == thresholds._DISTANCES
