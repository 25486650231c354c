"""Measure near-duplicate search and other libraries, and write the figures that the documentation shows.

    python -m benchmarks.lookup            # all, about ten minutes
    python -m benchmarks.lookup growth     # some parts

The part disk needs 20 bytes of disk for each fingerprint of its largest size, 10^8 unless SIMHASH_DOC_BENCH_LARGEST
is another, such as 1000000000. The part segments needs 140 bytes for each, of at most 10^8.

Other libraries come with `pip install 'simhash-doc[bench]'`; one that is not installed is left out.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks import results
from benchmarks.measuring import Row, chosen_parts, isolated, machine, median_seconds, parser_of, seconds, version
from benchmarks.texts import SEED, Planted, Values, flipped, planted, planted_rows, random_values
from simhash_doc.lookup import (
    Corpus,
    IsslIndex,
    find_all,
    find_clusters,
    recall,
)
from simhash_doc.lookup.issl import list_bytes, lists_checked

LARGEST = int(os.environ.get("SIMHASH_DOC_BENCH_LARGEST", "100000000"))
GIB = 1 << 30
CLOSE, LOOSE = 26, 36  # the thresholds of sd256
ONE_MILLION = 1_000_000
_COMPILED = 20_000  # fingerprints whose search loads the compiled loops


def row(task: str, library: str, seconds: float, **more: object) -> Row:
    return {"task": task, "library": library, "seconds": round(seconds, 8), **more}


def million() -> Iterator[Row]:
    """Measure every search among a million fingerprints, and other libraries."""
    data = planted(ONE_MILLION)
    for blocks in (4, 5, 6):
        name = f"simhash-doc, {blocks} blocks"
        found = len(find_all(data.stored, blocks))
        yield row("all pairs", name, median_seconds(partial(find_all, data.stored, blocks)), matches=found)
        yield row("clusters", name, median_seconds(partial(find_clusters, data.stored, blocks)))
        corpus = _built(data.stored, blocks)
        build = median_seconds(partial(_built, data.stored, blocks), 3)
        yield row("build", name, build, bytes=corpus.nbytes)
        yield from _queries(corpus, data.queries, name)
        uniform = _built(random_values(ONE_MILLION), blocks)
        taken = median_seconds(partial(uniform.find_all_bulk, random_values(ONE_MILLION, 7)), 3)
        yield row("1,000,000 random queries, all matches", name, taken)
    yield from _by_faiss(data)


def _built(values: Values, blocks: int) -> Corpus:
    corpus = Corpus(blocks, 3)
    corpus.insert_bulk(values)
    return corpus


def _queries(corpus: Corpus, queries: Values, name: str) -> Iterator[Row]:
    matches = len(corpus.find_all_bulk(queries))
    taken = median_seconds(lambda: corpus.find_all_bulk(queries))
    yield row("100,000 planted queries, all matches", name, taken, matches=matches)
    taken = median_seconds(lambda: corpus.find_first_bulk(queries))
    yield row("100,000 planted queries, first match", name, taken)
    single = queries[:5000].tolist()
    yield row("one query", name, median_seconds(lambda: [corpus.find_all(value) for value in single]) / len(single))


def _by_faiss(data: Planted) -> Iterator[Row]:
    """Measure faiss' exact index for small radii, 4 hash tables of 16 bits, which is complete to 3 bits; one thread."""
    if not (release := version("faiss-cpu")):
        return
    import faiss

    faiss.omp_set_num_threads(1)
    name = f"faiss-cpu {release} IndexBinaryMultiHash 4x16"
    radius = 4  # faiss' radius is strict: this finds distance 3 and less

    def octets(values: Values) -> npt.NDArray[np.uint8]:
        return values.view(np.uint8).reshape(len(values), 8)

    def built(values: Values) -> Any:
        index = faiss.IndexBinaryMultiHash(64, 4, 16)
        index.add(octets(values))
        return index

    yield row("build", name, median_seconds(lambda: built(data.stored), 3))
    index, queries = built(data.stored), octets(data.queries)
    matches = len(index.range_search(queries, radius)[1])
    taken = median_seconds(lambda: index.range_search(queries, radius), 3)
    yield row("100,000 planted queries, all matches", name, taken, matches=matches)
    uniform, asked = built(random_values(ONE_MILLION)), octets(random_values(ONE_MILLION, 7))
    taken = seconds(lambda: uniform.range_search(asked, radius))
    yield row("1,000,000 random queries, all matches", name, taken)


def growth() -> Iterator[Row]:
    """Measure 10^4 to 10^7 fingerprints in memory, each task in a process of its own."""
    for n in (10**4, 10**5, 10**6, 10**7):
        for task in ("all pairs", "clusters", "build"):
            result, peak = isolated(_growth_of, task, n)
            yield {"task": task, "fingerprints": n, "peak_mb": round(peak), **result}


