"""One implementation of the matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simhash_doc.conformance.cases import Case
from simhash_doc.conformance.errors import CannotStartError, PeerError
from simhash_doc.conformance.messages import Answer, Handshake
from simhash_doc.conformance.requests import is_about
from simhash_doc.conformance.session import Session
from simhash_doc.conformance.targets import Target

MOST_FAILURES = 3  # of a process, after which an implementation is asked nothing more


class Participant:
    """An implementation, and how its processes failed.

    Args:
        name: unique in the matrix.
        target: starts its processes.
        timeout: seconds for each answer.
        suite: version of the suite, for the handshake.

    Attributes:
        absent: why it cannot be run here; empty if it can.
        failures: of its processes, in words.
    """

    def __init__(self, name: str, target: Target, timeout: float, suite: str) -> None:
        self.name = name
        self.absent = ""
        self.failures: list[str] = []
        self.session = Session(target, timeout, suite)
        self._handshake: Handshake | None = None

    @property
    def handshake(self) -> Handshake:
        """What it declares, after `start`."""
        assert self._handshake is not None
        return self._handshake

    def start(self) -> bool:
        """Start a process; return True if it answered the handshake."""
        try:
            self._handshake = self.session.handshake
        except CannotStartError as error:
            self.absent = str(error)
        except PeerError as failure:
            self.failures.append(str(failure))
        return self._handshake is not None

    def declares(self, request: Mapping[str, Any]) -> bool:
        """Return True if the operation, schemes and form of input of a request are declared."""
        if request["op"] not in self.handshake.operations:
            return False
        if "utf16" in request and "surrogates" not in self.handshake.features:
            return False
        return is_about(as_case(request), self.handshake.schemes)

    def answer(self, request: Mapping[str, Any], where: str = "shrinking") -> Answer | PeerError:
        """Return the answer to a request, or the failure of the process, which is recorded with `where`.

        After some failures no more is sent, so that an implementation that hangs does not delay the others for long.
        """
        if len(self.failures) >= MOST_FAILURES:
            return PeerError("crash", f"not asked after {MOST_FAILURES} failures")
        try:
            return self.session.ask(request)
        except PeerError as failure:
            self.failures.append(f"{failure} ({where})")
            return failure

    def finish(self) -> None:
        """End the process regularly; output without a request counts as a failure."""
        try:
            self.session.finish()
        except PeerError as failure:
            self.failures.append(str(failure))


def common_operations(a: Participant, b: Participant) -> frozenset[str]:
    """Return the operations that two implementations declare, except `extract`, whose answers may differ."""
    return frozenset(a.handshake.operations) & frozenset(b.handshake.operations) - {"extract"}


def as_case(request: Mapping[str, Any], expected: Mapping[str, Any] | None = None) -> Case:
    """Return a request as a case without a name."""
    members = {name: value for name, value in request.items() if name != "op"}
    return Case("", str(request["op"]), members, dict(expected or {}), (), "", ("matrix",), "found by the matrix")
