"""What Ctrl-C does while the program `simhash-doc` is loaded: it ends the program without a traceback.

Python imports the package before its `__main__`, so the package begins with this module. In any other program, Ctrl-C
raises `KeyboardInterrupt` during an import, as always.
"""

from __future__ import annotations

import os
import signal
import sys

INTERRUPTED = 130
"""The exit status after Ctrl-C: 128 and the number of SIGINT."""

_SCRIPTS = ("simhash-doc", "simhash-doc.exe", "simhash-doc-script.py", "simhash-doc-script.pyw")


def end_at_interrupt() -> None:
    """Let Ctrl-C end this process, unless the process handles or ignores Ctrl-C: nothing was begun so far."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def raise_at_interrupt() -> None:
    """Undo `end_at_interrupt`: from now on, Ctrl-C raises `KeyboardInterrupt`."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(number: int, frame: object) -> None:
    os._exit(INTERRUPTED)


def _is_program() -> bool:
    """Return True if Python runs the script `simhash-doc`, or resolves `python -m simhash_doc`."""
    called = sys.argv[0] if getattr(sys, "argv", None) else ""  # a program that embeds Python may have none
    return os.path.basename(called) in _SCRIPTS or (called == "-m" and "simhash_doc" in sys.orig_argv)


if _is_program():
    end_at_interrupt()
