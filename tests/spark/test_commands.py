"""The commands as a user meets them. Each starts a Java of its own, so they are few and do much."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.spark.conftest import require_spark

require_spark()

import psutil
import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner, Result
from pyspark.sql import SparkSession
from pyspark.sql.types import BinaryType, StringType, StructField, StructType

from simhash_doc import fingerprint
from simhash_doc.cli import cli
from simhash_doc.cli import spark as commands
from simhash_doc.entries.parquet_files import parquet_entries
from simhash_doc.provenance import METADATA_KEY
from simhash_doc.schemes import get_scheme
from simhash_doc.spark import fingerprints, jobs, session
from simhash_doc.spark.storage import read_entry_table
from simhash_doc.thresholds import recommended
from tests.commands import run as run_here
from tests.provenance import EXTRACTOR_VERSION, extracted, provenance
from tests.signals import InterruptedProcess

WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau"
DAYS: tuple[list[tuple[str, str | None]], ...] = (
    [("a", WORDS), ("b", WORDS.upper()), ("c", "something else altogether"), ("d", "12 34"), ("e", None)],
    [("f", "Something ELSE altogether!"), ("g", "an unrelated text of other words")],
)

Run = Callable[..., Result]


@pytest.fixture
def run(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in the session of the tests."""
    monkeypatch.setattr(session, "start_session", lambda *_: spark)
    monkeypatch.setattr(SparkSession, "stop", lambda _: None)
    return lambda *arguments: CliRunner().invoke(cli, ["spark", *map(str, arguments)], standalone_mode=True)


@pytest.fixture
def days(tmp_path: Path) -> list[Path]:
    paths = []
    for number, rows in enumerate(DAYS):
        path = tmp_path / f"day{number}.parquet"
        pq.write_table(pa.table({"id": [name for name, _ in rows], "text": [text for _, text in rows]}), path)
        paths.append(path)
    return paths


