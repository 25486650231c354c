"""One question has one answer, whatever holds the fingerprints: Python, a frame, a file, an index or a store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simhash_doc import Fingerprint, fingerprint_many
from simhash_doc.lookup import Corpus, find_all, find_clusters
from simhash_doc.store import FingerprintStore
from tests.commands import objects, run

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pytestmark = pytest.mark.slow  # the tests of the README have no data frames

LONG = "Once upon a time a miller and his wife lived by an old river bank with their seven clever daughters and sons"
TEXTS = [LONG, None, "The", "", LONG + " again", "the the the the the the the the cat sat on a mat", LONG.upper(), "12"]
FILES = ("in.jsonl", "in.csv", "in.parquet")
FOUND = fingerprint_many(TEXTS)
ONE = {f"id {at}": one for at, one in enumerate(FOUND) if one is not None}
PAIRS = [(a, b, ONE[a].distance(ONE[b])) for a, b in combinations(ONE, 2)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Write the texts and their fingerprints in each format, an index and a store."""
    path = tmp_path_factory.mktemp("doors")
    pq.write_table(pa.table({"id": [f"id {at}" for at in range(len(TEXTS))], "text": TEXTS}), path / "texts.parquet")
    for name in FILES:
        run("table", "fingerprint", "--id", "id", path / "texts.parquet", "-o", path / name)
    run("index", "build", path / "in.sdix", path / "in.csv")
    run("store", "add", "--db", path / "in.sqlite", path / "in.jsonl")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(path)
        yield path


def held() -> list[Any]:
    """Return what Python holds fingerprints in, with their missing ones."""
    forms = FOUND.text_forms()
    tables = pd.read_parquet("in.parquet"), pl.read_parquet("in.parquet"), pq.read_table("in.parquet")
    return [FOUND, list(FOUND), forms, pd.Series(forms), pl.Series(forms), pa.array(FOUND), *tables]


def named(positions: Any) -> list[str]:
    return [f"id {at}" for at in positions.tolist()]


@pytest.mark.parametrize("distance", [None, 0, 6])
def test_pairs(folder: Path, distance: int | None) -> None:
    expected = [pair for pair in PAIRS if pair[2] <= (3 if distance is None else distance)]
    option = () if distance is None else ("--distance", str(distance))
    for values in held():
        assert [(f"id {a}", f"id {b}", d) for a, b, d in find_all(values, distance=distance)] == expected
    for name in FILES:
        rows = objects(run("find-all", "--json", *option, name).stdout)
        assert [(row["a"], row["b"], row["distance"]) for row in rows] == expected
        rows = objects(run("find-all", "--json", "--positions", *option, name).stdout)
        assert [(f"id {row['a']}", f"id {row['b']}", row["distance"]) for row in rows] == expected
    stored = FingerprintStore("in.sqlite").pairs(distance=distance)
    assert [(pair.first, pair.second, pair.distance) for pair in stored] == expected


@pytest.mark.parametrize("least", [0, 15])
def test_clusters(folder: Path, least: int) -> None:
    expected = [named(members) for members in find_clusters(FOUND, min_support=least)]
    assert (["id 2", "id 5"] in expected) == (least == 0)
    tables: list[Any] = held()[-3:]
    for values in held() if least == 0 else tables:
        assert [named(members) for members in find_clusters(values, min_support=least)] == expected
    for name in FILES:
        rows = objects(run("find-clusters", "--json", "--min-support", str(least), name).stdout)
        assert [row["members"] for row in rows] == expected
    if least == 0:
        assert [[one.id for one in cluster] for cluster in FingerprintStore("in.sqlite").clusters()] == expected


@pytest.mark.parametrize("query", ONE.values(), ids=str)
def test_query(folder: Path, query: Fingerprint) -> None:
    near = sorted((query.distance(one), name) for name, one in ONE.items() if query.distance(one) <= 3)
    memory, ids = Corpus(), [f"id {at}" for at in range(len(TEXTS))]
    memory.add_many(FOUND, ids=ids)
    doors: list[Callable[[], list[tuple[int, str]]]] = [
        lambda: [(match.distance, str(name)) for match in memory.find(query) for name in match.ids],
        lambda: [
            (match.distance, str(name)) for match in Corpus.open("in.sdix").find(str(query)) for name in match.ids
        ],
        lambda: [(match.distance, match.document.id) for match in FingerprintStore("in.sqlite").find(query)],
        lambda: [(bits, f"id {at}") for _, at, bits in find_all([query], against=FOUND)],
    ]
    for door in doors:
        assert sorted(door()) == near
    for form in (str(query), query.hex, f"0x{query.hex}"):
        (answer,) = objects(run("index", "query", "in.sdix", form).stdout)
        found = [(match["distance"], name) for match in answer["matches"] for name in match["paths"]]
        (stored,) = objects(run("store", "find", "--db", "in.sqlite", form).stdout)
        assert sorted(found) == sorted((match["distance"], match["id"]) for match in stored["matches"]) == near
