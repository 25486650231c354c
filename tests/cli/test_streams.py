"""Standard streams that are closed, full, without reader or of few characters; and text that controls terminals."""

from __future__ import annotations

import csv
import io
import os
import signal
import subprocess
import sys
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from simhash_doc import fingerprint
from simhash_doc.console.messages import escape_controls, escape_path
from simhash_doc.entries.line_formats import parse_line
from simhash_doc.report.page import visible
from tests.commands import COMMAND, run
from tests.signals import interruptible

ESCAPES = "build \x1b[31merror\x1b[0m in \x1b]0;title\x07\x9b1m parser\r passed\x85 \u2028 \u202e end\n"
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")


def shell(script: str, folder: Path) -> tuple[int, bytes]:
    """Run a shell script with `simhash-doc` as $CMD; return its status and its standard error."""
    environment = os.environ | {"CMD": " ".join(COMMAND)}
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, capture_output=True, check=False)
    return done.returncode, done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("some words")
    return tmp_path


def test_extracted_text_is_printed_exactly(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(ESCAPES.encode())
    assert run("extract", tmp_path / "a.txt").stdout.replace("\r\n", "\n") == ESCAPES


@pytest.mark.parametrize("name", ["x\ny", "x\ry", "x\r\ny", 'x"y', "x,y", "x\x1by", "\n"])
def test_csv_has_one_row_per_document(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("some words")
    out = run("fingerprint", "--csv", tmp_path).stdout
    rows = list(csv.reader(io.StringIO(out, newline="")))
    computed = fingerprint("some words")
    assert rows == [
        ["path", "scheme", "fingerprint", "hex", "tokens", "distinct_tokens", "support"],
        [str(tmp_path / name), "sd64", str(computed), computed.hex, "2", "2", "2.0"],
    ]


@posix
def test_text_and_messages_have_one_line_per_document(tmp_path: Path) -> None:
    for name in ("x\nsimhash-doc: forged", "a\x1b]0;title\x07", "b\r", "c\\d"):
        (tmp_path / name).write_text("12 34")
        (tmp_path / f"{name}2").write_text("some words")
    done = run("fingerprint", tmp_path)
    lines = [*done.stdout.splitlines(), *done.stderr.splitlines()]
    assert len(lines) == 4 + 5
    assert not any(character in "".join(lines) for character in "\x1b\x07\r")
    assert r"\x1b]0;title\x07" in done.stderr
    escaped = [line.partition("  ")[2] for line in done.stdout.splitlines()]
    assert [path.startswith("\\") for path in escaped] == [True] * 4
    missing = run("store", "stats", "--db", tmp_path / "x\x1b[2J")
    assert (missing.returncode, "\x1b" in missing.stderr) == (1, False)


def test_every_control_character_is_escaped() -> None:
    every = "".join(map(chr, [*range(0xA0), 0x2028, 0x2029, 0x202E, 0x2066]))
    escaped = escape_controls(every)
    assert escaped.isprintable() or escaped.replace("\t", "").isprintable()
    assert escape_controls("größe 東京 \udcff") == "größe 東京 \udcff"


IGNORED = [chr(code) for first, last in [
    (0xA0, 0xA0), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x2000, 0x200F), (0x202A, 0x202F), (0x205F, 0x206F), (0x3000, 0x3000), (0x3164, 0x3164), (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
] for code in range(first, last + 1)]  # fmt: skip
"""Default_Ignorable_Code_Point of Unicode, and the spaces of class Zs but the usual one."""


def test_names_that_look_alike_are_shown_differently() -> None:
    assert {one for one in map(chr, range(sys.maxunicode)) if unicodedata.category(one) == "Zs"} - {*IGNORED, " "} == {
        "\u1680"
    }
    for unseen in [*IGNORED, "\u1680", "\u2800"]:
        shown = escape_path(f"a{unseen}b")
        assert shown.startswith("\\a\\")
        assert shown.isascii()
        assert parse_line(f"{fingerprint('some words')}  {shown}", "text").name == f"a{unseen}b"
        assert visible(f"a{unseen}b").isascii()


@pytest.fixture
def unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let directories named `secret` be unreadable, for the superuser too."""
    scan = os.scandir

    def scandir(path: Any = ".") -> Any:
        if os.path.basename(path) == "secret":
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", scandir)


@pytest.mark.usefixtures("unreadable")
@pytest.mark.parametrize(
    "command", [("fingerprint",), ("extract",), ("dedupe",), ("store", "dedupe", "--db", "{}/s.sqlite")], ids=" ".join
)
@pytest.mark.parametrize("start", ["d", "d/secret"])
def test_an_unreadable_directory_is_an_error(command: tuple[str, ...], start: str, tmp_path: Path) -> None:
    (tmp_path / "d" / "secret").mkdir(parents=True)
    (tmp_path / "d" / "a.txt").write_text("some words")
    done = run(*(part.format(tmp_path) for part in command), tmp_path / start)
    assert done.returncode == 1
    assert f"{tmp_path}/d/secret: cannot be read: Permission denied" in done.stderr


@posix
@pytest.mark.parametrize(
    ("script", "status", "message"),
    [
        ("$CMD fingerprint a.txt > /dev/full", 1, b"simhash-doc: standard output: No space left on device\n"),
        ("$CMD fingerprint a.txt >&-", 1, b"simhash-doc: standard output: Bad file descriptor\n"),
        ("$CMD fingerprint a.txt 2>&- | grep -q sd64:", 0, b""),
        ("$CMD fingerprint - <&-", 1, b"simhash-doc: -: cannot be read: Bad file descriptor\n"),
        ("$CMD fingerprint a.txt <&- >&- 2>&-", 1, b""),
        pytest.param("$CMD fingerprint a.txt > /dev/full 2>&1", 1, b"", marks=pytest.mark.slow),
        pytest.param(
            "$CMD extract a.txt > /dev/full",
            1,
            b"simhash-doc: standard output: No space left on device\n",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "$CMD conformance run --select 'cap/*' -- $CMD conformance adapter > /dev/full",
            1,
            b"simhash-doc: standard output: No space left on device\n",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "$CMD conformance run --select 'cap/*' -- $CMD conformance adapter >&-",
            1,
            b"simhash-doc: standard output: Bad file descriptor\n",
            marks=pytest.mark.slow,
        ),
        pytest.param("set -o pipefail; $CMD --help | true", 141, b"", marks=pytest.mark.slow),
        pytest.param(
            "echo larqgiqsckcca | $CMD index build i.sdix >&-", 0, b"i.sdix: 1 fingerprint\n", marks=pytest.mark.slow
        ),
        pytest.param("set -o pipefail; $CMD fingerprint . | head -c 1 > /dev/null", 141, b"", marks=pytest.mark.slow),
        ("set -o pipefail; $CMD fingerprint --json . | true", 141, b""),
    ],
)
def test_streams_that_cannot_be_used(script: str, status: int, message: bytes, folder: Path) -> None:
    if "head" in script or "true" in script:
        for number in range(400):
            (folder / f"{number}.txt").write_text("some words here")
    assert shell(script, folder) == (status, message)


@posix
def test_output_that_does_not_wait_is_complete(tmp_path: Path) -> None:
    """So a parent in Node.js or asyncio passes its pipes, of which each holds 64 KiB."""
    text = "word " * 100_000
    (tmp_path / "a.txt").write_text(text)
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    with subprocess.Popen([*COMMAND, "extract", "a.txt"], cwd=tmp_path, stdout=write_end) as process:
        os.close(write_end)
        time.sleep(1)
        with open(read_end, "rb") as pipe:
            printed = pipe.read().decode()
        assert (printed, process.wait()) == (text + "\n", 0)


@posix
def test_a_closed_stream_is_not_the_output_file(folder: Path) -> None:
    """Without a reserved descriptor, the database would be opened as standard error, and messages written to it."""
    shell("$CMD store dedupe --db s.sqlite . >&- 2>&-", folder)
    assert "valid" in run("store", "verify", "--db", folder / "s.sqlite").stdout


def printed(encoding: str, folder: Path, *command: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command on a folder with standard streams in an encoding."""
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    return subprocess.run([*COMMAND, *command, "."], cwd=folder, env=environment, capture_output=True, check=False)


@pytest.mark.parametrize(
    "encoding",
    [
        "cp1252",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("latin-1", "ascii", "utf-8", "utf-16", "utf-32-be")),
    ],
)
def test_every_character_can_be_printed(encoding: str, tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff\xd1\x81.txt") if sys.platform != "win32" else "с.txt"
    (tmp_path / name).write_text("слово и ещё", encoding="utf-8")
    for command in (("fingerprint", "--trace"), ("extract",), ("fingerprint", "--csv"), ("dedupe",)):
        done = printed(encoding, tmp_path, *command)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout
        if encoding == "utf-8" and sys.platform not in ("win32", "darwin") and command[0] == "fingerprint":
            assert b"./\xff" in done.stdout


TERMINATED = """
import os, signal
from simhash_doc.cli import main
os.fsync = lambda descriptor: os.kill(os.getpid(), signal.NAME)
main()
"""


@posix
@pytest.mark.parametrize("name", ["SIGTERM", pytest.param("SIGHUP", marks=pytest.mark.slow)])
def test_a_terminated_command_leaves_no_temporary_file(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", TERMINATED.replace("NAME", name), "index", "build", str(tmp_path / "i.sdix")]
    done = subprocess.run(command, input=b"larqgiqsckcca\n", capture_output=True, check=False, preexec_fn=interruptible)
    assert (done.returncode, done.stderr, os.listdir(tmp_path)) == (128 + getattr(signal, name), b"", [])
