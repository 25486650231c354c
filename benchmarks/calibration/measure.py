"""Measures everything that the calibration reports. The results are aggregates, without text of the corpus."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from benchmarks.calibration.corpus import CROSS_MEDIA, Corpus, TruePair
from benchmarks.calibration.fingerprinting import MINHASH, SATURATING, SATURATING_SWAPPED, Table
from benchmarks.calibration.pairs import Negatives, counted, negatives, pair_distances, sets, total, within
from benchmarks.calibration.statistics import (
    bootstrap,
    disjoint_pairs,
    fit,
    fitted_range,
    largest_unseen,
    percentiles,
    recommend,
    upper_bound_of_none,
)
from benchmarks.calibration.variants import CAPS, DECISIONS
from simhash_doc.lookup.planning import plan
from simhash_doc.schemes import get_schemes

SCHEME_TABLE = "at most 8"
EXTRACTED = "extracted from the originals"


def measure(corpus: Corpus, tables: dict[str, Table]) -> dict[str, Any]:
    """Return the results as an object for JSON.

    Args:
        corpus: the corpus.
        tables: a table per kind of fingerprint, with a row per document in the order of the corpus.
    """
    divided = sets(corpus)
    table = tables[SCHEME_TABLE]
    unrelated = {scheme.bits: negatives(corpus, table, scheme.bits) for scheme in get_schemes().values()}
    false_positives, recommended = _thresholds(unrelated)
    results: dict[str, Any] = {
        "corpus": corpus.describe(),
        "widths": {
            str(bits): {
                "false_positives": false_positives[bits],
                "languages": {one.lang: _language(one) for one in listed},
                "recall": {
                    way: {name: counted(corpus, pairs, table, bits) for name, pairs in parts.items()}
                    for way, parts in divided.items()
                },
                "recommended": recommended[bits],
            }
            for bits, listed in unrelated.items()
        },
        "radius": [_radius(distance) for distance in range(1, 9)],
    }
    results["caps"] = caps(corpus, tables, divided)
    results["decisions"] = decisions(corpus, tables, divided)
    results["scripts"] = scripts(corpus, tables)
    results["saturation"] = saturation(corpus, tables)
    if EXTRACTED in tables:
        results["extraction"] = measured_extraction(corpus, tables, divided)
    results["minhash"] = compare_with_minhash(corpus, tables, divided["all by similarity"])
    return results


def measured_extraction(
    corpus: Corpus, tables: dict[str, Table], divided: dict[str, dict[str, list[TruePair]]]
) -> dict[str, Any]:
    """Return recall across formats of the stored texts, and of the texts extracted from the originals."""
    groups = {name: pairs for name, pairs in divided["group"].items() if name.startswith(CROSS_MEDIA)}
    parts = {"group": groups, "formats": divided["formats"]}
    real = groups.get(CROSS_MEDIA, [])
    for number in range(3):
        some = [pair for pair in real if corpus.originals(pair) == number]
        parts.setdefault("originals", {}).update({str(number): some} if some else {})
    return {
        way: {
            name: {
                kind: {
                    str(scheme.bits): counted(corpus, pairs, tables[table], scheme.bits)
                    for scheme in get_schemes().values()
                }
                for kind, table in (("stored", SCHEME_TABLE), ("extracted", EXTRACTED))
            }
            for name, pairs in listed.items()
        }
        for way, listed in parts.items()
    }


def _thresholds(unrelated: dict[int, list[Negatives]]) -> tuple[dict[int, Any], dict[int, Any]]:
    curves, tails, resampled = {}, {}, {}
    for bits, listed in unrelated.items():
        histogram = total(listed)
        pairs, within = int(histogram.sum()), np.cumsum(histogram)[: bits // 4 + 1]
        replicates = bootstrap(listed)
        reach = fitted_range(within, pairs)
        tails[bits] = fit(within / pairs, reach)
        resampled[bits] = [fit(replicate, reach) for replicate in replicates]
        curves[bits] = {
            "pairs": pairs,
            "disjoint_pairs": disjoint_pairs(listed),
            "mean": round(float(histogram @ np.arange(len(histogram)) / pairs), 2),
            "largest_unseen": largest_unseen(within),
            "within": [int(count) for count in within],
            "low": [float(f"{percentiles(replicates[:, at])[0]:.3g}") for at in range(len(within))],
            "high": [float(f"{percentiles(replicates[:, at])[1]:.3g}") for at in range(len(within))],
            "upper_bound_of_none": float(f"{upper_bound_of_none(pairs):.3g}"),
            "upper_bound_of_none_disjoint": float(f"{upper_bound_of_none(disjoint_pairs(listed)):.3g}"),
            "tail": asdict(tails[bits]),
        }
    loose = curves[64]["largest_unseen"]
    recommended = {}
    for bits in unrelated:
        rule = recommend(bits, tails, resampled, loose)
        registered = next(scheme for scheme in get_schemes().values() if scheme.bits == bits)
        recommended[bits] = {
            **rule,
            "close_by_rule": int(rule["close"] + 1e-9),
            "loose_by_rule": min(int(rule["loose"] + 1e-9), curves[bits]["largest_unseen"]),
            "close_in_registry": registered.close,
            "loose_in_registry": registered.loose,
            "share_at_registered_close": tails[bits].share(registered.close),
            "share_at_registered_loose": tails[bits].share(registered.loose),
        }
    return curves, recommended


def _language(one: Negatives) -> dict[str, Any]:
    return {
        "documents": len(one.families),
        "families": int(one.families.max()) + 1,
        "pairs": one.pairs,
        "mean": round(one.mean, 2),
        "smallest": one.smallest(),
        "within": [one.within(distance) for distance in range(one.bits // 4 + 1)],
    }


def _radius(distance: int) -> dict[str, Any]:
    """Return the cost of an exact search within a distance, estimated by the planner."""
    plans = [plan(size, distance) for size in (10**6, 10**8)]
    return {
        "distance": distance,
        "plans": [
            {
                "fingerprints": one.fingerprints,
                "blocks": one.blocks,
                "tables": one.tables,
                "candidates": float(f"{one.candidates:.3g}"),
                "bytes": one.bytes,
            }
            for one in plans
        ],
    }


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


def caps(corpus: Corpus, tables: dict[str, Table], divided: Divided) -> dict[str, Any]:
    """Return false positives and recall of 64 bits for each cap."""
    return {name: _row(corpus, tables[name], divided) for name in CAPS}


def decisions(corpus: Corpus, tables: dict[str, Table], divided: Divided) -> dict[str, Any]:
    """Return false positives and recall of 64 bits with one decision changed, and its effect on the pairs it moves."""
    rows = {}
    scored = [pair for pair in corpus.pairs if not pair.hard]
    base = pair_distances(corpus, scored, tables["version 1"], 64)
    for name in [*DECISIONS, SATURATING]:
        row = _row(corpus, tables[name], divided)
        distances = pair_distances(corpus, scored, tables[name], 64)
        moved = distances != base
        row["moved"] = {
            "pairs": int(moved.sum()),
            "version 1": within(base[moved], LOOSE),
            "changed": within(distances[moved], LOOSE),
        }
        rows[name] = row
    return rows


def _row(corpus: Corpus, table: Table, divided: Divided) -> dict[str, Any]:
    chosen = {**divided["edit class"], CROSS_MEDIA: divided["group"].get(CROSS_MEDIA, [])}
    return {
        "false_positives": _false_positives(negatives(corpus, table, 64)),
        "recall": {
            name: {"pairs": len(pairs), "within": within(pair_distances(corpus, pairs, table, 64), REACH)}
            for name, pairs in chosen.items()
            if pairs
        },
    }


def scripts(corpus: Corpus, tables: dict[str, Table]) -> dict[str, Any]:
    """Return the effect of Mc on Indic languages, and of ways to split scriptio continua."""
    marks = {}
    for name in ("version 1", "without Mc"):
        for one in negatives(corpus, tables[name], 64):
            if one.lang in INDIC:
                row = marks.setdefault(one.lang, {"pairs": one.pairs})
                row[name] = {"mean": round(one.mean, 1), "within": [one.within(d) for d in range(LOOSE + 1)]}
    cuts: dict[str, Any] = {}
    names = ("scriptio continua whole", "version 1", "scriptio continua in trigrams")
    for name in (*names, "scriptio continua in single characters"):
        unrelated = {one.lang: one for one in negatives(corpus, tables[name], 64)}
        for lang in UNSPACED:
            pairs = [p for p in corpus.pairs if corpus.documents[p.a].lang == lang and not p.hard]
            if not pairs:
                continue
            row = cuts.setdefault(lang, {"pairs": len(pairs)})
            row[name] = {"within": within(pair_distances(corpus, pairs, tables[name], 64), LOOSE)}
            if lang in unrelated:
                row["unrelated_pairs"] = unrelated[lang].pairs
                row[name]["false_positives"] = [unrelated[lang].within(d) for d in range(LOOSE + 1)]
    return {"spacing_marks": marks, "cuts": cuts}


def saturation(corpus: Corpus, tables: dict[str, Table]) -> dict[str, Any]:
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
            "recall_exact": within(pair_distances(corpus, pairs, tables["version 1"], 64), LOOSE) if pairs else None,
            "recall_saturating": within(pair_distances(corpus, pairs, tables[SATURATING], 64), LOOSE)
            if pairs
            else None,
        }
    return rows


def _spread(values: Any) -> dict[str, float] | None:
    return {"mean": round(float(values.mean()), 2), "largest": int(values.max())} if len(values) else None


def compare_with_minhash(
    corpus: Corpus, tables: dict[str, Table], by_similarity: dict[str, list[TruePair]]
) -> list[dict[str, Any]]:
    """Return recall of simhash and 1-bit MinHash with the same number of bits and at most two false positives."""
    rows = []
    for bits in (64, 256):
        for name, table in {
            "simhash, at most 8": tables["at most 8"],
            "simhash, once": tables["once"],
            MINHASH: tables[MINHASH],
        }.items():
            cumulated = np.cumsum(total(negatives(corpus, table, bits)))
            distance = int(np.searchsorted(cumulated, FALSE_POSITIVES_ALLOWED, side="right")) - 1
            found = {
                similarity: (len(pairs), int((pair_distances(corpus, pairs, table, bits) <= distance).sum()))
                for similarity, pairs in by_similarity.items()
            }
            rows.append({"bits": bits, "method": name, "distance": distance, "recall": found})
    return rows
