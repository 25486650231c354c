"""Measure how well texts match that were extracted from different formats of one work.

    python -m benchmarks.extraction CORPUS_DIR

Writes docs/benchmarks/extraction.json and extraction-tables.md. `benchmarks.calibration` measures recall by formats,
`benchmarks.extraction.training --validate` the texts of labelled pages.

benchmarks/calibration/README.md describes the layout of the corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from statistics import mean
from typing import Any

from benchmarks import results
from benchmarks.calibration.corpus import CROSS_MEDIA, Corpus, Document, TruePair, corpus_argument
from benchmarks.extraction.sources import CLOSE, LOOSE, Source, distance, dumped, extracted, stored
from benchmarks.measuring import machine, parser_of

MISSED = 8  # bits


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("corpus", type=corpus_argument, metavar="CORPUS_DIR")
    corpus = parser.parse_args().corpus
    pairs = [pair for pair in corpus.pairs if pair.relation == CROSS_MEDIA]
    sets = {
        "real": [pair for pair in pairs if not pair.synthetic and not pair.hard],
        "synthetic": [pair for pair in pairs if pair.synthetic and not pair.hard],
        "hard": [pair for pair in pairs if pair.hard],
    }
    ways: dict[str, Callable[[Document], Source]] = {"stored": stored, "dumped": dumped, "extracted": extracted}
    texts = {way: _all(corpus, pairs, take) for way, take in ways.items()}
    real = sets["real"]
    measured = {
        "machine": machine(),
        "recall": {name: {way: _recall(some, texts[way]) for way in ways} for name, some in sets.items()},
        "by_originals": [
            {"originals": count, **_row([p for p in real if corpus.originals(p) == count], texts)} for count in range(3)
        ],
    }
    results.write("extraction", measured)


def _all(corpus: Corpus, pairs: Iterable[TruePair], take: Callable[[Document], Source]) -> dict[str, Source]:
    wanted = dict.fromkeys(name for pair in pairs for name in (pair.a, pair.b))
    return {name: take(corpus.documents[name]) for name in wanted}


def _recall(pairs: list[TruePair], sources: dict[str, Source]) -> dict[str, Any]:
    distances = [distance(sources[p.a], sources[p.b]) for p in pairs]
    return {
        "pairs": len(pairs),
        "close": round(mean(d <= CLOSE for d in distances), 4) if pairs else None,
        "loose": round(mean(d <= LOOSE for d in distances), 4) if pairs else None,
        "missed": sum(d > MISSED for d in distances),
    }


def _row(pairs: list[TruePair], texts: dict[str, dict[str, Source]]) -> dict[str, Any]:
    found = {way: _recall(pairs, sources) for way, sources in texts.items()}
    return {"pairs": len(pairs), **{way: found[way]["loose"] for way in found}, "missed": found["extracted"]["missed"]}


if __name__ == "__main__":
    main()
