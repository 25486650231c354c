"""Every command that takes fingerprints reads every form that a command writes, and pairs and clusters in tables."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simhash_doc import fingerprint
from tests.commands import objects, run

MORE = "iota kappa lambda my ny xi omicron pi rho sigma tau"
TEXTS = {
    "a": f"alpha beta gamma delta epsilon zeta eta theta {MORE}",
    "b": f"ALPHA beta gamma delta epsilon zeta eta theta! {MORE}",
    "c": "something else altogether, as it seems, of more than fifteen words, which none of both others has in common",
}
NAMES = ["a", "b", "c"]


@pytest.fixture
def forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Files of several forms, with the documents a, b and c; tests/ingest has every form."""
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        Path(name).write_text(text, encoding="utf-8")
    rows = [json.dumps({"id": name, "text": text}) for name, text in [*TEXTS.items(), ("d", "12 34")]]
    Path("rows.jsonl").write_text("\n".join(rows), encoding="utf-8")
    column = ["table", "fingerprint", "--id", "id", "rows.jsonl"]
    assert run("fingerprint", *NAMES, "-o", "text.txt").returncode == 0
    run(*column, "-o", "column.parquet")
    return {name: tmp_path / name for name in ("text.txt", "column.parquet")}


def test_commands_read_every_form(forms: dict[str, Path]) -> None:
    for form, path in forms.items():
        skipped = "simhash-doc: 1 row without a fingerprint skipped\n" if "column" in form else ""
        for given in ([path], []):
            done = run("find-all", *given, stdin=b"" if given else path.read_bytes())
            assert (objects(done.stdout), done.stderr) == ([{"a": "a", "b": "b", "distance": 0}], skipped), form
        cluster = {"cluster": 1, "size": 2, "representative": "a", "members": ["a", "b"]}
        assert objects(run("find-clusters", path).stdout) == [cluster]
        index = path.with_suffix(f"{path.suffix}.sdix")
        assert run("index", "build", index, path).returncode == 0
        (asked,) = objects(run("index", "query", index, str(fingerprint(TEXTS["c"]))).stdout)
        assert [match["paths"] for match in asked["matches"]] == [["c"]]
        assert [row["path"] for row in objects(run("index", "query", index, path).stdout)] == NAMES
        assert "0 fingerprints and 0 paths added, 2 now" in run("index", "add", index, path).stderr
        assert "3 paths removed, 0 fingerprints now" in run("index", "remove", index, path).stderr
        database = path.with_suffix(f"{path.suffix}.sqlite")
        stored = run("store", "add", "--db", database, path)
        assert (stored.stderr, stored.returncode) == (f"{skipped}{database}: 3 documents added\n", 0), form
        found = objects(run("store", "find", "--db", database, path).stdout)
        ids = [[match["id"] for match in row["matches"]] for row in found]
        shown = str if form == "column.parquet" else path.with_name  # the names in a table are ids
        assert ids == [[str(shown(name)) for name in one] for one in ("ab", "ab", "c")]
        assert "3 documents removed" in run("store", "remove", "--db", database, stdin=path.read_bytes()).stderr


def test_several_files_are_one_list(forms: dict[str, Path]) -> None:
    done = run(
        "find-clusters", forms["text.txt"], "-", forms["column.parquet"], stdin=str(fingerprint(TEXTS["c"])).encode()
    )
    assert [row["members"] for row in objects(done.stdout)] == [
        ["a", "b", "a", "b"],
        ["c", str(fingerprint(TEXTS["c"])), "c"],
    ]
    twice = run("find-all", "-", "-")
    assert (twice.returncode, "standard input can be read once" in twice.stderr) == (2, True)


def test_pairs_and_clusters_are_written_as_tables(forms: dict[str, Path]) -> None:
    path = forms["column.parquet"]
    for name in ("pairs.parquet", "pairs.csv", "pairs.jsonl", "pairs.txt"):
        done = run("find-all", path, "-o", name)
        assert (done.stdout, done.returncode) == ("", 0)
    pair = {"a": "a", "b": "b", "distance": 0}
    assert pq.read_table("pairs.parquet").to_pylist() == [pair]
    assert list(csv.DictReader(io.StringIO(Path("pairs.csv").read_text()))) == [{"a": "a", "b": "b", "distance": "0"}]
    assert (json.loads(Path("pairs.jsonl").read_text()), Path("pairs.txt").read_text()) == (pair, "  0  a  b\n")
    run("find-clusters", path, "-o", "clusters.parquet")
    rows = [{"cluster": 1, "size": 2, "representative": "a", "member": name} for name in ("a", "b")]
    assert pq.read_table("clusters.parquet").to_pylist() == rows
    printed = run("find-clusters", path, "--csv").stdout
    assert [row["member"] for row in csv.DictReader(io.StringIO(printed))] == ["a", "b"]
    run("index", "build", "i.sdix", path)
    run("index", "query", "i.sdix", path, "-o", "matches.parquet")
    matches = [(row["query"], row["match"], row["distance"]) for row in pq.read_table("matches.parquet").to_pylist()]
    assert matches == [("a", "a", 0), ("a", "b", 0), ("b", "a", 0), ("b", "b", 0), ("c", "c", 0)]


