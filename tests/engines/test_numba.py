"""The compiled loops at the limits of their memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import reference
from tests.engines.engines import expected, value_of
from tests.engines.strategies import texts

pytest.importorskip("numba", reason="numba is not installed: pip install -e '.[dev]'")

from simhash_doc.engines.numba import engine as numba_engine

pytestmark = pytest.mark.slow


@given(parts=st.lists(texts, min_size=1, max_size=6), room=st.integers(1, 40))
def test_compiled_loops_give_the_same_in_little_memory(parts: list[str], room: int) -> None:
    """The folded text is cut as often as possible, and tables grow."""
    text = " ".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numba_engine, "_SCRATCH", room)
        counter = numba_engine.NumbaTokenCounter()
        for part in parts:
            counter.feed(f"{part} ".encode("utf-8", "surrogatepass"))
        worker = numba_engine.BatchWorker()
    data = text.encode("utf-8", "surrogatepass")
    assert worker.fingerprint_one(data, 2) == value_of(expected(text, 2))
    capped = reference.capped_counts(reference.tokens(text))
    assert dict(counter.tokens().items()) == {token.encode(): count for token, count in capped.items()}
    if capped:
        assert counter.measure(2).sums == worker.measure_one(data, 2).sums == reference.bit_sums(capped, 2)
