"""What is left out of a table of 301,000 rows, by `find_duplicate_rows` and by MinHash: time, memory, hits and errors.

    pip install datasketch rensa
    python -m benchmarks.deduplication                 # half an hour; docs/benchmarks/deduplication.json
    python -m benchmarks.deduplication templates       # the memory of templates only

The part rows runs each program on the table of `benchmarks.planted_table`. MinHash has 128 values of the set of words
and a least similarity of 0.8, as in the introductions of both libraries. A row is left out if the estimate for a row
that was kept is at least 0.8. An edit is found if one of it and its origin is left out for the other one. Every
row that is left out for a row of another origin is an error.

The part templates measures `find_duplicate_rows` on letters of one template.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from benchmarks import results
from benchmarks.measuring import Row, chosen_parts, isolated, parser_of, peak_mb, version
from benchmarks.planted_table import EDITS, ROWS, rows
from simhash_doc.duplicates.rows import find_duplicate_rows
from simhash_doc.thresholds import LEAST_SIMILARITY

VALUES, LEAST = 128, 0.8
TEMPLATES = (4_000, 12_000, 50_000, 100_000)

Kept = list[int | None]
"""For each row the row that is kept for it; None if the row itself is kept."""


def simhash_doc(texts: list[str], least: float = LEAST_SIMILARITY) -> Kept:
    """Return what `find_duplicate_rows` leaves out, by default or with a least similarity."""
    found = find_duplicate_rows(texts, min_similarity=least)
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
    "simhash-doc, min_similarity=0.8": partial(simhash_doc, least=LEAST),
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


def letters(count: int) -> list[str]:
    """Return letters that share 150 words and have 3 and a number of their own."""
    choose = random.Random(count)
    words = [f"{a}{b}{c}{d}" for a in "bdfgklmn" for b in "aeiou" for c in "prstvz" for d in "aeiou"]
    frame = choose.choices(words, k=150)
    return [" ".join([*frame[:5], *choose.choices(words, k=3), str(number), *frame[5:]]) for number in range(count)]


def of_template(count: int) -> Row:
    """Return what `find_duplicate_rows` takes for the letters of a template, and what it makes of them."""
    texts = letters(count)
    find_duplicate_rows(texts[:200])
    before, begun = peak_mb(), time.process_time()
    found = find_duplicate_rows(texts)
    cpu = time.process_time() - begun
    kept = int(found.kept.sum())
    return {"letters": count, "mb_of_texts": round(before), "cpu_seconds": round(cpu, 1), "kept": kept}


def templates() -> Iterator[Row]:
    """Measure each size in a process of its own."""
    for count in TEMPLATES:
        row, peak = isolated(of_template, count)
        yield row | {"peak_mb": round(peak)}


def main() -> None:
    """Measure, and write the results."""
    parser = parser_of(__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, help="size of the table of the part rows")
    options = chosen_parts(parser, ("rows", "templates"))
    versions = {name: version(name) for name in ("datasketch", "rensa", "simhash-doc-native")}
    about = {"command": "python -m benchmarks.deduplication", "versions": versions}
    if "rows" in options.parts:
        results.record("deduplication", "rows", compared(options.rows), total=options.rows, **about)
    if "templates" in options.parts:
        results.record("deduplication", "templates", templates(), **about)


if __name__ == "__main__":
    main()