def test_an_index_takes_wider_fingerprints_on_request(tmp_path: Path) -> None:
    index, wide = tmp_path / "i.sdix", str(fingerprint(TEXTS["a"], "sd512"))
    run("index", "build", index, "--scheme", "sd64", stdin=f"{wide}\n{fingerprint(TEXTS['c'])}\n".encode())
    assert json.loads(run("index", "info", "--json", index).stdout)["fingerprints"] == 2
    refused = run("index", "query", index, wide)
    assert (refused.returncode, "is of scheme sd512, not sd64" in refused.stderr) == (2, True)
    (answer,) = objects(run("index", "query", "--scheme", "sd64", index, wide).stdout)
    assert len(answer["matches"]) == 1
    assert "0 fingerprints added, 2 now" in run("index", "add", "--scheme", "sd64", index, stdin=wide.encode()).stderr


def test_no_index_is_written_from_unreadable_lines_only(tmp_path: Path) -> None:
    done = run("index", "build", tmp_path / "i.sdix", stdin=b"x\n" * 25)
    assert (done.returncode, list(tmp_path.iterdir())) == (1, [])
    assert done.stderr.count("not a fingerprint") == 10
    assert "15 more: lines of standard input with errors" in done.stderr
    assert "not written: the input has no fingerprint that can be stored" in done.stderr


NO_FINGERPRINTS = {
    "nothing": b"",
    "blank": b"\n \n",
    "skipped": b'{"path": "a", "fingerprint": null}\n',
    "unreadable": b"x\n",
    "refused": b'{"id": 2.5, "fingerprint": "sd64:larqgiqsckcca"}\n',
}


@pytest.mark.parametrize("content", NO_FINGERPRINTS.values(), ids=NO_FINGERPRINTS)
def test_an_input_without_fingerprints_replaces_no_index(content: bytes, tmp_path: Path) -> None:
    index = tmp_path / "i.sdix"
    assert run("index", "build", index, stdin=b"larqgiqsckcca").returncode == 0
    before = {path.name: path.read_bytes() for path in index.iterdir()}
    done = run("index", "build", "--force", index, stdin=content)
    assert (done.returncode, "can be stored" in done.stderr) == (1, True), done.stderr
    assert {path.name: path.read_bytes() for path in index.iterdir()} == before


