"""`simhash-doc conformance`: output, files, exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import commands
from tests.conformance.small import fake, row, rows, write_vectors

COMMAND = [*commands.COMMAND, "conformance"]


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    return write_vectors(tmp_path / "vectors")


def command(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return commands.run("conformance", *arguments)


def run(vectors: Path, mode: str, *options: str | Path) -> subprocess.CompletedProcess[str]:
    return command("run", "--vectors", vectors, "--timeout", "2", *options, "--", *fake(mode).command)


def test_status_0_when_everything_required_passed(vectors: Path) -> None:
    done = run(vectors, "good", "-j", "2")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("8 passed\n8 cases passed: no claim of conformance\n")


@pytest.mark.parametrize("mode", ["wrong", "crash", "crash-at-once"])
def test_status_1_when_something_failed_and_a_run_stops_after_the_given_number(vectors: Path, mode: str) -> None:
    done = run(vectors, mode)
    assert (done.returncode, done.stderr) == (1, "")
    assert "cases failed" in done.stdout
    assert "Stopped" not in done.stdout
    stopped = run(vectors, mode, "--max-failures", "1")
    assert stopped.returncode == 1
    number = 1 if mode == "crash-at-once" else 4
    assert stopped.stdout.endswith(f"Stopped by --max-failures: {number} of 8 cases were run\n")


def test_a_partial_run_claims_no_conformance(vectors: Path) -> None:
    done = run(vectors, "wrong", "--select", "small/*", "--skip", "small/bad")
    assert done.returncode == 0
    assert done.stdout.endswith("7 cases of a part of the suite passed: no claim of conformance\n")
    done = run(vectors, "good", "--skip", "*")
    assert (done.returncode, done.stdout.endswith("Nothing was tested: no case passed\n")) == (1, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--select", "smal/*"], "'smal/*' matches no case"),
        (["--skip", "op:none"], "'op:none' matches no case"),
        (["--python", "m:f"], "give exactly one of: a command after --, --python, --answers"),
        (["--timeout", "0"], "--timeout"),
        (["--class", "none"], "--class"),
        (["--full", "--quick"], "--full cannot be combined with --quick"),
    ],
)
def test_usage_errors_are_status_2(vectors: Path, options: list[str], message: str) -> None:
    done = run(vectors, "good", *options)
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    assert "Traceback" not in done.stderr


def test_a_quick_run_leaves_out_large_cases_and_says_so(tmp_path: Path) -> None:
    vectors = write_vectors(tmp_path / "vectors", [row("big", "x" * 99, flags=["large"]), row("small", "x")])
    seen = [line for line in run(vectors, "good", "-v").stdout.splitlines() if line.startswith("passed")]
    assert seen == ["passed small/small", "passed small/big"]  # large ones last
    done = run(vectors, "good", "--quick")
    assert done.returncode == 0
    assert "Not tested: the large cases, which --quick leaves out" in done.stdout
    assert done.stdout.endswith("1 case of a part of the suite passed: no claim of conformance\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give exactly one of"),
        (["--", "no-such-adapter"], "no-such-adapter cannot be run: No such file or directory"),
        (["--answers", os.devnull, "--known-failures", __file__], "line 1: "),
    ],
)
def test_a_target_that_does_not_exist_is_status_2(vectors: Path, arguments: list[str], message: str) -> None:
    done = command("run", "--vectors", vectors, *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_broken_pipe_ends_the_run_silently(vectors: Path) -> None:
    full = [*COMMAND, "run", "-v", "--vectors", str(vectors), "--", *fake("late").command]
    with subprocess.Popen(full, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        running.stdout.close()
        assert running.wait(timeout=30) == 141
        assert running.stderr is not None
        assert running.stderr.read() == b""


def test_every_report_is_written(vectors: Path, tmp_path: Path) -> None:
    names = {"report": ".json", "junit": ".xml", "html": ".html", "markdown": ".md", "badge": ".svg"}
    files = {name: tmp_path / f"{name}{suffix}" for name, suffix in names.items()}
    done = run(vectors, "wrong", *(part for name, path in files.items() for part in (f"--{name}", path)))
    assert done.returncode == 1
    report = json.loads(files["report"].read_text())
    assert report["counts"]["failed"] == 1
    assert str(tmp_path) not in files["report"].read_text()
    assert all(path.stat().st_size > 100 for path in files.values())


def test_a_report_is_written_to_standard_output(vectors: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(vectors, "good", "--report", "-")
    assert json.loads(done.stdout)["ok"] is True
    assert "8 passed" in done.stderr
    assert not Path("-").exists()
    twice = run(vectors, "good", "--report", "-", "--html", "-")
    assert (twice.returncode, "standard output (-) is given for several outputs" in twice.stderr) == (2, True)


@pytest.mark.parametrize("option", ["--report", "--junit", "--html", "--markdown", "--badge"])
def test_a_report_that_cannot_be_written_fails_before_the_run(option: str, tmp_path: Path) -> None:
    started = tmp_path / "started"
    done = command("run", option, tmp_path, "--", "touch", started)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"simhash-doc: {tmp_path}: cannot be written: Is a directory\n"
    assert not started.exists()


def test_recorded_answers_are_accepted(tmp_path: Path) -> None:
    recipe = row("recipe", "", input={"recipe": {"repeat": "x", "count": 3}}, expected={"result": "xxx"})
    same = row("same", "x", same=[{"text": "x"}])
    vectors = write_vectors(tmp_path / "vectors", [*rows(), recipe, same])
    printed = command("requests", "--vectors", vectors, "--expand")
    requests = [json.loads(line) for line in printed.stdout.splitlines()]
    assert requests[0] == {"case": "small/one", "op": "fold", "text": "one"}
    assert [request["case"] for request in requests[-2:]] == ["small/same", "small/same#2"]
    answers = tmp_path / "answers.jsonl"
    lines = (json.dumps({"case": request["case"], "result": request["text"][::-1]}) for request in requests)
    answers.write_text("\n".join(lines))
    done = command("run", "--vectors", vectors, "--answers", answers)
    assert (done.returncode, done.stderr) == (0, "")
    assert "10 passed" in done.stdout


def test_cases_are_listed_and_shown(vectors: Path) -> None:
    listed = command("list", "--vectors", vectors, "--select", "small/t*").stdout.splitlines()
    assert [line.split(maxsplit=2) for line in listed] == [
        ["small/two", "fold", "The text two."],
        ["small/three", "fold", "The text three."],
    ]
    as_json = command("list", "--vectors", vectors, "--json").stdout.splitlines()
    assert [json.loads(line) for line in as_json] == rows()
    misspelt = command("show", "--vectors", vectors, "small/thre")
    assert misspelt.returncode == 2
    assert "'small/thre' is not a case of the suite; similar: small/three" in misspelt.stderr
    shown = command("show", "--vectors", vectors, "small/two").stdout
    assert shown.startswith("The text two.\nrequirement SD-FOLD-1 (specification, section 4)\n")
    assert json.loads(shown[shown.index("{") :]) == rows()[1]


def test_a_run_without_wrong_answers_loads_no_mutants(vectors: Path) -> None:
    code = f"""
