"""Report that Numba compiles, which takes seconds without a sign of it; the result is cached."""

from __future__ import annotations

from collections.abc import Callable

on_start: Callable[[], object] | None = None
"""Called once, when Numba begins to compile loops of this package."""


def watch_compilation() -> None:
    """Let Numba, which is installed, tell when it begins to compile. Call this before a compiled loop is called."""
    if on_start is None:
        return
    try:
        from numba.core import event
    except ImportError:  # experimental in Numba
        return

    class Listener(event.Listener):
        def on_start(self, event: object) -> None:
            _report()

        def on_end(self, event: object) -> None:
            pass

    event.register("numba:compile", Listener())  # type: ignore[no-untyped-call]


def _report() -> None:
    global on_start
    report, on_start = on_start, None
    if report is not None:
        report()
