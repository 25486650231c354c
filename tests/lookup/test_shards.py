"""Shards answer as one corpus does."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc.lookup import Corpus, CorruptIndexError, LookupParameterError, Shards
from tests.lookup.distributions import FINGERPRINTS, LARGEST, seeded


def answer(found: Corpus | Shards, queries: list[int]) -> list[tuple[int, int, int]]:
    matches = found.find_all_bulk(queries)
    assert matches.queries.tolist() == sorted(matches.queries.tolist())
    return sorted(zip(matches.queries.tolist(), matches.values.tolist(), matches.distances.tolist(), strict=True))


@given(listed=FINGERPRINTS, bits=st.integers(0, 5), distance=st.integers(0, 4))
def test_shards_answer_as_one_corpus(listed: list[int], bits: int, distance: int) -> None:
    shards, corpus = Shards(bits, 5, distance), Corpus(5, distance)
    names = list(map(str, range(len(listed))))
    assert shards.insert_bulk(listed, names) == corpus.insert_bulk(listed, names)
    assert shards.remove_bulk(listed[:3]) == corpus.remove_bulk(listed[:3])
    queries = [*listed, 0, LARGEST]
    assert answer(shards, queries) == answer(corpus, queries)
    for query in queries:
        assert shards.find_all(query) == corpus.find_all(query)
        assert shards.ids_of(query) == corpus.ids_of(query)
    assert len(shards) == len(corpus)


def test_a_query_goes_to_no_more_shards_than_it_must() -> None:
    shards = Shards(8, distance=3)
    assert len(shards.shards_near(0)) == 1 + 8 + 28 + 56
    assert shards.shards_near(LARGEST)[0] == 255


def test_saved_shards_come_back(tmp_path: Path) -> None:
    shards = Shards(3)
    values = seeded("clustered", 400)
    shards.insert_bulk(values, list(range(400)))
    shards.save(tmp_path / "shards")
    for mapped in (True, False):
        opened = Shards.open(tmp_path / "shards", mapped=mapped)
        assert answer(opened, values.tolist()) == answer(shards, values.tolist())
        assert opened.ids_of(int(values[7])) == shards.ids_of(int(values[7]))
    with pytest.raises(FileExistsError, match="a new directory"):
        shards.save(tmp_path / "shards")


def test_missing_foreign_and_repeated_shards_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "shards"
    Shards(2).save(folder)
    lost = (folder / "0002.sdix").read_bytes()
    (folder / "0002.sdix").unlink()
    with pytest.raises(CorruptIndexError, match=r"shards \[2\] of 4 are missing"):
        Shards.open(folder)
    (folder / "0002.sdix").write_bytes(lost)
    (folder / "0009.sdix").write_bytes(lost)
    with pytest.raises(CorruptIndexError, match=r"0009\.sdix: shard 2 occurs twice"):
        Shards.open(folder)
    Corpus().save(folder / "0009.sdix")
    with pytest.raises(CorruptIndexError, match=r"0009\.sdix: is not a shard of the same corpus"):
        Shards.open(folder)
    with pytest.raises(CorruptIndexError, match="holds no shards"):
        Shards.open(tmp_path)
    with pytest.raises(LookupParameterError, match="bits is 13"):
        Shards(13)


def test_an_interrupted_save_leaves_no_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("simhash_doc.files.os.fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Shards(1).save(tmp_path / "shards")
    assert list(tmp_path.iterdir()) == []
