"""Runs cases against an implementation: in several processes, with verdicts in the order of the cases."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from simhash_doc.conformance.cases import Case
from simhash_doc.conformance.claims import required_classes
from simhash_doc.conformance.judge import Diagnose
from simhash_doc.conformance.known_failures import KnownFailure
from simhash_doc.conformance.messages import Handshake
from simhash_doc.conformance.targets import Target
from simhash_doc.conformance.verdict import Verdict
from simhash_doc.conformance.work import Settings, Work

TIMEOUT = 10.0  # seconds; PROTOCOL.md


@dataclass(frozen=True, slots=True)
class Outcome:
    """All verdicts, in the order of the cases, and what the implementation said of itself, if it did.

    `classes` are the conformance classes that were required.
    """

    handshake: Handshake | None
    classes: tuple[str, ...]
    verdicts: tuple[Verdict, ...]

    @property
    def ok(self) -> bool:
        """Whether everything required passed."""
        return not any(verdict.bad for verdict in self.verdicts)


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
) -> Outcome:
    """Run cases and return the outcome.

    Args:
        cases: those to run.
        target: the implementation.
        suite: version of the suite, for the handshake.
        timeout: seconds for each answer.
        jobs: number of processes.
        classes: conformance classes that are required besides those that the implementation claims.
        skip: patterns (see `cases.select`) of cases that are reported as skipped.
        known: failures that are expected.
        diagnose: is called with each case answered wrongly, the answer, and a function to ask more with.
        on_verdict: is called with each verdict, in the order of the cases, as soon as it is certain.

    Raises:
        CannotStart: there is no such command or function.
    """
    settings = Settings(target, suite, timeout, tuple(classes), tuple(skip), tuple(known), diagnose)
    work = Work(tuple(cases), settings)
    threads = [threading.Thread(target=work.attend, args=(n == 0,)) for n in range(max(1, jobs))]
    try:
        for thread in threads:
            thread.start()
        verdicts = []
        for index in range(len(work.cases)):
            verdicts.append(work.wait_for(index))
            on_verdict(verdicts[-1])
        for thread in threads:
            thread.join()
    finally:
        work.stop()
        for thread in threads:
            _join(thread)
        work.dispose()
    return Outcome(work.handshake, required_classes(work.handshake, classes), tuple(verdicts))


def _join(thread: threading.Thread) -> None:
    """Wait for a thread that is ending its process; another Ctrl-C must not leave the process behind."""
    while thread.is_alive():
        with suppress(KeyboardInterrupt):
            thread.join()
