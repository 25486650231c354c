"""What the step `lint` says about the sentences that a change adds; it never fails for them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / ".ci/prose.py"
LONG = f"Each of these {'very many and ' * 9}words is here.\n"


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for command in ("init -q -b main", "config user.name Ada", "config user.email ada@example.org"):
        subprocess.run(["git", *command.split()], check=True)
    (tmp_path / "guide.md").write_text(f"# A guide\n\n{LONG}\n    indented code: {LONG}\n", encoding="utf-8")
    commit("first")
    return tmp_path


def commit(subject: str) -> None:
    for command in (["add", "-A"], ["commit", "-q", "-m", subject]):
        subprocess.run(["git", *command], check=True)


def said() -> list[str]:
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, check=True)
    return done.stdout.decode().splitlines()


def test_only_what_a_change_adds_is_printed(clone: Path) -> None:
    assert said() == ["prose: no earlier commit to compare with"]
    guide = clone / "guide.md"
    added = f"{LONG.replace('Each', 'All')}\nIts value is that of a mutant, too.\n\n```sh\nrun .5 # those of\n```\n"
    guide.write_text(guide.read_text(encoding="utf-8") + added, encoding="utf-8")
    (clone / "module.py").write_text('"""Return those of\nthe former."""\n', encoding="utf-8")
    commit("second")
    *lines, last = said()
    assert lines[0].startswith("guide.md: 33 words: All of these")
    shown = [line.split("'")[1] for line in lines[1:]]
    assert shown == ["that of", ", too", "those of", "the former"]
    assert last == "prose: 3 new sentences, 1 of them over 25 words, 1 shown"


def test_a_branch_is_compared_with_the_main_branch(clone: Path) -> None:
    subprocess.run(["git", "switch", "-q", "-c", "branch"], check=True)
    for number in (1, 2):
        (clone / "guide.md").write_text(f"# A guide\n\nOne is {number}·10^{number}.\n", encoding="utf-8")
        commit(f"change {number}")
    assert said()[0] == "guide.md: '10^2' (10⁹): One is 2·10^2."
    assert said()[1].startswith("prose: 1 new")
