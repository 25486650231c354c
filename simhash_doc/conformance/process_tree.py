"""Find and end every process that an adapter leaves behind, in any session (Linux: /proc)."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

# Every adapter gets this variable with a unique value. Descendants inherit it, even those in another session
# whose parent has ended.
MARK = "SIMHASH_DOC_CONFORMANCE_PROCESS"
_PROC = Path("/proc")
_PR_SET_CHILD_SUBREAPER, _PR_GET_CHILD_SUBREAPER = 36, 37
_QUIET_ROUNDS = 50  # in which no child came, after which none is expected
_PATIENCE = 3.0  # seconds for killed processes to be gone


@dataclass(frozen=True, slots=True)
class _Process:
    pid: int
    state: str
    parent: int
    group: int
    session: int


def end_descendants(leader: int, mark: str) -> None:
    """Kill the remains of an adapter: its group, its session, their descendants, and all processes with its mark.

    The leader may have ended, but must not have been reaped: its number must not belong to another process.
    Processes that this one adopted are reaped.
    """
    give_up = time.monotonic() + _PATIENCE
    while True:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)
        if not _end({process.pid: process for process in _family(leader, mark)}, spare=leader):
            return
        if time.monotonic() > give_up:
            return
        time.sleep(0.002)


@contextmanager
def adopted_orphans() -> Iterator[None]:
    """Become the parent of orphaned descendants, and kill them at the end.

    For a program that runs only adapters: a new child in another session is treated as an adapter's. (An adapter
    starts in its own session, and no process can join the session of another, so children in this program's own
    session are never touched.)
    """
    if not sys.platform.startswith("linux"):
        yield
        return
    before = {process.pid for process in _processes() if process.parent == os.getpid()}
    libc = ctypes.CDLL(None, use_errno=True)
    was_subreaper = ctypes.c_int()
    libc.prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(was_subreaper), 0, 0, 0)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        give_up = time.monotonic() + _PATIENCE
        _end_children(before, give_up)
        while _end(_adopted(before)) and time.monotonic() < give_up:
            _end_children(before, give_up)
        libc.prctl(_PR_SET_CHILD_SUBREAPER, was_subreaper.value, 0, 0, 0)


def _end_children(before: set[int], give_up: float) -> None:
    """Kill adopted children until no new ones appear, faster than a process can fork and exit.

    Reading all processes takes longer than a generation of such a process lives.
    """
    own_session, children = os.getsid(0), _PROC / f"self/task/{os.getpid()}/children"
    if not children.exists():  # a kernel without CONFIG_PROC_CHILDREN
        return
    quiet = 0
    while quiet < _QUIET_ROUNDS and time.monotonic() < give_up:
        quiet += 1
        for pid in {int(pid) for pid in children.read_bytes().split()} - before:
            with suppress(ProcessLookupError, PermissionError, ChildProcessError):
                if os.getsid(pid) != own_session:
                    quiet = 0
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, os.WNOHANG)


def _adopted(before: set[int]) -> dict[int, _Process]:
    processes = list(_processes())
    roots = {
        process.pid
        for process in processes
        if process.parent == os.getpid() and process.session != os.getsid(0) and process.pid not in before
    }
    return _with_descendants(roots, processes)


def _family(leader: int, mark: str) -> list[_Process]:
    processes = list(_processes())
    sought = f"{MARK}={mark}".encode()
    roots = {
        process.pid
        for process in processes
        if leader in (process.pid, process.group, process.session) or sought in _environment(process.pid)
    }
    return list(_with_descendants(roots, processes).values())


def _with_descendants(roots: set[int], processes: list[_Process]) -> dict[int, _Process]:
    found = set(roots)
    while more := {process.pid for process in processes if process.parent in found} - found:
        found |= more
    return {process.pid: process for process in processes if process.pid in found}


def _end(found: dict[int, _Process], spare: int = 0) -> bool:
    """Kill and reap processes. Return True if any was still running, except the spared zombie."""
    left = False
    for process in found.values():
        if process.state == "Z":
            # A zombie with another parent has to be reaped by that parent.
            if process.pid != spare and process.parent == os.getpid():
                with suppress(ChildProcessError):
                    os.waitpid(process.pid, os.WNOHANG)
            continue
        left = True
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process.pid, signal.SIGKILL)
    return left


def _processes() -> Iterator[_Process]:
    if not sys.platform.startswith("linux"):
        return
    for entry in _PROC.iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                # The command's name is in parentheses and may contain parentheses.
                fields = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
                yield _Process(int(entry.name), fields[0], *map(int, fields[1:4]))


def _environment(pid: int) -> list[bytes]:
    try:
        return (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return []
