"""The speeds of the implementations: what the programs print is read, and the tables are of the published figures."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.implementations import PROGRAMS, Program, speeds
from benchmarks.implementations_report import write_report

RESULTS = Path(__file__).parents[2] / "docs/benchmarks"


def test_speeds_are_read_per_file_and_scheme(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import os, sys\n"
        "assert sys.argv[1] == '10000' and os.environ['SECONDS'] == '0.5'\n"
        "for name in sys.argv[2:]:\n"
        "    print(f'{name}:  sd64 12.5 MB/s  sd128 7.0 MB/s')\n",
        encoding="utf-8",
    )
    found = speeds(Program([], f"{sys.executable} {program}"), [Path("a b.txt"), Path("c.txt")], 10_000, 0.5)
    assert found == {"a b": {"sd64": 12.5, "sd128": 7.0}, "c": {"sd64": 12.5, "sd128": 7.0}}


def test_a_missing_toolchain_is_named() -> None:
    assert Program(["no-such-compiler -o x"], "x").missing == "no-such-compiler"
    assert Program([], f"{sys.executable} x").missing == ""


def test_the_tables_are_of_the_published_figures(tmp_path: Path) -> None:
    results = json.loads((RESULTS / "implementations.json").read_text(encoding="utf-8"))
    write_report(results, tmp_path / "tables.md")
    assert (tmp_path / "tables.md").read_bytes() == (RESULTS / "implementations-tables.md").read_bytes()
    assert set(results["english"]) == set(PROGRAMS)
