"""Measure the store on both engines, and write the figures that the documentation shows.

    python -m benchmarks.store                 # all, about ten minutes
    python -m benchmarks.store sqlite          # one part of: sqlite, postgresql, memory, slices, wide

PostgreSQL is started for the run, on a cluster of its own, with default settings; without one it is left out.
"""

from __future__ import annotations

import argparse
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

from benchmarks.measuring import Row, chosen_parts, median_seconds, record, seconds
from benchmarks.texts import Planted, Values, planted, random_values
from simhash_doc import Fingerprint, get_scheme, get_schemes
from simhash_doc.lookup import Corpus
from simhash_doc.store import Document, FingerprintStore
from tests.store.server import NoServerError, server

ONE_MILLION = 1_000_000
SINGLE = 2000  # queries one by one


def named(values: Values, collection: str = "default") -> Iterator[Document]:
    """Yield documents in no order of their ids, as a crawl would give them, each with a URI and metadata."""
    for number, value in zip(np.random.default_rng(1).permutation(len(values)).tolist(), values.tolist(), strict=True):
        name = f"https://example.org/articles/{number:07}"
        yield Document(name, Fingerprint(value), name, collection, {"language": ("en", "de")[number % 2]})


def row(task: str, name: str, seconds: float, **more: object) -> Row:
    return {"task": task, "name": name, "seconds": seconds, **more}


