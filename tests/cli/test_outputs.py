"""Outputs that would replace an input, and outputs of which several are given."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from simhash_doc.console import CommandUsageError
from simhash_doc.console.guards import check_outputs
from tests.commands import COMMAND, objects, run

WORDS = "some plain words of a document that is long enough to have a fingerprint"


@pytest.fixture(scope="module")
def every_input(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with documents and a file of each other kind that is read."""
    folder = tmp_path_factory.mktemp("inputs")
    contents = {
        "docs/a.txt": WORDS,
        "docs/b.html": f"<html><body><p>{WORDS}</p></body></html>",
        "values.txt": "larqgiqsckcca\nlarqgiqsckcca\n",
        "list.txt": "docs/a.txt\n",
        "rows.csv": f"id,text\n1,{WORDS}\n2,{WORDS}\n",
        "pages.cdxj": "",
        "crawl.warc": "",
        "adapter.txt": "an adapter",
        "answers.txt": "",
        "vectors.d/suite.json": "{}",
    }
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
    (folder / "adapter.txt").chmod(0o755)
    (folder / "link.txt").symlink_to("docs/a.txt")
    (folder / "links").mkdir()
    (folder / "links" / "one.txt").symlink_to("../docs/a.txt")
    (folder / "links" / "folder").symlink_to("../docs")
    assert run("store", "add", "--db", folder / "near.sqlite", stdin=b"larqgiqsckcca  a").returncode == 0
    assert run("index", "build", folder / "values.d", folder / "values.txt").returncode == 0
    return folder


