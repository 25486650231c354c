"""Measure which scheme finds a scan again, by the text of optical character recognition (OCR).

    python -m benchmarks.ocr FILE        # JSON lines with ocr_hypothesis, ground_truth and the character error rate

Writes the figures of the documentation. A true pair is the recognised text and the transcription of one article; all
other pairs are unrelated. A distance is chosen on the articles with even numbers, as the largest within which no
unrelated pair is, and confirmed on the others.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks import tables
from simhash_doc import NoTokenError, fingerprint, get_schemes, trace

ERROR_RATES = (0.0, 0.05, 0.1, 0.2, 1.0)
Distances = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Article:
    """An article of a newspaper."""

    recognised: str
    transcribed: str
    error_rate: float
    """Share of the characters that are wrong."""
    tokens: int


def read(path: Path) -> list[Article]:
    """Return the articles of which both texts have a fingerprint."""
    articles = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        texts = [row[name]["transcription_unit"] for name in ("ocr_hypothesis", "ground_truth")]
        try:
            tokens = min(len(trace(text).tokens) for text in texts)
            fingerprint(texts[0])
        except NoTokenError:
            continue
        articles.append(Article(*texts, row["ocr_hypothesis"]["quality_report"]["cer"], tokens))
    return articles


def distances(articles: list[Article], scheme: str) -> Distances:
    """Return the distances, int64, shape (articles, articles): recognised text by transcription."""
    recognised = [fingerprint(article.recognised, scheme).value for article in articles]
    transcribed = [fingerprint(article.transcribed, scheme).value for article in articles]
    return np.array([[(a ^ b).bit_count() for b in transcribed] for a in recognised])


def largest_clean(distance: Distances) -> int:
    """Return the largest distance within which no unrelated pair is."""
    unrelated = distance[~np.eye(len(distance), dtype=bool)]
    return int(unrelated.min()) - 1


def measure(articles: list[Article]) -> dict[str, Any]:
    """Return for each scheme the recall at the distances of the registry, and at the one that is chosen."""
    rates = np.array([article.error_rate for article in articles])
    even = np.arange(len(articles)) % 2 == 0
    result: dict[str, Any] = {}
    for scheme in get_schemes().values():
        matrix = distances(articles, scheme.id)
        true, unrelated = np.diag(matrix), matrix[~np.eye(len(matrix), dtype=bool)]
        chosen = largest_clean(matrix[np.ix_(even, even)])
        confirmed = matrix[np.ix_(~even, ~even)]
        false = int((confirmed[~np.eye(len(confirmed), dtype=bool)] <= chosen).sum())
        rows = {"close": scheme.close, "loose": scheme.loose, "a fifth of the bits": scheme.bits // 5, "chosen": chosen}
        result[scheme.id] = {
            "bits": scheme.bits,
            "median": float(np.median(true)),
            "unrelated_minimum": int(unrelated.min()),
            "chosen_confirmed_recall": float((np.diag(confirmed) <= chosen).mean()),
            "chosen_confirmed_false": false,
            "recall": {
                name: {
                    "distance": limit,
                    "all": float((true <= limit).mean()),
                    "false": int((unrelated <= limit).sum()),
                    "by_error_rate": [
                        float((true[inside] <= limit).mean()) if inside.any() else None
                        for low, high in pairwise(ERROR_RATES)
                        for inside in [(rates >= low) & (rates < high)]
                    ],
                }
                for name, limit in rows.items()
            },
        }
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, metavar="FILE", help="the articles")
    arguments = parser.parse_args()
    articles = read(arguments.file)
    if not articles:
        print(f"{arguments.file} has no article", file=sys.stderr)
        return 1
    rates = [article.error_rate for article in articles]
    results = {
        "articles": len(articles),
        "tokens_median": float(np.median([article.tokens for article in articles])),
        "by_error_rate": [sum(low <= rate < high for rate in rates) for low, high in pairwise(ERROR_RATES)],
        "schemes": measure(articles),
    }
    tables.write("ocr", results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
