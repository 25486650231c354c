"""The similarity of texts: the weighted Jaccard index of their tokens."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from simhash_doc.duplicates.documents import TextTokens

words = st.lists(st.sampled_from("alpha beta gamma delta epsilon zeta".split()), max_size=12)


@given(words, words)
def test_it_is_the_share_of_common_words(a: list[str], b: list[str]) -> None:
    left, right = ({word: min(count, 8) for word, count in Counter(text).items()} for text in (a, b))
    every = left.keys() | right.keys()
    common = sum(min(left.get(word, 0), right.get(word, 0)) for word in every)
    together = sum(max(left.get(word, 0), right.get(word, 0)) for word in every)
    found = TextTokens(" ".join(a)).similarity(TextTokens(" ".join(b)))
    assert found == (common / together if together else 0)
    assert found == TextTokens(" ".join(b)).similarity(TextTokens(" ".join(a)))


def test_equal_texts_have_all_in_common() -> None:
    assert TextTokens("Straße und Weg").similarity(TextTokens("STRASSE, UND Weg!")) == 1


def test_a_lone_surrogate_counts_as_the_replacement_character() -> None:
    text = "see http://a.example/x\ud800y and more"
    assert TextTokens(text).similarity(TextTokens(text.replace("\ud800", "\ufffd"))) == 1
