"""Appendix A of the specification, written out, against the package `xxhash` and published values."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[2] / "conformance"))

from mutation.appendix_a import xxh64


@given(st.binary(max_size=200), st.integers(0, 7))
def test_appendix_a_is_xxh64(data: bytes, seed: int) -> None:
    assert xxh64(data, seed) == xxhash.xxh64_intdigest(data, seed)


@pytest.mark.parametrize(
    ("data", "digest"), [(b"", 0xEF46DB3751D8E999), (b"a", 0xD24EC4F1A98C6E5B), (b"abc", 0x44BC2CF5AD770999)]
)
def test_published_values(data: bytes, digest: int) -> None:
    assert xxh64(data, 0) == digest
