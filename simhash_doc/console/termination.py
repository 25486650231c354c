"""How a command ends when a signal tells it to: it deletes what it left, and says what is kept."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from simhash_doc.console.messages import print_error

terminated = threading.Event()  # set with `TerminatedError`, which is lost if it is raised in a callback of a library


class TerminatedError(BaseException):
    """SIGTERM or SIGHUP was received. Not yet a `SystemExit`: Hypothesis would treat it as a wrong answer."""


@contextmanager
def resumable(kept: Callable[[], str]) -> Iterator[None]:
    """After Ctrl-C or SIGTERM, print what is kept and how to continue.

    Args:
        kept: returns the message; empty if nothing is kept.
    """
    try:
        yield
    except (KeyboardInterrupt, TerminatedError):
        print_error(f"simhash-doc: interrupted; {kept() or 'nothing is kept'}")
        raise


@contextmanager
def cleanup_on_termination() -> Iterator[None]:
    """Let SIGTERM, and SIGHUP of a closed terminal, end the command as an exception does: it deletes what it left.

    Raises:
        SystemExit: a signal was received; the status is 128 and its number.
    """
    received: list[int] = []
    terminated.clear()  # an earlier run in this process may have set it

    def terminate(number: int, frame: object) -> None:
        received.append(number)
        terminated.set()
        raise TerminatedError

    handled = []
    if threading.current_thread() is threading.main_thread():
        ending = (getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP"))  # Windows has no SIGHUP
        handled = [one for one in ending if one and signal.getsignal(one) == signal.SIG_DFL]
    for one in handled:
        signal.signal(one, terminate)
    show = sys.unraisablehook
    sys.unraisablehook = lambda lost: None if received else show(lost)  # a callback in which a signal arrived
    try:
        yield
    except BaseException:  # what is interrupted may fail in another way
        if not received:
            raise
    finally:
        sys.unraisablehook = show
        for one in handled:
            signal.signal(one, signal.SIG_DFL)
    if received:
        sys.exit(128 + received[0])
