"""Run cases against an implementation: threads with a session each, and verdicts in the order of the cases."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any, NoReturn

from simhash_doc.conformance.cases import Case, matches
from simhash_doc.conformance.errors import PeerError, StoppedError
from simhash_doc.conformance.judge import (
    Diagnose,
    KnownFailure,
    Verdict,
    WrongAnswer,
    broken,
    is_required,
    judge,
    known_failure,
    required_classes,
)
from simhash_doc.conformance.protocol import TIMEOUT, Answer, Handshake, request_sender
from simhash_doc.conformance.session import Session, Target

FAILED_STARTS = 3  # in a row, after which the rest is not run
_IDS_PER_CASE = 1000
_AGAIN = 0.01  # seconds until a lost signal is sent again


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a run.

    Attributes:
        handshake: of the implementation; None if it did not start.
        classes: the conformance classes that were required.
        verdicts: all, in the order of the cases.
    """

    handshake: Handshake | None
    classes: tuple[str, ...]
    verdicts: tuple[Verdict, ...]

    @property
    def ok(self) -> bool:
        """True if everything required passed. If nothing was tested, nothing passed."""
        tested = any(verdict.status in ("passed", "known-failure") for verdict in self.verdicts)
        return tested and not any(verdict.bad for verdict in self.verdicts)


def run(
    cases: Iterable[Case],
    target: Target,
    *,
    suite: str,
    timeout: float = TIMEOUT,
    jobs: int = 1,
    classes: Iterable[str] = (),
    skip: Sequence[str] = (),
    known: Sequence[KnownFailure] = (),
    diagnose: Diagnose | None = None,
    on_verdict: Callable[[Verdict], None] = lambda verdict: None,
    max_failures: int | None = None,
) -> Outcome:
    """Run cases and return the outcome.

    Args:
        cases: the cases to run.
        target: the implementation.
        suite: version of the suite, for the handshake.
        timeout: seconds for each answer.
        jobs: number of processes.
        classes: conformance classes that are required in addition to those that the implementation claims.
        skip: patterns (see `cases.select`) of cases to report as skipped.
        known: expected failures.
        diagnose: called with each case that was answered wrongly, the answer, and a function for further requests.
        on_verdict: called with each verdict, in the order of the cases, as soon as it is final.
        max_failures: number of failures after which the other cases are left out; None for no limit.

    Raises:
        CannotStartError: the command or function does not exist.
    """
    shared = _Shared(tuple(cases), tuple(classes), tuple(skip), tuple(known), diagnose)

    def work(number: int) -> None:
        if number:
            shared.greeted.wait()
        with Session(target, timeout, suite, shared.stopped, shared.handshake) as session:
            _Worker(shared, session).judge_all()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(max(1, jobs))]
    verdicts: list[Verdict] = []
    failures = 0
    try:
        for thread in threads:
            thread.start()
        while len(verdicts) < len(shared.cases) and failures != max_failures:
            verdicts.append(shared.wait_for(len(verdicts)))
            on_verdict(verdicts[-1])
            failures += verdicts[-1].bad
        if failures != max_failures:
            for thread in threads:
                thread.join()
    finally:
        shared.stopped.set()
        shared.greeted.set()
        for thread in threads:
            _join(thread)
    return Outcome(shared.handshake, required_classes(shared.handshake, shared.classes), tuple(verdicts))


def _join(thread: threading.Thread) -> None:
    """Wait for a thread to end its process; a second Ctrl-C must not leave the process running."""
    while thread.is_alive():
        with suppress(KeyboardInterrupt):
            thread.join()


