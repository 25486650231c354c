"""The statements of docs/how-to/search-in-sql.md for other systems: exact, within 3 and 6 bits, and of all 64 bits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest

from benchmarks.sql import BLOCKS, PAGE, SYSTEMS, Run, load, statement
from simhash_doc import fingerprint
from tests.store.samples import spread
from tests.store.server import NoServerError

pytestmark = pytest.mark.slow

NEEDED = {"DuckDB": "duckdb", "ClickHouse": "chdb", "PostgreSQL": "psycopg"}
FOX = fingerprint("The quick brown fox jumps over the lazy dog").value
VALUES = [0, 1, 2**63, 2**63 - 1, 2**64 - 1, FOX, FOX ^ 1, *spread("sd64", 300)]
TABLE = re.findall(r"^\| (\w+) \| `([^`]+)`[^|]* \| `(.+?)` \| `(.+?)` \| `(.+?)` \|$", PAGE.read_text(), re.MULTILINE)


@pytest.fixture(scope="module", params=SYSTEMS)
def system(request: pytest.FixtureRequest) -> Iterator[tuple[str, Run]]:
    if request.param in NEEDED:
        pytest.importorskip(NEEDED[request.param])
    if request.param == "PostgreSQL":
        pytest.importorskip("sqlalchemy")
    try:
        with SYSTEMS[request.param]() as run:
            yield request.param, run
    except NoServerError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("distance", [3, 6])
def test_search_and_pairs_are_exact(system: tuple[str, Run], distance: int) -> None:
    name, run = system
    load(run, name, np.array(VALUES, np.uint64), distance)
    for query in [*VALUES[:8], *VALUES[8::40]]:
        within = [((query ^ value).bit_count(), at) for at, value in enumerate(VALUES)]
        found = [(int(bits), int(at)) for bits, at in run(statement(name, "search", distance, query))]
        assert found == sorted(one for one in within if one[0] <= distance)
    near = {tuple(map(int, row)) for row in run(statement(name, "pairs", distance))}
    assert near == {
        (a, b, bits)
        for a, b in combinations(range(len(VALUES)), 2)
        if (bits := (VALUES[a] ^ VALUES[b]).bit_count()) <= distance
    }


def test_the_shown_value_is_found(system: tuple[str, Run]) -> None:
    name, run = system
    run("DROP TABLE IF EXISTS page; DROP TABLE IF EXISTS mask; DROP TABLE IF EXISTS keyed;")
    run(BLOCKS[f"{name}: keys"].replace("SELECT entry, w0 FROM simhash_sd64_4", "VALUES (1, 6350923344389506080)"))
    assert run(BLOCKS[f"{name}: search"]) == [["1", "1"]]


def test_conversions_and_distance_keep_every_bit(system: tuple[str, Run]) -> None:
    name, run = system
    rows = [row for row in TABLE if row[0] == name]
    assert len(rows) == (2 if name == "PostgreSQL" else 1)
    for _, column, source, target, distance in rows:
        read, shown = (text.replace("\\|", "|") for text in (source, target))
        kind = "" if column.isupper() and name == "MariaDB" else column
        for value in VALUES[:8]:
            a, b = (read.replace("HEX", f"'{one:016x}'") for one in (value, FOX))
            a, b = (f"CAST({one} AS {kind})" if kind else one for one in (a, b))
            [[text, bits]] = run(f"SELECT {shown}, {distance} FROM (SELECT {a} AS a, {b} AS b) AS t")
            assert (text, int(bits)) == (f"{value:016x}", (value ^ FOX).bit_count())
