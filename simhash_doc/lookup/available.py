"""The memory that a search needs, compared with what is free before the search starts."""

from __future__ import annotations

from simhash_doc.lookup.errors import TooLargeError

_SMALL = 1 << 28  # bytes, for which nobody asks the system


def check_available(needed: int, what: str, instead: str) -> None:
    """Reject work in memory that needs more bytes than the system has free, swap space included.

    Args:
        needed: bytes that the work allocates.
        what: what needs them, for the message.
        instead: what needs less.

    Raises:
        TooLargeError: they are not free.
    """
    if needed <= _SMALL:
        return
    import psutil  # not above: small searches do not ask

    free = psutil.virtual_memory().available + psutil.swap_memory().free
    if needed > free:
        raise TooLargeError(
            f"{what} needs {needed / 1e9:,.1f} GB of memory, and {free / 1e9:,.1f} GB are free: {instead}"
        )
