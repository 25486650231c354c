"""Ids keep their type from the input to the output of each command, so that results can be joined with the source."""

from __future__ import annotations

import csv
import datetime
import decimal
import json
import os
import uuid
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import fingerprint
from simhash_doc.entries.entry import escaped_name, unescaped_name
from simhash_doc.entries.parquet_files import array_of
from tests.commands import objects, run

TEXT = "The tide mill of the bay ground flour for the parish whenever the sea allowed it, by day and by night"
PRINT = str(fingerprint(TEXT))
IDS: dict[str, pa.Array] = {
    "int64": pa.array([7, 8]),
    "int32": pa.array([7, -8], pa.int32()),
    "uint64": pa.array([7, (1 << 64) - 1], pa.uint64()),
    "nullable": pa.array([7.0, 8.0]),  # as pandas writes integers with nulls
    "text": pa.array(["7", "ä"]),
    "dictionary": pa.array(["7", "ä"]).dictionary_encode(),
    "view": pa.array(["7", "ä"], pa.string_view()),
    "binary": pa.array([b"\xff", b"7"]),
    "date": pa.array([datetime.date(2024, 1, 7), datetime.date(2024, 1, 8)]),
    "decimal": pa.array([decimal.Decimal("7.00"), decimal.Decimal("8.50")]),
    "time": pa.array([datetime.datetime(2024, 1, 7, 1, 2, 3), datetime.datetime(2024, 1, 8)], pa.timestamp("us")),
    "uuid": array_of([uuid.UUID(int=7), uuid.UUID(int=8)], pa.uuid()),
    "boolean": pa.array([True, False]),
}
PLAIN: dict[str, list[object]] = {
    "date": ["2024-01-07", "2024-01-08"],
    "decimal": ["7.00", "8.50"],
    "time": ["2024-01-07 01:02:03.000000", "2024-01-08 00:00:00.000000"],
    "uuid": [str(uuid.UUID(int=7)), str(uuid.UUID(int=8))],
}


def written(folder: Path, ids: pa.Array) -> Path:
    path = folder / "in.parquet"
    pq.write_table(pa.table({"id": ids, "fingerprint": [PRINT] * len(ids)}), path)
    return path


def type_of(ids: pa.Array) -> pa.DataType:
    return pa.string() if pa.types.is_dictionary(ids.type) or ids.type == pa.string_view() else ids.type


def plain(kind: str) -> list[Any]:
    return PLAIN.get(kind) or IDS[kind].to_pylist()


@pytest.mark.parametrize("kind", IDS)
def test_ids_of_parquet_keep_their_type_in_parquet(tmp_path: Path, kind: str) -> None:
    ids, source = IDS[kind], written(tmp_path, IDS[kind])
    for command, columns in (("find-all", ["a", "b"]), ("find-clusters", ["representative", "member"])):
        assert run(command, source, "-o", tmp_path / "out.parquet").returncode == 0
        found = pq.read_table(tmp_path / "out.parquet")
        assert [found.schema.field(name).type for name in columns] == [type_of(ids)] * 2
        assert found.column(columns[1]).to_pylist()[-1] == ids.to_pylist()[1]
    run("index", "build", tmp_path / "i.sdix", stdin=f"{PRINT}\n".encode())
    assert run("index", "query", tmp_path / "i.sdix", source, "-o", tmp_path / "out.parquet").returncode == 0
    found = pq.read_table(tmp_path / "out.parquet")
    assert (found.schema.field("query").type, found.column("query").to_pylist()) == (type_of(ids), ids.to_pylist())
    texts = tmp_path / "texts.parquet"
    pq.write_table(pa.table({"id": ids, "text": [TEXT] * len(ids)}), texts)
    done = run(
        "table", "dedupe", "--id", "id", texts, "-o", tmp_path / "k.parquet", "--clusters", tmp_path / "out.parquet"
    )
    assert done.returncode == 0, done.stderr
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.schema.field("representative").type == found.schema.field("id").type == type_of(ids)
    assert found.column("id").to_pylist() == ids.to_pylist()


