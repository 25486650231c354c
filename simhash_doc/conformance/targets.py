"""What the runner can check: a command, a Python function, or a file of answers. All have one small interface."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from simhash_doc.conformance import callable as in_python
from simhash_doc.conformance.failures import CannotStart, PeerFailure
from simhash_doc.conformance.messages import Answer, Handshake
from simhash_doc.conformance.process import AdapterProcess


class Peer(Protocol):
    """An implementation that answers, after its handshake; see `AdapterProcess`."""

    @property
    def handshake(self) -> Handshake: ...

    def ask(self, request: Mapping[str, Any], key: str = "") -> Answer: ...

    def close(self) -> None: ...

    def kill(self) -> None: ...


class Target(Protocol):
    """Where peers come from."""

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
            CannotStart, PeerFailure: see `AdapterProcess`.
        """
        return AdapterProcess(self.command, timeout, suite, stop)


@dataclass(frozen=True, slots=True)
class PythonTarget:
    """A Python function, called in a process of its own so that it may hang or crash."""

    function: str
    kind: str = "python"

    def connect(self, timeout: float, suite: str, stop: int | None = None) -> AdapterProcess:
        """Start a process.

        Raises:
            CannotStart: there is no such function.
            PeerFailure: see `AdapterProcess`.
        """
        command = [sys.executable, "-m", in_python.__name__, self.function]
        try:
            return AdapterProcess(command, timeout, suite, stop)
        except PeerFailure as failure:
            lines = failure.stderr.strip().splitlines()
            if lines and lines[-1].startswith(in_python.NOT_FOUND):
                raise CannotStart(lines[-1].removeprefix(in_python.NOT_FOUND).strip()) from failure
            raise
