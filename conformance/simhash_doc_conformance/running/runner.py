"""Run cases against an implementation: threads with a session each, and verdicts in the order of the cases."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from queue import SimpleQueue

from simhash_doc.console.termination import TerminatedError
from simhash_doc_conformance.errors import PeerError, StoppedError
from simhash_doc_conformance.protocol import TIMEOUT, Handshake
from simhash_doc_conformance.running.judge import (
    Diagnose,
    KnownFailure,
    Verdict,
    broken,
    is_required,
    judge,
    known_failure,
    required_classes,
    undeclared,
    unsupported,
)
from simhash_doc_conformance.running.session import Session, Target
from simhash_doc_conformance.vectors.cases import Case, matches

INTERRUPTIONS = (KeyboardInterrupt, TerminatedError)  # Ctrl-C, and SIGTERM or SIGHUP
FAILED_STARTS = 3  # in a row, after which the rest is not run
UNANSWERED = 20  # cases of an operation in a row, after which the rest of it is not run
LATE = 5  # the same of cases without an answer in time
LATE_IN_ALL = 20  # cases of an operation without an answer in time, also with others between


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a run.

    Attributes:
        handshake: of the implementation; None if it did not start.
        classes: the conformance classes that were required.
        verdicts: all, in the order of the cases.
        left: the cases that an interruption or the limit of failures left out.
        interruption: what a signal raised during the run.
    """

    handshake: Handshake | None
    classes: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    left: tuple[Case, ...] = ()
    interruption: BaseException | None = None

    @property
    def ok(self) -> bool:
        """True if everything required passed, and something did, and no signal ended the run."""
        tested = any(verdict.status == "passed" for verdict in self.verdicts)
        return tested and not any(verdict.bad for verdict in self.verdicts) and self.interruption is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much a run may take.

    Attributes:
        timeout: seconds for each answer.
        jobs: number of processes.
        max_failures: number of failures after which the other cases are left out; None for no limit.
    """

    timeout: float = TIMEOUT
    jobs: int = 1
    max_failures: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What is expected of an implementation.

    Attributes:
        classes: conformance classes that are required in addition to those that the implementation claims.
        skip: patterns (see `cases.select`) of cases to report as skipped.
        known: expected failures.
    """

    classes: Sequence[str] = ()
    skip: Sequence[str] = ()
    known: Sequence[KnownFailure] = ()


_DEFAULT_BOUNDS, _NOTHING_ELSE = Bounds(), Expected()


def run(
    cases: Iterable[Case],
    target: Target,
    *,
    suite: str,
    bounds: Bounds = _DEFAULT_BOUNDS,
    expected: Expected = _NOTHING_ELSE,
    diagnose: Diagnose | None = None,
    on_verdict: Callable[[Verdict], None] = lambda verdict: None,
) -> Outcome:
    """Run cases and return the outcome. Ctrl-C and SIGTERM end the run early: the outcome has what was judged before.

    Args:
        cases: the cases to run.
        target: the implementation.
        suite: version of the suite, for the handshake.
        bounds: the time for an answer, the processes, and the failures that end the run.
        expected: what is required, skipped, and known to fail.
        diagnose: called with each case that was answered wrongly, the answer, and a function for further requests.
        on_verdict: called with each verdict, in the order of the cases, as soon as it is final.

    Raises:
        CannotStartError: the command or function does not exist.
    """
    work = _Work(tuple(cases), tuple(expected.classes), expected.skip, expected.known, diagnose)

    def serve(number: int) -> None:
        # The others wait for the first handshake, so that a command which never works is started three times,
        # not three times per thread.
        if number:
            work.greeted.wait()
        try:
            with Session(target, bounds.timeout, suite, work.stopped, work.handshake) as session:
                work.judge_all(session)
        except StoppedError:
            pass
        except BaseException as error:
            work.finished.put(error)
        finally:
            work.greeted.set()

    threads = [threading.Thread(target=serve, args=(number,)) for number in range(bounds.jobs)]
    ready: dict[int, Verdict] = {}
    verdicts: list[Verdict] = []
    failures, interruption = 0, None
    try:
        for thread in threads:
            thread.start()
        while len(verdicts) < len(work.cases) and failures != bounds.max_failures:
            if (verdict := ready.pop(len(verdicts), None)) is None:
                item = work.finished.get()
                if isinstance(item, BaseException):
                    raise item
                ready[item[0]] = item[1]
                continue
            verdict = work.in_order(verdict)
            verdicts.append(verdict)
            on_verdict(verdict)
            failures += verdict.bad
        if failures != bounds.max_failures:
            for thread in threads:
                thread.join()
    except INTERRUPTIONS as raised:
        interruption = raised
    finally:
        work.stopped.set()
        work.greeted.set()
        for thread in threads:
            _join(thread)
    left = work.cases[len(verdicts) :]
    return Outcome(work.handshake, required_classes(work.handshake, work.classes), tuple(verdicts), left, interruption)


def _join(thread: threading.Thread) -> None:
    """Wait for a thread to end its process; a second signal must not leave the process running."""
    while thread.is_alive():
        with suppress(BaseException):
            thread.join()


