"""The checks of a full run: every Unicode scalar value, and generated requests of every operation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from simhash_doc.schemes import get_schemes
from simhash_doc_conformance.adapters.adapter import Adapter
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.diagnosis.findings import explain
from simhash_doc_conformance.errors import PeerError
from simhash_doc_conformance.formatting import json_text, shorten
from simhash_doc_conformance.generated.requests import (
    GENERATOR,
    OPERATIONS,
    WITHOUT_SCHEME,
    Understood,
    smallest,
    stages,
)
from simhash_doc_conformance.generated.sweep import REQUIREMENTS, Progress, Request, reporting, sweeping
from simhash_doc_conformance.pipeline import ON_INPUTS
from simhash_doc_conformance.protocol import Handshake
from simhash_doc_conformance.reports.report import Checks
from simhash_doc_conformance.running.judge import Verdict, broken, outcome_of, wrong
from simhash_doc_conformance.running.runner import INTERRUPTIONS, LATE
from simhash_doc_conformance.running.session import Session
from simhash_doc_conformance.vectors.cases import Case, is_about, same_outcome, vector_of
from simhash_doc_conformance.vectors.inputs import DIGITS

_SEED = 1  # of the generated requests of a full run
_LONG_SHARE = 5  # one long text for so many short ones
_AGAIN = 5  # one request in so many is followed by earlier ones
_KEPT = 20  # earlier requests that may be sent again
_LEAST_TEXT = 3  # characters of a text whose middle is changed
_FAILURES = 100  # of the process, after which its request is not made smaller: each costs a start


def run_checks(
    session: Session,
    examples: int,
    on_verdict: Callable[[Verdict], None] = lambda verdict: None,
    on_progress: Progress = lambda what, done, total: None,
) -> Checks:
    """Run the checks of all operations and schemes that an implementation declares.

    Ctrl-C and SIGTERM end them early: the result has the verdicts of those that were finished.

    Args:
        session: the implementation.
        examples: see `fuzz`.
        on_verdict: called with each verdict.
        on_progress: called with what is checked, and the number of finished and of all parts.

    Raises:
        CannotStartError: the command or function does not exist.
        PeerError: the implementation does not start.
    """
    handshake, understood = session.declared, _understood(session)
    verdicts: list[Verdict] = []
    untested, interruption = list(_not_tested(handshake, understood)), None
    try:
        for verdict in chain(
            sweeping(session, on_progress), fuzzing(session, examples, _SEED, on_progress=on_progress)
        ):
            verdicts.append(verdict)
            on_verdict(verdict)
    except INTERRUPTIONS as raised:
        interruption = raised
        which = f"the checks after {verdicts[-1].case.id}" if verdicts else "all checks beyond the vectors"
        untested.append(f"{which}, because the run was interrupted")
    try:
        session.close()
    except PeerError as failure:
        verdicts[-1:] = [broken(verdict.case, failure, required=True) for verdict in verdicts[-1:]]
    return Checks(_SEED, examples, GENERATOR, tuple(verdicts), tuple(untested), interruption)


def fuzz(
    session: Session, op: str, examples: int, seed: int, scheme: str = "sd64", understood: Understood | None = None
) -> Verdict:
    """Send generated requests of an operation until one is answered wrongly, and shrink that one.

    Args:
        session: the implementation. A failure of its process counts as a wrong answer.
        op: an operation of the protocol except `extract`.
        examples: number of requests; a fifth as many with long texts are added for the first scheme.
        seed: the same seed and version of Hypothesis give the same requests.
        scheme: short id of the scheme.
        understood: what the implementation supports; everything by default.

    Returns:
        The verdict on the smallest wrong answer, if any. Its inputs are the answers that were compared.
    """
    history = _History(session, op)
    name = op if op in WITHOUT_SCHEME else f"{op}-{scheme}"
    about = f"Generated requests of {op}{'' if name == op else f' with {scheme}'}."
    check = Case(f"fuzz/{name}", op, {}, {}, (REQUIREMENTS[op],), "", ("fuzz",), about)
    known = understood or Understood()
    reference = Adapter(Implementation())
    compared, counting = 0, True
    failures = Counter[str]()

    def find(request: Request) -> tuple[Case, Mapping[str, Any] | PeerError] | None:
        nonlocal compared, counting
        if not is_about(op, request, known.schemes) or failures.total() >= _FAILURES or failures["timeout"] >= LATE:
            return None
        compared += counting
        members = {member: value for member, value in request.items() if member != "op"}
        case = replace(check, members=members, expected=outcome_of(reference.answer(request)))
        answer: Mapping[str, Any] | PeerError
        try:
            answer = session.send(request)
            right = same_outcome(op, case.expected, answer)
        except PeerError as failure:
            answer, right = failure, False
            failures[failure.kind] += 1
        if right and counting and compared % _AGAIN == 0:
            wrong_later = history.differing({**case.members}, case.expected, reference)
            if wrong_later:
                counting = False
                return replace(case, members=wrong_later[0], expected=wrong_later[1]), wrong_later[2]
        counting = counting and right
        return None if right else (case, answer)

    for stage in stages(op, scheme, known, examples, long=-(-examples // _LONG_SHARE)):
        if found := smallest(stage, seed, find):
            return replace(_wrong(session, *found, compared), inputs=compared)
    if compared:
        return Verdict(check, "passed", required=True, inputs=compared)
    return Verdict(check, "not-run", "no request could be generated", required=True)


class _History:
    """Sends some requests again after others, and texts that differ from one before in the middle alone.

    An implementation that keeps results, errors or an open state between requests answers one of them wrongly.
    """

    def __init__(self, session: Session, op: str) -> None:
        self._session, self._op = session, op
        self._kept: list[tuple[Mapping[str, Any], Mapping[str, Any]]] = []

    def differing(
        self, members: Mapping[str, Any], expected: Mapping[str, Any], reference: Adapter
    ) -> tuple[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]] | None:
        """Return the members, the right and the wrong answer of such a request; None if all answers are right.

        A failure of the process counts as no answer: the request itself is sent again by the caller.
        """
        again = [(members, expected), *self._kept[-1:], *self._kept[:1]]
        if other := _with_other_middle(members):
            again.insert(0, (other, outcome_of(reference.answer({"op": self._op, **other}))))
        self._kept = [*self._kept[-_KEPT:], (members, expected)]
        for sent, right in again:
            answer = self._session.send_quietly({"op": self._op, **sent})
            if "unsupported" not in answer and not same_outcome(self._op, right, answer):
                return sent, right, answer
        return None


def _with_other_middle(members: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a request whose text has another letter in the middle, and the same ends and length."""
    text = members.get("text", "")
    middle = len(text) // 2
    if ("scheme" in members and members["scheme"] not in get_schemes()) or len(text) < _LEAST_TEXT:
        return None
    return {**members, "text": f"{text[:middle]}{'x' if text[middle] != 'x' else 'y'}{text[middle + 1 :]}"}


