"""Relations that hold for the fingerprints of every text, and the steps of the engine `python`."""

from __future__ import annotations

import unicodedata
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import simhash_doc
from simhash_doc import NoTokenError, reference
from simhash_doc.engines.strings import fold
from simhash_doc.schemes import SchemeId
from simhash_doc.unicode_data import normalize
from tests.strategies import any_text, seam_text


def fingerprint_or_none(text: str | bytes, scheme: SchemeId = "sd64") -> simhash_doc.Fingerprint | None:
    try:
        return simhash_doc.fingerprint(text, scheme)
    except NoTokenError:
        return None


@given(any_text)
@example("a" + "\u0301" * 30)
@example("\u00e1" + "\u0301" * 30)
@example("\u01d7" + "\u0316\u0301" * 14 + "\U0001d16d" * 2)
def test_fold_is_the_reference_fold(text: str) -> None:
    assert fold(text) == reference.fold(text)


@given(any_text, st.integers(1, 5))
def test_stop_tokens_are_left_out(text: str, step: int) -> None:
    tokens = Counter(reference.tokens(text))
    stop = sorted(tokens)[::step]
    accumulator = simhash_doc.Accumulator(stop_tokens=stop)
    accumulator.update(text)
    kept = [count for token, count in tokens.items() if token not in stop]
    measured = accumulator.measure()
    assert (measured.tokens, measured.distinct_tokens) == (sum(kept), len(kept))


@given(any_text, st.sampled_from(["sd64", "sd128", "sd256", "sd512"]))
def test_fingerprint_and_buckets_are_those_of_the_reference(text: str, scheme: SchemeId) -> None:
    found = fingerprint_or_none(text, scheme)
    traced = simhash_doc.trace(text, scheme)
    if found is None:
        assert traced.fingerprint is None
        with pytest.raises(NoTokenError):
            reference.fingerprint(text, scheme)
    else:
        assert found.base32 == reference.fingerprint(text, scheme) == traced.fingerprint
        accumulator = simhash_doc.Accumulator(simhash_doc.get_scheme(scheme))
        accumulator.update(text)
        assert accumulator.buckets() == traced.buckets


@given(seam_text)
def test_normalization_form_of_the_input_does_not_matter(text: str) -> None:
    # A later platform may compose or reorder what version 15.0 does not assign.
    text = text.translate({0x378: None, 0x1E6C0: None})
    composed, decomposed = normalize("NFC", text), normalize("NFD", text)
    assert reference.fold(composed) == reference.fold(decomposed)


def stable_in_case(text: str) -> bool:
    return text.upper().casefold() == text.casefold() and text.lower().casefold() == text.casefold()


@given(seam_text.filter(stable_in_case))
def test_case_of_the_input_does_not_matter(text: str) -> None:
    upper, lower = fingerprint_or_none(text.upper()), fingerprint_or_none(text.lower())
    assert upper == lower == fingerprint_or_none(text)


@given(st.lists(st.sampled_from("abc dÉß東京ไทย"), min_size=1), st.lists(st.integers(0, 30)))
def test_zero_width_characters_do_not_matter(characters: list[str], places: list[int]) -> None:
    text = "".join(characters)
    for place in places:
        cut = place % (len(text) + 1)
        text = text[:cut] + "\u200b" + text[cut:]
    assert fingerprint_or_none(text) == fingerprint_or_none("".join(characters))


@given(st.lists(st.sampled_from(["one", "two", "Drei", "東京", "٤٢", "x_y"]), min_size=1))
def test_order_of_tokens_does_not_matter(words: list[str]) -> None:
    assert fingerprint_or_none(" ".join(words)) == fingerprint_or_none(" ".join(sorted(words)))


def test_platform_has_unicode_15_or_newer() -> None:
    assert normalize("NFD", "\u0ce0\U00011938") == "\u0ce0\U00011935\U00011930"
    # Added in 15.0; combining classes 220 and 230 are reordered only by a database that knows them.
    assert normalize("NFD", "\u0301\U00010efd") == "\U00010efd\u0301"
    assert int(unicodedata.unidata_version.split(".")[0]) >= 14
