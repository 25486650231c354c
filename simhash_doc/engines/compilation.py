"""Report that Numba compiles, which takes seconds without a sign of it; the result is cached."""

from __future__ import annotations

from collections.abc import Callable

_report: Callable[[], object] | None = None


def report_compilation(report: Callable[[], object] | None) -> None:
    """Set a function that is called once, when Numba begins to compile loops of this package; None for no function."""
    global _report
    _report = report


def watch_compilation() -> None:
    """Let Numba, which is installed, tell when it begins to compile. Call this before a compiled loop is called."""
    if _report is None:
        return
    try:
        from numba.core import event
    except ImportError:  # experimental in Numba
        return

    class Listener(event.Listener):
        def on_start(self, event: object) -> None:
            if _report is not None:
                report = _report
                report_compilation(None)
                report()

        def on_end(self, event: object) -> None:
            pass

    event.register("numba:compile", Listener())  # type: ignore[no-untyped-call]
