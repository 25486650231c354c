"""Measure what a close pair means among pages of one template, and write the figures of the documentation.

    python -m benchmarks.templates --list               # the commands that download the collections
    python -m benchmarks.templates --root DIR           # all collections that are unpacked in DIR
    python -m benchmarks.templates --root DIR --most 200 javadoc

True pairs share at least 80 % (Dice) of their word 8-grams; bad pairs share less than half.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.calibration.variants import tokens
from benchmarks.measuring import machine
from benchmarks.templates.collections import COLLECTIONS, READERS, Collection, Reader, find_files
from benchmarks.templates.features import FEATURES
from benchmarks.templates.measure import DISTANCES, LENGTHS, Measured, Tally, measure, row, second_looks
from benchmarks.templates.report import draw, tables

_FEWEST_TOKENS = 20
Tallies = defaultdict[str, list[Tally]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="*", metavar="NAME", help="[default: all]")
    parser.add_argument("--root", type=Path, metavar="DIR", help="where the packages are unpacked")
    parser.add_argument("--list", action="store_true", help="print the collections and how to download them")
    parser.add_argument("--most", type=int, default=1000, metavar="N", help="documents of a collection [default: 1000]")
    parser.add_argument("--output", type=Path, default=Path("docs/benchmarks"), metavar="DIR")
    arguments = parser.parse_args()
    if arguments.list or arguments.root is None:
        print(_download_commands())
        return 0 if arguments.list else 2
    arguments.output.mkdir(parents=True, exist_ok=True)
    results = run(arguments.root, set(arguments.collections), arguments.most)
    if not results["collections"]:
        print("no collection was found below --root; --list prints how to download them", file=sys.stderr)
        return 1
    path = arguments.output / "templates.json"
    path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    (arguments.output / "templates-tables.md").write_text(tables(results), encoding="utf-8")
    draw(results, arguments.output / "templates-curves.svg")
    return 0


def _download_commands() -> str:
    packages = sorted({one.package for one in COLLECTIONS if not one.package.startswith("(")})
    return "\n".join(
        [
            *(f"{one.name:24} {one.package:24} {one.pattern}" for one in COLLECTIONS),
            "",
            f"mkdir -p DIR && cd DIR && apt-get download {' '.join(packages)}",
            "for package in *.deb; do dpkg-deb -x $package .; done",
        ]
    )


def run(root: Path, wanted: set[str], most: int) -> dict[str, Any]:
    """Measure each collection, and add the counts of all."""
    groups: dict[str, Tallies] = {name: defaultdict(list) for name in ("features", "lengths", "distances", "looks")}
    curves: dict[str, Tallies] = {name: defaultdict(list) for name in FEATURES}
    collections: dict[str, dict[str, Any]] = {}
    for collection in COLLECTIONS:
        if wanted and collection.name not in wanted:
            continue
        for name, read in READERS.items():
            documents = _documents(root, collection, most, read)
            print(f"{collection.name}, {name}: {len(documents):,} documents", file=sys.stderr)
            if len(documents) > 1:
                measured = measure(documents)
                _count(measured, groups, curves)
                close = measured.tally(measured.distances["version 1"] <= 3)
                collections[f"{collection.name}, {name}"] = {"documents": len(documents), **row([close])}
    return {
        "machine": machine(),
        "most": most,
        "features": {name: row(tallies) for name, tallies in groups["features"].items()},
        "distances": {name: row(tallies) for name, tallies in groups["distances"].items()},
        "lengths": {name: row(tallies) for name, tallies in groups["lengths"].items()},
        "second_looks": {name: row(tallies) for name, tallies in groups["looks"].items()},
        "curves": {name: [row(curve[str(d)]) for d in DISTANCES] for name, curve in curves.items()},
        "collections": collections,
    }


def _documents(root: Path, collection: Collection, most: int, read: Reader) -> list[list[str]]:
    """Return the tokens of each text; of equal texts, one."""
    files = find_files(root, collection, most)
    found = {text: tokens(text) for path in files if (text := read(path)) is not None}
    return [one for one in found.values() if len(one) >= _FEWEST_TOKENS]


def _count(measured: Measured, groups: dict[str, Tallies], curves: dict[str, Tallies]) -> None:
    version_1 = measured.distances["version 1"]
    for name in FEATURES:
        groups["features"][name].append(measured.tally(measured.distances[name] <= 3))
        for distance in DISTANCES:
            curves[name][str(distance)].append(measured.tally(measured.distances[name] <= distance))
    for distance in DISTANCES:
        groups["distances"][str(distance)].append(measured.tally(version_1 <= distance))
    edges = [0, *LENGTHS, np.iinfo(np.int64).max]
    names = [f"under {LENGTHS[0]}", *(f"{a} to {b}" for a, b in pairwise(LENGTHS))]
    for name, low, high in zip([*names, f"over {LENGTHS[-1]}"], edges, edges[1:], strict=False):
        among = (measured.shorter >= low) & (measured.shorter < high)
        groups["lengths"][name].append(measured.tally(version_1 <= 3, among))
    for name, chosen in second_looks(measured).items():
        groups["looks"][name].append(measured.tally(chosen))


if __name__ == "__main__":
    sys.exit(main())
