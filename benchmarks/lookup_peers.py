"""Other libraries for the same tasks, each called as its documentation says, on one thread where it can be."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.lookup_data import Planted, Values, planted, random_values
from benchmarks.measuring import median_seconds, version
from simhash_doc.lookup import Corpus

Row = dict[str, object]
ONE_MILLION = 1_000_000


def row(task: str, library: str, seconds: float, **more: object) -> Row:
    return {"task": task, "library": library, "seconds": round(seconds, 8), **more}


def as_bytes(values: Values) -> Any:
    return values.view(np.uint8).reshape(len(values), 8)


def faiss_rows(data: Planted) -> list[Row]:
    """Measure faiss' exact index for small radii: 4 hash tables of 16 bits, complete to 3 bits."""
    if not (release := version("faiss-cpu")):
        return []
    import faiss

    faiss.omp_set_num_threads(1)
    name = f"faiss-cpu {release} IndexBinaryMultiHash 4x16"
    radius = 4  # faiss' radius is strict: this finds distance 3 and less

    def build(values: Values) -> Any:
        index = faiss.IndexBinaryMultiHash(64, 4, 16)
        index.add(as_bytes(values))
        return index

    rows = [row("build", name, median_seconds(lambda: build(data.stored), 3))]
    index = build(data.stored)
    matches = len(index.range_search(as_bytes(data.queries), radius)[1])
    rows.append(
        row(
            "100,000 planted queries, all matches",
            name,
            median_seconds(lambda: index.range_search(as_bytes(data.queries), radius), 3),
            matches=matches,
        )
    )
    index = build(random_values(ONE_MILLION))
    asked = random_values(ONE_MILLION, 7)
    rows.append(
        row(
            "1,000,000 random queries, all matches",
            name,
            median_seconds(lambda: index.range_search(as_bytes(asked), radius), 1),
        )
    )
    flat = faiss.IndexBinaryFlat(64)
    flat.add(as_bytes(data.stored))
    one = as_bytes(data.queries[:1])
    seconds = median_seconds(lambda: flat.range_search(one, radius), 9)
    rows.append(row("one query", f"faiss-cpu {release} IndexBinaryFlat (compares all)", seconds))
    return rows


def simhash_rows(data: Planted) -> list[Row]:
    """Measure the pure Python index of 1e0ng's `simhash`; its queries are so slow that a thousand must do."""
    if not (release := version("simhash")):
        return []
    from simhash import Simhash, SimhashIndex

    name, few = f"simhash {release} (1e0ng)", 1000
    objects = [(str(number), Simhash(value)) for number, value in enumerate(data.stored.tolist())]
    made: list[Any] = []
    rows = [row("build", name, median_seconds(lambda: made.append(SimhashIndex(objects, k=3)), 1))]
    asked = [Simhash(value) for value in data.queries[:few].tolist()]
    seconds = median_seconds(lambda: [made[0].get_near_dups(one) for one in asked], 1)
    rows.append(row("one query", name, seconds / few))
    rows.append(
        row("100,000 planted queries, all matches", name, seconds * 100, note=f"100 times the time of {few} queries")
    )
    return rows


def gaoya_rows() -> list[Row]:
    """Measure gaoya and ours on gaoya's own fingerprints, for it takes texts only, no fingerprints.

    Each text is one token, so that hashing it costs little; it is part of the time. Its threads
    cannot be limited through its interface.
    """
    if not (release := version("gaoya")):
        return []
    from gaoya.gaoya import simhash as gaoya

    name = f"gaoya {release}, 6 blocks, all cores"
    index = gaoya.SimHash64StringIntIndex(6, 3, "word", False, (1, 1))
    texts = [f"token{number}" for number in range(ONE_MILLION)]
    build = median_seconds(lambda: index.par_bulk_insert_docs(list(range(ONE_MILLION)), texts), 1)
    matches = sum(map(len, index.par_bulk_query(texts[::10])))
    query = median_seconds(lambda: index.par_bulk_query(texts[::10]), 1)
    values = np.array(index.par_bulk_doc2signatures(texts), np.uint64)
    task = "100,000 copies among gaoya's fingerprints, all matches"
    rows = [row("build, gaoya's fingerprints", name, build), row(task, name, query, matches=matches)]
    corpus = Corpus(6, 3)
    ours = "simhash-doc, 6 blocks, one thread"
    rows.append(row("build, gaoya's fingerprints", ours, median_seconds(lambda: corpus.insert_bulk(values), 1)))
    found = len(corpus.find_all_bulk(values[::10]))
    rows.append(row(task, ours, median_seconds(lambda: corpus.find_all_bulk(values[::10]), 3), matches=found))
    return rows


def peers() -> list[Row]:
    data = planted(ONE_MILLION)
    return [*faiss_rows(data), *simhash_rows(data), *gaoya_rows()]
