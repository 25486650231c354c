"""Functions and files of answers as implementations."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from simhash_doc_conformance.errors import CannotStartError, InputError
from simhash_doc_conformance.running.runner import Bounds, Outcome, run
from simhash_doc_conformance.running.session import AnswersTarget, python_target
from tests.conformance.small import case_of, cases, row, statuses

MODULE = """
import os, sys, time

def protocol(request):
    print("this must not get between the answers")
    if request["op"] == "hello":
        names = {"name": "x", "version": "x", "language": "x", "unicode": "15.0"}
        return {"protocol": 1, **names, "operations": ["fold"], "schemes": ["sd64"], "features": []}
    if request["text"] == "bad":
        os._exit(9)
    return {"id": request["id"], "result": request["text"][::-1]}

def bare(text):
    if text == "hang":
        time.sleep(60)
    if text == "none":
        raise ValueError("no words")
    return "aaaaaaaaaaaaa"

def without_tokens(text):
    if text == "2":
        error = ValueError("no token")
        error.code = "no-token"
        raise error

def wide(text, scheme="sd64"):
    return f"{scheme}:{text}"

number = 7
"""


def fingerprint_case(name: str, text: str, expected: dict[str, Any], scheme: str = "sd64") -> Any:
    members = {"text": text, "scheme": scheme}
    return case_of(row(name, text, op="fingerprint", input=members, expected=expected))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "their_module.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("here")
def test_a_function_of_a_request_implements_the_protocol_and_its_exceptions_are_shown() -> None:
    outcome = run(cases(), python_target("their_module:protocol"), suite="0.1.0")
    assert statuses(outcome) == {"bad": "broken:crash"}
    made = [fingerprint_case("none", "none", {"error": "no-token"})]
    (verdict,) = run(made, python_target("their_module:bare"), suite="").verdicts
    assert (verdict.status, verdict.kind) == ("broken", "crash")
    assert 'their_module.py", line 17' in verdict.stderr
    assert verdict.stderr.endswith("ValueError: no words\n")


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_a_function_of_a_text_returns_fingerprints_of_sd64() -> None:
    made = [
        fingerprint_case("right", "x", {"result": "sd64:aaaaaaaaaaaaa"}),
        fingerprint_case("none", "none", {"error": "no-token"}),
        fingerprint_case("hang", "hang", {"error": "no-token"}),
        fingerprint_case("wide", "x", {"error": "no-token"}, "sd128"),
        case_of(row("encode", "", op="encode", input={"hex": "00", "scheme": "sd64", "canonical": True})),
    ]
    outcome = run(made, python_target("their_module:bare"), suite="0.1.0", bounds=Bounds(timeout=3))
    expected = {"none": "broken:crash", "hang": "broken:timeout", "wide": "unsupported", "encode": "failed"}
    assert statuses(outcome) == expected
    assert outcome.verdicts[4].reason == "unsupported, but required: operation encode is not declared"


@pytest.mark.usefixtures("here")
def test_a_function_of_a_text_is_asked_for_other_schemes_only_if_it_takes_them() -> None:
    made = [
        *(fingerprint_case(f"no-token-{text}", text, {"error": "no-token"}) for text in ("1", "2")),
        *(fingerprint_case(f"named-{name}", "1", {"error": "unknown-scheme"}, name) for name in ("sd32", "SD64", "")),
    ]
    assert run(made, python_target("their_module:without_tokens"), suite="").ok
    wide = fingerprint_case("wide", "x", {"result": "sd128:x"}, "sd128")
    assert run([wide], python_target("their_module:wide"), suite="0.1.0").ok


def test_the_function_of_the_package_passes() -> None:
    made = [
        fingerprint_case("fox", "The quick brown fox", {"result": "sd64:larqgiqsckcca"}),
        fingerprint_case("digits", "12 34", {"error": "no-token"}),
    ]
    assert run(made, python_target("simhash_doc:fingerprint"), suite="0.1.0").ok


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("their_module", "'their_module' does not have the form MODULE:FUNCTION"),
        pytest.param("no_module:f", "no_module:f: No module named 'no_module'", marks=pytest.mark.slow),
        pytest.param(
            "their_module:no_function",
            "their_module:no_function: module 'their_module' has no attribute 'no_function'",
            marks=pytest.mark.slow,
        ),
        ("their_module:number", "their_module:number is not a function but a int"),
    ],
)
def test_a_function_that_does_not_exist_is_a_usage_error(function: str, message: str) -> None:
    with pytest.raises(CannotStartError, match=re.escape(message)):
        run(cases(), python_target(function), suite="0.1.0")


def run_answers(tmp_path: Path, *lines: Any) -> Outcome:
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines))
    return run(cases(), AnswersTarget(path, cases()), suite="0.1.0")


def right_answers() -> list[dict[str, Any]]:
    return [{"case": case.id, "result": case.members["text"][::-1]} for case in cases()]


def test_a_file_of_answers_is_judged_and_a_case_without_an_answer_fails(tmp_path: Path) -> None:
    outcome = run_answers(tmp_path, *right_answers())
    assert statuses(outcome) == {}
    assert outcome.handshake is not None
    assert (outcome.handshake.name, outcome.handshake.operations) == ("answers.jsonl", ("fold",))
    outcome = run_answers(tmp_path, *right_answers()[:7])
    assert (statuses(outcome), outcome.ok) == ({"eight": "not-run"}, False)
    assert outcome.verdicts[7].reason == "the file has no answer to small/eight"


def test_a_line_without_case_is_the_handshake(tmp_path: Path) -> None:
    names = {"name": "theirs", "version": "", "language": "theirs", "unicode": "15.0"}
    hello = {"protocol": 1, **names, "operations": ["decode"], "schemes": ["sd64"], "features": []}
    outcome = run_answers(tmp_path, hello, *right_answers())
    assert {verdict.status for verdict in outcome.verdicts} == {"unsupported"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: not JSON"),
        ({"case": "small/none", "result": 1}, "line 2: 'small/none' is not a case of the suite"),
        ({"case": 5, "result": 1}, "line 2: 5 is not a case of the suite"),
        ({"case": "small/two"}, "line 2: an answer needs one of result, error, unsupported, this one has none of them"),
        ({"case": "small/one", "error": "padding"}, "line 2: small/one has two answers"),
        ({"protocol": 1}, "line 2: member 'name' must be a string of at most 200 characters, not null"),
    ],
)
def test_a_bad_line_of_answers_is_named(tmp_path: Path, line: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        run_answers(tmp_path, right_answers()[0], line)


def test_the_other_inputs_of_a_case_have_separate_keys(tmp_path: Path) -> None:
    case = case_of(row("same", "A", expected={}, same=[{"text": "a"}]))
    path = tmp_path / "answers.jsonl"
    path.write_text('{"case": "small/same", "result": "a"}\n{"case": "small/same#2", "result": "b"}\n')
    (verdict,) = run([case], AnswersTarget(path, [case]), suite="0.1.0").verdicts
    assert (verdict.status, verdict.given) == ("failed", '"b"')
