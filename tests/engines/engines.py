"""All engines, for tests that hold for each of them."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pytest

from simhash_doc import NoTokenError, accumulator, reference
from simhash_doc.engines import python as python_engine
from simhash_doc.engines import select
from simhash_doc.engines.numpy import engine as numpy_engine

LARGE_DOCUMENT_MODULES = [accumulator, numpy_engine, python_engine]


def has_native() -> bool:
    """Return whether the compiled core is installed."""
    return importlib.util.find_spec("simhash_doc_native") is not None


NATIVE_MARKS = (
    pytest.mark.skipif(not has_native(), reason="the compiled core is not installed: pip install ./ports/rust/python"),
)
ENGINES = [pytest.param(name, marks=NATIVE_MARKS if name == "native" else ()) for name in select.ENGINES]
all_engines = pytest.mark.parametrize("name", ENGINES)


def needs_native(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a test that loads the compiled core."""
    for mark in NATIVE_MARKS:
        test = mark(test)
    return test


@contextmanager
def setting(name: str) -> Iterator[None]:
    """Use an engine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(select, "_setting", name)
        yield


@contextmanager
def large_document(size: int) -> Iterator[None]:
    """Let every engine count a document of more than `size` bytes piece by piece."""
    with pytest.MonkeyPatch.context() as patch:
        for module in LARGE_DOCUMENT_MODULES:
            patch.setattr(module, "LARGE_DOCUMENT", size)
        yield


def expected(text: str | bytes, lanes: int) -> list[int] | None:
    """Return the lanes of the reference's fingerprint, or None."""
    decoded = reference.decode_utf8(text) if isinstance(text, bytes) else text
    try:
        sums = reference.bit_sums(reference.capped_counts(reference.tokens(decoded)), lanes)
    except NoTokenError:
        return None
    return [sum((sums[64 * lane + bit] > 0) << bit for bit in range(64)) for lane in range(lanes)]


def statistics(text: str | bytes | None) -> list[int]:
    """Return the distinct tokens of a text, the sum of their capped counts, and that of the squares."""
    if text is None:
        return [0, 0, 0]
    decoded = reference.decode_utf8(text) if isinstance(text, bytes) else text
    try:
        counts = reference.capped_counts(reference.tokens(decoded)).values()
    except NoTokenError:
        return [0, 0, 0]
    return [len(counts), sum(counts), sum(count**2 for count in counts)]


def computed(name: str, texts: Sequence[str | bytes | None], lanes: int) -> list[list[int] | None]:
    """Return the result of an engine for a batch, in the form of `expected`."""
    result = select.get_engine(name).measure_batch(texts, lanes)
    assert result.values.shape == (len(texts), lanes)
    assert result.values.dtype == np.uint64
    assert not result.values[result.missing].any()
    for text, found in zip(texts, result.statistics.tolist(), strict=True):
        assert found == statistics(text)
    rows = zip(result.values.tolist(), result.missing.tolist(), strict=True)
    return [None if missing else row for row, missing in rows]


def value_of(lanes: list[int] | None) -> int | None:
    """Return lanes as the integer that `Engine.fingerprint` returns."""
    return None if lanes is None else sum(lane << 64 * i for i, lane in enumerate(reversed(lanes)))
