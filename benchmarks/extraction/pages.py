"""Labelled web pages, and how near extracted texts are to their labels."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from urllib.parse import urlsplit

from benchmarks.extraction.sources import CLOSE, LOOSE, distance

ALL, FIVE, NEWS, SEGMENTS, READABILITY = "all", "five languages", "news", "segments", "readability"
KINDS = ("article", "service", "listing", "forum", "documentation", "product", "collection")
"""The seven types of pages of WCXB."""
LANGUAGES = ("English", "Chinese", "Greek", "Polish", "Russian")
"""The types of pages of the set of news in five languages."""


Score = dict[str, float]


def figures(scores: Sequence[Score]) -> Score:
    """Return the number of pages, and the means of their scores."""
    return {"pages": len(scores), **{name: round(mean(one[name] for one in scores), 4) for name in scores[0]}}


_WORD = re.compile(r"\w+")
_SHORT_LABEL = 3  # characters


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page and the text of its document.

    Attributes:
        id: name of the page.
        type: type of the page, such as "article" or "forum".
        path: the page.
        site: what must not be divided between training and testing: the registered domain of the page.
        text: the text that should be extracted; empty if only segments are labelled.
        wanted: segments that should be in the text.
        unwanted: segments that should not be in the text.
    """

    id: str
    type: str
    path: Path
    site: str
    text: str = ""
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()


def load_all(pages: Path, more: Path, readability: Path, languages: Path) -> list[LabelledPage]:
    """Return the pages of all sets."""
    found = load_pages(pages) + load_news(more) + load_segments(more)
    return found + load_readability(readability) + load_languages(languages)


def load_pages(folder: Path) -> list[LabelledPage]:
    """Return the pages of a folder with `html/ID.html` and `ground-truth/ID.json` whose label has words."""
    pages = []
    for path in sorted((folder / "ground-truth").glob("*.json")):
        label = json.loads(path.read_text(encoding="utf-8"))
        kind, text = label["_internal"]["page_type"]["primary"], label["ground_truth"]["main_content"]
        if words_of(text):
            page = folder / f"html/{path.stem}.html"
            pages.append(LabelledPage(path.stem, kind, page, _site(label["url"], path.stem), text))
    return pages


def load_news(folder: Path) -> list[LabelledPage]:
    """Return the news pages of a folder: `articles/ID.html`, and `articles/labels.json` with their articles."""
    labels = json.loads((folder / "articles/labels.json").read_text(encoding="utf-8"))
    return [
        LabelledPage(name, NEWS, folder / f"articles/{name}.html", _site(label["url"], name), label["articleBody"])
        for name, label in sorted(labels.items())
    ]


def load_segments(folder: Path) -> list[LabelledPage]:
    """Return the pages of a folder with labelled segments: `segments/ID.html`, and `segments/labels.json`."""
    labels = json.loads((folder / "segments/labels.json").read_text(encoding="utf-8"))
    pages = []
    for name, label in sorted(labels.items()):
        wanted, unwanted = (tuple(" ".join(text.split()) for text in label[key]) for key in ("with", "without"))
        path = folder / f"segments/{name}.html"
        pages.append(LabelledPage(name, SEGMENTS, path, _site(label["url"], name), "", wanted, unwanted))
    return pages


def load_readability(folder: Path) -> list[LabelledPage]:
    """Return the test pages of Readability: `pages/ID.html`, and `labels.json` with the text that it takes from them.

    The pages that do not name their address count as one site: many of them share a placeholder text.
    """
    labels = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    pages = []
    for name, label in sorted(labels.items()):
        path = folder / f"pages/{name}.html"
        address = _ADDRESS.search(path.read_text(encoding="utf-8", errors="replace"))
        site = _site(address[1] if address else "", READABILITY)
        pages.append(LabelledPage(name, READABILITY, path, site, label["text"]))
    return pages


def load_languages(folder: Path) -> list[LabelledPage]:
    """Return news pages in several languages: `pages/NAME`, and `labels.json` with the text, the language, the host."""
    labels = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    return [
        LabelledPage(name, label["language"], folder / f"pages/{name}", label["host"], label["text"])
        for name, label in sorted(labels.items())
    ]


_ADDRESS = re.compile(r"""<(?:link[^>]*\bcanonical\b[^>]*\bhref|meta[^>]*\bog:url\b[^>]*\bcontent)=["']?([^"'>\s]+)""")


def _site(url: str, name: str) -> str:
    """Return the last two labels of the host in an address, or three if the second is as short as that of `co.uk`."""
    host = (urlsplit(url.rpartition("/http")[2] if "web.archive.org" in url else url).hostname or name).lower()
    labels = host.split(".")
    return ".".join(labels[-3 if len(labels[-1]) == 2 and len(labels[-2:][0]) <= _SHORT_LABEL else -2 :])


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return _WORD.findall(text.lower())


def score(text: str, page: LabelledPage) -> Score:
    """Compare an extracted text with the label of its page.

    Returns:
        F1, precision and recall of words; and, as 0 or 1, whether the fingerprints are within `CLOSE` and `LOOSE` bits.
    """
    found, wanted = Counter(words_of(text)), Counter(words_of(page.text))
    common, bits = (found & wanted).total(), distance(text, page.text)
    return {
        "f1": f1_of(text, page),
        "precision": common / max(1, found.total()),
        "recall": common / max(1, wanted.total()),
        "close": float(bits <= CLOSE),
        "loose": float(bits <= LOOSE),
    }


def f1_of(text: str, page: LabelledPage) -> float:
    """Return the F1 of the words of a text."""
    found, wanted = Counter(words_of(text)), Counter(words_of(page.text))
    return 2 * (found & wanted).total() / max(1, found.total() + wanted.total())


def score_segments(text: str, page: LabelledPage) -> dict[str, int]:
    """Return how many of the wanted and unwanted segments of a page are in a text, and how many there are."""
    text = " ".join(text.split())
    return {
        "found": sum(segment in text for segment in page.wanted),
        "wanted": len(page.wanted),
        "wrong": sum(segment in text for segment in page.unwanted),
    }


def segment_figures(counts: Mapping[str, int]) -> dict[str, float]:
    """Return precision, recall and F1 of the sums of `score_segments`."""
    precision = counts["found"] / max(counts["found"] + counts["wrong"], 1)
    recall = counts["found"] / max(counts["wanted"], 1)
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    return {"precision": round(precision, 4), "recall": round(recall, 4), "f1": round(f1, 4)}
