"""What programs leave out of collections of which it is known what may be left out: how much of it is wrong.

    pip install datasketch rensa licensedcode-data
    python -m benchmarks.left_out                      # some minutes; docs/benchmarks/left-out.json
    python -m benchmarks.left_out pairs CORPUS_DIR     # versions of one work that the rule leaves out

The part collections runs the programs of `benchmarks.deduplication` on each collection of
`benchmarks.known_duplicates`, which says what is wrong. The part pairs takes two versions of one work at a time, from
the corpus of `benchmarks.calibration`. It counts the pairs of which `find_duplicates` leaves out one version.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from benchmarks import results
from benchmarks.calibration.corpus import Corpus, load
from benchmarks.deduplication import METHODS, Kept
from benchmarks.known_duplicates import COLLECTIONS, SEED, Collection
from benchmarks.measuring import Row, parser_of, version
from simhash_doc import find_duplicates

EDITS = ("tiny", "small", "medium")


def judged(kept: Kept, collection: Collection) -> Row:
    """Return how many texts are left out, how many of them wrongly, and how many of the planted ones are found."""
    left = [(row, other) for row, other in enumerate(kept) if other is not None]
    wrong = sum(collection.wrong(row, other) for row, other in left)
    row: Row = {"left_out": len(left), "wrong": wrong}
    return row if collection.planted is None else row | {"found": len(left) - wrong}


def collections() -> Iterator[Row]:
    """Run each program on each collection."""
    for name, read in COLLECTIONS.items():
        collection = read()
        row: Row = {"collection": name, "texts": len(collection.texts), **collection.about}
        if collection.planted is not None:
            row["planted"] = collection.planted
        yield row | {"programs": {name: judged(run(collection.texts), collection) for name, run in METHODS.items()}}


def pairs(corpus: Corpus) -> Iterator[Row]:
    """Count the pairs of versions of one work of which one is left out, by kind."""
    counted, found = Counter[str](), Counter[str]()
    for pair in corpus.pairs:
        kind = f"revision, {pair.edit_class}" if pair.edit_class in EDITS else pair.relation
        if pair.synthetic or pair.hard or kind == "revision":
            continue
        counted[kind] += 1
        texts = [corpus.documents[one].text for one in (pair.a, pair.b)]
        found[kind] += not find_duplicates(texts, workers=1).kept.all()
    for kind, count in counted.items():
        yield {"kind": kind, "pairs": count, "left_out": found[kind], "share": round(found[kind] / count, 3)}


def main() -> None:
    """Measure, and write the results."""
    parser = parser_of(__doc__)
    parser.add_argument("part", nargs="?", choices=("collections", "pairs"), default="collections")
    parser.add_argument("corpus", nargs="?", type=load, metavar="CORPUS_DIR", help="of the part pairs")
    options = parser.parse_args()
    if options.part == "pairs":
        if options.corpus is None:
            parser.error("the part pairs needs CORPUS_DIR")
        results.record("left-out", "pairs", pairs(options.corpus))
    else:
        names = ("datasketch", "rensa", "licensedcode-data", "simhash-doc-native")
        about = {
            "command": "python -m benchmarks.left_out",
            "seed": SEED,
            "versions": {one: version(one) for one in names},
        }
        results.record("left-out", "collections", collections(), **about)


if __name__ == "__main__":
    main()
