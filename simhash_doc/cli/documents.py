"""Which documents the command line reads."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import click

STANDARD_INPUT = "-"


def walk(paths: Iterable[str]) -> Iterator[str]:
    """Yield the paths, each directory replaced by the files below it, in order of their names.

    Hidden entries of a directory (name begins with a dot) are left out, and links to directories
    are not followed. What is no regular file, such as a named pipe or a device, is passed over
    with a warning: reading it might never end. A path that does not exist is yielded as it is, to fail when it is read.
    """
    for path in paths:
        if path != STANDARD_INPUT and os.path.isdir(path):
            for folder, subfolders, names in os.walk(path):
                subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
                for name in sorted(names):
                    if not name.startswith(".") and _regular(file := os.path.join(folder, name)):
                        yield file
        else:
            yield path


def _regular(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return True
    if not stat.S_ISREG(mode):
        click.echo(f"simhash-doc: {path}: warning: is no regular file: passed over", err=True)
    return stat.S_ISREG(mode)


def escaped(path: str) -> str:
    """Return the path on one line, as `sha256sum` and its kin do: a leading backslash says that it is escaped."""
    if "\n" not in path and "\\" not in path:
        return path
    return "\\" + path.replace("\\", "\\\\").replace("\n", "\\n")


def open_document(path: str) -> BinaryIO:
    return os.fdopen(sys.stdin.fileno(), "rb", closefd=False) if path == STANDARD_INPUT else Path(path).open("rb")
