"""Measure how well texts match that were extracted from different formats of one work.

    python -m benchmarks.extraction CORPUS_DIR WEB_PAGES_DIR

Writes docs/benchmarks/extraction.json, extraction-tables.md and extraction-web-pages.svg.
The choice of a
library for PDF and of a detector of encodings is not measured again: their tables stay.

benchmarks/calibration/README.md describes the layout of the corpus; the folder of labelled web pages holds html/ID.html
and ground-truth/ID.json, as in WCXB. Libraries to compare with are left out if they are not installed:
pip install -e '.[bench]'.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks import tables
from benchmarks.calibration.corpus import CROSS_MEDIA, Corpus, Document, LayoutError, TruePair, load
from benchmarks.extraction import pages as web_pages
from benchmarks.extraction.libraries import Extractor, web_page_extractors
from benchmarks.extraction.sources import Source, dumped, extracted, name_of, original, stored
from benchmarks.measuring import machine
from simhash_doc import NoTokenError, fingerprint, trace
from simhash_doc.extract import detect
from simhash_doc.fingerprint import Fingerprint
from tests.extract.articles import ARTICLES
from tests.extract.designs import DESIGNS

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
        "web_pages": _libraries(corpus, pairs, taken["extracted"]),
        "labelled_pages": web_pages.measure(options.pages),
    }
    tables.write("extraction", results)
    print(f"real pairs within {LOOSE} bits: {results['recall']['real']['extracted']['loose']:.3f}")
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


def _libraries(corpus: Corpus, pairs: list[TruePair], ours: dict[str, Source]) -> list[dict[str, Any]]:
    """Compare extractors on web pages; the other document of each pair has the text that this project extracts."""
    documents = {name: corpus.documents[name] for pair in pairs for name in (pair.a, pair.b)}
    pages = {
        name: original(document)
        for name, document in documents.items()
        if document.orig and detect(original(document), name_of(document)) == "html"
    }
    some = [pair for pair in pairs if not pair.hard and (pair.a in pages or pair.b in pages)]
    rows = []
    for library, take in web_page_extractors().items():
        start = time.perf_counter()
        sources = ours | {name: _taken(take, data) for name, data in pages.items()}
        seconds = time.perf_counter() - start
        row: dict[str, Any] = {"library": library}
        for kind, synthetic in (("real", False), ("synthetic", True)):
            recall = _recall([pair for pair in some if pair.synthetic == synthetic], sources)
            row |= {f"{kind}_{member}": recall[member] for member in ("pairs", "close", "loose")}
        rows.append(row | {"seconds_per_document": round(seconds / len(pages), 4)} | _redesigned(take))
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


_LIGATURES = re.compile("ffi|ffl|ff|fi|fl")
_DOUBTFUL = re.compile(r"ffi|ffl|ff|fi|fl|[^\x00-\x7f]")


def counts(text: str) -> Counter[str]:
    """Return the tokens of a text with their capped counts."""
    return Counter({token.token: token.counted for token in trace(text).tokens})


def cause(a: Document, b: Document, source_a: Source, source_b: Source) -> dict[str, object]:
    """Return the likely cause of a miss, and the share of tokens that occur in one text only."""
    left, right = counts(source_a.text), counts(source_b.text)
    only_left, only_right = left - right, right - left
    return {
        "cause": _cause((a, source_a, only_left), (b, source_b, only_right)),
        "only_a": round(only_left.total() / max(left.total(), 1), 3),
        "only_b": round(only_right.total() / max(right.total(), 1), 3),
    }


Side = tuple[Document, Source, Counter[str]]


def _cause(one: Side, other: Side) -> str:
    for document, source, _ in (one, other):
        if any("include" in note for note in source.notes):
            return f"the {document.format} includes files that hold part of the text and are not in the corpus"
        if source.fingerprint is None:
            return f"nothing could be extracted: {'; '.join(source.notes)}"
    if _misread(one[2], other[2]):
        return "the same words with different letters: one of the texts was decoded wrongly"
    for (document, _, only), (_, _, more) in ((one, other), (other, one)):
        if _in_pieces(only, more):
            return f"{_named(document)} has lost its ligatures"
    for (document, _, only), (_, _, less) in ((one, other), (other, one)):
        if document.orig is None and document.format.startswith("html") and only.total() > 2 * less.total():
            return f"{_named(document)} is a dump of the complete page, with its menus"
        if document.orig is None and document.format.startswith("pdf") and only.total() > 2 * less.total():
            return f"{_named(document)} holds running heads, margins and broken words"
    return "the two texts differ: another edition, or parts missing in one of them"


def _named(document: Document) -> str:
    return f"the {'stored text' if document.orig is None else 'original'} ({document.format}) {document.id}"


def _misread(only: Counter[str], other: Counter[str]) -> bool:
    """Return True if the words agree without ligatures and non-ASCII letters."""
    bare = {_DOUBTFUL.sub("", word) for word in other if _DOUBTFUL.search(word)} | set(other)
    doubtful = [word for word in only if _DOUBTFUL.search(word)]
    return len(doubtful) > 20 and sum(_DOUBTFUL.sub("", word) in bare for word in doubtful) > 0.4 * len(only)


def _in_pieces(only: Counter[str], more: Counter[str]) -> bool:
    """Return True if words of one text occur in the other in pieces, without their ligatures."""
    pieces = [piece for word in more if _LIGATURES.search(word) for piece in _LIGATURES.split(word) if len(piece) > 1]
    return len(pieces) > 20 and sum(piece in only for piece in pieces) > 0.3 * len(pieces)


if __name__ == "__main__":
    sys.exit(main())
