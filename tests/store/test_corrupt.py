"""Databases with other content than this program wrote: an error of the documented tree, found by `verify` too."""

from __future__ import annotations

import hashlib
import os
import signal
import sqlite3
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from threading import Timer

import pytest

from simhash_doc import Fingerprint
from simhash_doc.provenance import Provenance
from simhash_doc.store import CorruptStoreError, Document, FingerprintStore
from tests.commands import run
from tests.store import server

CHANGES = {
    "metadata": [
        *("'{'", "'[]'", "'1'", "''", "x'ff7d'", "7", f"'{'[' * 100_000}'", "CAST(x'ff' AS TEXT)"),
        *(f"""'{{"a": {value}}}'""" for value in ("NaN", "-Infinity", "1e999", r'"\ud800"', r'"\u0000"')),
        f"""'{{"a": {"[" * 100}{"]" * 100}}}'""",
    ],
    "time": ["'yesterday'", "''", "7", "x'00'", "'0000-00-00 00:00:00'"],
    "id": ["x'61'", "CAST(x'ff' AS TEXT)", "''", "'a' || char(0)", "hex(zeroblob(1025))"],
    "uri": ["x'61'", "CAST(x'ff' AS TEXT)", "'a' || char(0)"],
    "w0": ["'abc'", "1.5", "x'00'"],
}
TOO_LONG = ["zeroblob(20000000)", "hex(zeroblob(10000000))", "CAST(zeroblob(20000000) AS TEXT)"]
POSTGRESQL_TIMES = ("infinity", "-infinity", "20000-01-01", "0044-03-15 BC")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "s.sqlite"
    with FingerprintStore(path) as store:
        store.add_many([Document("a", Fingerprint(1)), Document("b", Fingerprint(1))])
        store.add_provenances([Provenance.of_package("sd64")])
    return path


def execute(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA ignore_check_constraints = ON")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(("column", "value"), [(name, value) for name, values in CHANGES.items() for value in values])
def test_a_damaged_row_is_reported_by_every_command(column: str, value: str, database: Path) -> None:
    execute(database, f"UPDATE simhash_sd64_4 SET {column} = {value} WHERE entry = 1")
    verified = run("store", "verify", "--db", database)
    assert verified.returncode == 1
    assert "table simhash_sd64_4: entry 1: " in verified.stderr
    exported = run("store", "export", "--db", database)
    assert (exported.returncode, exported.stderr.startswith("simhash-doc: ")) == (1, True)
    found = run("store", "find", "--db", database, "sd64:aaaaaaaaaaaac")
    assert (found.returncode, found.stderr.startswith("simhash-doc: ")) == (1, True)
    assert_no_row_is_read(database)


@pytest.mark.parametrize("column", ["metadata", "time", "id", "uri"])
@pytest.mark.parametrize("value", TOO_LONG)
def test_a_value_that_no_document_has_is_not_read_into_memory(column: str, value: str, database: Path) -> None:
    execute(database, f"UPDATE simhash_sd64_4 SET {column} = {value} WHERE entry = 1")
    where = ["--where", "a=1"] if column == "metadata" else []
    tracemalloc.start()
    verified, exported = (run("store", name, "--db", database) for name in ("verify", "export"))
    found = run("store", "find", "--db", database, *where, "sd64:aaaaaaaaaaaac")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert f"entry 1: the {column} is not " in verified.stderr
    assert f"entry 1 is corrupt: the {column} is not " in exported.stderr
    assert (verified.returncode, exported.returncode, found.returncode) == (1, 1, 1)
    assert peak < 10_000_000


@pytest.mark.parametrize("value", [TOO_LONG[0], "'x' || hex(zeroblob(10000000))"])
@pytest.mark.parametrize(
    "column",
    [
        *("simhash_sd64_4.collection", "simhash_sd64_4.w0", "simhash_sd64_4.s0", "simhash_schema.version"),
        *("simhash_collection.name", "simhash_collection.scheme", "simhash_collection.slices"),
        "simhash_provenance.provenance",
    ],
)
def test_a_value_of_any_table_is_not_read_into_memory(column: str, value: str, database: Path) -> None:
    table, name = column.split(".")
    execute(database, f"UPDATE {table} SET {name} = {value} WHERE rowid = 1")
    tracemalloc.start()
    done = [run("store", *command, "--db", database) for command in (["verify"], ["export"], ["stats"])]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert done[0].returncode == 1
    assert max(len(one.stderr) for one in done) < 1000
    assert peak < 10_000_000


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("simhash_sd64_4.uri", "repeat('x', 50000000)"),
        ("simhash_sd64_4.metadata", "jsonb_build_object('a', repeat('x', 50000000))"),
        ("simhash_collection.scheme", "repeat('x', 50000000)"),
        ("simhash_provenance.provenance", "repeat('x', 200000000)"),
    ],
)
def test_a_value_in_postgresql_is_not_read_into_memory(column: str, value: str, postgresql_url: str) -> None:
    with FingerprintStore(postgresql_url) as store:
        store.add_many([Document("a", Fingerprint(1))])
        store.add_provenances([Provenance.of_package("sd64")])
    table, name = column.split(".")
    server.execute(postgresql_url, f"UPDATE {table} SET {name} = {value}")
    tracemalloc.start()
    done = [run("store", *command, "--db", postgresql_url) for command in (["verify"], ["export"])]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [one.returncode for one in done] == [1, 1]
    assert max(len(one.stderr) for one in done) < 1000
    assert peak < 60_000_000


