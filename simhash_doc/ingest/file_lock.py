"""A lock that lets one process at a time read, change and replace a file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def exclusive(path: str | os.PathLike[str]) -> Iterator[None]:
    """Keep others that call this function from writing a file until the block ends.

    The lock is on an empty file next to it, `.NAME.lock`, because the file itself may not exist yet, and is replaced.
    The system releases the lock when the process ends, however it ends. The lock file is deleted with the block; one
    that a killed process leaves is used and deleted by the next. Symbolic links are followed. What is not a regular
    file, such as /dev/null, is not locked, and nothing is on Windows, which has no such lock.

    Raises:
        BlockingIOError: Another process has locked the file.
        OSError: The lock file cannot be created.
    """
    target = Path(os.path.realpath(path))
    if os.name == "nt" or (target.exists() and not target.is_file()):
        yield
        return
    lock = target.with_name(f".{target.name}.lock")
    descriptor = _locked(lock)
    try:
        yield
    finally:
        # Deleted before it is released: who opens it later opens a new one. What is not empty is a file of the user.
        if not os.fstat(descriptor).st_size:
            with suppress(OSError):
                lock.unlink()
        os.close(descriptor)


def _locked(lock: Path) -> int:
    """Return the descriptor of a lock file that this process has locked, and that has not been deleted meanwhile."""
    import fcntl

    while True:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(descriptor, lock):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    """Return True if a path is still that of an open file."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False
