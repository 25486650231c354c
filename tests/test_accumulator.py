"""Texts in pieces give the fingerprint of the whole."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import Accumulator, NoTokenError, accumulator, counts, fingerprint, reference
from simhash_doc.counts import TokenCounts
from tests.strategies import any_text

cuts = st.lists(st.integers(0, 200), max_size=8)


@pytest.fixture(params=[1, 7, 1 << 18])
def _block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the blocks small, so that short texts are cut too."""
    monkeypatch.setattr(accumulator, "_BLOCK", request.param)


def state(made: Accumulator) -> tuple[int, list[int] | None]:
    try:
        return made.counts().total, made.buckets()
    except NoTokenError:
        return 0, None


def pieces(text: str, places: list[int]) -> list[str]:
    edges = [0, *sorted(min(place, len(text)) for place in places), len(text)]
    return [text[a:b] for a, b in itertools.pairwise(edges)]


@pytest.mark.usefixtures("_block")
@given(text=any_text, places=cuts)
def test_any_chunking_of_text_gives_the_same(text: str, places: list[int]) -> None:
    whole, pieced = Accumulator(), Accumulator()
    whole.update(text)
    for piece in pieces(text, places):
        pieced.update(piece)
        pieced.counts()  # asking in between changes nothing
    assert state(pieced) == state(whole)


@pytest.mark.usefixtures("_block")
@given(data=st.one_of(st.binary(), any_text.map(lambda t: t.encode("utf-8", "surrogatepass"))), size=st.integers(1, 9))
def test_any_chunking_of_bytes_gives_the_same(data: bytes, size: int) -> None:
    whole, pieced = Accumulator(), Accumulator()
    whole.update(data)
    for start in range(0, len(data), size):
        pieced.update(data[start : start + size])
    assert state(pieced) == state(whole)


@given(parts=st.lists(any_text, max_size=5), scheme=st.sampled_from(["sd64", "sd128"]))
def test_merged_parts_are_the_text_that_they_split(parts: list[str], scheme: str) -> None:
    whole, merged = Accumulator(scheme), Accumulator(scheme)
    whole.update("\n".join(parts))
    for part in parts:
        other = Accumulator(scheme)
        other.update(part)
        merged.merge(other)
    assert state(merged) == state(whole)


def test_merging_leaves_the_other_as_it_was() -> None:
    a, b = Accumulator(), Accumulator()
    a.update("one two")
    b.update("two three")
    before = b.fingerprint()
    a.merge(b)
    assert b.fingerprint() == before
    assert a.fingerprint() == fingerprint("one two two three")


def test_accumulators_of_different_kinds_do_not_merge() -> None:
    for other in (Accumulator("sd128"), Accumulator(stop_tokens={"the"}), Accumulator(tokenizer=str.split)):
        with pytest.raises(ValueError, match="same scheme"):
            Accumulator().merge(other)


def test_text_and_bytes_do_not_mix() -> None:
    made = Accumulator()
    made.update(b"one")
    with pytest.raises(TypeError, match="text after bytes"):
        made.update("two")
    made = Accumulator()
    made.update("one")
    with pytest.raises(TypeError, match="bytes after text"):
        made.update(b"two")
    with pytest.raises(TypeError, match="not int"):
        made.update(3)  # type: ignore[arg-type]


def test_custom_tokenizer_and_stop_list_make_customised_fingerprints() -> None:
    spaced = fingerprint("One-two the THREE", tokenizer=str.split)
    assert not spaced.canonical
    assert spaced.to_uri().startswith("sd64+custom:")
    assert fingerprint("one two three", stop_tokens=["two"]).value == fingerprint("one three").value
    assert fingerprint("one two", stop_tokens=["two"]).canonical is False
    with pytest.raises(NoTokenError):
        fingerprint("the", stop_tokens={"the"})


@given(st.lists(st.dictionaries(st.text("abcé", min_size=1, max_size=12), st.integers(1, 12), max_size=9), max_size=12))
def test_settled_counts_are_those_of_a_dict(batches: list[dict[str, int]]) -> None:
    settling, other = TokenCounts(), TokenCounts()
    plain: Counter[bytes] = Counter()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts, "_SETTLED_BYTES", 12)
        patch.setattr(counts, "_MERGED_PIECE", 2)
        patch.setattr(counts, "_RECENT_LIMIT", 3)
        for i, batch in enumerate(batches):
            encoded = {token.encode(): count for token, count in batch.items()}
            (settling if i % 2 else other).add(encoded)
            plain.update(encoded)
        settling.merge(other)
        assert dict(settling.items()) == {token: min(count, 8) for token, count in plain.items()}
        assert (settling.total, settling.distinct()) == (plain.total(), len(plain))
        if plain:
            capped = {token.decode(): min(count, 8) for token, count in plain.items()}
            assert settling.bit_sums(2).tolist() == reference.bit_sums(capped, 2)


def test_many_distinct_tokens_settle_and_stay_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(4)
    words = ["".join(draw.choices("abcdeфы漢", k=draw.randint(1, 30))) for _ in range(20_000)]
    expected = fingerprint(" ".join(words), "sd128")
    monkeypatch.setattr(counts, "_RECENT_LIMIT", 500)
    made = Accumulator("sd128")
    for word in words:
        made.update(word + " ")
    assert made.fingerprint() == expected
