"""No text costs much more than another.

The only test that reads a clock: no counter shows quadratic time in compiled code. At these sizes, quadratic time is
hundreds of times that of ordinary text; `python -m benchmarks.worst_texts` gives the ratios of linear time, all of
which are below 30. The test compares processor times in one process, the least of several tries each.
"""

from __future__ import annotations

import pytest

from benchmarks.worst_texts import catalogue, ordinary_seconds_per_byte, seconds_per_byte
from tests.engines.engines import all_engines, setting

SIZE = 1 << 20  # bytes
LIMIT = 100
TRIES = 4


@pytest.mark.slow
@all_engines
def test_worst_texts_cost_at_most_a_multiple_of_ordinary_text(name: str) -> None:
    with setting(name):
        texts = dict(catalogue(SIZE))
        ratios = {}
        for _ in range(TRIES):  # a ratio over the limit is measured again, together with ordinary text
            ordinary = ordinary_seconds_per_byte()
            ratios = {kind: seconds_per_byte(text, repeats=1, documents=1) / ordinary for kind, text in texts.items()}
            texts = {kind: text for kind, text in texts.items() if ratios[kind] > LIMIT}
            if not texts:
                return
        slow = {kind: ratios[kind] for kind in texts}
        pytest.fail(f"over {LIMIT} times the time of ordinary text: {slow}")
