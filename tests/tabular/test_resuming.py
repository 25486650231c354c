"""Runs that are killed and started again: they resume, and give the output of a run that was not killed."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from simhash_doc.cli.tabular import fingerprint_rows
from simhash_doc.tabular import job, json_lines
from simhash_doc.tabular import parquet as parquet_input
from simhash_doc.tabular.parts import Parts
from simhash_doc.tabular.request import Request
from tests.commands import run, run_process
from tests.kills import killed_before_change, needs_fork
from tests.tabular.tables import example_table, expected_rows, read_lines, read_result, write_lines, write_parquet

TABLE = example_table(900)
COLUMNS = ("--column", "text", "--id", "id")
SMALL_PARTS = """
import simhash_doc.tabular.job, simhash_doc.tabular.json_lines, simhash_doc.tabular.parquet
simhash_doc.tabular.job._WORTH_WORKERS = 0
simhash_doc.tabular.parquet._PART_BYTES = simhash_doc.tabular.json_lines._PART_BYTES = 10_000
simhash_doc.tabular.json_lines._PIECE_BYTES = simhash_doc.tabular.json_lines._BLOCK = 10_000
"""


@pytest.fixture(params=["parquet", "jsonl"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    if request.param == "parquet":
        return write_parquet(folder / "data.parquet", TABLE)
    return write_lines(folder / "data.jsonl", TABLE)


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "_WORTH_WORKERS", 0)
    monkeypatch.setattr(parquet_input, "_PART_BYTES", 10_000)
    monkeypatch.setattr(json_lines, "_PART_BYTES", 10_000)
    monkeypatch.setattr(json_lines, "_PIECE_BYTES", 4_000)
    monkeypatch.setattr(json_lines, "_BLOCK", 4_000)


def stopped_before_the_end(source: Path, output: Path, jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fingerprint until all parts are written, then stop."""

    def stop(parts: Parts, write: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Parts, "finish", stop)
        with pytest.raises(KeyboardInterrupt):
            fingerprint_rows(str(source), Request("text", "id"), str(output), jobs)


def quiet_run(source: Path, output: Path) -> int:
    sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    return fingerprint_rows(str(source), Request("text", "id"), str(output), 1)


@needs_fork
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("step", [25, pytest.param(7, marks=pytest.mark.slow)])
@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_killed_before_each_change_of_a_file(source: Path, ending: str, step: int, tmp_path: Path) -> None:
    expected = tmp_path / "expected" / f"out.{ending}"
    expected.parent.mkdir()
    assert fingerprint_rows(str(source), Request("text", "id"), str(expected), 1) == 1
    for number in range(1, 200, step):
        output = tmp_path / f"{number}" / f"out.{ending}"
        output.parent.mkdir()
        if killed_before_change(number, output.parent, partial(quiet_run, source, output)) != -signal.SIGKILL:
            break
        unfinished = output.with_name(output.name + ".partial")
        finished = output.exists()
        if not (finished and not unfinished.exists()):
            again = killed_before_change(10_000, output.parent, partial(quiet_run, source, output))
            # A finished file whose folder had only its lock left is just there.
            assert again == 1 or (finished and os.listdir(unfinished) in ([], ["lock"]))
        assert output.read_bytes() == expected.read_bytes()
        if not finished:
            assert os.listdir(output.parent) == [output.name]
    assert 25 < number < 200
    rows = read_result(expected) if ending == "parquet" else read_lines(expected)
    assert rows == expected_rows(TABLE)


@pytest.mark.usefixtures("small_parts")
def test_finished_parts_are_not_computed_again(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "out.jsonl"
    stopped_before_the_end(source, output, 1, monkeypatch)
    parts = sorted((tmp_path / "out.jsonl.partial").glob("*.arrow"))
    assert len(parts) > 3
    parts[-1].unlink()
    before = [part.stat().st_mtime_ns for part in parts[:-1]]
    stopped_before_the_end(source, output, 2, monkeypatch)
    assert [part.stat().st_mtime_ns for part in parts[:-1]] == before
    assert parts[-1].exists()
    assert fingerprint_rows(str(source), Request("text", "id"), str(output), 1) == 1
    assert read_lines(output) == expected_rows(TABLE)
    assert sorted(os.listdir(tmp_path)) == ["in", "out.jsonl"]


@pytest.mark.slow
def test_killed_at_random_moments_with_workers(tmp_path: Path) -> None:
    rows = example_table(6000)
    source = write_parquet(tmp_path / "data.parquet", rows, 50)
    output = tmp_path / "out.jsonl"
    code = f"{SMALL_PARTS}\nfrom simhash_doc.cli import main; main()"
    command = [sys.executable, "-c", code, "fingerprint", *COLUMNS, str(source), "-o", str(output), "-j", "2"]
    rng = random.Random(3)
    kills = 0
    parts = 0
    for wait in [rng.uniform(0, 0.3) for _ in range(12)]:
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        # From the first sign of new work on, not from the start: importing takes most of the time.
        folder = Path(f"{output}.partial")
        while process.poll() is None and len(list(folder.glob("*.arrow"))) <= parts:
            time.sleep(0.005)
        time.sleep(wait)
        process.kill()
        if process.wait() != -signal.SIGKILL:
            break
        kills += 1
        now = len(list(folder.glob("*.arrow")))
        assert now > parts or output.exists() or not now
        parts = now
    assert kills
    if not output.exists():
        assert subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 1
    assert read_lines(output) == expected_rows(rows)


@pytest.mark.usefixtures("small_parts")
def test_unfinished_run_with_other_options_does_not_resume(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out.jsonl"
    stopped_before_the_end(source, output, 1, monkeypatch)
    kept = sorted(os.listdir(tmp_path / "out.jsonl.partial"))
    done = run("fingerprint", *COLUMNS, "--scheme", "sd128", source, "-o", output)
    assert "contains an unfinished run with other options or input (scheme was 'sd64', is 'sd128')" in done.stderr
    assert done.returncode == 2
    os.utime(source, ns=(1, 1))
    done = run("fingerprint", *COLUMNS, source, "-o", output)
    assert "modified was" in done.stderr
    other = Path(shutil.copy(source, tmp_path / f"other{source.suffix}"))
    done = run("fingerprint", *COLUMNS, other, "-o", output)
    assert "(input was " in done.stderr, done.stderr
    assert f"{source.name}', is " in done.stderr, done.stderr
    assert f"{other.name}'); repeat that run, or delete the folder" in done.stderr, done.stderr
    assert sorted(os.listdir(tmp_path / "out.jsonl.partial")) == kept


@pytest.mark.skipif(sys.platform == "win32", reason="no lock on Windows")
def test_second_process_on_the_same_output_is_rejected(tmp_path: Path) -> None:
    first = Parts(str(tmp_path / "out.parquet"), {"scheme": "sd64"})
    source = write_parquet(tmp_path / "data.parquet", TABLE)
    done = run_process("fingerprint", *COLUMNS, source, "-o", tmp_path / "out.parquet")
    assert "another process is using this folder" in done.stderr
    assert done.returncode == 1
    first.close()


def test_existing_output_is_not_changed(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    output.write_text("mine", encoding="utf-8")
    for argument in (source, "-"):
        done = run("fingerprint", *COLUMNS, argument, "-o", output, stdin=b'{"id": 1, "text": "alpha"}')
        assert f"{output}: exists already; delete it or choose another name" in done.stderr
        assert done.returncode == 2
    assert output.read_text(encoding="utf-8") == "mine"
