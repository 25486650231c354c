"""Both engines, for tests that hold for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pytest

from simhash_doc import NoTokenError, reference
from simhash_doc.bulk import setting, use_fast
from simhash_doc.bulk.engine import fingerprint_batch

both_engines = pytest.mark.parametrize("fast", [True, False], ids=["compiled", "numpy"])


@contextmanager
def engine(*, fast: bool) -> Iterator[None]:
    """Use one engine."""
    before = setting._wanted
    use_fast(fast)
    try:
        yield
    finally:
        setting._wanted = before


def expected(text: str | bytes, words: int) -> list[int] | None:
    """Return the words of the reference's fingerprint, or None."""
    decoded = reference.decode_utf8(text) if isinstance(text, bytes) else text
    try:
        sums = reference.bit_sums(reference.capped_counts(reference.tokens(decoded)), words)
    except NoTokenError:
        return None
    return [sum((sums[64 * word + bit] > 0) << bit for bit in range(64)) for word in range(words)]


def made(texts: Sequence[str | bytes | None], words: int) -> list[list[int] | None]:
    """Return what the engine gives, in the form of `expected`."""
    fingerprints, missing = fingerprint_batch(texts, words)
    assert fingerprints.shape == (len(texts), words)
    assert fingerprints.dtype == np.uint64
    assert not fingerprints[missing].any()
    return [None if none else row for row, none in zip(fingerprints.tolist(), missing.tolist(), strict=True)]
