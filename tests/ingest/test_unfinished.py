"""An interrupted run of `fingerprint -o`, and the next one, which continues."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import time
from pathlib import Path

import pytest

from simhash_doc import fingerprint
from tests.commands import COMMAND, objects, run
from tests.extraction.samples import html, warc
from tests.signals import InterruptedProcess

TEXT = "The tide mill of the bay ground flour for the parish whenever the sea allowed it, by day and by night"
ARGUMENTS = ("fingerprint", "--scheme", "sd128", "-j", "1", "docs", "last")


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with texts, one without a token, and one with a name that is not UTF-8; `last` is a pipe."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "docs"
    folder.mkdir()
    for at in range(6):
        (folder / f"{at}.txt").write_text(f"{TEXT} {'indeed ' * at}")
    (folder / "3.txt").write_text("17")
    (folder / "style.css").write_text("a {}")
    Path(os.fsdecode(bytes(folder) + b"/\xff.txt")).write_text(TEXT)
    os.mkfifo("last")
    return folder


def interrupt(*arguments: str, ended_by: int = signal.SIGINT) -> str:
    """Run a command until it reads the pipe `last`, and interrupt it; return standard error."""
    with InterruptedProcess[str](
        [*COMMAND, *arguments], stderr=subprocess.PIPE, text=True, errors="surrogateescape"
    ) as process:
        while True:
            try:
                writer = os.open("last", os.O_WRONLY | os.O_NONBLOCK)
            except OSError:  # nobody reads it yet
                assert process.poll() is None
                time.sleep(0.01)
            else:
                break
        time.sleep(0.1)  # Python notices a signal just before a system call only after the call: here, never
        process.send_signal(ended_by)
        _, errors = process.communicate(timeout=60)
        os.close(writer)
    assert process.returncode == 128 + ended_by
    return errors


def end_pipe() -> None:
    Path("last").unlink()
    Path("last").write_text(f"{TEXT} at last")


@pytest.mark.parametrize(
    ("output", "ended_by"),
    [
        ("out.jsonl", signal.SIGINT),
        ("out.csv", signal.SIGTERM),
        ("out.parquet", signal.SIGINT),
        pytest.param("out.jsonl", signal.SIGTERM, marks=pytest.mark.slow),
        pytest.param("out.csv", signal.SIGINT, marks=pytest.mark.slow),
        pytest.param("out.parquet", signal.SIGTERM, marks=pytest.mark.slow),
    ],
)
def test_the_same_command_continues(docs: Path, output: str, ended_by: int) -> None:
    errors = interrupt(*ARGUMENTS, "-o", output, ended_by=ended_by)
    assert "interrupted; the results of 7 files are in " + f"{output}.partial; the same command continues" in errors
    assert not Path(output).exists()
    end_pipe()
    done = run(*ARGUMENTS, "-o", output)
    whole = run(*ARGUMENTS, "-o", f"whole-{output}")
    assert Path(output).read_bytes() == Path(f"whole-{output}").read_bytes()
    assert (done.returncode, done.stderr) == (whole.returncode, whole.stderr)
    assert not Path(f"{output}.partial").exists()


def test_only_other_files_are_read_and_those_that_have_changed(docs: Path) -> None:
    interrupt(*ARGUMENTS, "-o", "out.jsonl")
    end_pipe()
    known, changed = docs / "1.txt", docs / "2.txt"
    before, other = known.stat(), TEXT.replace("tide", "wind")
    expected = str(fingerprint(known.read_text(), "sd128"))
    known.write_text(known.read_text().replace("tide", "wind"))
    os.utime(known, ns=(before.st_atime_ns, before.st_mtime_ns))
    changed.write_text(other)
    (docs / "0.txt").unlink()
    (docs / "new.txt").write_text(other)
    assert run(*ARGUMENTS, "-o", "out.jsonl").returncode == 1  # 3.txt has no token
    rows = {Path(row["path"]).name: row["fingerprint"] for row in objects(Path("out.jsonl").read_text())}
    assert rows["1.txt"] == expected
    assert rows["2.txt"] == rows["new.txt"] == str(fingerprint(other, "sd128"))
    assert "0.txt" not in rows
    assert len(rows) == 7


def test_a_run_may_be_interrupted_again(docs: Path) -> None:
    interrupt(*ARGUMENTS, "-o", "out.jsonl")
    first = Path("out.jsonl.partial").read_bytes()
    errors = interrupt("fingerprint", "--scheme", "sd128", "-j", "1", "last", "docs", "-o", "out.jsonl")
    assert "the results of 7 files are in out.jsonl.partial" in errors
    assert Path("out.jsonl.partial").read_bytes() == first


def test_results_of_other_options_and_other_files_are_refused(docs: Path) -> None:
    interrupt(*ARGUMENTS, "-o", "out.jsonl")
    kept = Path("out.jsonl.partial").read_bytes()
    for options, name in (
        (("--min-tokens", "9"), "min_tokens"),
        (("--max-pages", "9"), "limits"),
        (("--type", "text"), "format"),
    ):
        done = run(*ARGUMENTS, *options, "-o", "out.jsonl")
        assert (done.returncode, done.stdout) == (2, "")
        assert f"contains an unfinished run with other options ({name}); repeat that run, or delete" in done.stderr
    assert Path("out.jsonl.partial").read_bytes() == kept
    for content in ("", "a text", json.dumps({"fingerprint": None})):
        Path("out.jsonl.partial").write_text(content)
        done = run(*ARGUMENTS, "-o", "out.jsonl")
        assert done.returncode == 2
        assert "out.jsonl.partial: was not created by simhash-doc" in done.stderr
        assert Path("out.jsonl.partial").read_text() == content


def test_damaged_results_are_computed_again(docs: Path) -> None:
    Path("crawl.warc").write_bytes(warc([(f"https://example.org/{at}", html(), {}) for at in range(2)], zipped=False))
    arguments = ("fingerprint", "-j", "1", "crawl.warc", "docs", "last", "-o")
    interrupt(*arguments, "other.jsonl")
    for path in docs.glob("*.txt"):
        status = path.stat()
        path.write_bytes(path.read_bytes().replace(b"tide", b"wind"))
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))  # so that results of before would be used
    interrupt(*arguments, "out.jsonl")
    end_pipe()
    run(*arguments, "whole.jsonl")
    whole, kept = Path("whole.jsonl").read_bytes(), Path("out.jsonl.partial").read_bytes()
    header, *lines = kept.splitlines(keepends=True)
    other = Path("other.jsonl.partial").read_bytes().splitlines(keepends=True)[1:]
    assert len(lines) == len(other) > 9
    changed: list[list[bytes]] = [lines[:-2]]
    for at, line in enumerate(lines):
        wrong = (b"", line * 2, line[: len(line) // 2], other[at], b"\xff" + line, line.replace(b"a", b"b", 1))
        changed += ([*lines[:at], new, *lines[at + 1 :]] for new in wrong)
    for damaged in changed:
        Path("out.jsonl.partial").write_bytes(header + b"".join(damaged))
        Path("out.jsonl").unlink(missing_ok=True)
        assert run(*arguments, "out.jsonl").returncode == 1  # 3.txt has no token
        assert Path("out.jsonl").read_bytes() == whole


def test_unfinished_results_are_not_open_to_more_than_the_output(docs: Path) -> None:
    Path("out.jsonl").touch(mode=0o600)
    interrupt(*ARGUMENTS, "-o", "out.jsonl")
    assert stat.S_IMODE(Path("out.jsonl.partial").stat().st_mode) == 0o600


def test_an_output_may_have_the_longest_name(docs: Path) -> None:
    name = "x" * (255 - len(".txt")) + ".txt"  # results of an interrupted run cannot be kept
    assert run("fingerprint", docs / "1.txt", "-o", name).returncode == 0
    assert Path(name).read_bytes()


@pytest.mark.parametrize("kind", ["link", "dangling link", "pipe", "folder"])
def test_what_is_not_a_file_of_results_is_kept(kind: str, docs: Path) -> None:
    interrupt(*ARGUMENTS, "-o", "out.jsonl")
    end_pipe()
    path = Path("out.jsonl.partial").rename("elsewhere").with_name("out.jsonl.partial")
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("elsewhere" if kind == "link" else "nowhere")
    before = path.lstat()
    done = run(*ARGUMENTS, "-o", "out.jsonl")
    assert (done.returncode, "was not created by simhash-doc" in done.stderr) == (2, True)
    assert path.lstat() == before


def test_a_file_that_could_not_be_read_is_read_again(docs: Path) -> None:
    arguments = ("fingerprint", "gone.txt", "docs/1.txt", "last", "-o", "out.jsonl")
    assert "the results of 1 file are in" in interrupt(*arguments)
    end_pipe()
    Path("gone.txt").write_text(TEXT)
    assert run(*arguments).returncode == 0
    assert len(objects(Path("out.jsonl").read_text())) == 3


def test_a_crawl_is_kept_when_it_is_read_to_its_end(docs: Path) -> None:
    Path("crawl.warc.gz").write_bytes(warc([(f"https://example.org/{at}", html(), {}) for at in range(3)]))
    arguments = ("fingerprint", "-j", "1", "crawl.warc.gz", "docs", "last", "-o", "out.jsonl")
    assert "files are in out.jsonl.partial" in interrupt(*arguments)
    end_pipe()
    state, data = Path("crawl.warc.gz").stat(), Path("crawl.warc.gz").read_bytes()
    Path("crawl.warc.gz").write_bytes(bytes(len(data)))
    os.utime("crawl.warc.gz", ns=(state.st_atime_ns, state.st_mtime_ns))
    run(*arguments)
    Path("crawl.warc.gz").write_bytes(data)
    run(*arguments[:-1], "whole.jsonl")
    assert Path("out.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()
    assert len(objects(Path("out.jsonl").read_text())) == 3 + 7


def test_the_summary_counts_the_records_of_files_of_the_run_before(docs: Path) -> None:
    record = b"WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: https://example.org/\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
    skipped = b"".join(record % kind for kind in (b"revisit", b"revisit", b"unheard", b"continuation"))
    for name in ("a.warc", "b.warc"):
        Path(name).write_bytes(warc([(f"https://example.org/{name}", html(), {})], zipped=False) + skipped)
    arguments = ("fingerprint", "-j", "1", "a.warc", "b.warc", "docs", "last", "-o", "out.jsonl")
    interrupt(*arguments)
    end_pipe()
    done, whole = run(*arguments), run(*arguments[:-1], "whole.jsonl")
    assert "4 revisit records of earlier captures skipped, 4 WARC records without a document skipped" in whole.stderr
    assert done.stderr == whole.stderr