@pytest.mark.parametrize("kind", IDS)
@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_ids_of_parquet_are_numbers_or_texts_in_other_formats(tmp_path: Path, kind: str, ending: str) -> None:
    source, output = written(tmp_path, IDS[kind]), tmp_path / f"out.{ending}"
    texts, kept = tmp_path / "texts.parquet", tmp_path / "k.parquet"
    pq.write_table(pa.table({"id": IDS[kind], "text": [TEXT] * 2}), texts)
    commands: list[tuple[str | Path, ...]] = [
        ("find-all", source, "-o", output),
        ("find-clusters", source, "-o", output),
        ("table", "fingerprint", "--id", "id", texts, "-o", output),
        ("table", "dedupe", "--id", "id", texts, "-o", kept, "--clusters", output),
    ]
    for command in commands:
        done = run(*command)
        if kind == "binary":
            assert done.returncode in (1, 2)
            assert "cannot represent ids of type binary; write a file that ends with .parquet" in done.stderr
            continue
        assert done.returncode == 0, done.stderr
        if ending == "csv":
            last = list(csv.reader(output.open(encoding="utf-8")))[-1]
            assert str(plain(kind)[1]) in last
        else:
            last = json.loads(output.read_text().splitlines()[-1])
            found = last.get("b") or last.get("members", [None])[-1] or last.get("id")
            assert (found or False) == plain(kind)[1]


@pytest.mark.parametrize("kind", IDS)
def test_an_index_holds_texts_and_integers_alone(tmp_path: Path, kind: str) -> None:
    index = tmp_path / "i.sdix"
    done = run("index", "build", index, written(tmp_path, IDS[kind]))
    if kind in ("int64", "int32", "uint64", "text", "dictionary", "view"):
        assert done.returncode == 0
        (answer,) = objects(run("index", "query", index, PRINT).stdout)
        assert answer["matches"][0]["paths"] == IDS[kind].to_pylist()
        assert run("index", "query", index, PRINT, "-o", tmp_path / "out.parquet").returncode == 0
        found = pq.read_table(tmp_path / "out.parquet").column("match")
        assert found.to_pylist() == IDS[kind].to_pylist()
        assert pa.types.is_integer(found.type) == ("int" in kind)
    else:
        assert (done.returncode, index.exists()) == (1, False)
        assert "an index holds texts and integers: write the ids as text" in done.stderr


def test_a_number_and_a_text_are_two_ids(tmp_path: Path) -> None:
    lines = "".join(json.dumps({"id": one, "fingerprint": PRINT}) + "\n" for one in (7, "7", 7.5)).encode()
    assert [(row["a"], row["b"]) for row in objects(run("find-all", stdin=lines).stdout)] == [
        (7, "7"), (7, 7.5), ("7", 7.5)
    ]  # fmt: skip
    (cluster,) = objects(run("find-clusters", stdin=lines).stdout)
    assert cluster["members"] == [7, "7", 7.5]
    index = tmp_path / "i.sdix"
    two = b"".join(lines.splitlines(keepends=True)[:2])
    assert run("index", "build", index, stdin=two).returncode == 0
    (answer,) = objects(run("index", "query", index, PRINT).stdout)
    assert answer["matches"][0]["paths"] == [7, "7"]
    (answer, _) = objects(run("index", "query", index, stdin=two).stdout)
    assert answer["path"] == 7
    for output in ("out.parquet", "out.csv"):
        for command in (("find-all",), ("find-clusters",), ("index", "query", index)):
            done = run(*command, "-o", tmp_path / output, stdin=two)
            assert done.returncode == 2
            assert "the ids are of the types int and str" in done.stderr
    removed = run("index", "remove", index, stdin=two.splitlines(keepends=True)[0])
    assert "1 path removed" in removed.stderr
    (answer,) = objects(run("index", "query", index, PRINT).stdout)
    assert answer["matches"][0]["paths"] == ["7"]


