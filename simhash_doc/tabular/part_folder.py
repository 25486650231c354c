"""The folder `OUTPUT.partial`: only a folder that this program created is used, and only its own files are deleted."""

from __future__ import annotations

import json
import os
import re
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from simhash_doc.ingest.atomic_write import atomic_write
from simhash_doc.tabular.errors import TabularError, TabularUsageError

RUN = "run.json"
DONE = "done.json"
OUTPUT = "output"
_LOCK = "lock"
_MARKER = b"simhash-doc: finished parts of a result\n"
_PART = re.compile(r"[0-9]{6,}\.arrow")
# A temporary file of `atomic_write`, which a killed process leaves behind.
_TEMPORARY = re.compile(r"\.(run\.json|done\.json|output|[0-9]{6,}\.arrow)\.[0-9]+\.[0-9a-f]{8}\.part")


class PartFolder:
    """A locked folder of this program.

    Args:
        path: Created if it does not exist. An existing one must be empty or contain the marker in its lock file.

    Raises:
        TabularUsageError: It is a link, or contains what this program did not create. Nothing is changed.
        TabularError: Another process has it locked.
        OSError: It cannot be created or read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if not os.path.lexists(path):
            path.mkdir()
        _check_own(path)
        self._lock = self._locked()

    def close(self) -> None:
        """Release the folder, so that another process can use it."""
        self._lock.close()

    def exists(self, name: str) -> bool:
        """Return True if the folder has a file."""
        return (self.path / name).exists()

    def count_parts(self) -> int:
        """Return the number of finished parts."""
        return sum(1 for name in os.listdir(self.path) if _PART.fullmatch(name))

    def clear(self, keep: str | None = None) -> None:
        """Delete the files of a run, except the lock file and the file `keep`."""
        for name in os.listdir(self.path):
            if name not in (keep, _LOCK) and _is_own(name):
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
            TabularError: The file is corrupt.
        """
        try:
            value = json.loads((self.path / name).read_text(encoding="utf-8"))
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise corrupt(self.path, name)
        return value

    def _locked(self) -> BinaryIO:
        """Return the lock file, which only this process has locked until it is closed."""
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        file = os.fdopen(os.open(self.path / _LOCK, flags, 0o666), "r+b")
        try:
            _lock(file, self.path)
            if file.read() != _MARKER:
                file.seek(0)
                file.write(_MARKER)
                file.flush()
        except BaseException:
            file.close()
            raise
        return file


def corrupt(folder: Path, name: str) -> TabularError:
    """Return the error for a file of the folder with invalid content."""
    return TabularError(f"{folder}: {name} is corrupt; delete the folder to start again")


def _lock(file: BinaryIO, folder: Path) -> None:
    try:
        import fcntl
    except ImportError:
        return  # Windows: no lock
    try:
        # This lock belongs to the process: worker processes, which may outlive a killed parent briefly, do not hold it.
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise TabularError(f"{folder}: another process is using this folder; wait until it has finished") from None


def _check_own(folder: Path) -> None:
    """Reject a folder with content that this program did not create."""
    if not stat.S_ISDIR(folder.lstat().st_mode):
        raise _foreign(folder, "it is not a directory, or a link to one")
    with os.scandir(folder) as entries:
        names = {entry.name: entry.is_file(follow_symlinks=False) for entry in entries}
    if not names:
        return
    for name, is_regular in sorted(names.items()):
        if not (is_regular and _is_own(name)):
            raise _foreign(folder, f"it contains {name!r}")
    marker = (folder / _LOCK).read_bytes() if _LOCK in names else None
    # A process that ends as it begins, by a signal or a full disk, leaves a lock file alone with a part of the marker.
    if marker != _MARKER and not (marker is not None and _MARKER.startswith(marker) and len(names) == 1):
        raise _foreign(folder, f"its file {_LOCK!r} has no marker of simhash-doc")


def _is_own(name: str) -> bool:
    return name in (RUN, DONE, OUTPUT, _LOCK) or bool(_PART.fullmatch(name) or _TEMPORARY.fullmatch(name))


def _foreign(folder: Path, reason: str) -> TabularUsageError:
    return TabularUsageError(
        f"{folder}: was not created by simhash-doc, which needs this name for unfinished results: {reason}; "
        "rename it or choose another output"
    )
