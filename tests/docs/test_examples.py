"""The examples of the README and of the pages: what they print is what they show."""

from __future__ import annotations

import doctest
import html
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from glob import glob
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from make_traceability import traceability
from simhash_doc import SPEC_VERSION, fingerprint
from simhash_doc.integrations.archive import Annotated, Captures
from simhash_doc.lookup import Corpus
from simhash_doc_conformance.mutants import mutants
from simhash_doc_conformance.vectors.cases import load_cases
from tests.commands import run

ROOT = Path(__file__).parents[2]
SAMPLES = "conformance/vectors/extraction"


def blocks(page: str, language: str) -> list[str]:
    """Return the fenced blocks of a page in a language."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_commands_of_the_readme_succeed_and_print_what_they_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / SAMPLES, tmp_path / SAMPLES)
    monkeypatch.chdir(tmp_path)
    (block,) = blocks("README.md", "sh")
    install, *lines = block.splitlines()
    assert install.endswith("pip install '.[extract]'")
    for line in lines:
        command, _, shown = (part.strip() for part in line.partition(" # "))
        program, *arguments = command.split()
        if program == "cd":
            os.chdir(arguments[0])
            continue
        assert program == "simhash-doc"
        done = run(*[name for argument in arguments for name in sorted(glob(argument)) or [argument]])
        assert done.returncode == 0, done.stderr
        assert shown
        assert shown in done.stdout
    assert (tmp_path / "report.html").is_file()


def test_readme_and_start_page_make_one_claim_in_the_same_words() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    start = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    (claim,) = re.findall(r"^\*\*(.+)\.\*\*$", readme, re.MULTILINE)
    assert f"\n# {claim}\n" in start
    (said,) = re.findall(r"^(A \*fingerprint\*.+?)\n\n", readme, re.MULTILINE | re.DOTALL)
    assert said in start


def test_the_readme_counts_what_is_published() -> None:
    """Round numbers, which are true and nearly reached."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "    pip install -e '.[test]' && pytest\n" in text, "the test command, which the step `tests` runs"
    matrix = json.loads((ROOT / "conformance/reports/matrix.json").read_bytes())
    assert (len(matrix["implementations"]), matrix["ok"]) == (6, True)
    for noun, count in (
        ("test vectors", len(load_cases())),
        ("comparisons", sum(pair["equal"] for pair in matrix["pairs"])),
    ):
        (shown,) = re.findall(rf"(?i)more than ([\d,]+)\s+{noun}", text)
        assert 0.9 * count < int(shown.replace(",", "")) < count
    assert len(text.splitlines()) < 120
    assert f"specification has version {SPEC_VERSION}" in text


def test_the_example_of_the_playground_is_close() -> None:
    page = (ROOT / "docs/playground.md").read_text(encoding="utf-8")
    first, second = (html.unescape(re.findall(rf'data-{name}="([^"]*)"', page)[0]) for name in ("first", "second"))
    assert first != second
    assert len(first.split()) > 100
    a, b = fingerprint(first, "sd256"), fingerprint(second, "sd256")
    assert a.verdict(b) == "close"
    assert a.distance(b) > 0


@pytest.mark.slow
def test_the_page_about_data_frames_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs/how-to/cluster-a-data-frame.md").read_text(encoding="utf-8")
    block, of_duckdb, of_policy, of_records = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    namespace: dict[str, Any] = {}
    exec(compile(block, "cluster-a-data-frame.md", "exec"), namespace)
    assert namespace["frame"]["cluster"].tolist() == [0, -1, 0, -1, 0]
    assert namespace["kept"].index.tolist() == [1, 3, 4]
    exec(compile(of_policy, "cluster-a-data-frame.md", "exec"), namespace)
    assert namespace["kept_by_date"].tolist() == [True, True, False, True, False]
    exec(compile(of_records, "cluster-a-data-frame.md", "exec"), namespace)
    assert namespace["records"].index.tolist() == [0, 1, 2, 3, 4]  # two texts differ in capitals
    pytest.importorskip("duckdb")
    exec(compile(of_duckdb, "cluster-a-data-frame.md", "exec"), namespace)
    assert namespace["kept_rows"].column("text").to_pylist() == namespace["kept"]["text"].tolist()


