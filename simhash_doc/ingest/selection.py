"""Which files of directories are read: patterns that include and exclude, and lists of paths."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase

from simhash_doc.ingest.sources import STANDARD_INPUT, SkippedFile, open_document, walk


def select_files(
    paths: Iterable[str],
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    on_skip: Callable[[SkippedFile], object] = lambda _: None,
) -> Iterator[str]:
    """Yield the paths, each directory replaced by the selected files below it, in the order of `walk`.

    A pattern such as ``*.html`` applies to the name of a file and of each directory above it; one with a slash, such as
    ``drafts/*.txt``, to the path below the directory that is searched. A file among `paths` is always selected.

    Args:
        paths: files, directories, or ``-`` for standard input.
        include: a file must match one of these patterns; empty selects every file.
        exclude: a file must match none of these patterns.
        on_skip: called with each file that `walk` skips.
    """
    for path in paths:
        if path == STANDARD_INPUT or not os.path.isdir(path):
            yield path
            continue
        for file in walk([path], on_skip):
            below = os.path.relpath(file, path).replace(os.sep, "/")
            if (not include or _matches(below, include)) and not _matches(below, exclude):
                yield file


def read_paths(path: str) -> list[str]:
    """Return the paths that a file lists, one per line, or each followed by NUL if there is a NUL.

    Args:
        path: the file, or ``-`` for standard input.

    Raises:
        OSError: the file cannot be read.
    """
    with open_document(path) as file:
        data = file.read()
    separator = b"\0" if b"\0" in data else b"\n"
    return [os.fsdecode(name) for name in data.split(separator) if name]


def _matches(below: str, patterns: Sequence[str]) -> bool:
    parts = below.split("/")
    return any(
        fnmatchcase(below, pattern) if "/" in pattern else any(fnmatchcase(part, pattern) for part in parts)
        for pattern in patterns
    )
