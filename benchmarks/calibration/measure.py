"""Measures everything that the calibration reports. The results are aggregates, without text of the corpus."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks.calibration.corpus import CROSS_MEDIA, Corpus, TruePair
from benchmarks.calibration.fingerprinting import MINHASH, Table
from benchmarks.calibration.pairs import Integers, negatives, pair_distances, sets, united, within
from benchmarks.calibration.variants import CAPS, DECISIONS
from benchmarks.measuring import Results
from simhash_doc.schemes import get_schemes

SCHEME_TABLE = "version 1"
LOOSE = 6  # of 64 bits
REACH = 16  # largest distance of each curve
INDIC = ("bn", "hi", "ml", "mr", "sa", "sa-Telu", "ta", "te")
UNSPACED = ("ja", "th", "zh", "zh-hant")
FALSE_POSITIVES_ALLOWED = 2

Divided = Mapping[str, dict[str, list[TruePair]]]


def measure(corpus: Corpus, tables: dict[str, Table]) -> Results:
    """Return the results as an object for JSON.

    Args:
        corpus: the corpus.
        tables: a table per kind of fingerprint, with a row per document in the order of the corpus.
    """
    divided = sets(corpus)
    by_similarity = divided.pop("all by similarity")
    named = {**divided["group"], **divided["edit class"]}
    return {
        "corpus": corpus.describe(),
        "widths": widths(corpus, tables[SCHEME_TABLE], divided),
        "histograms": histograms(corpus, tables[SCHEME_TABLE], named),
        "caps": {name: _row(corpus, tables[name], divided) for name in CAPS},
        "decisions": decisions(corpus, tables, divided),
        "scripts": {"spacing_marks": spacing_marks(corpus, tables), "cuts": cuts(corpus, tables)},
        "minhash": compare_with_minhash(corpus, tables, by_similarity),
    }


def widths(corpus: Corpus, table: Table, divided: Divided) -> Results:
    """Return the false positives and the recall of each scheme."""
    found = {}
    for scheme in get_schemes().values():
        unrelated = negatives(corpus, table, scheme.bits)
        found[str(scheme.bits)] = {
            "false_positives": false_positives(corpus, united(unrelated), scheme.bits // 4),
            "languages": {
                lang: {
                    "pairs": len(distances),
                    "mean": round(float(distances.mean()), 2),
                    "within": within(distances, scheme.bits // 4),
                }
                for lang, distances in unrelated.items()
            },
            "recall": {
                way: {name: counted(corpus, pairs, table, scheme.bits) for name, pairs in parts.items()}
                for way, parts in divided.items()
            },
        }
    return found


def histograms(corpus: Corpus, table: Table, named: Mapping[str, list[TruePair]]) -> Results:
    """Return the number of pairs at every distance of `sd64` and `sd256`: unrelated ones, and true ones by name."""
    found = {}
    for bits in (64, 256):
        distances = {"unrelated": united(negatives(corpus, table, bits))}
        distances |= {name: pair_distances(corpus, pairs, table, bits) for name, pairs in named.items()}
        found[str(bits)] = {name: np.bincount(one, minlength=bits + 1).tolist() for name, one in distances.items()}
    return found


def counted(corpus: Corpus, pairs: list[TruePair], table: Table, bits: int) -> Results:
    """Return the number of pairs, of their works, and of pairs within each distance."""
    return {
        "pairs": len(pairs),
        "works": len({pair.group for pair in pairs}),
        "within": within(pair_distances(corpus, pairs, table, bits), bits // 4),
    }


def false_positives(corpus: Corpus, distances: Integers, reach: int) -> Results:
    """Return the number of pairs within each distance, and bounds for the share of pairs where none was seen.

    The first bound holds if pairs were independent, the second for pairs of which no two share a family.
    """
    pairs = len(distances)
    disjoint = sum(len({one.docfamily for one in documents}) // 2 for documents in corpus.unrelated.values())
    return {
        "pairs": pairs,
        "disjoint_pairs": disjoint,
        "largest_unseen": int(distances.min()) - 1,
        "within": within(distances, reach),
        "upper_bound_of_none": float(f"{upper_bound_of_none(pairs):.3g}"),
        "upper_bound_of_none_disjoint": float(f"{upper_bound_of_none(disjoint):.3g}"),
    }


def upper_bound_of_none(trials: int) -> float:
    """Return the share at which `trials` independent trials show at least one event with probability 0.95.

    This is the one-sided bound of Clopper and Pearson for 0 successes, about 3 / n.
    """
    return float(1 - 0.05 ** (1 / trials))


def decisions(corpus: Corpus, tables: dict[str, Table], divided: Divided) -> Results:
    """Return false positives and recall of 64 bits with one decision changed, and its effect on the pairs it moves."""
    rows = {}
    scored = [pair for pair in corpus.pairs if not pair.hard]
    base = pair_distances(corpus, scored, tables[SCHEME_TABLE], 64)
    for name in DECISIONS:
        distances = pair_distances(corpus, scored, tables[name], 64)
        moved = distances != base
        rows[name] = _row(corpus, tables[name], divided) | {
            "moved": {
                "pairs": int(moved.sum()),
                "version 1": within(base[moved], LOOSE),
                "changed": within(distances[moved], LOOSE),
            }
        }
    return rows


def _row(corpus: Corpus, table: Table, divided: Divided) -> Results:
    """Return false positives and recall of 64 bits."""
    chosen = {**divided["edit class"], CROSS_MEDIA: divided["group"].get(CROSS_MEDIA, [])}
    distances = united(negatives(corpus, table, 64))
    return {
        "false_positives": {"pairs": len(distances), "within": within(distances, REACH)},
        "recall": {
            name: {"pairs": len(pairs), "within": within(pair_distances(corpus, pairs, table, 64), REACH)}
            for name, pairs in chosen.items()
            if pairs
        },
    }


def spacing_marks(corpus: Corpus, tables: dict[str, Table]) -> Results:
    """Return the effect of Mc on the distances of unrelated texts in Indic languages."""
    marks: dict[str, Results] = {}
    for name in (SCHEME_TABLE, "without Mc"):
        for lang, distances in negatives(corpus, tables[name], 64).items():
            if lang in INDIC:
                marks.setdefault(lang, {"pairs": len(distances)})[name] = {"mean": round(float(distances.mean()), 1)}
    return marks


def cuts(corpus: Corpus, tables: dict[str, Table]) -> Results:
    """Return the effect of ways to split scriptio continua."""
    found: dict[str, Results] = {}
    names = ("scriptio continua whole", SCHEME_TABLE, "scriptio continua in trigrams")
    for name in (*names, "scriptio continua in single characters"):
        unrelated = negatives(corpus, tables[name], 64)
        for lang in UNSPACED:
            pairs = [p for p in corpus.pairs if corpus.documents[p.a].lang == lang and not p.hard]
            if not pairs:
                continue
            row = found.setdefault(lang, {"pairs": len(pairs)})
            row[name] = {"within": within(pair_distances(corpus, pairs, tables[name], 64), LOOSE)}
            if lang in unrelated:
                row["unrelated_pairs"] = len(unrelated[lang])
                row[name]["false_positives"] = within(unrelated[lang], LOOSE)
    return found


def compare_with_minhash(
    corpus: Corpus, tables: dict[str, Table], by_similarity: dict[str, list[TruePair]]
) -> list[Results]:
    """Return recall of simhash and 1-bit MinHash with the same number of bits and at most two false positives."""
    methods = {"simhash, at most 8": "at most 8", "simhash, once": "once", MINHASH: MINHASH}
    rows = []
    for bits in (64, 256):
        for method, name in methods.items():
            distance = most_distance(united(negatives(corpus, tables[name], bits)))
            found = {
                similarity: (len(pairs), found_within(corpus, pairs, tables[name], bits, distance))
                for similarity, pairs in by_similarity.items()
            }
            rows.append({"bits": bits, "method": method, "distance": distance, "recall": found})
    return rows


def most_distance(distances: Integers) -> int:
    """Return the largest distance with at most `FALSE_POSITIVES_ALLOWED` unrelated pairs, -1 if there is none."""
    return int(np.sort(distances)[FALSE_POSITIVES_ALLOWED]) - 1


def found_within(corpus: Corpus, pairs: list[TruePair], table: Table, bits: int, distance: int) -> int:
    """Return the number of true pairs within a distance."""
    return int((pair_distances(corpus, pairs, table, bits) <= distance).sum())
