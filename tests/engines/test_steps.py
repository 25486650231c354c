"""Steps of the engines: where a text is cut, and the hashes and sums of many tokens at once."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Literal

import numpy as np
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import reference
from simhash_doc.duplicates.differences import differing
from simhash_doc.duplicates.numbers import numbers_of
from simhash_doc.duplicates.similarity import unified
from simhash_doc.engines import strings
from simhash_doc.engines.bit_sums import MAX_LENGTH, WeightedTokens, sum_tokens, xxh64_of_short
from simhash_doc.engines.token_counts import last_cut
from simhash_doc.unicode_data import combining_class, normalize
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


short_tokens = st.lists(st.binary(min_size=1, max_size=MAX_LENGTH), max_size=40)
lanes = st.sampled_from([1, 2, 8])


@given(tokens=short_tokens, lanes=lanes)
def test_hashes_of_short_tokens_are_those_of_xxhash(tokens: list[bytes], lanes: int) -> None:
    text = b"".join(tokens) + bytes(40)
    lengths = np.array([len(token) for token in tokens], np.uint8)
    starts = np.cumsum(lengths, dtype=np.intp) - lengths
    windows = np.array([int.from_bytes(text[i : i + 8], "little") for i in range(len(text) - 8)], np.uint64)
    hashes = xxh64_of_short(windows, starts, lengths, lanes)
    assert hashes.tolist() == [[xxhash.xxh64_intdigest(token, lane) for lane in range(lanes)] for token in tokens]


def test_hashes_of_eight_bytes_at_the_end_of_the_text() -> None:
    windows = np.array([int.from_bytes(b"eightlet", "little")], np.uint64)
    made = xxh64_of_short(windows, np.zeros(1, np.intp), np.array([8], np.uint8), 1)
    assert made.tolist() == [[xxhash.xxh64_intdigest(b"eightlet")]]


@given(
    documents=st.lists(st.dictionaries(st.text(min_size=1, max_size=3), st.integers(1, 12), max_size=80), max_size=3),
    lanes=st.sampled_from([1, 3]),
)
def test_sums_of_documents_are_those_of_the_reference(documents: list[dict[str, int]], lanes: int) -> None:
    tokens = [(i, token) for i, counts in enumerate(documents) for token in counts]
    part = WeightedTokens(
        np.array([i for i, _ in tokens], np.intp),
        np.array([[reference.hash_token(token, lane) for lane in range(lanes)] for _, token in tokens], np.uint64),
        np.array([documents[i][token] for i, token in tokens], np.int64),
    )
    # In two parts, as lanes and bigrams are.
    halves = [WeightedTokens(part.documents[i::2], part.hashes[i::2], part.occurrences[i::2]) for i in range(2)]
    for parts in ([part], halves):
        result = sum_tokens(parts, len(documents), lanes)
        for i, counts in enumerate(documents):
            capped = {token: min(count, 8) for token, count in counts.items()}
            assert result.sums[i].tolist() == (reference.bit_sums(capped, lanes) if counts else [0] * 64 * lanes)
            assert result.totals[i] == sum(counts.values())
            statistics = [len(capped), sum(capped.values()), sum(count * count for count in capped.values())]
            assert result.statistics[i].tolist() == statistics


MARKS_IN_NFKC = "\u0301\u0327\u0344\u0f73\uff9e\u3099\u0345\u1dce\U0001d165\u0897\U00010efb\u0378"


@given(
    st.text("a e\xe9\u1100\u1161\uac00\ufb01\xbd\u309b" + MARKS_IN_NFKC, max_size=12),
    st.text(MARKS_IN_NFKC, max_size=90),
    st.text("a\u0301\u0327\u1161", max_size=5),
)
def test_nfkc_is_the_one_of_the_platform(before: str, run: str, after: str) -> None:
    text = before + run + after
    assert strings.nfkc(text) == normalize("NFKC", text)


@pytest.mark.parametrize("marks", ["\u0301\u0327", "\u0f73\u0f71", "\uff9e\u0301", "\u0344\u0327", "\u0897\U00010efb"])
def test_no_platform_has_to_sort_a_long_run_of_marks(marks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Platforms sort by insertion, in quadratic time: each mark passes those with a larger class."""
    given: list[str] = []

    def counted(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
        given.append(text)
        return normalize(form, text)

    monkeypatch.setattr(strings, "normalize", counted)
    for use in (strings.nfkc, unified, numbers_of, lambda text: differing(text, "b")):
        given.clear()
        use(f"17 \xe9{marks * 1000}")
        assert given
        for text in given:
            classes = [combining_class(mark) for character in text for mark in normalize("NFKD", character)]
            assert sum(one > two > 0 for one, two in pairwise(classes)) <= 1