def test_documents_are_fingerprinted_and_clustered_day_by_day(
    run: Run, spark: SparkSession, days: list[Path], tmp_path: Path
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    best = recommended("sd64", 3)
    assert best not in (2, get_scheme("sd64").close)
    done = run("dedupe", "--confirm", "none", "--distance", best, "--input", days[0], "--output", first)
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["distance"] == best
    assert (report["documents"], report["without_fingerprint"], report["distinct"]) == (5, 2, 2)
    assert json.loads((first / "_report.json").read_text()) == report
    assert report["provenance"] == provenance()
    assert sorted(os.listdir(first)) == [
        "._SUCCESS.crc",
        "._digests.json.crc",
        "._report.json.crc",
        "_SUCCESS",
        "_digests.json",
        "_report.json",
        "documents",
        "index",
    ]
    rows = {row["id"]: row for row in pq.read_table(first / "documents").to_pylist()}
    candidate_of = {name: row["candidate_of"] for name, row in rows.items()}
    assert candidate_of == {"a": "a", "b": "a", "c": "c", "d": "d", "e": "e"}
    assert {name: row["fingerprint"] for name, row in rows.items()} == {
        **{name: bytes(fingerprint(text or "")) for name, text in DAYS[0][:3]},
        "d": None,
        "e": None,
    }
    assert [rows[name]["reason"] and rows[name]["reason"].partition(":")[0] for name in "abcde"] == [
        *(None, None, None),
        *("no-token", "null"),
    ]
    done = run("dedupe", "--input", days[1], "--previous", first, "--output", second)
    assert json.loads(done.stdout)["distance"] == best, done.output  # that of the runs before
    clusters = {row["id"]: row["candidate_of"] for row in pq.read_table(second / "documents").to_pylist()}
    assert clusters == {"f": "c", "g": "g"}

    for wrong, status, reason in (
        (["--previous", second], 1, "does not follow the runs before it"),
        (["--previous", tmp_path], 1, "is not the output of a finished run"),
        (["--previous", first, "--distance", 2], 1, f"its clusters are of distance {best}, not 2"),
        (["--column", "body"], 2, "the input has no column 'body'; it has 'id', 'text'"),
        (["--id", "name"], 2, "the input has no column 'name'; it has 'id', 'text'"),
    ):
        failed = run("dedupe", "--input", days[1], "--output", tmp_path / "third", *wrong)
        assert failed.exit_code == status
        assert reason in failed.stderr
    assert sorted(os.listdir(tmp_path)) == ["day0.parquet", "day1.parquet", "first", "second"]


def test_auto_is_the_distance_recommended_for_the_scheme(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "wide.parquet"
    pq.write_table(pa.table({"id": ["x"], "fp": [b"1" * 32]}), source)
    shared = ("--distance", "auto", "--fingerprint", "fp", "--input", source, "--output", tmp_path / "pairs")
    assert json.loads(run("find-all", *shared).stdout)["distance"] == recommended("sd256", 1)


def test_pairs_and_matches_are_written(run: Run, spark: SparkSession, tmp_path: Path) -> None:
    made = {"id": ["x", "y", "z"], "fp": [b"12345678", b"12345679", b"12345678"]}
    source = tmp_path / "fingerprints.parquet"
    pq.write_table(pa.table(made), source)
    shared = ("--input", source, "--fingerprint", "fp", "--output")
    assert run("find-all", *shared, tmp_path / "days/day=2026-11-23").exit_code == 0
    rows = spark.read.parquet(str(tmp_path / "days")).collect()
    found = {(row["a"], row["b"], row["distance"], str(row["day"])) for row in rows}
    assert found == {(*pair, "2026-11-23") for pair in (("x", "y", 1), ("x", "z", 0), ("y", "z", 1))}
    assert run("find-all", *shared, tmp_path / "values", "--values").exit_code == 0
    rows = pq.read_table(tmp_path / "values").to_pylist()
    assert sorted(row["distance"] for row in rows) == [0, 1]

    for arguments, status, reason in (
        ([*shared, tmp_path / "values"], 2, "values: exists"),
        ([*shared, source / "below"], 1, "below: cannot be written: "),
        ([*shared, "nosuch://host/x"], 1, "nosuch://host/x: cannot be written: "),
        ([*shared, tmp_path / "no", "--max-pairs", 2], 1, "3 pairs of ids are over the limit of 2"),
        ([*shared, tmp_path / "no", "--distance", 65], 2, "distance"),
        (["--input", tmp_path / "absent", "--output", tmp_path / "no"], 1, "absent: cannot be read: "),
        (["--input", __file__, "--output", tmp_path / "no"], 1, "no line holds a fingerprint"),
        ([*shared, tmp_path / "no", "--conf", "x"], 2, "'x' is not NAME=VALUE"),
    ):
        failed = run("find-all", *arguments)
        assert (failed.exit_code, reason in failed.stderr) == (status, True), failed.stderr
        assert "Traceback" not in failed.stderr
    assert not (tmp_path / "no").exists()
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".part")]


