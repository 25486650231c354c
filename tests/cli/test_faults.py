"""Disks that fail or become full while a command writes: the old or the new content, nothing between, nothing left.

So it is with workers that cannot be started, names that are not UTF-8, and records whose lengths lie. The output of
each command goes to a pipe that does not wait.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simhash_doc import Fingerprint
from simhash_doc.lookup import Corpus
from simhash_doc.lookup.directory import MANIFEST, find_problems
from simhash_doc.store import FingerprintStore
from tests.commands import run
from tests.faults import Fault, FaultyCommands, faults_of, faulty_commands, kills_of, needs_faults
from tests.tabular.test_commands import WORDS

pytestmark = needs_faults
# By command. 200 take some minutes; before a release, run them.
FAULTS = int(os.environ.get("SIMHASH_DOC_TEST_FAULTS", "4"))
SEED = int(os.environ.get("SIMHASH_DOC_TEST_SEED", "0"))  # of other fingerprints and texts, and of their number
VALUES = [
    at // 2 * 0x9E3779B97F4A7C15 % 2**64 ^ at % 2 for at in range(2 + 2 * SEED, 2002 + 97 * SEED)
]  # in near pairs


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultyCommands]:
    with faulty_commands(tmp_path_factory.mktemp("library")) as commands:
        yield commands


def files_of(folder: Path) -> dict[str, bytes]:
    """Return the content of every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def output_in(folder: Path) -> dict[str, bytes]:
    """Return the content of the output, next to which SQLite keeps files."""
    return {name: data for name, data in files_of(folder).items() if name == "out.jsonl" or name.endswith(".part")}


def stored_in(folder: Path) -> dict[str, object]:
    """Return the documents of the store, which opens without a fault, and the names of the files next to it."""
    found: dict[str, object] = {}
    if (folder / "s.sqlite").exists():
        with FingerprintStore(folder / "s.sqlite") as store:
            assert not store.verify().problems
            found = {os.path.basename(document.id): document.fingerprint for document in store.documents()}
    return {"documents": found} | {f"file {path.name}": True for path in folder.iterdir() if path.name != "s.sqlite"}


def write_lines(folder: Path) -> None:
    lines = (json.dumps({"path": f"p{at}", "fingerprint": str(Fingerprint(value))}) for at, value in enumerate(VALUES))
    (folder / "lines.jsonl").write_text("\n".join(lines), encoding="ascii")


def write_index(folder: Path) -> None:
    write_lines(folder)
    for lines in (b"1\n2\n", b"3\n", b"4\n"):
        change = "add" if (folder / "d").exists() else "build"
        assert run("index", change, folder / "d", stdin=lines).returncode == 0


def write_complete_index(folder: Path) -> None:
    write_index(folder)
    assert run("index", "add", folder / "d", folder / "lines.jsonl").returncode == 0


def indexed_in(folder: Path) -> dict[str, object]:
    """Return the content of the index in the directory `d`, and the names of files without a use."""
    index = folder / "d"
    found: dict[str, object] = {}
    used = {MANIFEST}
    if (index / MANIFEST).exists():
        assert find_problems(index) == []
        corpus = Corpus.open(index)
        found["entries"] = {value: corpus.ids_of(value) for value in corpus.values().tolist()}
        used = set(corpus.files())
    unused = {path.name for path in folder.rglob("*")} - used - {"lines.jsonl", "d"}
    return found | {f".unused {name}": True for name in unused}


def segments_in(folder: Path) -> dict[str, object]:
    """Return what `indexed_in` does, and the number of files."""
    return indexed_in(folder) | {"files": len(Corpus.open(folder / "d").files())}


def write_output(folder: Path) -> None:
    write_lines(folder)
    (folder / "out.jsonl").write_text("the old content")


def write_documents(folder: Path) -> None:
    (folder / "texts").mkdir()
    for at in range(300 + 13 * SEED):
        (folder / "texts" / f"{at:03}.txt").write_text(" ".join(WORDS[at * step % 13] for step in range(9)))
    (folder / "out.jsonl").write_text("the old content")


