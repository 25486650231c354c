"""Faults of the file system, for the superuser too."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest


def read_only(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a directory be on a file system that is mounted read-only: no file of it can be opened for writing."""
    opened = Path.open

    def open_or_fail(path: Path, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        if folder in path.parents and set(mode) & set("wxa+"):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
        return opened(path, mode, *arguments, **options)

    monkeypatch.setattr(Path, "open", open_or_fail)
