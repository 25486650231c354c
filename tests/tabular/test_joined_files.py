"""Tables of several files: joined by names and folders, with ids of their own, and columns that cannot be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.commands import run

TEXTS = [
    "the miller sold his second donkey to the priest",
    "on Sundays the band plays behind the station",
    "bees in May",
]


def dedupe(folder: Path, *arguments: str | Path, form: str = "parquet") -> tuple[int, str, list[Any]]:
    """Return the status, standard error, and the rows that are kept."""
    output = folder / f"kept.{form}"
    output.unlink(missing_ok=True)
    done = run("table", "dedupe", *arguments, "-o", output)
    if not output.exists():
        return done.returncode, done.stderr, []
    if form == "parquet":
        return done.returncode, done.stderr, pq.read_table(output, partitioning=None).to_pylist()
    return done.returncode, done.stderr, output.read_text(encoding="utf-8").splitlines()


def parts(folder: Path, *columns: dict[str, Any]) -> list[Path]:
    paths = [folder / f"part-{at}.parquet" for at in range(len(columns))]
    for path, own in zip(paths, columns, strict=True):
        pq.write_table(pa.table(own), path)
    return paths


def strings(kind: pa.DataType, *values: str) -> pa.Array:
    return pa.array(values).dictionary_encode() if pa.types.is_dictionary(kind) else pa.array(values, kind)


KINDS = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]


@pytest.mark.parametrize("first", KINDS, ids=str)
@pytest.mark.parametrize("other", KINDS, ids=str)
def test_parts_are_joined_by_the_names_of_their_columns(tmp_path: Path, first: pa.DataType, other: pa.DataType) -> None:
    one = {"id": [1, 2], "text": strings(first, *TEXTS[:2]), "tags": pa.array([["a"], []], pa.list_(pa.string()))}
    two = {
        "tags": pa.array([["b"], None], pa.large_list(pa.large_string())),
        "text": strings(other, TEXTS[0], TEXTS[2]),
        "id": [3, 4],
    }
    expected = [(1, TEXTS[0], ["a"]), (2, TEXTS[1], []), (4, TEXTS[2], None)]
    for paths, rows in ((parts(tmp_path, one, two), expected),):
        status, message, kept = dedupe(tmp_path, *paths, "--id", "id", "--clusters", tmp_path / "found.parquet")
        assert (status, [*kept[0]]) == (0, ["id", "text", "tags"]), message
        assert [tuple(row.values()) for row in kept] == rows
        assert pq.read_table(tmp_path / "found.parquet").column("id").to_pylist() == [1, 3]


def test_a_column_of_nulls_fits_every_type_and_metadata_stay(tmp_path: Path) -> None:
    empty = {"text": TEXTS[:1], "n": pa.nulls(1)}
    full = {"n": pa.array([7], pa.int32()), "text": TEXTS[1:2]}
    for columns, expected in (((empty, full), [None, 7]), ((full, empty), [7, None])):
        status, message, kept = dedupe(tmp_path, *parts(tmp_path, *columns), "--keep", "column:n")
        assert (status, [row["n"] for row in kept]) == (0, expected), message
        assert pq.read_schema(tmp_path / "kept.parquet").field("n").type == pa.int32()


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"text": TEXTS[:1]}, "its columns are not those of {first}: 'n'; expected the same names"),
        ({"text": TEXTS[:1], "n": [1], "m": [1]}, "its columns are not those of {first}: 'm'"),
        ({"n": ["1"], "text": TEXTS[:1]}, "column 'n' is of type string, and of type int64 in {first}"),
    ],
)
def test_parts_that_do_not_fit_are_named_with_the_column(tmp_path: Path, other: dict[str, Any], message: str) -> None:
    first, second = parts(tmp_path, {"text": TEXTS[:1], "n": [1]}, other)
    assert dedupe(tmp_path, first, second)[0] == 2
    assert f"{second}: {message.format(first=first)}" in dedupe(tmp_path, first, second)[1]


def test_the_keys_of_folders_are_columns_of_the_output(tmp_path: Path) -> None:
    for lang, year, text in (("de", "2025", TEXTS[0]), ("__HIVE_DEFAULT_PARTITION__", "2026", TEXTS[1])):
        folder = tmp_path / f"lang={lang}" / f"year={year}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"text": [text, text]}), folder / "a b.parquet")
        (folder / "a.csv").write_text(f'text;"n;"\n{text};1\r\n{text};2\n')
        (folder / "a.jsonl").write_text(json.dumps({"text": text, "n": [1]}) + " \n" + json.dumps({"text": text}))
    kept = dedupe(tmp_path, *sorted(tmp_path.glob("*/*/*.parquet")), "--keep", "column:year", "--id", "year")
    assert kept[0] == 2  # the year names two rows
    _, message, rows = dedupe(tmp_path, *sorted(tmp_path.glob("*/*/*.parquet")), "--keep", "column:year")
    expected: list[dict[str, Any]] = [
        {"text": TEXTS[1], "lang": None, "year": 2026},
        {"text": TEXTS[0], "lang": "de", "year": 2025},
    ]
    assert rows == expected, message
    *_, lines = dedupe(tmp_path, *sorted(tmp_path.glob("*/*/*.csv")), form="csv")
    assert lines == ['text;"n;";lang;year', f"{TEXTS[1]};1;;2026", f"{TEXTS[0]};1;de;2025"]
    *_, lines = dedupe(tmp_path, *sorted(tmp_path.glob("*/*/*.jsonl")), form="jsonl")
    assert [*map(json.loads, lines)] == [expected[0] | {"n": [1]}, expected[1] | {"n": [1]}]


def test_keys_of_folders_that_differ_or_are_columns(tmp_path: Path) -> None:
    (tmp_path / "lang=de").mkdir()
    (tmp_path / "other").mkdir()
    table = pa.table({"text": TEXTS[:1], "lang": ["own"]})
    pq.write_table(table, tmp_path / "lang=de" / "a.parquet")
    assert dedupe(tmp_path, tmp_path / "lang=de" / "a.parquet")[2] == table.to_pylist()
    for folder in ("lang=de", "other"):
        pq.write_table(table.select(["text"]), tmp_path / folder / "a.parquet")
    status, message, _ = dedupe(tmp_path, tmp_path / "lang=de" / "a.parquet", tmp_path / "other" / "a.parquet")
    assert (status, "the keys of its folders (KEY=VALUE) are not those of" in message) == (2, True)


IDS: list[tuple[list[Any], str]] = [
    (["a", "b", "a"], "the id 'a' is in the rows {path}:{first} and {path}:{third}; expected one row for each id"),
    (
        [1, 2, 1],
        "{path}:{third}; expected one row for each id: name another column with --id, or leave it out to number",
    ),
    (["a", None, "b"], "{path}:{second}: the id is null; expected one id for each row"),
    ([1.5, float("nan"), 2.5], "{path}:{second}: the id is NaN"),
]


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
@pytest.mark.parametrize(("ids", "message"), IDS)
def test_each_row_has_an_id_of_its_own(tmp_path: Path, ids: list[Any], message: str, form: str) -> None:
    path = tmp_path / f"in.{form}"
    rows = [{"id": name, "text": text} for name, text in zip(ids, TEXTS, strict=True)]
    if form == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    status, found, _ = dedupe(tmp_path, "--id", "id", path, "--clusters", tmp_path / "found.csv", form=form)
    numbers = (0, 1, 2) if form == "parquet" else (1, 2, 3)
    names = dict(zip(("first", "second", "third"), numbers, strict=True))
    assert (status, message.format(path=path, **names) in found) == (2, True), found
    assert sorted(one.name for one in tmp_path.iterdir()) == [path.name]


def test_ids_of_json_that_are_lists_and_ids_of_two_files(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": [1], "text": TEXTS[0]}))
    status, message, _ = dedupe(tmp_path, "--id", "id", tmp_path / "a.jsonl", form="jsonl")
    assert (status, "a.jsonl:1: the id is a list; expected one id" in message) == (2, True)
    (tmp_path / "pairs.csv").write_text("a,b\n1,2\n")
    done = run("table", "confirm", "--pairs", tmp_path / "pairs.csv", "--id", "id", tmp_path / "a.jsonl")
    assert (done.returncode, "no row has the id '1'" in done.stderr) == (1, True)
    for name in ("b", "c"):
        (tmp_path / f"{name}.csv").write_text(f"id,text\n0,{TEXTS[0]}\n")
    status, message, _ = dedupe(tmp_path, "--id", "id", tmp_path / "b.csv", tmp_path / "c.csv", form="csv")
    assert (status, "the id '0' is in the rows" in message and "b.csv:2" in message) == (2, True)
    against = ("--against", tmp_path / "c.csv")  # where a row that was there before has the id of then
    assert dedupe(tmp_path, "--id", "id", tmp_path / "b.csv", *against, form="csv")[0] == 0
    (tmp_path / "d.csv").write_text(f'id,text\n"",{TEXTS[0]}\n')
    assert "d.csv:2: the id is empty" in dedupe(tmp_path, "--id", "id", tmp_path / "d.csv", form="csv")[1]
    assert "b.csv: is given twice" in dedupe(tmp_path, tmp_path / "b.csv", tmp_path / "b.csv", form="csv")[1]


def damaged(path: Path, column: int) -> Path:
    """Damage the data of a column of the first row group."""
    data = bytearray(path.read_bytes())
    chunk = pq.read_metadata(path).row_group(0).column(column)
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    data[start : start + 30] = b"\xff" * 30
    path.write_bytes(data)
    return path


def test_a_damaged_column_is_named(tmp_path: Path) -> None:
    table = pa.table({"text": TEXTS, "n": ["a" * 99] * 3})
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=1, compression="none")
    status, message, kept = dedupe(tmp_path, damaged(tmp_path / "in.parquet", 1))
    assert (status, [row["text"] for row in kept]) == (1, TEXTS[1:])
    assert "row group 0, rows 0 to 0, is corrupt in 'n': " in message


def test_lists_of_a_fixed_size_that_cannot_be_read_stop_the_command(tmp_path: Path) -> None:
    """Older versions of Arrow read no nulls in them: rows are not left out for that, one group after the other."""
    lists = pa.array([[1.0, 2.0], None, [3.0, 4.0]], pa.list_(pa.float32(), 2))
    pq.write_table(
        pa.table({"text": TEXTS, "emb": lists}), tmp_path / "in.parquet", row_group_size=1, compression="none"
    )
    status, message, kept = dedupe(tmp_path, damaged(tmp_path / "in.parquet", 1))
    assert (status, kept, (tmp_path / "kept.parquet").exists()) == (1, [], False)
    assert "column 'emb', of type fixed_size_list<" in message
    assert "update pyarrow, or convert the column to lists" in message
