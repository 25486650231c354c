"""Processes that tests interrupt."""

from __future__ import annotations

import signal


def interruptible() -> None:
    """Undo, in a new process, what shells do to background jobs and `nohup` to all: they ignore these signals."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
