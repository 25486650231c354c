"""Verdicts: passes, required operations, known failures, diagnoses."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from simhash_doc_conformance.adapters.adapter import Adapter
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.adapters.package import PackageImplementation
from simhash_doc_conformance.errors import InputError
from simhash_doc_conformance.protocol import Answer, Ask, digest_of
from simhash_doc_conformance.running.judge import FirstDifference, read_known_failures
from simhash_doc_conformance.running.runner import Expected, run
from simhash_doc_conformance.vectors.cases import Case, load_suite
from tests.conformance.package import InProcess
from tests.conformance.small import case_of, cases, row, run_fake, statuses, write_vectors


def verdict_of(case: Case, classes: Sequence[str] = (), **changes: Any) -> tuple[str, str]:
    (verdict,) = run([case], InProcess(**changes), suite="0.1.0", expected=Expected(classes=classes)).verdicts
    return verdict.status, verdict.reason


FOLD = case_of(row("fold", "ABC", expected={"result": "abc"}))
TOKENS = ["fingerprint", "encode", "decode"]
INDEX = ["encode", "decode", "query", "find_all"]
FOX = {"text": "a", "scheme": "sd64"}
NEEDED = "unsupported, but required: operation {} is not declared"
NO_SURROGATES = "feature surrogates is not declared"
CUT = {"bytes": "616220", "cuts": [1, 1], "scheme": "sd64"}


def test_a_wrong_answer_shows_both_values_with_invisible_characters_escaped() -> None:
    seen: list[str] = []
    outcome = run_fake("wrong", jobs=3, on_verdict=lambda verdict: seen.append(verdict.case.id))
    assert seen == [case.id for case in cases()]
    assert statuses(outcome) == {"bad": "failed"}
    verdict = outcome.verdicts[3]
    assert (verdict.expected, verdict.given) == ('"dab"', '"\\u202ewrong\\u001b[31m<b>&\\ud800"')


def test_long_values_are_shown_around_the_first_difference() -> None:
    case = case_of(row("long", "x" * 900 + "Q" + "y" * 900, expected={"result": "x" * 900 + "P" + "y" * 900}))
    (verdict,) = run([case], InProcess(), suite="0.1.0").verdicts
    assert "xPy" in verdict.expected
    assert "xqy" in verdict.given
    assert len(verdict.given) < 300


@pytest.mark.parametrize(
    ("op", "members", "classes", "changes", "expected"),
    [
        ("fold", {"text": "ABC"}, [], {"operations": TOKENS}, ("unsupported", "operation fold is not declared")),
        ("fold", {"text": "ABC"}, ["steps"], {"operations": TOKENS}, ("failed", NEEDED.format("fold"))),
        ("decode", {"text": "sd64:a"}, [], {"operations": ["fold"]}, ("failed", NEEDED.format("decode"))),
        # An index does not have to compute fingerprints.
        ("fingerprint", FOX, [], {"operations": INDEX}, ("unsupported", "operation fingerprint is not declared")),
        ("fingerprint", FOX, [], {"operations": INDEX[:-1]}, ("failed", NEEDED.format("fingerprint"))),
        ("fold", {"utf16": "00d800"}, ["steps"], {"features": []}, ("unsupported", NO_SURROGATES)),
        ("fingerprint", CUT, [], {"features": ["surrogates"]}, ("unsupported", "feature cuts is not declared")),
    ],
)
def test_what_is_not_declared_fails_only_if_a_class_requires_it(
    op: str, members: dict[str, Any], classes: list[str], changes: dict[str, Any], expected: tuple[str, str]
) -> None:
    assert verdict_of(case_of(row(op, "", op=op, input=members)), classes, **changes) == expected


@pytest.mark.parametrize(
    ("op", "members", "expected"),
    [
        ("fingerprint", {"text": "a", "scheme": "sd128"}, {"error": "no-token"}),
        ("decode", {"text": "SD128:aaaaaaaaaaaaaaaaaaaaaaaaaa"}, {"error": "padding"}),
        ("decode", {"text": "a" * 26}, {"result": {"scheme": "sd128", "hex": "0" * 32, "canonical": True}}),
        ("distance", {"a": "sd64:aaaaaaaaaaaaa", "b": "sd128+custom:aaaaaaaaaaaaaaaaaaaaaaaaaa"}, {"error": "x"}),
        ("query", {"entries": [["a", "sd128:aa"]], "queries": [], "distance": 1}, {"result": []}),
    ],
)
def test_other_schemes_are_required_only_if_declared(
    op: str, members: dict[str, Any], expected: dict[str, Any]
) -> None:
    case = case_of(row("wide", "", op=op, input=members, expected=expected))
    assert verdict_of(case, schemes=["sd64"]) == ("unsupported", "scheme sd128 is not declared")
    assert verdict_of(case, schemes=["sd64", "sd128"])[0] != "unsupported"


def test_rejecting_an_unknown_scheme_is_part_of_sd64() -> None:
    case = case_of(row("sd96", "", op="decode", input={"text": "sd96:aa"}, expected={"error": "unknown-scheme"}))
    assert verdict_of(case, schemes=["sd64"]) == ("passed", "")


def test_pieces_may_be_unsupported_though_the_feature_is_declared() -> None:
    def refuse(request: Mapping[str, Any], answer: Answer) -> Answer:
        return {"id": answer["id"], "unsupported": True} if "cuts" in request else answer

    case = case_of(row("cut", "", op="fingerprint", input={**CUT, "bytes": "616220"}, expected={"result": "x"}))
    (verdict,) = run([case], InProcess(change=refuse), suite="0.1.0").verdicts
    assert (verdict.status, verdict.required) == ("unsupported", False)


@pytest.mark.parametrize(
    ("op", "members", "sent"),
    [
        ("fold", {"recipe": {"concat": [{"repeat": "A", "count": 3}, "B"]}}, "AAAB"),
        ("fold", {"text": "b a\u00e9 b a", "digest": True}, "b a\u00e9 b a"),
        ("tokens", {"text": "b a\u00e9 b a", "digest": True}, "b a\u00e9 b a"),
    ],
)
def test_recipes_are_expanded_and_digests_computed_if_not_declared(op: str, members: dict[str, Any], sent: str) -> None:
    expected = Adapter(PackageImplementation()).answer({"op": op, **members})["result"]
    target = InProcess(features=[])
    assert run([case_of(row(op, "", op=op, input=members, expected={"result": expected}))], target, suite="0.1.0").ok
    assert target.sent == [{"op": op, "text": sent}]


@pytest.mark.parametrize("expected", [{}, {"result": "a"}])
def test_every_input_of_a_metamorphic_case_must_give_the_same(expected: dict[str, Any]) -> None:
    same = [{"text": "a"}, {"bytes": "61"}, {"utf16": "0041"}]
    assert verdict_of(case_of(row("same", "A", expected=expected, same=same))) == ("passed", "")
    same.append({"text": "b"})
    outcome = run([case_of(row("same", "A", expected=expected, same=same))], InProcess(), suite="0.1.0")
    assert outcome.verdicts[0].reason == "wrong answer to input 5, which must give the same result as input 1"
    assert (outcome.verdicts[0].expected, outcome.verdicts[0].given) == ('"a"', '"b"')


def test_the_requests_before_a_case_are_sent_first_and_not_judged() -> None:
    case = case_of(row("kept", "A", expected={"result": "a"}, before=[{"text": "B"}, {"bytes": "ff"}]))
    target = InProcess()
    assert run([case], target, suite="0.1.0").ok
    sent = [{name: value for name, value in request.items() if name != "op"} for request in target.sent]
    assert sent == [{"text": "B"}, {"bytes": "ff"}, {"text": "A"}]


def test_a_described_list_is_sent_as_a_list() -> None:
    tokens = {"concat": [{"repeat": ["a"], "count": 2}, {"numbers": [8, 9]}]}
    expected = digest_of("hash_tokens", Implementation().token_hashes(["a", "a", "8", "9"], "sd64"))
    members = {"tokens": tokens, "scheme": "sd64", "digest": True}
    case = case_of(row("tokens", "", op="hash_tokens", input=members, expected={"result": expected}))
    target = InProcess()
    assert run([case], target, suite="0.1.0").ok
    assert target.sent == [{"op": "hash_tokens", "tokens": ["a", "a", "8", "9"], "scheme": "sd64"}]


def test_a_metamorphic_case_needs_a_result() -> None:
    fingerprint = {"op": "fingerprint", "input": {"text": "", "scheme": "sd64"}, "expected": {}}
    same = [{"text": "", "scheme": "sd64"}]
    assert verdict_of(case_of(row("same", "", same=same, **fingerprint))) == (
        "failed",
        "an error for an input that has a result",
    )


@pytest.mark.parametrize(("flag", "status"), [("huge", "unsupported"), ("large", "failed")])
def test_only_a_huge_document_may_be_over_a_limit(flag: str, status: str) -> None:
    case = case_of(row("fold", "ABC", expected={"result": "abc"}, flags=[flag]))

    def refuse(request: Mapping[str, Any], answer: Answer) -> Answer:
        return answer if request["op"] == "hello" else {"error": "over-limit"}

    outcome = run([case], InProcess(change=refuse), suite="1.0.0")
    assert [verdict.status for verdict in outcome.verdicts] == [status]


def test_skipped_cases_are_reported() -> None:
    outcome = run_fake("crash", skip=["small/b*"])
    assert (statuses(outcome), outcome.ok) == ({"bad": "skipped"}, True)


def known(tmp_path: Path, text: str) -> Any:
    path = tmp_path / "known.txt"
    path.write_text(text, encoding="utf-8")
    return read_known_failures(path, cases())


@pytest.mark.parametrize(
    ("mode", "only", "status", "reason", "ok"),
    [
        ("wrong", False, "known-failure", "issue 17, fixed in 2.0 (", True),
        ("crash", False, "known-failure", "issue 17, fixed in 2.0 (", True),
        ("wrong", True, "known-failure", "issue 17, fixed in 2.0 (", False),  # nothing was tested
        ("good", False, "unexpected-pass", "listed as a known failure in line 3: issue 17", False),
    ],
)
def test_a_known_failure_does_not_fail_the_run_and_an_unexpected_pass_does(
    tmp_path: Path, mode: str, only: bool, status: str, reason: str, ok: bool
) -> None:
    chosen = [case for case in cases() if case.id == "small/bad" or not only]
    listed = known(tmp_path, "# ours\n\nsmall/bad  issue 17, fixed in 2.0\n")
    outcome = run_fake(mode, cases=chosen, known=listed)
    (verdict,) = (verdict for verdict in outcome.verdicts if verdict.case.id == "small/bad")
    assert (verdict.status, verdict.reason[: len(reason)], outcome.ok) == (status, reason, ok)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("small/bad ok\n\nsmall/gone reason\n", "line 3: 'small/gone' matches no case of the suite"),
        ("small/bad\n", "line 1: 'small/bad' has no reason"),
    ],
)
def test_a_wrong_line_of_known_failures_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        known(tmp_path, text)


def test_only_wrong_answers_are_diagnosed_and_a_diagnosis_can_send_requests(tmp_path: Path) -> None:
    asked: list[str] = []

    def diagnose(case: Case, answer: Answer, ask: Ask) -> FirstDifference:
        asked.append(case.id)
        lines = [f"then {ask({'op': 'fold', 'text': 'more'})['result']}", str(ask({"op": "trace"}))]
        return FirstDifference("folded", "", lines)

    outcome = run_fake("wrong", diagnose=diagnose)
    assert asked == ["small/bad"]
    assert outcome.verdicts[3].diagnosis == ["then erom", "{'unsupported': True}"]
    run_fake("wrong", diagnose=diagnose, known=known(tmp_path, "small/bad known"))
    assert asked == ["small/bad"]


def test_a_failure_during_the_diagnosis_leaves_the_verdict_and_an_error_ends_the_run() -> None:
    """What fails once is not asked again: each time would need another process, or a wait."""
    answers: list[Mapping[str, Any]] = []

    def diagnose(case: Case, answer: Answer, ask: Ask) -> FirstDifference:
        answers.extend(ask({"op": "fold", "text": text}) for text in ("more", "bad", "more"))
        return FirstDifference("folded", "", [])

    wrong = case_of(row("wrong", "one", expected={"result": "other"}))
    outcome = run_fake("crash", cases=[wrong, case_of(row("two", "two"))], diagnose=diagnose)
    assert statuses(outcome) == {"wrong": "failed"}
    assert answers == [{"result": "erom"}, {"unsupported": True}, {"unsupported": True}]
    with pytest.raises(ZeroDivisionError):
        run_fake("wrong", diagnose=lambda case, answer, ask: 1 / 0)


@pytest.mark.parametrize("text", ["", "no digest\n", "\u00e9"])
def test_a_corrupt_list_of_digests_is_rejected(tmp_path: Path, text: str) -> None:
    vectors = write_vectors(tmp_path / "vectors")
    (vectors / "SHA256SUMS").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"SHA256SUMS"):
        load_suite(vectors)