def test_ids_of_two_sides_have_a_type_each(tmp_path: Path) -> None:
    old, new, output = written(tmp_path, IDS["date"]), tmp_path / "new.jsonl", tmp_path / "out.parquet"
    new.write_text(json.dumps({"id": 7, "fingerprint": PRINT}) + "\n")
    assert run("find-all", new, "--against", old, "-o", output).returncode == 0
    assert pq.read_schema(output).types[:2] == [pa.int64(), pa.date32()]
    index = tmp_path / "i.sdix"
    assert run("index", "build", index, new).returncode == 0
    assert run("find-all", old, "--against", index, "-o", output).returncode == 0
    assert pq.read_table(output).column("b").to_pylist() == [7, 7]


def test_nested_ids_and_rows_without_one_are_refused(tmp_path: Path) -> None:
    nested = run("find-all", written(tmp_path, pa.array([["a"], ["b"]])))
    assert (nested.returncode, "column 'id' is of type list<" in nested.stderr) == (1, True)
    line = json.dumps({"id": ["a"], "fingerprint": PRINT}).encode()
    assert "neither a string nor a number" in run("find-all", stdin=line).stderr
    source = written(tmp_path, pa.array([7, None]))
    done = run("find-all", source, "-o", tmp_path / "out.parquet")
    assert (done.returncode, "write JSON lines" in done.stderr) == (2, True)
    assert objects(run("find-all", source).stdout) == [{"a": 7, "b": PRINT, "distance": 0}]


def test_positions_and_numbers_are_integers(tmp_path: Path) -> None:
    output = tmp_path / "out.parquet"
    assert run("find-all", "--positions", written(tmp_path, IDS["text"]), "-o", output).returncode == 0
    assert pq.read_table(output).column("b").to_pylist() == [1]
    assert run("find-all", "-o", output, stdin=b"18446744073709551615\n18446744073709551614\n").returncode == 0
    assert pq.read_table(output).column("a").to_pylist() == [(1 << 64) - 2]


LIKE_EACH_OTHER = (b"\xff", b"\xfe", b"\\udcff", b"\\\\udcff", b"\\\xff", "\ufffd".encode(), b"%FF")


@pytest.fixture
def alike(tmp_path: Path) -> Path:
    """Return a folder of near-duplicates whose names may be taken for each other where not all bytes are possible."""
    folder = tmp_path / "u"
    folder.mkdir()
    for name in LIKE_EACH_OTHER:
        Path(os.fsdecode(bytes(folder) + b"/" + name)).write_text(TEXT, encoding="utf-8")
    return folder


@given(st.lists(st.sampled_from(["\\", "\udc80", "\udcff", "\ud800", "u", "d", "udcff", "udc80", "\\ud800", "\\u"])))
def test_escaped_names_stay_different(parts: list[str]) -> None:
    name = "".join(parts)
    escaped_name(name).encode()
    assert unescaped_name(escaped_name(name)) == name


@pytest.mark.parametrize("form", ["text", "json", "csv", "parquet"])
def test_a_store_tells_names_that_are_not_utf8_apart(tmp_path: Path, alike: Path, form: str) -> None:
    names, database = [f"{alike}/{os.fsdecode(name)}" for name in sorted(LIKE_EACH_OTHER)], tmp_path / "s.sqlite"
    written, store = tmp_path / f"prints.{form}", ("--db", database)
    assert run("fingerprint", alike, f"--{form}", "-o", written).returncode == 0
    assert run("store", "add", *store, written).returncode == 0
    again = run("store", "add", *store, "--existing", "skip", written)
    assert f"0 documents added, {len(names)} skipped" in again.stderr
    exported = run("store", "export", *store).stdout
    assert sorted(one["id"] for one in objects(exported) if "id" in one) == sorted(names)
    copy = ("--db", tmp_path / "copy.sqlite")
    assert run("store", "add", *copy, stdin=exported.encode()).returncode == 0
    assert run("store", "remove", *copy, *names).returncode == 0
    assert run("store", "remove", *store, "--ids", written).returncode == 0


