"""The runner of the checks: its steps, and what it says at the end."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
# On Windows, the name may belong to a program that starts another system.
needs_bash = pytest.mark.skipif(sys.platform == "win32", reason="needs bash")


def load_runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("ci_runner", ROOT / ".ci/runner.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # which dataclasses look up
    spec.loader.exec_module(module)
    return module


runner = load_runner()


def test_every_script_is_a_step_and_runs_once() -> None:
    assert sorted(runner.ORDER) == sorted(path.stem for path in (ROOT / ".ci/steps").iterdir())


@pytest.mark.parametrize("name", runner.ORDER)
def test_the_head_of_a_step_names_what_exists(name: str) -> None:
    step = runner.Step.read(name)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert step.description.endswith(".")
    assert set(step.extras) <= extras.keys()
    assert set(step.debian) <= runner.INSTALLED.keys()
    files = re.findall(r"(?<= )(?:tests|conformance|release|spec)/\S+\.py\b", step.script.read_text(encoding="utf-8"))
    assert [file for file in files if not (ROOT / file).is_file()] == []


@pytest.mark.parametrize("name", runner.ORDER)
def test_a_script_asks_whether_all_is_run_if_and_only_if_its_head_says_what_that_adds(name: str) -> None:
    step = runner.Step.read(name)
    assert ("CI_ALL" in step.script.read_text(encoding="utf-8")) == (step.all not in ("", runner.EVERYTHING))


def test_the_workflow_runs_the_steps_of_a_commit_all_of_them_and_those_that_run_by_name() -> None:
    workflow = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    every_week, each_commit = re.findall(r"arguments: .*'(\[.*?\])' \|\| '(\[.*?\])'", workflow)[0]
    assert json.loads(each_commit) == [""]
    complete, *named = json.loads(every_week)
    assert complete == "--all"
    assert {*runner.BY_NAME} <= {*" ".join(named).split()} <= {*runner.ORDER}


@needs_bash
def test_named_steps_run_in_their_order_and_a_failure_does_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scripts = {
        "lint": "seq 100; exit 3",
        "types": "echo 'skipped: no such program'; exit 77",
        "data": "echo '0.11s call     tests/test_a.py::test_b'; echo '=== 5 passed, 2 skipped in 0.12s ==='",
    }
    for name, script in scripts.items():
        (tmp_path / f"{name}.sh").write_text(f"#!/usr/bin/env bash\n# Step {name}.\n{script}\n", encoding="utf-8")
    monkeypatch.setattr(runner, "STEPS", tmp_path)
    monkeypatch.setattr(sys, "argv", [".ci/run", "--here", *scripts])
    assert runner.main() == 1
    printed = capsys.readouterr().out
    assert [line for line in printed.splitlines() if line.startswith("== ")] == [
        "== lint: Step lint.",
        "== types: Step types.",
        "== data: Step data.",
    ]
    end = [re.sub(r"\d+ s, +\d+ s of CPU ", "S", line) for line in printed.split("Ran:\n")[1].splitlines()]
    assert [" ".join(line.split()) for line in end[:-1]] == [
        "- lint FAILED S Step lint.",
        "- types skipped S Step types.",
        "skipped: no such program",
        "- data passed S Step data.",
        "0.11s call tests/test_a.py::test_b",
        "pytest: 5 passed, 2 skipped in 0.12s",
        "",
        "The last lines of lint:",
        *map(str, range(61, 101)),
    ]
    assert end[-1].startswith("FAILED: lint ")


@needs_bash
@pytest.mark.parametrize("complete", [False, True])
def test_without_a_name_the_tests_run_first_and_what_only_a_complete_run_has_is_listed(
    complete: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    heads = {"slow": "# all: everything\n", "wheel": "# all: everything\n", "site": "# all: the versions.\n"}
    for name in runner.ORDER:
        script = f'#!/usr/bin/env bash\n# Step {name}.\n{heads.get(name, "")}echo "{name} $CI_ALL"\n'
        (tmp_path / f"{name}.sh").write_text(script, encoding="utf-8")
    monkeypatch.setattr(runner, "STEPS", tmp_path)
    monkeypatch.setattr(sys, "argv", [".ci/run", "--here", *(["--all"] if complete else [])])
    assert runner.main() == 0
    printed = capsys.readouterr().out
    begun = re.findall(r"^== (\w+):", printed, re.MULTILINE)
    ran, _, left_out = printed.partition("\n.ci/run --all also runs:\n")
    assert begun[0] == "tests"
    if complete:
        assert begun[: len(runner.ALONE)] == [*runner.ALONE]
        assert sorted(begun) == sorted({*runner.ORDER} - {*runner.BY_NAME})
        assert ("\nsite 1\n" in ran, left_out) == (True, "")
    else:
        assert sorted(begun) == sorted({*runner.ORDER} - {*runner.BY_NAME, "slow", "wheel"})
        assert "\nsite \n" in ran
        assert [" ".join(line.split()) for line in left_out.splitlines()[:-1]] == [
            "- slow Step slow.",
            "- site the versions.",
            "- wheel Step wheel.",
        ]


@pytest.mark.parametrize(("name", "here"), [("native", False), ("native", True), ("lint", False)])
def test_the_compiled_core_is_built_and_installed_for_the_steps_that_use_it(
    name: str, here: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(subprocess, "run", lambda command, **_: started.append(command))
    wheel = tmp_path / "native/simhash_doc_native-0.1.0.whl"
    if name == "native":
        wheel.parent.mkdir()
        wheel.touch()
    run = runner.Run([runner.Step.read(name)], tmp_path, here=here, complete=False)
    run._build_native()
    run._install()
    build, install = ["bash", ".ci/native.sh"], ["bash", ".ci/install.sh", "-e", ".[dev]"]
    assert started == ([] if here else [build, [*install, str(wheel)]] if name == "native" else [install])


@needs_bash
def test_an_unknown_step_is_a_usage_error() -> None:
    done = subprocess.run(["bash", ".ci/run", "nosuch"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, "unknown step nosuch" in done.stderr) == (2, True)
