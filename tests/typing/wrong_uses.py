"""Uses that a checker refuses: each line has the error that it must give (tests/docs/test_cookbook.py)."""

from __future__ import annotations

import numpy as np

from simhash_doc import Fingerprint, fingerprint, fingerprint_many, get_scheme
from simhash_doc.ingest import Selection, fingerprint_documents
from simhash_doc.lookup import Corpus, find_all, find_clusters, plan
from simhash_doc.store import FingerprintStore


def texts_for_collections(corpus: Corpus, one: Fingerprint) -> None:
    fingerprint_many("abc")  # type: ignore[arg-type]
    fingerprint_many(b"abc")  # type: ignore[arg-type]
    fingerprint_many([1, 2])  # type: ignore[arg-type]
    fingerprint("the fox", stop_tokens="the")  # type: ignore[arg-type]
    corpus.add_many([one], ids="abc")  # type: ignore[arg-type]
    corpus.remove_ids("abc")  # type: ignore[arg-type]
    find_clusters(b"12345678")  # type: ignore[arg-type]
    Selection(include="*.html")  # type: ignore[arg-type]


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


def right_uses(name: str, one: Fingerprint) -> None:
    """Show what a checker takes."""
    fingerprint("the fox", one.scheme)
    fingerprint("the fox", get_scheme(name))
    fingerprint_many(text for text in ("a", None, b"b"))
    find_all(np.array([1, 2], np.uint64), distance="auto")
    find_all([np.uint64(5), one, "sd64:larqgiqsckcca", bytes(8), None])
    one.distance("sd64:larqgiqsckcca")
    fingerprint_documents("a.txt")
    Corpus().add_many(fingerprint_many(["a"]), ids=range(1))
