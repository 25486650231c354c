"""The directory of an index: who may change it, and which of its files are in use."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from simhash_doc.files import exclusive
from simhash_doc.lookup.errors import CorruptIndexError
from simhash_doc.lookup.segmented.manifest import MANIFEST, Manifest, number_of, read_manifest, write_manifest

_LOCK = f".{MANIFEST}.lock"
# What `atomic_write` calls a file before it is complete.
_TEMPORARY = re.compile(r"\.(?P<name>.+)\.[0-9]+\.[0-9a-f]{8}\.part")


@contextmanager
def changing(directory: Path) -> Iterator[None]:
    """Let no other process change an index before the block ends. Delete what is not in use before and after it.

    A directory without a manifest is what an interrupted build has left: nothing in it is in use.

    Raises:
        BlockingIOError: another process is changing the index.
        OSError: the directory cannot be written to.
    """
    with exclusive(directory / MANIFEST):
        _remove_unused(directory)
        try:
            yield
        finally:
            _remove_unused(directory)


@contextmanager
def created(directory: Path) -> Iterator[None]:
    """Create a directory for an index unless it exists; delete it if the block fails before there is an index.

    Raises:
        OSError: it cannot be created, is a file, or has files that are not of an index.
    """
    if os.path.lexists(directory):
        for name in sorted(os.listdir(directory)):
            if not _is_own(name):
                raise FileExistsError(errno.EEXIST, f"is a directory with another file, {name!r}", str(directory))
        yield
        return
    directory.mkdir()
    try:
        yield
    except BaseException:
        if not (directory / MANIFEST).exists():
            with suppress(OSError):
                _remove(directory, {MANIFEST})
                directory.rmdir()
        raise


def commit(directory: Path, manifest: Manifest) -> None:
    """Make the index what a manifest says, whose parts are written.

    Raises:
        OSError: the manifest cannot be written; the index is unchanged, or is what the manifest says.
    """
    _sync(directory)
    write_manifest(directory, manifest)
    _sync(directory)


def last_number(directory: Path) -> int:
    """Return the largest number of a part in a directory, in use or not; 0 if it has none."""
    return max(map(number_of, os.listdir(directory)), default=0)


def _remove_unused(directory: Path) -> None:
    """Delete the parts that were merged, and what a killed process has left; nothing if the manifest cannot be read."""
    with suppress(OSError, CorruptIndexError):
        has_index = (directory / MANIFEST).exists()
        parts = read_manifest(directory).parts if has_index else ()
        _remove(directory, {MANIFEST, _LOCK, *(part.name for part in parts)})


def _remove(directory: Path, kept: set[str]) -> None:
    for name in os.listdir(directory):
        if name not in kept and _is_own(name):
            with suppress(PermissionError):  # Windows: another process has it mapped; the next change deletes it
                (directory / name).unlink()


def _is_own(name: str) -> bool:
    """Return True for the name of a file that this package writes into the directory of an index."""
    temporary = _TEMPORARY.fullmatch(name)
    name = temporary["name"] if temporary else name
    return name in (MANIFEST, _LOCK) or number_of(name) > 0


def _sync(directory: Path) -> None:
    """Wait until the names of the files in a directory are on the disk."""
    if os.name == "nt":
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
