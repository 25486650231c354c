"""A line on a terminal that says how far long work has come."""

from __future__ import annotations

import sys
import time
from types import TracebackType

_INTERVAL = 0.1  # seconds between two redraws


class Progress:
    """Counts finished items on standard error, on a terminal only; nothing is shown in a pipe.

    `total` may be set to None when it turns out to be unknown.
    """

    def __init__(self, total: int, noun: str) -> None:
        self.total: int | None = total
        self._noun = noun
        self._done = 0
        self._shown = sys.stderr.isatty()
        self._redraw_at = time.monotonic() + 5 * _INTERVAL

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()

    def clear(self) -> None:
        """Remove the line, before something else is printed."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def advance(self) -> None:
        """Count one item, and redraw the line if it is time to."""
        self._done += 1
        if self._shown and time.monotonic() >= self._redraw_at:
            of_all = "" if self.total is None else f" of {self.total:,}"
            sys.stderr.write(f"\r\x1b[K{self._done:,}{of_all} {self._noun}")
            sys.stderr.flush()
            self._redraw_at = time.monotonic() + _INTERVAL
