"""Files that are replaced atomically, locked, or kept in a folder until a result is complete."""

from __future__ import annotations

import bz2
import json
import lzma
import os
import shutil
import signal
import stat
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from simhash_doc import files as module
from simhash_doc.errors import SimhashDocError
from simhash_doc.files import atomic_write, check_writable, exclusive, followed, part_folder
from simhash_doc.lookup import Corpus
from simhash_doc.store import DatabaseError, FingerprintStore
from simhash_doc_conformance.adapters.scaffold import write_adapter
from tests.commands import COMMAND, run
from tests.damaged_json import damaged

BEFORE, AFTER = b"before", b"after"
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


@contextmanager
def traced(trace: Callable[[FrameType, str, Any], Any]) -> Iterator[None]:
    """Call a function for each step of the code in a block."""
    previous = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(previous)


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

    try:
        with traced(trace), atomic_write(path) as file:
            file.write(AFTER)
    except KeyboardInterrupt:
        return True
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


def test_what_killed_writers_left_is_deleted_by_the_next_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "output"
    kept = {".other.1.0123abcd.part", ".output.1.part", ".output.backup"}
    for name in (".output.1.0123abcd.part", ".output.999999.0123abcd.part", *kept):
        (tmp_path / name).write_bytes(b"left")
        os.utime(tmp_path / name, (0, 0))
    with atomic_write(path) as first:
        first.write(BEFORE)
        with atomic_write(path) as second:  # the file of the first is in use
            second.write(AFTER)
    assert (path.read_bytes(), set(os.listdir(tmp_path))) == (BEFORE, {"output", *kept})


@pytest.mark.skipif(os.name == "nt", reason="special files of POSIX")
def test_what_only_has_the_name_of_a_temporary_file_is_neither_opened_nor_deleted(tmp_path: Path) -> None:
    """In a shared folder, a pipe would let each command wait for ever."""
    path, own = tmp_path / "output", tmp_path / "own"
    own.write_bytes(BEFORE)
    os.mkfifo(tmp_path / ".output.1.00000001.part")
    (tmp_path / ".output.1.00000002.part").symlink_to(own)
    (tmp_path / ".output.1.00000003.part").mkdir()
    (tmp_path / ".output.1.00000004.part").symlink_to(tmp_path / ".output.1.00000001.part")
    before = set(os.listdir(tmp_path))
    write(path, AFTER)
    assert set(os.listdir(tmp_path)) == before | {"output"}


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


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_what_is_written_is_never_open_to_more_than_the_target(tmp_path: Path) -> None:
    path = tmp_path / "output"
    path.write_bytes(BEFORE)
    path.chmod(0o600)
    modes: set[int] = set()

    def trace(frame: Any, event: str, argument: Any) -> Any:
        modes.update(stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir())
        return trace

    with traced(trace), atomic_write(path) as file:
        file.write(AFTER)
    assert modes == {0o600}
    with atomic_write(tmp_path / "new", like=path) as file:
        file.write(AFTER)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs a file of another group")
def test_a_file_keeps_its_owner_and_its_group(tmp_path: Path) -> None:
    path = tmp_path / "output"
    path.write_bytes(BEFORE)
    path.chmod(0o4640)
    os.chown(path, 1, 2)
    write(path, AFTER)
    status = path.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1, 2, 0o640)


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_the_group_gets_nothing_if_it_is_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "output"
    path.write_bytes(BEFORE)
    path.chmod(0o664)
    monkeypatch.setattr(os, "fchown", refused)
    write(path, AFTER)
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


def refused(*_: object) -> None:
    raise PermissionError


@pytest.mark.skipif(sys.platform != "linux", reason="access lists of Linux")
def test_access_lists_are_those_of_the_file_and_not_of_the_folder(tmp_path: Path) -> None:
    """The permissions of the group bound an access list: without it, the group has them itself."""
    name, path, other = "system.posix_acl_access", tmp_path / "output", tmp_path / "other"
    for one in (path, other):
        one.write_bytes(BEFORE)
        one.chmod(0o640)
    undefined = 0xFFFFFFFF
    entries = [(1, 6, undefined), (2, 6, 1000), (4, 0, undefined), (16, 6, undefined), (32, 0, undefined)]
    listed = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
    try:
        os.setxattr(path, name, listed)
        os.setxattr(tmp_path, "system.posix_acl_default", listed)
    except OSError:
        pytest.skip("the file system has no access lists")
    for one in (path, other):
        write(one, AFTER)
    assert os.getxattr(path, name) == listed
    assert name not in os.listxattr(other)
    assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(other.stat().st_mode)) == (0o660, 0o640)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs a file of another user")
