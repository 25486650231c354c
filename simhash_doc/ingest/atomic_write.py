"""Write files atomically: an interruption leaves the previous file, or none, but never an incomplete one."""

from __future__ import annotations

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
    temporary = target.with_name(f".{target.name}.{os.getpid()}.{os.urandom(4).hex()}.part")
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
