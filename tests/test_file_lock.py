"""The lock of a file: one holder at a time, none left behind, and no file of a user deleted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from simhash_doc.files import exclusive

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no such lock on Windows")
COUNT = """
import sys, time
from pathlib import Path
from simhash_doc.files import exclusive
path = Path(sys.argv[1])
for _ in range(int(sys.argv[2])):
    while True:
        try:
            with exclusive(path):
                path.write_text(str(int(path.read_text()) + 1))
            break
        except BlockingIOError:
            time.sleep(0)
"""


def test_a_locked_file_cannot_be_locked_again(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("file")
    with exclusive(tmp_path / "file"), exclusive(tmp_path / "other"):
        for path in (tmp_path / "file", link):
            with pytest.raises(BlockingIOError), exclusive(path):
                pass
    with exclusive(link):
        assert sorted(os.listdir(tmp_path)) == [".file.lock", "link"]
    assert os.listdir(tmp_path) == ["link"]


def test_an_error_ends_the_lock(tmp_path: Path) -> None:
    with pytest.raises(KeyError), exclusive(tmp_path / "file"):
        raise KeyError
    assert os.listdir(tmp_path) == []


def test_the_lock_file_of_a_killed_process_is_used_and_deleted(tmp_path: Path) -> None:
    (tmp_path / ".file.lock").touch()
    with exclusive(tmp_path / "file"):
        pass
    assert os.listdir(tmp_path) == []


def test_a_file_of_the_user_is_not_deleted_nor_followed(tmp_path: Path) -> None:
    (tmp_path / ".file.lock").write_text("of the user")
    with exclusive(tmp_path / "file"):
        pass
    assert (tmp_path / ".file.lock").read_text() == "of the user"
    (tmp_path / ".other.lock").symlink_to("target")
    with pytest.raises(OSError, match="symbolic links"), exclusive(tmp_path / "other"):
        pass
    assert sorted(os.listdir(tmp_path)) == [".file.lock", ".other.lock"]


def test_what_is_not_a_regular_file_is_not_locked() -> None:
    with exclusive(os.devnull), exclusive(os.devnull):
        assert not Path("/dev/.null.lock").exists()


@pytest.mark.parametrize("times", [20, pytest.param(500, marks=pytest.mark.slow)])
def test_no_change_of_several_processes_is_lost(times: int, tmp_path: Path) -> None:
    path = tmp_path / "number"
    path.write_text("0")
    command = [sys.executable, "-c", COUNT, str(path), str(times)]
    processes = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait(timeout=120) for process in processes] == [0, 0, 0]
    assert (int(path.read_text()), os.listdir(tmp_path)) == (3 * times, ["number"])
