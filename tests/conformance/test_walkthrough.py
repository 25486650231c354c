"""The walk-through of docs/how-to/validate-your-port.md works exactly as written."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from simhash_doc_conformance.adapters.adapter import Adapter
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.adapters.scaffold import LANGUAGES
from tests import commands
from tests.conformance.adapters import start_adapter

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/validate-your-port.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "conformance/README.md").read_text(encoding="utf-8")


def plug_in(directory: Path) -> Path:
    """Replace the operations of a new adapter by the code of the page, and return the path of the adapter."""
    (given,) = re.findall(r"```js\n(.*?)```", PAGE, re.DOTALL)
    path = directory / LANGUAGES["js"].adapter
    before, after = re.split(r"const operations = \{.*?\n\};\n", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    path.write_text(before + given + after, encoding="utf-8")
    return path


@pytest.mark.slow
def test_the_cases_of_the_walk_through_pass_and_the_bug_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = plug_in(start_adapter("js", tmp_path / "my-adapter"))
    monkeypatch.chdir(path.parent)
    step = PAGE.partition("## 3. Run")[2].partition("## 4. ")[0]
    first, second = re.findall(r"^    simhash-doc (conformance run .* -- node adapter.mjs)$", step, re.MULTILINE)
    for command in (first, second):
        done = commands.run(*shlex.split(command))
        assert done.returncode == 0, done.stdout + done.stderr
        assert re.search(r"^\d+ passed, \d+ unsupported$", done.stdout, re.MULTILINE), done.stdout
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(line for line in lines if "spare-bits" not in line), encoding="utf-8")
    done = commands.run(*shlex.split(second))
    assert done.returncode == 1
    (bug,) = re.findall(r"^    (Likely bug: .*)$", step, re.MULTILINE)
    assert done.stdout.index(bug) < done.stdout.index("\nfailed ")


def test_the_new_adapter_answers_by_hand_as_shown(tmp_path: Path) -> None:
    directory = start_adapter("js", tmp_path / "my-adapter")
    shown = re.search(r"^    \$ (printf .*)\n    (.*)\n    (.*)\n", PAGE, re.MULTILINE)
    assert shown
    command, *answers = shown.groups()
    done = subprocess.run(command, shell=True, cwd=directory, capture_output=True, text=True, check=True)
    greeting, answer = map(json.loads, done.stdout.splitlines())
    expected = json.loads(answers[0])
    assert {**greeting, "unicode": expected["unicode"]} == expected
    assert answer == json.loads(answers[1])


def test_the_request_shown_for_the_adapter_is_answered_as_shown() -> None:
    shown = re.search(r"^    \$ echo (.*) \| simhash-doc conformance adapter\n    (.*)\n", GUIDE, re.MULTILINE)
    assert shown
    (request,) = shlex.split(shown[1])
    assert Adapter(Implementation()).answer(json.loads(request)) == json.loads(shown[2])
