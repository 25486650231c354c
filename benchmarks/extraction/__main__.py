"""Measure how well texts match that were extracted from different formats of one work.

    python -m benchmarks.extraction CORPUS_DIR

Writes docs/benchmarks/extraction.json, of the real pairs of the corpus (benchmarks/calibration/README.md describes its
layout). `benchmarks.extraction.training --validate` measures the texts of labelled pages.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import mean
from typing import Any

from benchmarks import results
from benchmarks.calibration.corpus import CROSS_MEDIA, Document, TruePair, corpus_of_arguments, group_of
from benchmarks.extraction.sources import CLOSE, LOOSE, distance, dumped, extracted, stored
from benchmarks.measuring import machine

MISSED = 8  # bits
WAYS: dict[str, Callable[[Document], str]] = {"stored": stored, "dumped": dumped, "extracted": extracted}


def main() -> None:
    corpus = corpus_of_arguments(__doc__)
    pairs = [pair for pair in corpus.pairs if group_of(pair) == CROSS_MEDIA]
    needed = dict.fromkeys(one for pair in pairs for one in (pair.a, pair.b))
    texts = {way: {one: take(corpus.documents[one]) for one in needed} for way, take in WAYS.items()}
    by_originals = []
    for count in range(3):
        some = [pair for pair in pairs if sum(bool(corpus.documents[one].orig) for one in (pair.a, pair.b)) == count]
        found = {way: _recall(some, texts[way]) for way in WAYS}
        shares = {way: row["loose"] for way, row in found.items()}
        by_originals.append({"originals": count, "pairs": len(some), **shares, "missed": found["extracted"]["missed"]})
    recall = {"real": {way: _recall(pairs, texts[way]) for way in WAYS}}
    results.write("extraction", {"machine": machine(), "recall": recall, "by_originals": by_originals})


def _recall(pairs: list[TruePair], texts: dict[str, str]) -> dict[str, Any]:
    distances = [distance(texts[pair.a], texts[pair.b]) for pair in pairs]
    return {
        "pairs": len(pairs),
        "close": round(mean(d <= CLOSE for d in distances), 4),
        "loose": round(mean(d <= LOOSE for d in distances), 4),
        "missed": sum(d > MISSED for d in distances),
    }


if __name__ == "__main__":
    main()