def write_pages(folder: Path) -> None:
    """Write web pages, which workers read, a name that is not UTF-8, and an archive with a record that is too short."""
    (folder / "pages").mkdir()
    for at in range(6):
        words = " ".join(WORDS[at * step % 13] for step in range(9))
        (folder / "pages" / f"{at:03}.html").write_text(f"<html><body><p>{words}</p></body></html>")
    (folder / "pages" / "000.html").rename(folder / "pages" / os.fsdecode(b"\xff.html"))
    record = b"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: http://x/\r\nContent-Type: text/plain\r\n"
    records = b"".join(b"%sContent-Length: %d\r\n\r\nsome words\r\n\r\n" % (record, size) for size in (4, 10, 99))
    (folder / "pages" / "a.warc").write_bytes(records)
    (folder / "out.jsonl").write_text("the old content")


def write_rows(folder: Path) -> None:
    rows = (
        json.dumps({"id": at, "text": f"{WORDS[at % 13]} {WORDS[at % 11]} {WORDS[at % 7]}"})
        for at in range(1000 + 97 * SEED)
    )
    (folder / "rows.jsonl").write_text("\n".join(rows), encoding="ascii")


def write_table(folder: Path) -> None:
    write_rows(folder)
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text(encoding="ascii").splitlines()]
    pq.write_table(pa.Table.from_pylist(rows), folder / "in.parquet", row_group_size=99)


def write_store(folder: Path) -> None:
    write_lines(folder)
    line = b'{"id": "old", "fingerprint": "sd64:aaaaaaaaaaaac"}'
    assert run("store", "add", "--db", folder / "s.sqlite", stdin=line).returncode == 0


@dataclass(frozen=True)
class Command:
    """A command that writes.

    Attributes:
        prepare: Writes its input, and its output with an old content if it replaces or changes it.
        content: What must be old or new.
        resumes: Whether it may leave a folder `.partial` from which a repetition resumes.
        in_batches: Whether it stores documents as it goes, so that some of the new ones may be there.
    """

    arguments: str
    prepare: Callable[[Path], None]
    content: Callable[[Path], dict[str, object]] | Callable[[Path], dict[str, bytes]] = files_of
    resumes: bool = False
    in_batches: bool = False


COMMANDS = [
    Command("index build d lines.jsonl", write_lines, indexed_in),
    Command("index build --force d lines.jsonl", write_index, indexed_in),
    Command("index add d lines.jsonl", write_index, indexed_in),
    Command("store add --db s.sqlite lines.jsonl", write_lines, stored_in),
    Command("store add --db s.sqlite lines.jsonl", write_store, stored_in),
    Command("index remove d lines.jsonl", write_complete_index, indexed_in),
    Command("index merge d", write_index, segments_in),
    Command("store add --existing replace --db s.sqlite lines.jsonl", write_store, stored_in),
    Command("store remove --db s.sqlite old", write_store, stored_in),
    Command("store export --db s.sqlite -o out.jsonl", write_store, output_in),
    Command("store dedupe -j 1 --db s.sqlite texts", write_documents, stored_in, in_batches=True),
    Command("dedupe -j 1 --html out.html texts", write_documents),
    Command("table dedupe -j 1 rows.jsonl -o out.jsonl", write_rows),
    Command("table dedupe -j 1 in.parquet -o out.parquet", write_table),
    Command("dedupe -j 1 --json -o out.jsonl texts", write_documents),
    Command("fingerprint -j 1 -o out.parquet texts", write_documents),
    Command("fingerprint -j 2 --quiet --json -o out.jsonl pages", write_pages),
    Command("table fingerprint -j 1 --id id rows.jsonl -o out.csv", write_rows),
    Command("fingerprint -j 1 --json -o out.jsonl texts", write_documents),
    Command("find-clusters -o out.jsonl lines.jsonl", write_output),
    Command("find-clusters -o out.parquet lines.jsonl", write_lines),
    Command("find-all --memory 300M lines.jsonl -o out.jsonl", write_lines, resumes=True),
    Command("table fingerprint -j 1 --id id rows.jsonl -o out.parquet", write_rows),
    Command("table fingerprint -j 1 --id id rows.jsonl -o out.jsonl", write_rows),
]


# A change of an index, and a file that replaces another: the two ways in which a command writes.
SHORT = ["index add d lines.jsonl", "find-clusters -o out.jsonl lines.jsonl"]


def chosen(commands: list[Command], short: int, complete: int) -> pytest.MarkDecorator:
    """Give two commands so many faults by default, and all commands the complete number in the slow tests."""

    def case(command: Command, most: int, *marks: pytest.MarkDecorator) -> object:
        return pytest.param(command, most, id=f"{most}-{command.arguments} {command.prepare.__name__}", marks=marks)

    cases = [case(command, short) for command in commands if command.arguments in SHORT]
    cases += [case(command, complete, pytest.mark.slow) for command in commands]
    return pytest.mark.parametrize(("command", "most"), cases)


