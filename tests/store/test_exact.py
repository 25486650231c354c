"""Answers of both database systems against comparing all."""

from __future__ import annotations

from itertools import combinations, count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simhash_doc import Fingerprint, get_scheme
from simhash_doc.schemes import SchemeId
from simhash_doc.store import FingerprintStore, searching
from simhash_doc.store import store as store_module
from tests.store.samples import SCHEMES, documents, near, values

# Few layouts: each makes a table with its indexes.
LAYOUTS = {"sd64": (1, 3, 4, 7, 32, 64), "sd128": (2, 5, 6, 11), "sd256": (1, 6, 14, 27), "sd512": (3, 9)}
_collections = count()
every_scheme = pytest.mark.parametrize(
    "scheme", [pytest.param(scheme, marks=[] if scheme == "sd64" else pytest.mark.slow) for scheme in SCHEMES]
)


@every_scheme
@pytest.mark.parametrize("joined", [False, pytest.param(True, marks=pytest.mark.slow)])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_find_is_exact_at_every_distance(
    store: FingerprintStore, scheme: SchemeId, joined: bool, monkeypatch: pytest.MonkeyPatch, data: st.DataObject
) -> None:
    monkeypatch.setattr("simhash_doc.store.joining._SECONDS_PER_ROW", -1.0 if joined else 1e9)
    monkeypatch.setattr(store_module, "_FIRST_QUERIES", 1)
    slices = data.draw(st.sampled_from(LAYOUTS[scheme]))
    farthest = data.draw(st.integers(0, min(2 * slices, get_scheme(scheme).bits) - 1))
    bits = get_scheme(scheme).bits
    collection = f"{scheme} {next(_collections)}"
    store.create_collection(collection, scheme=scheme, slices=slices)
    stored = documents(data.draw(values(bits, farthest)), scheme, collection)
    store.add_many(stored)
    queries = [document.fingerprint for document in stored]
    queries += [Fingerprint(value, scheme) for value in data.draw(values(bits, farthest, 3))]
    for distance in {0, farthest, slices - 1}:
        answers = store.find_many(queries, distance=distance, collection=collection)
        for query, matches in zip(queries, answers, strict=True):
            assert [(match.distance, match.document.id) for match in matches] == near(stored, query, distance)
    limit = data.draw(st.integers(1, 4))
    odd = [document for document in stored if document.metadata["odd"]]
    limited = store.find(queries[0], distance=farthest, limit=limit, collection=collection, where={"odd": True})
    assert [(match.distance, match.document.id) for match in limited] == near(odd, queries[0], farthest)[:limit]


@pytest.mark.slow
@every_scheme
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_pairs_and_clusters_are_exact(store: FingerprintStore, scheme: SchemeId, data: st.DataObject) -> None:
    distance = data.draw(st.integers(0, 6))
    collection = f"{scheme} {next(_collections)}"
    stored = documents(data.draw(values(get_scheme(scheme).bits, distance)), scheme, collection)
    store.add_many(stored)
    right = [
        (first.id, second.id, first.fingerprint.distance(second.fingerprint))
        for first, second in combinations(stored, 2)
        if first.fingerprint.distance(second.fingerprint) <= distance
    ]
    found = [(pair.first, pair.second, pair.distance) for pair in store.pairs(distance=distance, collection=collection)]
    assert found == right
    clusters = [
        {document.id for document in cluster} for cluster in store.clusters(distance=distance, collection=collection)
    ]
    assert sorted(map(sorted, clusters)) == sorted(map(sorted, connected(right)))


def connected(pairs: list[tuple[str, str, int]]) -> list[set[str]]:
    """Return the connected components of pairs by joining sets."""
    components: list[set[str]] = []
    for first, second, _ in pairs:
        touched = [component for component in components if first in component or second in component]
        components = [component for component in components if component not in touched]
        components.append({first, second}.union(*touched))
    return components


def test_a_search_over_all_collections_uses_those_of_its_scheme(store: FingerprintStore) -> None:
    for name, scheme, slices in (("a", "sd64", 4), ("b", "sd64", 7), ("c", "sd128", 5), ("d", "sd64", 4)):
        store.create_collection(name, scheme=scheme, slices=slices)
        store.add_many(documents([5, 6], get_scheme(scheme).id, name))
    store.create_collection("e", scheme="sd64+custom", slices=4)
    found = store.find(Fingerprint(5), distance=3)
    assert [(match.document.collection, match.document.id) for match in found if match.distance == 0] == [
        ("a", "d0"),
        ("b", "d0"),
        ("d", "d0"),
    ]
    assert len(found) == 6
    assert [match.document.collection for match in store.find(Fingerprint(5), distance=3, limit=4)] == [
        "a",
        "b",
        "d",
        "a",
    ]
    custom = Fingerprint(5, canonical=False)
    assert store.find(custom, distance=3) == []
    assert len(store.find(custom, distance=3, collection="a")) == 2


@pytest.mark.parametrize(
    ("matches", "most"),
    [(1, 1000), (3000, 16), *(pytest.param(*case, marks=pytest.mark.slow) for case in ((0, 1000), (10**6, 16)))],
)
def test_matches_held_at_once_are_bounded(
    matches: int, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each query has `matches` matches; the search of the database is replaced."""
    sizes: list[int] = []

    def find(_: object, __: object, fingerprints: list[Fingerprint], *conditions: object) -> list[range]:
        sizes.append(len(fingerprints))
        return [range(matches)] * len(fingerprints)

    monkeypatch.setattr(searching, "find_matches", find)
    with FingerprintStore(tmp_path / "s.sqlite") as opened:
        assert len(list(opened.find_many(Fingerprint(1) for _ in range(5000)))) == 5000
    assert sum(sizes) == 5000
    assert max(sizes) == most
    assert max(size * matches for size in sizes[1:]) <= max(store_module._MATCHES_AT_ONCE, matches)
