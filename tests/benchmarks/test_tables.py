"""The pages and files are of the committed results, and what the programs of the implementations print is read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import results
from benchmarks.calibration.tables import QUOTED, quoted
from benchmarks.implementations import PROGRAMS, Program, speeds
from benchmarks.results import FOLDER, PAGES, RATIONALE


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_of_the_committed_results(name: str) -> None:
    committed = (FOLDER / f"{name}-tables.md").read_text(encoding="utf-8")
    assert PAGES[name](results.read(name)) == committed, "run: python -m benchmarks.results"


def test_the_rationale_quotes_the_committed_results() -> None:
    rationale = RATIONALE.read_text(encoding="utf-8")
    assert quoted(rationale, results.read) == rationale, "run: python -m benchmarks.results"
    assert all(f": {name} -->" in rationale for name in QUOTED)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_results_have_one_form(path: Path) -> None:
    assert results.rendered(results.read(path.stem)) + "\n" == path.read_text(encoding="utf-8")


def test_results_that_are_not_measured_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    last = results.read("implementations")
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    results.write("implementations", last)
    results.write("implementations", {"machine": last["machine"] | {"cores": 7}})
    assert results.read("implementations")["english"] == last["english"]
    assert "7-core" in (tmp_path / "implementations-tables.md").read_text()


def test_speeds_are_read_per_file_and_scheme(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import os, sys\n"
        "assert sys.argv[1] == '10000' and os.environ['SECONDS'] == '0.5'\n"
        "for name in sys.argv[2:]:\n"
        "    print(f'{name}:  sd64 12.5 MB/s  sd128 7.0 MB/s')\n",
        encoding="utf-8",
    )
    run = Program("", "", f"{sys.executable} {program}")
    found = speeds(run, tmp_path, [Path("a b.txt"), Path("c.txt")], 10_000, 0.5)
    assert found == {"a b": {"sd64": 12.5, "sd128": 7.0}, "c": {"sd64": 12.5, "sd128": 7.0}}


def test_an_engine_prints_its_speeds_as_the_programs_do(tmp_path: Path) -> None:
    document = tmp_path / "text.txt"
    document.write_text("some words " * 100)
    (found,) = speeds(PROGRAMS["Python, numpy"], tmp_path, [document], 100, 0.001).values()
    assert set(found) == {"sd64", "sd128", "sd256", "sd512"}


def test_every_implementation_is_measured() -> None:
    assert set(PROGRAMS) == set(results.read("implementations")["english"])
