"""Measure how often unrelated texts are near, and derive the thresholds for collections of any size.

    OPENBLAS_NUM_THREADS=1 python -m benchmarks.calibration.rates CORPUS_DIR   # twelve minutes on two cores, 3 GB

`unrelated.py` counts pairs, `rate_model.py` estimates rates from the counts, and `near_duplicates.py` measures what a
confirmation by `sd256` keeps, replaced words, and scans (with --scans FILE, of the HIPE-OCRepair benchmark; otherwise
the last results stay). This module writes docs/benchmarks/rates.json and rates-tables.md, and prints the
table of `simhash_doc.thresholds`, which a test compares with the results.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import results
from benchmarks.calibration.corpus import Corpus, corpus_parser
from benchmarks.calibration.near_duplicates import confirmed_pairs, replaced_words, scans
from benchmarks.calibration.rate_model import BITS, Floats, Rule, curves, drawn, fit_line, recommended_rules, score_line
from benchmarks.calibration.unrelated import FULL, Counts, Language, count_corpus
from benchmarks.measuring import Results, machine
from simhash_doc.lookup.blocks import prefix_widths

LENGTHS = (25, 50, 100, 200, 500, 1000, 2000, FULL)  # tokens
RECOMMENDED_LENGTHS = (25, 50, 100, 200, 500, 1000)  # those with enough pairs for both groups of languages
FEWEST_WORKS = 20  # of a language
FEWEST_PAIRS = 10_000  # of a group of languages whose rates are estimated
HITS_PER_QUERY = 0.01
COLLECTIONS = tuple(10**power for power in range(4, 11))


def measure(corpus: Corpus, scanned: Path | None) -> Results:
    """Return the results as an object for JSON."""
    measured: Results = {
        "made_by": "python -m benchmarks.calibration.rates CORPUS_DIR --scans FILE",
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        **summarize(count_corpus(corpus, LENGTHS)),
        "confirmed": confirmed_pairs(corpus),
    }
    measured["one_word"], measured["replaced"] = replaced_words(corpus)
    return measured | ({"scans": scans(scanned)} if scanned else {})


def summarize(counted: Mapping[int, Mapping[str, Language]]) -> Results:
    """Return the rates of each length, the scores of the fitted lines and the recommended distances."""
    lengths, distances, lines, candidates = {}, {}, {}, {}
    for length, by_language in counted.items():
        enough = {lang: one for lang, one in by_language.items() if one.works >= FEWEST_WORKS and one.pairs}
        others = [one for lang, one in enough.items() if lang != "en"]
        groups = {"en": enough["en"], "others": reduce(Language.__add__, others)}
        groups = {name: one for name, one in groups.items() if one.different.pairs >= FEWEST_PAIRS}
        name = str(length) if length else "complete"
        lengths[name] = {
            "groups": {
                group: {
                    "works": one.works,
                    "different": {"pairs": one.different.pairs},
                    "same": {"pairs": one.same.pairs},
                    "languages": 1 if group == "en" else len(others),
                }
                for group, one in groups.items()
            },
            "rates": _rates(groups),
            "within": _within(groups),
            "languages": {lang: _language(one) for lang, one in enough.items()},
        }
        lines[name] = score_line(groups["en"].different.halves)
        if length in RECOMMENDED_LENGTHS:
            distances[name] = _distances([one.different for one in groups.values()])
            candidates[name] = _candidates([one.different for one in groups.values()])
    summary = {"lengths": lengths, "lines": lines, "collections": COLLECTIONS, "distances": distances}
    return summary | {"candidates": candidates | {"uniform": _candidates(None)}}


def _rates(groups: Mapping[str, Language]) -> dict[str, Results]:
    different, same = ([getattr(one, name) for one in groups.values()] for name in ("different", "same"))
    shares, resampled = mean_shares(different), resampled_shares(different)
    same = [one for one in same if one.pairs >= FEWEST_PAIRS]
    in_one = mean_shares(same) if same else None
    rows = {}
    for rule in recommended_rules():
        rows[rule.name] = {
            "rate": rounded(rule.kernel @ shares),
            "interval": _interval(rule, resampled),
            "one_collection": None if in_one is None else rounded(rule.kernel @ in_one),
        }
        if rule.confirmed is None:
            seen, trials = (sum(column) for column in zip(*(observed(one, rule) for one in different), strict=True))
            rows[rule.name] |= {"seen": seen, "trials": trials}
    return rows


def _within(groups: Mapping[str, Language]) -> dict[str, Results]:
    """Return the rate at every distance of each curve, and the ends of its interval."""
    different = [one.different for one in groups.values()]
    shares, resampled = mean_shares(different), resampled_shares(different)
    found = {}
    for name, rules in curves().items():
        low, high = zip(*(_interval(rule, resampled) for rule in rules), strict=True)
        found[name] = {"rate": [rounded(rule.kernel @ shares) for rule in rules], "low": low, "high": high}
    return found


def _interval(rule: Rule, resampled: Floats) -> list[float]:
    """Return the 95 % interval of the rate of a rule, from shares of shape (replicates, 513)."""
    return [rounded(end) for end in np.percentile(resampled @ rule.kernel, (2.5, 97.5))]


def observed(counts: Counts, rule: Rule) -> tuple[int, int]:
    """Return how many pairs fulfil a rule, and of how many; each disjoint fingerprint of a pair counts."""
    within = counts.histograms[rule.bits][: rule.distance + 1]
    return int(within.sum()), counts.pairs * (BITS // rule.bits)


def mean_shares(listed: Sequence[Counts]) -> Floats:
    """Return the shares of pairs at each distance of 512 bits, shape (513,): the mean over groups of languages."""
    return np.asarray(np.mean([fit_line(one.histograms[BITS]) for one in listed], axis=0))


def resampled_shares(listed: Sequence[Counts]) -> Floats:
    """Return the mean shares of each replicate of the bootstrap, shape (replicates, 513)."""
    return np.asarray(np.mean([[fit_line(histogram) for histogram in one.replicates] for one in listed], axis=0))


def _language(one: Language) -> Results:
    rates = {}
    for name, counts in (("different", one.different), ("same", one.same)):
        share = Rule(64, 3).kernel @ counts.histograms[BITS] / max(1, counts.pairs)
        rates[name] = rounded(share) if counts.pairs else None
    return {"works": one.works, "pairs": one.pairs, **rates}


def _distances(listed: Sequence[Counts]) -> dict[str, list[int]]:
    """Return the largest distance of each scheme for each of `COLLECTIONS`, -1 if there is none.

    It is the largest one, up to the loose threshold, at which the estimated rate times the size of the collection is at
    most `HITS_PER_QUERY`.
    """
    shares = mean_shares(listed)
    rates = {name: np.array([rule.kernel @ shares for rule in rules]) for name, rules in curves().items()}
    return {
        name: [int((one * size <= HITS_PER_QUERY).sum()) - 1 for size in COLLECTIONS] for name, one in rates.items()
    }


def _candidates(listed: Sequence[Counts] | None) -> dict[str, float]:
    """Return the share of fingerprints that a query meets in the tables of `sd64` at distance 3, by number of blocks.

    Args:
        listed: the counts of groups of languages; None for fingerprints of random bits.
    """
    found = {}
    for blocks in (4, 5, 6):
        share = 0.0
        for bits, tables in prefix_widths(64, blocks, 3).items():
            equal = drawn(bits, BITS)[:, 0]
            of_groups = [one.histograms[BITS] @ equal / one.pairs for one in listed or ()]
            share += tables * (float(np.mean(of_groups)) if listed else 0.5**bits)
        found[str(blocks)] = rounded(share)
    return found


def rounded(value: Any) -> float:
    """Return a number with two significant digits."""
    return float(f"{value:.2g}")


def main() -> None:
    parser = corpus_parser(__doc__)
    parser.add_argument(
        "--scans", type=Path, metavar="FILE", help="articles of the HIPE-OCRepair benchmark, JSON lines"
    )
    options = parser.parse_args()
    found = measure(options.corpus, options.scans)
    results.write("rates", found)
    for length, rows in found["distances"].items():
        print(f"    {length}: {json.dumps(rows)},")


if __name__ == "__main__":
    main()
