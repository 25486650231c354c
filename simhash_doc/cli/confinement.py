"""What a worker process that parses documents may not do: take all memory, use the network."""

from __future__ import annotations

import multiprocessing
import sys
from contextlib import suppress
from pathlib import Path

_NETWORK = ("socket.", "urllib.", "http.", "ftplib.", "smtplib.")
_confined = False


class ForbiddenError(Exception):
    """A library tried to use the network while it read a document."""


def confine(memory: int) -> None:
    """Confine this process for the rest of its life, if it is a worker: at most `memory` more bytes, no network.

    Memory is bounded where the system knows RLIMIT_AS. The network is closed to all that goes through Python; the
    native parsers are built or set up without it.
    """
    global _confined
    if _confined or multiprocessing.parent_process() is None:
        return
    _confined = True
    _bound_memory(memory)
    sys.addaudithook(_refuse)


def _bound_memory(memory: int) -> None:
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return
    used = 0
    with suppress(OSError, ValueError):
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
        used = int(pages) * resource.getpagesize()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    wanted = used + memory if hard == resource.RLIM_INFINITY else min(used + memory, hard)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))


def _refuse(event: str, _: tuple[object, ...]) -> None:
    if event.startswith(_NETWORK):
        raise ForbiddenError(f"{event} is not allowed while a document is read")
