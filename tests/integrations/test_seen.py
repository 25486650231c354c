"""Texts that were seen: the same answers as comparing each text with all that were kept."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_doc import fingerprint_many
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.integrations.columns import distance_column, narrow_column, value_column
from simhash_doc.integrations.seen import Near, SeenTexts
from simhash_doc.lookup import Corpus
from simhash_doc.lookup.errors import BadValueError
from simhash_doc.schemes import SchemeId
from simhash_doc.thresholds import LEAST_SUPPORT

WORDS = [f"{first}{second}" for first in "bdfgklmnprst" for second in ("ari", "emi", "iru", "ona", "uke")]


def documents(seed: int, count: int) -> list[str]:
    """Return texts of which many differ from another in a word or two, some short, some without a token."""
    choose = random.Random(seed)
    texts: list[str] = []
    for _ in range(count):
        if texts and choose.random() < 0.6:
            words = choose.choice(texts).split()
            for _ in range(choose.randrange(3)):
                if words:
                    words[choose.randrange(len(words))] = choose.choice(WORDS)
        else:
            words = choose.choices(WORDS, k=choose.choice([0, 2, 5, 40, 60]))
        texts.append(" ".join(words))
    return texts


def near_ones(texts: list[str], distance: int, scheme: SchemeId) -> list[Near | None]:
    """Return for each text the first that was kept before it and is near, by comparing all."""
    measured = fingerprint_many(texts, scheme)
    values = measured.measurements.values.tolist()
    found: list[Near | None] = []
    for at, text in enumerate(texts):
        first = None
        for other in [at for at, near in enumerate(found) if near is None]:
            bits = sum((a ^ b).bit_count() for a, b in zip(values[at], values[other], strict=True))
            strong = min(measured.support[at], measured.support[other]) >= LEAST_SUPPORT
            if (texts[other] == text != "") or (strong and bits <= distance):
                first = Near(str(other), bits)
                break
        found.append(first)
    return found


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**32), batch=st.integers(1, 50), scheme=st.sampled_from(["sd64", "sd256"]))
def test_same_as_comparing_all(seed: int, batch: int, scheme: SchemeId) -> None:
    texts = documents(seed, 60)
    distance = 6 if scheme == "sd64" else 26
    seen = SeenTexts(scheme, distance)
    found: list[Near | None] = []
    for start in range(0, len(texts), batch):
        found += seen.add(texts[start : start + batch], [str(at) for at in range(start, len(texts))][:batch])
    assert found == near_ones(texts, distance, scheme)


def test_an_index_of_earlier_texts_is_not_changed() -> None:
    text = " ".join(WORDS)
    old = Corpus(scheme="sd256")
    [value] = [int.from_bytes(bytes(Fingerprint.parse(form))) for form in _forms([text])]
    old.insert(value, id="old")
    seen = SeenTexts(against=old)
    assert seen.add([f"{text} {WORDS[0]}", "nothing like it"], ["a", "b"])[1] is None
    assert seen.add([text], ["c"]) == [Near("old", 0)]
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
    seen, again = SeenTexts("sd256"), SeenTexts("sd256")
    assert seen.add([first, "too short", "12 34"], ["a", "b", "c"]) == [None] * 3
    seen.save(tmp_path / "seen.npz")
    again.load(tmp_path / "seen.npz")
    texts = [edited, first, "too short", "12 34", "something else"]
    assert again.add(texts, ["d"] * 5) == seen.add(texts, ["d"] * 5)
    assert [near and near.id for near in SeenTexts("sd256").add(texts, ["d"] * 5)] != ["a", "a", "b", "c", None]
    with pytest.raises(ValueError, match="is of sd256 within 26 bits, not of sd64 within 3"):
        SeenTexts("sd64").load(tmp_path / "seen.npz")