@pytest.mark.parametrize("command", [("find-all",), ("index", "build", "i.sdix"), ("store", "add", "--db", "s.sqlite")])
def test_a_document_instead_of_fingerprints_is_one_error(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("page.html").write_text("<html>\n<body>\n" + "<p>some words\n" * 2000 + "12345\n")
    done = run(*command, "page.html")
    assert done.returncode == 1
    folder = run(*command, ".")
    assert (folder.returncode, "Is a directory; `simhash-doc fingerprint`" in folder.stderr) == (1, True)
    assert "page.html: no line holds a fingerprint, the first is '<html>'; `simhash-doc fingerprint`" in done.stderr
    assert len(done.stderr.splitlines()) < 3


def test_documents_to_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    Path("in/a.txt").write_text("one two three four")
    Path("in/b.html").write_text("<p>one two three four</p>")
    expected = {row["path"]: row for row in objects(run("fingerprint", "--json", "in").stdout)}
    assert run("fingerprint", "in", "-o", "x.parquet").returncode == 0
    table = pq.read_table("x.parquet")
    extracted = expected["in/b.html"].pop("provenance")
    assert json.loads(table.schema.metadata[b"simhash_doc.provenance"]) == extracted
    del expected["in/a.txt"]["provenance"]
    assert {row["path"]: row for row in table.to_pylist()} == expected
    (pair,) = objects(run("find-all", "x.parquet").stdout)
    assert pair == {"a": "in/a.txt", "b": "in/b.html", "distance": 0}


@pytest.mark.parametrize("name", ["only.jsonl", "only.csv", "only.parquet", "replaced.jsonl", "replaced.csv"])
def test_hexadecimal_is_read_where_it_is_written(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = fingerprint("one two three four", "sd256")
    column = "hex" if name.startswith("only") else "fingerprint"
    rows = [{"path": f"{at}", "scheme": "sd256", column: made.hex} for at in range(2)]
    if name.endswith("parquet"):
        pq.write_table(pa.Table.from_pylist(rows), name)
    elif name.endswith("csv"):
        Path(name).write_text("\n".join([f"path,scheme,{column}", *(",".join(row.values()) for row in rows)]))
    else:
        Path(name).write_text("\n".join(map(json.dumps, rows)))
    assert objects(run("find-all", name).stdout) == [{"a": "0", "b": "1", "distance": 0}]
    assert run("store", "add", "--db", "s.sqlite", name).returncode == 0
    (found, _) = objects(run("store", "find", "--db", "s.sqlite", name).stdout)
    assert [one["fingerprint"] for one in found["matches"]] == [str(made)] * 2


def test_a_store_takes_wider_fingerprints_on_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text(TEXTS["a"])
    run("fingerprint", "--scheme", "sd256", "--json", "a.txt", "-o", "wide.jsonl")
    database = ("--db", "s.sqlite")
    assert run("store", "add", *database, "--collection", "wide", "wide.jsonl").returncode == 0
    exported = run("store", "export", *database).stdout
    for content in (Path("wide.jsonl").read_text(), exported):
        options = ("--scheme", "sd64", "--collection", "narrow", "--existing", "replace")
        assert run("store", "add", *database, *options, stdin=content.encode()).returncode == 0
    for query in (Path("wide.jsonl"), str(fingerprint(TEXTS["a"], "sd512"))):
        (answer,) = objects(run("store", "find", *database, "--scheme", "sd64", query).stdout)
        assert [one["collection"] for one in answer["matches"]] == ["narrow"]
    narrower = run("store", "find", *database, "--scheme", "sd512", "wide.jsonl")
    assert (narrower.returncode, "line 1: " in narrower.stderr) == (1, True)


def test_a_verification_is_read_by_programs(forms: dict[str, Path], tmp_path: Path) -> None:
    run("index", "build", "i", forms["text.txt"])
    run("store", "add", "--db", "s.sqlite", forms["text.txt"])
    for command, name, count in (("index", "i", "fingerprints"), ("store", "s.sqlite", "documents")):
        arguments = [command, "verify", *(["--db"] if command == "store" else []), name, "--json"]
        (found,) = objects(run(*arguments).stdout)
        number = found.pop(count)
        assert (found, number in (2, 3)) == ({"name": name, "valid": True, "problems": []}, True)
    next(Path("i").glob("segment-*")).unlink()
    with sqlite3.connect("s.sqlite") as connection:
        connection.execute("PRAGMA ignore_check_constraints = 1")
        connection.execute("UPDATE simhash_sd64_4 SET s0 = s0 + 1")
    for arguments in (["index", "verify", "i"], ["store", "verify", "--db", "s.sqlite"]):
        done = run(*arguments, "--json")
        (found,) = objects(done.stdout)
        assert (done.returncode, found["valid"]) == (1, False)
        assert done.stderr.splitlines() == [f"simhash-doc: {problem}" for problem in found["problems"]]


def test_quiet_commands_print_errors_only(forms: dict[str, Path], tmp_path: Path) -> None:
    text = forms["text.txt"]
    store = ("--db", "s.sqlite")
    for command in (
        ("find-all", text), ("find-clusters", forms["column.parquet"]), ("index", "build", "i", text),
        ("index", "add", "i", text), ("index", "query", "i", text), ("index", "merge", "i"), ("index", "verify", "i"),
        ("index", "info", "i"), ("index", "remove", "i", text),
        ("store", "add", *store, forms["column.parquet"]), ("store", "find", *store, text), ("store", "stats", *store),
        ("store", "export", *store, "-o", "e.jsonl"), ("store", "add", "--existing", "replace", *store, "e.jsonl"),
        ("store", "verify", *store), ("store", "remove", *store, "a"),
    ):  # fmt: skip
        done = run(*command, "-q")
        assert (done.returncode, done.stderr) == (0, ""), command
    done = run("find-all", "-q", stdin=b"larqgiqsckcca\nsd64:zz\n")
    assert (done.returncode, "line 2: " in done.stderr) == (1, True)
