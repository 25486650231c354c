"""Measure near-duplicate search and its peers in one run, and write the figures that the documentation shows.

    python -m benchmarks.lookup            # all, about ten minutes
    python -m benchmarks.lookup growth     # one part of: million, growth, disk, segments, issl, probing, wide, lanes

The part disk needs 20 bytes of disk for each fingerprint of its largest size, 10^8 unless SIMHASH_DOC_BENCH_LARGEST
is another, such as 1000000000. The part segments needs 140 bytes for each, of at most 10^8.
SIMHASH_DOC_BENCH_CORPUS is the folder of the calibration corpus, whose pairs the part lanes counts, too.

Peers come with `pip install 'simhash-doc[bench]'`; one that is not installed is left out.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks import lookup_peers
from benchmarks.lookup_data import Values, edited_texts, planted, random_values
from benchmarks.lookup_external import growth_on_disk
from benchmarks.lookup_peers import ONE_MILLION, Row, row
from benchmarks.lookup_report import write_report
from benchmarks.lookup_segments import growth_of_segments
from benchmarks.lookup_wide import recall_of_lanes, wide
from benchmarks.measuring import isolated, machine, median_seconds, version
from simhash_doc import buckets
from simhash_doc.lookup import Corpus, IsslIndex, find_all, find_clusters, find_probable, recall
from simhash_doc.lookup.issl import list_bytes, lists_checked
from simhash_doc.lookup.multiprobe import fingerprints_of

RESULTS = Path(__file__).parent.parent / "docs/benchmarks"


def ours_at_a_million() -> list[Row]:
    data = planted(ONE_MILLION)
    rows = []
    for blocks in (4, 5, 6):
        name = f"simhash-doc, {blocks} blocks"
        found = len(find_all(data.stored, blocks))
        seconds = median_seconds(partial(find_all, data.stored, blocks))
        rows.append(row("all pairs", name, seconds, matches=found))
        seconds = median_seconds(partial(find_clusters, data.stored, blocks))
        rows.append(row("clusters", name, seconds))
        build = median_seconds(partial(_built, data.stored, blocks), 3)
        corpus = _built(data.stored, blocks)
        rows.append(row("build", name, build, bytes=corpus.nbytes))
        rows += _query_rows(corpus, data.queries, name)
        uniform = _built(random_values(ONE_MILLION), blocks)
        seconds = median_seconds(partial(uniform.find_all_bulk, random_values(ONE_MILLION, 7)), 3)
        rows.append(row("1,000,000 random queries, all matches", name, seconds))
    return rows


def _built(values: Values, blocks: int, distance: int = 3) -> Corpus:
    corpus = Corpus(blocks, distance)
    corpus.insert_bulk(values)
    return corpus


def _query_rows(corpus: Corpus, queries: Values, name: str) -> list[Row]:
    found = len(corpus.find_all_bulk(queries))
    single = queries[:5000].tolist()
    return [
        row(
            "100,000 planted queries, all matches",
            name,
            median_seconds(lambda: corpus.find_all_bulk(queries)),
            matches=found,
        ),
        row("100,000 planted queries, first match", name, median_seconds(lambda: corpus.find_first_bulk(queries))),
        row("one query", name, median_seconds(lambda: [corpus.find_all(value) for value in single]) / len(single)),
    ]


def growth_of(task: str, n: int) -> dict[str, float]:
    """Measure one task at one size; called in a process of its own, so that memory is that of the task."""
    data = planted(n)
    if task == "all pairs":
        return {"seconds": median_seconds(lambda: find_all(data.stored), 3)}
    if task == "clusters":
        return {"seconds": median_seconds(lambda: find_clusters(data.stored), 3)}
    corpus = Corpus()
    build = median_seconds(lambda: corpus.insert_bulk(data.stored), 1)
    result = {"seconds": build, "bytes": float(corpus.nbytes)}
    for entry in _query_rows(corpus, data.queries, ""):
        result[str(entry["task"])] = float(str(entry["seconds"]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus"
        result["save"] = median_seconds(lambda: corpus.save(path), 1)
        result["open, checksums compared"] = median_seconds(lambda: Corpus.open(path), 1)
        result["open, not compared"] = median_seconds(lambda: Corpus.open(path, verify=False), 1)
    return result


def growth() -> list[Row]:
    rows = []
    for n in (10**4, 10**5, 10**6, 10**7):
        for task in ("all pairs", "clusters", "build"):
            result, peak = isolated(growth_of, task, n)
            rows.append({"task": task, "fingerprints": n, "peak_mb": round(peak), **result})
            print(rows[-1], flush=True)
    return rows


def issl(n: int = ONE_MILLION, bits: int = 1024) -> list[Row]:
    """Measure slice lists: clusters of 20 signatures that differ from their centre in a fifth of the bits."""
    rng = np.random.default_rng(1)
    centres = rng.integers(0, 256, (n // 20, bits // 8), np.uint8)
    stored = np.repeat(centres, 20, axis=0)
    for part in np.array_split(stored, 20):
        part ^= np.packbits(rng.random((len(part), bits), np.float32) < 0.2, axis=1)
    queries = centres[:50] ^ np.packbits(rng.random((50, bits)) < 0.2, axis=1)
    made: list[IsslIndex] = []
    name = f"simhash-doc ISSL, {n:,} x {bits} bits"
    rows = [row("build", name, median_seconds(lambda: made.append(IsslIndex(stored, bits)), 1))]
    index = made[0]
    rows[0] |= {"bytes": index.nbytes, "formula_bytes": list_bytes(n, bits)}
    exact = index.exhaustive(queries)
    for errors in range(5):
        found = index.search(queries, max_error=errors)
        for threads in (1, 2):
            seconds = median_seconds(partial(index.search, queries, max_error=errors, threads=threads), 3)
            rows.append(
                row("one query", name, seconds / len(queries), max_error=errors, threads=threads)
                | {"lists_a_slice": lists_checked(errors), "recall_at_10": recall(found, exact)}
            )
    rows.append(row("one query", "exhaustive, numpy", median_seconds(lambda: index.exhaustive(queries[:5]), 1) / 5))
    if release := version("faiss-cpu"):
        import faiss

        faiss.omp_set_num_threads(1)
        flat = faiss.IndexBinaryFlat(bits)
        flat.add(stored)
        seconds = median_seconds(lambda: flat.search(queries, 10), 3) / len(queries)
        rows.append(row("one query", f"exhaustive, faiss-cpu {release} IndexBinaryFlat, 50 queries at once", seconds))
        seconds = median_seconds(lambda: flat.search(queries[:1], 10), 5)
        rows.append(row("one query", f"exhaustive, faiss-cpu {release} IndexBinaryFlat, one query alone", seconds))
    return rows


def probing() -> list[Row]:
    return [*probing_among(ONE_MILLION), *probing_among(10 * ONE_MILLION)]


def probing_among(n: int, texts: int = 6000) -> list[Row]:
    """Measure recall of edited texts at distances 4 to 6 among n others, by probes and by more blocks."""
    pairs = edited_texts(texts)
    asked = np.array([buckets(changed) for _, changed in pairs])
    queries, originals = fingerprints_of(asked), fingerprints_of(np.array([buckets(text) for text, _ in pairs]))
    distances = np.bitwise_count(queries ^ originals)
    chosen = np.flatnonzero((distances >= 4) & (distances <= 6))
    stored = np.concatenate((originals, random_values(n)))
    corpus = _built(stored, 5)
    rows: list[Row] = []

    def add(name: str, found: set[tuple[int, int]], seconds: float, **more: object) -> None:
        hit = np.array([(at, int(originals[query])) in found for at, query in enumerate(chosen.tolist())])
        shares = {bits: float(hit[distances[chosen] == bits].mean()) for bits in (4, 5, 6)}
        by_distance = {f"recall_at_{bits}": round(share, 3) for bits, share in shares.items()}
        rows.append(
            row(
                f"among {n:,}, one query in bulk",
                name,
                seconds / len(chosen),
                **by_distance,
                queries=len(chosen),
                **more,
            )
        )

    for probes in (1, 8, 32, 128, 512):
        found = find_probable(corpus, asked[chosen], 6, probes)
        seconds = median_seconds(partial(find_probable, corpus, asked[chosen], 6, probes), 1)
        matched = set(zip(found.queries.tolist(), found.values.tolist(), strict=True))
        add(f"5 blocks, {probes} probes", matched, seconds, bytes=corpus.nbytes)
    for blocks, distance in ((6, 4), (7, 5), (8, 6)):
        wider = _built(stored, blocks, distance)
        exact = wider.find_all_bulk(queries[chosen])
        seconds = median_seconds(partial(wider.find_all_bulk, queries[chosen]), 1)
        matched = set(zip(exact.queries.tolist(), exact.values.tolist(), strict=True))
        add(f"exact to {distance} bits, {blocks} blocks", matched, seconds, bytes=wider.nbytes)
    return rows


PARTS: dict[str, Callable[[], list[Row]]] = {
    "million": lambda: [*ours_at_a_million(), *lookup_peers.peers()],
    "growth": growth,
    "disk": growth_on_disk,
    "segments": growth_of_segments,
    "issl": issl,
    "probing": probing,
    "wide": wide,
    "lanes": recall_of_lanes,
}


def main() -> None:
    chosen = sys.argv[1:] or list(PARTS)
    if unknown := set(chosen) - set(PARTS):
        sys.exit(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / "lookup.json"
    results = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for part in chosen:
        results[part] = PARTS[part]()
        results.setdefault("machines", {})[part] = machine()
        for entry in results[part]:
            print(part, entry, flush=True)
        path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    write_report(results, RESULTS)


if __name__ == "__main__":
    main()
