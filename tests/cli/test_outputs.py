"""Outputs that would replace an input, and outputs of which several are given."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import COMMAND, run

WORDS = "some plain words of a document that is long enough to have a fingerprint"


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, bytes]]:
    """A folder with documents and a file of each other kind that is read; all must be the same afterwards."""
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    Path("docs/a.txt").write_text(WORDS)
    Path("docs/b.html").write_text(f"<html><body><p>{WORDS}</p></body></html>")
    Path("link.txt").symlink_to("docs/a.txt")
    Path("values.txt").write_text("larqgiqsckcca\nlarqgiqsckcca\n")
    Path("list.txt").write_text("docs/a.txt\n")
    Path("ignore.txt").write_text("*.md\n")
    Path("rows.csv").write_text(f"id,text\n1,{WORDS}\n2,{WORDS}\n")
    Path("pages.cdxj").write_text("")
    Path("crawl.warc").write_bytes(b"")
    Path("adapter.txt").write_text("an adapter")
    Path("adapter.txt").chmod(0o755)
    Path("answers.txt").write_text("")
    Path("vectors.d").mkdir()
    Path("vectors.d/suite.json").write_text("{}")
    assert run("store", "add", "--db", "near.sqlite", stdin=b"larqgiqsckcca  a").returncode == 0
    assert run("index", "build", "values.d", "values.txt").returncode == 0
    Path("link.sqlite").symlink_to("near.sqlite")
    Path("hard.sqlite").hardlink_to("near.sqlite")
    before = {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    yield before
    assert {name: Path(name).read_bytes() for name in before} == before


def _refused(*arguments: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{arguments[-1]}: " in done.stderr
    assert "; choose another output" in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        "fingerprint docs/a.txt -o docs/a.txt",
        "fingerprint docs/a.txt -o link.txt",
        "fingerprint docs -o docs/b.html",
        "fingerprint --files-from list.txt -o docs/a.txt",
        "fingerprint --column text rows.csv -o rows.csv",
        "extract docs/a.txt -o ./docs/../docs/a.txt",
        "dedupe docs -o docs/a.txt",
        "dedupe docs --html docs/b.html",
        "dedupe docs --remove-list docs/a.txt",
        "dedupe docs --db near.sqlite --html docs/b.html",
        "dedupe --column text rows.csv -o rows.csv",
        "dedupe --column text rows.csv -o new.csv --groups rows.csv",
        "compare docs/a.txt docs/b.html -o docs/b.html",
        "find-all values.txt -o values.txt",
        "find-all values.txt --against list.txt -o list.txt",
        "find-all values.txt --against values.d --format json -o values.d/manifest.sdix",
        "find-clusters values.txt -o values.txt",
        "index query values.d values.txt -o values.txt",
        "index query values.d larqgiqsckcca --format json -o values.d/manifest.sdix",
        "index info values.d -o values.d/manifest.sdix",
        "index verify values.d -o values.d/manifest.sdix",
        "archive annotate crawl.warc --index pages.cdxj -o crawl.warc",
        "archive annotate crawl.warc --index pages.cdxj -o pages.cdxj",
        "archive changes pages.cdxj -o pages.cdxj",
        "conformance list --vectors vectors.d -o vectors.d/suite.json",
        "conformance show --vectors vectors.d fold/ascii -o vectors.d/suite.json",
        "conformance requests --vectors vectors.d -o vectors.d/suite.json",
        "conformance run --answers answers.txt --report answers.txt",
        "conformance run --answers answers.txt --known-failures list.txt --html list.txt",
        "conformance run --junit adapter.txt -- ./adapter.txt --report adapter.txt",
        "conformance matrix --adapter one=./adapter.txt --report adapter.txt",
        "store find --db near.sqlite values.txt -o values.txt",
    ],
)
def test_an_output_never_replaces_an_input(command: str, inputs: dict[str, bytes]) -> None:
    _refused(*command.split())


@pytest.mark.parametrize("listing", ["--files-from list.txt", "--files-from ./list.txt", "--ignore-file list.txt"])
@pytest.mark.parametrize(
    "command",
    ["fingerprint -o", "extract -o", "dedupe -o", "dedupe --html", "dedupe --remove-list", "dedupe --db new.db -o"],
)
def test_an_output_never_replaces_a_list_of_paths(command: str, listing: str, inputs: dict[str, bytes]) -> None:
    name, *options = command.split()
    _refused(name, "docs/a.txt", *listing.split(), *options, "list.txt")


@pytest.mark.parametrize(
    "command",
    [
        "store export -o",
        "store find larqgiqsckcca -o",
        "store stats -o",
        "store verify -o",
        "dedupe docs -o",
        "dedupe docs --html",
        "dedupe docs --remove-list",
    ],
)
@pytest.mark.parametrize(
    ("database", "output"),
    [
        ("near.sqlite", "near.sqlite"),
        ("link.sqlite", "near.sqlite"),
        ("near.sqlite", "link.sqlite"),
        ("near.sqlite", "hard.sqlite"),
        ("sqlite:///near.sqlite", "./near.sqlite"),
        ("near.sqlite", "near.sqlite-wal"),
        ("link.sqlite", "near.sqlite-shm"),
        ("near.sqlite", "near.sqlite-journal"),
        ("new.sqlite", "new.sqlite"),
    ],
)
def test_an_output_never_replaces_a_database(
    command: str, database: str, output: str, inputs: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    group, *rest = command.split()
    name = [group, rest.pop(0)] if group == "store" else [group]
    _refused(*name, "--db", database, *rest, output)
    if group == "store":
        monkeypatch.setenv("SIMHASH_DOC_DB", database)
        _refused(*name, *rest, output)


def test_without_the_extra_a_store_names_it(inputs: dict[str, bytes]) -> None:
    program = "import sys; sys.modules['sqlalchemy'] = None; from simhash_doc.cli import main; main()"
    command = [sys.executable, "-c", program, "store", "export", "--db", "near.sqlite", "-o", "copy.jsonl"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("simhash-doc: the store needs SQLAlchemy: pip install 'simhash-doc[sql]'")


def test_an_output_never_replaces_the_standard_input(inputs: dict[str, bytes]) -> None:
    for command in ("fingerprint -", "find-all", "find-clusters -", "store find --db near.sqlite"):
        with Path("values.txt").open("rb") as file:
            arguments = [*COMMAND, *command.split(), "-o", "values.txt"]
            done = subprocess.run(arguments, stdin=file, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert "values.txt: is also an input" in done.stderr


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
