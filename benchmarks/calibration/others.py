"""How many versions of a document other simhash algorithms find, where they meet as few unrelated ones.

    python -m benchmarks.calibration.others CORPUS_DIR     # some minutes

It writes docs/benchmarks/others.json: for each algorithm of `benchmarks.others` and for this one, the number of
unrelated pairs with equal values in other languages than English; and in English, the largest distance with at most two
of the unrelated pairs, and the true pairs within it. All get the same plain texts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import others, results
from benchmarks.calibration.corpus import CROSS_MEDIA, Corpus, Document, TruePair, corpus_of_arguments
from benchmarks.calibration.fingerprinting import Lanes, Table, fingerprint_documents
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


def kinds_of(document: Document) -> dict[str, Lanes]:
    """Return the value of each algorithm for a document by name; 0 where it has none."""
    found = {}
    for name, (bits, algorithm) in ALGORITHMS.items():
        value = (algorithm(document.text) or 0).to_bytes(bits // 8, "big")
        found[name] = np.frombuffer(value, ">u8").astype(np.uint64)
    return found


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
    tables = fingerprint_documents(corpus.documents.values(), kinds_of)
    rows = [row_of(corpus, name, table) for name, table in tables.items()]
    results.write("others", {"made_by": "python -m benchmarks.calibration.others CORPUS_DIR", "algorithms": rows})


if __name__ == "__main__":
    main()