def test_a_store_of_folders_tells_names_that_are_not_utf8_apart(tmp_path: Path, alike: Path) -> None:
    command = ("store", "dedupe", "--db", tmp_path / "s.sqlite", alike)
    first, again = run(*command), run(*command)
    assert f"{len(LIKE_EACH_OTHER)} added" in first.stderr
    assert f"0 added, 0 replaced, 0 removed, {len(LIKE_EACH_OTHER)} unchanged" in again.stderr
    os.unlink(f"{alike}/\udcff")
    assert "1 removed" in run(*command).stderr


@pytest.mark.parametrize("form", ["text", "json", "csv", "parquet"])
@pytest.mark.parametrize("output", ["jsonl", "csv", "parquet"])
def test_pairs_tell_names_that_are_not_utf8_apart(tmp_path: Path, alike: Path, form: str, output: str) -> None:
    written, found = tmp_path / f"prints.{form}", tmp_path / f"out.{output}"
    assert run("fingerprint", alike, f"--{form}", "-o", written).returncode == 0
    assert run("find-all", written, "-o", found).returncode == 0
    if output == "parquet":
        pairs: set[tuple[Any, Any]] = {(row["a"], row["b"]) for row in pq.read_table(found).to_pylist()}
    elif output == "csv":
        pairs = {(a, b) for a, b, _ in (line.split(b",") for line in found.read_bytes().splitlines()[1:])}
    else:
        pairs = {(row["a"], row["b"]) for row in objects(found.read_text())}
    assert len(pairs) == len(LIKE_EACH_OTHER) * (len(LIKE_EACH_OTHER) - 1) / 2


@pytest.mark.parametrize("form", ["text", "json", "csv", "parquet"])
@pytest.mark.parametrize("output", ["jsonl", "csv", "parquet"])
def test_names_that_are_not_utf8_stay_apart(tmp_path: Path, form: str, output: str) -> None:
    folder = tmp_path / "u"
    folder.mkdir()
    for byte in (b"\xff", b"\xfe"):
        (Path(str(folder)) / f"{byte.decode('utf-8', 'surrogateescape')}.txt").write_text(TEXT, encoding="utf-8")
    written, found = tmp_path / f"prints.{form}", tmp_path / f"out.{output}"
    assert run("fingerprint", folder, f"--{form}", "-o", written).returncode == 0
    assert run("find-all", written, "-o", found).returncode == 0
    if output == "parquet":
        names = [*pq.read_table(found).to_pylist()[0].values()][:2]
    elif output == "csv":
        names = found.read_bytes().splitlines()[1].split(b",")[:2]
    else:
        names = [*json.loads(found.read_text()).values()][:2]
    assert names[0] != names[1]
    if output == "parquet":
        assert [name.removeprefix(f"{folder}/") for name in names] == ["\\udcfe.txt", "\\udcff.txt"]


def test_the_ids_of_a_store_are_texts(tmp_path: Path) -> None:
    database = tmp_path / "s.sqlite"
    number = json.dumps({"id": 7, "fingerprint": PRINT}).encode()
    done = run("store", "add", "--db", database, stdin=number)
    why = "line 1: the id '7' is of type int, but the ids of a store are texts: --text-ids takes its digits"
    assert (done.returncode, why in done.stderr, database.exists()) == (1, True, False)
    for kind in ("date", "binary", "nullable", "uuid"):
        done = run("store", "add", "--db", database, "--text-ids", written(tmp_path, IDS[kind]))
        assert (done.returncode, "write the ids as text" in done.stderr) == (1, True)
    assert run("store", "add", "--db", database, "--text-ids", written(tmp_path, IDS["int64"])).returncode == 0
    (answer,) = objects(run("store", "find", "--db", database, stdin=number).stdout)
    assert (answer["path"], [match["id"] for match in answer["matches"]]) == (7, ["7", "8"])
    removed = run("store", "remove", "--db", database, stdin=b'{"id": 7}')
    assert (removed.returncode, "of type int" in removed.stderr) == (1, True)
    assert run("store", "remove", "--db", database, "--text-ids", stdin=b'{"id": 7}').returncode == 0


