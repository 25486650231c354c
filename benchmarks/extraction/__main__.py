"""Measure how well texts match that were extracted from different formats of one work.

    python -m benchmarks.extraction CORPUS_DIR

Writes docs/benchmarks/extraction.json, of the real pairs of the corpus (benchmarks/calibration/README.md describes its
layout). `benchmarks.extraction.training --validate` measures the texts of labelled pages.
"""

from __future__ import annotations

from collections.abc import Callable

from benchmarks import results
from benchmarks.calibration.corpus import Document, corpus_of_arguments
from benchmarks.extraction.crossmedia import cross_media_pairs, recall
from benchmarks.extraction.sources import dumped, extracted, stored
from benchmarks.measuring import machine

WAYS: dict[str, Callable[[Document], str]] = {"stored": stored, "dumped": dumped, "extracted": extracted}


def main() -> None:
    corpus = corpus_of_arguments(__doc__)
    pairs = cross_media_pairs(corpus)
    needed = dict.fromkeys(one for pair in pairs for one in (pair.a, pair.b))
    texts = {way: {one: take(corpus.documents[one]) for one in needed} for way, take in WAYS.items()}
    by_originals = []
    for count in range(3):
        some = [pair for pair in pairs if sum(bool(corpus.documents[one].orig) for one in (pair.a, pair.b)) == count]
        found = {way: recall(some, texts[way]) for way in WAYS}
        shares = {way: row["loose"] for way, row in found.items()}
        by_originals.append({"originals": count, "pairs": len(some), **shares, "missed": found["extracted"]["missed"]})
    real = {"real": {way: recall(pairs, texts[way]) for way in WAYS}}
    results.write("extraction", {"machine": machine(), "recall": real, "by_originals": by_originals})


if __name__ == "__main__":
    main()
