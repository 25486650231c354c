"""`find-all` and `find-clusters` with --memory: the output of a search in memory."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from simhash_doc import Fingerprint
from simhash_doc.lookup import external
from tests.commands import run
from tests.lookup.distributions import seeded

VALUES = seeded("clustered", 2000)


@pytest.fixture(params=["npy", "jsonl", "base32"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"values.{request.param}"
    texts = [str(Fingerprint(value)) for value in VALUES.tolist()]
    if request.param == "npy":
        np.save(path, VALUES)
    elif request.param == "jsonl":
        path.write_text("\n".join(json.dumps({"path": f"p{at}", "fingerprint": t}) for at, t in enumerate(texts)))
    else:
        path.write_text("\n".join(texts))
    return path


@pytest.mark.parametrize("command", ["find-all", "find-clusters"])
def test_output_is_that_of_a_search_in_memory(command: str, source: Path, tmp_path: Path) -> None:
    expected, output = tmp_path / "expected.csv", tmp_path / "out.csv"
    assert run(command, source, "-o", expected).returncode == 0
    assert expected.stat().st_size > 10_000
    output.write_text("replaced")
    done = run(command, source, "--memory", "300M", "-o", output)
    assert (done.returncode, done.stderr) == (0, "")
    assert output.read_bytes() == expected.read_bytes()
    assert sorted(os.listdir(tmp_path)) == sorted([expected.name, output.name, source.name])


def test_an_interrupted_command_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, output = tmp_path / "values.npy", tmp_path / "out.jsonl"
    np.save(source, VALUES)

    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(external, "_write_sorted", full)
        failed = run("find-all", source, "--memory", "300M", "-o", output)
    assert failed.stderr == f"Error: {output}: cannot be written: No space left on device\n"
    assert failed.returncode == 1
    other = run("find-all", source, "--memory", "300M", "--distance", "2", "-o", output)
    assert other.returncode == 2
    assert f"{output}.partial: contains an unfinished run with other options" in other.stderr
    assert run("find-all", source, "--memory", "300M", "-o", output).returncode == 0
    assert output.read_text() == run("find-all", source).stdout


def test_usage_errors(tmp_path: Path) -> None:
    np.save(tmp_path / "values.npy", VALUES)
    assert "--memory requires --output FILE" in run("find-all", tmp_path / "values.npy", "--memory", "1G").stderr
    narrowed = run("find-all", tmp_path / "values.npy", "--scheme", "sd128")
    assert "has sd64 fingerprints; --scheme sd128 cannot narrow a .npy file" in narrowed.stderr
    assert narrowed.returncode == 2
    absent = run("find-all", tmp_path / "absent.npy")
    assert (absent.returncode, absent.stderr.endswith("absent.npy: cannot be read: No such file or directory\n")) == (
        1,
        True,
    )
    (tmp_path / "text.npy").write_text("1\n2\n")
    assert "is not a .npy file" in run("find-all", tmp_path / "text.npy").stderr
    done = run("find-all", tmp_path / "values.npy", "--memory", "100M", "-o", tmp_path / "out.jsonl")
    assert done.returncode == 2
    assert "the limit of the memory is 100 MiB; more than 256 MiB are needed" in done.stderr
