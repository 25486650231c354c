"""The two indexes against the definition: brute force over all kept texts, with the compiled core and without."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import Policy, find_duplicates
from simhash_doc.duplicates import confirmation, parts
from simhash_doc.duplicates.confirmation import Conditions, by_python
from simhash_doc.duplicates.packed import PackedTexts
from tests.duplicates.brute_force import brute_force, collection, frame

ENGINES = ["native", "python"]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let the compiled core confirm, or Python."""
    if request.param == "native":
        pytest.importorskip("simhash_doc_native")
    monkeypatch.setattr(confirmation, "select_name", lambda size: request.param)
    return str(request.param)


@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(12, 80))])
def test_rows_are_left_out_as_the_definition_says(seed: int, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, choose = collection(seed), random.Random(seed)
    # All are compared at once, or those that near fingerprints connect.
    monkeypatch.setattr(parts, "_COMPARISONS", (0, 10**6)[seed % 2])
    # Each part is compared for itself, or several at once.
    monkeypatch.setattr(parts, "_TOGETHER", (0, 200)[seed // 2 % 2])
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
    assert ((found.resembles >= 0) == (found.kept & ~without.kept)).all()
    assert (found.resembles[found.resembles >= 0] == without.representatives[found.resembles >= 0]).all()


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
    python = by_python(chosen, values, conditions, protected, np.zeros(len(texts), np.int64))
    native = confirmation._by_core(chosen, values, conditions, protected)
    assert native.representatives.tolist() == python.representatives.tolist()
    assert native.similarities.tolist() == python.similarities.tolist()


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


def test_the_compiled_core_reads_the_lists_of_its_texts_alone() -> None:
    core = pytest.importorskip("simhash_doc_native")
    lists = np.array([-1, 0, 0, -1], np.int32), np.array([1, 2]), np.array([1, 1])
    found = core.assign_similar(
        np.zeros((2, 4), np.uint64), lists, np.ones(1, np.uint8), None, np.zeros(2, np.uint8), 36, 0.9
    )
    assert np.frombuffer(found[0], np.int64).tolist() == [0, 0]


ABSURD = """
import resource
import numpy as np
import simhash_doc_native
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, resource.getrlimit(resource.RLIMIT_AS)[1]))
def lists(*integers):
    return np.array(integers, np.int32), np.array([0, 1]), np.array([1, 1])
first, values = np.ones(2, np.uint8), np.zeros((2, 1), np.uint64)
try:
    simhash_doc_native.assign_similar(values, lists(0, 1), first, lists(2**31 - 1, 5), np.zeros(2, np.uint8), 3, 0.9)
except MemoryError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory")
def test_numbers_that_need_too_much_memory_are_an_error_of_the_compiled_core() -> None:
    pytest.importorskip("simhash_doc_native")
    done = subprocess.run([sys.executable, "-c", ABSURD], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "not enough memory\n", "")
