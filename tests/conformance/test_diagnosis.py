"""The diagnosis names the mistake behind all wrong answers together, and nothing that a case rules out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

from simhash_doc.conformance.adapter import Adapter
from simhash_doc.conformance.cases import Case, load_cases
from simhash_doc.conformance.diagnosis import Diagnosis, Observations, Ranking, explain
from simhash_doc.conformance.formatting import difference
from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.judge import Finding, Verdict
from simhash_doc.conformance.mutants import mutants
from simhash_doc.conformance.mutants.analysis import digest, mutant_answer
from tests.conformance.small import case_of, row


@cache
def cases() -> dict[str, Case]:
    return {case.id: case for case in load_cases()}


@cache
def large() -> set[str]:
    return {case_id for case_id, case in cases().items() if "large" in case.flags}


@cache
def predicted() -> dict[str, dict[str, str]]:
    return Observations({}, set(), large()).predicted


def killed() -> list[str]:
    return [name for name, answers in predicted().items() if answers]


def right_of(name: str) -> set[str]:
    """Return the cases that a mutant answers correctly. Of some large cases this is not published."""
    tested = {case_id for case_id in large() if mutants()[name].requirement in cases()[case_id].requirements}
    return cases().keys() - predicted()[name].keys() - (large() - tested)


def rank(wrong: dict[str, str], right: set[str]) -> Ranking | None:
    return Observations(wrong, right, large()).rank()


@pytest.mark.slow
def test_a_complete_run_of_each_mutant_names_it_alone() -> None:
    named = {name: rank(predicted()[name], right_of(name)) for name in killed()}
    assert {name: ranking and (ranking.title, ranking.names) for name, ranking in named.items()} == {
        name: ("Likely bug", (name,)) for name in killed()
    }


@pytest.mark.slow
def test_a_mistake_that_no_mutant_has_gets_no_wrong_name() -> None:
    """One mutant in three is removed from the catalogue, one at a time. At most its parts are named."""
    removed = killed()[::3]
    named = {}
    for name in removed:
        observations = Observations(predicted()[name], right_of(name), large())
        del observations.predicted[name]
        if (ranking := observations.rank()) is not None:
            named[name] = ranking.names
    assert len(named) <= len(removed) // 50, named


def test_two_mistakes_are_both_named() -> None:
    one, other = "cap-seven", "decode-takes-spare-bits"
    assert not predicted()[one].keys() & predicted()[other].keys()
    ranking = rank(predicted()[one] | predicted()[other], right_of(one) & right_of(other))
    assert ranking is not None
    assert set(ranking.names) == {one, other}


def test_one_passed_case_rules_a_mistake_out() -> None:
    answers = dict(predicted()["cap-seven"])
    passed = next(iter(answers))
    del answers[passed]
    ranking = rank(answers, right_of("cap-seven") | {passed})
    assert ranking is None or "cap-seven" not in ranking.names


def test_one_other_wrong_answer_rules_a_mistake_out() -> None:
    answers = predicted()["cap-seven"] | {next(iter(predicted()["cap-seven"])): digest("buckets", {"result": []})}
    ranking = rank(answers, right_of("cap-seven"))
    assert ranking is None or "cap-seven" not in ranking.names


def run_mutant(name: str, most: int) -> tuple[Diagnosis, tuple[Verdict, ...]]:
    """Return the diagnosis of some wrong answers of a mutant, and the verdicts."""
    diagnosis, verdicts = Diagnosis(), []
    for case_id in [case_id for case_id in predicted()[name] if case_id not in large()][:most]:
        answer = mutant_answer(mutants()[name], {"id": 0, "op": cases()[case_id].op, **cases()[case_id].members})
        lines = diagnosis(cases()[case_id], answer, lambda request: {"unsupported": True})
        verdicts.append(Verdict(cases()[case_id], "failed", expected="a", diagnosis=lines))
    verdicts += [Verdict(cases()[case_id], "passed") for case_id in right_of(name)]
    return diagnosis, diagnosis.conclude(verdicts)


def test_each_failed_case_names_only_mistakes_that_no_other_case_rules_out() -> None:
    diagnosis, verdicts = run_mutant("cap-seven", 4)
    failed = [verdict for verdict in verdicts if verdict.status == "failed"]
    assert [verdict.diagnosis[0] for verdict in failed] == [
        "Likely bug: counts a token at most 7 times [cap-seven]"
    ] * len(failed)
    (line,) = diagnosis.summary()
    assert line.startswith("Likely bug: counts a token at most 7 times [cap-seven]; explains all 4 comparable")


def test_an_answer_to_a_generated_request_rules_a_mistake_out() -> None:
    case = case_of(row("found", "", op="buckets", input={"text": "a b a", "scheme": "sd64"}))
    diagnosis, verdicts = run_mutant("cap-seven", 2)
    diagnosis.conclude(verdicts, [Finding(case, {"result": [0] * 64})])
    assert diagnosis.summary() == []


def test_nothing_is_reported_where_the_steps_agree() -> None:
    adapter = Adapter(mutants()["fold-without-case"].implementation())
    assert explain(cases()["cap/nine"], cases()["cap/nine"].expected, adapter.answer) == ([], "fingerprint")


def test_the_first_step_that_differs_is_shown_with_position_and_code_points() -> None:
    adapter = Adapter(mutants()["fold-without-case"].implementation())
    members = {"text": "caf\u00c9", "scheme": "sd64"}
    case = case_of(row("x", "", op="fingerprint", input=members, expected={"result": "sd64:aaaaaaaaaaaaa"}))
    lines, step = explain(case, adapter.answer({"op": "fingerprint", **members}), adapter.answer)
    assert step == "folded"
    assert lines[0].startswith("first step that differs: the folded text; see SD-FOLD-1")
    assert lines[-1] == "  at position 3: expected U+00E9, given U+00C9"


def test_an_error_of_a_step_is_its_difference() -> None:
    right = Adapter(Implementation())

    def ask(request: Mapping[str, Any]) -> Mapping[str, Any]:
        fails = request["op"] in ("trace", "tokens", "fingerprint")
        return {"error": "Type\x1bError"} if fails else right.answer(request)

    lines, step = explain(cases()["cap/nine"], {"error": "TypeError"}, ask)
    assert step == "tokens"
    assert lines == [
        "first step that differs: the tokens; see SD-RUN-1 (specification, section 6)",
        r"  given    error: Type\u001bError",
    ]


def test_an_operation_without_steps_is_named_with_the_requirements_of_the_case() -> None:
    case = cases()["decode/name-55"]
    lines, step = explain(case, {"result": {}}, lambda request: {"unsupported": True})
    assert step == "decode"
    assert lines[0].startswith(f"first step that differs: reading the text form; see {case.requirements[0]} (")


@pytest.mark.parametrize(
    ("op", "expected", "given", "shown"),
    [
        ("fold", "ab", "a", ["  at position 1: expected U+0062, given the end"]),
        ("tokens", ["a", "b", "b"], ["b", "a", "\u00e9"], ['  missing: "b"', '  extra: "\u00e9" (U+00E9)']),
        ("buckets", [1, 2, 3], [1, 5, 4], ["  bit 1 of lane 0: expected 2, given 5; 2 of 3 buckets differ"]),
        ("buckets", [1, 2], [1], ["  expected 2 buckets, given 1"]),
        ("query", [["a"], ["b"]], [["a"], []], ["  query 2", '  missing: "b"']),
        ("find_all", [["a", "b"]], [["b", "c"]], ['  missing: "["a", "b"]"', '  extra: "["b", "c"]"']),
        ("distance", {"distance": 1}, {"distance": 2}, ["  distance: expected 1, given 2"]),
        ("buckets", [1, 2, 3], [1, 5, 3], ["  bit 1 of lane 0: expected 2, given 5; 1 of 3 buckets differs"]),
        ("fingerprint", "sd64:aaaaaaaaaaaaa", "sd64:aaaaaaaaaaaac", ["  1 of 64 bits differs"]),
        ("fingerprint", "sd64:aaaaaaaaaaaaa", "sd64:aaaaaaaaaaaag", ["  2 of 64 bits differ"]),
        ("fingerprint", "sd64:a", "sd64:b", ["  at position 5: expected U+0061, given U+0062"]),
        ("tokens", ["a"], "a", []),
    ],
)  # fmt: skip
def test_differences_are_made_visible(op: str, expected: object, given: object, shown: list[str]) -> None:
    assert [line.replace("\\", "") for line in difference(op, expected, given)] == shown