@pytest.mark.parametrize(
    ("mode", "owner", "refused"), [(0o1777, 1, True), (0o777, 1, True), (0o1777, 0, False), (0o755, 1, False)]
)
def test_a_link_of_another_user_in_a_folder_for_all_is_not_followed(
    mode: int, owner: int, refused: bool, tmp_path: Path
) -> None:
    """It may name a file of this user. The kernel protects only what opens the link."""
    folder, victim = tmp_path / "for all", tmp_path / "victim"
    folder.mkdir()
    folder.chmod(mode)
    victim.write_bytes(BEFORE)
    link = folder / "output"
    link.symlink_to(victim)
    os.lchown(link, owner, owner)
    for use in (check_writable, lock_briefly, lambda path: write(path, AFTER)):
        with pytest.raises(PermissionError, match="link of another user") if refused else nullcontext():
            use(link)
    assert victim.read_bytes() == (BEFORE if refused else AFTER)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs a file of another user")
@pytest.mark.parametrize("way", ["link to the link", "folder", "folder of the link", "relative"])
def test_a_link_of_another_user_on_the_way_is_not_followed(way: str, tmp_path: Path) -> None:
    shared, own, victim = tmp_path / "shared", tmp_path / "own", tmp_path / "victim"
    for folder in (shared, own, victim):
        folder.mkdir()
    shared.chmod(0o1777)
    (victim / "output").write_bytes(BEFORE)
    link = shared / "link"
    link.symlink_to(victim)
    os.lchown(link, 1, 1)
    path = link / "output"
    if way == "link to the link":
        path = own / "output"
        path.symlink_to(link / "output")
    elif way == "folder of the link":
        (own / "folder").symlink_to(link)
        path = own / "folder" / "output"
    elif way == "relative":
        (own / "folder").symlink_to("../own/../shared/link")
        path = own / "folder" / ".." / "folder" / "output"
    uses = (
        check_writable,
        lock_briefly,
        partial(write, content=AFTER),
        Corpus().save,
        partial(Corpus.build, values=[1]),
        FingerprintStore,
        partial(write_adapter, "python"),
    )
    for use in uses:
        with pytest.raises((PermissionError, DatabaseError), match="link of another user"):
            use(path)
    assert (os.listdir(victim), (victim / "output").read_bytes()) == (["output"], BEFORE)


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
@pytest.mark.parametrize(
    "target", ["../b/./file", "..//b/file", "../c/up/file", "../a/loop", "../b/missing", "/", "../b/"]
)
def test_links_lead_where_the_system_goes(target: str, tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).mkdir()
    (tmp_path / "b/file").touch()
    (tmp_path / "c/up").symlink_to("../c/../b")
    (tmp_path / "a/loop").symlink_to("../a/loop")
    link = tmp_path / "a" / "link"
    link.symlink_to(target)
    if "loop" in target:
        with pytest.raises(OSError, match="symbolic links"):
            followed(link)
    else:
        assert str(followed(link)) == os.path.realpath(link)


def lock_briefly(path: Path) -> None:
    with exclusive(path):
        pass


def write(path: Path, content: bytes) -> None:
    with atomic_write(path) as file:
        file.write(content)