@pytest.fixture(scope="module")
def forms(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A file of every form that a command writes, with documents a and b of one text and c of another."""
    folder = tmp_path_factory.mktemp("forms")
    rows = [{"id": name, "text": text} for name, text in DAYS[0]]
    (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    table = ["table", "fingerprint", "--id", "id", str(folder / "rows.jsonl"), "-o"]
    for name in ("column.jsonl", "column.parquet"):
        assert run_here(*table, folder / name).returncode == 0
    named = [folder / name for name in "abc"]
    for path, (_, text) in zip(named, DAYS[0], strict=False):
        path.write_text(text or "")
    for name in ("text.txt", "objects.jsonl", "table.csv"):
        assert run_here("fingerprint", *map(str, named), "-o", folder / name).returncode == 0
    (folder / "bare.txt").write_text((folder / "text.txt").read_text().replace("sd64:", ""))
    values = [fingerprint(path.read_text()) for path in named]
    (folder / "digits.txt").write_text("".join(f"{value.hex}\n" for value in values))
    return {path.name: path for path in folder.iterdir() if path.suffix}


@pytest.mark.parametrize(
    "form", ["column.jsonl", "column.parquet", "text.txt", "bare.txt", "objects.jsonl", "table.csv"]
)
def test_every_form_is_read(form: str, spark: SparkSession, forms: dict[str, Path]) -> None:
    rows = read_entry_table(spark, [str(forms[form])]).collect()
    named = {Path(row["id"]).name: row["fingerprint"] for row in rows}
    missing = {"d": None, "e": None} if "column" in form else {}
    assert named == {name: bytes(fingerprint(text or "")) for name, text in DAYS[0][:3]} | missing


def test_lines_without_ids_give_pairs_of_fingerprints(run: Run, forms: dict[str, Path], tmp_path: Path) -> None:
    shared = ("--input", forms["digits.txt"], "--output", tmp_path / "pairs")
    refused = run("find-all", *shared)
    assert (refused.exit_code, "have no ids" in refused.stderr) == (1, True)
    assert run("find-all", "--values", *shared).exit_code == 0
    value = bytes(fingerprint(WORDS))
    assert pq.read_table(tmp_path / "pairs").to_pylist() == [{"a": value, "b": value, "distance": 0}]


def test_fingerprints_that_cannot_be_read_are_named(run: Run, tmp_path: Path) -> None:
    for name, content in (
        ("bad.csv", "id,scheme,fingerprint\na,sd64,sd64:aaaaaaaaaaaaa\nb,sd64,sd64:aaaaaaaaaaaa1\n"),
        ("bad.txt", "sd64:aaaaaaaaaaaaa  a\nsd64:aaaaaaaaaaaa1  b\n"),
    ):
        (tmp_path / name).write_text(content)
        done = run("find-all", "--input", tmp_path / name, "--output", tmp_path / "pairs")
        assert (done.exit_code, "fingerprints that cannot be read" in done.stderr) == (1, True), done.stderr
        assert "has '1' at position" in done.stderr
        assert not (tmp_path / "pairs").exists()


def test_a_failed_job_has_one_line(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(pa.table({"id": ["x"], "fingerprint": [b"12345678"]}), tmp_path / "in.parquet")

    def fail(*_: object, **__: object) -> None:
        SparkSession.active().range(1).selectExpr("raise_error('the disk is full')").write.parquet(str(tmp_path / "x"))

    monkeypatch.setattr(jobs, "run_find_all", fail)
    failed = run("find-all", "--input", tmp_path / "in.parquet", "--output", tmp_path / "out")
    message = next(line for line in failed.stderr.splitlines() if line.startswith("Error: the job failed: "))
    assert (failed.exit_code, "the disk is full" in message) == (1, True)
    assert "\tat org.apache" not in failed.stderr.partition(message)[2]


def test_a_job_of_spark_submit(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1, 2], "fingerprint": [b"12345678", b"12345679"]}), tmp_path / "in.parquet")
    submit = [str(Path(sys.executable).parent / "spark-submit"), "--master", "local[1]", "--driver-memory", "1g"]
    settings = ["--conf", "spark.ui.enabled=false", "--conf", "spark.sql.shuffle.partitions=1"]
    settings += ["--driver-java-options", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"]
    settings += ["--conf", "spark.sql.codegen.wholeStage=false", "--conf", "spark.sql.codegen.factoryMode=NO_CODEGEN"]
    job = [
        str(commands.__file__),
        "find-all",
        "--input",
        str(tmp_path / "in.parquet"),
        "--output",
        str(tmp_path / "out"),
    ]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run([*submit, *settings, *job], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["pairs"] == 1
    assert pq.read_table(tmp_path / "out").to_pylist() == [{"a": 1, "b": 2, "distance": 1}]


@pytest.mark.parametrize("name", ["pyspark", "pyarrow"])
def test_a_missing_library_is_reported(name: str) -> None:
    arguments = ["spark", "find-all", "--input", "x", "--output", "y"]
    code = f"import sys; sys.modules[{name!r}] = None; sys.argv[1:] = {arguments}"
    code += "; from simhash_doc.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "is not installed: pip install 'simhash-doc[spark]'" in done.stderr
    assert "Traceback" not in done.stderr


def with_provenance(folder: Path, value: object) -> None:
    """Replace the provenance in the report of a run."""
    path = folder / "_report.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"provenance": value}))
    (folder / "._report.json.crc").unlink(missing_ok=True)  # of the report as it was written


def test_fingerprints_keep_their_provenance_which_a_later_run_compares(
    run: Run, spark: SparkSession, days: list[Path], tmp_path: Path
) -> None:
    texts, output = tmp_path / "texts", tmp_path / "output"
    fingerprints(spark.read.parquet(str(days[0]))).write.parquet(str(texts))
    assert run("dedupe", "--fingerprint", "fingerprint", "--input", texts, "--output", output).exit_code == 0
    assert json.loads((output / "_report.json").read_text())["provenance"] == provenance()
    for folder in (texts, output / "documents"):
        with next(folder.glob("*.parquet")).open("rb") as file:
            assert next(parquet_entries(file)).provenance == provenance()

    # The provenance of a previous run is compared with that of new documents.
    later = tmp_path / "later"
    pages = tmp_path / "pages.parquet"
    pq.write_table(pa.table({"id": ["h"], "text": [b"<html><body><p>alpha beta gamma</p></body></html>"]}), pages)
    update = ("dedupe", "--extract", "--input", pages, "--previous", output, "--output", later)
    for value, status, fault in (
        (provenance("sd128"), 2, "earlier entries of sd128: fingerprints of different schemes cannot be compared"),
        ({"scheme": "sd64"}, 1, f"{output}: its report is invalid: 'specification' of the provenance is missing"),
    ):
        with_provenance(output, value)
        failed = run(*update)
        assert (failed.exit_code, fault in failed.stderr, later.exists()) == (status, True, False), failed.output
    with_provenance(output, extracted("trafilatura", "2.0.0"))
    done = run(*update)
    expected = (
        f"the new documents are extracted by simhash-doc {EXTRACTOR_VERSION}, earlier entries by trafilatura 2.0.0: "
    )
    assert (done.exit_code, expected in done.stderr, done.stderr.count("warning")) == (0, True, 1), done.output
    assert json.loads(done.stdout)["provenance"] == extracted()


def marked(spark: SparkSession, path: Path, value: object, *names: str) -> Path:
    """Write a table of fingerprints whose column has a provenance."""
    metadata = {METADATA_KEY.decode(): json.dumps(value)}
    schema = StructType([StructField("id", StringType()), StructField("fingerprint", BinaryType(), metadata=metadata)])
    rows = [(name, bytearray(bytes(fingerprint(WORDS)))) for name in names]
    spark.createDataFrame(rows, schema).write.parquet(str(path))
    return path


def test_the_provenances_of_index_and_queries_are_compared(run: Run, spark: SparkSession, tmp_path: Path) -> None:
    index = marked(spark, tmp_path / "index", extracted("trafilatura", "2.0"), "a")
    for number, (value, status, expected) in enumerate(
        (
            (provenance(), 0, ""),
            (extracted(), 0, "warning: the queries are extracted by simhash-doc"),
            (
                {"scheme": "sd64"},
                1,
                "the queries: the metadata of the fingerprints: 'specification' of",
            ),
        )
    ):
        queries = marked(spark, tmp_path / f"queries{number}", value, "q")
        done = run("query", "--index", index, "--input", queries, "--output", tmp_path / f"out{number}")
        assert (done.exit_code, "Traceback" in done.stderr) == (status, False), done.output
        assert expected in done.stderr


def test_a_missing_file_of_another_job_is_a_warning(run: Run, spark: SparkSession, tmp_path: Path) -> None:
    source = tmp_path / "days"
    rows = [(f"d{number}", bytearray(number.to_bytes(8, "big"))) for number in range(30)]
    spark.createDataFrame(rows, "id string, fingerprint binary").repartition(3).write.parquet(str(source))
    complete = run("find-all", "--input", source, "--distance", 0, "--output", tmp_path / "complete")
    assert (complete.exit_code, "warning: " in complete.stderr) == (0, False)
    (missing,) = source.glob("part-00001-*.parquet")
    missing.unlink()
    done = run("find-all", "--input", source, "--distance", 0, "--output", tmp_path / "pairs")
    assert done.exit_code == 0
    assert f"warning: {source}: no part-00001 of job " in done.stderr


REPORT = {"command": "dedupe", "runs": ["a"], "distance": 3, "bits": 64, "distinct": 1}


@pytest.mark.parametrize(
    "damage",
    [
        *("{", "[]", "7", '{"command": "dedupe", "runs": [], "distance": 3}', "[" * 100_000),
        *(json.dumps(REPORT | {"runs": value}) for value in ([], [1], [None], [["a"]])),
        *(json.dumps(REPORT | {name: True}) for name in ("runs", "distance", "bits", "distinct")),
    ],
)
def test_a_damaged_report_is_a_clear_error(damage: str, run: Run, days: list[Path], tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    (first / "_SUCCESS").touch()
    (first / "_report.json").write_text(damage)
    done = run("dedupe", "--input", days[1], "--previous", first, "--output", second)
    assert (done.exit_code, str(first) in done.stderr, "Traceback" in done.stderr) == (1, True, False), done.output


def test_an_index_of_a_run_that_no_report_names_is_a_clear_error(run: Run, days: list[Path], tmp_path: Path) -> None:
    first = tmp_path / "first"
    assert run("dedupe", "--confirm", "none", "--input", days[0], "--output", first).exit_code == 0
    report = json.loads((first / "_report.json").read_text())
    (first / "._report.json.crc").unlink(missing_ok=True)
    (first / "_report.json").write_text(json.dumps(report | {"runs": ["other"]}))
    done = run("dedupe", "--input", days[1], "--previous", first, "--output", tmp_path / "second")
    assert done.exit_code == 1
    assert f"{first}: the index is of run {report['runs'][0]!r}, which no report names" in done.stderr


@pytest.mark.parametrize(("number", "after"), [(signal.SIGINT, 0.5), (signal.SIGTERM, 0.0), (signal.SIGINT, 1.5)])
def test_java_ends_with_a_command_that_is_interrupted_while_java_starts(
    days: list[Path], tmp_path: Path, number: signal.Signals, after: float
) -> None:
    words = ["spark", "dedupe", "--master", "local[1]", "--input", days[0], "--output", tmp_path / "out"]
    line = [sys.executable, "-m", "simhash_doc", *map(str, words)]
    with InterruptedProcess[bytes](line, stderr=subprocess.PIPE) as command:
        while not (started := psutil.Process(command.pid).children(recursive=True)):
            assert command.poll() is None, "the command ended before it started Java"
            time.sleep(0.01)
        time.sleep(after)
        started = psutil.Process(command.pid).children(recursive=True)
        command.send_signal(number)
        errors = command.communicate(timeout=60)[1].decode()
    _, alive = psutil.wait_procs(started, timeout=30)
    for process in alive:
        process.kill()
    assert not alive
    assert "Exception" not in errors


@pytest.mark.parametrize(
    ("number", "group", "after"),
    [
        (signal.SIGINT, False, 0.0),
        (signal.SIGINT, False, 1.0),
        (signal.SIGTERM, False, 0.5),
        (signal.SIGTERM, True, 1.0),
    ],
)
def test_an_interrupted_command_leaves_nothing(
    days: list[Path], tmp_path: Path, number: signal.Signals, group: bool, after: float
) -> None:
    words = ["spark", "dedupe", "--master", "local[1]", "--input", days[0], "--output", tmp_path / "out"]
    line = [sys.executable, "-m", "simhash_doc", *map(str, words)]
    with InterruptedProcess[bytes](line, stderr=subprocess.PIPE, start_new_session=True) as command:
        while not (tmp_path / ".out.part").exists():
            assert command.poll() is None, "the command ended before it wrote"
            time.sleep(0.01)
        time.sleep(after)
        started = psutil.Process(command.pid).children(recursive=True)
        (os.killpg if group else os.kill)(command.pid, number)
        errors = command.communicate(timeout=60)[1].decode()
    assert command.returncode in (128 + number, -number), errors
    psutil.wait_procs(started, timeout=30)
    assert not (tmp_path / ".out.part").exists()


def test_ctrl_c_while_the_session_starts_shows_no_traceback_of_py4j() -> None:
    program = """
import logging
from simhash_doc.cli import main
from simhash_doc.spark import session
def start(*_):
    logging.error("KeyboardInterrupt while sending command.")  # as py4j does
    raise KeyboardInterrupt
session.start_session = start
main()
"""
    command = [sys.executable, "-c", program, "spark", "find-all", "--input", "in", "--output", "out"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.strip()) == (130, "")