@pytest.fixture
def inputs(every_input: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, bytes]]:
    """The contents of a copy of that folder, the current one; all must be the same afterwards."""
    shutil.copytree(every_input, tmp_path, symlinks=True, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    before = {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    yield before
    assert {name: Path(name).read_bytes() for name in before} == before


def _refused(*arguments: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{arguments[-1]}: " in done.stderr
    assert "; choose another output" in done.stderr or "; expected one of " in done.stderr  # another extension


@pytest.mark.parametrize(
    "command",
    [
        "fingerprint docs/a.txt -o link.txt",
        "fingerprint docs -o docs/b.html",
        "fingerprint --files-from list.txt -o docs/a.txt",
        "fingerprint docs/a.txt --files-from list.txt -o list.txt",
        "fingerprint docs/a.txt --ignore-file list.txt -o list.txt",
        "fingerprint links -o docs/a.txt",
        "fingerprint links -o ./links/one.txt",
        "fingerprint --follow --exclude *.txt links -o docs/b.html",
        "extract links -o docs/a.txt",
        "dedupe links --html docs/a.txt",
        "store dedupe --db near.sqlite links --remove-list docs/a.txt",
        "table fingerprint rows.csv -o rows.csv",
        "extract docs/a.txt -o ./docs/../docs/a.txt",
        "dedupe docs -o docs/a.txt",
        "dedupe docs --html docs/b.html",
        "dedupe docs --remove-list docs/a.txt",
        "table dedupe rows.csv -o rows.csv",
        "table dedupe rows.csv -o new.csv --clusters rows.csv",
        "table confirm rows.csv --pairs values.txt -o rows.csv",
        "compare docs/a.txt docs/b.html -o docs/b.html",
        "find-all values.txt -o values.txt",
        "find-all values.txt --against list.txt -o list.txt",
        "find-all values.txt --against values.d --json -o values.d/manifest.sdix",
        "find-clusters values.txt -o values.txt",
        "index query values.d values.txt -o values.txt",
        "index query values.d larqgiqsckcca --json -o values.d/manifest.sdix",
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
        "store find --db near.sqlite larqgiqsckcca -o near.sqlite",
        "store export --db near.sqlite -o near.sqlite",
        "store stats --db near.sqlite -o near.sqlite",
        "store verify --db near.sqlite -o near.sqlite",
        "store dedupe --db near.sqlite docs --html docs/b.html",
        "store dedupe --db new.sqlite docs --remove-list new.sqlite-wal",
    ],
)
def test_an_output_never_replaces_an_input(command: str, inputs: dict[str, bytes]) -> None:
    _refused(*command.split())


def test_the_database_may_be_named_in_the_environment(
    inputs: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIMHASH_DOC_DB", "near.sqlite")
    _refused("store", "export", "-o", "near.sqlite")


@pytest.mark.parametrize(
    ("given", "output"),
    [
        ("docs/a.txt", "docs/a.txt"),
        ("docs/a.txt", "./docs/../docs/a.txt"),
        ("docs/a.txt", "link.txt"),
        ("link.txt", "docs/a.txt"),
        ("docs/a.txt", "hard.txt"),
        (Path("docs/a.txt"), "linked/a.txt"),
    ],
)
def test_every_name_of_an_input_is_refused(given: str | Path, output: str, inputs: dict[str, bytes]) -> None:
    Path("hard.txt").hardlink_to("docs/a.txt")
    Path("linked").symlink_to("docs")
    with pytest.raises(CommandUsageError, match=f"^{re.escape(output)}: is also an input and would be overwritten"):
        check_outputs("new.txt", output, inputs=[None, "absent", "values.txt", given])
    check_outputs(output, None, "-", inputs=["values.txt", "docs", "-"])


@pytest.mark.parametrize("output", ["values.d/manifest.sdix", "linked.d/manifest.sdix", "outside.txt"])
def test_every_file_of_a_folder_is_refused(output: str, inputs: dict[str, bytes]) -> None:
    Path("linked.d").symlink_to("values.d")
    Path("outside.txt").symlink_to("values.d/manifest.sdix")
    for folder in ("values.d", "linked.d"):
        with pytest.raises(CommandUsageError, match="is also an input"):
            check_outputs(output, folders=[None, "absent", "docs", folder])
    check_outputs(output, "values.d/new.txt", folders=["docs"])


@pytest.mark.parametrize("other", ["new.txt", "./new.txt", "docs/../new.txt"])
def test_one_file_for_two_outputs_is_refused(other: str, inputs: dict[str, bytes]) -> None:
    with pytest.raises(CommandUsageError, match="is given for two outputs"):
        check_outputs("new.txt", other)
    check_outputs(os.devnull, os.devnull)


@pytest.mark.parametrize("option", ["-q", "-0", "--json", "--"])
def test_an_option_for_an_output_is_refused(option: str, inputs: dict[str, bytes]) -> None:
    for output in ("-o", "--remove-list", "--html"):
        result = run("dedupe", output, option, "docs")
        assert (result.returncode, f"write ./{option}" in result.stderr) == (2, True)
    check_outputs(f"./{option}")


def test_without_the_extra_a_store_names_it(inputs: dict[str, bytes]) -> None:
    program = "import sys; sys.modules['sqlalchemy'] = None; from simhash_doc.cli import main; main()"
    command = [sys.executable, "-c", program, "store", "export", "--db", "near.sqlite", "-o", "copy.jsonl"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("simhash-doc: the store needs SQLAlchemy: pip install 'simhash-doc[sql]'")


@pytest.mark.parametrize(
    "command",
    [
        "find-all",
        *(
            pytest.param(one, marks=pytest.mark.slow)
            for one in ("fingerprint -", "find-clusters -", "store find --db near.sqlite")
        ),
    ],
)
def test_an_output_never_replaces_the_standard_input(command: str, inputs: dict[str, bytes]) -> None:
    values = Path(shutil.copy("values.txt", "values.jsonl"))  # every command writes files of this name
    with values.open("rb") as file:
        arguments = [*COMMAND, *command.split(), "-o", str(values)]
        done = subprocess.run(arguments, stdin=file, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "values.jsonl: is also an input" in done.stderr


def test_a_file_is_one_output_only(inputs: dict[str, bytes]) -> None:
    done = run("dedupe", "docs", "--html", "report.html", "--remove-list", "./report.html")
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
    done = run("store", "dedupe", "docs", "--db", "new/near.sqlite")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"simhash-doc: new/near.sqlite: its directory {Path.cwd() / 'new'} does not exist\n"


def test_an_extension_without_a_format_is_an_error(inputs: dict[str, bytes]) -> None:
    done = run("find-clusters", "values.txt", "-o", "clusters.xlsx")
    assert done.returncode == 2
    assert "unknown extension .xlsx" in done.stderr
    assert not Path("clusters.xlsx").exists()
    assert run("find-clusters", "values.txt", "-o", "clusters.xlsx", "--csv").returncode == 0


@pytest.mark.parametrize(
    ("form", "name", "fits"),
    [
        ("json", "x.parquet", False),
        ("parquet", "x.jsonl", False),
        ("parquet", "x.txt", False),
        ("csv", "x.json", False),
        ("text", "x.csv", False),
        ("csv", "x.txt", True),
        ("json", "x.ndjson", True),
        ("parquet", "x", True),
        ("json", "x.sometimes", True),
    ],
)
def test_a_format_and_an_extension_do_not_contradict_each_other(
    form: str, name: str, fits: bool, tmp_path: Path
) -> None:
    text = tmp_path / "a.txt"
    text.write_text("one two three", encoding="utf-8")
    done = run("fingerprint", text, f"--{form}", "-o", tmp_path / name)
    assert ("leave out one of them" in done.stderr) == (not fits)
    assert (done.returncode, (tmp_path / name).exists()) == ((0, True) if fits else (2, False))


def test_the_extension_chooses_text_or_json(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("The words of a text that two files have")
    command = ("dedupe", tmp_path / "a.txt", tmp_path / "b.txt", "-o")
    for name, start in (("out.json", b"{"), ("out.jsonl", b"{"), ("out.txt", b"cluster"), ("out", b"cluster")):
        assert run(*command, tmp_path / name).returncode == 0
        assert (tmp_path / name).read_bytes().startswith(start)
    for options in (("--json", "-o", tmp_path / "new.txt"), ("-o", tmp_path / "new.txt", "--json")):  # in any order
        assert run(*command[:-1], *options).returncode == 0
        assert (tmp_path / "new.txt").read_bytes().startswith(b"{")
    for name in ("out.parquet", "out.csv"):
        done = run(*command, tmp_path / name)
        assert (done.returncode, (tmp_path / name).exists()) == (2, False)
        assert "expected one of .jsonl, .json, .ndjson, .txt\n" in done.stderr


OUTPUTS = [
    "fingerprint docs", "extract docs", "compare docs/a.txt docs/b.html", "decode larqgiqsckcca", "dedupe docs",
    "find-all values.txt", "find-clusters values.txt", "index query values.d larqgiqsckcca", "index info values.d",
    "index verify values.d", "store dedupe --db new.sqlite docs", "store find --db near.sqlite larqgiqsckcca",
    "store export --db near.sqlite", "store stats --db near.sqlite", "store verify --db near.sqlite",
    "table fingerprint t.csv", "table dedupe t.csv", "table confirm t.csv --pairs p.csv", "archive changes pages.cdxj",
    "archive annotate --index pages.cdxj crawl.warc",
]  # fmt: skip


@pytest.mark.parametrize("command", OUTPUTS)
def test_every_command_refuses_an_unknown_extension_and_names_the_known_ones(
    command: str, inputs: dict[str, bytes]
) -> None:
    Path("t.csv").write_text("text\nthe tide mill ground flour\n")
    Path("p.csv").write_text("a,b\n2,2\n")
    known = ".cdxj" if "annotate" in command else ".csv" if command == "table dedupe t.csv" else ".jsonl"
    for name in ("out.xlsx", "out.v2.XLSX.gz", "out.parquet.gz"):
        done = run(*command.split(), "-o", name)
        assert (done.returncode, done.stdout, Path(name).exists()) == (2, "", False), done.stderr
        assert known in done.stderr or name == "out.parquet.gz", done.stderr
    assert run(*command.split(), "-o", f"out{known}").returncode in (0, 1)
    assert run(*command.split(), "-o", f"out{known}.GZ").returncode in (0, 1)
    assert gzip.decompress(Path(f"out{known}.GZ").read_bytes()) == Path(f"out{known}").read_bytes()


def test_compressed_outputs_are_inputs(inputs: dict[str, bytes]) -> None:
    assert run("fingerprint", "docs", "-o", "prints.jsonl.gz").returncode == 0
    assert run("find-all", "--distance", "31", "prints.jsonl.gz", "-o", "pairs.csv.gz").returncode == 0
    assert run("extract", "docs", "-o", "texts.jsonl.gz").returncode == 0
    done = run("table", "confirm", "--pairs", "pairs.csv.gz", "--id", "path", "--min-similarity", "0", "texts.jsonl.gz")
    assert (done.returncode, "0 not compared" in done.stderr) == (0, True), done.stderr
    assert objects(done.stdout)


@pytest.mark.parametrize("command", ["find larqgiqsckcca", "find docs/a.txt", "export", "stats", "verify", "remove x"])
def test_a_database_that_does_not_exist_is_an_error_and_is_not_created(command: str, inputs: dict[str, bytes]) -> None:
    before = sorted(os.listdir())
    done = run("store", *command.split(), "--db", "mistaken.sqlite")
    assert (done.returncode, done.stdout, sorted(os.listdir())) == (1, "", before)
    assert "mistaken.sqlite: no such file" in done.stderr
    Path("empty.sqlite").touch()
    assert run("store", *command.split(), "--db", "empty.sqlite").returncode == 1
    assert Path("empty.sqlite").stat().st_size == 0


def test_compressed_outputs_in_a_folder_are_no_documents(inputs: dict[str, bytes]) -> None:
    for form in ("txt", "jsonl", "csv"):
        assert run("fingerprint", "docs/a.txt", "-o", f"docs/own.{form}.gz").returncode == 0
    done = run("fingerprint", "docs")
    assert ("output of simhash-doc (3)" in done.stderr, "own." in done.stdout) == (True, False)
    for name in ("docs/own.txt.gz", "docs/own.jsonl.gz", "docs/own.csv.gz"):
        Path(name).unlink()