@pytest.mark.skipif(os.name == "nt", reason="permissions and links of POSIX")
@pytest.mark.parametrize("during", ["before the content", "after the content"])
def test_links_that_appear_while_a_file_is_written_are_not_followed(during: str, tmp_path: Path) -> None:
    """Who can write to the folder replaces the output, or the temporary file, by a link to a file of this user."""
    path, victim = tmp_path / "output", tmp_path / "victim"
    for one in (path, victim):
        one.write_bytes(BEFORE)
    path.chmod(0o644)
    victim.chmod(0o600)

    def swap() -> None:
        path.unlink()
        path.symlink_to(victim)

    with atomic_write(path) as file:
        if during == "before the content":
            swap()
        file.write(AFTER)
        file.flush()
        if during == "after the content":
            swap()
    assert (path.is_symlink(), path.read_bytes(), victim.read_bytes()) == (False, AFTER, BEFORE)
    assert stat.S_IMODE(victim.stat().st_mode) == 0o600


@pytest.mark.skipif(os.name == "nt", reason="pipes and links of POSIX")
def test_a_link_that_replaces_a_pipe_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not a file is opened itself: no other file has its name until it is written."""
    path, victim = tmp_path / "output", tmp_path / "victim"
    victim.write_bytes(BEFORE)
    os.mkfifo(path)
    opened = module._opened_to_write

    def swapped(name: str, flags: int) -> int:
        path.unlink()
        path.symlink_to(victim)
        return opened(name, flags)

    monkeypatch.setattr(module, "_opened_to_write", swapped)
    with pytest.raises(PermissionError, match="was replaced"):
        write(path, AFTER)
    assert victim.read_bytes() == BEFORE


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs names of descriptors")
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_a_pipe_is_written_by_the_name_of_its_descriptor(name: str) -> None:
    if not Path(name).parent.exists():
        pytest.skip("the system has no such name")
    done = subprocess.run([*COMMAND, "decode", "larqgiqsckcca", "-o", name], stdout=subprocess.PIPE, check=True)
    assert b"sd64" in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="permissions and links of POSIX")
def test_permissions_are_set_of_the_open_file_and_not_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, victim = tmp_path / "output", tmp_path / "victim"
    path.write_bytes(BEFORE)
    path.chmod(0o644)
    victim.write_bytes(BEFORE)
    victim.chmod(0o600)
    lock = module._lock

    def swapped(file: Any) -> Any:
        (temporary,) = tmp_path.glob(".output.*.part")
        temporary.unlink()
        temporary.symlink_to(victim)
        monkeypatch.setattr(module, "_lock", lock)
        return True

    monkeypatch.setattr(module, "_lock", swapped)
    with suppress(OSError):
        write(path, AFTER)
    assert (stat.S_IMODE(victim.stat().st_mode), victim.read_bytes()) == (0o600, BEFORE)


@pytest.mark.parametrize("name", ["n" * 255, "é" * 127, "n" * 200, "n" * 201])
def test_a_name_may_be_as_long_as_the_system_allows(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    with exclusive(path), atomic_write(path) as file:
        file.write(BEFORE)
        file.flush()
        (left,) = (one for one in os.listdir(tmp_path) if one.endswith(".part"))
        held = (tmp_path / left).read_bytes()
    abandoned = tmp_path / f"{left[:-5][:-8]}01234567.part"
    abandoned.write_bytes(held)
    os.utime(abandoned, (0, 0))
    with atomic_write(path) as file:
        file.write(AFTER)
    assert (path.read_bytes(), os.listdir(tmp_path)) == (AFTER, [name])


WRITE = """
import sys
from simhash_doc.files import atomic_write
for number in range(int(sys.argv[2])):
    with atomic_write(sys.argv[1]) as file:
        file.write(sys.argv[3].encode() * 2000)
