"""Files: opened for reading, or written by one process at a time, so that they appear complete or not at all."""

from __future__ import annotations

import errno
import io
import os
import re
import stat
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from io import BufferedReader
from typing import TYPE_CHECKING, Any, BinaryIO

from simhash_doc.arguments import STANDARD_INPUT

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Buffer

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    fcntl = None  # type: ignore[assignment]

_OTHER_COMPRESSIONS = re.compile(
    rb"(?P<bzip2>BZh[1-9]1AY&SY)|(?P<xz>\xfd7zXZ\0)|(?P<zstd>\x28\xb5\x2f\xfd)|(?P<zip>PK\x03\x04)"
)

LONGEST_LINE = 1 << 28
"""Bytes of a line of a file that is compressed: a mebibyte can hold a line of a gibibyte."""
_ALL = 0o666  # less the umask
_LOCKS = fcntl is not None
_ABANDONED = 86_400  # seconds: where there are no locks, a temporary file that old belongs to no process
_ACCESS_LIST = "system.posix_acl_access"
_LONGEST_NAME = 200  # bytes, of 255
_MOST_LINKS = 40  # on the way to a file, as on Linux
_RUN = "run.json"
_TEMPORARY = re.compile(r"\.(.+)\.[0-9]+\.[0-9a-f]{8}\.part", re.DOTALL)
_LOCK = re.compile(r"\.(.+)\.lock", re.DOTALL)


def open_input(path: str) -> BufferedReader:
    """Open a file, or standard input for ``-``, for reading bytes.

    Raises:
        OSError: The file cannot be opened.
    """
    return os.fdopen(sys.stdin.fileno(), "rb", closefd=False) if path == STANDARD_INPUT else open(path, "rb")


def open_rows(path: str) -> BufferedReader:
    """Open a file of rows as `open_input` does; the content of one that is compressed with gzip.

    Raises:
        OSError: The file cannot be opened, or is compressed otherwise; also raised while it is read, if it is damaged.
    """
    file = open_input(path)
    if found := _OTHER_COMPRESSIONS.match(file.peek(1)):
        raise OSError(f"the data are compressed with {found.lastgroup}, not with gzip; decompress them first")
    if not file.peek(2).startswith(b"\x1f\x8b"):
        return file
    content: BufferedReader = BufferedReader(_Gzip(file))
    if content.peek(4).startswith(b"PAR1"):  # whose end is read first, so all of it would be in memory
        raise OSError("the data are a Parquet file compressed with gzip; decompress it first")
    return content


class _Gzip(io.RawIOBase):
    """The content of a file that is compressed with gzip; damage and too long a line are an `OSError`."""

    def __init__(self, file: BufferedReader) -> None:
        import gzip

        self._file, self._content = file, gzip.GzipFile(fileobj=file)
        self._line = 0  # bytes since the last line break

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            size = self._content.readinto(buffer)
        except (EOFError, zlib.error) as error:
            raise OSError(f"the gzip data are damaged: {error}") from error
        after = size - 1 - bytes(buffer[:size]).rfind(b"\n")
        self._line = self._line + size if after == size else after
        if self._line > LONGEST_LINE:
            raise OSError(f"a line has over {LONGEST_LINE >> 20:,} MiB; if you trust the file, decompress it first")
        return size

    def fileno(self) -> int:
        return self._file.fileno()

    def close(self) -> None:
        self._file.close()
        super().close()


