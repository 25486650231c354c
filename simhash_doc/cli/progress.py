"""A progress line on a terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from simhash_doc.cli.streams import is_quiet

_INTERVAL = 0.1  # seconds between two redraws


class Progress:
    """A line with the number of finished items on standard error, if that is a terminal.

    Args:
        total: Number of all items; None if it is not known. It may change while items are counted.
        noun: What the items are called.
    """

    def __init__(self, total: int | None, noun: str) -> None:
        self.total, self._noun = total, noun
        self._done = 0
        self._shown = sys.stderr.isatty() and not is_quiet() and (total is None or total > 1)
        self._redraw_at = time.monotonic() + 5 * _INTERVAL

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()

    def clear(self) -> None:
        """Remove the line before something else is printed."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def advance(self, count: int = 1) -> None:
        """Count finished items and redraw the line from time to time."""
        self._done += count
        if self._shown and time.monotonic() >= self._redraw_at:
            done = f"{self._done:,}" if self.total is None else f"{self._done:,} of {self.total:,}"
            sys.stderr.write(f"\r\x1b[K{done} {self._noun}")
            sys.stderr.flush()
            self._redraw_at = time.monotonic() + _INTERVAL
