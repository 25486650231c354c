"""Query plans: searches use only the indexes, in both database systems."""

from __future__ import annotations

import json
from typing import Any

import pytest
import sqlalchemy as sa

from simhash_doc import Fingerprint
from simhash_doc.schemes import SchemeId, get_scheme
from simhash_doc.store import FingerprintStore
from simhash_doc.store.layout import Layout, needed, to_signed_lanes
from simhash_doc.store.postgresql import search_statement
from simhash_doc.store.sqlite import candidates_query
from tests.store.samples import documents, spread
from tests.store.server import engine_of, execute

SHAPES = [
    ("sd64", 4, 3),
    *(
        pytest.param(*shape, marks=pytest.mark.slow)
        for shape in [
            ("sd64", 4, 0),
            ("sd64", 5, 3),
            ("sd128", 11, 10),
            ("sd256", 8, 7),
            ("sd512", 12, 11),
            ("sd64", 4, 6),
            ("sd256", 14, 26),
        ]
    ),
]


def filled(url: str, scheme: SchemeId, slices: int) -> None:
    with FingerprintStore(url) as store:
        for name in ("first", "second"):
            store.create_collection(name, scheme=scheme, slices=slices)
            store.add_many(documents(spread(scheme, 5000), scheme, name))
        store.optimize()


@pytest.mark.parametrize(("scheme", "slices", "distance"), SHAPES)
@pytest.mark.parametrize("one_collection", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_sqlite_reads_covering_indexes_only(
    tmp_path: Any, scheme: SchemeId, slices: int, distance: int, one_collection: bool
) -> None:
    url = str(tmp_path / "near.sqlite")
    filled(url, scheme, slices)
    layout = Layout(scheme, True, slices)
    statement = candidates_query(layout, distance, one_collection=one_collection)
    searched = needed(layout.bits, slices, distance)
    engine = engine_of(url)
    with engine.connect() as connection:
        parameters = (*range(statement.count("?") - (len(searched) if one_collection else 0)), *([1] * one_collection))
        steps = [row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)]
    engine.dispose()
    reading = [step for step in steps if step.startswith(("SCAN", "SEARCH"))]
    on_collection = " AND collection=?" if one_collection else ""
    assert reading == [
        f"SEARCH {layout.name} USING COVERING INDEX {layout.index_name(number)} (s{number}=?{on_collection})"
        for number in searched
    ]


@pytest.mark.parametrize(("scheme", "slices", "distance"), SHAPES)
@pytest.mark.parametrize("one_collection", [True, False])
def test_postgresql_reads_no_table_in_sequence(
    postgresql_url: str, scheme: SchemeId, slices: int, distance: int, one_collection: bool
) -> None:
    filled(postgresql_url, scheme, slices)
    layout = Layout(scheme, True, slices)
    statement = search_statement(layout, distance, 0, one_collection=one_collection)
    lanes = to_signed_lanes(Fingerprint(7, scheme).value, get_scheme(scheme).lanes)
    parameters: dict[str, Any] = {f"q{number}": [lane] for number, lane in enumerate(lanes)}
    parameters |= {"distance": distance, "maximum": None, **({"collection": 1} if one_collection else {})}
    engine = engine_of(postgresql_url)
    with engine.connect() as connection:
        (plan,) = connection.execute(sa.text(f"EXPLAIN (FORMAT JSON) {statement}"), parameters).scalar_one()
    engine.dispose()
    nodes = list(flattened(plan["Plan"]))
    assert "Seq Scan" not in {node["Node Type"] for node in nodes}, json.dumps(plan, indent=1)
    by_index = [node["Index Name"] for node in nodes if node["Node Type"] == "Index Only Scan"]
    assert sorted(by_index) == sorted(layout.index_name(number) for number in needed(layout.bits, slices, distance))


def test_postgresql_uses_the_indexes_of_a_table_without_statistics(postgresql_url: str) -> None:
    """A search may follow a large load before autovacuum has looked at the table."""
    layout = Layout("sd64", True, 4)
    with FingerprintStore(postgresql_url) as store:
        store.create_collection("first")
        execute(postgresql_url, f"ALTER TABLE {layout.name} SET (autovacuum_enabled = false)")
        store.add_many(documents(spread("sd64", 20_000), "sd64", "first"))
    statement = search_statement(layout, 3, 0, one_collection=False)
    parameters = {"q0": [7], "distance": 3, "maximum": None}
    engine = engine_of(postgresql_url)
    with engine.connect() as connection:
        connection.exec_driver_sql("SET plan_cache_mode = 'force_generic_plan'")
        explained = connection.execute(sa.text(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}"), parameters)
        nodes = list(flattened(explained.scalar_one()[0]["Plan"]))
    engine.dispose()
    assert "Seq Scan" not in {node["Node Type"] for node in nodes}
    by_index = {node["Index Name"]: node["Actual Rows"] for node in nodes if "Index Name" in node}
    assert by_index.keys() >= {layout.index_name(number) for number in range(4)}
    assert sum(by_index.values()) < 200  # 20,000 * 4 / 2**16 are expected


def flattened(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [node, *(inner for child in node.get("Plans", []) for inner in flattened(child))]