def one_by_one(ask: Callable[[Any], object], queries: list[Any]) -> dict[str, float]:
    """Return the median and the 99th percentile of the time of a query."""
    times = sorted(seconds(partial(ask, query)) for query in queries)
    return {"seconds": times[len(times) // 2], "p99": times[len(times) * 99 // 100]}


def of_a_store(name: str, url: str, data: Planted) -> Iterator[Row]:
    """Measure a million documents of sd64 in 4 slices."""
    prepared = list(named(data.stored))
    with FingerprintStore(url) as store:
        processor = time.process_time()
        taken = seconds(lambda: store.add_many(prepared))
        # On a shared machine the processor's time says more; that of a server is not in it.
        load = row("load", name, taken, per_second=len(prepared) / taken, processor=time.process_time() - processor)
        yield load | {"settled": seconds(store.optimize), "bytes": store.stats()[0].bytes}
        queries = [Fingerprint(value) for value in data.queries.tolist()]
        for distance in (0, 3):
            times = one_by_one(partial(store.find, distance=distance), queries[:SINGLE])
            yield row(f"one query, distance {distance}", name, **times)
        only_english = partial(store.find, distance=3, max_results=10, where={"language": "en"})
        yield row("one query, distance 3, metadata, limit", name, **one_by_one(only_english, queries[:SINGLE]))
        asked = queries[:20_000]
        for task, work, each in (
            ("queries in bulk, each", lambda: sum(map(len, store.find_many(asked, 3))), len(asked)),
            ("all pairs", lambda: sum(1 for _ in store.pairs(3)), 1),
            ("clusters", lambda: sum(1 for _ in store.clusters(3)), 1),
        ):
            start = time.perf_counter()
            found = work()
            yield row(task, name, (time.perf_counter() - start) / each, matches=found)
        changed = [Document(document.id, Fingerprint(value)) for value, document in enumerate(prepared[:500])]
        yield row("replace one, on the disk", name, **one_by_one(store.upsert, changed))
        yield row("verify", name, seconds(store.verify))


def sqlite() -> Iterator[Row]:
    data = planted(ONE_MILLION)
    with sqlite_file() as path:
        yield from of_a_store(f"SQLite {sqlite3.sqlite_version}", path, data)
        asked = np.int64(data.queries[0].astype(np.int64))
        connection = sqlite3.connect(path)

        def scan() -> int:
            table = np.array(connection.execute("SELECT entry, w0 FROM simhash_sd64_4").fetchall(), np.int64)
            return int((np.bitwise_count((table[:, 1] ^ asked).view(np.uint64)) <= 3).sum())

        yield row("one query by a full scan", "SQLite, numpy", median_seconds(scan, 3))
        connection.close()


def postgresql() -> Iterator[Row]:
    data = planted(ONE_MILLION)
    for _, url in engines("PostgreSQL"):
        engine = sa.create_engine(sa.make_url(url).set(drivername="postgresql+psycopg"))
        with engine.connect() as connection:
            name = "PostgreSQL " + connection.exec_driver_sql("SHOW server_version").scalar_one().split()[0]
            yield from of_a_store(name, url, data)
            scan = sa.text("SELECT count(*) FROM simhash_sd64_4 WHERE bit_count(CAST(w0 # :asked AS bit(64))) <= 3")
            asked = {"asked": int(data.queries[0].astype(np.int64))}
            taken = median_seconds(partial(connection.scalar, scan, asked), 3)
            yield row("one query by a full scan", name, taken)
        engine.dispose()


def memory() -> Iterator[Row]:
    """Measure what the store is compared with: sorted tables in memory, and a scan of an array."""
    data = planted(ONE_MILLION)
    name, corpus = "Corpus, 5 blocks", Corpus(5, 3)
    taken = seconds(lambda: corpus.insert_bulk(data.stored))
    yield row("load", name, taken, per_second=ONE_MILLION / taken, bytes=corpus.nbytes)
    yield row("one query, distance 3", name, **one_by_one(corpus.matches, data.queries[:SINGLE].tolist()))
    taken = median_seconds(lambda: corpus.find_all_bulk(data.queries)) / len(data.queries)
    yield row("queries in bulk, each", name, taken)
    scan = median_seconds(lambda: np.flatnonzero(np.bitwise_count(data.stored ^ data.queries[0]) <= 3), 21)
    yield row("one query by a full scan", "numpy array", scan)


def slices(documents: int = 200_000) -> Iterator[Row]:
    """Measure candidates and time by number of slices, of uniform fingerprints in SQLite."""
    prepared = list(named(random_values(documents)))
    queries = [Fingerprint(value) for value in random_values(200, 7).tolist()]
    for number in (2, 4, 5, 6, 7, 8):
        with sqlite_file() as path, FingerprintStore(path) as store:
            store.create_collection("default", "sd64", number)
            taken = seconds(lambda store=store: store.add_many(prepared))  # type: ignore[misc]
            stats = store.stats()[0]
            for distance in range(1 if number == 2 else 3, number):
                times = one_by_one(partial(store.find, distance=distance), queries)
                about = row("one query", f"{number} slices", **times, slices=number, distance=distance)
                if distance == number - 1:
                    about |= {
                        "expected": stats.expected_candidates,
                        "measured": stats.measured_candidates,
                        "bytes": stats.bytes / documents,
                        "per_second": documents / taken,
                    }
                yield about | {"documents": documents}


def wide(documents: int = 20_000) -> Iterator[Row]:
    """Measure each width with its recommended threshold, on both engines."""
    for name, url in engines():
        with FingerprintStore(url) as store:
            for scheme in get_schemes():
                rows = np.random.default_rng(3).integers(0, 2**64, (documents, get_scheme(scheme).lanes), np.uint64)
                made = [
                    Document(f"{number}", Fingerprint(int.from_bytes(value.astype(">u8")), scheme), collection=scheme)
                    for number, value in enumerate(rows)
                ]
                taken = seconds(lambda made=made: store.add_many(made))  # type: ignore[misc]
                store.optimize()
                stats = next(one for one in store.stats() if one.collection.name == scheme)
                yield row(
                    "one query",
                    name,
                    **one_by_one(store.find, [document.fingerprint for document in made[:100]]),
                    scheme=scheme,
                    slices=stats.collection.slices,
                    distance=stats.distance,
                    expected=stats.expected_candidates,
                    measured=stats.measured_candidates,
                    per_second=documents / taken,
                )


@contextmanager
def sqlite_file() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        yield str(Path(folder) / "near.sqlite")


def engines(*names: str) -> Iterator[tuple[str, str]]:
    for name, opened in (("SQLite", sqlite_file), ("PostgreSQL", server)):
        if names and name not in names:
            continue
        try:
            with opened() as url:
                yield name, url
        except NoServerError as error:
            print(f"left out: {error}", file=sys.stderr)


PARTS = {part.__name__: part for part in (memory, sqlite, postgresql, slices, wide)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for part in chosen_parts(parser, PARTS).parts:
        record("store", part, PARTS[part]())


if __name__ == "__main__":
    main()
