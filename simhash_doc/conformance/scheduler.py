"""The threads of a run. Each takes the next case and has its own peer."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from simhash_doc.conformance.cases import Case, matches
from simhash_doc.conformance.classes import is_required, required_classes
from simhash_doc.conformance.errors import PeerError, StoppedError
from simhash_doc.conformance.judge import Diagnose, WrongAnswer, broken, judge, request_sender
from simhash_doc.conformance.known_failures import KnownFailure, known_failure
from simhash_doc.conformance.messages import Answer, Handshake
from simhash_doc.conformance.targets import Peer, Target
from simhash_doc.conformance.verdict import Verdict

FAILED_STARTS = 3  # in a row, after which the rest is not run
_IDS_PER_CASE = 1000


@dataclass(frozen=True, slots=True)
class Settings:
    """The arguments of `runner.run`."""

    target: Target
    suite: str
    timeout: float
    classes: tuple[str, ...]
    skip: tuple[str, ...]
    known: tuple[KnownFailure, ...]
    diagnose: Diagnose | None


class Scheduler:
    """The state that the threads share: the remaining cases, the verdicts, the handshake."""

    def __init__(self, cases: tuple[Case, ...], settings: Settings) -> None:
        self.cases, self._settings = cases, settings
        self.handshake: Handshake | None = None
        self._changed = threading.Condition()
        self._verdicts: dict[int, Verdict] = {}
        self._error: BaseException | None = None
        self._next, self._failed_starts, self._given_up = 0, 0, ""
        # The others wait for the first handshake, so that a command which never works is started three times,
        # not three times per thread.
        self._greeted = threading.Event()
        self._stopped_when_readable, self._stopper = os.pipe()
        self._stopping = False

    def wait_for(self, index: int) -> Verdict:
        """Wait for a verdict and return it; raise the error of a thread if one failed."""
        with self._changed:
            self._changed.wait_for(lambda: index in self._verdicts or self._error is not None)
            if self._error is not None:
                raise self._error
            return self._verdicts[index]

    def stop(self) -> None:
        """Make every thread end its process and return."""
        if not self._stopping:
            self._stopping = True
            self._greeted.set()
            os.close(self._stopper)

    def dispose(self) -> None:
        """Close the descriptor of `stop`, after the threads have ended."""
        os.close(self._stopped_when_readable)

    def run_worker(self, first: bool) -> None:
        """Judge cases until none is left: the body of a thread."""
        if not first:
            self._greeted.wait()
        worker = Worker(self)
        try:
            while (index := self._take()) is not None:
                worker.judge(index)
            worker.close()
        except StoppedError:
            pass
        except BaseException as error:
            with self._changed:
                self._error = self._error or error
                self._changed.notify_all()
        finally:
            self._greeted.set()
            worker.kill()

    def connect(self) -> Peer:
        """Start a peer.

        Raises:
            PeerError: it failed in the handshake. The current case is reported as broken.
        """
        try:
            peer = self._settings.target.connect(
                self._settings.timeout, self._settings.suite, self._stopped_when_readable
            )
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
            self.handshake = self.handshake or peer.handshake
        self._greeted.set()
        return peer

    def verdict_without_peer(self, case: Case) -> Verdict | None:
        """Return the verdict on a case that is skipped or not run; None if it is to be run."""
        pattern = next((pattern for pattern in self._settings.skip if matches(case, pattern)), None)
        if pattern is not None:
            return Verdict(case, "skipped", f"pattern {pattern}")
        if self._given_up:
            return Verdict(case, "not-run", self._given_up, self.is_required(case))
        return None

    def verdict(self, case: Case, peer: Peer) -> Verdict:
        """Return the verdict on the peer's answers."""
        judged = judge(case, peer, required_classes(peer.handshake, self._settings.classes))
        if not isinstance(judged, WrongAnswer):
            return judged
        if self._settings.diagnose is None or known_failure(case, self._settings.known):
            return judged.verdict
        try:
            diagnosis = self._settings.diagnose(judged.single_case, judged.answer, request_sender(peer))
        except PeerError as failure:
            diagnosis = [f"the implementation failed during the diagnosis: {failure}"]
        return replace(judged.verdict, diagnosis=diagnosis)

    def is_required(self, case: Case) -> bool:
        """Return True if `unsupported` is a failure for this case."""
        return is_required(case, required_classes(self.handshake, self._settings.classes), self.handshake)

    def publish(self, index: int, verdict: Verdict) -> None:
        """Make a verdict final."""
        with self._changed:
            self._verdicts[index] = self._with_known(verdict)
            self._changed.notify_all()

    def _with_known(self, verdict: Verdict) -> Verdict:
        known = known_failure(verdict.case, self._settings.known)
        if known is None:
            return verdict
        if verdict.status in ("failed", "broken"):
            return replace(verdict, status="known-failure", reason=f"{known.reason} ({verdict.reason})")
        if verdict.status == "passed":
            reason = f"listed as a known failure in line {known.line}: {known.reason}"
            return replace(verdict, status="unexpected-pass", reason=reason)
        return verdict

    def _take(self) -> int | None:
        with self._changed:
            if self._stopping or self._next >= len(self.cases):
                return None
            self._next += 1
            return self._next - 1