"""


@pytest.mark.parametrize("times", [50, pytest.param(2000, marks=pytest.mark.slow)])
def test_several_processes_write_one_file(times: int, tmp_path: Path) -> None:
    path = tmp_path / "output"
    processes = [subprocess.Popen([sys.executable, "-c", WRITE, str(path), str(times), name]) for name in "abcd"]
    assert [process.wait(timeout=300) for process in processes] == [0] * 4
    assert (len(set(path.read_bytes())), os.listdir(tmp_path)) == (1, ["output"])


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


@pytest.mark.skipif(os.name == "nt", reason="permissions and links of POSIX")
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


@pytest.mark.skipif(os.name == "nt", reason="permissions and links of POSIX")
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


@pytest.mark.parametrize("times", [5, pytest.param(200, marks=pytest.mark.slow)])
def test_no_change_of_several_processes_is_lost(times: int, tmp_path: Path) -> None:
    path = tmp_path / "number"
    path.write_text("0")
    command = [sys.executable, "-c", COUNT, str(path), str(times)]
    processes = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait(timeout=120) for process in processes] == [0, 0, 0]
    assert (int(path.read_text()), os.listdir(tmp_path)) == (3 * times, ["number"])


class FailureError(SimhashDocError):
    """The error of a folder that cannot be used."""


RUN: dict[str, Any] = {"input": "a", "bytes": 5, "modified": 6, "distance": 3}


def used(folder: Path, run: dict[str, Any] = RUN, stop: bool = False) -> list[str]:
    """Use a folder, to the end or with an interruption, and return the names of what it contained at the start."""
    with part_folder(folder, r"part-[0-9]+|output", run, FailureError):
        found = sorted(os.listdir(folder))
        (folder / "part-1").write_text("pairs")
        (folder / "output").write_text("sorted pairs")
        if stop:
            raise KeyboardInterrupt
    return found


def interrupted(folder: Path) -> Path:
    with pytest.raises(KeyboardInterrupt):
        used(folder, stop=True)
    return folder


def test_folder_keeps_its_parts_until_a_run_is_complete(tmp_path: Path) -> None:
    folder = interrupted(tmp_path / "out.partial")
    assert sorted(os.listdir(folder)) == ["output", "part-1", "run.json"]
    assert os.name == "nt" or stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert used(folder) == [".run.json.lock", "output", "part-1", "run.json"]
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(143), OSError("full")], ids=repr)
def test_folder_of_a_run_that_ends_before_its_first_part_is_deleted(error: BaseException, tmp_path: Path) -> None:
    with pytest.raises(type(error)), part_folder(tmp_path / "out.partial", "part", RUN, FailureError):
        raise error
    assert os.listdir(tmp_path) == []


def test_folder_of_a_run_with_another_description_is_kept(tmp_path: Path) -> None:
    folder = interrupted(tmp_path / "out.partial")
    with pytest.raises(FailureError, match=r"other options or input \(modified, distance\); repeat"):
        used(folder, RUN | {"distance": 2, "modified": 7})
    less = {name: value for name, value in RUN.items() if name != "modified"}
    for other, name in ((RUN | {"sides": None}, "sides"), (RUN | {"sides": [1, 2]}, "sides"), (less, "modified")):
        with pytest.raises(FailureError, match=rf"\({name}\)"):
            used(folder, other)
    assert sorted(os.listdir(folder)) == ["output", "part-1", "run.json"]


def test_folder_that_is_in_use_cannot_be_used_again(tmp_path: Path) -> None:
    with (
        part_folder(tmp_path / "f", "part", RUN, FailureError),
        pytest.raises(FailureError, match="another process is using this folder"),
    ):
        used(tmp_path / "f")


@pytest.mark.skipif(os.name == "nt", reason="permissions and links of POSIX")
@pytest.mark.parametrize("kind", ["link", "folder", "folder of another run", "folder that was deleted and created"])
def test_folder_that_is_replaced_while_it_is_used_is_kept(kind: str, tmp_path: Path) -> None:
    """The folder of the user has files with the names of parts."""
    folder, precious = tmp_path / "f", tmp_path / "photos"
    precious.mkdir()
    names = ("output", "run.json" if "run" in kind else "photo.jpg")
    for name in names:
        (precious / name).write_text("precious")

    def swap() -> None:
        folder.rename(tmp_path / "aside")
        if "created" in kind:
            shutil.rmtree(tmp_path / "aside")
        if kind == "link":
            folder.symlink_to(precious)
        else:
            precious.rename(folder)

    with pytest.raises(FailureError, match="was replaced"), part_folder(folder, "output", RUN, FailureError):
        swap()
    assert [(folder / name).read_text() for name in names] == ["precious"] * 2


def test_any_value_of_the_description_may_be_wrong(tmp_path: Path) -> None:
    folder = interrupted(tmp_path / "out.partial")
    for _, text in damaged(RUN):
        (folder / "run.json").write_text(text)
        if json_or_none(text) == RUN:
            continue
        with pytest.raises(FailureError, match="other options"):
            used(folder)


def json_or_none(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


# What there is before: files with their content, folders, which end with a slash, and links. An own folder is that of
# an interrupted run.
FOREIGN = {
    "file": {"f/thesis.txt": "precious"},
    "file with a used name": {"f/part-1": "precious"},
    "folder below": {"f/run.json/": ""},
    "link to a folder": {"photos/photo.jpg": "precious", "f": "-> photos"},
    "dangling link": {"f": "-> nothing"},
    "file in place of the folder": {"f": "precious"},
    "own, with a link": {"f/part-3": "-> ../target", "target": "precious"},
}
KILLED = {
    "empty": {"f/": ""},
    "created": {"f/.run.json.lock": ""},
    "described": {"f/.run.json.123.0a1b2c3d.part": "{"},
    "own, with a part": {"f/.part-2.123.0a1b2c3d.part": "incomplete"},
}


def create(kind: str, entries: dict[str, str], directory: Path) -> Path:
    """Create the entries in a directory; return the path `f` in it."""
    if kind.startswith("own"):
        interrupted(directory / "f")
    for name, content in entries.items():
        path = directory / name
        (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
        if content.startswith("-> "):
            path.symlink_to(content.removeprefix("-> "))
        elif not name.endswith("/"):
            path.write_text(content)
    return directory / "f"


def contents(folder: Path) -> dict[str, str]:
    """Return every file below a folder, and every link with its target."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            found[str(path)] = f"-> {path.readlink()}"
        else:
            found[str(path)] = "folder" if path.is_dir() else path.read_text()
    return found


