"""Measures everything that the calibration reports. The results are aggregates, without text of the corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from benchmarks.calibration import decisions
from benchmarks.calibration.corpus import CROSS_MEDIA, Corpus, TruePair
from benchmarks.calibration.distances import Negatives, negatives, total
from benchmarks.calibration.fingerprinting import Table
from benchmarks.calibration.recall import counted, sets
from benchmarks.calibration.statistics import bootstrap, disjoint_pairs, percentiles, upper_bound_of_none
from benchmarks.calibration.thresholds import SEARCH_RADIUS, fit, fitted_range, largest_unseen, recommend
from simhash_doc.lookup.planner import plan
from simhash_doc.schemes import get_schemes

SCHEME_TABLE = "at most 8"
EXTRACTED = "extracted from the originals"


def measure(corpus: Corpus, tables: dict[str, Table]) -> dict[str, Any]:
    """Return the results as an object for JSON.

    Args:
        corpus: the corpus.
        tables: a table per kind of fingerprint, with a row per document in the order of the corpus.
    """
    positions = {name: at for at, name in enumerate(corpus.documents)}
    divided = sets(corpus)
    table = tables[SCHEME_TABLE]
    unrelated = {scheme.bits: negatives(corpus, positions, table, scheme.bits) for scheme in get_schemes().values()}
    false_positives, recommended = _thresholds(unrelated)
    results: dict[str, Any] = {
        "corpus": corpus.describe(),
        "widths": {
            str(bits): {
                "false_positives": false_positives[bits],
                "languages": {one.lang: _language(one) for one in listed},
                "recall": {
                    way: {name: counted(pairs, positions, table, bits) for name, pairs in parts.items()}
                    for way, parts in divided.items()
                },
                "recommended": recommended[bits],
            }
            for bits, listed in unrelated.items()
        },
        "radius": [_radius(distance) for distance in range(1, 9)],
    }
    results["caps"] = decisions.caps(corpus, positions, tables, divided)
    results["decisions"] = decisions.decisions(corpus, positions, tables, divided)
    results["scripts"] = decisions.scripts(corpus, positions, tables)
    results["saturation"] = decisions.saturation(corpus, positions, tables)
    if EXTRACTED in tables:
        results["extraction"] = measured_extraction(corpus, positions, tables, divided)
    results["minhash"] = decisions.compare_with_minhash(corpus, positions, tables, divided["all by similarity"])
    return results


def measured_extraction(
    corpus: Corpus, positions: dict[str, int], tables: dict[str, Table], divided: dict[str, dict[str, list[TruePair]]]
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
                    str(scheme.bits): counted(pairs, positions, tables[table], scheme.bits)
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
            **asdict(rule),
            "close_by_rule": int(rule.close + 1e-9),
            "loose_by_rule": min(int(rule.loose + 1e-9), curves[bits]["largest_unseen"]),
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


def _radius(distance: int, sizes: Sequence[int] = (10**6, 10**8)) -> dict[str, Any]:
    """Return the cost of an exact search within a distance, estimated by the planner."""
    plans = [plan(size, distance) for size in sizes]
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


__all__ = ["SEARCH_RADIUS", "measure"]
