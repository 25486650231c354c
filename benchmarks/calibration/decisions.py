"""Measures the effect of each design decision, for the tables of the rationale."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.calibration.corpus import CROSS_MEDIA, Corpus, TruePair
from benchmarks.calibration.distances import Negatives, negatives, pair_distances, total
from benchmarks.calibration.fingerprinting import MINHASH, SATURATING, SATURATING_SWAPPED, Table
from benchmarks.calibration.recall import within
from benchmarks.calibration.variants import CAPS, DECISIONS

CLOSE, LOOSE = 3, 6
REACH = 16  # largest distance of each curve
INDIC = ("bn", "hi", "ml", "mr", "sa", "sa-Telu", "ta", "te")
UNSPACED = ("ja", "th", "zh", "zh-hant")
LENGTHS = (1, 3_000, 10_000, 20_000)  # tokens, lower ends
FALSE_POSITIVES_ALLOWED = 2

Divided = dict[str, dict[str, list[TruePair]]]


def _false_positives(listed: list[Negatives]) -> dict[str, Any]:
    histogram = total(listed)
    worst = max(listed, key=lambda one: one.within(CLOSE) / one.pairs)
    return {
        "pairs": int(histogram.sum()),
        "within": [int(count) for count in np.cumsum(histogram)[: REACH + 1]],
        "worst": {"lang": worst.lang, "pairs": worst.pairs, "within": [worst.within(d) for d in range(LOOSE + 1)]},
    }


def caps(corpus: Corpus, positions: dict[str, int], tables: dict[str, Table], divided: Divided) -> dict[str, Any]:
    """Return false positives and recall of 64 bits for each cap."""
    return {name: _row(corpus, positions, tables[name], divided) for name in CAPS}


def decisions(corpus: Corpus, positions: dict[str, int], tables: dict[str, Table], divided: Divided) -> dict[str, Any]:
    """Return false positives and recall of 64 bits with one decision changed, and its effect on the pairs it moves."""
    rows = {}
    scored = [pair for pair in corpus.pairs if not pair.hard]
    base = pair_distances(scored, positions, tables["version 1"], 64)
    for name in [*DECISIONS, SATURATING]:
        row = _row(corpus, positions, tables[name], divided)
        distances = pair_distances(scored, positions, tables[name], 64)
        moved = distances != base
        row["moved"] = {
            "pairs": int(moved.sum()),
            "version 1": within(base[moved], LOOSE),
            "changed": within(distances[moved], LOOSE),
        }
        rows[name] = row
    return rows


def _row(corpus: Corpus, positions: dict[str, int], table: Table, divided: Divided) -> dict[str, Any]:
    chosen = {**divided["edit class"], CROSS_MEDIA: divided["group"].get(CROSS_MEDIA, [])}
    return {
        "false_positives": _false_positives(negatives(corpus, positions, table, 64)),
        "recall": {
            name: {"pairs": len(pairs), "within": within(pair_distances(pairs, positions, table, 64), REACH)}
            for name, pairs in chosen.items()
            if pairs
        },
    }


def scripts(corpus: Corpus, positions: dict[str, int], tables: dict[str, Table]) -> dict[str, Any]:
    """Return the effect of Mc on Indic languages, and of ways to split scriptio continua."""
    marks = {}
    for name in ("version 1", "without Mc"):
        for one in negatives(corpus, positions, tables[name], 64):
            if one.lang in INDIC:
                row = marks.setdefault(one.lang, {"pairs": one.pairs})
                row[name] = {"mean": round(one.mean, 1), "within": [one.within(d) for d in range(LOOSE + 1)]}
    cuts: dict[str, Any] = {}
    names = ("scriptio continua whole", "version 1", "scriptio continua in trigrams")
    for name in (*names, "scriptio continua in single characters"):
        unrelated = {one.lang: one for one in negatives(corpus, positions, tables[name], 64)}
        for lang in UNSPACED:
            pairs = [p for p in corpus.pairs if corpus.documents[p.a].lang == lang and not p.hard]
            if not pairs:
                continue
            row = cuts.setdefault(lang, {"pairs": len(pairs)})
            row[name] = {"within": within(pair_distances(pairs, positions, tables[name], 64), LOOSE)}
            if lang in unrelated:
                row["unrelated_pairs"] = unrelated[lang].pairs
                row[name]["false_positives"] = [unrelated[lang].within(d) for d in range(LOOSE + 1)]
    return {"spacing_marks": marks, "cuts": cuts}


def saturation(corpus: Corpus, positions: dict[str, int], tables: dict[str, Table]) -> dict[str, Any]:
    """Return the distance between saturating counters and exact sums, by length of the document."""
    lengths = np.array([document.tokens for document in corpus.documents.values()])
    exact = tables["version 1"][:, 0]
    off = np.bitwise_count(exact ^ tables[SATURATING][:, 0])
    swapped = np.bitwise_count(tables[SATURATING][:, 0] ^ tables[SATURATING_SWAPPED][:, 0])
    rows: dict[str, Any] = {}
    for low, high in zip(LENGTHS, [*LENGTHS[1:], np.inf], strict=True):
        inside = (lengths >= low) & (lengths < high)
        pairs = [
            pair
            for pair in corpus.pairs
            if not pair.hard and low <= min(corpus.documents[one].tokens for one in (pair.a, pair.b)) < high
        ]
        rows[f"{low:,} to {high:,.0f}" if np.isfinite(high) else f"{low:,} and more"] = {
            "documents": int(inside.sum()),
            "from_exact": _spread(off[inside]),
            "halves_exchanged": _spread(swapped[inside]),
            "pairs": len(pairs),
            "recall_exact": within(pair_distances(pairs, positions, tables["version 1"], 64), LOOSE) if pairs else None,
            "recall_saturating": within(pair_distances(pairs, positions, tables[SATURATING], 64), LOOSE)
            if pairs
            else None,
        }
    return rows


def _spread(values: Any) -> dict[str, float] | None:
    return {"mean": round(float(values.mean()), 2), "largest": int(values.max())} if len(values) else None


def compare_with_minhash(
    corpus: Corpus, positions: dict[str, int], tables: dict[str, Table], by_similarity: dict[str, list[TruePair]]
) -> list[dict[str, Any]]:
    """Return recall of simhash and 1-bit MinHash with the same number of bits and at most two false positives."""
    rows = []
    for bits in (64, 256):
        for name, table in {
            "simhash, at most 8": tables["at most 8"],
            "simhash, once": tables["once"],
            MINHASH: tables[MINHASH],
        }.items():
            cumulated = np.cumsum(total(negatives(corpus, positions, table, bits)))
            distance = int(np.searchsorted(cumulated, FALSE_POSITIVES_ALLOWED, side="right")) - 1
            found = {
                similarity: (len(pairs), int((pair_distances(pairs, positions, table, bits) <= distance).sum()))
                for similarity, pairs in by_similarity.items()
            }
            rows.append({"bits": bits, "method": name, "distance": distance, "recall": found})
    return rows