@contextmanager
def atomic_write(path: str | os.PathLike[str], *, like: Path | None = None) -> Iterator[BinaryIO]:
    """Open a file for writing that replaces `path` when the block ends.

    The data goes to a temporary file in the same directory, which is flushed to the disk and renamed. If an error or
    an interruption ends the block, the temporary file is deleted and `path` keeps its content. A symbolic link is
    followed, and a file that is replaced keeps its permissions, its access list on Linux, and its owner and group if
    the user may give them. A target that is not a regular file, such as /dev/null or a pipe, is written directly.
    Temporary files that killed processes left of the target are deleted.

    Args:
        path: the target.
        like: a file whose permissions a new one gets, if it exists.

    Raises:
        OSError: The file cannot be written.
    """
    target = followed(path)
    model = next((one for one in (target, like) if one and one.exists()), None)
    if model and not stat.S_ISREG((special := model.stat()).st_mode):
        with open(target, "wb", opener=_opened_to_write) as direct:
            if os.name != "nt" and not os.path.samestat(os.fstat(direct.fileno()), special):
                raise PermissionError(errno.EACCES, "was replaced while it was opened", os.fspath(target))
            yield direct
        return
    _remove_left(target)
    permissions = model.stat().st_mode & stat.S_IRWXU if model else _ALL
    temporary = _temporary(target)
    # The file is created inside `try`: an interruption may come as soon as it exists.
    try:
        file = _created(temporary, permissions)
        while _lock(file) is False:  # another process took it for one that was left, before it was locked
            file.close()
            temporary = _temporary(target)
            file = _created(temporary, permissions)
        with file:
            if model:
                _protect(file, temporary, model)
            yield file
            file.flush()
            os.fsync(file.fileno())
            if _LOCKS:  # the lock keeps others from deleting it until it has its name
                temporary.replace(target)
        if not _LOCKS:  # Windows cannot rename an open file
            temporary.replace(target)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError) and error.filename in (temporary, os.fspath(temporary)):
            error.filename, error.filename2 = os.fspath(target), None
        raise


def followed(path: str | os.PathLike[str]) -> Path:
    """Return the file or folder that is written for a path, without any link.

    A link in a folder to which all can write, such as /tmp, may have been created by another user in order to let this
    one replace a file. It is refused as Linux does by default where a link is opened in a sticky folder (sysctl
    `protected_symlinks`), wherever on the way to the file it is.

    Raises:
        PermissionError: a link is of another user, in a folder in which others can create links.
        OSError: the links lead in a circle.
    """
    from pathlib import Path  # not above: a help names no file

    if os.name == "nt":
        return Path(os.path.realpath(path))
    place, left = os.sep, os.fspath(path).split(os.sep)[::-1]
    if not os.path.isabs(path):
        place = os.getcwd()
    links = 0
    while left:
        step = os.path.normpath(os.path.join(place, left.pop()))
        try:
            target = os.readlink(step)
        except OSError:  # no link, or nothing yet
            place = step
            continue
        if os.path.exists(step) and not os.path.lexists(os.path.join(place, target)):
            place = step  # no path, but a description of what is open, as of /dev/fd/3
            continue
        links += 1
        if links > _MOST_LINKS:
            raise _error(errno.ELOOP, path)
        _check_link(step, place, path)
        place = os.sep if os.path.isabs(target) else place
        left += target.split(os.sep)[::-1]
    return Path(place)


def _check_link(link: str, folder: str, path: str | os.PathLike[str]) -> None:
    above = os.stat(folder)
    if above.st_mode & stat.S_IWOTH and os.lstat(link).st_uid not in (os.geteuid(), above.st_uid):
        reason = "is a link of another user, in a folder to which all users can write"
        if link != os.path.abspath(path):
            reason = f"leads to {link}, which {reason}"
        raise PermissionError(errno.EACCES, reason, os.fspath(path))


def check_writable(path: str | os.PathLike[str]) -> None:
    """Check that `atomic_write` can open a path, which stays as it is.

    Permissions do not tell: the file system may be read-only. So a temporary file is created and deleted.

    Raises:
        OSError: The path is a directory, or no file can be created in its directory.
    """
    target = followed(path)
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
    return target.with_name(f".{_short(target.name)}.{os.getpid()}.{os.urandom(4).hex()}.part")


def _short(name: str) -> str:
    """Return a name, or a digest of one that is so long that no file could have a longer one."""
    data = os.fsencode(name)
    if len(data) <= _LONGEST_NAME:
        return name
    import hashlib

    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _created(temporary: Path, permissions: int) -> BinaryIO:
    """Create a file that never has more permissions than these."""
    return io.BufferedWriter(_NamedFile(temporary, "xb", opener=lambda path, flags: os.open(path, flags, permissions)))


