"""How sentences, which are short texts, tell near-duplicates from texts that share a frequent word.

    python -m benchmarks.calibration.sentences CORPUS_DIR     # a few minutes, 400 MB

It writes two files in docs/benchmarks, from the sentences of the corpus, each once:

- support.json: of all pairs within the thresholds, those of which under half of the distinct tokens are shared
  (Jaccard) count as unrelated, by the lesser support of the two. Sentences of documents with an even row choose the
  limit, the others confirm it.
- planted.json: the recall of `find_duplicates` among 200,000 rows: sentences, of which 20,000 are there again with
  one word replaced.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks import results
from benchmarks.calibration.corpus import Corpus, corpus_of_arguments
from benchmarks.measuring import isolated, machine
from simhash_doc import find_duplicates, fingerprint_many
from simhash_doc.engines.python import count_tokens
from simhash_doc.lookup import find_all

DISTANCES = {"sd64": 3, "sd256": 26}
EDGES = (0, 5, 10, 12, 15, 18, 20, 25, 30, 1_000_000)
MOST_SENTENCES = 200_000  # of a group of languages and a half
UNSPACED = {"zh", "ja", "th", "my", "km", "lo"}
ROWS, PLANTED = 200_000, 20_000
WORDS = (3, 5, 10, 15, 20, 30, 50, 1_000_000)
_END = re.compile(r"(?<=[.!?।။።])\s+|(?<=[。！？])|\n\s*\n")


def sentences(corpus: Corpus) -> dict[tuple[str, str], list[str]]:
    """Return the different sentences of a corpus by group of languages and half."""
    found: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for document in corpus.documents.values():
        language = document.lang.split("-")[0]
        group = "en" if language == "en" else "unspaced" if language in UNSPACED else "other"
        half = ("chosen", "confirmed")[document.row % 2]
        for sentence in _END.split(document.text):
            text = " ".join(sentence.split())
            if len(text) > 3:
                found[group, half].setdefault(text)
    return {key: list(texts)[:MOST_SENTENCES] for key, texts in found.items()}


def jaccard_of(a: str, b: str) -> float:
    """Return the Jaccard similarity of the sets of tokens of two texts."""
    first, second = count_tokens(a).keys(), count_tokens(b).keys()
    return len(first & second) / len(first | second)


def rows(texts: list[str], scheme: str) -> Iterator[dict[str, Any]]:
    """Yield, for each interval of the lesser support of a pair, the number of pairs and of unrelated ones."""
    measured = fingerprint_many(texts, scheme, workers=2)
    pairs = find_all(measured, distance=DISTANCES[scheme])
    support, shared = [], []
    strengths = measured.support.tolist()
    for first, second, _ in pairs:
        support.append(min(strengths[first], strengths[second]))
        shared.append(jaccard_of(texts[first], texts[second]))
    lesser, jaccard = np.array(support), np.array(shared)
    for low, high in pairwise(EDGES):
        inside = jaccard[(lesser >= low) & (lesser < high)]
        yield {
            "support_from": low,
            "support_to": high,
            "pairs": len(inside),
            "shared_under_half": int((inside < 0.5).sum()),
        }


def planted(texts: list[str]) -> dict[str, Any]:
    """Return which rows with one replaced word are found, by the number of words."""
    generator = random.Random(1)
    generator.shuffle(texts)
    del texts[ROWS - PLANTED :]
    edited: dict[int, tuple[int, int]] = {}  # words, and the row of the edited copy
    for row, text in enumerate(texts[:]):
        words = text.split()
        if len(words) >= WORDS[0] and len(edited) < PLANTED:
            words[generator.randrange(len(words))] = "zyxwo"
            edited[row] = len(words), len(texts)
            texts.append(" ".join(words))
    found = find_duplicates(texts)
    by_length: dict[tuple[int, int], list[bool]] = defaultdict(list)
    for row, (length, copy) in edited.items():
        interval = next((low, high) for low, high in pairwise(WORDS) if low <= length < high)
        by_length[interval].append(bool(found.representatives[row] == found.representatives[copy]))
    return {
        "rows": len(texts),
        "recall": [
            {"words_from": low, "words_to": high, "planted": len(hits), "found": round(sum(hits) / len(hits), 3)}
            for (low, high), hits in sorted(by_length.items())
        ],
    }


def main() -> None:
    groups = sentences(corpus_of_arguments(__doc__))
    measured = [
        {"languages": group, "half": half, "scheme": scheme, "sentences": len(texts), "rows": list(rows(texts, scheme))}
        for (group, half), texts in sorted(groups.items())
        for scheme in DISTANCES
    ]
    results.write("support", {"machine": machine(), "groups": measured})
    texts = list(dict.fromkeys(text for group in groups.values() for text in group))
    found, peak = isolated(planted, texts)
    results.write("planted", {"machine": machine(), **found, "peak_mb": round(peak)})


if __name__ == "__main__":
    main()
