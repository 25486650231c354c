"""End the adapters of a run when a signal ends the run."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from types import FrameType
from typing import NoReturn

from simhash_doc.conformance.process_tree import adopted_orphans

_AGAIN = 0.01  # seconds until a lost signal is sent again


class _Ended(KeyboardInterrupt):
    """A signal ends the program. A `KeyboardInterrupt` passes through Hypothesis, which catches `SystemExit`."""


@contextmanager
def end_adapters_on_exit() -> Iterator[None]:
    """Leave no adapter running, also after SIGTERM and SIGHUP, which then act like Ctrl-C."""
    # Ignored signals (nohup) stay ignored; Windows has no SIGHUP.
    ending = [signal.Signals[name] for name in ("SIGTERM", "SIGHUP") if name in signal.Signals.__members__]
    before = {number: signal.getsignal(number) for number in ending}
    changed = {number: handler for number, handler in before.items() if handler != signal.SIG_IGN}
    for number in changed:
        signal.signal(number, _exit_orderly)
    hook, sys.unraisablehook = sys.unraisablehook, _send_again
    try:
        with adopted_orphans():
            yield
    except BaseException as error:
        if ended := _ended_in(error):
            sys.exit(ended.args[0])
        raise
    finally:
        sys.unraisablehook = hook
        for number, handler in changed.items():
            signal.signal(number, handler)


def _exit_orderly(number: int, frame: FrameType | None) -> NoReturn:
    raise _Ended(128 + number)


def _ended_in(error: BaseException | None) -> _Ended | None:
    """Return the end that an exception is or has replaced: code of Hypothesis may fail while it is interrupted."""
    while error is not None and not isinstance(error, _Ended):
        error = error.__context__
    return error


def _send_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Send the signal again if its exception was lost in a callback, such as Hypothesis's of the garbage collection."""
    if isinstance(unraisable.exc_value, _Ended):
        Timer(_AGAIN, os.kill, (os.getpid(), unraisable.exc_value.args[0] - 128)).start()
    else:
        sys.__unraisablehook__(unraisable)
