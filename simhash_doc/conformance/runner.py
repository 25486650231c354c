"""Run cases against an implementation, in several processes, with verdicts in the order of the cases."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from simhash_doc.conformance.cases import Case
from simhash_doc.conformance.classes import required_classes
from simhash_doc.conformance.judge import Diagnose
from simhash_doc.conformance.known_failures import KnownFailure
from simhash_doc.conformance.messages import Handshake
from simhash_doc.conformance.scheduler import Scheduler, Settings
from simhash_doc.conformance.targets import Target, same_handshake
from simhash_doc.conformance.verdict import Verdict

TIMEOUT = 10.0  # seconds; PROTOCOL.md


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
    settings = Settings(same_handshake(target), suite, timeout, tuple(classes), tuple(skip), tuple(known), diagnose)
    scheduler = Scheduler(tuple(cases), settings)
    threads = [threading.Thread(target=scheduler.run_worker, args=(n == 0,)) for n in range(max(1, jobs))]
    try:
        for thread in threads:
            thread.start()
        verdicts: list[Verdict] = []
        failures = 0
        for index in range(len(scheduler.cases)):
            verdicts.append(scheduler.wait_for(index))
            on_verdict(verdicts[-1])
            failures += verdicts[-1].bad
            if failures == max_failures:
                return _outcome(scheduler, classes, verdicts)
        for thread in threads:
            thread.join()
    finally:
        scheduler.stop()
        for thread in threads:
            _join(thread)
        scheduler.dispose()
    return _outcome(scheduler, classes, verdicts)


def _outcome(scheduler: Scheduler, classes: Iterable[str], verdicts: list[Verdict]) -> Outcome:
    return Outcome(scheduler.handshake, required_classes(scheduler.handshake, classes), tuple(verdicts))


def _join(thread: threading.Thread) -> None:
    """Wait for a thread to end its process; a second Ctrl-C must not leave the process running."""
    while thread.is_alive():
        with suppress(KeyboardInterrupt):
            thread.join()
