"""Searches in memory that need more of it than is free say so before they start."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import psutil
import pytest

from simhash_doc.lookup import Corpus, TooLargeError, available, find_all

VALUES = np.random.default_rng(5).integers(0, 2**64, 10_000, dtype=np.uint64)


@pytest.fixture(autouse=True)
def _little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(available, "_SMALL", 0)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=100_000))
    monkeypatch.setattr(psutil, "swap_memory", lambda: SimpleNamespace(free=0))


def test_a_corpus_that_does_not_fit_names_the_directory_and_stays_as_it_is() -> None:
    corpus = Corpus()
    with pytest.raises(TooLargeError, match=r"10 tables of 10,000 new .* build it in a directory \(Corpus\.build"):
        corpus.add_many(VALUES)
    assert len(corpus) == 0


def test_pairs_that_do_not_fit_name_the_file() -> None:
    with pytest.raises(TooLargeError, match=r"pairs of 10,000 fingerprints needs .*\(PairFile, or --memory\)"):
        find_all(VALUES)


def test_what_fits_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil, "swap_memory", lambda: SimpleNamespace(free=1 << 30))
    corpus = Corpus()
    assert corpus.add_many(VALUES) == len(VALUES)
    assert len(find_all(VALUES[:2])) == 0
