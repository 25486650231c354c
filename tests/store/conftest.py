"""Databases to test with, on both database systems."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
import sqlalchemy as sa

from simhash_doc.store import FingerprintStore
from tests.store.server import NoServerError, engine_of, server

_numbers = count()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that start a server."""
    for item in items:
        if "postgresql" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """URL of a PostgreSQL server: the one that SIMHASH_DOC_TEST_POSTGRESQL names, or one started for the tests."""
    if given := os.environ.get("SIMHASH_DOC_TEST_POSTGRESQL"):
        yield given
        return
    try:
        # The tests kill clients, never the machine: the server need not wait for the disk.
        with server("fsync=off") as url:
            yield url
    except NoServerError as error:
        if os.environ.get("SIMHASH_DOC_TEST_REQUIRE_POSTGRESQL"):
            raise
        pytest.skip(str(error))


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database."""
    if request.param == "sqlite":
        return str(tmp_path / "near.sqlite")
    return new_database(request.getfixturevalue("postgresql"))


@pytest.fixture
def postgresql_url(postgresql: str) -> str:
    """An empty database in PostgreSQL."""
    return new_database(postgresql)


@pytest.fixture
def store(url: str) -> Iterator[FingerprintStore]:
    with FingerprintStore(url) as made:
        yield made


def new_database(server_url: str) -> str:
    name = f"test_{os.getpid()}_{next(_numbers)}"
    engine = engine_of(server_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    engine.dispose()
    return sa.make_url(server_url).set(database=name).render_as_string(hide_password=False)
