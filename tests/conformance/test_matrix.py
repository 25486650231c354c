"""The matrix: every two implementations agree, or the smallest request at which they differ is shown."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from simhash_doc_conformance.adapters.adapter import Adapter
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.commands import compare as compare_commands
from simhash_doc_conformance.errors import PeerError
from simhash_doc_conformance.mutants import mutants
from simhash_doc_conformance.protocol import Answer
from simhash_doc_conformance.reports import matrix as matrix_module
from simhash_doc_conformance.reports.matrix import (
    MOST_FAILURES,
    Matrix,
    Participant,
    agreement,
    matrix_json,
    matrix_lines,
    run_matrix,
)
from simhash_doc_conformance.running.session import CommandTarget
from simhash_doc_conformance.vectors.cases import Case, Suite, load_suite, same_result
from tests import commands
from tests.conformance.package import InProcess
from tests.conformance.small import schema

ADAPTER = [*commands.COMMAND, "conformance", "adapter"]


def matrix(documents: int = 2, cases: tuple[Case, ...] = (), last: int = 0x7F, **targets: Any) -> Matrix:
    participants = [Participant(name, target, 10, "1") for name, target in targets.items()]
    suite = Suite("1", 1, "0" * 64, "0" * 64, cases)
    made = run_matrix(participants, suite, documents, lambda what, done, total: None, last=last)
    schema("matrix").validate(json.loads(matrix_json(made)))
    return made


def good() -> InProcess:
    """Return a correct implementation, without the operation that vectors alone compare."""
    implementation = Implementation()
    implementation.undeclared |= {"update"}
    return InProcess(implementation)


def only(*operations: str) -> InProcess:
    return InProcess(Implementation(), operations=list(operations))


def verdicts(made: Matrix) -> dict[str, str]:
    return {"-".join(pair["names"]): pair["verdict"] for pair in made["pairs"]}


def test_correct_implementations_agree_on_every_operation() -> None:
    made = matrix(a=good(), b=good())
    assert (made["ok"], verdicts(made), made["differences"]) == (True, {"a-b": "equal"}, [])
    compared = made["pairs"][0]["operations"]
    assert set(compared) == set(good().handshake.operations) - {"extract"}
    assert all(count["equal"] >= 1 for count in compared.values())
    assert "2 implementations agree" in list(matrix_lines(made))[-1]


def test_a_wrong_implementation_is_separated_by_the_smallest_request() -> None:
    operations = ["fold", "tokens", "decode"]
    wrong = InProcess(mutants()["fold-without-case"].implementation(), operations=operations)
    made = matrix(a=good(), b=good(), wrong=wrong)
    assert not made["ok"]
    assert verdicts(made) == {"a-b": "equal", "a-wrong": "different", "b-wrong": "different"}
    fold = next(found for found in made["differences"] if found["op"] == "fold")
    assert (fold["right"], list(fold["answers"])) == (["a", "b"], ["a", "b", "wrong"])
    assert "scalar values" in fold["found"]
    assert fold["vector"]["input"]["recipe"]["scalars"] == [0x41, 0x41]
    # One difference per operation separates both correct ones from the wrong one.
    assert len({found["op"] for found in made["differences"]}) == len(made["differences"])
    text = "\n".join(matrix_lines(made))
    assert "wrong (wrong): " in text
    assert "as a test case: " in text


@pytest.mark.slow
def test_a_difference_in_documents_is_shrunk() -> None:
    wrong = InProcess(steps=mutants()["mail-kept"].implementation())
    (tokens,) = matrix(100, last=0, a=only("tokens"), wrong=wrong)["differences"]
    assert tokens["found"].startswith("generated request ")
    assert len(tokens["request"]) < 40
    request = {"op": "tokens", **tokens["vector"]["input"]}
    assert tokens["vector"]["expected"] == {"result": Adapter(Implementation()).answer(request)["result"]}


def test_vectors_are_compared_too() -> None:
    cases = tuple(case for case in load_suite().cases if case.id.startswith("cap/"))
    wrong = InProcess(steps=mutants()["cap-nine"].implementation())
    made = matrix(1, cases, last=0, a=only("fingerprint"), wrong=wrong)
    assert any(found["found"] == "vector cap/nine" for found in made["differences"])


def test_failures_never_count_as_equal() -> None:
    def crash(request: Mapping[str, Any], answer: Answer) -> Answer:
        if request["op"] == "tokens":
            raise PeerError("crash", "exited with status 1 before it answered")
        return answer

    broken = InProcess(Implementation(), crash)
    made = matrix(a=good(), broken=broken, twin=InProcess(Implementation(), crash))
    assert not made["ok"]
    assert verdicts(made) == {"a-broken": "different", "a-twin": "different", "broken-twin": "different"}
    failed = [failure["name"] for failure in made["failures"]]
    assert failed == ["broken"] * MOST_FAILURES + ["twin"] * MOST_FAILURES
    assert "crash: exited with status 1 before it answered (scalar values U+0000" in made["failures"][0]["reason"]


def test_unsupported_never_counts_as_equal() -> None:
    def refuse(request: Mapping[str, Any], answer: Answer) -> Answer:
        return answer if request["op"] == "hello" else {"id": answer["id"], "unsupported": True}

    a, b = (InProcess(Implementation(), refuse, operations=["fold", "decode"]) for _ in range(2))
    made = matrix(a=a, b=b)
    assert (made["ok"], verdicts(made), made["pairs"][0]["equal"]) == (False, {"a-b": "different"}, 0)


def test_what_only_one_declares_is_not_compared() -> None:
    made = matrix(a=good(), forms=only("encode", "decode"), folds=only("fold"))
    assert verdicts(made) == {"a-forms": "equal", "a-folds": "equal", "forms-folds": "not compared"}
    assert not made["ok"]
    assert any("forms, folds: not compared: no operation is declared by both" in line for line in matrix_lines(made))


def test_nothing_compared_is_not_success() -> None:
    for targets in ({}, {"a": good()}, {"a": good(), "missing": CommandTarget(["no-such-adapter"])}):
        made = matrix(**targets)
        assert (made["ok"], "Nothing was compared" in list(matrix_lines(made))[-1]) == (False, True)
    assert [failure["name"] for failure in made["failures"]] == ["missing"]


@pytest.mark.parametrize(
    ("request_", "a", "b", "expected"),
    [
        ({"op": "tokens", "text": ""}, {"result": ["b", "a"]}, {"result": ["a", "b"]}, True),
        ({"op": "tokens", "text": ""}, {"result": [1, "a"]}, {"result": ["a", "b"]}, False),
        ({"op": "query"}, {"result": [["b", "a"]]}, {"result": [["a", "b"]]}, True),
        ({"op": "find_all"}, {"result": [["a", "b"], ["c", "a"]]}, {"result": [["a", "c"], ["b", "a"]]}, True),
        ({"op": "find_all"}, {"result": [["a", "b"]]}, {"result": 3}, False),
        ({"op": "distance"}, {"result": {"distance": 1, "note": 2}}, {"result": {"distance": 1.0}}, True),
        ({"op": "distance"}, {"result": {}}, {"result": {"distance": 1, "similarity": 1}}, False),
        ({"op": "distance"}, {"result": {"distance": 1, "similarity": 1}}, {"result": {}}, False),
        ({"op": "decode"}, {"result": {"canonical": True}}, {"result": {"canonical": 1}}, False),
        ({"op": "buckets"}, {"result": [1, 2]}, {"result": [True, 2]}, False),
        ({"op": "buckets"}, {"result": [1, 2]}, {"result": [1, 2, 3]}, False),
        ({"op": "fold"}, {"result": "a"}, {"result": ["a"]}, False),
        ({"op": "decode"}, {"error": "padding"}, {"error": "padding"}, True),
        ({"op": "decode"}, {"error": "padding"}, {"error": "bad-length"}, False),
        ({"op": "fold", "bytes": "61"}, {"unsupported": True}, {"result": "a"}, None),
        ({"op": "fold", "recipe": {"utf8": "a"}}, {"unsupported": True}, {"result": "a"}, None),
        ({"op": "fold", "text": "a"}, {"unsupported": True}, {"unsupported": True}, False),
        ({"op": "fold", "text": "a"}, {"error": "over-limit"}, {"result": "a"}, False),
    ],
)
def test_answers_are_compared_as_the_protocol_defines(
    request_: dict[str, Any], a: Answer, b: Answer, expected: bool | None
) -> None:
    assert agreement(request_, a, b) is expected


def test_a_deeply_nested_answer_agrees_with_nothing() -> None:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    answer = {"result": nested}
    agree = agreement({"op": "buckets", "text": "a"}, answer, answer)
    assert (agree, same_result("buckets", nested, nested)) == (False, False)


def test_documents_over_a_limit_are_not_compared() -> None:
    request = {"op": "fold", "text": "a"}
    refused, folded = {"error": "over-limit"}, {"result": "a"}
    assert (agreement(request, refused, folded, huge=True), agreement(request, refused, folded)) == (None, False)


def run(*arguments: str) -> tuple[int, str, str]:
    done = commands.run("conformance", "matrix", *arguments)
    return done.returncode, done.stdout, done.stderr


def test_usage_errors_name_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments, message in [
        (["--adapter", "a"], "expected NAME=COMMAND"),
        (["--adapter", "a=/no/such/command"], "/no/such/command is not installed"),
        (["perl"], "'perl' is not one of"),
        (["--adapter", "js=true", "js"], "the register has an implementation with this name"),
    ]:
        status, _, errors = run(*arguments)
        assert (status, message in errors) == (2, True), errors
    monkeypatch.chdir(tmp_path)
    status, _, errors = run()
    assert (status, "implementations.json: No such file" in errors) == (2, True), errors


def test_adapters_that_do_not_start_are_failures() -> None:
    crash = f"{sys.executable} -c 'raise SystemExit(3)'"
    status, output, _ = run("--adapter", f"a={crash}", "--adapter", f"b={crash}", "--documents", "1")
    assert (status, "Nothing was compared" in output, "a failed: crash" in output) == (1, True, True)


@pytest.mark.slow
def test_the_command_compares_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [case for case in load_suite().cases if case.op != "extract" and "large" not in case.flags]
    small = cases[::40] + [case for case in cases if case.op == "update"][:1]  # no request of it is generated
    monkeypatch.setattr(compare_commands, "read_suite", lambda _: replace(load_suite(), cases=tuple(small)))
    monkeypatch.setattr(matrix_module, "run_matrix", partial(run_matrix, last=0xFFF))
    engines = [f"--adapter={name}={' '.join(ADAPTER)} --engine {name}" for name in ("numpy", "python")]
    mutant = f"--adapter=wrong={' '.join(ADAPTER)} --mutant cap-seven"
    report = tmp_path / "matrix.json"
    status, output, _ = run(*engines, "--documents", "10", "--timeout", "120", "--report", str(report))
    assert (status, "2 implementations agree" in output) == (0, True), output
    assert json.loads(report.read_text(encoding="utf-8"))["ok"]
    status, output, _ = run(engines[0], mutant, "--documents", "10", "--timeout", "120")
    assert (status, "wrong (wrong): " in output) == (1, True), output
