"""Duplicates confirmed by texts on Spark are those of `find_duplicates`, which has tests of its own."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.spark.conftest import require_spark

require_spark()

import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner
from pyspark.sql import SparkSession

from simhash_doc import Policy, find_duplicates
from simhash_doc.cli import cli
from simhash_doc.duplicates.rows import DuplicateRows
from simhash_doc.spark import session, similar
from simhash_doc.spark.columns import BadColumnError
from simhash_doc.spark.jobs import JobInput, run_dedupe_texts
from simhash_doc.spark.storage import BadInputError
from simhash_doc.tabular import TabularUsageError
from tests.duplicates.doors import by_brute_force, generated, write_tables

RNG = np.random.default_rng(3)
WORDS = [f"{a}{b}{c}" for a in "bdfgklmn" for b in "aeiou" for c in "prstvz"]


def passage(words: int) -> list[str]:
    return [str(word) for word in RNG.choice(WORDS, words)]


def edited(words: list[str], edits: int) -> list[str]:
    changed = list(words)
    for at in RNG.choice(len(words), edits, replace=False).tolist():
        changed[at] = str(RNG.choice(WORDS))
    return changed


def some_texts() -> list[str | None]:
    """Passages with copies and edits, letters with one frame, texts with other numbers, without a token, and none."""
    texts: list[str | None] = []
    for _ in range(25):
        base = passage(80)
        texts += [" ".join(base), " ".join(base).upper(), " ".join(base), " ".join(edited(base, 2))]
        texts += [" ".join(edited(base, 12)), " ".join(edited(base[:70], 1)), " ".join(base[:40])]
    frame = passage(60)
    texts += [" ".join([*frame, *passage(3)]) for _ in range(130)]
    texts += [" ".join([*frame, "invoice", str(number)]) for number in (17, 18, 18)]
    invoice = " ".join(passage(40))
    texts += [f"{invoice} {number}" for number in (1, 2, 2, 30)]
    texts += [None, "", "12 34", "12 34", "...", " ".join(passage(3)), "the same two the same two"]
    return [texts[at] for at in RNG.permutation(len(texts)).tolist()]


TEXTS = some_texts()
DATES = [None if at % 7 == 0 else float("nan") if at % 11 == 0 else float(at % 5) for at in range(len(TEXTS))]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The texts under ascending integers, in any order and in several row groups."""
    path = tmp_path_factory.mktemp("texts") / "texts.parquet"
    rows = pa.table({"number": np.arange(len(TEXTS), dtype=np.int32), "body": TEXTS, "date": pa.array(DATES)})
    pq.write_table(rows.take(RNG.permutation(len(TEXTS))), path, row_group_size=60)
    return path


def expected(found: DuplicateRows) -> list[dict[str, Any]]:
    return [
        {
            "id": row,
            "cluster": int(found.representatives[row]),
            "distance": None if kept else int(found.distances[row]),
            "similarity": None if kept else float(found.similarities[row]),
            "numbers": None if kept else str(found.numbers[row]),
            "resembles": None if found.resembles[row] < 0 else int(found.resembles[row]),
        }
        for row, kept in enumerate(found.kept.tolist())
    ]


