"""Measure how well texts match that were extracted from different formats of one work.

    python -m benchmarks.extraction CORPUS_DIR WEB_PAGES_DIR

Writes docs/benchmarks/extraction.json, extraction-tables.md and extraction-web-pages.svg.
benchmarks/calibration/README.md describes the layout of the corpus; the folder of labelled web pages holds html/ID.html
and ground-truth/ID.json, as in WCXB. Libraries to compare with are left out if they are not installed:
pip install -e '.[bench]'.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.calibration.corpus import CROSS_MEDIA, Corpus, Document, LayoutError, TruePair, load
from benchmarks.extraction import encodings, web_pages
from benchmarks.extraction.causes import cause
from benchmarks.extraction.peers import Extractor, pdf_extractors, web_page_extractors
from benchmarks.extraction.report import write
from benchmarks.extraction.sources import Source, dumped, extracted, name_of, original, stored
from benchmarks.measuring import machine
from simhash_doc import NoTokenError, fingerprint
from simhash_doc.extract import detect
from simhash_doc.fingerprint import Fingerprint
from tests.extract.articles import ARTICLES
from tests.extract.designs import DESIGNS

FOLDER = Path(__file__).parents[2] / "docs" / "benchmarks"
CLOSE, LOOSE, MISSED = 3, 6, 8
NO_TEXT_DISTANCE = 64
"""The distance of a pair with an empty text: all bits differ."""


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.extraction",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("corpus", type=Path, metavar="CORPUS_DIR")
    parser.add_argument("pages", type=Path, metavar="WEB_PAGES_DIR")
    parser.add_argument("-o", "--output", type=Path, default=FOLDER, metavar="FOLDER")
    options = parser.parse_args()
    try:
        corpus = load(options.corpus)
    except LayoutError as error:
        print(error, file=sys.stderr)
        return 1
    pairs = [pair for pair in corpus.pairs if pair.relation == CROSS_MEDIA]
    sets = {
        "real": [pair for pair in pairs if not pair.synthetic and not pair.hard],
        "synthetic": [pair for pair in pairs if pair.synthetic and not pair.hard],
        "hard": [pair for pair in pairs if pair.hard],
    }
    ways: dict[str, Callable[[Document], Source]] = {"stored": stored, "dumped": dumped, "extracted": extracted}
    taken = {way: _all(corpus, pairs, take) for way, take in ways.items()}
    real = sets["real"]
    results = {
        "machine": machine(),
        "recall": {name: {way: _recall(some, taken[way]) for way in ways} for name, some in sets.items()},
        "by_originals": [
            {"originals": count, **_row([p for p in real if corpus.originals(p) == count], taken)} for count in range(3)
        ],
        "by_formats": [
            {"formats": formats, **_row(some, taken)} for formats, some in sorted(_by_formats(corpus, real).items())
        ],
        "misses": _misses(corpus, real, taken["extracted"]),
        "web_pages": _peers(corpus, pairs, web_page_extractors(), "html", taken["extracted"], designs=True),
        "labelled_pages": web_pages.measure(options.pages),
        "encodings": encodings.measure(corpus),
        "pdfs": _peers(corpus, pairs, pdf_extractors(), "pdf", taken["extracted"], designs=False),
    }
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / "extraction.json"
    path.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    write(results, options.output)
    print(f"real pairs within {LOOSE} bits: {results['recall']['real']['extracted']['loose']:.3f}; {path}")
    return 0


def _all(corpus: Corpus, pairs: Iterable[TruePair], take: Callable[[Document], Source]) -> dict[str, Source]:
    wanted = dict.fromkeys(name for pair in pairs for name in (pair.a, pair.b))
    return {name: take(corpus.documents[name]) for name in wanted}


def _distance(a: Fingerprint | None, b: Fingerprint | None) -> int:
    return NO_TEXT_DISTANCE if a is None or b is None else a.distance(b)


def _recall(pairs: list[TruePair], sources: dict[str, Source]) -> dict[str, Any]:
    distances = [_distance(sources[p.a].fingerprint, sources[p.b].fingerprint) for p in pairs]
    return {
        "pairs": len(pairs),
        "close": round(mean(d <= CLOSE for d in distances), 4) if pairs else None,
        "loose": round(mean(d <= LOOSE for d in distances), 4) if pairs else None,
        "missed": sum(d > MISSED for d in distances),
    }


def _row(pairs: list[TruePair], taken: dict[str, dict[str, Source]]) -> dict[str, Any]:
    found = {way: _recall(pairs, sources) for way, sources in taken.items()}
    return {"pairs": len(pairs), **{way: found[way]["loose"] for way in found}, "missed": found["extracted"]["missed"]}


def _by_formats(corpus: Corpus, pairs: list[TruePair]) -> dict[str, list[TruePair]]:
    """Group pairs by their formats. A star marks a document with its original."""
    groups: dict[str, list[TruePair]] = defaultdict(list)
    for pair in pairs:
        names = (_starred(corpus.documents[name]) for name in (pair.a, pair.b))
        groups[" / ".join(sorted(names))].append(pair)
    return groups


def _starred(document: Document) -> str:
    return document.format + ("*" if document.orig else "")


def _misses(corpus: Corpus, pairs: list[TruePair], sources: dict[str, Source]) -> list[dict[str, Any]]:
    rows = []
    for pair in pairs:
        distance = _distance(sources[pair.a].fingerprint, sources[pair.b].fingerprint)
        if distance > LOOSE:
            a, b = corpus.documents[pair.a], corpus.documents[pair.b]
            formats = f"{_starred(a)} / {_starred(b)}"
            row = {"distance": distance, "a": a.id, "b": b.id, "formats": formats, "lang": a.lang}
            rows.append(row | cause(a, b, sources[pair.a], sources[pair.b]))
    return sorted(rows, key=lambda row: (-row["distance"], row["a"], row["b"]))


def _peers(
    corpus: Corpus,
    pairs: list[TruePair],
    extractors: dict[str, Extractor],
    document_format: str,
    ours: dict[str, Source],
    *,
    designs: bool,
) -> list[dict[str, Any]]:
    """Compare extractors on the documents in one format.

    The other document of each pair has the text that this project extracts.
    """
    wanted = {
        name: corpus.documents[name]
        for pair in pairs
        for name in (pair.a, pair.b)
        if corpus.documents[name].orig
        and detect(original(corpus.documents[name]), name_of(corpus.documents[name])) == document_format
    }
    some = [pair for pair in pairs if not pair.hard and (pair.a in wanted or pair.b in wanted)]
    rows = []
    for name, take in extractors.items():
        start = time.perf_counter()
        sources = ours | {key: _taken(take, original(document)) for key, document in wanted.items()}
        seconds = time.perf_counter() - start
        real = _recall([pair for pair in some if not pair.synthetic], sources)
        synthetic = _recall([pair for pair in some if pair.synthetic], sources)
        row = {
            "library": name,
            "real_pairs": real["pairs"], "real_close": real["close"], "real_loose": real["loose"],
            "synthetic_pairs": synthetic["pairs"], "synthetic_close": synthetic["close"],
            "synthetic_loose": synthetic["loose"],
            "seconds_per_document": round(seconds / len(wanted), 4),
        }  # fmt: skip
        if designs:
            row |= _redesigned(take)
        rows.append(row)
    return rows


def _redesigned(take: Extractor) -> dict[str, Any]:
    """Measure the distances between the designs of a page around one article."""
    distances = []
    for article in ARTICLES.values():
        prints = [_taken(take, design(*article).encode()).fingerprint for design in DESIGNS.values()]
        distances += [_distance(a, b) for a, b in combinations(prints, 2)]
    return {"redesigned_mean": round(mean(distances), 2), "redesigned_worst": max(distances)}


def _taken(take: Extractor, data: bytes) -> Source:
    try:
        text = take(data)
        return Source(text, fingerprint(text))
    except NoTokenError:
        return Source("", None)
    except Exception as error:  # a library that fails on a page gives no text
        return Source("", None, (str(error),))


if __name__ == "__main__":
    sys.exit(main())
