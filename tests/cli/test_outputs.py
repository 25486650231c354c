"""Outputs that would replace an input, and outputs of which several are given."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import COMMAND, run

WORDS = "some plain words of a document that is long enough to have a fingerprint"


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, bytes]]:
    """A folder with documents and a file of fingerprints, which must be the same afterwards."""
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    Path("docs/a.txt").write_text(WORDS)
    Path("docs/b.html").write_text(f"<html><body><p>{WORDS}</p></body></html>")
    Path("link.txt").symlink_to("docs/a.txt")
    Path("values.txt").write_text("larqgiqsckcca\nlarqgiqsckcca\n")
    before = {str(path): path.read_bytes() for path in Path().rglob("*.*")}
    yield before
    assert {name: Path(name).read_bytes() for name in before} == before


@pytest.mark.parametrize(
    "command",
    [
        "fingerprint docs/a.txt -o docs/a.txt",
        "fingerprint docs/a.txt -o link.txt",
        "fingerprint docs -o docs/b.html",
        "extract docs/a.txt -o ./docs/../docs/a.txt",
        "dedupe docs -o docs/a.txt",
        "dedupe docs --html docs/b.html",
        "dedupe docs --remove-list docs/a.txt",
        "dedupe docs --db near.sqlite --html docs/b.html",
        "compare docs/a.txt docs/b.html -o docs/b.html",
        "find-all values.txt -o values.txt",
        "find-clusters values.txt -o values.txt",
    ],
)
def test_an_output_never_replaces_an_input(command: str, inputs: dict[str, bytes]) -> None:
    done = run(*command.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        f"{command.rsplit(maxsplit=1)[-1]}: is also an input and would be overwritten; choose another output"
        in done.stderr
    )


@pytest.mark.parametrize("name", ["report.html", "./report.html"])
def test_a_file_is_one_output_only(name: str, inputs: dict[str, bytes]) -> None:
    done = run("dedupe", "docs", "--html", "report.html", "--remove-list", name)
    assert done.returncode == 2
    assert "is given for two outputs" in done.stderr
    assert not Path("report.html").exists()


def test_an_output_that_no_search_finds_is_replaced(inputs: dict[str, bytes]) -> None:
    for _ in range(2):  # JSON is not read as a document
        assert run("fingerprint", "docs", "-o", "docs/out.jsonl").returncode == 0
    for _ in range(2):
        assert run("dedupe", "docs", "--exclude", "r.html", "--html", "docs/r.html").returncode == 0


def test_a_closed_pipe_leaves_the_files_of_a_report(inputs: dict[str, bytes]) -> None:
    for number in range(400):
        Path(f"docs/{number}.txt").write_text(WORDS)
    options = ["--html", "report.html", "--remove-list", "list"]
    with subprocess.Popen([*COMMAND, "dedupe", "docs", *options, "-j", "1"], stdout=subprocess.PIPE) as command:
        assert command.stdout is not None
        command.stdout.close()
    assert command.returncode == 141
    assert Path("report.html").stat().st_size > 0
    assert len(Path("list").read_text().splitlines()) == 401


def test_a_name_with_a_slash_at_its_end_is_not_a_file(inputs: dict[str, bytes]) -> None:
    done = run("extract", "docs", "-o", "new/")
    assert (done.returncode, done.stderr) == (1, "simhash-doc: new/: cannot be written: Is a directory\n")
    assert not Path("new").exists()


def test_a_database_in_a_missing_directory_names_it(inputs: dict[str, bytes]) -> None:
    done = run("dedupe", "docs", "--db", "new/near.sqlite")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"simhash-doc: new/near.sqlite: its directory {Path.cwd() / 'new'} does not exist\n"


def test_an_extension_without_a_format_is_an_error(inputs: dict[str, bytes]) -> None:
    done = run("find-clusters", "values.txt", "-o", "clusters.xlsx")
    assert done.returncode == 2
    assert "unknown extension .xlsx" in done.stderr
    assert not Path("clusters.xlsx").exists()
    assert run("find-clusters", "values.txt", "-o", "clusters.xlsx", "--format", "csv").returncode == 0