class _Shared:
    """The state that the threads share: the remaining cases, the verdicts, the handshake."""

    def __init__(
        self,
        cases: tuple[Case, ...],
        classes: tuple[str, ...],
        skip: tuple[str, ...],
        known: tuple[KnownFailure, ...],
        diagnose: Diagnose | None,
    ) -> None:
        self.cases, self.classes, self.diagnose = cases, classes, diagnose
        self._skip, self.known = skip, known
        self.handshake: Handshake | None = None
        # The others wait for the first handshake, so that a command which never works is started three times,
        # not three times per thread.
        self.greeted, self.stopped = threading.Event(), threading.Event()
        self._changed = threading.Condition()
        self._verdicts: dict[int, Verdict] = {}
        self._error: BaseException | None = None
        self._next, self._failed_starts, self._given_up = 0, 0, ""

    def wait_for(self, index: int) -> Verdict:
        """Wait for a verdict and return it; raise the error of a thread if one failed."""
        with self._changed:
            self._changed.wait_for(lambda: index in self._verdicts or self._error is not None)
            if self._error is not None:
                raise self._error
            return self._verdicts[index]

    def take(self) -> int | None:
        """Return the index of the next case; None if there is none."""
        with self._changed:
            if self.stopped.is_set() or self._next >= len(self.cases):
                return None
            self._next += 1
            return self._next - 1

    def start(self, session: Session) -> None:
        """Start the process of a session.

        Raises:
            PeerError: it failed in the handshake. The current case is reported as broken.
        """
        try:
            handshake = session.handshake
        except PeerError as failure:
            with self._changed:
                self._failed_starts += 1
                if self._failed_starts >= FAILED_STARTS:
                    self._given_up = (
                        f"stopped after {self._failed_starts} failed starts in a row; the last: {failure.message}"
                    )
            raise
        with self._changed:
            self._failed_starts = 0
            self.handshake = self.handshake or handshake
        self.greeted.set()

    def verdict_without_answer(self, case: Case) -> Verdict | None:
        """Return the verdict on a case that is skipped or not run; None if it is to be run."""
        pattern = next((pattern for pattern in self._skip if matches(case, pattern)), None)
        if pattern is not None:
            return Verdict(case, "skipped", f"pattern {pattern}")
        if self._given_up:
            return Verdict(case, "not-run", self._given_up, self.is_required(case))
        return None

    def is_required(self, case: Case) -> bool:
        """Return True if `unsupported` is a failure for this case."""
        return is_required(case, required_classes(self.handshake, self.classes), self.handshake)

    def publish(self, index: int, verdict: Verdict) -> None:
        """Make a verdict final."""
        if known := known_failure(verdict.case, self.known):
            if verdict.status in ("failed", "broken"):
                verdict = replace(verdict, status="known-failure", reason=f"{known.reason} ({verdict.reason})")
            elif verdict.status == "passed":
                reason = f"listed as a known failure in line {known.line}: {known.reason}"
                verdict = replace(verdict, status="unexpected-pass", reason=reason)
        with self._changed:
            self._verdicts[index] = verdict
            self._changed.notify_all()

    def fail(self, error: BaseException) -> None:
        """End the run with an error."""
        with self._changed:
            self._error = self._error or error
            self._changed.notify_all()


