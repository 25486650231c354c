"""Work in a process that is killed before a change of a file."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

needs_fork = pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="kills copies of this process"
)
_CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir"}


def killed_before_change(number: int, folder: Path, work: Callable[[], object]) -> int | None:
    """Do some work in a process that is killed before its nth change of a file.

    Args:
        number: n, from 1.
        folder: changes of files below it count.
        work: its result is the exit status if it is a positive integer; all others are status 0.

    Returns:
        The exit status.
    """

    def child() -> None:
        remaining = number

        def watch(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal remaining
            writes = event == "open" and str(arguments[1])[:1] in ("w", "x")
            if (event in _CHANGES or writes) and str(folder) in str(arguments[0]):
                remaining -= 1
                if not remaining:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(watch)
        result = work()
        os._exit(result if isinstance(result, int) else 0)

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join()
    return process.exitcode
