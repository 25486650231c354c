"""Files that are written by one process at a time, and appear complete or not at all."""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from simhash_doc.errors import SimhashDocError, shown

RUN = "run.json"
DONE = "done.json"
OUTPUT = "output"
_LOCK = "lock"
_MARKER = b"simhash-doc: finished parts of a result\n"
_SHOWN = 100  # characters of a path in a message
# A temporary file of `atomic_write`, which a killed process leaves behind, has this after the name of the file.
_TEMPORARY = re.compile(r"\.(?P<name>.+)\.[0-9]+\.[0-9a-f]{8}\.part")


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


class PartFolder:
    """A locked folder of this program.

    Args:
        path: Created if it does not exist. An existing one must be empty or contain the marker in its lock file.
        part_name: What the name of a part matches.
        failure, usage: The errors of the caller.

    Raises:
        usage: It is a link, or contains what this program did not create. Nothing is changed.
        failure: Another process has it locked.
        OSError: It cannot be created or read.
    """

    def __init__(
        self, path: Path, part_name: str, failure: type[SimhashDocError], usage: type[SimhashDocError]
    ) -> None:
        self.path = path
        self._part_name, self._failure, self._usage = re.compile(part_name), failure, usage
        if not os.path.lexists(path):
            path.mkdir()
        self._check_own()
        self._lock = self._locked()

    def close(self) -> None:
        """Release the folder, so that another process can use it."""
        self._lock.close()

    def exists(self, name: str) -> bool:
        """Return True if the folder has a file."""
        return (self.path / name).exists()

    def count_parts(self) -> int:
        """Return the number of finished parts."""
        return sum(1 for name in os.listdir(self.path) if self._part_name.fullmatch(name))

    def clear(self, keep: str | None = None) -> None:
        """Delete the files of a run, except the lock file and the file `keep`."""
        for name in os.listdir(self.path):
            if name not in (keep, _LOCK) and self._is_own(name):
                (self.path / name).unlink()

    def remove(self) -> None:
        """Delete the files of this program, and the folder if nothing else is in it."""
        self.clear()
        self.close()
        (self.path / _LOCK).unlink(missing_ok=True)
        with suppress(OSError):
            self.path.rmdir()

    def write(self, name: str, value: dict[str, Any]) -> None:
        """Write a JSON object, atomically."""
        with atomic_write(self.path / name) as file:
            file.write(json.dumps(value, indent=1).encode("utf-8"))

    def read(self, name: str) -> dict[str, Any]:
        """Return a JSON object.

        Raises:
            failure: The file is corrupt.
        """
        try:
            value = json.loads((self.path / name).read_text(encoding="utf-8"))
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise self.corrupt(name)
        return value

    def _locked(self) -> BinaryIO:
        """Return the lock file, which only this process has locked until it is closed."""
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        file = os.fdopen(os.open(self.path / _LOCK, flags, 0o666), "r+b")
        try:
            self._lock_file(file)
            if file.read() != _MARKER:
                file.seek(0)
                file.write(_MARKER)
                file.flush()
        except BaseException:
            file.close()
            raise
        return file

    def corrupt(self, name: str) -> SimhashDocError:
        """Return the error for a file of the folder with invalid content."""
        return self._failure(f"{self.path}: {name} is corrupt; delete the folder to start again")

    def check_run(self, begun: dict[str, Any], run: dict[str, Any]) -> None:
        """Check that a run is the one that created the folder.

        Args:
            begun: The values on which the result of the earlier run depends; of its input if it has one, "input",
                "bytes" and "modified".
            run: Those of this run.

        Raises:
            usage: They differ.
        """
        if begun.get("input") != run.get("input"):  # of another file, size and time differ too
            begun, run = ({**one, "bytes": None, "modified": None} for one in (begun, run))
        changed = [
            f"{name:.60} was {_shown(begun.get(name))}, is {_shown(run.get(name))}"
            for name in sorted({*begun, *run})
            if begun.get(name) != run.get(name)
        ]
        if changed:
            raise self._usage(
                f"{self.path}: contains an unfinished run with other options or input ({'; '.join(changed)}); "
                "repeat that run, or delete the folder to start again"
            )

    def _check_own(self) -> None:
        """Reject a folder with content that this program did not create."""
        if not stat.S_ISDIR(self.path.lstat().st_mode):
            raise self._foreign("it is not a directory, or a link to one")
        with os.scandir(self.path) as entries:
            names = {entry.name: entry.is_file(follow_symlinks=False) for entry in entries}
        if not names:
            return
        for name, is_regular in sorted(names.items()):
            if not (is_regular and self._is_own(name)):
                raise self._foreign(f"it contains {name!r}")
        marker = (self.path / _LOCK).read_bytes() if _LOCK in names else None
        # A process that ends as it begins, by a signal or a full disk, leaves a lock file alone with a part of the
        # marker.
        if marker != _MARKER and not (marker is not None and _MARKER.startswith(marker) and len(names) == 1):
            raise self._foreign(f"its file {_LOCK!r} has no marker of simhash-doc")

    def _is_own(self, name: str) -> bool:
        temporary = _TEMPORARY.fullmatch(name)
        name = temporary["name"] if temporary else name
        return name in (RUN, DONE, OUTPUT, _LOCK) or bool(self._part_name.fullmatch(name))

    def _foreign(self, reason: str) -> SimhashDocError:
        return self._usage(
            f"{self.path}: was not created by simhash-doc, which needs this name for unfinished results: {reason}; "
            "rename it or choose another output"
        )

    def _lock_file(self, file: BinaryIO) -> None:
        try:
            import fcntl
        except ImportError:
            return  # Windows: no lock
        try:
            # This lock belongs to the process: worker processes, which may outlive a killed parent briefly, do not
            # hold it.
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise self._failure(
                f"{self.path}: another process is using this folder; wait until it has finished"
            ) from None


def _shown(value: object) -> str:
    """Return a value for a message; of a long path, the end."""
    if not isinstance(value, str):
        return shown(value)
    return repr(value if len(value) <= _SHOWN else f"...{value[-_SHOWN:]}")