def _growth_of(task: str, n: int) -> Row:
    data = planted(n)
    if task == "all pairs":
        return {"seconds": median_seconds(lambda: find_all(data.stored), 3)}
    if task == "clusters":
        return {"seconds": median_seconds(lambda: find_clusters(data.stored), 3)}
    corpus = Corpus()
    result: Row = {"seconds": seconds(lambda: corpus.insert_bulk(data.stored)), "bytes": float(corpus.nbytes)}
    result |= {entry["task"]: entry["seconds"] for entry in _queries(corpus, data.queries, "")}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus"
        result["save"] = seconds(lambda: corpus.save(path))
        result["open, checksums compared"] = seconds(lambda: Corpus.open(path))
        result["open, not compared"] = seconds(lambda: Corpus.open(path, verify=False))
    return result


def disk() -> Iterator[Row]:
    """Measure all pairs out of core once for each size, in a process of its own."""
    for n, memory in ((10**6, GIB), (10**7, GIB), (10**8, GIB), (10**8, 4 * GIB), (10**9, 4 * GIB)):
        if n > LARGEST:
            continue
        with tempfile.TemporaryDirectory() as folder:
            values = Path(folder) / "values.npy"
            isolated(_write_planted, values, n)
            if n == 10**6:
                isolated(_search_on_disk, values, memory)  # compiles
            found, peak = isolated(_search_on_disk, values, memory)
            about = {"task": "all pairs, out of core", "fingerprints": n, "memory_limit_bytes": memory}
            yield {**about, **found, "peak_mb": round(peak)}


def _search_on_disk(values: Path, memory: int) -> Row:
    return _timed(lambda: find_all(values, memory=memory, output=values.with_name("pairs.npy")))


def _timed(search: Callable[[], object]) -> Row:
    """Return the time of a search, that of all cores, and the number of pairs."""
    start, used = time.perf_counter(), time.process_time()
    pairs = search()
    return {
        "seconds": round(time.perf_counter() - start, 2),
        "processor_seconds": round(time.process_time() - used, 2),
        "pairs": len(pairs),  # type: ignore[arg-type]
    }