def commands_of(page: str) -> list[str]:
    """Return the commands of a page that are in code blocks, without comments; a pipeline is one command."""
    text = re.sub(r"(\|)\n\s*|\\\n\s*", r"\1", (ROOT / page).read_text(encoding="utf-8"))
    return [line.partition(" #")[0].strip() for line in re.findall(r"^ {4,}(simhash-doc .*)$", text, re.MULTILINE)]


@pytest.fixture
def collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with texts in the forms that the guides name; it is the working directory."""
    texts = ["The mill of the bay ground flour for the parish. " * 9, "Trains leave at noon, except on Sundays. " * 9]
    rows = [{"id": str(number), "text": text} for number, text in enumerate([*texts, texts[0].upper()])]
    (tmp_path / "texts.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    (tmp_path / "articles").mkdir()
    for row in rows:
        (tmp_path / "articles" / f"{row['id']}.txt").write_text(row["text"], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_example_of_what_is_left_out_prints_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = blocks("docs/what-is-left-out.md", "python")
    exec(compile(block, "docs/what-is-left-out.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^print.*  # (.*)$", block, re.MULTILINE)


def test_the_page_on_migration_runs(collection: Path) -> None:
    pytest.importorskip("pyarrow")
    page = "docs/how-to/migrate.md"
    shutil.copy(min((ROOT / SAMPLES).glob("*.warc")), collection / "crawl.warc.gz")
    found = commands_of(page)
    assert len(found) >= 5
    for command in found:
        done = run(*command.split()[1:])
        assert done.returncode == 0, (command, done.stderr)
    assert len((collection / "new-pairs.jsonl").read_text().splitlines()) == 1
    namespace: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(block, page, "exec"), namespace)
    stored = namespace["database"].execute("SELECT id, old, sd256 FROM documents").fetchall()  # type: ignore[attr-defined]
    assert [(row[0], row[2][:6]) for row in stored] == [("new-1", "sd256:")]
    assert namespace["sd256"]("12 34") is None  # type: ignore[operator]


@pytest.mark.parametrize("page", ["how-to/cluster-a-data-frame.md", "many-documents.md"])
def test_the_commands_for_tables_run(page: str, collection: Path) -> None:
    json_lines, pq, to_csv = (pytest.importorskip(f"pyarrow.{name}") for name in ("json", "parquet", "csv"))
    shutil.copy("texts.jsonl", "docs.jsonl")
    rows = json_lines.read_json("texts.jsonl")
    to_csv.write_csv(rows, "texts.csv")
    for name in ("texts.parquet", "data.parquet", "new.parquet", "old.parquet"):
        pq.write_table(rows, name)
    found = commands_of(f"docs/{page}")
    assert len(found) >= 2
    for command in found:
        done = run(*command.split()[1:])
        assert done.returncode == 0, (command, done.stderr)
    if "cluster" in page:
        assert pq.read_table("added.parquet").num_rows == 0
        assert pq.read_table("kept.parquet").num_rows == to_csv.read_csv("kept.csv").num_rows == 2


@pytest.mark.parametrize("page", ["archives", "deduplicate-a-crawl"])
def test_the_commands_for_crawls_run(page: str, collection: Path) -> None:
    pytest.importorskip("sqlalchemy")
    for name in ("crawl", "crawl-1", "crawl-2", "today"):
        shutil.copy(min((ROOT / SAMPLES).glob("*.warc")), collection / f"{name}.warc.gz")
    paths = [json.loads(line)["path"] for line in run("fingerprint", "--json", "crawl.warc.gz").stdout.splitlines()]
    captures = sorted(re.findall(r"#(\d{14})/(.+)", "\n".join(paths)))
    lines = [f"key {time} {json.dumps({'url': url})}\n" for time, url in captures]  # as cdxj-indexer writes them
    (collection / "crawl.cdxj").write_text("".join(lines), encoding="utf-8")
    found = commands_of(f"docs/how-to/{page}.md")
    assert len(found) >= 3
    if any("jq" in command for command in found) and not shutil.which("jq"):
        pytest.skip("needs jq")
    program = shlex.join([sys.executable, "-m", "simhash_doc"])
    for command in found:
        shell = ["bash", "-euo", "pipefail", "-c", command.replace("simhash-doc", program, 1)]
        done = subprocess.run(shell, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (command, done.stderr)
    assert (collection / "pairs.jsonl").is_file()


def test_the_program_for_more_than_fits_into_memory_finds_ids(collection: Path) -> None:
    run("fingerprint", "--scheme", "sd256", "articles", "-o", "crawl.jsonl")
    page = (ROOT / "docs/search.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(import json\n.*?)```", page, re.DOTALL)
    exec(compile(block, "docs/search.md", "exec"), {})
    assert (collection / "pairs.tsv").read_text(encoding="utf-8") == "articles/0.txt\tarticles/2.txt\t0\n"
    block = re.findall(r"```python\n(.*?)```", page.partition("## Single queries")[2], re.DOTALL)[0]
    namespace: dict[str, Any] = {"text": (collection / "articles/0.txt").read_text(encoding="utf-8").lower()}
    exec(compile(block, "docs/search.md", "exec"), namespace)
    assert namespace["found"] == [0, 2]


def test_ids_of_a_billion_take_what_is_said(tmp_path: Path) -> None:
    values = np.arange(1000, dtype=np.uint64) << np.uint64(40)
    sizes: list[int] = []
    for ids in (None, range(10**8, 10**8 + 1000)):
        Corpus.build(tmp_path / str(len(sizes)), values, ids=ids, distance=3)
        sizes.append(sum(path.stat().st_size for path in (tmp_path / str(len(sizes))).iterdir()))
    page = (ROOT / "docs/how-to/a-billion-pages.md").read_text(encoding="utf-8")
    assert f"their ids take {(sizes[1] - sizes[0]) / 1000:.0f} GB more" in page


def test_the_members_of_fingerprints_are_removed_from_an_index(tmp_path: Path) -> None:
    page = (ROOT / "docs/how-to/archives.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^    (sed -E .*\\\n.*)$", page, re.MULTILINE)
    time, urls = "20240501083000", ["https://example.org/", 'https://example.org/, "simhash": "x"']
    lines = [f"key {time} {json.dumps({'url': url, 'length': '7'})}\n" for url in urls]
    captures = Captures()
    members = {"simhash": "sd256:a", "simhash_support": 12.3, "simhash_extractor": "x 1", "simhash_incomplete": 'a "b"'}
    captures.put(time, urls[0], members)
    captures.put(time, urls[1], {"simhash_error": "no-text"})
    annotated = list(Annotated().annotate([line.encode() for line in lines], captures))
    assert all(b'"simhash' in line for line in annotated)
    (tmp_path / "annotated.cdxj").write_bytes(b"".join(annotated))
    subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True)
    assert (tmp_path / "public.cdxj").read_text(encoding="utf-8") == "".join(lines)


def test_the_page_about_other_algorithms_shows_what_they_give(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)  # examples read files of the repository
    name = "docs/why-your-simhash-differs.md"
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "```python" not in text, "a block that is not executed"
    blocks = "\n".join(re.findall(r"^```pycon\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    test = doctest.DocTestParser().get_doctest(blocks, {}, name, name, 0)
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL).run(test, out=report.append)
    assert result.attempted
    assert not result.failed, "".join(report)


def test_bugs_found_name_mutants_and_requirements_that_exist() -> None:
    lines = (ROOT / "docs/bugs-found.md").read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.startswith("| ") and not line.startswith("| Project")]
    rules = [row.strip("|").rpartition("|")[2] for row in rows]
    named = {name for rule in rules for name in re.findall(r"`([a-z0-9-]+)`", rule)}
    required = {name for rule in rules for name in re.findall(r"SD-[A-Z]+-[0-9]+", rule)}
    assert named <= set(mutants())
    assert required <= traceability([], mutants().values()).keys()
    assert len(rows) > 20
