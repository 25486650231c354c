"""Measure near-duplicate search, and write the figures that the documentation shows.

    python -m benchmarks.lookup              # all, some minutes
    python -m benchmarks.lookup segments     # some parts

The part disk needs 20 bytes of disk for each fingerprint of its largest size, 10^8 unless SIMHASH_DOC_BENCH_LARGEST
is another, such as 1000000000. The part segments needs 140 bytes for each, of at most 10^8.

The parts issl and top_k need faiss, which the part million measures if it is there: pip install 'simhash-doc[bench]'.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks import results
from benchmarks.measuring import Row, chosen_parts, isolated, machine, median_seconds, parser_of, seconds, version
from benchmarks.texts import SEED, Values, flipped, planted, planted_rows, planted_values, random_values
from simhash_doc.engines.select import set_engine
from simhash_doc.lookup import Corpus, IsslIndex, PairFile, find_all, find_clusters, recall
from simhash_doc.lookup.issl import lists_checked
from simhash_doc.lookup.nearest import find_nearest

LARGEST = int(os.environ.get("SIMHASH_DOC_BENCH_LARGEST", "100000000"))
GIB = 1 << 30
ONE_MILLION = 1_000_000
QUERIES = ADDED = 100_000


def row(task: str, library: str, seconds: float, **more: object) -> Row:
    return {"task": task, "library": library, "seconds": round(seconds, 8), **more}


def million() -> Iterator[Row]:
    """Measure searches among a million fingerprints in memory, next to faiss' exact index for small radii."""
    stored, queries = planted(ONE_MILLION, QUERIES)
    name = "simhash-doc, 5 blocks"
    yield row(
        "all pairs", name, median_seconds(lambda: find_all(stored, blocks=5)), matches=len(find_all(stored, blocks=5))
    )
    yield row("clusters", name, median_seconds(lambda: find_clusters(stored, blocks=5)))
    corpus = Corpus(blocks=5, distance=3)
    yield row("build", name, seconds(lambda: corpus.add_many(stored)), bytes=corpus.nbytes)
    matches = len(corpus.find_many(queries).values)
    taken = median_seconds(lambda: corpus.find_many(queries))
    yield row("100,000 planted queries, all matches", name, taken, matches=matches)
    single = queries[:5000].tolist()
    yield row("one query", name, median_seconds(lambda: [corpus.find_all(value) for value in single]) / len(single))
    if release := version("faiss-cpu"):
        import faiss

        faiss.omp_set_num_threads(1)
        name = f"faiss-cpu {release} IndexBinaryMultiHash 4x16"
        stored_bytes, query_bytes = (values.view(np.uint8).reshape(-1, 8) for values in (stored, queries))
        index = faiss.IndexBinaryMultiHash(64, 4, 16)
        yield row("build", name, seconds(lambda: index.add(stored_bytes)))
        radius = 4  # faiss' radius is strict: this finds distance 3 and less
        matches = len(index.range_search(query_bytes, radius)[1])
        taken = median_seconds(lambda: index.range_search(query_bytes, radius), 3)
        yield row("100,000 planted queries, all matches", name, taken, matches=matches)


def disk() -> Iterator[Row]:
    """Measure all pairs out of core once for each size, in a process of its own."""
    for n, memory in ((10**6, GIB), (10**7, GIB), (10**8, GIB), (10**8, 4 * GIB), (10**9, 4 * GIB)):
        if n > LARGEST:
            continue
        with tempfile.TemporaryDirectory() as folder:
            values = Path(folder) / "values.npy"
            isolated(_write_planted, values, n)
            found, peak = isolated(_search_on_disk, values, memory)
            about = {"task": "all pairs, out of core", "fingerprints": n, "memory_limit_bytes": memory}
            yield {**about, **found, "peak_mb": round(peak)}


def growth() -> Iterator[Row]:
    """Measure all pairs of sd64 in memory once for each size and distance, in a process of its own."""
    for distance in (3, 6):
        for n in (10**6, 10**7, 10**8):
            if n <= min(LARGEST, 10**7 if distance == 6 else LARGEST):
                found, peak = isolated(_search_in_memory, n, distance)
                about = {"task": "all pairs, in memory", "fingerprints": n, "distance": distance}
                yield {**about, **found, "peak_mb": round(peak)}


