"""No text costs much more than another.

This is the only test here that reads a clock, because the package promises the bound. It compares the processor time
of worst-case and of ordinary text in one process, the least of several tries each. Other work on the machine slows
both down. The worst ratio measured is about 5 with `numba`, 8 with `numpy` and 12 with `python`. The test is to find
texts that take quadratic time, which are far beyond that.
"""

from __future__ import annotations

import pytest

from benchmarks.worst_texts import catalogue, ordinary_seconds_per_byte, seconds_per_byte
from tests.engines.engines import all_engines, setting

LIMITS = {"python": 30, "numpy": 10, "numba": 10}
TRIES = 4


@pytest.mark.slow
@pytest.mark.parametrize(("size", "documents"), [(1 << 18, 10), (1 << 20, 1)], ids=["small", "large"])
@all_engines
def test_worst_texts_cost_at_most_a_multiple_of_ordinary_text(name: str, size: int, documents: int) -> None:
    with setting(name):
        texts = dict(catalogue(size))
        ratios = {}
        for _ in range(TRIES):  # a ratio over the limit is measured again, together with ordinary text
            ordinary = ordinary_seconds_per_byte()
            ratios = {
                kind: seconds_per_byte(text, repeats=2, documents=documents) / ordinary for kind, text in texts.items()
            }
            texts = {kind: text for kind, text in texts.items() if ratios[kind] > LIMITS[name]}
            if not texts:
                return
        slow = {kind: ratios[kind] for kind in texts}
        pytest.fail(f"over {LIMITS[name]} times the time of ordinary text: {slow}")
