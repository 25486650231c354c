"""The programs of the cookbook run, are short, and have right types."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.extraction.samples import warc

ROOT = Path(__file__).parents[2]
PROGRAMS = dict(
    re.findall(
        r'^```python title="([^"]+)"\n(.*?)^```$', (ROOT / "docs/how-to/cookbook.md").read_text("utf-8"), re.M | re.S
    )
)
WRONG = ROOT / "tests/typing/wrong_uses.py"
UNTYPED = re.compile("import (pandas|pyarrow)")  # libraries without types: nothing of theirs is known
PAGE = b"<p>A page about tide mills and the sea, with enough words to be read by everybody.</p>"


@pytest.mark.parametrize("title", PROGRAMS)
def test_each_program_is_short_and_runs(title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = PROGRAMS[title]
    assert len([line for line in program.splitlines() if line]) < 12
    for needed in ("pandas", "polars", "pydantic", "sqlalchemy", "pyarrow"):
        if f"import {needed}" in program or f"from {needed}" in program:
            pytest.importorskip(needed)
    monkeypatch.chdir(tmp_path)
    Path("book.txt").write_text("The quick brown fox. " * 1000, encoding="utf-8")
    Path("a.txt").write_text("A page about tide mills", encoding="utf-8")
    Path("b.html").write_bytes(PAGE)
    Path("crawl.warc.gz").write_bytes(warc([("https://example.org/a", PAGE, {}), ("https://other.example/", PAGE, {})]))
    path = tmp_path / "program.py"
    path.write_text(program, encoding="utf-8")
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    for expected in re.findall(r"\)  # ([\[{(s].*)$", program, re.MULTILINE):
        assert expected in done.stdout


@pytest.fixture
def programs(tmp_path: Path) -> list[str]:
    """Return the programs of the cookbook as files."""
    for number, program in enumerate(PROGRAMS.values()):
        (tmp_path / f"program_{number}.py").write_text(program, encoding="utf-8")
    return [str(path) for path in tmp_path.glob("program_*.py")]


@pytest.mark.slow
def test_mypy_accepts_the_programs_and_refuses_wrong_uses(programs: list[str]) -> None:
    """`wrong_uses.py` says of each line which error it is; an error that does not come is an unused comment."""
    command = [sys.executable, "-m", "mypy", "--strict", "--warn-unused-ignores", str(WRONG), *programs]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_pyright_accepts_the_programs_and_refuses_wrong_uses(programs: list[str], tmp_path: Path) -> None:
    if not shutil.which("pyright"):
        pytest.skip("pyright is not installed")
    for path in map(Path, programs):
        text = path.read_text(encoding="utf-8")
        if UNTYPED.search(text):
            path.write_text(f"# pyright: basic\n{text}", encoding="utf-8")
    options: dict[str, object] = {
        "extraPaths": [str(ROOT), str(ROOT / "extraction")],
        "reportUnnecessaryTypeIgnoreComment": True,
        "typeCheckingMode": "strict",
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(options), encoding="utf-8")
    text = re.sub(r"# type: ignore\[[a-z-]+\]", "# pyright: ignore", WRONG.read_text(encoding="utf-8"))
    (tmp_path / "wrong_uses.py").write_text(text, encoding="utf-8")
    done = subprocess.run(["pyright", "-p", tmp_path], capture_output=True, text=True, check=False)
    if "0 errors" not in done.stdout and "error:" not in done.stdout:
        pytest.skip(f"pyright cannot run here: {done.stderr[:200]}")
    assert done.returncode == 0, done.stdout
