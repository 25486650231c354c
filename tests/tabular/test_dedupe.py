"""`dedupe --column`: rows that are kept, groups, and options and files that do not fit."""

from __future__ import annotations

import csv
import datetime
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from simhash_doc import fingerprint
from tests.commands import run

TEXT = "The tide mill of the bay ground flour for the parish whenever the sea allowed it, by day and by night"
ROWS: list[dict[str, Any]] = [
    {"id": "a", "text": TEXT, "day": "2024-03-01", "n": "10", "note": "x"},
    {"id": "b", "text": "Trains left at noon", "day": None, "n": "3", "note": None},
    {"id": "c", "text": TEXT.upper() + " indeed", "day": "2024-01-01", "n": "9", "note": 'with "quotes", and a\nline'},
    {"id": "d", "text": TEXT, "day": None, "n": "", "note": ""},
]


def write(path: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    else:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return path


def read(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()  # type: ignore[no-any-return]
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("target", ["kept.parquet", "kept.jsonl", "kept.csv"])
@pytest.mark.parametrize("source", ["in.parquet", "in.jsonl", "in.csv"])
def test_kept_rows_have_all_columns(tmp_path: Path, source: str, target: str) -> None:
    output = tmp_path / target
    done = run("dedupe", "--column", "text", write(tmp_path / source), "-o", output)
    assert (done.returncode, done.stdout) == (0, "")
    empty = "" if "csv" in source + target else None
    assert read(output) == [
        {key: empty if value is None else value for key, value in row.items()} for row in (ROWS[1], ROWS[2])
    ]


def test_groups_name_the_keeper_with_distance_and_similarity(tmp_path: Path) -> None:
    groups = tmp_path / "groups.csv"
    source = write(tmp_path / "in.jsonl")
    done = run("dedupe", "--column", "text", "--id", "id", source, "-o", tmp_path / "k.csv", "--groups", groups)
    assert done.returncode == 0, done.stderr
    far = str(fingerprint(TEXT, "sd256").distance(fingerprint(TEXT + " indeed", "sd256")))
    rows = [list(row.values()) for row in read(groups)]
    share = rows[0][4]
    assert rows == [
        ["a", "0", "c", far, share, "near-duplicate"],
        ["c", "0", "c", "0", "1", "representative"],
        ["d", "0", "c", far, share, "near-duplicate"],
    ]
    assert 0.9 < float(str(share)) < 1


@pytest.mark.parametrize(
    ("keep", "kept"),
    [("first", "ab"), ("longest", "bc"), ("column:day", "bc"), ("column:n", "bc"), ("column:id", "ab")],
)
def test_keep(tmp_path: Path, keep: str, kept: str) -> None:
    for name in ("in.parquet", "in.csv"):
        output = tmp_path / f"{name}.jsonl"
        rows = [
            row | {"n": row["n"] if "csv" in name else (row["n"] or "").zfill(2).replace("00", "99")} for row in ROWS
        ]
        run("dedupe", "--column", "text", "--keep", keep, write(tmp_path / name, rows), "-o", output)
        assert "".join(str(row["id"]) for row in read(output)) == kept


def test_dates_keep_the_oldest(tmp_path: Path) -> None:
    days = [datetime.date(2024, 3, 1), None, datetime.date(2023, 1, 1)]
    pq.write_table(pa.table({"text": [TEXT] * 3, "day": days}), tmp_path / "in.parquet")
    output = tmp_path / "kept.jsonl"
    assert (
        run("dedupe", "--column", "text", "--keep", "column:day", tmp_path / "in.parquet", "-o", output).returncode == 0
    )
    assert [row["day"] for row in read(output)] == ["2023-01-01"]


def test_rows_that_cannot_be_compared_are_kept_and_bad_lines_named(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text('{"text": null}\n{"text": "12"}\nnot JSON\n{"text": "one word"}\n{"text": "one word"}\n')
    done = run("dedupe", "--column", "text", source, "-o", tmp_path / "kept.jsonl", "--groups", tmp_path / "g.jsonl")
    assert done.returncode == 1
    assert "line 3: not JSON" in done.stderr
    assert "no token" in done.stderr
    assert "the text is null" in done.stderr
    assert read(tmp_path / "kept.jsonl") == [{"text": None}, {"text": "12"}, {"text": "one word"}]
    assert [(row["id"], row["keeper"]) for row in read(tmp_path / "g.jsonl")] == [(4, 4), (5, 4)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--db", "x.sqlite", "--html", "x.html"], "--html, --db"),
        (["--keep", "oldest"], "--keep oldest"),
        (["--min-tokens", "3"], "--min-tokens"),
        (["--id", "absent"], "no column 'absent'"),
        (["--keep", "column:absent"], "no column 'absent'"),
        (["--groups", "groups.txt"], "extension"),
        (["-o", "-"], "-o FILE"),
        (["--scheme", "sd64", "--distance", "250"], "distance"),
    ],
)
def test_options_that_do_not_fit(tmp_path: Path, options: list[str], message: str) -> None:
    done = run("dedupe", "--column", "text", write(tmp_path / "in.parquet"), "-o", tmp_path / "k.parquet", *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert not (tmp_path / "k.parquet").exists()


def test_existing_outputs_and_columns_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    source = tmp_path / "in.parquet"
    pq.write_table(pa.table({"text": [TEXT], "data": [b"\xff"], "x": [float("nan")]}), source)
    (tmp_path / "old.parquet").write_text("old")
    for name in ("old.parquet", "new.csv", "new.jsonl"):
        done = run("dedupe", "--column", "text", source, "-o", tmp_path / name)
        assert done.returncode == 2, done.stderr
    assert (tmp_path / "old.parquet").read_text() == "old"
    for options in (["--groups", "g.csv"], ["--id", "id"], ["--keep", "column:id"]):
        assert run("dedupe", source, *options).returncode == 2


def test_values_of_several_types_are_refused_and_not_rounded(tmp_path: Path) -> None:
    for first, second in ((1, '"a"'), (2**60 + 1, 0.5), ("{}", 1)):
        for between in (0, 5000):  # in one piece, and in two
            source = tmp_path / "in.jsonl"
            lines = [f'{{"text": "a", "x": {first}}}'] * (1 + between) + [f'{{"text": "a", "x": {second}}}']
            source.write_text("\n".join([*lines, "{}"]))
            done = run("dedupe", "--column", "text", source, "-o", tmp_path / "k.jsonl")
            assert done.returncode in (1, 2)
            assert "x" in done.stderr
            assert not (tmp_path / "k.jsonl").exists()
