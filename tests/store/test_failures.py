"""Databases that cannot be used, connections that break, and corrupt stores."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from simhash_doc import Fingerprint, SimhashDocError
from simhash_doc.store import (
    BusyError,
    ConnectionLostError,
    CorruptStoreError,
    DatabaseError,
    Document,
    FingerprintStore,
    SchemaVersionError,
    StoreParameterError,
)
from simhash_doc.store.schema import SCHEMA_VERSION
from tests.commands import run
from tests.store.samples import documents
from tests.store.server import engine_of, execute


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("mysql://somewhere/x", "a store is in SQLite"),
        ("nonsense://", "a store is in SQLite"),
        ("postgresql://user:secret@127.0.0.1:1/x", "the connection failed"),
        ("postgresql://user@host:port/x", "not a database URL"),
        ("postgresql:/user:secret@host/x", "not a database URL"),
        ("postgresql://user@127.0.0.1:1/x?passwd=secret", "the connection failed"),
        ("host=127.0.0.1 password=secret dbname=x", "connection string such as host=... is not read"),
        ("user = me  password = 'my secret'", "connection string such as host=... is not read"),
        ("user:secret@127.0.0.1/x", "a login such as USER:PASSWORD@HOST is not read"),
        ("postgresql//user:secret@host/x", "a login such as"),
        ("//user:secret@host/x", "a login such as"),
        ("user:se@cret@host", "a login such as"),
        ("user:a/secret@host/x", "a login such as"),
        ("127.0.0.1:5432:x:user:secret", "a login such as"),
        ("*:*:*:*:sec/ret", "a login such as"),
        (r"[::1]:5432:a\:b:us\\er:secret", "a login such as"),
        ("postgresql://user:secret/x", "not a database URL"),
        ("postgresql://user:a@secret@127.0.0.1:1/x", "not a database URL"),
        ("postgresql://user:\udcffsecret@127.0.0.1:1/x", "not a database URL"),
        ("postgresql://127.0.0.1:1/x;password=secret", "not a database URL"),
        ("postgresql://user@127.0.0.1:1/x?user=user;password=secret", "the connection failed"),
        ("postgresql://user@127.0.0.1:1/x?scram_client_key=secret", "the connection failed"),
        ("sqlite://user:secret@/near.sqlite", "a store is in SQLite"),
        ("password=secret", "connection string such as"),
        ("host=/run/postgresql PASSWORD = 'my secret' sslmode=require", "connection string such as"),
        ("dbname=x sslpassword=secret connect_timeout=2", "connection string such as"),
        (r"host=h password='it\'s secret' user=me", "connection string such as"),
        ("Server=127.0.0.1;Uid=me;Pwd=secret;", "connection string such as"),
        (":memory:", "a store needs a file"),
        ("no/such/folder/near.sqlite", "its directory /.*/no/such/folder does not exist"),
        (".", "is a directory; a store is a file, such as near.sqlite"),
    ],
)
def test_a_database_that_cannot_be_opened_is_reported(url: str, reason: str) -> None:
    with pytest.raises(DatabaseError, match=reason) as caught:
        FingerprintStore(url, timeout=2)
    assert "secret" not in str(caught.value)
    assert "secret" not in "".join(traceback.format_exception(caught.value)).replace(repr(url), "")


@pytest.mark.parametrize("path", ["./password=x", "../password=x", "password=x"])
def test_a_path_may_look_like_a_connection_string(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path / "folder")
    if "/" not in path:
        Path(path).touch()
    FingerprintStore(path).close()
    assert Path(path).stat().st_size


def test_reading_creates_no_store(url: str, tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match=r"no such file|contains no store"):
        FingerprintStore(url, create=False)
    assert list(tmp_path.glob("near*")) == []
    with pytest.raises(StoreParameterError):
        FingerprintStore(url, timeout=0)


@pytest.mark.parametrize(
    "content", [b"no database at all, but a text of some length" * 100, b"SQLite format 3\0" + bytes(90)]
)
def test_a_file_that_is_not_a_database_is_rejected_and_kept(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(DatabaseError, match=r"not a database|malformed"):
        FingerprintStore(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize(("version", "advice"), [(SCHEMA_VERSION + 1, "a newer"), (SCHEMA_VERSION - 1, "an older")])
def test_another_version_of_the_schema_is_rejected_and_kept(url: str, version: int, advice: str) -> None:
    FingerprintStore(url).close()
    execute(url, f"UPDATE simhash_schema SET version = {version}")
    expected = f"version {version}; this program supports version {SCHEMA_VERSION}: use {advice} simhash-doc"
    with pytest.raises(SchemaVersionError, match=expected):
        FingerprintStore(url)
    execute(url, f"UPDATE simhash_schema SET version = {SCHEMA_VERSION}")
    FingerprintStore(url).close()


def test_other_tables_of_the_database_are_not_changed(url: str) -> None:
    execute(url, "CREATE TABLE mine (x INTEGER)", "INSERT INTO mine VALUES (7)")
    with FingerprintStore(url) as store:
        store.add(Document("a", Fingerprint(1)))
    with engine_of(url).connect() as connection:
        assert connection.exec_driver_sql("SELECT x FROM mine").scalar_one() == 7


@pytest.mark.parametrize(
    "setting", ["DateStyle = 'SQL, DMY'", "client_encoding = 'LATIN1'", "client_encoding = 'SQL_ASCII'"]
)
def test_settings_of_a_database_change_no_document(setting: str, postgresql_url: str) -> None:
    execute(postgresql_url, f"ALTER DATABASE {sa.make_url(postgresql_url).database} SET {setting}")
    given = Document("東京 é", Fingerprint(7), uri="東", metadata={"é": "東"})
    with FingerprintStore(postgresql_url) as store:
        store.add(given)
        (found,) = store.documents()
    assert (found.id, found.uri, found.metadata) == (given.id, given.uri, given.metadata)
    assert found.time is not None


def test_a_lost_connection_in_mid_batch_loses_nothing_committed(postgresql_url: str) -> None:
    committed: list[int] = []

    def documents_and_a_broken_line() -> object:
        for number, document in enumerate(documents(range(1000), "sd64", "default")):
            if number == 750:
                execute(
                    postgresql_url,
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()",
                )
            yield document

    with FingerprintStore(postgresql_url) as store:
        source = documents_and_a_broken_line()
        # The connection is broken while nobody uses it: a new one takes its place.
        progress = lambda done, total: committed.append(done)  # noqa: E731
        assert store.add_many(source, batch=100, progress=progress) == 1000  # type: ignore[arg-type]
        assert committed == list(range(100, 1001, 100))
        more = documents(range(1000), "sd64", "more")
        store.create_collection("more")
        stop = threading.Event()

        def kill_writers() -> None:
            while not stop.is_set():
                execute(
                    postgresql_url,
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
                    "AND query LIKE 'COPY%%' AND state = 'active'",
                )

        killer = threading.Thread(target=kill_writers)
        killer.start()
        try:
            with pytest.raises(ConnectionLostError) as caught:
                load_again_and_again(store, more)
        finally:
            stop.set()
            killer.join()
        kept = len(list(store.documents("more")))
        assert caught.value.stored == kept
        assert kept % 100 == 0
        assert store.verify().problems == ()
        store.upsert_many(more)
        assert len(list(store.documents("more"))) == 1000


def load_again_and_again(store: FingerprintStore, more: list[Document]) -> None:
    for _ in range(500):
        store.add_many(more, batch=100)
        store.remove([document.id for document in more], collection="more")


@pytest.mark.slow
def test_waiting_for_another_writer_ends_at_the_timeout(url: str) -> None:
    with FingerprintStore(url, timeout=1) as store:
        store.add(Document("a", Fingerprint(1)))
        engine = engine_of(url)
        with engine.connect() as connection:
            if engine.name == "sqlite":
                connection.connection.driver_connection.isolation_level = None  # type: ignore[union-attr]
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            else:
                connection.exec_driver_sql("LOCK TABLE simhash_sd64_4 IN ACCESS EXCLUSIVE MODE")
            with pytest.raises(BusyError, match="other users locked the database for over 1 seconds"):
                store.add(Document("b", Fingerprint(1)))
            connection.rollback()
        engine.dispose()
        store.add(Document("b", Fingerprint(1)))


def test_corruption_is_found(url: str) -> None:
    with FingerprintStore(url) as store:
        store.add_many(documents(range(100), "sd64", "default"))
        assert store.verify().valid
        execute(url, "UPDATE simhash_sd64_4 SET collection = 9 WHERE id = 'd3'", "DROP INDEX simhash_sd64_4_s2")
        execute(url, "UPDATE simhash_sd64_4 SET time = 'infinity' WHERE id = 'd5'")
        problems = store.verify().problems
        assert any("entry 6: the time is not an ISO 8601 timestamp" in problem for problem in problems)
        assert any("index simhash_sd64_4_s2 does not exist" in problem for problem in problems)
        assert any("entry 4: its collection number 9 is unknown" in problem for problem in problems)
        with pytest.raises(CorruptStoreError, match="entry 4 is corrupt: its collection number 9 is unknown"):
            store.find(Fingerprint(3), distance=0)


def test_rows_of_a_table_without_any_collection_are_found(url: str) -> None:
    with FingerprintStore(url) as store:
        store.add_many([*documents(range(3), "sd64", "default"), *documents(range(2), "sd128", "wide")])
        execute(url, "DELETE FROM simhash_collection WHERE name = 'wide'")
        assert store.verify().problems == ("table simhash_sd128_6: the collection of 2 rows is unknown",)


def test_keys_that_are_not_unique_are_found_and_no_command_ends_with_a_traceback(url: str) -> None:
    with FingerprintStore(url) as store:
        store.add_many(documents(range(3), "sd64", "default"))
    for table in ("simhash_collection", "simhash_sd64_4"):
        execute(
            url,
            f"ALTER TABLE {table} RENAME TO kept",
            f"CREATE TABLE {table} AS SELECT * FROM kept UNION ALL SELECT * FROM kept",
        )
        execute(url, "DROP TABLE kept")
    problems = run("store", "verify", "--db", url).stderr
    for problem in ("two collections have one name", "no constraint keeps the ids of a collection unique"):
        assert problem in problems
    for command in (["find", "larqgiqsckcca"], ["find", "--collection", "default", "larqgiqsckcca"], ["remove", "d1"]):
        done = run("store", command[0], "--db", url, *command[1:])
        assert (done.returncode, "rows that must differ have one key" in done.stderr) == (1, True), done.stderr
    with FingerprintStore(url) as store, pytest.raises(CorruptStoreError, match="must differ"):
        store.get("d1")


def test_a_time_limit_of_the_server_is_no_lost_connection(postgresql_url: str) -> None:
    with FingerprintStore(postgresql_url) as store:
        store.add_many(documents(range(3), "sd64", "default"))
        execute(postgresql_url, f"ALTER DATABASE {sa.make_url(postgresql_url).database} SET statement_timeout = 50")
    with FingerprintStore(postgresql_url, timeout=5) as store:
        engine = engine_of(postgresql_url)
        with engine.connect() as connection:
            connection.exec_driver_sql("LOCK TABLE simhash_sd64_4 IN ACCESS EXCLUSIVE MODE")
            with pytest.raises(DatabaseError, match="canceling statement due to statement timeout") as caught:
                store.find(Fingerprint(1))
        engine.dispose()
    assert type(caught.value) is DatabaseError


@pytest.mark.parametrize("command", ["add", "dedupe"])
def test_a_command_that_waited_for_a_lock_knows_that_nothing_is_stored(
    command: str, postgresql_url: str, tmp_path: Path
) -> None:
    """The lock also delays the question what is stored, which need not be asked."""
    with FingerprintStore(postgresql_url) as store:
        store.add(Document("a", Fingerprint(1), collection="c"))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "b.txt").write_text("the ferry to the island")
    (tmp_path / "in.jsonl").write_text(f'{{"id": "b", "fingerprint": "{Fingerprint(2)}"}}\n')
    source = tmp_path / ("in" if command == "dedupe" else "in.jsonl")
    engine = engine_of(postgresql_url)
    with engine.connect() as connection:
        connection.exec_driver_sql("LOCK TABLE simhash_sd64_4 IN ACCESS EXCLUSIVE MODE")
        done = run("store", command, "--db", postgresql_url, "--collection", "c", "--timeout", "0.2", source)
    engine.dispose()
    assert done.returncode == 1
    assert "locked the database for over 0.2 seconds (canceling statement due to lock timeout)\n" in done.stderr
    assert "does not answer" not in done.stderr
    assert ("simhash-doc: 0 documents stored\n" in done.stderr) == (command == "add")


def test_slices_cannot_differ_from_the_fingerprint(url: str) -> None:
    with FingerprintStore(url) as store:
        store.add_many(documents(range(10), "sd64", "default"))
        with pytest.raises(sa.exc.DBAPIError):
            execute(url, "UPDATE simhash_sd64_4 SET s0 = 5 WHERE id = 'd3'")
        assert store.verify().valid


# A write that fails for a reason of the database: a rule of its owner, for each of the two systems.
REFUSED = {
    "sqlite": [
        """CREATE TRIGGER refused BEFORE INSERT ON simhash_sd64_4 WHEN new.id = 'refused'
        BEGIN SELECT RAISE(ABORT, 'refused by a rule'); END"""
    ],
    "postgresql": [
        """CREATE FUNCTION refuse() RETURNS trigger AS
        $$ BEGIN RAISE EXCEPTION 'refused by a rule'; END $$ LANGUAGE plpgsql""",
        """CREATE TRIGGER refused BEFORE INSERT ON simhash_sd64_4
        FOR EACH ROW WHEN (new.id = 'refused') EXECUTE FUNCTION refuse()""",
    ],
}


def test_a_store_is_usable_after_any_transaction_that_failed(url: str) -> None:
    """No later call meets the failed transaction, which PostgreSQL ends only with a rollback."""
    with FingerprintStore(url) as store:
        store.add_many(documents(range(20), "sd64", "default"))
        execute(url, *REFUSED["postgresql" if "://" in url else "sqlite"])
        refused = [Document("fine", Fingerprint(1)), Document("refused", Fingerprint(2))]
        fail: list[Callable[[], object]] = [
            lambda: store.add_many(refused),
            lambda: store.upsert_many(refused),
            lambda: next(store.find_many([Fingerprint(1)], distance=3, collection="missing")),
            lambda: store.remove("a", collection="missing"),
            lambda: store.add(Document("d1", Fingerprint(1))),
        ]
        for at, one in enumerate(fail):
            with pytest.raises(SimhashDocError) as caught:
                one()
            assert "aborted" not in str(caught.value)
            assert ("refused by a rule" in str(caught.value)) == (at < 2)
            assert store.get("fine") is None
            assert len(list(store.documents())) == 20
            store.upsert(Document("d1", Fingerprint(at)))
        assert store.verify().problems == ()


@pytest.mark.parametrize("left", ["documents", pytest.param("pairs", marks=pytest.mark.slow), "find_many"])
def test_a_reader_that_is_left_or_fails_disturbs_no_later_transaction(left: str, url: str) -> None:
    with FingerprintStore(url) as store:
        store.add_many(documents(range(300), "sd64", "default"))
        reading: dict[str, Callable[[], Iterator[object]]] = {
            "documents": store.documents,
            "pairs": lambda: store.pairs(distance=3),
            "find_many": lambda: store.find_many((Fingerprint(1) for _ in range(100)), distance=3),
        }
        expected = list(reading[left]())
        readers = [reading[left]() for _ in range(3)]
        for reader in readers:
            next(reader)
        with pytest.raises(ZeroDivisionError):
            readers[1].throw(ZeroDivisionError)  # type: ignore[attr-defined]
        readers[2].close()  # type: ignore[attr-defined]
        store.upsert(Document("later", Fingerprint(5)))
        assert store.get("later") is not None
        if left != "find_many":  # which reads a snapshot for some queries at once
            assert list(readers[0]) == expected[1:]
        assert store.remove("later") == 1


def test_a_rule_of_the_owner_against_equal_rows_ends_a_write(url: str) -> None:
    with FingerprintStore(url) as store:
        store.add(Document("a", Fingerprint(1), "http://x/"))
        execute(url, "CREATE UNIQUE INDEX mine ON simhash_sd64_4 (uri)")
        with pytest.raises(DatabaseError, match=r"(?i)unique"):
            store.add(Document("b", Fingerprint(1), "http://x/"))
        store.add(Document("c", Fingerprint(1), "http://y/"))
        assert [one.id for one in store.documents()] == ["a", "c"]
