"""How near extracted texts are to the labels of web pages, by type of page and library."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from statistics import mean, median
from typing import Any

from benchmarks.extraction.labelled import LabelledPage, Score, load_pages, score
from benchmarks.extraction.peers import Extractor, web_page_extractors

CLOSE, LOOSE = 3, 6
ALL = "all"


def measure(folder: Path) -> dict[str, Any]:
    """Return for each half of the labelled pages and for each library the figures by type of page."""
    pages = load_pages(folder)
    results = {}
    for half, some in (
        ("confirming", [page for page in pages if not page.choosing]),
        ("choosing", [page for page in pages if page.choosing]),
    ):
        results[half] = [_row(name, take, some) for name, take in web_page_extractors().items()]
    return results


def _row(library: str, take: Extractor, pages: list[LabelledPage]) -> dict[str, Any]:
    scores: list[tuple[str, Score]] = []
    seconds = []
    for page in pages:
        data = page.path.read_bytes()
        start = time.perf_counter()
        text = _text(take, data)
        seconds.append(time.perf_counter() - start)
        scores.append((page.type, score(text, page)))
    types = [ALL, *sorted({kind for kind, _ in scores}, key=lambda kind: -sum(kind == other for other, _ in scores))]
    return {
        "library": library,
        "median_ms": round(1000 * median(seconds), 1),
        "types": {kind: _figures(found for other, found in scores if kind in (ALL, other)) for kind in types},
    }


def _text(take: Extractor, data: bytes) -> str:
    try:
        return take(data)
    except Exception:  # a library that fails on a page gives no text
        return ""


def _figures(found: Iterable[Score]) -> dict[str, Any]:
    scores = list(found)
    return {
        "pages": len(scores),
        "f1": round(mean(one.f1 for one in scores), 4),
        "precision": round(mean(one.precision for one in scores), 4),
        "recall": round(mean(one.recall for one in scores), 4),
        "close": round(mean(one.distance <= CLOSE for one in scores), 4),
        "loose": round(mean(one.distance <= LOOSE for one in scores), 4),
    }
