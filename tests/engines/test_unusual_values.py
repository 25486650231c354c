"""Tokens and texts of unusual kinds: every engine gives the result of the reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import Accumulator, fingerprint, fingerprint_many, reference, trace
from simhash_doc.engines import select
from simhash_doc.engines.token_counts import TokenCounts
from tests.engines.engines import ENGINES

TEXT = "one two three four"
NUL_TOKENS = st.lists(st.text("a\0", max_size=10) | st.text("ab\0ä", max_size=80), min_size=1, max_size=12)


@pytest.fixture(params=ENGINES)
def _engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(select, "_setting", request.param)


@given(tokens=NUL_TOKENS)
def test_tokens_with_nul_are_summed_as_by_the_reference(tokens: list[str]) -> None:
    accumulator = Accumulator(tokenizer=lambda _: tokens)
    accumulator.update("x")
    counted = reference.capped_counts(tokens)
    assert accumulator.buckets() == reference.to_buckets(reference.bit_sums(counted))
    measured = accumulator.measure()
    assert (measured.tokens, measured.distinct_tokens) == (len(tokens), len(counted))


@given(tokens=NUL_TOKENS, times=st.integers(1, 9))
def test_a_multiset_merged_with_itself_has_every_token_twice(tokens: list[str], times: int) -> None:
    counts = TokenCounts()
    occurrences = reference.capped_counts(tokens * times)
    counts.add({token.encode(): count for token, count in occurrences.items()})
    before = dict(counts.items())
    counts.merge(counts)
    assert dict(counts.items()) == {token: min(reference.OCCURRENCE_CAP, 2 * count) for token, count in before.items()}


@pytest.mark.usefixtures("_engine")
@pytest.mark.parametrize("kept", [0, 1 << 23])
@pytest.mark.parametrize("size", [3, 5000])
def test_an_accumulator_merges_with_itself(kept: int, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simhash_doc.accumulator.LARGE_DOCUMENT", kept)
    text = " ".join(f"word{chr(97 + number % 26)}{'xyz'[number % 3] * (number % 7)}" for number in range(size))
    twice, other = Accumulator(), Accumulator()
    for accumulator in (twice, other):
        accumulator.update(text)
    expected = twice.copy()
    expected.merge(other)
    twice.merge(twice)
    assert (twice.measure(), twice.buckets()) == (expected.measure(), expected.buckets())
    twice.update(" more words")
    expected.update(" more words")
    assert twice.buckets() == expected.buckets()


class LongBytes(bytes):
    def __len__(self) -> int:
        return 250_000

    def __bytes__(self) -> bytes:
        return b"something else"


class ShortBytes(LongBytes):
    def __len__(self) -> int:
        return 1


class LongStr(str):
    __slots__ = ()

    def __len__(self) -> int:
        return 250_000

    def __str__(self) -> str:
        return "something else"

    def encode(self, *_: object) -> bytes:
        return b"something else"


@pytest.mark.usefixtures("_engine")
@pytest.mark.parametrize("lie", [LongBytes(TEXT.encode()), ShortBytes(TEXT.encode()), LongStr(TEXT)])
def test_a_subclass_counts_as_its_content(lie: str | bytes) -> None:
    expected = fingerprint(TEXT)
    accumulator = Accumulator()
    accumulator.update(lie)
    assert fingerprint(lie) == accumulator.fingerprint() == expected
    assert trace(lie) == trace(TEXT)
    for texts in ([lie, lie], iter([lie]), (lie,)):
        assert set(fingerprint_many(texts)) == {expected}
    assert select.select_engine(1).measure_batch([lie], 1).values.tolist() == [[expected.value]]


@pytest.mark.parametrize("value", [None, 5, bytearray(b"x"), ["x"]])
def test_other_types_are_type_errors(value: object) -> None:
    calls: list[Callable[[Any], object]] = [fingerprint, trace, Accumulator().update]
    for call in calls:
        with pytest.raises(TypeError, match="expected str or bytes"):
            call(value)
