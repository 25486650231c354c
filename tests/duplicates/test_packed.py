"""Packed texts, against comparisons of two texts."""

from __future__ import annotations

import random
import tracemalloc

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simhash_doc.duplicates import packed as packing
from simhash_doc.duplicates.packed import PackedTexts
from simhash_doc.duplicates.similarity import TextTokens

WORDS = [f"w{chr(97 + a)}{chr(97 + b)}" for a in range(20) for b in range(20)]

few_words = st.lists(st.sampled_from(WORDS[:9]), min_size=1, max_size=14)


@st.composite
def edited(draw: st.DrawFn) -> list[list[str]]:
    """Texts of one frame and own words, with words that are left out or repeated."""
    choose = random.Random(draw(st.integers(0, 2**32)))
    frame = choose.sample(WORDS[50:], draw(st.integers(0, 30)))
    texts = []
    for _ in range(draw(st.integers(2, 25))):
        words = [word for word in frame if choose.random() < 0.97]
        words += choose.choices(WORDS[:50], k=choose.randint(1, 8))
        texts.append(words + choose.choices(words, k=choose.randint(0, 3)) * choose.randint(1, 9))
    return texts


@pytest.fixture(params=["native", "python"], autouse=True)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the compiled core give tokens their integers, or Python."""
    if request.param == "native":
        pytest.importorskip("simhash_doc_native")
    monkeypatch.setattr(packing, "select_name", lambda size: request.param)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(listed=edited() | st.lists(few_words, min_size=1, max_size=12))
def test_similarities_are_those_of_pairs_of_texts(listed: list[list[str]]) -> None:
    texts = [" ".join(words) for words in listed]
    packed, tokens = PackedTexts(texts), [TextTokens(text) for text in texts]
    assert len(packed) == len(texts)
    for a, left in enumerate(tokens):
        of_all, of_distinct = packed.similarities(a, np.arange(len(texts)))
        assert of_all.tolist() == [left.similarity(right) for right in tokens]
        for b, right in enumerate(tokens):
            least = min(of_all[b], of_distinct[b])
            assert left.is_similar(right, least)
            assert not left.is_similar(right, least + 1e-9)


def test_some_of_the_texts_are_those_of_all() -> None:
    packed = PackedTexts(["one two three 7 7", "two ٣ 3", "", "three three ß"])
    some = packed.some([3, 1])
    assert [some.numbers[at].tolist() for at in (0, 1)] == [[], [packed.numbers[1][0]] * 2]
    assert [packed.numbers[0].tolist(), packed.numbers[2].tolist()] == [[packed.numbers[0][0]] * 2, []]
    assert (some.tokens[0].tolist(), some.distinct.tolist()) == (packed.tokens[3].tolist(), [2, 1])
    assert packed.lengths.tolist() == [17, 8, 0, 14]


@pytest.mark.slow
def test_texts_with_one_frame_take_little_more_memory_than_their_tokens() -> None:
    count, frame = 3_000, " ".join(WORDS[:200])
    tracemalloc.start()
    try:
        PackedTexts(f"{frame} {WORDS[200 + number % 100]}" for number in range(count))
        assert tracemalloc.get_traced_memory()[1] < 2 * 4 * 201 * count
    finally:
        tracemalloc.stop()
