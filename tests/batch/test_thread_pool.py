"""Work in several threads: order, bounds, errors; and the engine that works so."""

from __future__ import annotations

import threading
from itertools import count, islice

import numpy as np
import pytest

from simhash_doc import fingerprint_many
from simhash_doc.batch import process_pool
from simhash_doc.batch.thread_pool import ordered_map_in_threads
from tests.engines.engines import needs_numba, setting


def test_results_have_the_order_of_the_items() -> None:
    finished = threading.Event()

    def work(item: int) -> int:
        if item == 0:
            assert finished.wait(10)
        if item == 1:
            finished.set()
        return item * item

    assert list(ordered_map_in_threads(work, range(50), 2)) == [item * item for item in range(50)]


def test_few_items_are_drawn_ahead() -> None:
    drawn = count()
    results = ordered_map_in_threads(str, drawn, 3)
    assert list(islice(results, 10)) == [str(item) for item in range(10)]
    results.close()  # type: ignore[attr-defined]
    assert next(drawn) <= 10 + 2 * 3


def test_an_error_is_raised_in_place_of_its_result() -> None:
    results = ordered_map_in_threads(lambda item: 1 // (3 - item), range(9), 2)
    assert list(islice(results, 3)) == [0, 0, 1]
    with pytest.raises(ZeroDivisionError):
        next(results)


@needs_numba
@pytest.mark.parametrize("scheme", ["sd64", "sd256"])
def test_compiled_loops_run_in_threads_of_this_process(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"{word} {'number ' * (at % 7)}{at}é漢字" * 200 for at in range(900) for word in ("one", "two")] + [
        None,
        "",
    ]
    monkeypatch.setattr(process_pool, "_ProcessPool", None)
    with setting("numba"):
        several, one = fingerprint_many(texts, scheme, workers=3), fingerprint_many(texts, scheme)
    assert (np.ma.getmaskarray(several) == np.ma.getmaskarray(one)).all()
    assert (several.data == one.data).all()
