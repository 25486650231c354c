"""What methods find of the labelled duplicates of two published sets, whose files are yours to fetch.

    python -m benchmarks.labelled core deduplication.jsonl                        # CORE, 2020: titles, abstracts
    python -m benchmarks.labelled news-copy test_inf_data.json full_test_gt.json  # NEWS-COPY: 7,210 articles, OCR

It prints a row for each method of `benchmarks.methods`: pairs found and right, recall, precision, and the adjusted Rand
index of the clusters that the pairs join. The sets: Gyawali et al., LREC 2020; Silcock et al., ICLR 2023.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring import parser_of
from benchmarks.methods import METHODS, Pairs
from simhash_doc.lookup.clusters import components


def read_core(path: str) -> tuple[list[str], Pairs]:
    """Return texts, and the pairs of which either side names the other one as a duplicate."""
    with Path(path).open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    rows = {str(record["core_id"]): row for row, record in enumerate(records)}
    texts = [f"{record['original_title']}\n{record['original_abstract'] or ''}" for record in records]
    named = ((row, rows[str(name)]) for row, record in enumerate(records) for name in record["labelled_duplicates"])
    return texts, {(min(pair), max(pair)) for pair in named}


def read_news_copy(path: str, pairs: str) -> tuple[list[str], Pairs]:
    """Return texts, headline first, and the pairs of the second file, closed: a copy of a copy is one."""
    records: dict[str, dict[str, str]] = json.loads(Path(path).read_bytes())
    rows = {name: row for row, name in enumerate(records)}
    labelled = {(rows[str(a)], rows[str(b)]) for a, b in json.loads(Path(pairs).read_bytes())}
    clusters = clusters_of(labelled, len(rows))
    members: dict[int, list[int]] = {}
    for row, cluster in enumerate(clusters):
        members.setdefault(cluster, []).append(row)
    closed = {(a, b) for listed in members.values() for at, a in enumerate(listed) for b in listed[at + 1 :]}
    return [f"{record['headline']} {record['article']}" for record in records.values()], closed


def clusters_of(pairs: Pairs, rows: int) -> list[int]:
    """Return for each row the number of the cluster that pairs join it to."""
    a, b = np.array(sorted(pairs), np.int64).reshape(-1, 2).T
    found: list[int] = components(rows, a, b).tolist()
    return found


def adjusted_rand(first: list[int], second: list[int]) -> float:
    """Return the adjusted Rand index of two clusterings (Hubert and Arabie 1985): 1 for equal ones, 0 by chance."""
    crossed = zip(first, second, strict=True)
    both, a, b = (sum(comb(n, 2) for n in Counter(one).values()) for one in (crossed, first, second))
    expected = a * b / comb(len(first), 2)
    return (both - expected) / ((a + b) / 2 - expected) if a + b != 2 * expected else 1.0


def row_of(name: str, texts: list[str], truth: Pairs) -> dict[str, Any]:
    """Return what a method finds."""
    begun = time.process_time()
    found = METHODS[name][0](texts)
    seconds, right = time.process_time() - begun, len(found & truth)
    clusters = [clusters_of(pairs, len(texts)) for pairs in (found, truth)]
    shares = {"recall": right / max(1, len(truth)), "precision": right / max(1, len(found))}
    row = {"method": name, "true": len(truth), "found": len(found), "right": right}
    shares["adjusted_rand"] = adjusted_rand(*clusters)
    return row | {key: round(share, 3) for key, share in shares.items()} | {"cpu_seconds": round(seconds, 1)}


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("set", choices=("core", "news-copy"))
    parser.add_argument("files", nargs="+", metavar="FILE")
    options = parser.parse_args()
    texts, truth = read_core(*options.files) if options.set == "core" else read_news_copy(*options.files)
    for name in METHODS:
        print(row_of(name, texts, truth), flush=True)


if __name__ == "__main__":
    main()
