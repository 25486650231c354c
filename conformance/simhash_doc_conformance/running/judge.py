"""Judge cases: the classes that are required, known failures, and the verdict on the answers to a case."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal, get_args

from simhash_doc_conformance.errors import InputError, Kind, NoAnswerError, NotUnderstoodError, PeerError
from simhash_doc_conformance.formatting import json_text, outcome_text, shorten
from simhash_doc_conformance.protocol import CLASSES, Answer, Ask, Handshake
from simhash_doc_conformance.running.session import Session
from simhash_doc_conformance.vectors import extraction
from simhash_doc_conformance.vectors.cases import Case, matches, request_key, same_outcome

Status = Literal[
    "passed",
    "failed",  # a wrong answer, or a required operation that is not supported
    "broken",  # no answer: the process failed in one of the named ways
    "unsupported",
    "skipped",  # by the caller
    "known-failure",  # failed or broken, and listed with a reason
    "unexpected-pass",  # passed, but listed as a known failure
    "not-run",
]
STATUSES: tuple[Status, ...] = get_args(Status)
FAILED: tuple[Status, ...] = ("failed", "broken", "unexpected-pass")
TESTED: tuple[Status, ...] = ("passed", "known-failure", *FAILED)
BAD: frozenset[Status] = frozenset((*FAILED, "not-run"))
# Reading bytes is optional (SD-INPUT-1), and so are pieces of each form.
OPTIONAL_INPUT = "answered `unsupported`, as it may for bytes and for pieces"


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """Where an answer begins to differ.

    Attributes:
        step: the step of a trace, or else the operation.
        requirement: the identifier of the one that it violates; empty if the answer alone does not show it.
        lines: what differs, for people.
        form: the types of a result of the wrong type and of the right one, in words; empty if its type is right.
        answered: short name of the answer, see `mutants.analysis.digest`.
    """

    step: str
    requirement: str
    lines: list[str]
    form: str = ""
    answered: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one case.

    Judging a case fills all fields but `inputs`, `step` and `violated`. Those who know more return a copy: `generated`
    and `full` with all three, for checks; `diagnosis` with `step`, `violated` and the likely bugs, once all answers are
    known. The runner replaces the verdict on a known failure, on an answer after which the process fails, and on a case
    whose operation is given up.

    Attributes:
        reason: why; empty for a pass.
        required: True if `unsupported` is a failure.
        kind: the named failure of a broken case.
        expected, given: both outcomes of a wrong answer as text, shortened around the first difference.
        request: the request with the wrong answer, as shortened text.
        diagnosis: lines with the likely bugs, and the first difference.
        detail, stderr: the last output of a failed process, on standard output and standard error. They may depend
            on timing, so no report has them.
        inputs: number of generated inputs of a check, which is one verdict on many requests; 0 for a case.
        first: where a wrong answer begins to differ, if it was diagnosed.
        step: step of the pipeline at which it does, if it is known.
        violated: the requirement that this step violates, if the answers show it.
        example: True if a line of the diagnosis begins with this case, so that it is shown first.
    """

    case: Case
    status: Status
    reason: str = ""
    required: bool = False
    kind: Kind | None = None
    expected: str = ""
    given: str = ""
    request: str = ""
    diagnosis: list[str] = field(default_factory=list)
    detail: str = ""
    stderr: str = ""
    inputs: int = 0
    first: FirstDifference | None = None
    step: str = ""
    violated: str = ""
    example: bool = False

    @property
    def bad(self) -> bool:
        """True if the run fails because of it."""
        return self.status in BAD

    @property
    def requirements(self) -> list[str]:
        """The requirements that the case tests; none after a time-out, of which nothing is known."""
        return [] if self.kind == "timeout" else list(self.case.requirements)


# Required of every implementation, except one that claims only `index` or `extract` (spec, section 18).
MINIMAL_CLASS = "fingerprint"
REQUIRED_FORMATS = ("html", "text")  # of the class extract (spec/extraction.md)