def test_a_time_with_an_offset_is_the_same_moment(database: Path) -> None:
    execute(database, "UPDATE simhash_sd64_4 SET time = '2026-01-01T05:00:00+05:00' WHERE id = 'a'")
    with FingerprintStore(database) as store:
        assert next(str(one.time) for one in store.documents()) == "2026-01-01 00:00:00+00:00"


def test_few_documents_are_in_memory_while_all_are_read(url: str) -> None:
    with FingerprintStore(url) as store:
        store.add_many([Document(str(at), Fingerprint(at), metadata={"a": "b" * 1_000_000}) for at in range(200)])
        tracemalloc.start()
        assert sum(1 for _ in store.documents()) == 200
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 180_000_000 if "://" in url else 10_000_000


@pytest.mark.parametrize(
    ("column", "value"),
    [*(("metadata", value) for value in ("[]", "1", "null")), *(("time", value) for value in POSTGRESQL_TIMES)],
)
def test_a_damaged_row_in_postgresql_is_reported_by_every_command(column: str, value: str, postgresql_url: str) -> None:
    with FingerprintStore(postgresql_url) as store:
        store.add_many([Document("a", Fingerprint(1)), Document("b", Fingerprint(1))])
    server.execute(postgresql_url, f"UPDATE simhash_sd64_4 SET {column} = '{value}' WHERE entry = 1")
    verified = run("store", "verify", "--db", postgresql_url)
    assert verified.returncode == 1
    assert "table simhash_sd64_4: entry 1: " in verified.stderr
    for command in (["export"], ["find", "sd64:aaaaaaaaaaaac"]):
        done = run("store", command[0], "--db", postgresql_url, *command[1:])
        assert (done.returncode, done.stderr.startswith("simhash-doc: ")) == (1, True)
    assert_no_row_is_read(postgresql_url)


def assert_no_row_is_read(database: str | Path) -> None:
    with FingerprintStore(database) as store:
        reading: list[Callable[[], object]] = [
            lambda: list(store.documents()),
            lambda: store.find(Fingerprint(1)),
            lambda: list(store.find_many([Fingerprint(1)] * 40)),
            lambda: list(store.pairs()),
            lambda: list(store.clusters()),
        ]
        for read in reading:
            with pytest.raises(CorruptStoreError):
                read()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE simhash_schema SET version = 'x'",
        "INSERT INTO simhash_schema VALUES (1)",
        "UPDATE simhash_collection SET slices = 'x'",
        "UPDATE simhash_collection SET slices = 0",
        "UPDATE simhash_collection SET slices = 65",
        "UPDATE simhash_collection SET scheme = x'00'",
        "UPDATE simhash_collection SET scheme = 'zzz'",
        "UPDATE simhash_collection SET name = x'00'",
        "UPDATE simhash_collection SET name = ''",
        "UPDATE simhash_collection SET name = 'a' || char(0)",
        "UPDATE simhash_collection SET name = CAST(x'ff' AS TEXT)",
        "UPDATE simhash_collection SET name = hex(zeroblob(101))",
        "DROP TABLE simhash_collection",
        "DROP TABLE simhash_sd64_4",
        "UPDATE simhash_provenance SET provenance = x'00'",
        "UPDATE simhash_provenance SET provenance = '{}'",
    ],
)
def test_damaged_descriptions_are_documented_errors(statement: str, database: Path) -> None:
    execute(database, statement)
    for command in ("stats", "verify", "export"):
        done = run("store", command, "--db", database)
        assert (done.returncode, "Traceback" in done.stderr) == (1, False), done.stderr


