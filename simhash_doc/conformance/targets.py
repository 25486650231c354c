"""The targets of a run: a command, a Python function, or a file of answers, behind one interface."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

from simhash_doc.conformance import python_adapter as in_python
from simhash_doc.conformance.errors import CannotStartError, PeerError
from simhash_doc.conformance.messages import Answer, Handshake, shown
from simhash_doc.conformance.process import AdapterProcess


class Peer(Protocol):
    """An implementation after its handshake; see `AdapterProcess`."""

    @property
    def handshake(self) -> Handshake: ...

    def ask(self, request: Mapping[str, Any], key: str = "") -> Answer: ...

    def close(self) -> None: ...

    def kill(self) -> None: ...


class Target(Protocol):
    """Starts peers."""

    @property
    def kind(self) -> str: ...

    def connect(self, timeout: float, suite: str, stop: int | None = None) -> Peer: ...


@dataclass(frozen=True, slots=True)
class CommandTarget:
    """An adapter in any language."""

    command: Sequence[str]
    kind: str = "command"

    def connect(self, timeout: float, suite: str, stop: int | None = None) -> AdapterProcess:
        """Start a process.

        Raises:
            CannotStartError, PeerError: see `AdapterProcess`.
        """
        return AdapterProcess(self.command, timeout, suite, stop)


@dataclass(frozen=True, slots=True)
class PythonTarget:
    """A Python function, called in a separate process, so that it may hang or crash."""

    function: str
    kind: str = "python"

    def connect(self, timeout: float, suite: str, stop: int | None = None) -> AdapterProcess:
        """Start a process.

        Raises:
            CannotStartError: the function does not exist.
            PeerError: see `AdapterProcess`.
        """
        command = [sys.executable, "-m", in_python.__name__, self.function]
        try:
            return _FunctionProcess(command, timeout, suite, stop)
        except PeerError as failure:
            if missing := _last_line(failure, in_python.NOT_FOUND):
                raise CannotStartError(missing) from failure
            raise


class _FunctionProcess(AdapterProcess):
    """The process of a Python function. An exception of the function is the message of the crash."""

    def ask(self, request: Mapping[str, Any], key: str = "") -> Answer:
        try:
            return super().ask(request, key)
        except PeerError as failure:
            if raised := _last_line(failure, in_python.RAISED):
                raise PeerError(failure.kind, f"the function raised {raised}", stderr=failure.stderr) from failure
            raise


def _last_line(failure: PeerError, beginning: str) -> str:
    """Return the rest of the last line of standard error if it begins like this, or else an empty string."""
    last = failure.stderr.rstrip().rpartition("\n")[2]
    return last.removeprefix(beginning).strip() if last.startswith(beginning) else ""


class SameHandshakeTarget:
    """A target whose processes must all give the same handshake: a run is about one implementation.

    Args:
        target: starts the processes.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self._first: Handshake | None = None
        self._lock = threading.Lock()

    @property
    def kind(self) -> str:
        return self._target.kind

    def connect(self, timeout: float, suite: str, stop: int | None = None) -> Peer:
        """Start a process.

        Raises:
            CannotStartError: the command or function does not exist.
            PeerError: see `AdapterProcess`; or its handshake is not that of the first process.
        """
        peer = self._target.connect(timeout, suite, stop)
        with self._lock:
            self._first = self._first or peer.handshake
        if peer.handshake != self._first:
            peer.kill()
            raise PeerError("handshake", _difference(self._first, peer.handshake))
        return peer


def _difference(first: Handshake, other: Handshake) -> str:
    """Return how a handshake differs from the first, for a message."""
    names = (field.name for field in fields(Handshake))
    name = next(name for name in names if getattr(first, name) != getattr(other, name))
    given, before = (shown(getattr(handshake, name)) for handshake in (other, first))
    return f"in the handshake: {name!r} is {given}, but in that of the first process {before}"


def same_handshake(target: Target) -> Target:
    """Return a target whose processes must all give the same handshake."""
    return target if isinstance(target, SameHandshakeTarget) else SameHandshakeTarget(target)
