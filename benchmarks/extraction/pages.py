"""How near extracted texts are to the labels of web pages, by type of page and library."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

from benchmarks.extraction.libraries import Extractor, web_page_extractors
from benchmarks.extraction.sources import CLOSE, LOOSE, distance, source_of, taken

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
        text = taken(take, data)
        seconds.append(time.perf_counter() - start)
        scores.append((page.type, score(text, page)))
    types = [ALL, *sorted({kind for kind, _ in scores}, key=lambda kind: -sum(kind == other for other, _ in scores))]
    return {
        "library": library,
        "median_ms": round(1000 * median(seconds), 1),
        "types": {kind: _figures(found for other, found in scores if kind in (ALL, other)) for kind in types},
    }


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


_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page and the text of its document.

    Attributes:
        id: number of the page.
        type: type of the page, such as "article" or "forum".
        path: the page.
        text: the text that should be extracted.
    """

    id: int
    type: str
    path: Path
    text: str

    @property
    def choosing(self) -> bool:
        """Whether the page is in the half that decisions are made with. The other half confirms them."""
        return self.id % 2 == 0


@dataclass(frozen=True, slots=True)
class Score:
    """How near an extracted text is to the label: shares of words, and the distance of the fingerprints in bits."""

    precision: float
    recall: float
    f1: float
    distance: int


def load_pages(folder: Path) -> list[LabelledPage]:
    """Return the pages of a folder with `html/ID.html` and `ground-truth/ID.json` whose label has words."""
    return [page for page in _pages(folder) if words_of(page.text)]


def _pages(folder: Path) -> Iterator[LabelledPage]:
    for path in sorted((folder / "ground-truth").glob("*.json")):
        label = json.loads(path.read_text(encoding="utf-8"))
        kind = label["_internal"]["page_type"]["primary"]
        page = folder / "html" / f"{path.stem}.html"
        yield LabelledPage(int(path.stem), kind, page, label["ground_truth"]["main_content"])


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return _WORD.findall(text.lower())


def score(text: str, page: LabelledPage) -> Score:
    """Compare an extracted text with the label of its page."""
    found, wanted = Counter(words_of(text)), Counter(words_of(page.text))
    common = (found & wanted).total()
    precision = common / found.total() if found else 0.0
    recall = common / wanted.total() if wanted else 0.0
    f1 = 2 * precision * recall / (precision + recall) if common else 0.0
    return Score(precision, recall, f1, distance(source_of(text), source_of(page.text)))
