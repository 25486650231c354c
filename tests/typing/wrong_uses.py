"""Uses that a checker refuses: each line has the error that it must give (tests/docs/test_cookbook.py)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import simhash_doc
from simhash_doc import (
    Fingerprint,
    Policy,
    find_duplicates,
    fingerprint,
    fingerprint_many,
    get_scheme,
    threshold_for,
)
from simhash_doc.ingest import ReadOptions, Selection, extract_contents, fingerprint_documents
from simhash_doc.lookup import Corpus, clusters_of, find_all, find_clusters, plan
from simhash_doc.store import FingerprintStore
from simhash_doc_extraction import Limits, extract, extract_each

if TYPE_CHECKING:
    import polars


def texts_for_collections(corpus: Corpus, one: Fingerprint) -> None:
    fingerprint_many("abc")  # type: ignore[arg-type]
    fingerprint_many(b"abc")  # type: ignore[arg-type]
    fingerprint_many([1, 2])  # type: ignore[arg-type]
    fingerprint("the fox", stop_tokens="the")  # type: ignore[arg-type]
    corpus.add_many([one], ids="abc")  # type: ignore[arg-type]
    corpus.remove_ids("abc")  # type: ignore[arg-type]
    find_clusters(b"12345678")  # type: ignore[arg-type]
    Selection(include="*.html")  # type: ignore[arg-type]


def texts_for_collections_in_newer_functions(corpus: Corpus, store: FingerprintStore, one: Fingerprint) -> None:
    find_duplicates("abc")  # type: ignore[arg-type]
    find_duplicates(b"abc", "text")  # type: ignore[arg-type]
    find_duplicates([1, 2])  # type: ignore[arg-type]
    find_duplicates(["a"], protected="old/")  # type: ignore[arg-type]
    find_duplicates(["a"], preferred="date")  # type: ignore[arg-type]
    Policy(protected="old/")  # type: ignore[arg-type]
    corpus.find([one])  # type: ignore[arg-type]
    corpus.find_many("sd64:larqgiqsckcca")  # type: ignore[arg-type]
    corpus.nearest_many(one)  # type: ignore[arg-type]
    store.find([one])  # type: ignore[arg-type]
    store.find_many("sd64:larqgiqsckcca")  # type: ignore[arg-type]
    extract("some text")  # type: ignore[arg-type]
    extract_each("crawl.warc.gz")  # type: ignore[arg-type]
    extract_contents(b"some text")  # type: ignore[arg-type]
    fingerprint(Path("a.txt"))  # type: ignore[arg-type]


def numbers_by_position_in_newer_functions(corpus: Corpus, store: FingerprintStore, one: Fingerprint) -> None:
    corpus.find(one, 6)  # type: ignore[call-arg]
    corpus.find_many([one], 6)  # type: ignore[call-arg]
    corpus.nearest(one, 3)  # type: ignore[call-arg]
    corpus.nearest_many([one], 3)  # type: ignore[call-arg]
    store.find_many([one], 6)  # type: ignore[call-arg]
    store.clusters(6)  # type: ignore[call-arg]
    threshold_for("sd64", 100, 1000)  # type: ignore[call-arg]
    clusters_of(find_all([1, 2]), 10**9)  # type: ignore[call-arg]
    find_duplicates(["a"], policy="sd64")  # type: ignore[arg-type]
    find_clusters([1, 2], min_support="15")  # type: ignore[arg-type]
    Policy(min_similarity="0.9")  # type: ignore[arg-type]
    Policy(numbers="drop")  # type: ignore[arg-type]
    ReadOptions(min_tokens="5")  # type: ignore[arg-type]
    Limits(pages="7")  # type: ignore[arg-type]


def numbers_by_position(store: FingerprintStore, one: Fingerprint) -> None:
    find_all([1, 2], 6)  # type: ignore[call-arg]
    find_clusters([1, 2], 6)  # type: ignore[call-arg]
    Corpus(6)  # type: ignore[call-arg]
    plan(100, 6)  # type: ignore[call-arg]
    store.find(one, 6)  # type: ignore[call-arg]
    store.pairs(6)  # type: ignore[call-arg]
    find_all([1, 2], distance=2.5)  # type: ignore[arg-type]
    find_all([1, 2], distance="near")  # type: ignore[arg-type]


def schemes(name: str, one: Fingerprint) -> None:
    fingerprint("the fox", "sd65")  # type: ignore[arg-type]
    fingerprint("the fox", name)  # type: ignore[arg-type]
    Fingerprint(5, 64)  # type: ignore[arg-type]
    one.narrow("SD64")  # type: ignore[arg-type]
    one.distance(5)  # type: ignore[arg-type]
    one.value = 5  # type: ignore[misc]
    Corpus(scheme="sd65")  # type: ignore[arg-type]
    fingerprint_documents("a.txt", "sd65")  # type: ignore[arg-type]
    find_all([1, 2], scheme=64)  # type: ignore[arg-type]
    threshold_for("sd65", tokens=100, collection=10)  # type: ignore[arg-type]


def right_uses(name: str, one: Fingerprint, store: FingerprintStore, column: polars.Series) -> None:
    """Show what a checker takes."""
    fingerprint("the fox", one.scheme)
    fingerprint("the fox", get_scheme(name))
    fingerprint_many(text for text in ("a", None, b"b"))
    find_all(np.array([1, 2], np.uint64), distance="auto")
    find_all([np.uint64(5), one, "sd64:larqgiqsckcca", bytes(8), None])
    one.distance("sd64:larqgiqsckcca")
    fingerprint_documents("a.txt")
    find_duplicates(["a", None, b"b"], protected=[True, False, False])
    find_duplicates(["a"], preferred=column.rank(), protected=column > 1)
    find_duplicates(["a"], preferred=(length for length in (1, 2)), protected=np.array([True]))
    find_duplicates([{"text": "a", "id": 1}], "text")
    find_duplicates({"text": ["a"]}, "text")
    simhash_doc.lookup.find_all([1, 2])
    store.find("sd64:larqgiqsckcca")
    store.find_many(fingerprint_many(["a"]))
    Corpus().add_many(fingerprint_many(["a"]), ids=range(1))
