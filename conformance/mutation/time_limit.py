"""A limit of time for a mutant, which may run forever."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = 5.0  # of the processor, so that other programs do not matter


@contextmanager
def time_limit() -> Iterator[None]:
    """Raise `TimeoutError` in the block after `SECONDS`."""
    signal.signal(signal.SIGVTALRM, _raise_timeout)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _raise_timeout(number: int, frame: object) -> None:
    raise TimeoutError