import sys
from simhash_doc.cli import main
sys.argv = ["simhash-doc", "conformance", "run", "--vectors", {str(vectors)!r}, "--", *{fake("good").command!r}]
try:
    main()
except SystemExit as ended:
    assert ended.code == 0
loaded = [name for name in sys.modules if name.startswith("simhash_doc_conformance.mutants")]
assert not loaded, loaded
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize("name", ["unicode", "fuzz"])
def test_an_implementation_that_does_not_start_is_status_1_and_one_that_does_not_exist_2(name: str) -> None:
    done = command(name, "--", *fake("crash-at-once").command)
    assert done.returncode == 1
    assert "crash: in the handshake: exited with status 1 before it answered\nno licence found" in done.stderr
    done = command(name, "--", "no-such-adapter")
    assert done.returncode == 2
    assert "no-such-adapter cannot be run: No such file or directory" in done.stderr


@pytest.mark.parametrize(
    "engine", ["numpy", *(pytest.param(engine, marks=pytest.mark.slow) for engine in ("reference", "python"))]
)
def test_the_adapter_reports_its_engine(engine: str) -> None:
    requests = [
        {"op": "hello", "protocol": 1},
        {"id": 1, "op": "fingerprint", "text": "The quick brown fox", "scheme": "sd64"},
    ]
    lines = "".join(f"{json.dumps(request)}\n" for request in requests)
    adapter = [*COMMAND, "adapter", "--engine", engine]
    done = subprocess.run(adapter, input=lines, capture_output=True, encoding="utf-8", timeout=60, check=True)
    hello, answer = map(json.loads, done.stdout.splitlines())
    assert (hello["engine"], answer["result"]) == (engine, "sd64:larqgiqsckcca")


def test_a_mutant_has_no_engine() -> None:
    done = command("adapter", "--engine", "python", "--mutant", "cap-one")
    assert (done.returncode, "give either --engine or --mutant" in done.stderr) == (2, True)