@pytest.mark.parametrize("kind", IDS)
def test_the_ids_of_queries_of_a_store_keep_their_type(tmp_path: Path, kind: str) -> None:
    database = tmp_path / "s.sqlite"
    assert run("store", "add", "--db", database, stdin=b"larqgiqsckcca  a").returncode == 0
    done = run("store", "find", "--db", database, written(tmp_path, IDS[kind]))
    if kind == "binary":
        assert (done.returncode, "cannot represent ids of type binary" in done.stderr) == (1, True)
        return
    assert [answer["path"] for answer in objects(done.stdout)] == plain(kind)


def id_files(folder: Path, ids: list[Any]) -> dict[str, Path]:
    """Return files of ids in every format; those of CSV and text hold texts."""
    paths = {name: folder / f"gone.{name}" for name in ("parquet", "csv", "jsonl", "txt")}
    pq.write_table(pa.table({"id": ids, "note": ["x"] * len(ids)}), paths["parquet"])
    paths["csv"].write_text("note;id\n" + "".join(f"x;{one}\n" for one in ids), encoding="utf-8")
    paths["jsonl"].write_text("".join(json.dumps({"id": one}) + "\n" for one in ids), encoding="utf-8")
    paths["txt"].write_text("".join(f"{one}\n" for one in ids), encoding="utf-8")
    return paths


@pytest.mark.parametrize("name", ["parquet", "csv", "jsonl", "txt"])
@pytest.mark.parametrize("kind", ["index", "store"])
def test_ids_alone_are_removed(tmp_path: Path, name: str, kind: str) -> None:
    lines = "".join(
        json.dumps({"id": one, "fingerprint": str(fingerprint(f"{one} {TEXT if at < 2 else 'other words'}"))}) + "\n"
        for at, one in enumerate(["a", "b", "ä", "7"])
    ).encode()
    place = tmp_path / kind
    removal: tuple[str | Path, ...]
    if kind == "index":
        assert run("index", "build", place, stdin=lines).returncode == 0
        removal = ("index", "remove", place)
    else:
        assert run("store", "add", "--db", place, stdin=lines).returncode == 0
        removal = ("store", "remove", "--db", place)
    path = id_files(tmp_path, ["a", "ä"])[name]
    done = run(*removal, "--ids", path)
    assert (done.returncode, f"2 {'path' if kind == 'index' else 'document'}s removed" in done.stderr) == (0, True)
    left = [json.loads(line) for line in lines.decode().splitlines() if '"b"' in line or '"7"' in line]
    query = ("index", "query", place) if kind == "index" else ("store", "find", "--db", place)
    answers = objects(run(*query, stdin=lines).stdout)
    key = "paths" if kind == "index" else "id"
    found = {str(match[key]) for answer in answers for match in answer["matches"]}
    assert found == {str([row["id"]]) if kind == "index" else row["id"] for row in left}
    done = run(*removal, "--ids", path)
    assert (done.returncode, "2 ids not found" in done.stderr) == (1, True)


def test_removed_ids_have_a_type(tmp_path: Path) -> None:
    lines = "".join(json.dumps({"id": one, "fingerprint": PRINT}) + "\n" for one in (7, "7")).encode()
    index = tmp_path / "i.sdix"
    for name, left in (("csv", [7]), ("txt", [7]), ("jsonl", ["7"]), ("parquet", ["7"])):
        run("index", "build", "--force", index, stdin=lines)
        assert run("index", "remove", index, "--ids", id_files(tmp_path, [7])[name]).returncode == 0
        (answer,) = objects(run("index", "query", index, PRINT).stdout)
        assert answer["matches"][0]["paths"] == left
    done = run("store", "remove", "--db", tmp_path / "no.sqlite", "--ids", tmp_path / "gone.parquet")
    assert done.returncode == 1
    run("store", "add", "--db", tmp_path / "s.sqlite", "--text-ids", stdin=lines[: lines.index(b"\n")])
    done = run("store", "remove", "--db", tmp_path / "s.sqlite", "--ids", tmp_path / "gone.parquet")
    assert (done.returncode, "row 0: the id '7' is of type int" in done.stderr) == (1, True)
    (tmp_path / "gone.jsonl").write_text('{"id": "a"}\n{"id": 7}\n')
    done = run("store", "remove", "--db", tmp_path / "s.sqlite", "--ids", tmp_path / "gone.jsonl")
    assert (done.returncode, "line 2: the id '7' is of type int" in done.stderr) == (1, True)
    done = run("store", "remove", "--db", tmp_path / "s.sqlite", "--text-ids", "--ids", tmp_path / "gone.parquet")
    assert done.returncode == 0


