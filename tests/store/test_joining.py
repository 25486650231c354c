"""Many queries at once: the join has the answers of the slices, and is taken when it is faster."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import numpy.typing as npt
import pytest

from simhash_doc import Fingerprint
from simhash_doc.arrays import Lanes, popcount
from simhash_doc.schemes import SchemeId
from simhash_doc.store import DocumentMatch, FingerprintStore, searching
from simhash_doc.store.joining import find_joined
from tests.commands import run
from tests.store.samples import documents, spread

ROUTES = {"slices": 1e9, "join": -1.0}  # seconds for a row
SHAPES = [("sd64", 4), *(pytest.param(*shape, marks=pytest.mark.slow) for shape in [("sd128", 11), ("sd256", 27)])]


def answers(store: FingerprintStore, queries: list[Fingerprint], **options: object) -> list[list[tuple[str, str, int]]]:
    found: Iterator[list[DocumentMatch]] = store.find_many(queries, **options)  # type: ignore[arg-type]
    return [[(one.document.collection, one.document.id, one.distance) for one in matches] for matches in found]


@pytest.mark.parametrize(("scheme", "slices"), SHAPES)
def test_the_join_has_the_answers_of_the_slices(
    scheme: SchemeId, slices: int, store: FingerprintStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = spread(scheme, 200)
    for name in ("one", "two"):
        store.create_collection(name, scheme=scheme, slices=slices)
        store.add_many(documents([*values, *values[:20], *values[:9]], scheme, name))
    queries = [Fingerprint(value, scheme) for value in [*values[:80], *spread(scheme, 40, seed=2), values[3]]]
    joined = Mock(wraps=find_joined)
    monkeypatch.setattr(searching, "find_joined", joined)
    monkeypatch.setattr("simhash_doc.store.joining._JOINED_ROWS", 50)
    for options in ({}, {"limit": 1}, {"limit": 3, "collection": "two"}, {"distance": 0}):
        found = {}
        for route, seconds in ROUTES.items():
            monkeypatch.setattr("simhash_doc.store.joining._SECONDS_PER_ROW", seconds)
            joined.reset_mock()
            found[route] = answers(store, queries, **options)
            assert joined.called == (route == "join")
        assert found["join"] == found["slices"]
        assert sum(map(bool, found["join"])) == 81


def test_the_first_queries_and_those_for_metadata_are_not_joined(
    store: FingerprintStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = documents(spread("sd64", 40), "sd64", "one")
    store.add_many(stored)
    queries = [document.fingerprint for document in stored]
    monkeypatch.setattr("simhash_doc.store.joining._SECONDS_PER_ROW", -1.0)
    monkeypatch.setattr(searching, "find_joined", Mock(side_effect=AssertionError))
    assert sum(map(len, answers(store, queries, where={"odd": True}))) >= 20
    assert len(answers(store, queries[:16])) == 16


def test_a_busy_machine_does_not_make_a_join_of_few_queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at the clock is 100 seconds after the last one; a join would read every row for 200 queries."""
    moments = count(step=100.0)
    monkeypatch.setattr(time, "perf_counter", lambda: next(moments))
    monkeypatch.setattr(searching, "find_joined", Mock(side_effect=AssertionError))
    monkeypatch.setattr("simhash_doc.store.joining._SECONDS_PER_ROW", 1.0)
    with FingerprintStore(tmp_path / "near.sqlite") as store:
        stored = documents(spread("sd64", 200), "sd64", "one")
        store.add_many(stored)
        assert all(answers(store, [document.fingerprint for document in stored]))


def test_stored_fingerprints_are_not_compared_with_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The work for queries does not grow with the square of a template that is far from them."""
    compared = 0

    def counted(differing: Lanes) -> npt.NDArray[np.unsignedinteger]:
        nonlocal compared
        compared += len(differing)
        return popcount(differing)

    with FingerprintStore(tmp_path / "near.sqlite") as store:
        store.add_many(documents([*range(1 << 10), *spread("sd64", 40)], "sd64", "one"))
        monkeypatch.setattr("simhash_doc.store.joining._SECONDS_PER_ROW", -1.0)
        monkeypatch.setattr("simhash_doc.lookup.tables.popcount", counted)
        found = answers(store, [Fingerprint(value) for value in spread("sd64", 40)])
    assert all(found)
    assert 0 < compared < (1 << 10) ** 2 / 10


def test_the_command_joins_what_it_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database, lines = str(tmp_path / "near.sqlite"), tmp_path / "new.jsonl"
    values = spread("sd64", 400)
    with FingerprintStore(database) as store:
        store.add_many(documents(values, "sd64", "default"))
    rows = [json.dumps({"path": f"n{at}", "fingerprint": str(Fingerprint(value))}) for at, value in enumerate(values)]
    lines.write_text("\n".join(rows), encoding="utf-8")
    joined = Mock(wraps=find_joined)
    monkeypatch.setattr(searching, "find_joined", joined)
    found = {}
    for route, seconds in ROUTES.items():
        monkeypatch.setattr("simhash_doc.store.joining._SECONDS_PER_ROW", seconds)
        done = run("store", "find", "--db", database, str(lines))
        assert (done.returncode, done.stderr) == (0, "")
        found[route] = done.stdout
    assert found["join"] == found["slices"]
    assert [json.loads(line)["path"] for line in found["join"].splitlines()] == [f"n{at}" for at in range(400)]
    assert joined.call_count == 3
