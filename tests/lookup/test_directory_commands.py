"""`simhash-doc index` on a directory of segments: the answers of a file, whose commands it shares."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from simhash_doc import Fingerprint
from simhash_doc.lookup import Corpus
from simhash_doc.lookup.directory import MANIFEST
from tests.commands import COMMAND, run
from tests.lookup.distributions import seeded
from tests.lookup.test_commands import wait_for
from tests.provenance import provenance


def rows(values: list[int], scheme: str = "sd64", first: int = 0) -> bytes:
    """Return JSON lines; every third has no path."""
    found = []
    for at, value in enumerate(values, first):
        row: dict[str, object] = {"fingerprint": str(Fingerprint(value, scheme)), "provenance": provenance(scheme)}
        found.append(json.dumps(row if at % 3 == 0 else {"path": f"{at}.txt", **row}))
    return "\n".join(found).encode()


@pytest.mark.parametrize("scheme", ["sd64", "sd128", "sd256", "sd512"])
def test_a_directory_and_a_file_give_the_same_output(scheme: str, tmp_path: Path) -> None:
    values = [value << (10 if scheme != "sd64" else 0) for value in seeded("clustered", 120).tolist()]
    lines = [rows(values[:60], scheme), rows(values[40:], scheme, 40), rows(values[20:50], scheme, 20), b""]
    queries = rows(values[:30], scheme) + b"\n" + rows([1 << 60], scheme)
    said, held = [], []
    for arguments in (("i",), ("d", "--segmented")):
        index, *options = arguments
        path = str(tmp_path / index)
        output = [run("index", "build", "--distance", "3", *options, path, stdin=lines[0])]
        output += [
            run("index", change, path, stdin=text) for change, text in zip(["add", "remove"], lines[1:3], strict=True)
        ]
        output.append(run("index", "query", path, stdin=queries))
        output.append(run("index", "query", "--format", "csv", "--trust", path, stdin=queries))
        info = json.loads(run("index", "info", "--format", "json", path).stdout)
        said.append([(done.returncode, done.stdout, done.stderr.replace(path, "INDEX")) for done in output])
        held.append({name: info[name] for name in info if name not in ("bytes", "segments", "removed")})
    assert said[0] == said[1]
    assert held[0] == held[1]
    assert run("index", "verify", tmp_path / "d").stdout.startswith(f"{tmp_path / 'd'}: valid: ")


def test_the_parts_of_a_directory_are_counted_and_merged(tmp_path: Path) -> None:
    index = tmp_path / "d"
    assert run("index", "build", "--segmented", index, stdin=b"1\n2\n3\n").stderr == f"{index}: 3 fingerprints\n"
    assert run("index", "add", index, stdin=b"4\n1\n").stderr == f"{index}: 1 fingerprint added, 4 now\n"
    assert run("index", "remove", index, stdin=b"2\n").stderr == f"{index}: 1 fingerprint removed, 3 fingerprints now\n"
    info = json.loads(run("index", "info", "--format", "json", index).stdout)
    assert info == {
        "scheme": "sd64",
        "fingerprints": 3,
        "paths": 0,
        "distance": 3,
        "blocks": 5,
        "tables": 10,
        "bytes": sum(path.stat().st_size for path in index.iterdir()),
        "segments": 2,
        "removed": 1,
        "provenance": [],
    }
    assert run("index", "verify", index).stdout == f"{index}: valid: 3 fingerprints in 2 segments\n"
    assert run("index", "merge", index).stderr == f"{index}: 3 parts merged, 3 fingerprints\n"
    assert run("index", "verify", index).stdout == f"{index}: valid: 3 fingerprints in 1 segment\n"
    (segment,) = index.glob("segment-*")
    assert run("index", "query", segment, "5").stdout == run("index", "query", index, "5").stdout
    done = run("index", "merge", segment)
    assert (done.returncode, "is a file, which has no segments" in done.stderr) == (2, True)


def test_a_directory_is_not_replaced_by_mistake(tmp_path: Path) -> None:
    index, file, foreign = tmp_path / "d", tmp_path / "f", tmp_path / "foreign"
    run("index", "build", "--segmented", index, stdin=b"1\n")
    run("index", "build", file, stdin=b"1\n")
    foreign.mkdir()
    (foreign / "0000.sdix").touch()
    refused = {
        ("--segmented", index): "exists; add to it with `index add`, or replace it with --force",
        (index,): "is a directory; name a file, or write a directory with --segmented",
        ("--force", index): "is a directory; name a file, or write a directory with --segmented",
        ("--segmented", "--force", file): "is a file; remove it, or name a new directory",
        ("--segmented", "--force", foreign): "cannot be written: is a directory with another file, '0000.sdix'",
    }
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for arguments, reason in refused.items():
        done = run("index", "build", *arguments, stdin=b"2\n")
        assert (done.returncode in (1, 2), reason in done.stderr) == (True, True), done.stderr
    for command in ("query", "add", "info", "verify", "merge"):
        done = run("index", command, foreign)
        assert (done.returncode, "is a directory without an index: it has no manifest" in done.stderr) == (1, True)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert run("index", "build", "--segmented", "--force", index, stdin=b"2\n").returncode == 0
    assert Corpus.open(index).values().tolist() == [2]


def test_damaged_parts_are_named(tmp_path: Path) -> None:
    index = tmp_path / "d"
    for change in (["build", "--segmented"], ["add"]):
        run("index", *change, index, stdin=b"1\n" if change != ["add"] else b"2\n")
    first, second = sorted(index.glob("segment-*"))
    first.write_bytes(first.read_bytes()[:-1] + b"\x55")
    second.unlink()
    done = run("index", "verify", index)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 2)
    assert str(first) in done.stderr
    assert f"{second}: cannot be read: No such file" in done.stderr
    done = run("index", "query", "--trust", index, "1")
    assert (done.returncode, f"{second}: is missing; the manifest names it" in done.stderr) == (1, True)
    (index / MANIFEST).write_bytes(b"x" * 30)
    for command in ("query", "add", "verify", "info"):
        assert "does not begin with its magic number" in run("index", command, index).stderr


@pytest.mark.skipif(os.name == "nt", reason="locks of POSIX")
@pytest.mark.parametrize(
    ("holder", "other"),
    [(["add"], ["remove"]), (["remove"], ["merge"]), (["add"], ["build", "--segmented", "--force"])],
)
def test_two_commands_do_not_write_one_directory(holder: list[str], other: list[str], tmp_path: Path) -> None:
    index = tmp_path / "d"
    run("index", "build", "--segmented", index, stdin=b"1\n2\n")
    with subprocess.Popen([*COMMAND, "index", *holder, str(index)], stdin=subprocess.PIPE) as process:
        try:
            wait_for(index / f".{MANIFEST}.lock")
            done = run("index", *other, index, stdin=b"3\n")
            assert done.returncode == 1
            assert done.stderr == f"Error: {index}: another process is writing this index; wait until it has finished\n"
        finally:
            process.kill()
            process.wait()
    assert run("index", *other, index, stdin=b"3\n").returncode == 0
    assert sorted(os.listdir(index)) == sorted(Corpus.open(index).files())
