"""A collection kept up to date with files: each document has an id of its own, whatever the files are called."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo
from itertools import count
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from simhash_doc import fingerprint
from simhash_doc.store import FingerprintStore
from simhash_doc.store import store as store_module
from simhash_doc.store.folders import FolderUpdate
from tests.commands import run
from tests.extraction.samples import warc

CAPTURES = "c.warc#20200102030405"


def crawl(path: Path, *uris: str) -> None:
    words = "some words of a page that are many enough"
    pages = ((uri, f"<html><body><p>w{number} {words}</p></body></html>".encode()) for number, uri in enumerate(uris))
    path.write_bytes(warc([(uri, page, {}) for uri, page in pages]))


def ids(database: Path, folder: Path) -> list[str]:
    with FingerprintStore(database) as store:
        return sorted(document.id.removeprefix(f"{folder}/") for document in store.documents())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "d"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    ("uris", "expected"),
    [
        (("x:/", "x:/", "x:/#2"), ["x:/", "x:/#2", "x:/#2#2"]),
        (("x:/#2", "x:/", "x:/"), ["x:/", "x:/#2", "x:/#3"]),
        (("x:/", "x:/", "x:/", "x:/#3", "x:/#2"), ["x:/", "x:/#2", "x:/#2#2", "x:/#3", "x:/#3#2"]),
    ],
)
def test_captures_of_one_page_have_ids_of_their_own(
    folder: Path, tmp_path: Path, uris: tuple[str, ...], expected: list[str]
) -> None:
    crawl(folder / "c.warc", *uris)
    (folder / "a.txt").write_text("one two three four")
    database = tmp_path / "s.sqlite"
    done = run("store", "dedupe", "--db", str(database), folder)
    added = f"{database}: {len(uris) + 1} added, 0 replaced, 0 removed, 0 unchanged"
    assert (done.returncode, added in done.stderr.splitlines(), "unconfirmed" in done.stderr) == (0, True, False)
    found = ids(database, folder)
    assert found[0] == "a.txt"
    assert found[1:] == [f"{CAPTURES}/{name}" for name in expected]
    again = run("store", "dedupe", "--db", str(database), folder)
    assert f"0 added, 0 replaced, 0 removed, {len(uris) + 1} unchanged" in again.stderr


def test_a_file_with_the_name_of_a_capture_keeps_its_own_document(folder: Path, tmp_path: Path) -> None:
    crawl(folder / "c.warc", "x", "y")
    database = tmp_path / "s.sqlite"
    assert run("store", "dedupe", "--db", str(database), folder).returncode == 0
    (folder / CAPTURES).mkdir()
    (folder / CAPTURES / "x").write_text("one two three four")
    for expected in ("1 added, 2 replaced, 0 removed, 0 unchanged", "0 added, 0 replaced, 0 removed, 3 unchanged"):
        done = run("store", "dedupe", "--db", str(database), folder)
        assert (done.returncode, expected in done.stderr) == (0, True), done.stderr
        assert ids(database, folder) == [f"{CAPTURES}/x", f"{CAPTURES}/x#2", f"{CAPTURES}/y"]
    with FingerprintStore(database) as store:
        plain = store.get(str(folder / CAPTURES / "x"))
    assert plain is not None
    assert plain.metadata["file"]["path"].endswith("/x")


def test_a_file_given_twice_counts_once(folder: Path, tmp_path: Path) -> None:
    (folder / "a.txt").write_text("one two three four")
    done = run("store", "dedupe", "--db", tmp_path / "s.sqlite", folder, folder, f"{folder}/../d/a.txt")
    assert (done.returncode, "1 added, 0 replaced" in done.stderr) == (0, True)


def test_ten_documents_that_cannot_be_stored_are_named(folder: Path, tmp_path: Path) -> None:
    for number in range(15):
        long = folder / "/".join(f"{number:04}" + "x" * 200 for _ in range(10))
        long.mkdir(parents=True)
        (long / "a.txt").write_text(f"one two three {number}")
    done = run("store", "dedupe", "--db", tmp_path / "s.sqlite", folder)
    assert (done.returncode, done.stderr.count(": cannot be stored: ")) == (1, 10)
    assert "5 more: cannot be stored" in done.stderr


def test_a_run_without_new_documents_reports_what_was_skipped(folder: Path, tmp_path: Path) -> None:
    def messages() -> str:
        return run("store", "dedupe", "--db", tmp_path / "s.sqlite", folder).stderr

    empty = messages()
    (folder / "a.txt").write_text("one two three four")
    messages()
    (folder / "style.css").touch()
    named = messages()  # skipped by its name: no file is read
    (folder / "style.css").rename(folder / "photo")
    (folder / "photo").write_bytes(b"\xff\xd8\xff\xe0\x00\x10JFIF")
    read = messages()  # skipped by its content
    assert "no documents found" in empty
    assert "no documents found" not in named + read
    assert "1 file of other formats skipped: CSS (1)" in named
    assert "1 file of other formats skipped: image (1)" in read
    assert all("0 added, 0 replaced, 0 removed, 1 unchanged" in one for one in (named, read))


def test_the_database_in_the_folder_is_not_a_document(folder: Path) -> None:
    (folder / "a.txt").write_text("one two three four")
    (folder / "link.txt").symlink_to(folder / "s.sqlite")
    for expected in ("1 added", "1 unchanged"):
        done = run("store", "dedupe", "--db", folder / "s.sqlite", folder)
        assert (done.returncode, expected in done.stderr) == (0, True), done.stderr


@pytest.mark.parametrize(
    "name", ["x.jsonl", *(pytest.param(name, marks=pytest.mark.slow) for name in ("x.txt", "x.csv", "x.parquet"))]
)
def test_a_file_that_two_commands_add_is_stored_once(
    name: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a.txt").write_text("one two three four")
    crawl(folder / "c.warc", "x:/", "x:/#2")
    monkeypatch.chdir(tmp_path)
    database = tmp_path / "s.sqlite"
    assert run("fingerprint", "d", "-o", name).returncode == 0
    assert run("store", "add", "--db", str(database), name).returncode == 0
    with FingerprintStore(database) as store:
        before = {(document.id, document.uri) for document in store.documents()}
    paths = (f"{folder}/{one}" for one in ("a.txt", f"{CAPTURES}/x:/", f"{CAPTURES}/x:/#2"))
    assert before == {(path, path) for path in paths}
    monkeypatch.chdir(folder)
    assert run("store", "dedupe", "--db", str(database), ".").returncode == 0
    with FingerprintStore(database) as store:
        assert {(document.id, document.uri) for document in store.documents()} == before
    line = run("fingerprint", "--json", "a.txt").stdout
    assert "1 document removed" in run("store", "remove", "--db", str(database), stdin=line.encode()).stderr


@pytest.mark.parametrize("jump", [timedelta(days=-400), timedelta(days=400), timedelta(days=-30_000)])
def test_a_clock_that_jumps_hides_no_change(
    jump: timedelta, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock is set while a run stores documents: a file of the same size and time is read again, or was never."""

    class Jumping(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return clock.now(tz) + jump * next(calls)

    clock, calls = datetime, count()
    monkeypatch.setattr(store_module, "datetime", Jumping)
    database = str(tmp_path / "s.sqlite")

    def update() -> str:
        done = run("store", "dedupe", "--db", database, folder)
        assert done.returncode == 0, done.stderr
        return done.stderr

    for name in "ab":
        (folder / f"{name}.txt").write_text(f"one two three {name}")
    assert "2 added" in update()
    (folder / "a.txt").write_text("six two three a")
    for name in "cd":
        (folder / f"{name}.txt").write_text(f"one two three {name}")
    assert "2 added, 1 replaced, 0 removed, 1 unchanged" in update()
    assert "0 added, 0 replaced, 0 removed, 4 unchanged" in update()
    with FingerprintStore(database) as store:
        assert {Path(one.id).name: one.fingerprint for one in store.documents()} == {
            path.name: fingerprint(path.read_text(), "sd256") for path in folder.glob("*.txt")
        }


@pytest.mark.parametrize("collection", ["default", "new"])
def test_the_report_covers_a_collection_that_another_process_creates_meanwhile(
    collection: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def update(name: str = collection) -> CompletedProcess[str]:
        return run("store", "dedupe", "--db", tmp_path / "s.sqlite", "--collection", name, folder)

    def run_second(self: FolderUpdate, *arguments: Any) -> None:
        if others:
            assert others.pop()().returncode == 0
        own_run(self, *arguments)

    own_run = FolderUpdate.run
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text("one two three four")
    if collection != "default":
        update("default")
    others = [update]
    monkeypatch.setattr(FolderUpdate, "run", run_second)
    done = update()
    assert "0 added, 2 replaced" in done.stderr
    assert (done.returncode, "2 documents, 2 of them in 1 cluster" in done.stdout) == (0, True), done.stdout
