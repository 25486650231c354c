"""Signals for processes that tests interrupt."""

from __future__ import annotations

import signal


def interruptible() -> None:
    """Make a new process react to signals that shells ignore for background jobs, and `nohup` for all."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