def _write_planted(path: Path, n: int, piece: int = 10**6) -> None:
    """Write n random fingerprints, a multiple of 10^6, a tenth of them 1 to 3 bits from another, as a .npy file."""
    rng = np.random.default_rng(SEED)
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<u8", "fortran_order": False, "shape": (n,)})
        for _ in range(n // piece):
            values = rng.integers(0, 2**64, piece, np.uint64)
            copies = piece // 10
            values[:copies] = values[copies : 2 * copies]
            bit, flips = rng.integers(0, 64, copies, np.uint64), rng.integers(1, 4, copies)
            for number in range(3):
                other = np.uint64(1) << (bit + np.uint64(21 * number)) % np.uint64(64)
                values[:copies] ^= np.where(flips > number, other, np.uint64(0))
            values.tofile(file)


QUERIES = ADDED = 100_000


def segments() -> Iterator[Row]:
    """Measure an index in a directory: built, changed, merged and queried, each step in a process of its own."""
    steps: list[tuple[str, Callable[[Path, Path], Row]]] = [
        ("build", _build),
        (f"{QUERIES:,} queries", _query),
        (f"add {ADDED:,}", _add),
        ("remove 1,000", _remove),
        ("merge into one segment", _merge),
        (f"{QUERIES:,} queries", _query),
    ]
    for n in (10**6, 10**7, 10**8):
        if n > LARGEST:
            continue
        with tempfile.TemporaryDirectory() as folder:
            values, index = Path(folder) / "values.npy", Path(folder) / "index"
            isolated(_write_planted, values, n)
            for task, work in steps:
                found, peak = isolated(work, values, index)
                size = sum(path.stat().st_size for path in index.iterdir())
                parts = len(list(index.glob("segment-*")))
                about = {"task": task, "fingerprints": n, "segments": parts, "bytes": size}
                yield {**about, "peak_mb": round(peak), **found}


def _build(values: Path, index: Path) -> Row:
    return {"seconds": seconds(lambda: Corpus.build(index, np.load(values, mmap_mode="r")))}


def _new() -> Values:
    return np.random.default_rng(SEED + 1).integers(0, 2**64, ADDED, np.uint64)


def _add(values: Path, index: Path) -> Row:
    new = _new()
    return {"seconds": seconds(lambda: Corpus.open(index, verify=False).insert_bulk(new))}


def _remove(values: Path, index: Path) -> Row:
    new = _new()[:1000]
    return {"seconds": seconds(lambda: Corpus.open(index, verify=False).remove_bulk(new))}


def _merge(values: Path, index: Path) -> Row:
    return {"seconds": seconds(lambda: Corpus.open(index, verify=False).merge())}


def _query(values: Path, index: Path) -> Row:
    """Measure queries 0 to 4 bits from a stored fingerprint: the first time in a process, and again."""
    rng = np.random.default_rng(SEED + 2)
    stored = np.load(values, mmap_mode="r")
    chosen = stored[np.sort(rng.integers(0, len(stored), QUERIES))]
    queries = flipped(rng.permutation(chosen), rng.integers(0, 5, QUERIES), rng)
    corpus = Corpus.open(index, verify=False)
    first = seconds(lambda: corpus.find_all_bulk(queries))
    again = median_seconds(lambda: corpus.find_all_bulk(queries), 3)
    single = queries[:2000].tolist()
    one = median_seconds(lambda: [corpus.find_all(value) for value in single], 3) / len(single)
    return {"first_seconds": first, "seconds": again, "one_query": one, "matches": len(corpus.find_all_bulk(queries))}


def issl(n: int = ONE_MILLION, bits: int = 1024) -> Iterator[Row]:
    """Measure slice lists: clusters of 20 signatures that differ from their centre in a fifth of the bits."""
    rng = np.random.default_rng(1)
    centres = rng.integers(0, 256, (n // 20, bits // 8), np.uint8)
    stored = np.repeat(centres, 20, axis=0)
    for part in np.array_split(stored, 20):
        part ^= np.packbits(rng.random((len(part), bits), np.float32) < 0.2, axis=1)
    queries = centres[:50] ^ np.packbits(rng.random((50, bits)) < 0.2, axis=1)
    made: list[IsslIndex] = []
    name = f"simhash-doc ISSL, {n:,} x {bits} bits"
    build = row("build", name, seconds(lambda: made.append(IsslIndex(stored, bits))))
    index = made[0]
    yield build | {"bytes": index.nbytes, "formula_bytes": list_bytes(n, bits)}
    exact = index.exhaustive(queries)
    for errors in range(5):
        found = index.search(queries, max_error=errors)
        about = {"lists_a_slice": lists_checked(errors), "recall_at_10": recall(found, exact)}
        for threads in (1, 2):
            taken = median_seconds(partial(index.search, queries, max_error=errors, threads=threads), 3)
            yield row("one query", name, taken / len(queries), max_error=errors, threads=threads) | about
    yield row("one query", "exhaustive, numpy", seconds(lambda: index.exhaustive(queries[:5])) / 5)
    if release := version("faiss-cpu"):
        import faiss

        faiss.omp_set_num_threads(1)
        flat = faiss.IndexBinaryFlat(bits)
        flat.add(stored)
        name = f"exhaustive, faiss-cpu {release} IndexBinaryFlat"
        taken = median_seconds(lambda: flat.search(queries, 10), 3) / len(queries)
        yield row("one query", f"{name}, 50 queries at once", taken)
        yield row("one query", f"{name}, one query alone", median_seconds(lambda: flat.search(queries[:1], 10), 5))


def wide() -> Iterator[Row]:
    """Measure all pairs of 256 bits once for each size, in a process of its own. All results are exact."""
    for n, distance in ((10**5, CLOSE), (10**6, CLOSE), (10**6, LOOSE), (10**7, CLOSE), (10**7, LOOSE)):
        for kind in ("uniform", "biased"):
            if n > min(LARGEST, 10**7) or (n, distance, kind) == (10**7, LOOSE, "biased"):  # would take hours
                continue
            result, peak = isolated(_search_wide, kind, n, distance)
            about = {"task": f"all pairs of {kind} fingerprints", "library": "simhash-doc", "fingerprints": n}
            yield {**about, "distance": distance, **result, "peak_mb": round(peak), "recall": 1.0}


def first_lane() -> Iterator[Row]:
    """Measure all pairs of 256 bits within 20, and within 3 in the first 64; and all pairs within 15, as `wide`."""
    for n, distance, within in ((10**6, 20, 3), (10**7, 20, 3), (10**6, 15, None), (10**7, 15, None)):
        for kind in ("uniform", "biased"):
            result, peak = isolated(_search_wide, kind, n, distance, within)
            about = {"task": f"all pairs of {kind} fingerprints", "library": "simhash-doc", "fingerprints": n}
            yield {**about, "distance": distance, "sd64_distance": within, **result, "peak_mb": round(peak)}


def _search_wide(kind: str, n: int, distance: int, sd64_distance: int | None = None) -> Row:
    values = planted_rows(kind, n)
    find_all(values[:_COMPILED], distance=distance, sd64_distance=sd64_distance)
    return _timed(lambda: find_all(values, distance=distance, sd64_distance=sd64_distance))


PARTS = {part.__name__: part for part in (million, growth, disk, segments, issl, wide, first_lane)}


def main() -> None:
    for part in chosen_parts(parser_of(__doc__), PARTS).parts:
        machines = results.read("lookup")["machines"] | {part: machine()}
        results.record("lookup", part, PARTS[part](), machines=machines)


if __name__ == "__main__":
    main()