@dataclass(frozen=True)
class Contents:
    """The folder before a command, what must be old or new of it, and the number of calls that may fail."""

    begun: Path
    old: object
    new: object
    calls: int


@pytest.fixture(scope="module")
def known() -> dict[Command, Contents]:
    """Return a dict for the contents of the commands that were run."""
    return {}


@pytest.fixture
def contents(
    command: Command, faulty: FaultyCommands, known: dict[Command, Contents], tmp_path_factory: pytest.TempPathFactory
) -> Contents:
    if command not in known:
        known[command] = contents_of(command, faulty, tmp_path_factory.mktemp("contents"))
    return known[command]


def contents_of(command: Command, faulty: FaultyCommands, folder: Path) -> Contents:
    """Prepare a command, and run it without a fault."""
    begun, work = folder / "begun", folder / "done"
    begun.mkdir()
    command.prepare(begun)
    shutil.copytree(begun, work)
    old = command.content(work)
    done = faulty.run(work, command.arguments.split())
    assert done.status == 0, done.output
    new = command.content(work)
    assert new != old
    return Contents(begun, old, new, done.calls)


@chosen(COMMANDS, 2, FAULTS)
def test_a_fault_leaves_the_old_or_the_new_content(
    command: Command, most: int, contents: Contents, faulty: FaultyCommands, tmp_path: Path
) -> None:
    for number, fault in enumerate(faults_of(contents.calls, most)):
        work = tmp_path / str(number)
        shutil.copytree(contents.begun, work)
        check(command, fault, faulty, work, contents)


def check(command: Command, fault: Fault, faulty: FaultyCommands, work: Path, contents: Contents) -> None:
    arguments = command.arguments.split()
    failed = faulty.run(work, arguments, fault)
    where = f"{fault}: status {failed.status}, {failed.output!r}"
    assert failed.status in (0, 1), where
    found = command.content(work)
    if failed.status == 0:
        assert found == contents.new, where
        return
    lines = failed.output.splitlines()
    # What is stored is told before the error; that may be one of standard output, behind all others.
    assert len(lines) == 1 or (len(lines) == 2 and lines[0].endswith((" stored", " unchanged"))), where
    partial = work / f"{arguments[-1]}.partial"
    if command.resumes and partial.exists():
        hidden = [path.name for path in partial.iterdir() if path.name.startswith(".")]
        assert not hidden, where
        again = faulty.run(work, arguments)
        assert (again.status, command.content(work)) == (0, contents.new), f"{where}, then {again.output!r}"
    else:
        assert found == contents.new or is_begun(command, found, contents), where


def is_begun(command: Command, found: Any, contents: Contents) -> bool:
    """Return whether the content is the old one, or has some of the new documents where they are stored in batches."""
    new: Any = contents.new
    return found == contents.old or (command.in_batches and found["documents"].items() <= new["documents"].items())


# test_external.py kills those that resume before each change of a file.
@pytest.mark.slow
@chosen([one for one in COMMANDS if not one.resumes], 1, FAULTS // 2)
def test_a_killed_command_can_be_repeated(
    command: Command, most: int, contents: Contents, faulty: FaultyCommands, tmp_path: Path
) -> None:
    arguments = command.arguments.split()
    for number, kill in enumerate(kills_of(contents.calls, most)):
        work = tmp_path / str(number)
        shutil.copytree(contents.begun, work)
        killed = faulty.run(work, arguments, kill)
        # A store commits after seconds, too: a faster run than that of `contents` has fewer calls.
        assert killed.status == -signal.SIGKILL or (killed.status == 0 and killed.calls < kill.call), kill
        if (found := visible(command, work)) == contents.new:
            continue
        assert is_begun(command, found, contents), kill
        again = faulty.run(work, arguments)
        assert (again.status, visible(command, work)) == (0, contents.new), f"{kill}, then {again.output!r}"
        left = [path.name for path in work.rglob(".*") if path.name.endswith((".lock", ".part"))]
        assert not left, kill


def visible(command: Command, folder: Path) -> dict[str, object]:
    """Return the content without the temporary files that a killed process leaves."""
    return {name: value for name, value in command.content(folder).items() if not name.startswith(".")}
