"""How many versions of a document other simhash algorithms find, where they meet as few unrelated ones.

    python -m benchmarks.calibration.others CORPUS_DIR     # some minutes

It writes docs/benchmarks/others.json: for each algorithm of `benchmarks.others` and for this one, the number of
unrelated pairs with equal values in other languages than English; and in English, the largest distance with at most two
of the unrelated pairs, and the true pairs within it. All get the same plain texts.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from multiprocessing import Pool
from typing import Any

import numpy as np

from benchmarks import others, results
from benchmarks.calibration.corpus import CROSS_MEDIA, Corpus, Document, TruePair, corpus_of_arguments
from benchmarks.calibration.fingerprinting import Table
from benchmarks.calibration.measure import found_within, most_distance
from benchmarks.calibration.pairs import negatives, sets, united
from simhash_doc import fingerprint

ALGORITHMS: dict[str, tuple[int, Callable[[str], int | None]]] = {
    "simhash-doc, sd64": (64, lambda text: fingerprint(text).value),
    "simhash-doc, sd256": (256, lambda text: fingerprint(text, "sd256").value),
    "ClickHouse ngramSimHash": (64, others.clickhouse_ngram),
    "ClickHouse wordShingleSimHash": (64, others.clickhouse_word_shingle),
    "trafilatura": (64, others.trafilatura),
    "1e0ng/simhash": (64, others.one_e0ng),
    "wayback-discover-diff": (256, others.wayback),
}


def values_of(document: Document) -> list[bytes]:
    """Return the value of each algorithm for a text, the most significant byte first."""
    return [(algorithm(document.text) or 0).to_bytes(bits // 8, "big") for bits, algorithm in ALGORITHMS.values()]


def true_pairs(corpus: Corpus) -> dict[str, list[TruePair]]:
    """Return the English pairs by kind of edit, and those of two formats."""
    divided = sets(corpus)
    kinds = {kind: divided["edit class"][kind] for kind in ("small", "medium", "large")}
    return {
        kind: [pair for pair in pairs if corpus.documents[pair.a].lang == "en"]
        for kind, pairs in {**kinds, CROSS_MEDIA: divided["group"][CROSS_MEDIA]}.items()
    }


def row_of(corpus: Corpus, name: str, table: Table) -> dict[str, Any]:
    """Return the distance of an algorithm, and the pairs that it finds within it."""
    bits = 64 * table.shape[1]
    unrelated = negatives(corpus, table, bits)
    english = unrelated.pop("en")
    others = united(unrelated)
    distance = most_distance(english)
    found = {
        kind: (len(pairs), found_within(corpus, pairs, table, bits, distance))
        for kind, pairs in true_pairs(corpus).items()
    }
    return {
        "algorithm": name,
        "bits": bits,
        "other_languages": {"unrelated": len(others), "equal": int((others == 0).sum())},
        "english": {"unrelated": len(english), "distance": distance, "found": found},
    }


def main() -> None:
    corpus = corpus_of_arguments(__doc__)
    needed = {one.id for listed in corpus.unrelated.values() for one in listed}
    needed |= {one for pairs in true_pairs(corpus).values() for pair in pairs for one in (pair.a, pair.b)}
    documents = [corpus.documents[one] for one in sorted(needed)]
    tables = [np.zeros((len(corpus.documents), bits // 64), np.uint64) for bits, _ in ALGORITHMS.values()]
    with Pool(os.cpu_count()) as pool:
        found = pool.imap(values_of, documents, chunksize=8)
        for document, values in zip(documents, found, strict=True):
            for table, value in zip(tables, values, strict=True):
                table[document.row] = np.frombuffer(value, ">u8")
    rows = [row_of(corpus, name, table) for name, table in zip(ALGORITHMS, tables, strict=True)]
    results.write("others", {"made_by": "python -m benchmarks.calibration.others CORPUS_DIR", "algorithms": rows})


if __name__ == "__main__":
    main()