def fuzzing(
    session: Session,
    examples: int,
    seed: int,
    operations: Collection[str] = OPERATIONS,
    on_progress: Progress = lambda what, done, total: None,
) -> Iterator[Verdict]:
    """Yield a verdict per declared operation and scheme, from generated requests.

    Args:
        session: the implementation.
        examples, seed: see `fuzz`.
        operations: those to check.
        on_progress: see `run_checks`.
    """
    declared, understood = session.declared.operations, _understood(session)
    checks = [
        (op, scheme)
        for op in OPERATIONS
        if op in declared and op in operations
        for scheme in (["sd64"] if op in WITHOUT_SCHEME else understood.schemes[: 1 if op == "trace" else None])
    ]
    for op, scheme in reporting(checks, "generated requests", on_progress):
        yield fuzz(session, op, examples, seed, scheme, understood)


def _wrong(session: Session, case: Case, answer: Mapping[str, Any] | PeerError, compared: int) -> Verdict:
    request = {"op": case.op, **case.members}
    if isinstance(answer, PeerError):
        return replace(broken(case, answer, required=True), request=shorten(json_text(request)))
    first, vector = explain(case, answer, session.send_quietly), vector_of(case.op, case.members, case.expected, "fuzz")
    reason = f"wrong answer to generated request {compared}; this is the smallest that was found"
    return replace(
        wrong(case, reason, request, case.expected, answer),
        diagnosis=[*first.lines, *([f"as a test case: {json_text(vector)}"] if vector else [])],
        step=first.step,
        violated=first.requirement,
    )


def _understood(session: Session) -> Understood:
    """Return the schemes and the forms of input of an implementation. Reading bytes is optional (SD-INPUT-1)."""
    handshake = session.declared
    schemes = tuple(name for name in get_schemes() if name in handshake.schemes)
    forms = {"text", "utf16"} if "surrogates" in handshake.features else {"text"}
    operations = [op for op in ON_INPUTS if op in handshake.operations]
    if operations and schemes:
        answer = session.send_quietly({"op": operations[0], "bytes": "61", "scheme": schemes[0]})
        forms |= set() if "unsupported" in answer else {"bytes"}
    cut = {form: {"op": "fingerprint", form: "0061", "scheme": "sd64", "cuts": [1]} for form in forms & DIGITS.keys()}
    pieces = {form for form, request in cut.items() if "unsupported" not in session.send_quietly(request)}
    return Understood(schemes, frozenset(forms), frozenset(pieces))


def _not_tested(handshake: Handshake, understood: Understood) -> Iterator[str]:
    """Yield what is not declared, and what only vectors test."""
    missing = [op for op in (*OPERATIONS, "extract") if op not in handshake.operations]
    if missing:
        yield f"operations that are not declared: {', '.join(missing)}"
    schemes = [name for name in get_schemes() if name not in understood.schemes]
    if schemes:
        yield f"schemes that are not declared: {', '.join(schemes)}"
    unread = [form for form in DIGITS if form not in understood.forms]
    if unread and set(ON_INPUTS) & set(handshake.operations):
        yield f"forms of input that are not supported: {', '.join(unread)}"
    if "fingerprint" in handshake.operations and (complete := understood.forms & DIGITS.keys() - understood.pieces):
        yield f"forms of input that are not supported in pieces: {', '.join(sorted(complete))}"
    if "extract" in handshake.operations:
        yield "generated documents: extract is tested by the vectors alone"
