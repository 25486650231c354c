"""Worker processes that die while they fingerprint."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simhash_doc import LostDocumentsError, fingerprint_batches, fingerprint_many
from simhash_doc.bulk import engine as engine_in_use
from simhash_doc.bulk import many
from simhash_doc.bulk.packed import BATCH_BYTES

pytestmark = pytest.mark.skipif(
    multiprocessing.get_start_method() != "fork", reason="the engine is replaced in the processes by forking"
)

FATAL = b"fatal"
DOCUMENT = "some words that fill a document " * 1000
PER_BATCH = BATCH_BYTES // (len(DOCUMENT) + 64)
TEXTS = [f"{DOCUMENT} {chr(97 + at % 26)}" for at in range(10 * PER_BATCH)]
FATAL_AT = 4 * PER_BATCH + 3


def with_fatal_text() -> list[str]:
    texts = list(TEXTS)
    texts[FATAL_AT] = FATAL.decode()
    return texts


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Return a function that makes the engine call something when it meets the fatal text."""
    compute = engine_in_use.fingerprint_batch

    def install(act: Callable[[], object]) -> None:
        def fingerprinted(texts: Sequence[str | bytes | None], words: int) -> Any:
            if FATAL in texts or FATAL.decode() in texts:
                act()
            return compute(texts, words)

        monkeypatch.setattr(many, "fingerprint_batch", fingerprinted)

    return install


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_chunk_of_a_worker_that_dies_is_named_and_all_others_are_there(engine: Any) -> None:
    expected = fingerprint_many(TEXTS)
    engine(die)
    with pytest.raises(LostDocumentsError, match="its worker process died twice") as caught:
        fingerprint_many(with_fatal_text(), workers=2)
    ((documents, reason),) = caught.value.lost
    assert FATAL_AT in documents
    assert len(documents) <= PER_BATCH + 1
    assert f"{documents.start} to {documents.stop - 1}: {reason}" in str(caught.value)
    result = caught.value.fingerprints
    assert result is not None
    lost = np.ma.getmaskarray(result)
    assert lost.nonzero()[0].tolist() == list(documents)
    assert (result.data[~lost] == expected.data[~lost]).all()


def test_stream_ends_with_the_error_when_all_others_were_yielded(engine: Any) -> None:
    engine(die)
    results = fingerprint_batches(with_fatal_text(), workers=2)
    received = 0
    while received < len(TEXTS):
        received += len(next(results))
    with pytest.raises(LostDocumentsError) as caught:
        next(results)
    assert caught.value.fingerprints is None


def test_chunk_is_tried_a_second_time(engine: Any, tmp_path: Path) -> None:
    def die_once() -> None:
        if not (tmp_path / "died").exists():
            (tmp_path / "died").touch()
            die()

    engine(die_once)
    texts = with_fatal_text()
    result = fingerprint_many(texts, workers=2)
    assert (tmp_path / "died").exists()
    assert not np.ma.getmaskarray(result).any()
    assert (result == fingerprint_many(texts)).all()


@pytest.mark.parametrize("workers", [1, 2])
def test_memory_that_is_refused_costs_its_chunk(engine: Any, workers: int) -> None:
    def refuse() -> None:
        raise MemoryError

    engine(refuse)
    with pytest.raises(LostDocumentsError, match="not enough memory") as caught:
        fingerprint_many(with_fatal_text(), workers=workers)
    assert [FATAL_AT in documents for documents, _ in caught.value.lost] == [True]


def test_defect_in_the_engine_is_not_hidden(engine: Any) -> None:
    def fail() -> None:
        raise AssertionError("a defect")

    engine(fail)
    with pytest.raises(AssertionError, match="a defect"):
        fingerprint_many(with_fatal_text(), workers=2)
