"""An adapter that fails in one operation is judged in all others, and its fault is the first finding."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest

from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.commands.run import _in_order_of_running
from simhash_doc_conformance.diagnosis.findings import conclude, explain
from simhash_doc_conformance.errors import PeerError
from simhash_doc_conformance.full import fuzz
from simhash_doc_conformance.mutants import mutants
from simhash_doc_conformance.protocol import Answer
from simhash_doc_conformance.reports.report import failures
from simhash_doc_conformance.running.judge import Verdict
from simhash_doc_conformance.running.runner import LATE, LATE_IN_ALL, UNANSWERED, run
from simhash_doc_conformance.running.session import Session
from simhash_doc_conformance.vectors.cases import Case
from tests.conformance.package import CASES, InProcess

OPERATIONS = (
    "fingerprint", "encode", "decode", "distance", "narrow", "fold", "tokens", "hash_tokens", "buckets", "query",
    "find_all", "update", "trace",
)  # fmt: skip
Fault = Callable[[Any], Any]


def members(change: Fault) -> Fault:
    """Return a change of each member of an object, or of each item of an array, down to the values."""

    def changed(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: changed(member) for name, member in value.items()}
        return [changed(item) for item in value] if isinstance(value, list) else change(value)

    return changed


def unboxed(value: Any) -> Any:
    """Return a value with its arrays of length 1 replaced by their items, as libraries for JSON of R do."""
    if isinstance(value, dict):
        return {name: unboxed(member) for name, member in value.items()}
    items = [unboxed(item) for item in value] if isinstance(value, list) else value
    return items[0] if isinstance(value, list) and len(items) == 1 else items


def refuse(kind: Any) -> Fault:
    def refused(value: Any) -> Any:
        raise PeerError(kind, "as the test says")

    return refused


FAULTS: dict[str, Fault] = {
    "crash": refuse("crash"),
    "sleep": refuse("timeout"),
    "boxed": lambda value: [value],
    "boxed values": members(lambda value: [value]),
    "unboxed": unboxed,
    "numbers as strings": members(lambda value: value if isinstance(value, str) else str(value)),
    "strings as numbers": members(lambda value: 5 if isinstance(value, str) else value),
    "few digits": members(lambda value: round(value, 4) if isinstance(value, float) else value),
    "fractions": members(lambda value: value + 0.25 if type(value) is int else value),
    "null": lambda value: None,
    "null values": members(lambda value: None),
    "a Boolean": lambda value: True,
    "an object": lambda value: {},
    "an empty array": lambda value: [] if not isinstance(value, list) else {},
}


@cache
def some(many: str = "") -> tuple[Case, ...]:
    """Return a few short cases of each operation, and of one operation more than are needed to give it up."""
    short = [case for case in CASES if case.op in OPERATIONS and len(str(case.members)) < 500 and not case.same]
    of_each = [[case for case in short if case.op == op] for op in OPERATIONS]
    chosen = [of[:: -(-len(of) // (30 if of[0].op == many else 5))] for of in of_each]
    return tuple(_in_order_of_running([case for of in chosen for case in of], quick=True))


def diagnosed(
    op: str, fault: Fault, implementation: Implementation | None = None, cases: tuple[Case, ...] = ()
) -> tuple[tuple[Verdict, ...], list[str]]:
    """Run the cases against an implementation whose adapter has a fault in one operation."""

    def change(request: Mapping[str, Any], answer: Answer) -> Answer:
        hit = request["op"] == op and ("result" in answer or fault in (FAULTS["crash"], FAULTS["sleep"]))
        return {**answer, "result": fault(answer.get("result"))} if hit else answer

    target = InProcess(implementation or Implementation(), change, operations=list(OPERATIONS))
    return conclude(run(cases or some(), target, suite="", diagnose=explain).verdicts)


@pytest.mark.parametrize(
    "op", [pytest.param(op, marks=[] if op in ("tokens", "distance") else pytest.mark.slow) for op in OPERATIONS]
)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_one_operation_leaves_the_judgement_of_all_others(op: str, fault: str) -> None:
    verdicts, lines = diagnosed(op, FAULTS[fault])
    others = [verdict for verdict in verdicts if verdict.case.op != op]
    assert {verdict.status for verdict in others} == {"passed"}
    bad = [verdict for verdict in verdicts if verdict.bad]
    assert bool(bad) == bool(lines)
    if bad:
        assert [line.partition(":")[0] for line in lines] == ["The adapter"] * len(lines)
        rows = [{"op": op, "status": v.status, "step": v.step, "requirements": v.requirements} for v in bad]
        steps = failures(rows)
        assert (steps[0]["step"], steps[0]["requirements"]) == ("the adapter", [])
        assert {row["step"] for row in steps} <= {"the adapter", "not run"}


@pytest.mark.parametrize("op", ["tokens", "hash_tokens", "fold", "distance"])
@pytest.mark.parametrize("fault", ["crash", "sleep", "boxed", "null"])
def test_a_bug_keeps_its_name_beside_a_fault_of_the_adapter(op: str, fault: str) -> None:
    _, (first, *others) = diagnosed(op, FAULTS[fault], mutants()["cap-seven"].implementation())
    assert first.startswith("The adapter: ")
    assert any(line.startswith("Likely bug: ") and "[cap-seven]" in line for line in others), others


@pytest.mark.parametrize(("fault", "most"), [("crash", UNANSWERED), ("sleep", LATE)])
def test_an_operation_that_never_answers_is_left_and_can_be_skipped(fault: str, most: int) -> None:
    verdicts, (line,) = diagnosed("distance", FAULTS[fault], cases=some("distance"))
    not_run = [verdict.reason for verdict in verdicts if verdict.status == "not-run"]
    assert not_run
    assert {reason.rpartition("; ")[2] for reason in not_run} == {"leave the operation out with --skip op:distance"}
    begin = f"The adapter: {most} cases have no answer, {'crash' if fault == 'crash' else 'timeout'} (distance {most})"
    assert line.startswith(f"{begin}, and {len(not_run)} not run; begin with ")
    assert line.endswith("as the test says; leave out what it cannot do yet with --skip op:distance")


@pytest.mark.parametrize("kind", ["crash", "timeout", "garbage"])
def test_an_adapter_without_any_answer_is_not_told_to_skip_operations(kind: Any) -> None:
    def change(request: Mapping[str, Any], answer: Answer) -> Answer:
        return answer if request["op"] == "hello" else refuse(kind)(answer)

    cases = some("distance")
    verdicts = run(cases, InProcess(change=change, operations=list(OPERATIONS)), suite="").verdicts
    _, (line,) = conclude(verdicts)
    silent = sum(verdict.status == "broken" for verdict in verdicts)
    assert f"{silent} cases have no answer" in line
    assert f"and {len(cases) - silent} not run; begin with " in line
    assert line.endswith("; write only answers to standard output, and flush it after each (PROTOCOL.md, framing)")


def test_an_operation_that_is_late_now_and_then_is_left_after_a_while() -> None:
    """Every second request in time would let a run of a thousand cases wait for hours."""
    asked = 0

    def change(request: Mapping[str, Any], answer: Answer) -> Answer:
        nonlocal asked
        asked += request["op"] == "distance"
        return FAULTS["sleep"](answer) if request["op"] == "distance" and asked % 2 else answer

    cases = [case for case in CASES if case.op in ("distance", "narrow")][:200]
    verdicts = run(cases, InProcess(change=change), suite="").verdicts
    assert sum(verdict.kind == "timeout" for verdict in verdicts) == LATE_IN_ALL
    left = {verdict.reason for verdict in verdicts if verdict.status == "not-run"}
    why = f"stopped after {LATE_IN_ALL} cases of distance without an answer in time; the last: as the test says"
    assert left == {f"{why}; leave the operation out with --skip op:distance"}
    assert all(verdict.status != "not-run" for verdict in verdicts if verdict.case.op == "narrow")


@pytest.mark.parametrize(("kind", "most"), [("timeout", 10), ("crash", 110)])
def test_a_request_without_an_answer_is_made_smaller_in_bounded_time(kind: Any, most: int) -> None:
    failures = 0

    def change(request: Mapping[str, Any], answer: Answer) -> Answer:
        nonlocal failures
        if request["op"] != "tokens":
            return answer
        failures += 1
        raise PeerError(kind, "as the test says")

    with Session(InProcess(Implementation(), change), 10, "") as session:
        verdict = fuzz(session, "tokens", examples=100, seed=1)
    assert (verdict.status, verdict.kind) == ("broken", kind)
    assert failures <= most
