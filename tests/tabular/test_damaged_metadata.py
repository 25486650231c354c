"""Metadata of OUTPUT.partial with any value wrong: a message, or the same result; never a traceback."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pyarrow as pa
import pytest

from simhash_doc.cli.tabular import fingerprint_rows
from simhash_doc.files import PartFolder
from simhash_doc.tabular.request import Request
from tests.commands import run
from tests.damaged_json import damaged
from tests.tabular.tables import example_table, write_lines, write_parquet
from tests.tabular.test_resuming import COLUMNS, small_parts, stopped_before_the_end  # noqa: F401 - a fixture

CHECKPOINT = "checkpoint"
TABLE = example_table(300)


def stopped_at_the_end(source: Path, output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fingerprint until the output is in its place, then stop."""

    def stop(folder: PartFolder, keep: str | None = None) -> None:
        if keep:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(PartFolder, "clear", stop)
        with pytest.raises(KeyboardInterrupt):
            fingerprint_rows(str(source), Request("text", "id"), str(output), 1)


def last_part(partial: Path) -> Path:
    return max(partial.glob("*.arrow"))


def checkpoint_of(partial: Path) -> str:
    with pa.ipc.open_file(pa.OSFile(str(last_part(partial)))) as reader:
        metadata = reader.get_batch_with_custom_metadata(reader.num_record_batches - 1).custom_metadata
    return str(metadata[CHECKPOINT].decode())


def set_checkpoint(partial: Path, text: str) -> None:
    path = last_part(partial)
    with pa.ipc.open_file(pa.OSFile(str(path))) as reader:
        batches, schema = [reader.get_batch(at) for at in range(reader.num_record_batches)], reader.schema
    with path.open("wb") as file, pa.ipc.new_file(file, schema) as writer:
        for batch in batches[:-1]:
            writer.write_batch(batch)
        writer.write_batch(batches[-1], {CHECKPOINT: text})


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("step", [41, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["run.json", "done.json", CHECKPOINT])
@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_any_value_in_the_metadata_of_a_run_may_be_wrong(
    form: str, name: str, step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (write_parquet if form == "parquet" else write_lines)(tmp_path / f"in.{form}", TABLE)
    begun, work = tmp_path / "begun", tmp_path / "work"
    begun.mkdir()
    if name == "done.json":
        stopped_at_the_end(source, begun / "out.jsonl", monkeypatch)
    else:
        stopped_before_the_end(source, begun / "out.jsonl", 1, monkeypatch)
    partial = begun / "out.jsonl.partial"
    text = checkpoint_of(partial) if name == CHECKPOINT else (partial / name).read_text()
    for what, changed in list(damaged(json.loads(text)))[::step]:
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(begun, work)
        if name == CHECKPOINT:
            set_checkpoint(work / "out.jsonl.partial", changed)
        else:
            (work / "out.jsonl.partial" / name).write_text(changed)
        done = run("fingerprint", *COLUMNS, source, "-o", work / "out.jsonl", "-j", "1")
        assert "Traceback" not in done.stderr, what
        assert done.returncode in (0, 1, 2), what
        assert len(done.stderr) < 2000, what
        if done.returncode == 2:
            assert "contains an unfinished run with other options" in done.stderr, what
        else:
            corrupt = "delete the folder to start again" in done.stderr
            assert corrupt or os.listdir(work) == ["out.jsonl"], what


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize(
    "text",
    ["{}", "[]", '{"offset": 1e999, "line": 1}', '{"offset": -1, "line": 1}', '{"offset": 999999999, "line": 1}',
     '{"offset": true, "line": 1}', '{"row": 0}', "[" * 100_000],
)  # fmt: skip
def test_a_checkpoint_that_is_not_a_position_is_corrupt(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_lines(tmp_path / "in.jsonl", TABLE)
    stopped_before_the_end(source, tmp_path / "out.jsonl", 1, monkeypatch)
    set_checkpoint(tmp_path / "out.jsonl.partial", text)
    done = run("fingerprint", *COLUMNS, source, "-o", tmp_path / "out.jsonl")
    assert done.returncode == 1
    assert done.stderr.endswith("is corrupt; delete the folder to start again\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.usefixtures("small_parts")
def test_a_part_with_other_columns_is_corrupt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_lines(tmp_path / "in.jsonl", TABLE)
    for number in ("first", "last"):
        output = tmp_path / f"{number}.jsonl"
        stopped_before_the_end(source, output, 1, monkeypatch)
        partial = output.with_name(f"{output.name}.partial")
        part = partial / "000000.arrow" if number == "first" else last_part(partial)
        batch = pa.record_batch({"id": ["a"]})
        with part.open("wb") as file, pa.ipc.new_file(file, batch.schema) as writer:
            writer.write_batch(batch, {CHECKPOINT: '{"offset": 9, "line": 2}'})
        done = run("fingerprint", *COLUMNS, source, "-o", output)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert "is corrupt; delete the folder to start again" in done.stderr
