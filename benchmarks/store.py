"""Measure the store on both engines, and write the figures that the documentation shows.

    python -m benchmarks.store                 # all, about ten minutes
    python -m benchmarks.store sqlite          # one part of: sqlite, postgresql, memory, slices, wide

PostgreSQL is started for the run, on a cluster of its own, with default settings; without one it is left out.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa

from benchmarks.lookup_data import Planted, Values, planted, random_values
from benchmarks.measuring import machine, median_seconds
from benchmarks.store_report import write_report
from simhash_doc import Fingerprint, get_scheme
from simhash_doc.lookup import Corpus
from simhash_doc.store import Document, FingerprintStore
from simhash_doc.store.layout import from_signed_lanes
from tests.store.server import NoServerError, server

Row = dict[str, Any]
RESULTS = Path(__file__).parent.parent / "docs/benchmarks"
ONE_MILLION = 1_000_000
SINGLE = 2000  # queries one by one


def named(values: Values, collection: str = "default") -> Iterator[Document]:
    """Yield documents in no order of their ids, as a crawl would give them, each with a URI and metadata."""
    for number, value in zip(np.random.default_rng(1).permutation(len(values)).tolist(), values.tolist(), strict=True):
        name = f"https://example.org/articles/{number:07}"
        yield Document(name, Fingerprint(value), name, collection, {"language": ("en", "de")[number % 2]})


def row(task: str, name: str, seconds: float, **more: object) -> Row:
    made = {"task": task, "name": name, "seconds": seconds, **more}
    print(made, flush=True)
    return made


def one_by_one(ask: Callable[[Any], object], queries: list[Any]) -> dict[str, float]:
    """Return the median and the 99th percentile of the time of a query."""
    times = []
    for query in queries:
        start = time.perf_counter()
        ask(query)
        times.append(time.perf_counter() - start)
    times.sort()
    return {"seconds": times[len(times) // 2], "p99": times[len(times) * 99 // 100]}


def of_a_store(name: str, url: str, data: Planted) -> list[Row]:
    """Measure a million documents of sd64 in 4 slices."""
    rows = []
    prepared = list(named(data.stored))
    with FingerprintStore(url) as store:
        start, processor = time.perf_counter(), time.process_time()
        store.add_many(prepared)
        seconds, processor = time.perf_counter() - start, time.process_time() - processor
        # On a shared machine the processor's time says more; that of a server is not in it.
        rows.append(row("load", name, seconds, per_second=len(prepared) / seconds, processor=processor))
        start = time.perf_counter()
        store.optimize()
        rows[0] |= {"settled": time.perf_counter() - start, "bytes": store.stats()[0].bytes}
        queries = [Fingerprint(value) for value in data.queries.tolist()]
        for distance in (0, 3):
            times = one_by_one(lambda query, d=distance: store.find(query, d), queries[:SINGLE])  # type: ignore[misc]
            rows.append(row(f"one query, distance {distance}", name, **times))
        only_english = partial(store.find, distance=3, max_results=10, where={"language": "en"})
        rows.append(row("one query, distance 3, metadata, limit", name, **one_by_one(only_english, queries[:SINGLE])))
        for distance in (3,):
            asked = queries[:20_000]
            start = time.perf_counter()
            found = sum(map(len, store.find_many(asked, distance)))
            seconds = (time.perf_counter() - start) / len(asked)
            rows.append(row("queries in bulk, each", name, seconds, matches=found))
        start = time.perf_counter()
        pairs = sum(1 for _ in store.pairs(3))
        rows.append(row("all pairs", name, time.perf_counter() - start, matches=pairs))
        start = time.perf_counter()
        clusters = sum(1 for _ in store.clusters(3))
        rows.append(row("clusters", name, time.perf_counter() - start, matches=clusters))
        changed = [
            Document(document.id, Fingerprint(value))
            for document, value in zip(prepared[:500], range(500), strict=True)
        ]
        rows.append(row("replace one, on the disk", name, **one_by_one(store.upsert, changed)))
        start = time.perf_counter()
        assert store.verify().valid
        rows.append(row("verify", name, time.perf_counter() - start))
    return rows


def sqlite() -> list[Row]:
    data = planted(ONE_MILLION)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "near.sqlite"
        rows = of_a_store(f"SQLite {sqlite3.sqlite_version}", str(path), data)
        asked = np.int64(data.queries[0].astype(np.int64))
        connection = sqlite3.connect(path)

        def scan() -> int:
            table = np.array(connection.execute("SELECT entry, w0 FROM simhash_sd64_4").fetchall(), np.int64)
            return int((np.bitwise_count((table[:, 1] ^ asked).view(np.uint64)) <= 3).sum())

        rows.append(row("one query by a full scan", "SQLite, numpy", median_seconds(scan, 3)))
        connection.close()
    return rows


def postgresql() -> list[Row]:
    data = planted(ONE_MILLION)
    try:
        with server() as url:
            engine = sa.create_engine(sa.make_url(url).set(drivername="postgresql+psycopg"))
            with engine.connect() as connection:
                name = "PostgreSQL " + connection.exec_driver_sql("SHOW server_version").scalar_one().split()[0]
                rows = of_a_store(name, url, data)
                scan = sa.text("SELECT count(*) FROM simhash_sd64_4 WHERE bit_count(CAST(w0 # :asked AS bit(64))) <= 3")
                asked = {"asked": int(data.queries[0].astype(np.int64))}
                seconds = median_seconds(lambda: connection.execute(scan, asked).scalar_one(), 3)
                rows.append(row("one query by a full scan", name, seconds))
            engine.dispose()
            return rows
    except NoServerError as error:
        print(f"left out: {error}", file=sys.stderr)
        return []


def memory() -> list[Row]:
    """Measure what the store is compared with: sorted tables in memory, and a scan of an array."""
    data = planted(ONE_MILLION)
    made: list[Corpus] = []

    def build() -> None:
        made[:] = [Corpus(5, 3)]
        made[0].insert_bulk(data.stored)

    rows = [row("load", "Corpus, 5 blocks", seconds := median_seconds(build, 3), per_second=ONE_MILLION / seconds)]
    corpus, queries = made[0], data.queries[:SINGLE].tolist()
    rows[0] |= {"bytes": corpus.nbytes}
    rows.append(row("one query, distance 3", "Corpus, 5 blocks", **one_by_one(corpus.matches, queries)))
    seconds = median_seconds(lambda: corpus.find_all_bulk(data.queries)) / len(data.queries)
    rows.append(row("queries in bulk, each", "Corpus, 5 blocks", seconds))
    scan = median_seconds(lambda: np.flatnonzero(np.bitwise_count(data.stored ^ data.queries[0]) <= 3), 21)
    rows.append(row("one query by a full scan", "numpy array", scan))
    return rows


def slices(documents: int = 200_000) -> list[Row]:
    """Measure candidates and time by number of slices, of uniform fingerprints in SQLite."""
    values = random_values(documents)
    rows = []
    for number in (2, 4, 5, 6, 7, 8):
        with tempfile.TemporaryDirectory() as folder, FingerprintStore(Path(folder) / "near.sqlite") as store:
            store.create_collection("default", "sd64", number)
            start = time.perf_counter()
            store.add_many(named(values))
            seconds = time.perf_counter() - start
            stats = store.stats()[0]
            queries = [Fingerprint(value) for value in random_values(200, 7).tolist()]
            for distance in range(1 if number == 2 else 3, number):
                times = one_by_one(partial(store.find, distance=distance), queries)
                made = row(
                    "one query", f"{number} slices", **times, slices=number, distance=distance, documents=documents
                )
                rows.append(made)
            rows[-1] |= {
                "expected": stats.expected_candidates,
                "measured": stats.measured_candidates,
                "bytes": stats.bytes / documents,
                "per_second": documents / seconds,
            }
    return rows


def wide(documents: int = 20_000) -> list[Row]:
    """Measure each width with its recommended threshold, on both engines."""
    rows = []
    for name, url in engines():
        with FingerprintStore(url) as store:
            for scheme in ("sd64", "sd128", "sd256", "sd512"):
                words = get_scheme(scheme).lanes
                values = np.random.default_rng(3).integers(-(2**63), 2**63, (documents, words), np.int64)
                made = [
                    Document(f"{number}", Fingerprint(from_signed_lanes(tuple(value)), scheme), collection=scheme)
                    for number, value in enumerate(values.tolist())
                ]
                start = time.perf_counter()
                store.add_many(made)
                seconds = time.perf_counter() - start
                store.optimize()
                stats = next(one for one in store.stats() if one.collection.name == scheme)
                queries = [document.fingerprint for document in made[:100]]
                rows.append(
                    row(
                        "one query",
                        name,
                        **one_by_one(store.find, queries),
                        scheme=scheme,
                        slices=stats.collection.slices,
                        distance=stats.distance,
                        expected=stats.expected_candidates,
                        measured=stats.measured_candidates,
                        per_second=documents / seconds,
                    )
                )
    return rows


@contextmanager
def sqlite_file() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        yield str(Path(folder) / "near.sqlite")


def engines() -> Iterator[tuple[str, str]]:
    for name, opened in (("SQLite", sqlite_file), ("PostgreSQL", server)):
        try:
            with opened() as url:
                yield name, url
        except NoServerError as error:
            print(f"left out: {error}", file=sys.stderr)


PARTS: dict[str, Callable[[], list[Row]]] = {
    "memory": memory,
    "sqlite": sqlite,
    "postgresql": postgresql,
    "slices": slices,
    "wide": wide,
}


def main() -> None:
    chosen = sys.argv[1:] or list(PARTS)
    if unknown := set(chosen) - set(PARTS):
        sys.exit(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / "store.json"
    results = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    results["machine"] = machine()
    for part in chosen:
        results[part] = PARTS[part]()
        path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    write_report(results, RESULTS)


if __name__ == "__main__":
    main()