@pytest.mark.skipif(os.name == "nt", reason="permissions and links of POSIX")
@pytest.mark.parametrize("kind", FOREIGN)
def test_what_this_program_did_not_create_is_rejected_and_kept(kind: str, tmp_path: Path) -> None:
    folder = create(kind, FOREIGN[kind], tmp_path)
    before = contents(tmp_path)
    with pytest.raises(FailureError, match="was not created by simhash-doc"):
        used(folder)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("kind", KILLED)
def test_folder_of_a_killed_run_is_used(kind: str, tmp_path: Path) -> None:
    folder = create(kind, KILLED[kind], tmp_path)
    used(folder)
    assert not folder.exists()


@pytest.mark.parametrize("name", ["bzip2", "xz", "zstd", "zip"])
def test_rows_with_another_compression_are_told(tmp_path: Path, name: str) -> None:
    content = b"id,text\n1,one\n"
    starts = {"bzip2": bz2.compress(content), "xz": lzma.compress(content)}
    starts |= {"zstd": b"\x28\xb5\x2f\xfd", "zip": b"PK\x03\x04"}
    message = f"the data are compressed with {name}, not with gzip; decompress them first"
    for ending in ("csv", "jsonl", "gz"):
        path = tmp_path / f"in.{ending}"
        path.write_bytes(starts[name])
        for command in (("table", "fingerprint"), ("table", "dedupe", "-o", tmp_path / "out.csv"), ("find-all",)):
            done = run(*command, path)
            assert (done.returncode, f"in.{ending}: cannot be read: {message}" in done.stderr) == (1, True)
    path.write_bytes(b"BZh,text\n1,one two\n")
    assert run("table", "fingerprint", path).returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_the_error_of_a_full_disk_names_the_file(tmp_path: Path) -> None:
    """The error of the system names none, and a command would take it for one of standard output."""
    import resource

    path = tmp_path / "new"
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 13, before[1]))
    try:
        with pytest.raises(OSError, match="File too large") as full, atomic_write(path) as file:
            file.write(b"x" * (1 << 20))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert (full.value.filename, list(tmp_path.iterdir())) == (str(path), [])


def test_the_error_of_a_file_that_cannot_be_created_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "new"
    with pytest.raises(FileNotFoundError) as missing, atomic_write(path):
        pass
    assert (missing.value.filename, missing.value.filename2) == (str(path), None)
