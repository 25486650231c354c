"""The examples of the README and of the pages: what they print is what they show."""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from simhash_doc import fingerprint
from tests.commands import run

ROOT = Path(__file__).parents[2]
SAMPLES = "conformance/vectors/extraction"
PROMPT = "    $ "


def transcript(page: str) -> list[tuple[str, str]]:
    """Return the commands of a page that have a prompt, and what the page shows as their output."""
    found: list[tuple[str, str]] = []
    for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
        if line.startswith(PROMPT):
            found.append((line.removeprefix(PROMPT), ""))
        elif found and line.startswith("    "):
            found[-1] = (found[-1][0], f"{found[-1][1]}{line.removeprefix('    ')}\n")
        elif found and line:
            break
    return found


def test_the_first_examples_of_the_readme_print_what_they_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / SAMPLES).parent.mkdir(parents=True)
    shutil.copytree(ROOT / SAMPLES, tmp_path / SAMPLES)
    monkeypatch.chdir(tmp_path)
    commands = transcript("README.md")
    assert sum("simhash-doc" in command for command, _ in commands) >= 3
    for command, shown in commands:
        if command.startswith("cd "):
            os.chdir(command.removeprefix("cd "))
            continue
        if not command.startswith("simhash-doc "):
            subprocess.run(["sh", "-c", command], check=True)
            continue
        done = run(*command.split()[1:])
        assert (done.stdout, done.stderr) == (shown, "")
    verdicts = [shown.split(":")[0] for _, shown in commands if "of 64 bits" in shown]
    assert verdicts == ["close", "close", "distinct"]


def test_the_example_of_the_playground_is_close() -> None:
    page = (ROOT / "docs/playground.md").read_text(encoding="utf-8")
    first, second = (html.unescape(re.findall(rf'data-{name}="([^"]*)"', page)[0]) for name in ("first", "second"))
    assert first != second
    assert len(first.split()) > 100
    assert fingerprint(first).verdict(fingerprint(second)) == "close"
    assert fingerprint(first).distance(fingerprint(second)) > 0


def test_the_page_about_data_frames_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs/how-to/cluster-a-data-frame.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 2
    for block in blocks:
        namespace: dict[str, object] = {}
        exec(compile(block, "cluster-a-data-frame.md", "exec"), namespace)
        assert namespace["clusters"] == [0, None, 0, None, 0], block
        clustering = block[block.index("clusters = ") :].splitlines()
        assert len(clustering) <= 5
