"""The commands of the store as a user runs them."""

from __future__ import annotations

import copy
import json
import os
import pickle
import random
import shutil
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa

from simhash_doc import Fingerprint, fingerprint
from simhash_doc.schemes import get_scheme
from simhash_doc.store import Document, FingerprintStore, NoStoreError
from simhash_doc.store.schema import shown_store
from tests.commands import objects, run

TEXT = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "a.txt").write_text(TEXT, encoding="utf-8")
    (folder / "b.txt").write_text(TEXT.upper(), encoding="utf-8")
    (folder / "c.txt").write_text("something else altogether", encoding="utf-8")
    return folder


def test_stored_fingerprints_are_found(url: str, folder: Path) -> None:
    lines = run("fingerprint", "--json", folder).stdout.encode()
    added = run("store", "add", "--db", url, stdin=lines)
    assert (added.returncode, "3 documents added" in added.stderr) == (0, True)
    made = fingerprint(TEXT)
    found = run("store", "find", "--db", url, str(made), "aaaaaaaaaaaaa")
    (first, second), status = objects(found.stdout), found.returncode
    assert status == 0
    assert [(match["id"], match["distance"]) for match in first["matches"]] == [
        (str(folder / "a.txt"), 0),
        (str(folder / "b.txt"), 0),
    ]
    assert (first["fingerprint"], second) == (str(made), {"fingerprint": "sd64:aaaaaaaaaaaaa", "matches": []})
    assert {match["fingerprint"] for match in first["matches"]} == {str(made)}
    asked = objects(run("store", "find", "--db", url, "--limit", "1", stdin=lines + f"{made}\n".encode()).stdout)
    assert [answer.get("path") for answer in asked] == [str(folder / f"{name}.txt") for name in "abc"] + [None]
    assert [len(answer["matches"]) for answer in asked] == [1, 1, 1, 1]
    removed = run("store", "remove", "--db", url, str(folder / "a.txt"), "absent")
    assert (removed.returncode, "1 document removed" in removed.stderr) == (1, True)
    assert "1 id not found in collection 'default'" in removed.stderr
    stats = objects(run("store", "stats", "--db", url, "--json").stdout)
    assert [(one["collection"], one["scheme"], one["slices"], one["documents"]) for one in stats] == [
        ("default", "sd64", 4, 2)
    ]
    assert "valid: 2 documents" in run("store", "verify", "--db", url).stdout


def test_a_document_is_searched(url: str, folder: Path) -> None:
    lines = run("fingerprint", "--json", "--scheme", "sd256", folder).stdout.encode()
    assert run("store", "add", "--db", url, stdin=lines).returncode == 0
    (folder / "query.md").write_text(f"# {TEXT}", encoding="utf-8")
    done = run("store", "find", "--db", url, "--document", folder / "query.md")
    (answer,) = objects(done.stdout)
    assert (done.returncode, answer["path"]) == (0, str(folder / "query.md"))
    assert [Path(match["id"]).name for match in answer["matches"]] == ["a.txt", "b.txt"]
    (folder / "empty.txt").write_text("12 34", encoding="utf-8")
    done = run("store", "find", "--db", url, "--document", folder)
    assert (done.returncode, len(objects(done.stdout))) == (1, 4)
    run("store", "add", "--db", url, "--collection", "narrow", "--scheme", "sd64", stdin=lines)
    done = run("store", "find", "--db", url, "--document", folder / "a.txt")
    assert (done.returncode, "have the schemes sd256 and sd64: name one with --scheme" in done.stderr) == (2, True)
    done = run("store", "find", "--db", url, "--document", folder / "a.txt", "--collection", "narrow")
    assert (done.returncode, len(objects(done.stdout)[0]["matches"])) == (0, 2)