class _NamedFile(io.FileIO):
    """A file whose errors name it, as those of a full disk do not by themselves."""

    def write(self, data: Buffer) -> int:
        try:
            return super().write(data)
        except OSError as error:
            error.filename = error.filename or self.name
            raise


def _protect(file: BinaryIO, path: Path, model: Path) -> None:
    """Give an open file, and not what has its name by now, the permissions of another file.

    Its group gets none if it is not the group of the other file, or an access list cannot be copied.
    """
    status = model.stat()
    permissions = status.st_mode & 0o777
    try:
        _set_owner(file, status)
        _copy_access_list(file, model)
    except OSError:
        permissions &= ~stat.S_IRWXG
    os.chmod(file.fileno() if os.chmod in os.supports_fd else path, permissions)


def _set_owner(file: BinaryIO, status: os.stat_result) -> None:
    if sys.platform == "win32":
        return
    try:
        os.fchown(file.fileno(), status.st_uid, status.st_gid)
    except OSError:  # the owner is another user
        os.fchown(file.fileno(), -1, status.st_gid)


def _copy_access_list(file: BinaryIO, model: Path) -> None:
    if sys.platform != "linux":
        return
    try:
        entries = os.getxattr(model, _ACCESS_LIST)
    except OSError:  # it has none, and the new file has the default list of its folder
        with suppress(OSError):
            os.removexattr(file.fileno(), _ACCESS_LIST)
    else:
        os.setxattr(file.fileno(), _ACCESS_LIST, entries)


def _remove_left(target: Path) -> None:
    """Delete the temporary files of a target whose processes were killed: those that no process has locked."""
    with suppress(OSError):
        for name in os.listdir(target.parent):
            left = _TEMPORARY.fullmatch(name)
            if left and left[1] == _short(target.name):
                path = target.with_name(name)
                with suppress(OSError):
                    if _LOCKS:
                        with open(path, "rb", opener=_opened_if_regular) as file:
                            if _lock(file):  # and as long as it is locked, or its owner could lock it
                                path.unlink()
                    elif time.time() - path.stat().st_mtime > _ABANDONED:
                        path.unlink()


def _opened_if_regular(path: str, flags: int) -> int:
    """Open a regular file, not a link or a pipe: opening a pipe waits for its other end."""
    if not stat.S_ISREG(os.lstat(path).st_mode):
        raise _error(errno.EINVAL, path)
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _opened_to_write(path: str, flags: int) -> int:
    """Open what exists, without changing it: it may have been replaced by a link to a file."""
    return os.open(path, flags & ~(os.O_CREAT | os.O_TRUNC))


def _lock(file: BinaryIO) -> bool | None:
    """Lock a temporary file until it is closed.

    Returns:
        False if another process has locked it, or deleted it; None if the system or the file system has no locks.
    """
    if fcntl is None:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return os.fstat(file.fileno()).st_nlink > 0


def intended_name(name: str) -> str:
    """Return the name of the file for which `atomic_write` or `exclusive` created a file that a killed process left.

    Any other name is returned as it is.
    """
    left = _TEMPORARY.fullmatch(name) or _LOCK.fullmatch(name)
    return left[1] if left else name


def _error(number: int, path: str | os.PathLike[str]) -> OSError:
    return OSError(number, os.strerror(number), os.fspath(path))


@contextmanager
def exclusive(path: str | os.PathLike[str]) -> Iterator[None]:
    """Keep others that call this function from writing a file until the block ends.

    The lock is on an empty file next to it, `.NAME.lock`, because the file itself may not exist yet, and is replaced.
    The system releases the lock when the process ends, however it ends. The lock file is deleted with the block; one
    that a killed process leaves is used and deleted by the next. Symbolic links are followed. What is not a regular
    file, such as /dev/null, is not locked.

    Raises:
        BlockingIOError: Another process has locked the file.
        OSError: The lock file cannot be created.
    """
    from filelock import FileLock, Timeout  # not above: most that import this module lock nothing

    target = followed(path)
    if target.exists() and not target.is_file():
        yield
        return
    file = target.with_name(f".{_short(target.name)}.lock")
    lock = FileLock(file)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), os.fspath(path)) from None
    try:
        yield
    finally:
        # Deleted before it is released: who opens it later opens a new one. What is not empty is a file of the user.
        with suppress(OSError):
            if not file.stat().st_size:
                file.unlink()
        lock.release()


