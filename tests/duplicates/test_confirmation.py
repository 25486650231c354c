"""The two indexes against the definition: brute force over all kept texts, with the compiled core and without."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import Policy, find_duplicates, fingerprint
from simhash_doc.duplicates import confirmation, rows
from simhash_doc.duplicates.confirmation import Conditions, by_python
from simhash_doc.duplicates.numbers import numbers_of
from simhash_doc.duplicates.packed import PackedTexts
from simhash_doc.duplicates.similarity import TextTokens
from simhash_doc.schemes import get_scheme

ENGINES = ["native", "python"]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let the compiled core confirm, or Python."""
    if request.param == "native":
        pytest.importorskip("simhash_doc_native")
    monkeypatch.setattr(confirmation, "select_name", lambda size: request.param)
    return str(request.param)


def collection(seed: int) -> list[str]:
    """Return edits of few texts, of few words and numbers: many are similar, and many agree in their numbers."""
    choose = random.Random(seed)
    vocabulary = [a + b for a in "bcdfgl" for b in "aeiou"][: choose.choice([6, 12, 30])]
    lengths = choose.choice([(1, 2, 3), (6, 12), (12, 40), (30, 60)])
    slots = choose.choice([0, 1, 3])
    bases = [
        choose.choices([*vocabulary, *["%"] * slots * len(vocabulary)], k=choose.choice(lengths))
        for _ in range(choose.choice([1, 2, 4]))
    ]
    texts = []
    for _ in range(50):
        words = choose.choice(bases).copy()
        for _ in range(choose.choice([0, 0, 1, 2, 4])):
            at, kind = choose.randrange(len(words) + 1), choose.random()
            if kind < 0.4:
                words.insert(at, choose.choice([*vocabulary, "%"]))
            elif kind < 0.8 and words:
                words[at % len(words)] = choose.choice(vocabulary)
            elif len(words) > 1:
                del words[at % len(words)]
        most = choose.choice([1, 2, 9])
        texts.append(" ".join(str(choose.randint(0, most)) if word == "%" else word for word in words))
    return texts


def has_numbers(kept: str, left: str) -> bool:
    """State condition 3 again: as often, and in the same order if there are at most 16."""
    own, other = numbers_of(left), numbers_of(kept)
    if Counter(own) - Counter(other):
        return False
    if len(own) > 16:
        return True
    places = [0]  # of the other one, after which the rest may follow
    for number in own:
        places = [at + 1 for at in range(places[0], len(other)) if other[at] == number][:1]
        if not places:
            return False
    return True


def brute_force(texts: list[str], policy: Policy, protected: list[bool]) -> list[int]:
    """Return the kept row of each row, by the definition alone."""
    values = [
        fingerprint(text, get_scheme(policy.scheme)).value if TextTokens(text).counted() else None for text in texts
    ]
    order = list(range(len(texts)))
    if policy.keep == "longest":
        counts = [len(numbers_of(text)) if policy.keeps_numbers else 0 for text in texts]
        order.sort(key=lambda at: (-counts[at], -len(texts[at].encode())))
    order.sort(key=lambda at: not protected[at])
    found, kept = list(range(len(texts))), list[int]()
    for at in order:
        equal = [other for other in kept if texts[other] == texts[at] and texts[at]]
        similar = [other for other in kept if _left_out(texts, values, at, other, policy)]
        first = (equal or similar)[:1]
        if first and not protected[at]:
            found[at] = first[0]
        else:
            kept.append(at)
    return found


def _left_out(texts: list[str], values: list[Any], at: int, other: int, policy: Policy) -> bool:
    own, kept = values[at], values[other]
    if own is None or kept is None or (own ^ kept).bit_count() > policy.bits:
        return False
    if not TextTokens(texts[at]).is_similar(TextTokens(texts[other]), policy.min_similarity):
        return False
    return not policy.keeps_numbers or has_numbers(texts[other], texts[at])