@pytest.mark.parametrize(
    "policy",
    [
        Policy(),
        Policy(keep="column:date", numbers="ignore", min_similarity=0.7),
        Policy(keep="first", min_tokens=30, scheme="sd64", distance=5),
    ],
    ids=["default", "column", "first"],
)
def test_the_rows_of_spark_are_those_of_one_machine(
    policy: Policy, spark: SparkSession, source: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out"
    read = JobInput([str(source)], id_col="number", text_col="body")
    report = run_dedupe_texts(spark, read, str(output), policy)
    rows = sorted(pq.read_table(output / "documents").to_pylist(), key=lambda row: row["id"])
    found = find_duplicates(TEXTS, policy=policy, preferred=DATES if policy.column else None)
    names = ["id", "cluster", "distance", "similarity", "numbers", "resembles"]
    assert [{name: row[name] for name in names} for row in rows] == expected(found)
    assert report["kept"] == found.kept.sum() == sum(row["cluster"] == row["id"] for row in rows)
    assert report["kept_by_numbers"] == (found.resembles >= 0).sum()
    assert report["left_out_with_other_numbers"] == (found.numbers == "other").sum()
    assert (report["kept_by_numbers"] > 1) == policy.keeps_numbers
    assert (report["left_out_with_other_numbers"] > 1) != policy.keeps_numbers
    assert [row["reason"] and row["reason"].partition(":")[0] for row in rows if row["fingerprint"] is None] == [
        "null" if TEXTS[row["id"]] is None else "no-token" for row in rows if row["fingerprint"] is None
    ]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("candidates", [-1, 10**6], ids=["texts first", "near first"])
def test_the_rows_of_spark_are_those_of_the_definition(
    candidates: int, seed: int, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(similar, "_CANDIDATES", candidates)
    texts = generated(seed)
    policy = Policy(numbers=("keep", "ignore")[seed % 2], min_similarity=(0.9, 0.7)[seed // 2], protected=("b",))
    paths = write_tables(tmp_path / "texts", texts)
    protected = tuple(path for path in paths if Path(path).stem in policy.protected)
    report = run_dedupe_texts(spark, JobInput(paths), str(tmp_path / "out"), replace(policy, protected=protected))
    rows = pq.read_table(tmp_path / "out" / "documents").to_pylist()
    assert {row["id"] for row in rows if row["cluster"] != row["id"]} == by_brute_force(texts, policy)
    assert (report["tables"] == 0) == (candidates < 0)


def test_rows_of_protected_inputs_are_all_kept(spark: SparkSession, tmp_path: Path) -> None:
    base = " ".join(passage(60))
    texts = [f"{base} more words 7", base, base.upper(), f"{base} 8", base]
    for name, places in (("new", [0, 1, 3]), ("old", [2, 4])):
        pq.write_table(pa.table({"id": places, "text": [texts[at] for at in places]}), tmp_path / f"{name}.parquet")
    new, old = (str(tmp_path / f"{name}.parquet") for name in ("new", "old"))
    policy = Policy(protected=(old,))
    run_dedupe_texts(spark, JobInput([new, old]), str(tmp_path / "out"), policy)
    rows = sorted(pq.read_table(tmp_path / "out/documents").to_pylist(), key=lambda row: row["id"])
    found = find_duplicates(texts, policy=policy, protected=[False, False, True, False, True])
    assert [row["cluster"] for row in rows] == found.representatives.tolist() == [0, 4, 2, 3, 4]
    with pytest.raises(BadInputError, match="is not among the inputs"):
        run_dedupe_texts(spark, JobInput([new]), str(tmp_path / "none"), policy)


@pytest.mark.parametrize(
    ("dates", "kept"),
    [
        (["2026-03-01T12:00:00+02:00", "2026-03-01T10:30:00Z", ""], 0),
        (["9.50", "10", "-3e1"], 2),
        (["2026-W10-1", "2026-03-01 24:00", "2026-03"], 2),
        (["b", "a", "\u00e4"], 1),
        ([2.5, float("nan"), 2.25], 2),
    ],
)
def test_the_least_value_is_that_of_table_dedupe(
    dates: list[Any], kept: int, spark: SparkSession, tmp_path: Path
) -> None:
    text = " ".join(passage(50))
    table = pa.table({"id": ["a", "b", "c"], "text": [text] * 3, "date": dates})
    pq.write_table(table, tmp_path / "in.parquet")
    policy = Policy(keep="column:date")
    report = run_dedupe_texts(spark, JobInput([str(tmp_path / "in.parquet")]), str(tmp_path / "out"), policy)
    rows = pq.read_table(tmp_path / "out/documents").to_pylist()
    assert report["kept"] == 1
    assert {row["cluster"] for row in rows} == {"abc"[kept]}
    options = ["-o", str(tmp_path / "kept.parquet"), "--keep", "column:date"]
    assert CliRunner().invoke(cli, ["table", "dedupe", str(tmp_path / "in.parquet"), *options]).exit_code == 0
    assert pq.read_table(tmp_path / "kept.parquet")["id"].to_pylist() == ["abc"[kept]]


@pytest.mark.parametrize(
    ("dates", "message"),
    [
        (["2026-03-01", "02.01.2026", None], "the row with id 2: column 'date' has '02.01.2026', no known form"),
        (["2026-03-01", "", "2026-03-01T00:00Z"], "the row with id 3: .*; a date without a time zone is in the row"),
        (["x", "", "7"], "the row with id 3: column 'date' has '7', a number; a text is in the row with id 1"),
        ([[1], [2], None], "column 'date' is array<bigint>; expected numbers, dates or texts"),
    ],
)
def test_values_without_an_order_are_refused(
    dates: list[Any], message: str, spark: SparkSession, tmp_path: Path
) -> None:
    texts = [" ".join(passage(50))] * 3
    pq.write_table(pa.table({"id": [1, 2, 3], "text": texts, "date": dates}), tmp_path / "in.parquet")
    with pytest.raises((BadColumnError, TabularUsageError), match=message):
        run_dedupe_texts(
            spark, JobInput([str(tmp_path / "in.parquet")]), str(tmp_path / "out"), Policy(keep="column:date")
        )
    assert not (tmp_path / "out").exists()


def test_the_command_keeps_what_it_cannot_compare(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "start_session", lambda *_: spark)
    monkeypatch.setattr(SparkSession, "stop", lambda _: None)
    base = " ".join(passage(50))
    texts = [base, base.title() + " more", "12 34", None, base]
    lines = [json.dumps({"id": name, "text": text}) for name, text in zip("abcde", texts, strict=True)]
    (tmp_path / "rows.jsonl").write_text("\n".join(lines))

    def run(*arguments: object) -> Any:
        given = ["spark", "dedupe", "--input", tmp_path / "rows.jsonl", *arguments]
        return CliRunner().invoke(cli, [*map(str, given)])

    first = tmp_path / "first"
    done = run("--output", first, "--sd64-distance", 12)
    assert done.exit_code == 0, done.output
    clusters = {row["id"]: row["cluster"] for row in pq.read_table(first / "documents").to_pylist()}
    assert clusters == {"a": "b", "b": "b", "c": "c", "d": "d", "e": "b"}
    assert json.loads(done.stdout)["largest_cluster"]["documents"] == 3
    for arguments, status, reason in (
        (["--previous", first], 1, "its duplicates were confirmed by texts"),
        (["--previous", first, "--confirm", "text"], 2, "it cannot be used with --previous"),
        (["--previous", first, "--sd64-distance", 3], 2, "--sd64-distance cannot be used with --previous"),
        (["--fingerprint", "x", "--confirm", "text"], 2, "it cannot be used with --fingerprint"),
        (["--keep", "oldest"], 2, "is not a rule"),
        (["--keep", "column:date"], 2, "has no column 'date'"),
    ):
        failed = run("--output", tmp_path / "second", *arguments)
        assert (failed.exit_code, reason in failed.stderr) == (status, True), failed.output