def test_no_message_has_the_password(postgresql_url: str, folder: Path) -> None:
    url = sa.make_url(postgresql_url).set(password="s3cret").render_as_string(hide_password=False)
    lines = run("fingerprint", "--json", folder).stdout.encode()
    outputs = [run("store", "add", "--db", url, stdin=lines)]
    outputs += [run("store", *command, "--db", url) for command in (("verify",), ("verify", "--json"))]
    outputs += [run("store", "remove", "--db", url, str(folder / "a.txt"))]
    for database in (["--db", url], [f"--db={url}"]):
        outputs += [run("store", "dedupe", folder, "--html", folder.parent / "page.html", *database)]
        page = (folder.parent / "page.html").read_text(encoding="utf-8")
        assert ("simhash-doc store dedupe " in page, "s3cret" in page) == (True, False)
    for done in outputs:
        assert done.returncode == 0
        assert "postgresql://" in done.stdout + done.stderr
        assert "s3cret" not in done.stdout + done.stderr


@pytest.mark.parametrize("password", ["s3cret", "s3cr%40et", "s3c@r@et", "s3:cr/et"])
@pytest.mark.parametrize("command", ["fingerprint", "fingerprint in.txt -o", "find-all", "store export --db x.db -o"])
def test_a_database_in_the_place_of_a_file_is_named_without_its_password(command: str, password: str) -> None:
    done = run(*command.split(), f"postgresql+psycopg://joe:{password}@h.example/db")
    assert done.returncode in (1, 2)
    assert "postgresql+psycopg://joe:***@h.example/db: " in done.stderr
    assert "s3c" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("near.sqlite", "near.sqlite"),
        ("postgresql://me:s3cret@h:5432/x", "postgresql://me:***@h:5432/x"),
        (
            "postgresql://me@h/x?password=s3cret&sslmode=require",
            "postgresql://me@h/x?password=%2A%2A%2A&sslmode=%2A%2A%2A",
        ),
        ("sqlite:///near.sqlite?key=s3cret", "sqlite:///near.sqlite?key=%2A%2A%2A"),
    ],
)
def test_a_database_is_named_without_its_password(url: str, shown: str) -> None:
    assert shown_store(url) == shown


