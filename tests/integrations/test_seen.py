"""Texts that were seen: the same answers as comparing each text with all that were kept."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import Policy, find_duplicates
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.integrations.columns import distance_column, narrow_column, value_column
from simhash_doc.integrations.seen import Near, SeenTexts
from simhash_doc.lookup import Corpus
from simhash_doc.lookup.errors import BadValueError
from simhash_doc.schemes import SchemeId
from tests.duplicates.brute_force import brute_force, collection, frame

WORDS = [f"{first}{second}" for first in "bdfgklmnprst" for second in ("ari", "emi", "iru", "ona", "uke")]


@given(
    seed=st.integers(0, 10**6), batch=st.integers(1, 60), least=st.sampled_from([0.5, 0.7, 0.9]),
    numbers=st.sampled_from(["keep", "ignore"]), scheme=st.sampled_from(["sd64", "sd256"]), few=st.sampled_from([0, 5]),
)  # fmt: skip
def test_a_stream_is_decided_as_the_definition_says(
    seed: int, batch: int, least: float, numbers: Literal["keep", "ignore"], scheme: SchemeId, few: int
) -> None:
    texts = [*collection(seed), *collection(seed + 1), "12 34", "12 34"]
    random.Random(seed).shuffle(texts)
    policy = Policy(scheme, min_similarity=least, numbers=numbers, keep="first", min_tokens=few)
    ids = [str(at) for at in range(len(texts))]
    seen, found = SeenTexts(policy), list[Near | None]()
    for start in range(0, len(texts), batch):
        found += seen.add(texts[start : start + batch], ids[start : start + batch])
    representatives = [at if near is None else int(near.id or -1) for at, near in enumerate(found)]
    assert representatives == find_duplicates(texts, policy=policy).representatives.tolist()
    if not few:
        assert representatives == brute_force(texts, policy, [False] * len(texts))


def test_no_number_of_a_stream_is_lost() -> None:
    texts = frame(300, "invoices")
    assert SeenTexts().add(texts, texts) == [None] * 300
    assert sum(near is not None for near in SeenTexts(Policy(numbers="ignore")).add(texts, texts)) == 299


@pytest.mark.parametrize(
    "policy", [Policy(keep="oldest"), Policy(keep="newest"), Policy(keep="column:date"), Policy(protected=("old",))]
)
def test_a_stream_cannot_prefer_what_comes_later(policy: Policy) -> None:
    with pytest.raises(ValueError, match="a stream keeps what comes first"):
        SeenTexts(policy)


def test_texts_near_an_index_are_candidates_and_it_is_not_changed() -> None:
    text = " ".join(WORDS)
    old = Corpus(scheme="sd256")
    [value] = [int.from_bytes(bytes(Fingerprint.parse(form))) for form in _forms([text])]
    old.insert(value, id="old")
    seen = SeenTexts(against=old)
    [near, other] = seen.add([f"{text} {WORDS[0]}", "nothing like it"], ["a", "b"])
    assert (near and (near.id, near.candidate), other) == (("old", True), None)
    assert seen.add([text, f"{text} 7"], ["c", "d"]) == [Near("a", near.distance if near else -1), Near("old", 0, True)]
    assert (len(old), old.id_count) == (1, 1)


def _forms(texts: list[str]) -> list[str]:
    from simhash_doc.integrations.columns import fingerprint_column

    return [str(form) for form in fingerprint_column(texts, "sd256").to_pylist()]


def test_columns_keep_nulls_and_refuse_what_is_no_fingerprint() -> None:
    forms = [*_forms(["one two", "two three"]), None]
    assert distance_column(forms, forms[:1]).to_pylist()[::2] == [0, None]
    assert value_column(narrow_column(forms, "sd64")).to_pylist() == value_column(forms).to_pylist()
    with pytest.raises(BadValueError):
        value_column(["sd64:larqgiqsckcca", "no fingerprint"])


def test_what_was_seen_survives_a_pause(tmp_path: Path) -> None:
    words = "the old lamp was moved inland because every winter the sea took part of the cliff and its road".split()
    first, edited = " ".join(words), " ".join([*words, "indeed"])
    seen, again = SeenTexts(), SeenTexts()
    kept = [first, "too short", "12 34", f"{first} 7", "\u0441\u043b\u043e\u0432\u043e \u0441\u043b\u043e\u0432\u043e"]
    assert seen.add(kept, [*"abcef"]) == [None] * 5
    seen.save(tmp_path / "seen.npz")
    again.load(tmp_path / "seen.npz")
    texts = [edited, *kept[:3], "something else", f"{edited} 7", f"{first} 8", f"{kept[4]}!"]
    found = again.add(texts, ["d"] * len(texts))
    assert found == seen.add(texts, ["d"] * len(texts))
    assert [near and near.id for near in found] == ["a", "a", "b", "c", None, "e", None, "f"]
    with pytest.raises(ValueError, match=r"is of the policy .*'sd256'.*, not of .*'sd64'"):
        SeenTexts(Policy("sd64")).load(tmp_path / "seen.npz")