class Worker:
    """One thread's peer and the last verdict on its answers.

    The last verdict is held until the peer has answered the next request: unexpected output belongs to the case
    that was answered last, not to the next one.
    """

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._peer: Peer | None = None
        self._asked, self._next_id = False, 0
        self._held: tuple[int, Verdict] | None = None

    def judge(self, index: int) -> None:
        """Judge a case. Publish the verdict or hold it."""
        case = self._scheduler.cases[index]
        verdict = self._scheduler.verdict_without_peer(case)
        if verdict is not None:
            self._scheduler.publish(index, verdict)
            return
        # The ids depend on the case, not on the process: messages may quote them.
        started, self._asked, self._next_id = time.perf_counter(), False, _IDS_PER_CASE * (index + 1)
        try:
            if self._peer is None:
                self._peer = self._scheduler.connect()
            verdict = self._scheduler.verdict(case, self)
        except PeerError as failure:
            if failure.kind == "extra-answer" and self._held is not None:
                self._blame_held(failure)
                self.judge(index)
                return
            self._release()
            verdict = broken(case, failure, required=self._scheduler.is_required(case))
        verdict = replace(verdict, seconds=time.perf_counter() - started)
        if self._peer is not None and self._asked:
            self._held = (index, verdict)
        else:
            self._scheduler.publish(index, verdict)

    @property
    def handshake(self) -> Handshake:
        """The peer's handshake."""
        assert self._peer is not None
        return self._peer.handshake

    def ask(self, request: Mapping[str, Any], key: str = "") -> Answer:
        """Ask the peer. Its answer releases the held verdict."""
        if self._peer is None:
            raise PeerError("crash", "the process was terminated")
        try:
            answer = self._peer.ask({**request, "id": self._next_id}, key)
        except PeerError:
            self._peer = None
            raise
        self._asked, self._next_id = True, self._next_id + 1
        self._release()
        return answer

    def close(self) -> None:
        """End the peer and publish the last verdict."""
        if self._peer is not None:
            try:
                self._peer.close()
            except PeerError as failure:
                self._blame_held(failure)
            self._peer = None
        self._release()

    def kill(self) -> None:
        """Kill the peer if it still runs."""
        if self._peer is not None:
            self._peer.kill()

    def _blame_held(self, failure: PeerError) -> None:
        if self._held is not None:
            index, verdict = self._held
            self._scheduler.publish(index, broken(verdict.case, failure, required=verdict.required))
            self._held = None

    def _release(self) -> None:
        if self._held is not None:
            self._scheduler.publish(*self._held)
            self._held = None
