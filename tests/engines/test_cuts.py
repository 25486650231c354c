"""A text is cut only where its pieces together have its tokens."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import reference
from simhash_doc.engines.text_counter import folded_pieces, last_cut
from tests.strategies import texts


@pytest.mark.slow
@given(text=texts)
def test_a_text_is_cut_where_its_pieces_have_its_tokens(text: str) -> None:
    for upto in range(len(text) + 1):
        end, start = last_cut(text[:upto])
        assert 0 <= end - start <= 1
        if end:
            assert start
            assert Counter(reference.tokens(text[:end])) + Counter(reference.tokens(text[start:])) == Counter(
                reference.tokens(text)
            )


def test_texts_without_a_space_can_be_cut() -> None:
    for stretch in ("\u6f22\u5b57", "\u0e01\u0e2a", "a\ufffd", "a\u0378", "\u300cx\u300d", "\u2014y", "<z", "a\u6f22"):
        text = stretch * 200_000
        end, start = last_cut(text)
        assert 0 <= end - start <= 1
        assert start > len(text) - 10
    assert last_cut("a" * 200_000) == (0, 0)
    assert last_cut("http://a.example/" * 10_000) == (0, 0)


@given(text=texts, size=st.integers(1, 20))
def test_folded_pieces_have_the_tokens_of_the_text(text: str, size: int) -> None:
    found: Counter[str] = Counter()
    for piece in folded_pieces(text, size):
        assert piece == reference.fold(piece)
        found.update(reference.tokens(piece))
    assert found == Counter(reference.tokens(text))


def test_pieces_of_text_that_can_be_cut_after_folding_are_small() -> None:
    assert max(map(len, folded_pieces("\ufdfa" * 5000, 500))) < 20_000