@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(12, 80))])
def test_rows_are_left_out_as_the_definition_says(seed: int, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, choose = collection(seed), random.Random(seed)
    # All are compared at once, or those that near fingerprints connect.
    monkeypatch.setattr(rows, "_COMPARISONS", (0, 10**6)[seed % 2])
    protected = [choose.random() < choose.choice([0, 0.1]) for _ in texts]
    distances = (36, 256 // 2)  # the second one leaves the decision to words and numbers
    for least, numbers, keep, distance in zip(
        (0.5, 0.7, 0.9, 0.9, 1.0), ("keep", "keep", "keep", "ignore", "keep"),
        ("longest", "first", "longest", "longest", "first"), (*distances, *distances, 36), strict=True,
    ):  # fmt: skip
        policy = Policy(min_similarity=least, numbers=numbers, keep=keep, distance=distance)  # type: ignore[arg-type]
        found = find_duplicates(texts, policy=policy, protected=protected)
        expected = brute_force(texts, policy, protected)
        assert found.representatives.tolist() == expected, (least, numbers, keep, distance)


@pytest.mark.parametrize("seed", range(5))
def test_rows_kept_for_their_numbers_are_left_out_if_numbers_are_ignored(seed: int, engine: str) -> None:
    texts = collection(1000 + seed)
    keep = Policy(keep="first", distance=128)
    found, without = (find_duplicates(texts, policy=one) for one in (keep, replace(keep, numbers="ignore")))
    assert ((found.alike >= 0) == (found.kept & ~without.kept)).all()
    assert (found.alike[found.alike >= 0] == without.representatives[found.alike >= 0]).all()


@given(st.integers(100, 10**6), st.sampled_from([0.5, 0.8, 0.9, 0.97]), st.booleans())
def test_the_compiled_core_gives_the_answers_of_python(seed: int, least: float, numbers: bool) -> None:
    pytest.importorskip("simhash_doc_native")
    texts = PackedTexts([*collection(seed), *collection(seed + 1)])
    choose = np.random.default_rng(seed)
    values = choose.integers(0, 4, (len(texts), 4), np.uint64)
    protected = choose.random(len(texts)) < 0.05
    order = choose.permutation(len(texts))
    conditions = Conditions(int(choose.integers(0, 9)), least, numbers)
    chosen = texts.some(order)
    python = by_python(chosen, values, conditions, protected)
    native = confirmation._by_core(chosen, values, conditions, protected)
    assert native.representatives.tolist() == python.representatives.tolist()
    assert native.similarities.tolist() == python.similarities.tolist()


def frame(count: int, kind: str) -> list[str]:
    """Return records of one form, of which none has the numbers or words of another one."""
    choose = random.Random(count)
    words = ["".join(choose.choices("bcdfgaeiou", k=7)) for _ in range(4000)]
    text = " ".join(words[:80])
    if kind == "invoices":
        return [f"no {one} of {one % 28 + 1} {one % 12 + 1} 2026 {text} {one * 7 % 97}" for one in range(count)]
    return [f"{text} {' '.join(choose.sample(words[100:], 25))}" for _ in range(count)]


@pytest.mark.parametrize("kind", ["invoices", "letters"])
def test_records_of_one_form_are_compared_with_few_others(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []
    similar = confirmation._first_similar

    def counted(text: int, near: Any, *rest: Any) -> Any:
        compared.append(len(near))
        return similar(text, near, *rest)

    monkeypatch.setattr(confirmation, "select_name", lambda size: "python")
    monkeypatch.setattr(confirmation, "_first_similar", counted)
    assert find_duplicates(frame(1500, kind), policy=Policy(distance=128)).kept.all()
    assert sum(compared) < 6 * 1500  # twice, the second time without numbers: then one record is left


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"least": 0.0}, "the least share is 0; expected over 0, at most 1"),
        ({"first": np.ones(1, np.uint8)}, "a token is not among 1"),
        ({"protected": np.zeros(3, np.uint8)}, "3 texts, and 2 fingerprints"),
        ({"starts": np.array([0, 9])}, "a list is outside of the integers"),
        ({"starts": np.array([0])}, "1 starts and 2 sizes of lists; expected 2"),
        ({"flat": np.array([-1, 1], np.int32)}, "an integer of a list is negative"),
    ],
)
def test_the_compiled_core_refuses_arrays_that_do_not_fit(arguments: dict[str, Any], message: str) -> None:
    core = pytest.importorskip("simhash_doc_native")
    given = {
        "flat": np.array([0, 1], np.int32), "starts": np.array([0, 1]), "first": np.ones(2, np.uint8),
        "protected": np.zeros(2, np.uint8), "least": 0.9,
    } | arguments  # fmt: skip
    lists = given["flat"], given["starts"], np.array([1, 1])
    arrays = np.zeros((2, 4), np.uint64), lists, given["first"], None, given["protected"]
    with pytest.raises(ValueError, match=message):
        core.assign_similar(*arrays, 36, given["least"])
