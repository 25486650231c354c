"""The limits of a worker process that parses documents: bounded memory, no network."""

from __future__ import annotations

import multiprocessing
import sys
from contextlib import suppress
from pathlib import Path

from simhash_doc.errors import SimhashDocError

_NETWORK = ("socket.", "urllib.", "http.", "ftplib.", "smtplib.")
_confined = False


class NetworkForbiddenError(SimhashDocError):
    """A library tried to use the network while it read a document."""

    code = "network-forbidden"


def confine(max_memory: int) -> None:
    """Confine this process permanently if it is a worker process; otherwise do nothing.

    Memory is limited where the system supports RLIMIT_AS. All network access through Python is rejected; the
    native parsers are built or configured without it.

    Args:
        max_memory: Bytes that the process may allocate from now on.
    """
    global _confined
    if _confined or multiprocessing.parent_process() is None:
        return
    _confined = True
    _limit_memory(max_memory)
    sys.addaudithook(_refuse_network)


def _limit_memory(max_memory: int) -> None:
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return
    used = 0
    with suppress(OSError, ValueError):
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
        used = int(pages) * resource.getpagesize()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    limit = used + max_memory if hard == resource.RLIM_INFINITY else min(used + max_memory, hard)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _refuse_network(event: str, _: tuple[object, ...]) -> None:
    if event.startswith(_NETWORK):
        raise NetworkForbiddenError(f"{event} is not allowed while a document is read")