def test_files_without_ids_are_described(tmp_path: Path) -> None:
    index, path = tmp_path / "i.sdix", tmp_path / "ids"
    run("index", "build", index, stdin=f"{PRINT}  a\n".encode())
    pq.write_table(pa.table({"name": ["a"]}), path)
    done = run("index", "remove", index, "--ids", path)
    assert (done.returncode, "no column 'id' or 'path'; columns: name" in done.stderr) == (1, True)
    path.write_text('{"name": "a"}\n{"id": 1.5}\nno JSON\n')
    done = run("index", "remove", index, "--ids", path)
    assert (done.returncode, done.stderr.count(": line ")) == (1, 3)
    path.write_text(f"{PRINT}  a\n")
    assert run("index", "remove", index, "--ids", path).returncode == 0
    assert run("index", "remove", index, path, "--ids", path).returncode == 2


def test_columns_that_hold_no_fingerprints_are_told(tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    pq.write_table(pa.table({"fingerprint": pa.array([bytes(8), bytes(7), b"", None, bytes(8)])}), path)
    done = run("find-all", path)
    assert done.stderr.startswith(
        f"simhash-doc: {path}: row 1: the fingerprint has 7 bytes; expected 8, 16, 32 or 64\n"
    )
    assert (done.returncode, len(done.stdout.splitlines())) == (1, 1)
    pq.write_table(pa.table({"fingerprint": pa.array([5, 6], pa.uint64())}), path)
    done = run("find-all", path)
    assert (
        done.stderr == f"simhash-doc: {path}: column 'fingerprint' is of type uint64; fingerprints are texts or bytes\n"
    )
    assert (done.returncode, done.stdout) == (1, "")


DOCUMENTS = {
    "draft.txt": "The words of a draft",
    "page.html": "<p>text</p>",
    "letter.md": "# Title\n\n12 lines",
    "paths.txt": "./a.txt\n./b.txt",
    "texts.jsonl": '{"id": 7, "text": "The words of a draft"}',
    "texts.csv": "id,text\n7,The words of a draft",
    "scan.pdf": "%PDF-1.7\n\0\1",
}


def test_the_option_for_a_file_without_fingerprints_is_told(tmp_path: Path) -> None:
    index, store = tmp_path / "all.sdix", tmp_path / "near.sqlite"
    (tmp_path / "in.jsonl").write_text('{"id": "7", "fingerprint": "sd64:aaaaaaaaaaaaa"}\n')
    (tmp_path / "ids.jsonl").write_text('{"id": "7"}\n')
    assert run("index", "build", index, tmp_path / "in.jsonl").returncode == 0
    assert run("store", "add", "--db", store, tmp_path / "in.jsonl").returncode == 0
    done = run("index", "remove", index, tmp_path / "ids.jsonl")
    assert (done.returncode, "files of ids alone are given with --ids FILE" in done.stderr) == (1, True)
    for command in (("index", "query", index), ("store", "find", "--db", store)):
        for name, text in DOCUMENTS.items():
            (tmp_path / name).write_text(text)
            done = run(*command, tmp_path / name)
            hint = f"--document {tmp_path / name} searches for the document itself"
            assert (done.returncode, hint in done.stderr) == (1, True)


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("command", [("find-all",), ("find-clusters",), ("index", "build", "no.sdix")], ids=" ".join)
def test_the_commands_for_a_file_without_fingerprints_are_told(
    command: tuple[str, ...], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(DOCUMENTS[name])
    done = run(*command, name)
    assert (done.returncode, done.stderr.count("`simhash-doc fingerprint` computes")) == (1, 1)
    assert "`simhash-doc table fingerprint` of rows" in done.stderr


@pytest.mark.parametrize("name", ["out.parquet", "out.csv"])
def test_json_lines_get_no_name_of_another_format(tmp_path: Path, name: str) -> None:
    store, output = tmp_path / "near.sqlite", tmp_path / name
    (tmp_path / "in.jsonl").write_text('{"id": "7", "fingerprint": "sd64:aaaaaaaaaaaaa"}\n')
    assert run("store", "add", "--db", store, tmp_path / "in.jsonl").returncode == 0
    for command in (
        ("store", "export", "--db", store),
        ("store", "find", "--db", store, tmp_path / "in.jsonl"),
        ("extract", "--json", tmp_path / "in.jsonl"),
        *([("archive", "changes", tmp_path / "in.jsonl")] if name == "out.parquet" else []),
    ):
        done = run(*command, "-o", output)
        assert (done.returncode, output.exists()) == (2, False)
        assert f"{name}: this command does not write the format of the extension {output.suffix}" in done.stderr or (
            "--json does not fit the extension" in done.stderr
        )


def test_parquet_of_ids_that_no_row_shows_has_their_type(tmp_path: Path) -> None:
    path, output = tmp_path / "in.parquet", tmp_path / "out.parquet"
    for values in ([], [None, None]):
        ids = pa.array(range(len(values)), pa.uint16())
        pq.write_table(pa.table({"id": ids, "fingerprint": pa.array(values, pa.string())}), path)
        for command, column in (("find-all", "a"), ("find-clusters", "member")):
            assert run(command, path, "-o", output).returncode == 0
            assert pq.read_schema(output).field(column).type == pa.uint16()


def test_booleans_and_large_integers_of_json_in_parquet(tmp_path: Path) -> None:
    path, output = tmp_path / "in.jsonl", tmp_path / "out.parquet"
    path.write_text("".join(f'{{"id": {one}, "fingerprint": "sd64:aaaaaaaaaaaaa"}}\n' for one in ("true", "false")))
    assert run("find-all", path, "-o", output).returncode == 0
    assert pq.read_table(output).to_pylist() == [{"a": True, "b": False, "distance": 0}]
    path.write_text("".join(f'{{"id": {one}, "fingerprint": "sd64:aaaaaaaaaaaaa"}}\n' for one in (-1, 1 << 63)))
    done = run("find-all", path, "-o", output)
    assert (done.returncode, "the ids are integers of more than 64 bits" in done.stderr) == (2, True)


@pytest.mark.parametrize("size", [10_000, 200_000])
def test_a_name_of_backslashes_is_escaped_at_once(size: int) -> None:
    """A quadratic search would take minutes for the longer one."""
    name = "\\" * size + "\u00e9"
    assert escaped_name(name) == name
    assert unescaped_name("\\" * size + "\\ud8") == "\\" * size + "\\ud8"


def test_the_id_of_a_row_with_a_path_is_its_id_in_every_command(tmp_path: Path) -> None:
    rows = [{"path": f"p{at}", "fingerprint": PRINT, "id": f"i{at}"} for at in (0, 1)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "rows.parquet")
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "rows.csv").write_text("path,fingerprint,id\n" + "".join(",".join(row.values()) + "\n" for row in rows))
    for name in ("rows.parquet", "rows.jsonl", "rows.csv"):
        (pair,) = objects(run("find-all", "--json", tmp_path / name).stdout)
        assert (pair["a"], pair["b"]) == ("i0", "i1")
        run("index", "build", "--force", tmp_path / "i.sdix", tmp_path / name)
        run("store", "add", "--db", tmp_path / f"{name}.sqlite", tmp_path / name)
        exported = objects(run("store", "export", "--db", tmp_path / f"{name}.sqlite").stdout)
        assert sorted(row["id"] for row in exported if "id" in row) == ["i0", "i1"]
        (answer,) = objects(run("index", "query", tmp_path / "i.sdix", PRINT).stdout)
        assert sorted(answer["matches"][0]["paths"]) == ["i0", "i1"]
        done = run("index", "remove", tmp_path / "i.sdix", "--ids", tmp_path / name)
        assert (done.returncode, "2 paths removed" in done.stderr) == (0, True)
