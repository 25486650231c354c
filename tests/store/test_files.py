"""Which files belong to a database."""

from __future__ import annotations

from pathlib import Path

import pytest

from simhash_doc.store.schema import is_store_file


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("near.sqlite").touch()
    Path("link.sqlite").symlink_to("near.sqlite")
    Path("hard.sqlite").hardlink_to("near.sqlite")
    Path("other.sqlite").touch()


@pytest.mark.parametrize(
    ("database", "path"),
    [
        ("near.sqlite", "near.sqlite"),
        ("link.sqlite", "near.sqlite"),
        ("near.sqlite", "link.sqlite"),
        ("near.sqlite", "hard.sqlite"),
        ("sqlite:///near.sqlite", "./near.sqlite"),
        ("near.sqlite", "near.sqlite-wal"),
        ("link.sqlite", "near.sqlite-shm"),
        ("near.sqlite", "near.sqlite-journal"),
        ("new.sqlite", "new.sqlite"),
    ],
)
def test_a_database_and_its_journals_by_every_name(database: str, path: str) -> None:
    assert is_store_file(database, path)


@pytest.mark.parametrize("path", ["other.sqlite", "near.sqlite.txt", "absent"])
def test_other_files_do_not_belong_to_it(path: str) -> None:
    assert not is_store_file("near.sqlite", path)
    assert not is_store_file("postgresql://user@host/near.sqlite", "near.sqlite")