def _search_in_memory(n: int, distance: int) -> Row:
    values = np.concatenate([planted_values(ONE_MILLION, SEED + number) for number in range(n // ONE_MILLION)])
    return _timed(lambda: find_all(values, distance=distance))


def _search_on_disk(values: Path, memory: int) -> Row:
    return _timed(lambda: find_all(values, output=PairFile(path=values.with_name("pairs.npy"), memory=memory)))


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
    """Write n planted fingerprints, a multiple of 10^6, as a .npy file."""
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<u8", "fortran_order": False, "shape": (n,)})
        for number in range(n // piece):
            planted_values(piece, SEED + number).tofile(file)


def segments() -> Iterator[Row]:
    """Measure an index in a directory: built, changed, merged and queried, each step in a process of its own."""
    steps: list[tuple[str, Callable[[Path, Path], Row]]] = [
        ("build", _build),
        (f"{QUERIES:,} queries", _query),
        (f"add {ADDED:,}", partial(_changed, _add)),
        ("remove 1,000", partial(_changed, _remove)),
        ("merge into one segment", partial(_changed, Corpus.merge)),
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


def _changed(change: Callable[[Corpus], object], values: Path, index: Path) -> Row:
    return {"seconds": seconds(lambda: change(Corpus.open(index, verify=False)))}


def _new(number: int) -> Values:
    return random_values(number, SEED - 1)


def _add(corpus: Corpus) -> None:
    corpus.add_many(_new(ADDED))


def _remove(corpus: Corpus) -> None:
    corpus.remove_many(_new(1000))


def _query(values: Path, index: Path) -> Row:
    """Measure queries 0 to 4 bits from a stored fingerprint: the first time in a process, and again."""
    rng = np.random.default_rng(SEED + 2)
    stored = np.load(values, mmap_mode="r")
    chosen = stored[np.sort(rng.integers(0, len(stored), QUERIES))]
    queries = flipped(rng.permutation(chosen), rng.integers(0, 5, QUERIES), rng)
    corpus = Corpus.open(index, verify=False)
    first = seconds(lambda: corpus.find_many(queries))
    again = median_seconds(lambda: corpus.find_many(queries), 3)
    single = queries[:2000].tolist()
    one = median_seconds(lambda: [corpus.find_all(value) for value in single], 3) / len(single)
    return {
        "first_seconds": first,
        "seconds": again,
        "one_query": one,
        "matches": len(corpus.find_many(queries).values),
    }


def issl(n: int = ONE_MILLION, bits: int = 1024) -> Iterator[Row]:
    """Measure slice lists: clusters of 20 signatures that differ from their centre in a fifth of the bits."""
    rng = np.random.default_rng(1)
    centres = rng.integers(0, 256, (n // 20, bits // 8), np.uint8)
    stored = np.repeat(centres, 20, axis=0)
    for part in np.array_split(stored, 20):
        part ^= np.packbits(rng.random((len(part), bits), np.float32) < 0.2, axis=1)
    queries = centres[:50] ^ np.packbits(rng.random((50, bits)) < 0.2, axis=1)
    about = {"fingerprints": n, "bits": bits}
    start = time.process_time()
    index = IsslIndex(stored, bits)
    build = row("build", f"simhash-doc ISSL, {n:,} x {bits} bits", time.process_time() - start)
    yield build | {"bytes": index.nbytes, "formula_bytes": 4 * (bits // 16) * (n + (1 << 16))}
    exact, flat = index.exhaustive(queries), _faiss_flat(stored)
    for errors in range(5):
        found = recall(index.search(queries, max_error=errors), exact=exact)
        searched = {"max_error": errors, "lists_a_slice": lists_checked(errors), "recall_at_10": found}
        search = partial(index.search, queries, max_error=errors)
        yield about | searched | _beside(search, partial(flat.search, queries, 10), len(queries))


def top_k() -> Iterator[Row]:
    """Measure the 10 nearest of random signatures on one thread, beside the exact index of faiss."""
    rng = np.random.default_rng(SEED)
    for n in (10**5, 10**6):
        for bits in (64, 128, 256, 512):
            stored = rng.integers(0, 256, (n, bits // 8), np.uint8)
            flips = np.zeros((40, bits), np.uint8)
            for one in flips:
                one[rng.permutation(bits)[: bits // 10]] = 1
            planted = rng.integers(0, n, len(flips))
            queries = stored[planted] ^ np.packbits(flips, axis=1)
            flat, about = _faiss_flat(stored), {"fingerprints": n, "bits": bits, "queries": len(queries)}
            exact = partial(flat.search, queries, 10)
            for engine in ("numpy", "native"):
                set_engine(engine)
                search = partial(find_nearest, stored, queries, 10, threads=1)
                yield about | {"search": "exhaustive", "engine": engine} | _beside(search, exact, len(queries))
            index = IsslIndex(stored, bits)
            for engine in ("numpy", "native"):
                set_engine(engine)
                positions = index.search(queries).positions
                found = float((positions == planted[:, None]).any(axis=1).mean())
                searched = {"search": "slice lists", "engine": engine, "planted_found": found}
                yield about | searched | _beside(partial(index.search, queries), exact, len(queries))


def _faiss_flat(stored: npt.NDArray[np.uint8]) -> Any:
    """Return the exact index of faiss, which searches on one thread."""
    import faiss

    faiss.omp_set_num_threads(1)
    flat = faiss.IndexBinaryFlat(8 * stored.shape[1])
    flat.add(stored)
    return flat


def _beside(ours: Callable[[], object], peer: Callable[[], object], queries: int, repeats: int = 7) -> Row:
    """Return the processor time of a query of both, in turn, and the median of the ratios."""
    pairs = [(_processor_seconds(ours), _processor_seconds(peer)) for _ in range(repeats + 1)][1:]
    return {
        "seconds": round(median(own for own, _ in pairs) / queries, 8),
        "faiss_seconds": round(median(other for _, other in pairs) / queries, 8),
        "times_faiss": round(median(own / other for own, other in pairs), 3),
        "times_faster": round(median(other / own for own, other in pairs), 3),
    }


def _processor_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def wide() -> Iterator[Row]:
    """Measure all pairs of 256 bits within *close* and *loose*."""
    for n, distance in ((10**5, 26), (10**6, 26), (10**6, 36), (10**7, 26), (10**7, 36)):
        # At the largest size, biased ones within 36 bits would take hours.
        yield from _pairs_of_256(n, distance, None, ("uniform",) if (n, distance) == (10**7, 36) else KINDS)


def first_lane() -> Iterator[Row]:
    """Measure all pairs of 256 bits within 20, and within 3 in the first 64; and all pairs within 15, as `wide`."""
    for n, distance, within in ((10**6, 20, 3), (10**7, 20, 3), (10**6, 15, None), (10**7, 15, None)):
        yield from _pairs_of_256(n, distance, within, KINDS)


KINDS = ("uniform", "biased")


def _pairs_of_256(n: int, distance: int, sd64_distance: int | None, kinds: tuple[str, ...]) -> Iterator[Row]:
    """Measure a search once for each kind of fingerprints, in a process of its own."""
    for kind in kinds:
        found, peak = isolated(_search_wide, kind, n, distance, sd64_distance)
        about = {"task": f"all pairs of {kind} fingerprints", "library": "simhash-doc", "fingerprints": n}
        yield {**about, "distance": distance, "sd64_distance": sd64_distance, **found, "peak_mb": round(peak)}


def _search_wide(kind: str, n: int, distance: int, sd64_distance: int | None) -> Row:
    values = planted_rows(kind, n)
    return _timed(lambda: find_all(values, distance=distance, sd64_distance=sd64_distance))


PARTS = {part.__name__: part for part in (million, disk, growth, segments, issl, top_k, wide, first_lane)}


def main() -> None:
    for part in chosen_parts(parser_of(__doc__), PARTS).parts:
        machines = results.read("lookup")["machines"] | {part: machine()}
        results.record("lookup", part, PARTS[part](), machines=machines)


if __name__ == "__main__":
    main()