class _Work:
    """What the threads share: the cases that are left, the final verdicts, and the handshake."""

    def __init__(
        self,
        cases: tuple[Case, ...],
        classes: tuple[str, ...],
        skip: Sequence[str],
        known: Sequence[KnownFailure],
        diagnose: Diagnose | None,
    ) -> None:
        self.cases, self.classes = cases, classes
        self._skip, self._known, self._diagnose = skip, known, diagnose
        self.handshake: Handshake | None = None
        self.greeted, self.stopped = threading.Event(), threading.Event()
        self.finished: SimpleQueue[tuple[int, Verdict] | BaseException] = SimpleQueue()
        self._lock = threading.Lock()
        self._next, self._failed_starts, self._given_up = 0, 0, ""
        self._unanswered: Counter[str] = Counter()  # cases in a row, by operation
        self._late: Counter[str] = Counter()  # those of them without an answer in time
        self._late_in_all: Counter[str] = Counter()
        self._any_answered = False
        self._stopped: dict[str, str] = {}  # why no more cases are run, by operation

    def in_order(self, verdict: Verdict) -> Verdict:
        """Return the verdict, or that it was not run if its operation was given up before.

        The order of the cases decides, not the time of their answers, so that every run gives the same report.
        """
        case = verdict.case
        if reason := self._given_up_reason(case):
            return verdict if verdict.status == "skipped" else self._not_run(case, reason)
        if verdict.status == "broken":
            self._unanswered[case.op] += 1
            self._late[case.op] += verdict.kind == "timeout"
            self._late_in_all[case.op] += verdict.kind == "timeout"
            silence = ""
            if self._unanswered[case.op] == UNANSWERED or self._late[case.op] == LATE:
                silence = f"{self._unanswered[case.op]} cases of {case.op} in a row without an answer"
            elif self._late_in_all[case.op] == LATE_IN_ALL:
                silence = f"{LATE_IN_ALL} cases of {case.op} without an answer in time"
            if silence:
                self._stopped[case.op if self._any_answered else ""] = (
                    f"stopped after {silence}; the last: {verdict.reason}; "
                    f"leave the operation out with --skip op:{case.op}"
                )
        elif verdict.status in ("passed", "failed"):
            self._unanswered[case.op] = self._late[case.op] = 0
            self._any_answered = True
        return verdict

    def _given_up_reason(self, case: Case) -> str | None:
        return self._stopped.get("") or self._stopped.get(case.op)

    def _not_run(self, case: Case, reason: str) -> Verdict:
        required = self._is_required(case)
        if self.handshake and (missing := undeclared(case, self.handshake)):
            return unsupported(case, missing, required)
        return Verdict(case, "not-run", reason, required)

    def judge_all(self, session: Session) -> None:
        """Judge cases until none is left: the body of a thread.

        The last verdict is held until the process has answered the next request: unexpected output belongs to the
        case that was answered last, not to the next one.
        """
        held: tuple[int, Verdict] | None = None
        index = self._take()
        while index is not None:
            case, answered = self.cases[index], session.answered
            try:
                verdict = self._verdict(case, session)
            except PeerError as failure:
                if held is not None and failure.kind == "extra-answer" and session.answered == answered:
                    self._publish(*_blamed(held, failure))
                    held = None
                    continue  # the same case again
                verdict = broken(case, failure, required=self._is_required(case))
            asked = session.answered > answered
            if held is not None and (asked or not session.is_running):
                self._publish(*held)
                held = None
            if asked and session.is_running:
                held = index, verdict
            else:
                self._publish(index, verdict)
            index = self._take()
        try:
            session.close()
        except PeerError as failure:
            held = held and _blamed(held, failure)
        if held is not None:
            self._publish(*held)

    def _take(self) -> int | None:
        """Return the index of the next case; None if there is none."""
        with self._lock:
            if self.stopped.is_set() or self._next >= len(self.cases):
                return None
            self._next += 1
            return self._next - 1

    def _verdict(self, case: Case, session: Session) -> Verdict:
        pattern = next((pattern for pattern in self._skip if matches(case, pattern)), None)
        if pattern is not None:
            return Verdict(case, "skipped", f"pattern {pattern}")
        if reason := self._given_up or self._given_up_reason(case):
            return self._not_run(case, reason)
        if not session.is_running:
            self._start(session)
        diagnose = None if known_failure(case, self._known) else self._diagnose
        return judge(case, session, required_classes(self.handshake, self.classes), diagnose)

    def _start(self, session: Session) -> None:
        """Start the process of a session.

        Raises:
            PeerError: it failed in the handshake.
        """
        try:
            handshake = session.handshake
        except PeerError as failure:
            with self._lock:
                self._failed_starts += 1
                if self._failed_starts >= FAILED_STARTS:
                    self._given_up = (
                        f"stopped after {self._failed_starts} failed starts in a row; the last: {failure.message}"
                    )
            raise
        with self._lock:
            self._failed_starts = 0
            self.handshake = self.handshake or handshake
        self.greeted.set()

    def _is_required(self, case: Case) -> bool:
        return is_required(case, required_classes(self.handshake, self.classes), self.handshake)

    def _publish(self, index: int, verdict: Verdict) -> None:
        """Make a verdict final."""
        if known := known_failure(verdict.case, self._known):
            if verdict.status in ("failed", "broken"):
                verdict = replace(verdict, status="known-failure", reason=f"{known.reason} ({verdict.reason})")
            elif verdict.status == "passed":
                reason = f"listed as a known failure in line {known.line}: {known.reason}"
                verdict = replace(verdict, status="unexpected-pass", reason=reason)
        self.finished.put((index, verdict))


def _blamed(held: tuple[int, Verdict], failure: PeerError) -> tuple[int, Verdict]:
    """Return the verdict on a case after whose answer the process wrote unexpected output."""
    index, verdict = held
    return index, broken(verdict.case, failure, required=verdict.required)
