"""Packed texts, against comparisons of two texts; and what is assigned with their index, against all comparisons."""

from __future__ import annotations

import random
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import fingerprint
from simhash_doc.arrays import lanes_from_ints
from simhash_doc.duplicates.definition import Positions, assign
from simhash_doc.duplicates.packed import PackedTexts, SimilarTexts, assign_similar
from simhash_doc.duplicates.similarity import TextTokens
from simhash_doc.duplicates.templates import texts_of_templates

WORDS = [f"w{chr(97 + a)}{chr(97 + b)}" for a in range(20) for b in range(20)]
SHARES = st.sampled_from([0.001, 1 / 3, 0.5, 0.7, 0.75, 0.8, 0.9, 0.95, 1])

few_words = st.lists(st.sampled_from(WORDS[:9]), min_size=1, max_size=14)


@st.composite
def edited(draw: st.DrawFn) -> list[list[str]]:
    """Texts of a template and own words, with words that are left out or repeated."""
    choose = random.Random(draw(st.integers(0, 2**32)))
    frame = choose.sample(WORDS[50:], draw(st.integers(0, 30)))
    texts = []
    for _ in range(draw(st.integers(2, 25))):
        words = [word for word in frame if choose.random() < 0.97]
        words += choose.choices(WORDS[:50], k=choose.randint(1, 8))
        texts.append(words + choose.choices(words, k=choose.randint(0, 3)) * choose.randint(1, 9))
    return texts


@given(listed=edited() | st.lists(few_words, min_size=1, max_size=12), least=SHARES)
def test_pairs_and_candidates_are_those_of_the_texts(listed: list[list[str]], least: float) -> None:
    texts = [TextTokens(" ".join(words)) for words in listed]
    packed = PackedTexts(texts)
    assert len(packed) == len(texts)
    index = SimilarTexts(packed, least)
    for a, left in enumerate(texts):
        similar = set()
        for b, right in enumerate(texts[:a]):
            of_all, of_distinct = packed.similarities(a, np.array([b]))
            assert of_all == [left.similarity(right)]
            assert (min(of_all[0], of_distinct[0]) >= least) == left.is_similar(right, least)
            if left.similarity(right) >= least:
                similar.add(b)
        assert similar <= set(index.candidates(a))
        index.add(a)


@given(listed=edited(), least=SHARES, distance=st.integers(0, 70))
def test_texts_are_assigned_as_by_comparing_all(listed: list[list[str]], least: float, distance: int) -> None:
    texts = [" ".join(words) for words in listed]
    values = lanes_from_ints([int(fingerprint(text, "sd256")) for text in texts], 4)
    tokens = [TextTokens(text) for text in texts]
    expected = assign(values, distance, lambda first, other: tokens[first].is_similar(tokens[other], least))
    found, similarities = assign_similar(values, distance, PackedTexts(tokens), least)
    assert np.array_equal(found, expected)
    assert similarities.tolist() == [tokens[at].similarity(tokens[first]) for at, first in enumerate(found)]


@pytest.mark.parametrize("least", [0.6, 0.8, 0.9])
def test_texts_of_a_template_with_other_words_are_hardly_compared(
    least: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = int(100 * (1 - least) / 2 / least) + 3  # a few more than similar texts have
    letters = random.Random(1)
    texts = [
        TextTokens(" ".join(WORDS[:100] + ["".join(letters.choices("bcdfghij", k=12)) for _ in range(own)]))
        for _ in range(300)
    ]
    compared: list[int] = []
    similarities = PackedTexts.similarities

    def counted(self: PackedTexts, text: int, others: Positions) -> object:
        compared.extend(others.tolist())
        return similarities(self, text, others)

    monkeypatch.setattr(PackedTexts, "similarities", counted)
    values = np.zeros((len(texts), 4), np.uint64)
    assert np.array_equal(assign_similar(values, 36, PackedTexts(texts), least)[0], np.arange(len(texts)))
    assert not compared


class _Counted:
    """Tokens of a text of a template: a frame of 200, and one of its own."""

    def __init__(self, number: int) -> None:
        self._own = b"%d" % number

    def counted(self) -> list[bytes]:
        return [*_FRAME, self._own]


_FRAME = [b"f%d" % at for at in range(200)]


@pytest.mark.slow
def test_a_template_takes_little_more_memory_than_its_tokens() -> None:
    count = 10_000
    tracemalloc.start()
    try:
        texts = PackedTexts(_Counted(number) for number in range(count))  # type: ignore[misc]
        (found,) = texts_of_templates(texts, np.zeros(count, np.int64))
        assert found.tolist() == list(range(count))
        assert tracemalloc.get_traced_memory()[1] < 2 * 4 * 201 * count
    finally:
        tracemalloc.stop()
