"""Measure what a close pair means among pages of one template, and write the figures of the documentation.

    python -m benchmarks.templates --list               # the commands that download the collections
    python -m benchmarks.templates --root DIR           # all collections that are unpacked in DIR
    python -m benchmarks.templates --root DIR --most 200 javadoc

True pairs share at least 80 % (Dice) of their word 8-grams; bad pairs share less than half.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import xxhash

from benchmarks import tables
from benchmarks.calibration.fingerprinting import HashedTokens, hash_tokens, minhashes, simhashes
from benchmarks.calibration.variants import tokens
from benchmarks.measuring import Row, machine
from simhash_doc.extract import ExtractionError, extract

COLLECTIONS = {  # name: the Debian package, and the glob of its files
    "boost reference": ("libboost1.74-doc", "usr/share/doc/libboost1.74-doc/**/*.html"),
    "debian policy": ("debian-policy", "usr/share/doc/debian-policy/policy.html/*.html"),
    "developers reference": ("developers-reference", "usr/share/developers-reference/*.html"),
    "javadoc": ("openjdk-17-doc", "usr/share/doc/openjdk-17-jre-headless/api/java.base/**/*.html"),
    "postgresql manual": ("postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html/*.html"),
    "python manual": ("python3.11-doc", "usr/share/doc/python3.11/html/**/*.html"),
    "qt reference": ("qtbase5-doc-html", "usr/share/qt5/doc/**/*.html"),
    "rustdoc": ("rust-doc", "usr/share/doc/rust-doc/html/std/**/*.html"),
    "sqlite manual": ("sqlite3-doc", "usr/share/doc/sqlite3/**/*.html"),
    "valgrind manual": ("valgrind", "usr/share/doc/valgrind/html/*.html"),
    "libstdc++ manual": ("libstdc++-12-doc", "usr/share/doc/gcc-12-base/**/*.html"),
    "licence notices": ("(installed)", "usr/share/doc/*/copyright"),
}
LARGEST = 2 << 20  # bytes of a file that is read
FEWEST_TOKENS, FEWEST_PAIRS = 20, 10
SAME, OTHER = 0.8, 0.5  # Dice of the sets of word 8-grams: at least the first is true, below the second is bad
LENGTHS = (100, 200, 500)
DISTANCES = (0, 1, 2, 3, 4, 5, 6)

Fingerprint = npt.NDArray[np.uint64]  # shape (lanes,)
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]


def find_files(root: Path, package: str, pattern: str, most: int) -> list[Path]:
    """Return at most `most` files of a collection, evenly spread over their names."""
    base = Path("/") if package == "(installed)" else root
    files = sorted(path for path in base.glob(pattern) if path.is_file() and path.stat().st_size <= LARGEST)
    return files[:: max(1, -(-len(files) // most))]


def _extracted(path: Path) -> str | None:
    try:
        return extract(path.read_bytes(), name=path.name).text
    except ExtractionError:
        return None


def _complete(path: Path) -> str | None:
    """Return all visible text of a page, its navigation included; None for a document that is not a page."""
    from resiliparse.extract.html2text import extract_plain_text

    if path.suffix != ".html":
        return None
    return str(extract_plain_text(path.read_bytes().decode("utf-8", "replace"), main_content=False))


READERS = {"extracted": _extracted, "complete pages": _complete}


def grams(words: Sequence[str], size: int) -> list[str]:
    """Return the sequences of `size` adjacent tokens, or all tokens as one if there are fewer."""
    return [" ".join(words[i : i + size]) for i in range(max(1, len(words) - size + 1))]


def _simhash(cap: int | None, features: Callable[[Sequence[str]], list[str]]) -> Callable[[Sequence[str]], Fingerprint]:
    return lambda words: simhashes(hash_tokens(features(words), 1), [cap])[0]


def _minhash(words: Sequence[str]) -> Fingerprint:
    counted = Counter(grams(words, 5))
    hashes = np.array([[xxhash.xxh64_intdigest(gram.encode())] for gram in counted], np.uint64)
    return minhashes(HashedTokens(hashes, np.ones(len(hashes), np.int64), np.arange(len(hashes))), 1)


FEATURES: dict[str, Callable[[Sequence[str]], Fingerprint]] = {
    "version 1": _simhash(8, list),
    "words uncapped": _simhash(None, list),
    "cap 16": _simhash(16, list),
    "cap 4": _simhash(4, list),
    "once": _simhash(1, list),
    "words + adjacent pairs": _simhash(8, lambda words: [*words, *grams(words, 2)]),
    "adjacent pairs": _simhash(8, lambda words: grams(words, 2)),
    "3+5-grams": _simhash(8, lambda words: [*grams(words, 3), *grams(words, 5)]),
    "1-bit MinHash, 5-grams": _minhash,
}


@dataclass(frozen=True, slots=True)
class Tally:
    """Pairs of one collection: found by a rule, true among them, bad among them, and true in all."""

    found: int
    true: int
    bad: int
    possible: int


Tallies = defaultdict[str, list[Tally]]


def row(tallies: Sequence[Tally]) -> Row:
    """Return counts over collections: shares of all pairs, and the mean of the collections' precisions.

    A collection in which fewer than `FEWEST_PAIRS` pairs were found has no part in the mean.
    """
    found, true, bad, possible = (
        sum(getattr(tally, name) for tally in tallies) for name in ("found", "true", "bad", "possible")
    )
    precisions = [tally.true / tally.found for tally in tallies if tally.found >= FEWEST_PAIRS]
    return {
        "pairs": found,
        "precision": true / found if found else None,
        "mean_precision": sum(precisions) / len(precisions) if precisions else None,
        "bad": bad / found if found else None,
        "recall": true / possible if possible else None,
    }


@dataclass(frozen=True, slots=True)
class Measured:
    """All pairs of the documents of one collection, as the upper triangle of square arrays.

    Attributes:
        dice: Dice coefficient of the sets of word 8-grams.
        shorter: tokens of the shorter document.
        ratio: ratio of the lengths, at most 1.
        distances: by kind of feature, and "sd128" and "sd256".
    """

    dice: Floats
    shorter: Integers
    ratio: Floats
    distances: dict[str, Integers]

    def tally(self, chosen: Booleans, among: Booleans | None = None) -> Tally:
        """Count a choice of pairs, where recall is among some pairs."""
        among = np.ones(len(self.dice), bool) if among is None else among
        chosen, true = chosen & among, self.dice >= SAME
        counts = (chosen, chosen & true, chosen & (self.dice < OTHER), true & among)
        return Tally(*(int(some.sum()) for some in counts))


def measure(documents: Sequence[Sequence[str]]) -> Measured:
    """Compare all pairs of documents, given as their tokens in order."""
    upper = np.triu_indices(len(documents), 1)
    lengths = np.array([len(words) for words in documents])
    shorter, longer = np.minimum(lengths[upper[0]], lengths[upper[1]]), np.maximum(lengths[upper[0]], lengths[upper[1]])
    distances = {
        name: _distances(np.array([fingerprint(words) for words in documents]))[upper]
        for name, fingerprint in FEATURES.items()
    }
    lanes = np.array([simhashes(hash_tokens(words, 4), [8])[0] for words in documents])
    distances |= {"sd128": _distances(lanes[:, :2])[upper], "sd256": _distances(lanes)[upper]}
    return Measured(_dice(documents)[upper], shorter, shorter / longer, distances)


def _distances(lanes: npt.NDArray[np.uint64]) -> Integers:
    total = np.zeros((len(lanes), len(lanes)), np.int64)
    for lane in range(lanes.shape[1]):
        total += np.bitwise_count(lanes[:, None, lane] ^ lanes[None, :, lane])
    return total


def _dice(documents: Sequence[Sequence[str]], size: int = 8) -> Floats:
    """Return the Dice coefficient of the sets of word n-grams of every two documents."""
    owners: dict[str, list[int]] = defaultdict(list)
    sizes = np.zeros(len(documents))
    for number, words in enumerate(documents):
        distinct = set(grams(words, size))
        sizes[number] = len(distinct)
        for gram in distinct:
            owners[gram].append(number)
    shared = np.zeros((len(documents), len(documents)))
    for numbers in owners.values():
        shared[np.ix_(numbers, numbers)] += 1
    return 2 * shared / (sizes[:, None] + sizes)


def second_looks(of: Measured) -> dict[str, Booleans]:
    """Return the rules that confirm candidates at sd64 distance 3, by their names."""
    close, loose = of.distances["version 1"] <= 3, of.distances["version 1"] <= 6
    sd128, sd256 = of.distances["sd128"], of.distances["sd256"]
    return {
        "sd64 <= 3": close,
        "and length ratio >= .9": close & (of.ratio >= 0.9),
        "and sd128 <= 8": close & (sd128 <= 8),
        "and sd256 <= 26": close & (sd256 <= 26),
        "and sd256 <= 20": close & (sd256 <= 20),
        "sd64 <= 6 and sd256 <= 20": loose & (sd256 <= 20),
        "sd256 <= 26 alone": sd256 <= 26,
    }


def run(root: Path, wanted: set[str], most: int) -> dict[str, Any]:
    """Measure each collection, and add the counts of all."""
    groups: dict[str, Tallies] = {
        name: defaultdict(list) for name in ("features", "distances", "lengths", "second_looks")
    }
    curves: dict[str, Tallies] = {name: defaultdict(list) for name in FEATURES}
    collections: dict[str, Row] = {}
    for collection, (package, pattern) in COLLECTIONS.items():
        if wanted and collection not in wanted:
            continue
        files = find_files(root, package, pattern, most)
        for name, read in READERS.items():
            # Of equal texts, one.
            found = {text: tokens(text) for path in files if (text := read(path)) is not None}
            documents = [words for words in found.values() if len(words) >= FEWEST_TOKENS]
            print(f"{collection}, {name}: {len(documents):,} documents", file=sys.stderr)
            if len(documents) > 1:
                measured = measure(documents)
                _count(measured, groups, curves)
                close = measured.tally(measured.distances["version 1"] <= 3)
                collections[f"{collection}, {name}"] = {"documents": len(documents), **row([close])}
    return {
        "machine": machine(),
        "most": most,
        **{group: {name: row(tallies) for name, tallies in of.items()} for group, of in groups.items()},
        "curves": {name: [row(curve[str(d)]) for d in DISTANCES] for name, curve in curves.items()},
        "collections": collections,
    }


def _count(measured: Measured, groups: dict[str, Tallies], curves: dict[str, Tallies]) -> None:
    version_1 = measured.distances["version 1"]
    for name in FEATURES:
        groups["features"][name].append(measured.tally(measured.distances[name] <= 3))
        for distance in DISTANCES:
            curves[name][str(distance)].append(measured.tally(measured.distances[name] <= distance))
    for distance in DISTANCES:
        groups["distances"][str(distance)].append(measured.tally(version_1 <= distance))
    edges = [0, *LENGTHS, np.iinfo(np.int64).max]
    names = [f"under {LENGTHS[0]}", *(f"{a} to {b}" for a, b in pairwise(LENGTHS)), f"over {LENGTHS[-1]}"]
    for name, (low, high) in zip(names, pairwise(edges), strict=True):
        among = (measured.shorter >= low) & (measured.shorter < high)
        groups["lengths"][name].append(measured.tally(version_1 <= 3, among))
    for name, chosen in second_looks(measured).items():
        groups["second_looks"][name].append(measured.tally(chosen))


def download_commands() -> str:
    """Return the collections, and the commands that download them."""
    packages = sorted({package for package, _ in COLLECTIONS.values() if package != "(installed)"})
    lines = [f"{name:24} {package:24} {pattern}" for name, (package, pattern) in COLLECTIONS.items()]
    lines += ["", f"mkdir -p DIR && cd DIR && apt-get download {' '.join(packages)}"]
    return "\n".join([*lines, "for package in *.deb; do dpkg-deb -x $package .; done"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="*", metavar="NAME", help="[default: all]")
    parser.add_argument("--root", type=Path, metavar="DIR", help="where the packages are unpacked")
    parser.add_argument("--list", action="store_true", help="print the collections and how to download them")
    parser.add_argument("--most", type=int, default=1000, metavar="N", help="documents of a collection [default: 1000]")
    arguments = parser.parse_args()
    if arguments.list or arguments.root is None:
        print(download_commands())
        return 0 if arguments.list else 2
    results = run(arguments.root, set(arguments.collections), arguments.most)
    if not results["collections"]:
        print("no collection was found below --root; --list prints how to download them", file=sys.stderr)
        return 1
    tables.write("templates", results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