class _Worker:
    """One thread's session, and the last verdict on its answers.

    The last verdict is held until the process has answered the next request: unexpected output belongs to the case
    that was answered last, not to the next one.
    """

    def __init__(self, shared: _Shared, session: Session) -> None:
        self._shared, self._session = shared, session
        self._asked, self._next_id = False, 0
        self._held: tuple[int, Verdict] | None = None

    def judge_all(self) -> None:
        """Judge cases until none is left: the body of a thread."""
        try:
            while (index := self._shared.take()) is not None:
                self._judge(index)
            self.close()
        except StoppedError:
            pass
        except BaseException as error:
            self._shared.fail(error)
        finally:
            self._shared.greeted.set()

    def _judge(self, index: int) -> None:
        """Judge a case. Publish the verdict or hold it."""
        case = self._shared.cases[index]
        verdict = self._shared.verdict_without_answer(case)
        if verdict is not None:
            self._shared.publish(index, verdict)
            return
        # The ids depend on the case, not on the process: messages may quote them.
        started, self._asked, self._next_id = time.perf_counter(), False, _IDS_PER_CASE * (index + 1)
        try:
            if not self._session.is_running:
                self._shared.start(self._session)
            verdict = self._verdict(case)
        except PeerError as failure:
            if failure.kind == "extra-answer" and self._held is not None:
                self._blame_held(failure)
                self._judge(index)
                return
            self._release()
            verdict = broken(case, failure, required=self._shared.is_required(case))
        verdict = replace(verdict, seconds=time.perf_counter() - started)
        if self._session.is_running and self._asked:
            self._held = (index, verdict)
        else:
            self._shared.publish(index, verdict)

    def _verdict(self, case: Case) -> Verdict:
        judged = judge(case, self, required_classes(self.handshake, self._shared.classes))
        if not isinstance(judged, WrongAnswer):
            return judged
        if self._shared.diagnose is None or known_failure(case, self._shared.known):
            return judged.verdict
        try:
            diagnosis = self._shared.diagnose(judged.single_case, judged.answer, request_sender(self))
        except PeerError as failure:
            diagnosis = [f"the implementation failed during the diagnosis: {failure}"]
        return replace(judged.verdict, diagnosis=diagnosis)

    @property
    def handshake(self) -> Handshake:
        """The handshake of the implementation."""
        assert self._shared.handshake is not None
        return self._shared.handshake

    def ask(self, request: Mapping[str, Any], key: str = "") -> Answer:
        """Send a request. Its answer releases the held verdict."""
        if not self._session.is_running:
            raise PeerError("crash", "the process was terminated")
        answer = self._session.ask({**request, "id": self._next_id}, key)
        self._asked, self._next_id = True, self._next_id + 1
        self._release()
        return answer

    def close(self) -> None:
        """End the process and publish the last verdict."""
        try:
            self._session.close()
        except PeerError as failure:
            self._blame_held(failure)
        self._release()

    def kill(self) -> None:
        """End the process at once."""
        self._session.kill()

    def _blame_held(self, failure: PeerError) -> None:
        if self._held is not None:
            index, verdict = self._held
            self._shared.publish(index, broken(verdict.case, failure, required=verdict.required))
            self._held = None

    def _release(self) -> None:
        if self._held is not None:
            self._shared.publish(*self._held)
            self._held = None


class _Ended(KeyboardInterrupt):
    """A signal ends the program. A `KeyboardInterrupt` passes through Hypothesis, which catches `SystemExit`."""


@contextmanager
def end_adapters_on_exit() -> Iterator[None]:
    """Let SIGTERM and SIGHUP act like Ctrl-C, so that sessions end their adapters; exit with the signal's status."""
    # Ignored signals (nohup) stay ignored; Windows has no SIGHUP.
    ending = [signal.Signals[name] for name in ("SIGTERM", "SIGHUP") if name in signal.Signals.__members__]
    before = {number: signal.getsignal(number) for number in ending}
    changed = {number: handler for number, handler in before.items() if handler != signal.SIG_IGN}
    for number in changed:
        signal.signal(number, _exit_orderly)
    hook, sys.unraisablehook = sys.unraisablehook, _send_again
    try:
        yield
    except BaseException as error:
        if ended := _ended_in(error):
            sys.exit(ended.args[0])
        raise
    finally:
        sys.unraisablehook = hook
        for number, handler in changed.items():
            signal.signal(number, handler)


def _exit_orderly(number: int, frame: FrameType | None) -> NoReturn:
    raise _Ended(128 + number)


def _ended_in(error: BaseException | None) -> _Ended | None:
    """Return the end that an exception is or has replaced: code of Hypothesis may fail while it is interrupted."""
    while error is not None and not isinstance(error, _Ended):
        error = error.__context__
    return error


def _send_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Send the signal again if its exception was lost in a callback, such as Hypothesis's of the garbage collection."""
    if isinstance(unraisable.exc_value, _Ended):
        threading.Timer(_AGAIN, os.kill, (os.getpid(), unraisable.exc_value.args[0] - 128)).start()
    else:
        sys.__unraisablehook__(unraisable)