def test_a_pickled_store_opens_the_database_again(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with FingerprintStore(url, timeout=7) as store:
        store.add(Document("a", fingerprint(TEXT)))
        monkeypatch.chdir(tmp_path)
        with pickle.loads(pickle.dumps(store)) as other:
            other.add(Document("b", fingerprint(TEXT)))
        assert [document.id for document in copy.copy(store).documents()] == ["a", "b"]


def test_the_pickle_of_a_store_knows_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pickled = pickle.dumps(FingerprintStore("near.sqlite"))
    monkeypatch.chdir("/")
    assert pickle.loads(pickled).collections() == []
    (tmp_path / "near.sqlite").unlink()
    with pytest.raises(NoStoreError):
        pickle.loads(pickled)


def test_a_wrong_url_is_not_repeated() -> None:
    done = run("store", "stats", "--db", "postgresql://me:s3cret@h:s3cret/x")
    assert done.returncode == 1
    assert "not a database URL" in done.stderr
    assert "s3cret" not in done.stderr


def test_lines_that_cannot_be_stored_are_reported_and_all_others_stored(url: str) -> None:
    lines = [
        {"id": "a", "fingerprint": "larqgiqsckcca", "metadata": {"language": "en", "year": 2020}},
        {"id": "b", "fingerprint": "nonsense"},
        {"id": "a", "fingerprint": "larqgiqsckcca"},
        {"id": "c", "fingerprint": "a" * 26},
        {"id": "h", "fingerprint": "larqgiqsckcca", "metadata": {"language": "de"}, "time": "2020-01-01T00:00:00Z"},
    ]
    text = "\n".join(json.dumps(line) for line in lines).encode() + b"\n\n{"
    done = run("store", "add", "--db", url, stdin=text)
    named = [line.split(": ")[2] for line in done.stderr.splitlines() if "standard input" in line]
    assert sorted(named) == sorted(f"line {number}" for number in (2, 3, 4, 7))
    assert (done.returncode, "2 documents added" in done.stderr) == (1, True)
    assert "'a' is in collection 'default' already; --existing skips or replaces it" in done.stderr
    again = run("store", "add", "--db", url, stdin=json.dumps(lines[0]).encode())
    assert (again.returncode, "0 documents added" in again.stderr) == (1, True)
    replaced = run("store", "add", "--db", url, "--existing", "replace", stdin=json.dumps(lines[0]).encode())
    assert (replaced.returncode, "0 documents added, 1 replaced" in replaced.stderr) == (0, True)
    for condition, ids in (("language=en", ["a"]), ("year=2020", ["a"]), ('year="2020"', []), ("language=de", ["h"])):
        (found,) = objects(run("store", "find", "--db", url, "--where", condition, "larqgiqsckcca").stdout)
        assert [match["id"] for match in found["matches"]] == ids


def test_all_rejects_are_counted_though_a_batch_is_stored_after_its_lines_are_read(url: str) -> None:
    lines = "\n".join(json.dumps({"id": str(number), "fingerprint": "larqgiqsckcca"}) for number in range(50)).encode()
    assert run("store", "add", "--db", url, stdin=lines).returncode == 0
    again = run("store", "add", "--db", url, stdin=lines)
    *named, more, added = again.stderr.splitlines()
    assert (again.returncode, len(named), "0 documents added" in added) == (1, 10, True)
    assert more == "simhash-doc: 40 more: lines of standard input with errors"


def test_ids_to_remove_that_are_not_stored_are_counted(url: str, tmp_path: Path) -> None:
    lines = b"".join(b'{"id": "%d", "fingerprint": "larqgiqsckcca"}\n' % number for number in range(4))
    (tmp_path / "ids.jsonl").write_bytes(lines)
    assert run("store", "add", "--db", url, stdin=lines).returncode == 0
    absent = run("store", "remove", "--db", url, "0", "x", "0", "y")
    assert (absent.returncode, absent.stderr.splitlines()[0]) == (
        1,
        "simhash-doc: 2 ids not found in collection 'default'",
    )
    assert "1 document removed" in absent.stderr
    file = run("store", "remove", "--db", url, tmp_path / "ids.jsonl")
    assert (file.returncode, "ids.jsonl is a path, but ids are expected" in file.stderr) == (1, True)
    assert "0 documents removed" in file.stderr
    rest = run("store", "remove", "--db", url, stdin=lines[lines.index(b"\n") + 1 :])
    assert (rest.returncode, "3 documents removed" in rest.stderr, "not found" in rest.stderr) == (0, True, False)


@pytest.mark.parametrize("lines", [b"/gone/a.txt\n", b"/gone/a.txt\n/gone/b.txt\n", b'{"id": "a"\n'])
def test_lines_to_remove_without_ids_get_what_is_expected(url: str, lines: bytes) -> None:
    assert run("store", "add", "--db", url, stdin=b'{"id": "a", "fingerprint": "larqgiqsckcca"}').returncode == 0
    refused = run("store", "remove", "--db", url, stdin=lines)
    assert refused.returncode == 1
    assert "expected JSON objects with `id` or `path`; give other ids as arguments, or with --ids -" in refused.stderr


def test_the_relative_path_of_a_document_to_remove_gets_its_id(url: str) -> None:
    gone = os.path.abspath("gone.txt")
    line = json.dumps({"id": gone, "fingerprint": "larqgiqsckcca"}).encode()
    assert run("store", "add", "--db", url, stdin=line).returncode == 0
    refused = run("store", "remove", "--db", url, "gone.txt")
    assert (refused.returncode, f"the id of a document is its absolute path: {gone}" in refused.stderr) == (1, True)
    assert run("store", "remove", "--db", url, gone).returncode == 0


def test_an_id_to_remove_that_is_not_unicode_is_not_found(url: str, tmp_path: Path) -> None:
    assert run("store", "add", "--db", url, stdin=b'{"id": "a", "fingerprint": "larqgiqsckcca"}').returncode == 0
    path = tmp_path / os.fsdecode(b"\xff")
    path.touch()
    absent = run("store", "remove", "--db", url, str(path))
    assert (absent.returncode, "1 id not found" in absent.stderr) == (1, True)


def test_a_daily_search_begins_with_a_store(url: str) -> None:
    day = b'{"id": "a", "fingerprint": "larqgiqsckcca"}\n{"id": "b", "fingerprint": "aaaaaaaaaaaaa"}'
    for number in range(2):
        found = run("store", "find", "--db", url, "--collection", "crawl", stdin=day)
        assert (found.returncode, len(objects(found.stdout))) == ((1, 0), (0, 2))[number]
        assert all(len(one["matches"]) == 1 for one in objects(found.stdout))
        added = run("store", "add", "--db", url, "--collection", "crawl", "--existing", "skip", stdin=day)
        assert (added.returncode, added.stderr.count("\n")) == (0, 1)
        assert ("2 documents added, 0 skipped", "0 documents added, 2 skipped")[number] in added.stderr


def test_ids_are_stored_up_to_the_documented_length(url: str) -> None:
    noise = random.Random(1)  # that no database can compress
    ids = ["".join(chr(noise.randrange(0x10000, 0x20000)) for _ in range(512)) for _ in range(20)]
    lines = [json.dumps({"id": name, "fingerprint": "larqgiqsckcca"}) for name in (*ids, "x" + ids[0], "last")]
    done = run("store", "add", "--db", url, stdin="\n".join(lines).encode())
    assert (done.returncode, "has 2,049 bytes; expected 1 to 2,048" in done.stderr) == (1, True)
    with FingerprintStore(url) as store:
        assert {document.id for document in store.documents()} == {*ids, "last"}


def test_lines_keep_their_collections_unless_one_is_given(url: str, tmp_path: Path) -> None:
    lines = [
        {"collection": "a", "scheme": "sd64", "slices": 7},
        {"id": "1", "fingerprint": "larqgiqsckcca", "collection": "a"},
        {"id": "2", "fingerprint": "larqgiqsckcca", "collection": "b"},
        {"id": "3", "fingerprint": "larqgiqsckcca"},
    ]
    text = "\n".join(map(json.dumps, lines)).encode()
    assert run("store", "add", "--db", url, stdin=text).returncode == 0
    assert run("store", "add", "--db", url, "--collection", "c", stdin=text).returncode == 0
    with FingerprintStore(url) as store:
        assert {one.name: one.slices for one in store.collections()} == {"a": 7, "b": 4, "default": 4, "c": 7}
        found = {name: [one.id for one in store.documents(name)] for name in ("a", "b", "default", "c")}
    assert found == {"a": ["1"], "b": ["2"], "default": ["3"], "c": ["1", "2", "3"]}


def test_an_export_is_imported_unchanged(url: str, tmp_path: Path) -> None:
    with FingerprintStore(url) as store:
        store.create_collection("narrow", scheme="sd64", slices=7)
    lines = [
        {
            "id": f"é{number}",
            "uri": None,
            "fingerprint": str(Fingerprint(number, get_scheme(scheme))),
            "scheme": scheme,
            "metadata": {"n": number},
        }
        for number, scheme in enumerate(["sd64"] * 5)
    ]
    wide = {"id": "w", "scheme": "sd256+custom", "fingerprint": str(Fingerprint(9, "sd256"))}
    run("store", "add", "--db", url, "--collection", "narrow", stdin="\n".join(map(json.dumps, lines)).encode())
    run("store", "add", "--db", url, "--collection", "wide", "--slices", "5", stdin=json.dumps(wide).encode())
    exported = run("store", "export", "--db", url)
    copy = tmp_path / "copy.sqlite"
    for _ in range(2):  # a repeated import changes nothing
        done = run("store", "add", "--existing", "replace", "--db", copy, stdin=exported.stdout.encode())
        assert done.returncode == 0
    assert run("store", "export", "--db", copy).stdout == exported.stdout
    kept = objects(exported.stdout)
    assert {"collection": "narrow", "scheme": "sd64", "slices": 7} in kept
    assert {"collection": "wide", "scheme": "sd256+custom", "slices": 5} in kept
    assert len(kept) == 2 + 5 + 1
    one = run("store", "export", "--db", url, "--collection", "wide")
    assert len(objects(one.stdout)) == 2


@pytest.fixture(scope="module")
def one_document(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store that is only read."""
    database = str(tmp_path_factory.mktemp("store") / "near.sqlite")
    run("store", "add", "--db", database, stdin=b'{"id": "a", "fingerprint": "larqgiqsckcca"}')
    return database


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        (["stats", "--db", "absent.sqlite"], 1, "no such file"),
        (["find", "--db", "DB", "nonsense"], 2, "'nonsense'"),
        (["find", "--db", "DB", "--distance", "8", "larqgiqsckcca"], 2, "needs a collection of at least 5 slices"),
        (["find", "--db", "DB", "--where", "x", "larqgiqsckcca"], 2, "is not KEY=VALUE"),
        (["find", "--db", "DB", "--where", "x=[1]", "larqgiqsckcca"], 2, "a value is a str"),
        (["find", "--db", "DB", "--collection", "other", "larqgiqsckcca"], 2, "unknown collection 'other'"),
        (["find", "--db", "DB", "sd128:" + "a" * 26], 2, "no collection holds sd128 fingerprints"),
        (["remove", "--db", "DB", "--collection", "other", "x"], 2, "unknown collection 'other'"),
        (["export", "--db", "DB", "--collection", "other"], 2, "unknown collection 'other'"),
        (["add", "--db", "DB", "absent"], 1, "absent: cannot be read"),
        (["stats"], 2, "--db"),
    ],
)
def test_usage_errors_are_reported(one_document: str, arguments: list[str], status: int, reason: str) -> None:
    done = run("store", *(one_document if argument == "DB" else argument for argument in arguments))
    assert (done.returncode, done.stdout) == (status, "")
    assert reason in done.stderr
    assert "Traceback" not in done.stderr


def summary(done: Any) -> str:
    return str(done.stderr.splitlines()[-1].rpartition(": ")[2])


def test_dedupe_keeps_a_collection_up_to_date(url: str, folder: Path) -> None:
    def changes() -> str:
        return summary(run("store", "dedupe", "--db", url, folder))

    first = run("store", "dedupe", "--db", url, folder)
    assert summary(first) == "3 added, 0 replaced, 0 removed, 0 unchanged"
    made = fingerprint(TEXT, "sd256")
    assert first.stdout.splitlines() == [
        "cluster 1: 2 documents (1 near-duplicate)",
        f"  keep            {made}   0         {folder / 'a.txt'}",
        f"  near-duplicate  {made}   0  100 %  {folder / 'b.txt'}",
        "",
        "3 documents, 2 of them in 1 cluster",
        "1 near-duplicate: 2 unique documents",
    ]
    assert changes() == "0 added, 0 replaced, 0 removed, 3 unchanged"
    (folder / "a.txt").touch()
    assert changes() == "0 added, 0 replaced, 0 removed, 3 unchanged"
    # As long as before and as old, but changed: seen because it was stored a moment ago.
    status = (folder / "b.txt").stat()
    (folder / "b.txt").write_text(TEXT.upper().replace("ALPHA", "OMEGA"), encoding="utf-8")
    os.utime(folder / "b.txt", ns=(status.st_atime_ns, time.time_ns()))
    (folder / "c.txt").unlink()
    shutil.copy(folder / "a.txt", folder / "d.txt")
    assert changes() == "1 added, 1 replaced, 1 removed, 1 unchanged"
    with FingerprintStore(url) as store:
        kept = {document.id: document.fingerprint for document in store.documents()}
    files = [folder / f"{name}.txt" for name in "abd"]
    assert kept == {str(file): fingerprint(file.read_bytes(), "sd256") for file in files}
    # A file without words has no document any more; a file elsewhere is not affected.
    (folder / "a.txt").write_text("12 34", encoding="utf-8")
    (folder.parent / "other.txt").write_text("one more text", encoding="utf-8")
    done = run("store", "dedupe", "--db", url, folder, folder.parent / "other.txt", "--json")
    assert (summary(done), done.returncode) == ("1 added, 0 replaced, 1 removed, 2 unchanged", 1)
    assert run("store", "dedupe", "--db", url, folder.parent / "other.txt").returncode == 0
    with FingerprintStore(url) as store:
        assert len(list(store.documents())) == 3


def test_dedupe_removes_nothing_where_a_folder_looks_unmounted(tmp_path: Path, folder: Path) -> None:
    database = tmp_path / "near.sqlite"
    run("store", "dedupe", "--db", database, folder)
    for path in folder.iterdir():
        path.unlink()
    done = run("store", "dedupe", "--db", database, folder)
    assert (done.returncode, "has no files: its documents are kept" in done.stderr) == (1, True)
    folder.rmdir()
    assert run("store", "dedupe", "--db", database, folder).returncode == 1
    with FingerprintStore(database) as store:
        assert len(list(store.documents())) == 3


def test_dedupe_keeps_other_documents_of_its_collection(tmp_path: Path, folder: Path) -> None:
    database = tmp_path / "near.sqlite"
    line = json.dumps({"id": "mine", "fingerprint": str(fingerprint(TEXT))})
    run("store", "add", "--db", database, stdin=line.encode())
    (cluster,) = objects(run("store", "dedupe", "--db", database, "--json", folder).stdout)
    assert [member["path"] for member in cluster["documents"]] == [str(folder / "a.txt"), str(folder / "b.txt"), "mine"]
    assert run("store", "dedupe", "--db", database, "-").returncode == 2


def test_the_fingerprints_of_a_store_are_one_side_of_a_search(tmp_path: Path) -> None:
    database, new = tmp_path / "near.sqlite", tmp_path / "new.jsonl"
    lines = [json.dumps({"id": f"d{value}", "fingerprint": str(Fingerprint(value))}) for value in (1, 2**40, 7)]
    run("store", "add", "--db", database, stdin="\n".join(lines[:2]).encode())
    new.write_text(lines[2], "utf-8")
    stored = run("store", "export", "--db", database).stdout.encode()
    pairs = run("find-all", new, "--against", "-", "--distance", "2", stdin=stored).stdout
    assert json.loads(pairs) == {"a": "d7", "b": "d1", "distance": 2}
    assert "store export" in run("find-all", new, "--against", database).stderr


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
def test_columns_that_are_not_stored_are_named(form: str, tmp_path: Path) -> None:
    row = {"id": "a", "fingerprint": "sd64:aaaaaaaaaaaac", "uri": "u", "time": "2020-01-01T00:00:00Z"}
    path = tmp_path / f"in.{form}"
    if form == "parquet":
        pq.write_table(pa.Table.from_pylist([row]), path)
    else:
        header = ",".join(row) + "\n"
        path.write_text(header + ",".join(row.values()) + "\n" if form == "csv" else json.dumps(row) + "\n")
    done = run("store", "add", "--db", tmp_path / "s.sqlite", path)
    named = f"simhash-doc: {path}: warning: not stored of CSV or Parquet: uri, time; JSON lines can have them"
    assert (done.returncode, done.stderr.count(named)) == (0, int(form != "jsonl")), done.stderr


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
def test_a_place_is_a_row_of_parquet_from_0_and_a_line_of_other_files_from_1(form: str, tmp_path: Path) -> None:
    rows = [{"id": "a", "fingerprint": "sd64:aaaaaaaaaaaac"}, {"id": "b", "fingerprint": "nonsense"}]
    path, table = tmp_path / f"in.{form}", pa.Table.from_pylist(rows)
    if form == "parquet":
        pq.write_table(table, path)
    elif form == "csv":
        path.write_text("id,fingerprint\n" + "".join(",".join(row.values()) + "\n" for row in rows))
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    place = {"parquet": "row 1", "csv": "line 3", "jsonl": "line 2"}[form]
    for command in (
        ("store", "add", "--db", tmp_path / "s.sqlite", path),
        ("store", "find", "--db", tmp_path / "s.sqlite", path),
        ("find-all", path),
        ("index", "build", tmp_path / "in.sdix", path),
        ("index", "query", tmp_path / "in.sdix", path),
    ):
        assert f"{path}: {place}: 'nonsense' has length 8" in run(*command).stderr
