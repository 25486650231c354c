"""Recall of `find_duplicate_rows` on short texts: sentences, of which some are there again with one word replaced.

    python -m benchmarks.calibration.planted CORPUS

200,000 rows: sentences of the corpus, each once, and 20,000 of them with one word replaced. It writes
docs/benchmarks/planted.json.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.calibration.support import sentences
from benchmarks.measuring import machine
from simhash_doc.duplicates.rows import find_duplicate_rows
from simhash_doc.engines.python import count_tokens

FILE = Path(__file__).parents[2] / "docs/benchmarks/planted.json"
ROWS = 200_000
PLANTED = 20_000
LENGTHS = (3, 5, 10, 15, 20, 30, 50, 1_000_000)  # words


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, metavar="CORPUS")
    texts = list(dict.fromkeys(text for group in sentences(parser.parse_args().corpus).values() for text in group))
    generator = random.Random(1)
    generator.shuffle(texts)
    del texts[ROWS - PLANTED :]
    edited: dict[int, tuple[int, int]] = {}  # words, and the row of the edited copy
    for row, text in enumerate(texts[:]):
        words = text.split()
        if len(words) >= LENGTHS[0] and len(edited) < PLANTED:
            words[generator.randrange(len(words))] = "zyxwo"
            edited[row] = len(words), len(texts)
            texts.append(" ".join(words))
    found = find_duplicate_rows(texts)
    by_length: dict[tuple[int, int], list[bool]] = defaultdict(list)
    for row, (length, copy) in edited.items():
        interval = next((low, high) for low, high in pairwise(LENGTHS) if low <= length < high)
        by_length[interval].append(bool(found.keepers[row] == found.keepers[copy]))
    shared = []
    for row in np.flatnonzero(~found.kept).tolist():
        a, b = (count_tokens(texts[at]).keys() for at in (row, found.keepers[row]))
        shared.append(len(a & b) / len(a | b))
    result = {
        "machine": machine(),
        "rows": len(texts),
        "left_out": len(shared),
        "least_share_of_words_with_the_keeper": min(shared),
        "largest_group": int(np.bincount(found.groups[found.groups >= 0]).max()),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "recall": [
            {"words_from": low, "words_to": high, "planted": len(hits), "found": round(sum(hits) / len(hits), 3)}
            for (low, high), hits in sorted(by_length.items())
        ],
    }
    FILE.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
