"""The targets of a run: a command, a Python function, or a file of answers, behind one interface."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from simhash_doc.conformance import python_adapter as in_python
from simhash_doc.conformance.errors import CannotStartError, PeerError
from simhash_doc.conformance.messages import Answer, Handshake
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
            return AdapterProcess(command, timeout, suite, stop)
        except PeerError as failure:
            lines = failure.stderr.strip().splitlines()
            if lines and lines[-1].startswith(in_python.NOT_FOUND):
                raise CannotStartError(lines[-1].removeprefix(in_python.NOT_FOUND).strip()) from failure
            raise
