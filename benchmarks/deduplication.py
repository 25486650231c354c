"""What is left out of a table of 301,000 rows, by `find_duplicates` and by MinHash: time, memory, hits and errors.

    pip install datasketch rensa
    python -m benchmarks.deduplication                 # half an hour; docs/benchmarks/deduplication.json
    python -m benchmarks.deduplication growth          # time and memory of 10^4 to 10^6 rows of one kind

The part rows runs each program on the table of `benchmarks.planted_table`. MinHash has 128 values of the set of words
and a least similarity of 0.8, as in the introductions of both libraries. A row is left out if the estimate for a row
that was kept is at least 0.8. An edit is found if one of it and its origin is left out for the other one. Every
row that is left out for a row of another origin is an error.

The part growth measures `find_duplicates` on rows of one kind: `benchmarks.planted_table.records`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from benchmarks import results
from benchmarks.measuring import Row, chosen_parts, isolated, parser_of, peak_mb, version
from benchmarks.planted_table import EDITS, KINDS, ROWS, records, rows
from simhash_doc import Policy, find_duplicates

VALUES, LEAST = 128, 0.8
SIZES = (10_000, 100_000, 1_000_000)

Kept = list[int | None]
"""For each row the row that is kept for it; None if the row itself is kept."""


def simhash_doc(texts: list[str], policy: Policy | None = None) -> Kept:
    """Return what `find_duplicates` leaves out."""
    found = find_duplicates(texts, policy=policy)
    pairs = zip(found.representatives.tolist(), found.kept.tolist(), strict=True)
    return [None if kept else representative for representative, kept in pairs]


def datasketch(texts: list[str]) -> Kept:
    """Return what a MinHash LSH of datasketch leaves out."""
    from datasketch import MinHash, MinHashLSH

    index, signatures = MinHashLSH(LEAST, VALUES), dict[int, Any]()

    def signature(text: str) -> Any:
        one = MinHash(VALUES)
        one.update_batch([word.encode() for word in set(text.lower().split())])
        return one

    return _stream(map(signature, texts), index, signatures)


def rensa(texts: list[str]) -> Kept:
    """Return what a MinHash LSH of rensa leaves out."""
    from rensa import RMinHash, RMinHashLSH

    def signature(text: str) -> Any:
        one = RMinHash(VALUES, seed=42)
        one.update(list(set(text.lower().split())))
        return one

    return _stream(map(signature, texts), RMinHashLSH(LEAST, VALUES, 16), {})


def _stream(signed: Iterable[Any], index: Any, signatures: dict[int, Any]) -> Kept:
    kept: Kept = []
    for row, one in enumerate(signed):
        similar = (other for other in index.query(one) if one.jaccard(signatures[other]) >= LEAST)
        first = next(similar, None)
        kept.append(first)
        if first is None:
            index.insert(row, one)
            signatures[row] = one
    return kept


METHODS: dict[str, Callable[[list[str]], Kept]] = {
    "simhash-doc": simhash_doc,
    "simhash-doc, 0.8, numbers ignored": partial(simhash_doc, policy=Policy(min_similarity=LEAST, numbers="ignore")),
    "datasketch MinHash LSH": datasketch,
    "rensa MinHash LSH": rensa,
}


def judged(kept: Kept, table: Sequence[tuple[str, int, str]]) -> Row:
    """Return how many edits were found, and how many rows were left out for an unrelated one."""
    planted, found, errors = Counter[str](), Counter[str](), Counter[str]()
    edits = {origin: row for row, (_, origin, kind) in enumerate(table) if kind in EDITS}
    for row, (_, origin, kind) in enumerate(table):
        if kind in EDITS:
            planted[kind] += 1
        if (other := kept[row]) is not None:
            if table[other][1] == origin:
                found[table[edits[origin]][2]] += 1
            else:
                errors[kind.partition(",")[0]] += 1
    left_out = sum(one is not None for one in kept)
    return {
        "left_out": left_out,
        "duplicates": round(found.total() / max(1, left_out), 4),
        "errors": dict(errors),
        "recall": round(found.total() / planted.total(), 3),
        "recall_by_edit": {kind: round(found[kind] / planted[kind], 3) for kind in EDITS},
    }


def measured(name: str, total: int) -> Row:
    """Return what a method finds in the table, and its processor time."""
    table = list(rows(total))
    texts = [text for text, _, _ in table]
    METHODS[name](texts[:1000])  # imports and compiles
    before, begun = peak_mb(), time.process_time()
    kept = METHODS[name](texts)
    cpu = time.process_time() - begun
    return {"method": name, "cpu_seconds": round(cpu, 1), "mb_of_texts": round(before), **judged(kept, table)}


def compared(total: int) -> Iterator[Row]:
    """Measure each method in a process of its own."""
    for name in METHODS:
        row, peak = isolated(measured, name, total)
        yield {"method": row.pop("method"), "peak_mb": round(peak), **row}


def of_kind(kind: str, count: int) -> Row:
    """Return what `find_duplicates` takes for rows of a kind, and how many it keeps."""
    texts = list(records(kind, count))
    find_duplicates(texts[:200])
    before, begun = peak_mb(), time.process_time()
    found = find_duplicates(texts)
    cpu = time.process_time() - begun
    return {
        "kind": kind,
        "rows": count,
        "mb_of_texts": round(before),
        "cpu_seconds": round(cpu, 1),
        "microseconds_of_a_row": round(cpu / count * 1e6),
        "kept": int(found.kept.sum()),
        "kept_by_numbers": int((found.resembles >= 0).sum()),
    }


def growth(most: int) -> Iterator[Row]:
    """Measure each kind and size in a process of its own."""
    for kind in KINDS:
        for count in SIZES:
            if count <= most:
                row, peak = isolated(of_kind, kind, count)
                yield row | {"peak_mb": round(peak)}


def main() -> None:
    """Measure, and write the results."""
    parser = parser_of(__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, help="size of the table of the part rows")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="largest number of rows of the part growth")
    options = chosen_parts(parser, ("rows", "growth"))
    versions = {name: version(name) for name in ("datasketch", "rensa", "simhash-doc-native")}
    about = {"command": "python -m benchmarks.deduplication", "versions": versions}
    if "rows" in options.parts:
        results.record("deduplication", "rows", compared(options.rows), total=options.rows, **about)
    if "growth" in options.parts:
        results.record("deduplication", "growth", growth(options.most), **about)


if __name__ == "__main__":
    main()