@pytest.mark.parametrize("journal", ["delete", "truncate", "persist", "wal"])
def test_a_foreign_database_is_not_changed(journal: str, tmp_path: Path) -> None:
    path = tmp_path / "photos.sqlite"
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA journal_mode = {journal}")
    connection.execute("CREATE TABLE photos(id)")
    connection.commit()
    connection.close()
    before = hashlib.sha256(path.read_bytes()).hexdigest(), sorted(os.listdir(tmp_path))
    for command in (("stats",), ("verify",), ("export",), ("find", "aaaaaaaaaaaaa"), ("remove", "x")):
        done = run("store", command[0], "--db", path, *command[1:])
        assert (done.returncode, done.stdout, "this database contains no store" in done.stderr) == (1, "", True)
    assert (hashlib.sha256(path.read_bytes()).hexdigest(), sorted(os.listdir(tmp_path))) == before


def test_a_new_store_has_a_write_ahead_log(database: Path) -> None:
    with sqlite3.connect(database) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_slice_changed_without_its_check_is_found(database: Path) -> None:
    execute(database, "UPDATE simhash_sd64_4 SET s3 = 5 WHERE id = 'b'")
    with FingerprintStore(database) as store:
        problems = store.verify().problems
    assert any("entry 2: slice s3 is 5, but 1 in the fingerprint" in problem for problem in problems)


READ_ONLY = """
import os, sys
real = os.access
os.access = lambda path, mode, **more: mode != os.W_OK and real(path, mode, **more)
from simhash_doc.cli import main
main()
"""


@pytest.mark.slow
def test_a_store_that_can_only_be_read_is_read(database: Path) -> None:
    """The file system is writable here; that nothing is written shows in the files that SQLite would create."""
    before = database.read_bytes()
    watch = "import sys; sys.addaudithook(lambda name, given: name == 'sqlite3.connect' and print(given[0]))\n"
    for command in (["export"], ["find", "sd64:aaaaaaaaaaaac"], ["stats"]):
        arguments = ["store", command[0], "--db", str(database), *command[1:]]
        done = subprocess.run(
            [sys.executable, "-c", watch + READ_ONLY, *arguments], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert "mode=ro&immutable=1" in done.stdout
    written = subprocess.run(
        [sys.executable, "-c", READ_ONLY, "store", "remove", "--db", str(database), "a"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (written.returncode, "readonly" in written.stderr) == (1, True)
    assert database.read_bytes() == before


OBJECTS = {
    "view": (
        "ALTER TABLE simhash_sd64_4 RENAME TO other",
        "CREATE VIEW simhash_sd64_4 AS SELECT * FROM other",
    ),
    "trigger": ("CREATE TRIGGER t AFTER INSERT ON simhash_sd64_4 BEGIN DELETE FROM simhash_sd64_4; END",),
}


@pytest.mark.parametrize("kind", OBJECTS)
def test_a_view_or_trigger_under_the_name_of_a_table_is_refused(kind: str, database: Path) -> None:
    execute(database, *OBJECTS[kind])
    for command in ("stats", "export", "verify"):
        done = run("store", command, "--db", database)
        assert done.returncode == 1
        assert f"the {kind} " in done.stderr
        assert "is not of a store" in done.stderr


ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r"


def count_for_ever(store: FingerprintStore) -> None:
    with store._database.reading() as connection:
        connection.exec_driver_sql(ENDLESS)


def test_a_signal_ends_a_statement_that_sqlite_works_on(database: Path) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may start tests that ignore it
    try:
        with FingerprintStore(database) as store:
            Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
            with pytest.raises(KeyboardInterrupt):
                count_for_ever(store)
    finally:
        signal.signal(signal.SIGINT, before)
