"""Other libraries for all pairs of fingerprints of 256 bits, on the same data; faiss in one thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.measuring import version

Row = dict[str, object]
Search = Callable[[Any, int], int]
BITS = 256
_PROBES = 8
_NEIGHBOURS = 10


def searches() -> Iterator[tuple[str, str, int, Search]]:
    """Yield name, kind of data, number of fingerprints and search for each library that is installed."""
    if release := version("faiss-cpu"):
        name = f"faiss-cpu {release}"
        yield f"{name} IndexBinaryFlat", "biased", 10**5, flat
        yield f"{name} IndexBinaryMultiHash 9x28, 2 flips", "biased", 10**5, multi_hash
        yield f"{name} IndexBinaryHNSW, {_NEIGHBOURS} nearest", "biased", 10**5, hnsw
        for n in (10**5, 10**6):
            yield f"{name} IndexBinaryIVF, {_PROBES} of sqrt(n) lists", "biased", n, inverted_lists
    if release := version("hammingbird"):
        yield f"hammingbird {release}", "biased", 50_000, hammingbird_pairs  # 11 GB of memory at 10^5
        yield f"hammingbird {release}", "uniform", 10**5, hammingbird_pairs


def measured(search: Search, kind: str, n: int, distance: int) -> Row:
    """Measure a search, with the building of its index."""
    from benchmarks.lookup_wide import planted_rows

    rows = planted_rows(kind, n).astype(">u8").view(np.uint8).reshape(n, BITS // 8)
    if version("faiss-cpu"):
        import faiss

        faiss.omp_set_num_threads(1)
    start, used = time.perf_counter(), time.process_time()
    pairs = search(rows, distance)
    return {
        "seconds": round(time.perf_counter() - start, 2),
        "processor_seconds": round(time.process_time() - used, 2),
        "pairs": pairs,
    }


def _pairs_in_range(index: Any, rows: Any, distance: int) -> int:
    """Return the number of pairs: each is found twice, and each fingerprint finds itself."""
    ends, _, labels = index.range_search(rows, distance + 1)  # faiss' radius is strict
    queries = np.repeat(np.arange(len(rows)), np.diff(ends.astype(np.int64)))
    return _distinct(queries, labels)


def _distinct(queries: Any, found: Any) -> int:
    """Return the number of distinct pairs; an approximate index may find a pair from one side only."""
    a, b = np.minimum(queries, found), np.maximum(queries, found)
    return len(np.unique((a * (1 << 32) + b)[a != b]))


def flat(rows: Any, distance: int) -> int:
    import faiss

    index = faiss.IndexBinaryFlat(BITS)
    index.add(rows)
    return _pairs_in_range(index, rows, distance)


def multi_hash(rows: Any, distance: int) -> int:
    """Exact to 26 bits: of nine parts of 28 bits, one differs in at most two."""
    import faiss

    index = faiss.IndexBinaryMultiHash(BITS, 9, 28)
    index.nflip = 2
    index.add(rows)
    return _pairs_in_range(index, rows, distance)


def inverted_lists(rows: Any, distance: int) -> int:
    import faiss

    index = faiss.IndexBinaryIVF(quantizer := faiss.IndexBinaryFlat(BITS), BITS, int(len(rows) ** 0.5))
    index.nprobe = _PROBES
    index.train(rows[:: max(1, len(rows) // 50_000)])
    index.add(rows)
    found = _pairs_in_range(index, rows, distance)
    del quantizer  # the index refers to it
    return found


def hnsw(rows: Any, distance: int) -> int:
    import faiss

    index = faiss.IndexBinaryHNSW(BITS, 16)
    index.hnsw.efSearch = 64
    index.add(rows)
    distances, labels = index.search(rows, _NEIGHBOURS)
    queries = np.repeat(np.arange(len(rows)), _NEIGHBOURS).reshape(labels.shape)
    near = (distances <= distance) & (labels >= 0)
    return _distinct(queries[near], labels[near])


def hammingbird_pairs(rows: Any, distance: int) -> int:
    import hammingbird

    return len(hammingbird.find_pairs_self_bit(rows, distance))
