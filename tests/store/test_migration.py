"""Stores of an older schema: migrated atomically, once, with their documents."""

from __future__ import annotations

import threading

import pytest
import sqlalchemy as sa

from simhash_doc import Fingerprint
from simhash_doc.store import DatabaseError, Document, FingerprintStore, SchemaVersionError, schema
from tests.store.samples import documents
from tests.store.test_failures import engine_of

OLD = schema.VERSION


def add_a_column(connection: sa.Connection) -> None:
    """Do what a later version may have to: change a table, and the rows in it."""
    connection.exec_driver_sql("ALTER TABLE simhash_collection ADD COLUMN note TEXT")
    connection.exec_driver_sql(
        "UPDATE simhash_collection SET note = 'made by version ' || (SELECT version FROM simhash_schema)"
    )


def fail_half_way(connection: sa.Connection) -> None:
    add_a_column(connection)
    connection.exec_driver_sql("SELECT 1 FROM nowhere")


def old_store(url: str) -> list[Document]:
    made = documents(range(50), "sd64", "default")
    with FingerprintStore(url) as store:
        store.add_many(made)
    return made


def notes(url: str) -> list[str]:
    engine = engine_of(url)
    with engine.connect() as connection:
        found = list(connection.exec_driver_sql("SELECT note FROM simhash_collection").scalars())
    engine.dispose()
    return found


def test_an_older_store_is_migrated_with_its_documents(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = old_store(url)
    monkeypatch.setattr(schema, "VERSION", OLD + 2)
    monkeypatch.setattr(schema, "MIGRATIONS", {OLD: add_a_column, OLD + 1: lambda connection: None})
    with FingerprintStore(url, create=False) as store:
        assert {document.id for document in store.documents()} == {document.id for document in made}
        assert store.find(Fingerprint(7), 0)[0].document.id == "d7"
        assert store.verify().valid
    assert notes(url) == [f"made by version {OLD}"]
    FingerprintStore(url).close()
    monkeypatch.undo()
    with pytest.raises(SchemaVersionError, match=f"has schema version {OLD + 2}"):
        FingerprintStore(url)


def test_a_migration_that_fails_changes_nothing(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = old_store(url)
    with monkeypatch.context() as patched:
        patched.setattr(schema, "VERSION", OLD + 1)
        patched.setattr(schema, "MIGRATIONS", {OLD: fail_half_way})
        with pytest.raises(DatabaseError, match="nowhere"):
            FingerprintStore(url)
    with FingerprintStore(url) as store:
        assert len(list(store.documents())) == len(made)
    with pytest.raises(sa.exc.DBAPIError, match="note"):
        notes(url)


def test_an_old_store_that_is_opened_twice_at_once_is_migrated_once(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    old_store(url)
    times: list[int] = []
    both = threading.Barrier(2, timeout=30)

    def slow(connection: sa.Connection) -> None:
        times.append(1)
        add_a_column(connection)

    def open_it() -> None:
        both.wait()
        FingerprintStore(url).close()

    monkeypatch.setattr(schema, "VERSION", OLD + 1)
    monkeypatch.setattr(schema, "MIGRATIONS", {OLD: slow})
    threads = [threading.Thread(target=open_it) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert times == [1]
    assert len(notes(url)) == 1