def required_classes(handshake: Handshake | None, demanded: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the classes whose operations must be supported, in the order of the specification.

    An implementation claims a class by declaring all its operations. `fingerprint` is required
    unless `index` or `extract` is claimed and `fingerprint` is not declared.
    """
    declared = set(handshake.operations) if handshake else set()
    claimed = {name for name, operations in CLASSES.items() if declared.issuperset(operations)}
    if not claimed & {"index", "extract"} or "fingerprint" in declared:
        claimed.add(MINIMAL_CLASS)
    return tuple(name for name in CLASSES if name in claimed | set(demanded))


def is_required(case: Case, classes: Iterable[str], handshake: Handshake | None) -> bool:
    """Return True if `unsupported` is a failure.

    That is so if a class needs the operation, every scheme is declared, or sd64 in a class that needs it, and the
    document's format is declared or one that every extractor must read.
    """
    formats = {*REQUIRED_FORMATS, *(handshake.formats if handshake else ())}
    if case.format is not None and case.format not in formats:
        return False
    needing = [name for name in classes if case.op in CLASSES[name]]
    schemes = set(handshake.schemes if handshake else ()) | ({"sd64"} if needing != ["index"] else set())
    return bool(needing) and case.schemes <= schemes


def undeclared(case: Case, handshake: Handshake) -> str | None:
    """Return what the handshake does not declare and the case needs; None if nothing."""
    if case.op not in handshake.operations:
        return f"operation {case.op} is not declared"
    if case.format is not None and case.format not in handshake.formats:
        return f"format {case.format} is not declared"
    missing = sorted(case.schemes - set(handshake.schemes))
    return f"scheme {' and '.join(missing)} is not declared" if missing else None


@dataclass(frozen=True, slots=True)
class KnownFailure:
    """One line of the file."""

    line: int
    pattern: str
    reason: str


def read_known_failures(path: Path, cases: Iterable[Case]) -> tuple[KnownFailure, ...]:
    """Read a file of known failures.

    Each line has a pattern as for `select`, white space, and the reason. Lines that begin with `#` are comments.

    Raises:
        InputError: a line has no reason, or its pattern matches none of the suite's `cases`.
        OSError: the file cannot be read.
    """
    suite = list(cases)
    known = []
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        pattern, *reason = line.split(maxsplit=1)
        if not reason:
            raise InputError(f"{path}, line {number}: {pattern!r} has no reason; write PATTERN REASON")
        if not any(matches(case, pattern) for case in suite):
            raise InputError(f"{path}, line {number}: {pattern!r} matches no case of the suite")
        known.append(KnownFailure(number, pattern, reason[0].strip()))
    return tuple(known)


def known_failure(case: Case, known: Sequence[KnownFailure]) -> KnownFailure | None:
    """Return the first line that matches a case."""
    return next((entry for entry in known if matches(case, entry.pattern)), None)


# Returns where an answer begins to differ; may send further requests to the implementation.
Diagnose = Callable[[Case, Answer, Ask], FirstDifference]


def judge(case: Case, session: Session, classes: Iterable[str], diagnose: Diagnose | None = None) -> Verdict:
    """Send the requests of a case until one is answered wrongly, and diagnose the wrong answer.

    Raises:
        PeerError: the implementation failed in one of the named ways.
        StoppedError: the run was stopped.
    """
    handshake = session.handshake
    required = is_required(case, classes, handshake)
    if missing := undeclared(case, handshake):
        return unsupported(case, missing, required)
    expected: Mapping[str, Any] = case.expected
    for request in case.requests_before():
        session.send(request)
    for number, request in enumerate(case.requests()):
        try:
            answer = session.exchange(request, request_key(case.id, number))
        except NotUnderstoodError as reason:
            # No class requires strings with surrogates, or pieces.
            return unsupported(case, str(reason), required=False)
        except NoAnswerError as reason:
            return Verdict(case, "not-run", str(reason), required)
        if "unsupported" in answer:
            if {"bytes", "cuts"} & request.keys():
                return unsupported(case, OPTIONAL_INPUT, required=False)
            return unsupported(case, "answered `unsupported`, but the handshake declares it", required)
        if answer.get("error") == "over-limit" and "huge" in case.flags:
            return unsupported(case, "the document exceeds a limit of the implementation", required=False)
        if not expected and "result" in answer:
            expected = outcome_of(answer)
        if not expected or not same_outcome(case.op, expected, answer):
            verdict = replace(
                wrong(case, _reason(case, number, expected), request, expected, answer), required=required
            )
            if diagnose is None:
                return verdict
            if number and expected:  # diagnose this input as a separate case
                members = {name: value for name, value in request.items() if name != "op"}
                case = replace(case, id=request_key(case.id, number), members=members, expected=expected, same=())
            first = diagnose(case, answer, session.send_quietly)
            return replace(verdict, diagnosis=first.lines, first=None if number else first)
    return Verdict(case, "passed", required=required)


def broken(case: Case, failure: PeerError, *, required: bool) -> Verdict:
    """Return the verdict on a case without an answer."""
    verdict = Verdict(case, "broken", failure.message, required, kind=failure.kind)
    return replace(verdict, detail=failure.detail, stderr=failure.stderr)


def wrong(
    case: Case, reason: str, request: Mapping[str, Any], expected: Mapping[str, Any], answer: Mapping[str, Any]
) -> Verdict:
    """Return the verdict on a wrong answer, which is not diagnosed yet."""
    wanted, given = shown_outcomes(case.op, dict(expected), outcome_of(answer))
    sent = shorten(json_text(request))
    return Verdict(case, "failed", reason, True, expected=wanted if expected else "", given=given, request=sent)


def _reason(case: Case, number: int, expected: Mapping[str, Any]) -> str:
    if not expected:
        return "an error for an input that has a result"
    like = "be similar to" if case.op == "extract" else "give the same result as"
    reason = f"wrong answer to input {number + 1}, which must {like} input 1" if number else "wrong answer"
    return f"{reason} ({case.format})" if case.format else reason


def unsupported(case: Case, reason: str, required: bool) -> Verdict:
    """Return the verdict on a case that needs what the implementation does not support."""
    if required:
        return Verdict(case, "failed", f"unsupported, but required: {reason}", required)
    return Verdict(case, "unsupported", reason)


def outcome_of(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result or error of an answer; nothing if it is unsupported."""
    return {name: answer[name] for name in ("result", "error") if name in answer}


def shown_outcomes(op: str, expected: dict[str, Any], given: dict[str, Any]) -> tuple[str, str]:
    """Return both outcomes as text, shortened around the first difference."""
    if op == "extract" and "result" in expected and isinstance(given.get("result"), str):
        return extraction.outcome(expected["result"], given["result"])
    left, right = (outcome_text(op, outcome) for outcome in (expected, given))
    at = next((i for i, (a, b) in enumerate(zip_longest(left, right)) if a != b), 0)
    return shorten(left, at), shorten(right, at)
