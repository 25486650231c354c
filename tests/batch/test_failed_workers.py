"""Worker processes that die while they fingerprint. What the pool does about them: tests/test_parallel.py."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from simhash_doc import WorkerFailedError, fingerprint_batches, fingerprint_many
from simhash_doc.engines import select
from simhash_doc.engines.base import Measurements
from simhash_doc.engines.numpy.engine import NumpyEngine
from simhash_doc.engines.text_buffer import BATCH_BYTES

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
    """Return a function that makes the engine call something when it reads the fatal text."""
    monkeypatch.setattr(select, "_setting", "numpy")

    def install(act: Callable[[], object]) -> None:
        class Failing(NumpyEngine):
            def measure_batch(self, texts: Sequence[str | bytes | None], lanes: int) -> Measurements:
                if FATAL in texts or FATAL.decode() in texts:
                    act()
                return super().measure_batch(texts, lanes)

        monkeypatch.setitem(select._loaded, "numpy", Failing())

    return install


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
def test_batch_of_a_worker_that_dies_is_reported_after_all_others(engine: Any) -> None:
    expected = fingerprint_many(TEXTS)
    engine(die)
    with pytest.raises(WorkerFailedError, match="its worker process died twice") as caught:
        fingerprint_many(with_fatal_text(), workers=2)
    ((documents, reason),) = caught.value.failures
    assert FATAL_AT in documents
    assert len(documents) <= PER_BATCH + 1
    assert f"{documents.start} to {documents.stop - 1}: {reason}" in str(caught.value)
    result = caught.value.fingerprints
    assert result is not None
    failed = result.missing
    assert failed.nonzero()[0].tolist() == list(documents)
    assert result[~failed] == expected[~failed]
    results = fingerprint_batches(with_fatal_text(), workers=2)
    received = 0
    while received < len(TEXTS):
        received += len(next(results))
    with pytest.raises(WorkerFailedError) as ended:
        next(results)
    assert ended.value.fingerprints is None


@pytest.mark.parametrize("workers", [1, 2])
def test_batch_that_needs_too_much_memory_is_reported(engine: Any, workers: int) -> None:
    def refuse() -> None:
        raise MemoryError

    engine(refuse)
    with pytest.raises(WorkerFailedError, match="not enough memory") as caught:
        fingerprint_many(with_fatal_text(), workers=workers)
    assert [FATAL_AT in documents for documents, _ in caught.value.failures] == [True]
