"""The version of a file, which changes whenever its content changes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import xxhash

from simhash_doc import __version__

_BLOCK = 1 << 20


def size_and_time(path: str) -> tuple[int, int]:
    """Return the size in bytes, and the time of the last change in nanoseconds."""
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


def version_of(path: str) -> dict[str, Any]:
    """Return what identifies the version of a file; size and time are from before it is read.

    Raises:
        OSError: it cannot be read.
    """
    size, modified = size_and_time(path)
    digest = xxhash.xxh3_128()
    with Path(path).open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return {
        "path": os.path.abspath(path),
        "size": size,
        "modified_ns": modified,
        "xxh128": digest.hexdigest(),
        "version": __version__,
    }
