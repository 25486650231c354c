"""Write files atomically: an interruption leaves the previous file, or none, but never an incomplete one."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that replaces `path` when the block ends.

    The data goes to a temporary file in the same directory, which is flushed to the disk and renamed. If an error or
    an interruption ends the block, the temporary file is deleted and `path` keeps its content. A symbolic link is
    followed, and a file that is replaced keeps its permissions. A target that is not a regular file, such as
    /dev/null or a pipe, is written directly.

    Raises:
        OSError: The file cannot be written.
    """
    target = Path(os.path.realpath(path))
    mode = target.stat().st_mode if target.exists() else None
    if mode is not None and not stat.S_ISREG(mode):
        with target.open("wb") as file:
            yield file
        return
    temporary = _temporary(target)
    # The file is created inside `try`: an interruption may come as soon as it exists.
    try:
        with temporary.open("xb") as file:
            if mode is not None:
                temporary.chmod(stat.S_IMODE(mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def check_writable(path: str | os.PathLike[str]) -> None:
    """Check that `atomic_write` can open a path, which stays as it is.

    Permissions do not tell: the file system may be read-only. So a temporary file is created and deleted.

    Raises:
        OSError: The path is a directory, or no file can be created in its directory.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir() or os.fspath(path).endswith(os.sep):
        raise _error(errno.EISDIR, path)
    if target.exists() and not target.is_file():
        if not os.access(target, os.W_OK):
            raise _error(errno.EACCES, path)
        return
    temporary = _temporary(target)
    try:
        temporary.open("xb").close()
    finally:
        with suppress(OSError):
            temporary.unlink()


def _temporary(target: Path) -> Path:
    """Return a new name for a temporary file in the directory of a file."""
    return target.with_name(f".{target.name}.{os.getpid()}.{os.urandom(4).hex()}.part")


def _error(number: int, path: str | os.PathLike[str]) -> OSError:
    return OSError(number, os.strerror(number), os.fspath(path))