@contextmanager
def part_folder(
    path: Path, part_name: str, run: dict[str, Any], failure: type[Exception]
) -> Iterator[Callable[[], None]]:
    """Keep the finished parts of a result in a folder until the block ends without an error, or without a part.

    The folder is created, or it is that of an earlier run with the same description that was interrupted. Only one
    process uses it at a time. It is deleted in the end.

    Args:
        path: The folder.
        part_name: What the name of a part matches.
        run: Everything on which the parts depend, as JSON has it.
        failure: The error of the caller.

    Yields:
        A function that raises `failure` if the folder is not the one that this function created or found.

    Raises:
        failure: The folder is a link, contains what this program did not create, is that of another run, or another
            process is using it. Nothing is changed.
        OSError: It cannot be created or read.
    """
    import json

    if not os.path.lexists(path):
        path.mkdir(mode=stat.S_IRWXU)  # the result may not be for all
    names = re.compile(f"{part_name}|{re.escape(_RUN)}")
    error = None
    if not _is_own(path, names):
        raise failure(
            f"{path}: was not created by simhash-doc, which needs this name for unfinished results; "
            "rename it or choose another output"
        )
    with ExitStack() as stack:
        try:
            stack.enter_context(exclusive(path / _RUN))
        except BlockingIOError:
            raise failure(f"{path}: another process is using this folder; wait until it has finished") from None
        if not (path / _RUN).exists():
            with atomic_write(path / _RUN) as file:
                file.write(json.dumps(run, indent=1).encode("utf-8"))
        elif changed := _changed(path / _RUN, run):
            raise failure(
                f"{path}: contains an unfinished run with other options or input ({', '.join(changed)}); "
                "repeat that run, or delete the folder to start again"
            )
        with open(path / _RUN, "rb") as described:  # open, so that no other file gets its number

            def check() -> None:
                if not _is_own(path, names) or not _is_open_file(described, path / _RUN):
                    raise failure(f"{path}: was replaced while it was used; nothing in it is deleted")

            try:
                yield check
            except BaseException as raised:
                if not _is_own(path, re.compile(re.escape(_RUN))):
                    raise
                error = raised
            check()
        # The description is deleted last: if this process is killed before, what is left is still known as its own.
        for name in sorted(os.listdir(path), key=_RUN.__eq__):
            if names.fullmatch(intended_name(name)) and not name.endswith(".lock"):
                (path / name).unlink()
    with suppress(OSError):
        path.rmdir()
    if error:
        raise error


def _is_own(path: Path, names: re.Pattern[str]) -> bool:
    """Return True if a folder, not a link to one, contains only files with names of this program, or none."""
    if not stat.S_ISDIR(path.lstat().st_mode):
        return False
    with os.scandir(path) as entries:
        found = {entry.name: entry.is_file(follow_symlinks=False) for entry in entries}
    intended = set(map(intended_name, found))
    return all(found.values()) and all(map(names.fullmatch, intended)) and (_RUN in found or intended <= {_RUN})


def _is_open_file(file: BinaryIO, path: Path) -> bool:
    with suppress(OSError):
        return os.path.samestat(os.fstat(file.fileno()), path.lstat())
    return False


def _changed(described: Path, run: dict[str, Any]) -> list[str]:
    """Return the members of a description that are not those of an earlier run; all if its file is corrupt."""
    import json

    try:
        begun = json.loads(described.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        begun = None
    if not isinstance(begun, dict):
        return [*run]
    missing = object()
    return [name for name in run | begun if begun.get(name, missing) != run.get(name, missing)]
