"""Files that are replaced atomically, whenever the write is interrupted."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from simhash_doc import files as module
from simhash_doc.files import atomic_write, check_writable

BEFORE, AFTER = b"before", b"after"


def interrupt_at_line(number: int, path: Path) -> bool:
    """Replace a file and raise KeyboardInterrupt at the n-th executed line of the module; return False if none is."""
    executed = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal executed
        if frame.f_code.co_filename != module.__file__:
            return None
        if event == "line":
            executed += 1
            if executed == number:
                raise KeyboardInterrupt
        return trace

    previous = sys.gettrace()
    sys.settrace(trace)
    try:
        with atomic_write(path) as file:
            file.write(AFTER)
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(previous)
    return False


def test_no_interruption_leaves_a_partial_file(tmp_path: Path) -> None:
    path = tmp_path / "output"
    path.write_bytes(BEFORE)
    number = 1
    while interrupt_at_line(number, path):
        assert os.listdir(tmp_path) == ["output"], f"interrupted at executed line {number}"
        assert path.read_bytes() in (BEFORE, AFTER)
        path.write_bytes(BEFORE)
        number += 1
    assert number > 10
    assert path.read_bytes() == AFTER


def test_an_error_keeps_the_earlier_file(tmp_path: Path) -> None:
    path = tmp_path / "output"
    path.write_bytes(BEFORE)
    with pytest.raises(TypeError), atomic_write(path) as file:
        file.write("text")  # type: ignore[call-overload]
    assert (path.read_bytes(), os.listdir(tmp_path)) == (BEFORE, ["output"])


@pytest.mark.skipif(os.name == "nt", reason="permissions and links of POSIX")
def test_permissions_are_kept_and_links_followed(tmp_path: Path) -> None:
    path, link = tmp_path / "output", tmp_path / "link"
    path.write_bytes(BEFORE)
    path.chmod(0o640)
    link.symlink_to(path)
    with atomic_write(link) as file:
        file.write(AFTER)
    assert link.is_symlink()
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (AFTER, 0o640)


def test_whether_a_path_can_be_written_is_checked_without_a_change(tmp_path: Path) -> None:
    path, link = tmp_path / "output", tmp_path / "link"
    link.symlink_to(tmp_path / "missing" / "file")
    path.write_bytes(BEFORE)
    for writable in (path, tmp_path / "new", os.devnull):
        check_writable(writable)
    for unwritable in (tmp_path, path / "below", tmp_path / "missing" / "file", link):
        with pytest.raises(OSError, match=r"directory"):
            check_writable(unwritable)
    assert (path.read_bytes(), sorted(os.listdir(tmp_path))) == (BEFORE, ["link", "output"])
