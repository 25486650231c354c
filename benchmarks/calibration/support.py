"""How the support of short texts tells near-duplicates from texts that share a frequent word.

    python -m benchmarks.calibration.support CORPUS

The texts are the sentences of the corpus, each once. Of all pairs within the thresholds, those of which under half of
the distinct tokens are shared (Jaccard) count as unrelated. Sentences of documents with an even row choose the limit,
the others confirm it. It writes docs/benchmarks/support.json.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.calibration.corpus import load
from benchmarks.measuring import machine
from simhash_doc.batch import measure_many
from simhash_doc.engines.python import count_tokens
from simhash_doc.lookup import find_all

FILE = Path(__file__).parents[2] / "docs/benchmarks/support.json"
DISTANCES = {"sd64": 3, "sd256": 26}
EDGES = (0, 5, 10, 12, 15, 18, 20, 25, 30, 1_000_000)
MOST_SENTENCES = 200_000  # of a group of languages and a half
UNSPACED = {"zh", "ja", "th", "my", "km", "lo"}
_END = re.compile(r"(?<=[.!?।။។])\s+|(?<=[。！？])|\n\s*\n")


def sentences(folder: Path) -> dict[tuple[str, str], list[str]]:
    """Return the different sentences of the corpus by group of languages and half."""
    found: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for document in load(folder).documents.values():
        language = document.lang.split("-")[0]
        group = "en" if language == "en" else "unspaced" if language in UNSPACED else "other"
        half = ("chosen", "confirmed")[document.row % 2]
        for sentence in _END.split(document.path.read_text(encoding="utf-8")):
            text = " ".join(sentence.split())
            if len(text) > 3:
                found[group, half].setdefault(text)
    return {key: list(texts)[:MOST_SENTENCES] for key, texts in found.items()}


def rows(texts: list[str], scheme: str) -> Iterator[dict[str, Any]]:
    """Yield, for each interval of the lesser support of a pair, the number of pairs and of unrelated ones."""
    measured = measure_many(texts, scheme, workers=2)
    pairs = find_all(measured.fingerprints, distance=DISTANCES[scheme])
    support, shared = [], []
    for positions in pairs.position_batches():
        for first, second in positions.tolist():
            a, b = (count_tokens(texts[at]).keys() for at in (first, second))
            support.append(min(measured.support[first], measured.support[second]))
            shared.append(len(a & b) / len(a | b))
    lesser, jaccard = np.array(support), np.array(shared)
    for low, high in pairwise(EDGES):
        inside = jaccard[(lesser >= low) & (lesser < high)]
        yield {
            "support_from": low,
            "support_to": high,
            "texts": int(((measured.support >= low) & (measured.support < high)).sum()),
            "pairs": len(inside),
            "shared_under_half": int((inside < 0.5).sum()),
            "shared_under_0.3": int((inside < 0.3).sum()),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, metavar="CORPUS")
    groups = sentences(parser.parse_args().corpus)
    measured = [
        {"languages": group, "half": half, "scheme": scheme, "sentences": len(texts), "rows": list(rows(texts, scheme))}
        for (group, half), texts in sorted(groups.items())
        for scheme in DISTANCES
    ]
    FILE.write_text(json.dumps({"machine": machine(), "groups": measured}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
