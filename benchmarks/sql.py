"""Measure the statements of docs/how-to/search-in-sql.md in each database system that is installed, next to a scan.

    python -m benchmarks.sql

It needs duckdb, chdb, psycopg, and the servers of PostgreSQL and MariaDB, and writes docs/benchmarks/sql.json.
Searches among a million planted fingerprints; all pairs of these, and of 300,000 of which a tenth share 38 bits.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import results
from benchmarks.measuring import Row, parser_of, seconds
from benchmarks.texts import Values, planted, random_values
from tests.store.server import NoServerError, server

PAGE = Path(__file__).parents[1] / "docs/how-to/search-in-sql.md"
BLOCK = re.compile(r'^( *)```sql title="([^"]+)"\n(.*?)^\1```$', re.MULTILINE | re.DOTALL)
BLOCKS = {title: code for _, title, code in BLOCK.findall(PAGE.read_text(encoding="utf-8"))}
SHOWN = "5823032212128421"  # the fingerprint that the searches of the page ask for
Run = Callable[[str], list[list[str]]]  # statements to the rows of the last one, each value as text
QUERIES = 20


@contextmanager
def duckdb_system() -> Iterator[Run]:
    import duckdb

    with duckdb.connect() as connection:
        yield lambda sql: [[str(value) for value in row] for row in connection.execute(sql).fetchall()]


@contextmanager
def clickhouse_system() -> Iterator[Run]:
    from chdb import session

    with tempfile.TemporaryDirectory() as folder:
        create: Any = session.Session
        chosen = create(folder)
        chosen.query("CREATE DATABASE d")
        chosen.query("USE d")

        def run(sql: str) -> list[list[str]]:
            answers = [chosen.query(one, "TSV") for one in sql.split(";") if one.strip()]
            return [line.split("\t") for line in answers[-1].data().splitlines()]

        yield run
        chosen.close()


@contextmanager
def postgresql_system() -> Iterator[Run]:
    import psycopg

    with server("fsync=off") as url, psycopg.connect(url, autocommit=True) as connection:
        connection.execute(BLOCKS["PostgreSQL: tables"])

        def run(sql: str) -> list[list[str]]:
            cursor = connection.execute(sql)
            while cursor.nextset():
                pass
            return [[str(value) for value in row] for row in cursor.fetchall()] if cursor.description else []

        yield run


@contextmanager
def mariadb_system() -> Iterator[Run]:
    if not (program := shutil.which("mariadbd") or shutil.which("mariadbd", path="/usr/sbin")):
        raise NoServerError("no MariaDB server is installed (mariadbd is not found)")
    with tempfile.TemporaryDirectory() as folder:
        places = ["--no-defaults", f"--datadir={folder}/data", "--user=root"]
        subprocess.run(["mariadb-install-db", *places], check=True, capture_output=True)
        socket = f"--socket={folder}/socket"
        options = ["--skip-networking", "--innodb-buffer-pool-size=2G", "--innodb-log-file-size=1G"]
        process = subprocess.Popen([program, *places, socket, *options], stderr=subprocess.DEVNULL)

        def run(sql: str) -> list[list[str]]:
            command = ["mariadb", "--no-defaults", socket, "-uroot", "-N", "-B", "-q"]
            done = subprocess.run(command, input=sql, text=True, capture_output=True, check=True)
            return [line.split("\t") for line in done.stdout.splitlines()]

        try:
            for _ in range(100):
                with suppress(subprocess.CalledProcessError):
                    run("CREATE DATABASE IF NOT EXISTS d")
                    break
                time.sleep(0.2)
            yield lambda sql: run("USE d; " + sql)
        finally:
            process.terminate()
            process.wait()


SYSTEMS = {
    "PostgreSQL": postgresql_system,
    "DuckDB": duckdb_system,
    "ClickHouse": clickhouse_system,
    "MariaDB": mariadb_system,
}


def load(run: Run, name: str, values: Values, distance: int = 3) -> None:
    """Create the tables of the page with these values; ids are their positions."""
    tables, keys = re.split(r"INSERT INTO page [^;]*;", BLOCKS[f"{name}: keys"].replace("% 5", f"% {distance + 2}"))
    listed = (values.view(np.int64) if name == "PostgreSQL" else values).tolist()
    run("DROP TABLE IF EXISTS page; DROP TABLE IF EXISTS mask; DROP TABLE IF EXISTS keyed;" + tables)
    for start in range(0, len(listed), 20_000):
        rows = enumerate(listed[start : start + 20_000], start)
        run(f"INSERT INTO page VALUES {','.join(f'({at}, {value})' for at, value in rows)}")
    run(keys)


def statement(name: str, what: str, distance: int = 3, query: int | None = None) -> str:
    """Return a statement of the page for another distance and query."""
    text: str = BLOCKS[f"{name}: {what}"].replace("<= 3", f"<= {distance}")
    return text if query is None else text.replace(SHOWN, f"{query:016x}")


def skewed(n: int = 300_000) -> Values:
    """Return values of which every tenth has the same first 38 bits."""
    values = random_values(n)
    return np.where(np.arange(n) % 10 == 0, values & np.uint64((1 << 26) - 1), values)


def measure(name: str, run: Run) -> Iterator[Row]:
    """Measure keys, searches next to the scan of the same queries, and all pairs."""
    stored, queries = planted(10**6, QUERIES)
    for distance in (3, 6):
        load(run, name, stored, distance)
        searches = [statement(name, "search", distance, query) for query in queries.tolist()]
        scan = [re.sub(r"FROM (query .*|mask .*)\n", scan_of(name), one) for one in searches]
        run(searches[0])
        for task, asked in (("search", searches), ("scan", scan)) if scan != searches else (("scan", scan),):
            taken = seconds(partial(list, map(run, asked)))
            yield {"task": task, "distance": distance, "ms": round(1000 * taken / QUERIES, 2)}
        if distance == 3:
            yield pairs(name, run, "planted")
    load(run, name, skewed())
    yield pairs(name, run, "skewed")


def scan_of(name: str) -> str:
    """Return where a scan of all rows reads from."""
    table = "FROM query AS q CROSS JOIN page AS k" if name == "PostgreSQL" else "FROM page AS k"
    return table + "\n"


def pairs(name: str, run: Run, kind: str) -> Row:
    """Measure all pairs within 3 bits."""
    [[compared]] = run(BLOCKS["Any system: comparisons"])
    found: list[list[str]] = []
    taken = seconds(lambda: found.extend(run(statement(name, "pairs"))))
    about = {"comparisons": round(float(compared)), "pairs": len(found)}
    return {"task": "all pairs", "values": kind, **about, "seconds": round(taken, 1)}


def main() -> None:
    parser_of(__doc__).parse_args()
    for name, system in SYSTEMS.items():
        with system() as run:
            results.record("sql", name, measure(name, run), made_by="python -m benchmarks.sql")


if __name__ == "__main__":
    main()
