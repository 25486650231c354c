"""Which files are copies of each other: the same file, or equal content."""

from __future__ import annotations

import hashlib
import os
import stat
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from simhash_doc.arguments import STANDARD_INPUT
from simhash_doc.ingest.walk import Source


@dataclass(frozen=True, slots=True)
class Copies:
    """The sources to read among several, and the copies of each.

    Attributes:
        sources: the sources to read, in the order given; streams and files that cannot be examined are among them.
        same: path -> the path among `sources` that is the same file: another spelling of the path, or a symbolic or
            hard link. Deleting one of them can delete the other. A symbolic link is only among `sources` if what it
            points to is not given.
        exact: path -> the path among `sources` whose content is equal, byte by byte.
    """

    sources: list[Source] = field(default_factory=list)
    same: dict[str, str] = field(default_factory=dict)
    exact: dict[str, str] = field(default_factory=dict)


def find_copies(sources: Iterable[Source]) -> Copies:
    """Return which of several sources are copies of each other.

    Files are the same if device and inode are equal. Others of equal size are compared by a digest of their content.
    A symbolic link comes after all other files: it is the copy, not what is copied.

    Args:
        sources: files and standard input; one whose path is repeated counts once.
    """
    found = Copies()
    first_of: dict[tuple[int, int], str] = {}
    by_size: dict[int, list[str]] = defaultdict(list)
    same: dict[str, str] = {}
    given = {source.path: source for source in sources}
    for path in sorted(given, key=os.path.islink):
        status = None
        with suppress(OSError):
            status = os.stat(path) if path != STANDARD_INPUT else None
        if status and stat.S_ISREG(status.st_mode):
            first = first_of.setdefault((status.st_dev, status.st_ino), path)
            if first != path:
                same[path] = first
                continue
            by_size[status.st_size].append(path)
    for size, paths in by_size.items():
        if size and len(paths) > 1:
            _find_equal(paths, found.exact)
    for path, source in given.items():
        if path in same:
            found.same[path] = same[path]
        elif path not in found.exact:
            found.sources.append(source)
    return found


def _find_equal(paths: list[str], exact: dict[str, str]) -> None:
    first_of: dict[bytes, str] = {}
    for path in paths:
        with suppress(OSError):  # reading the file reports the error
            first = first_of.setdefault(_digest(path), path)
            if first != path:
                exact[path] = first


def _digest(path: str) -> bytes:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=32)).digest()
