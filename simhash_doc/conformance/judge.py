"""Judge one case: send its requests to a peer and check the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from simhash_doc.conformance.cases import Case, same_outcome
from simhash_doc.conformance.classes import is_required, undeclared
from simhash_doc.conformance.errors import NoAnswerError, NotUnderstoodError, PeerError
from simhash_doc.conformance.formatting import json_text, shorten, shown_outcomes
from simhash_doc.conformance.messages import Answer
from simhash_doc.conformance.requests import prepare, request_key
from simhash_doc.conformance.targets import Peer
from simhash_doc.conformance.verdict import Verdict

Ask = Callable[[Mapping[str, Any]], Answer]
# Returns lines with the likely bugs that explain an answer; may send further requests to the implementation.
Diagnose = Callable[[Case, Answer, Ask], list[str]]


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    """An unexpected answer, unshortened, and the verdict on it.

    `single_case` is the case, or, for another input of a metamorphic case, that input as a separate case.
    """

    verdict: Verdict
    answer: Answer
    single_case: Case


def judge(case: Case, peer: Peer, classes: Iterable[str]) -> Verdict | WrongAnswer:
    """Send the requests of a case until one is answered wrongly.

    Raises:
        PeerError: the implementation failed in one of the named ways.
        StoppedError: the run was stopped.
    """
    required = is_required(case, classes, peer.handshake)
    missing = undeclared(case, peer.handshake)
    if missing:
        return _unsupported(case, missing, required)
    expected: Mapping[str, Any] = case.expected
    for number, request in enumerate(case.requests()):
        try:
            prepared = prepare(request, peer.handshake)
            answer = prepared.read(peer.ask(prepared.request, request_key(case.id, number)))
        except NotUnderstoodError as reason:
            # No class requires strings with surrogates.
            return _unsupported(case, str(reason), required=False)
        except NoAnswerError as reason:
            return Verdict(case, "not-run", str(reason), required)
        if "unsupported" in answer:
            # Reading bytes is optional (SD-INPUT-1).
            answered = "answered `unsupported`, but the handshake declares it"
            return _unsupported(case, answered, required and "bytes" not in request)
        if answer.get("error") == "over-limit" and "huge" in case.flags:
            return _unsupported(case, "the document exceeds a limit of the implementation", required=False)
        if not expected and "result" not in answer:
            return WrongAnswer(_without_result(case, required, request, answer), answer, case)
        expected = expected or outcome_of(answer)
        if not same_outcome(case.op, expected, answer):
            single_case = _as_case(case, number, request, expected) if number else case
            return WrongAnswer(_failed(case, required, number, request, expected, answer), answer, single_case)
    return Verdict(case, "passed", required=required)


def request_sender(peer: Peer) -> Ask:
    """Return a function that sends further requests; those not declared are answered `unsupported` without sending."""

    def ask(request: Mapping[str, Any]) -> Answer:
        try:
            prepared = prepare(request, peer.handshake)
            return prepared.read(peer.ask(prepared.request))
        except (NotUnderstoodError, NoAnswerError):
            return {"unsupported": True}

    return ask


def broken(case: Case, failure: PeerError, *, required: bool) -> Verdict:
    """Return the verdict on a case without an answer."""
    return Verdict(
        case,
        "broken",
        failure.message,
        required,
        kind=failure.kind,
        detail=failure.detail,
        stderr=failure.stderr,
    )


def _as_case(case: Case, number: int, request: Mapping[str, Any], expected: Mapping[str, Any]) -> Case:
    members = {name: value for name, value in request.items() if name != "op"}
    return replace(case, id=request_key(case.id, number), members=members, expected=expected, same=())


def _failed(
    case: Case, required: bool, number: int, request: Mapping[str, Any], expected: Mapping[str, Any], answer: Answer
) -> Verdict:
    reason = "wrong answer"
    if number:
        like = "be similar to" if case.op == "extract" else "give the same result as"
        reason = f"wrong answer to input {number + 1}, which must {like} input 1"
    if case.format:
        reason = f"{reason} ({case.format})"
    wanted, given = shown_outcomes(case.op, dict(expected), outcome_of(answer))
    return Verdict(case, "failed", reason, required, expected=wanted, given=given, request=shorten(json_text(request)))


def _without_result(case: Case, required: bool, request: Mapping[str, Any], answer: Answer) -> Verdict:
    _, given = shown_outcomes(case.op, {}, outcome_of(answer))
    reason = "an error for an input that has a result"
    return Verdict(case, "failed", reason, required, given=given, request=shorten(json_text(request)))


def _unsupported(case: Case, reason: str, required: bool) -> Verdict:
    if required:
        return Verdict(case, "failed", f"unsupported, but required: {reason}", required)
    return Verdict(case, "unsupported", reason)


def outcome_of(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result or error of an answer; nothing if it is unsupported."""
    return {name: answer[name] for name in ("result", "error") if name in answer}
