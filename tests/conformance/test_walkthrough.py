"""The walk-through of conformance/README.md works exactly as written."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simhash_doc.conformance.adapter import Adapter
from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.scaffold import LANGUAGES
from simhash_doc.reference import BASE32
from tests import commands
from tests.conformance.adapters import running, start_adapter

README = (Path(__file__).parents[2] / "conformance/README.md").read_text(encoding="utf-8")
GOOD = "raeidodvqipge"
# U+212A, U+0131 and U+017F become ASCII letters in some case mappings.
BAD = [
    "",
    "=",
    "1=",
    "1",
    GOOD[:-1],
    *(f"{GOOD}{c}" for c in "a\n "),
    *(f"{GOOD[:-1]}{c}" for c in "\u212a\u0131\u017f😀"),
]
PREFIXES = ["sd64", "SD64", "sd64+custom", "Sd64+Custom", "sd65", "", "sd64+", "sd64:sd64", "simhash-doc-64"]


def requests() -> Iterator[dict[str, Any]]:
    for value in ["0" * 16, "f" * 16, "880881b875821e62", *(f"{1 << bit:016x}" for bit in range(64))]:
        for canonical in (True, False):
            yield {"op": "encode", "hex": value, "scheme": "sd64", "canonical": canonical}
    for text in [*(GOOD[:-1] + digit for digit in BASE32), GOOD.upper(), *BAD]:
        yield {"op": "decode", "text": text, "scheme": "sd64"}
        yield {"op": "decode", "text": text}
        for prefix in PREFIXES:
            yield {"op": "decode", "text": f"{prefix}:{text}"}


def plug_in(directory: Path) -> Path:
    """Replace the operations of a new adapter by the code of the page, and return the path of the adapter."""
    (given,) = re.findall(r"```js\n(.*?)```", README, re.DOTALL)
    path = directory / LANGUAGES["js"].adapter
    before, after = re.split(r"const operations = \{.*?\n\};\n", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    path.write_text(before + given + after, encoding="utf-8")
    return path


def test_the_operations_of_the_walk_through_answer_as_the_reference_does(tmp_path: Path) -> None:
    directory = start_adapter("js", tmp_path / "my-adapter")
    plug_in(directory)
    reference = Adapter(Implementation())
    with running("js", directory) as adapter:
        assert adapter.ask({"op": "hello", "protocol": 1})["operations"] == ["encode", "decode"]
        for number, members in enumerate(requests()):
            request = {"id": number, **members}
            assert adapter.ask(request) == reference.answer(request), request
        # Not `bad-length`: without an expected scheme, the length says that this is `sd128` (SD-TEXT-5).
        assert adapter.ask({"id": 1000, "op": "decode", "text": 2 * GOOD}) == {"id": 1000, "unsupported": True}


def test_the_cases_of_the_walk_through_pass_and_the_bug_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = plug_in(start_adapter("js", tmp_path / "my-adapter"))
    monkeypatch.chdir(path.parent)
    step = README.partition("**3. Run")[2].partition("**4. ")[0]
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
    shown = re.search(r"^    \$ (printf .*)\n    (.*)\n    (.*)\n", README, re.MULTILINE)
    assert shown
    command, *answers = shown.groups()
    done = subprocess.run(command, shell=True, cwd=directory, capture_output=True, text=True, check=True)
    greeting, answer = map(json.loads, done.stdout.splitlines())
    expected = json.loads(answers[0])
    assert {**greeting, "unicode": expected["unicode"]} == expected
    assert answer == json.loads(answers[1])


def test_the_request_shown_for_the_adapter_is_answered_as_shown() -> None:
    shown = re.search(r"^    \$ echo (.*) \| simhash-doc conformance adapter\n    (.*)\n", README, re.MULTILINE)
    assert shown
    (request,) = shlex.split(shown[1])
    assert Adapter(Implementation()).answer(json.loads(request)) == json.loads(shown[2])
