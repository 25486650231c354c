"""The statements that the documentation shows to users without Python."""

from __future__ import annotations

import sqlite3
from collections import Counter
from itertools import combinations
from pathlib import Path

from benchmarks.sql import BLOCKS, SHOWN
from simhash_doc import Fingerprint
from simhash_doc.store import FingerprintStore
from tests.store.samples import documents, near, spread
from tests.store.server import engine_of


def run_block(url: str, title: str, query: Fingerprint | None = None) -> list[tuple[object, ...]]:
    """Run a block of the page, for another query if one is given, and return the rows of its last statement."""
    text = BLOCKS[title]
    if query is not None:
        assert SHOWN in text
        text = text.replace(SHOWN, query.hex)
    if "://" not in url:
        with sqlite3.connect(url) as connection:
            rows = []
            for statement in filter(str.strip, text.split(";")):
                rows = connection.execute(statement).fetchall()
        connection.close()
        return rows
    engine = engine_of(url)
    with engine.begin() as transaction:
        result = transaction.exec_driver_sql(text.replace("%", "%%"))
        rows = [tuple(row) for row in result] if result.returns_rows else []
    engine.dispose()
    return rows


def system_name(url: str) -> str:
    return "PostgreSQL" if "://" in url else "SQLite"


def test_tables_and_documents_written_in_sql_are_a_store(url: str) -> None:
    name = system_name(url)
    run_block(url, f"{name}: tables")
    run_block(url, f"{name}: add")
    with FingerprintStore(url, create=False) as store:
        assert store.verify().problems == ()
        (match,) = store.find(Fingerprint(int(SHOWN, 16)), distance=3, where={"language": "en"})
        assert (match.distance, match.document.id, match.document.uri) == (1, "a.txt", "file:///a.txt")
        store.add_many(documents(spread("sd64", 100), "sd64", "default"))
        assert store.verify().problems == ()
    assert run_block(url, f"{name}: find") == [(1, "a.txt", "file:///a.txt", "en")]


def test_the_tables_shown_are_those_that_the_store_creates(tmp_path: Path) -> None:
    by_hand, made = str(tmp_path / "by hand.sqlite"), str(tmp_path / "made.sqlite")
    run_block(by_hand, "SQLite: tables")
    with FingerprintStore(made) as store:
        store.create_collection("default")
    indexes = "pragma_index_list('simhash_sd64_4') l, pragma_index_info(l.name) i"
    for query in (
        "SELECT name, type, \"notnull\", pk FROM pragma_table_info('simhash_sd64_4')",
        f"SELECT l.name, i.name FROM {indexes} ORDER BY 1, i.seqno",
        "SELECT * FROM simhash_collection",
        "SELECT * FROM simhash_schema",
    ):
        assert sqlite3.connect(by_hand).execute(query).fetchall() == sqlite3.connect(made).execute(query).fetchall()


def test_the_search_shown_is_exact(url: str) -> None:
    values = [0, 1, 2**64 - 1, 2**63, 2**63 - 1, 2**32, *spread("sd64", 400)]
    stored = documents(values, "sd64", "default")
    with FingerprintStore(url) as store:
        store.add_many(stored)
        store.optimize()
    for document in [*stored[:6], *stored[6::20]]:
        found = [row[:2] for row in run_block(url, f"{system_name(url)}: find", document.fingerprint)]
        assert found == near(stored, document.fingerprint, 3)


def test_the_pairs_shown_are_exact(postgresql_url: str) -> None:
    stored = documents(spread("sd64", 300), "sd64", "default")
    with FingerprintStore(postgresql_url) as store:
        store.add_many(stored)
    right = [distance for a, b in combinations(stored, 2) if (distance := a.fingerprint.distance(b.fingerprint)) <= 3]
    run_block(postgresql_url, "PostgreSQL: keys")
    assert Counter(row[2] for row in run_block(postgresql_url, "PostgreSQL: pairs")) == Counter(right)


def test_the_search_shown_reads_indexes(tmp_path: Path) -> None:
    url = str(tmp_path / "near.sqlite")
    with FingerprintStore(url) as store:
        store.add_many(documents(spread("sd64", 3000), "sd64", "default"))
    plan = sqlite3.connect(url).execute(f"EXPLAIN QUERY PLAN {BLOCKS['SQLite: find']}").fetchall()
    steps = [step for *_, step in plan]
    for number in range(4):
        assert f"SEARCH e USING COVERING INDEX simhash_sd64_4_s{number} (s{number}=?)" in steps
    assert not [step for step in steps if step.startswith("SCAN e")]
