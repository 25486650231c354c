"""Processes that tests interrupt."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Sequence
from types import TracebackType
from typing import Any, AnyStr


def interruptible() -> None:
    """Make a new process react to signals that shells ignore for background jobs, and `nohup` for all."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class InterruptedProcess(subprocess.Popen[AnyStr]):
    """A process that a test interrupts. If it does not end, it is killed, so that the test fails and does not wait."""

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        super().__init__(command, preexec_fn=interruptible, **options)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is not None:
            self.kill()
        super().__exit__(kind, error, traceback)
