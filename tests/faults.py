"""Faults of the file system, for the superuser too: writes, syncs and renames that fail."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_ONCE, _ALWAYS, _SHORT, _KILL = range(4)

needs_faults = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="needs Linux and a C compiler"
)


@dataclass(frozen=True)
class Fault:
    """The n-th write, sync or rename of a process fails, or the process is killed before it."""

    call: int
    error: int = 0
    mode: int = _ONCE

    def __str__(self) -> str:
        if self.mode == _KILL:
            return f"killed before call {self.call}"
        kind = {_ONCE: "once", _ALWAYS: "from then on", _SHORT: "after half of it"}[self.mode]
        return f"{errno.errorcode.get(self.error)} at call {self.call} {kind}"


NO_FAULT = Fault(0)


def faults_of(calls: int, most: int) -> list[Fault]:
    """Return at most so many faults, spread over the calls of a command: a broken disk, and one that becomes full."""
    kinds = [(errno.EIO, _ONCE), (errno.ENOSPC, _ALWAYS), (errno.ENOSPC, _SHORT)]
    return _spread([Fault(call, *kind) for call in range(1, calls + 1) for kind in kinds], most)


def kills_of(calls: int, most: int) -> list[Fault]:
    """Return at most so many faults, spread over the calls of a command, that kill it before a call."""
    return _spread([Fault(call, 0, _KILL) for call in range(1, calls + 1)], most)


def _spread(every: list[Fault], most: int) -> list[Fault]:
    step = max(1, len(every) / most)
    return [every[int((at + 0.5) * step)] for at in range(min(most, len(every)))]


@dataclass(frozen=True)
class Outcome:
    """The exit status of a command, what it printed, and its number of writes, syncs and renames."""

    status: int
    output: str
    calls: int


class FaultyCommands:
    """Runs commands with faults."""

    def __init__(self, server: subprocess.Popen[str]) -> None:
        self._server = server

    def run(self, folder: Path, arguments: list[str], fault: Fault = NO_FAULT) -> Outcome:
        """Run `simhash-doc` in a folder."""
        request = {"arguments": arguments, "folder": str(folder), **vars(fault)}
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        return Outcome(**json.loads(self._server.stdout.readline()))


@contextmanager
def faulty_commands(folder: Path) -> Iterator[FaultyCommands]:
    """Compile the library of the faults into a folder and start the process that runs commands with it."""
    library = folder / "faults.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, ROOT / "tests/faults.c", "-ldl"], check=True)
    command = [sys.executable, "-m", "tests.fault_server"]
    environment = {**os.environ, "LD_PRELOAD": str(library)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=ROOT, env=environment) as server:
        yield FaultyCommands(server)
        assert server.stdin is not None
        server.stdin.close()
