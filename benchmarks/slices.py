"""Measure the searches of a store by the number of slices: `sd256` in SQLite, uniform fingerprints.

    python -m benchmarks.slices

It writes docs/benchmarks/slices.json. Times are of the processor, and those of searches the mean of 60 queries 12 bits
from a stored fingerprint.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks import results
from benchmarks.measuring import Row, parser_of
from simhash_doc import Fingerprint
from simhash_doc.arrays import ints_from_lanes
from simhash_doc.store import Document, FingerprintStore
from simhash_doc.store.layout import expected_candidates

SLICES = (27, 18, 14)  # one more than *close*; one more than 17 bits; the default
DISTANCES = (17, 26)
QUERIES = 60


def measure(count: int) -> Iterator[Row]:
    """Yield a row for each number of slices."""
    rng = np.random.default_rng(5)
    values = ints_from_lanes(rng.integers(0, 2**64, (count, 4), np.uint64))
    flips = [rng.choice(256, 12, replace=False).tolist() for _ in range(QUERIES)]
    chosen = values[:: count // QUERIES][:QUERIES]
    queries = [
        Fingerprint(one ^ sum(1 << bit for bit in bits), "sd256") for one, bits in zip(chosen, flips, strict=True)
    ]
    for slices in SLICES:
        with tempfile.TemporaryDirectory() as folder, FingerprintStore(Path(folder, "near.sqlite")) as store:
            store.create_collection("default", scheme="sd256", slices=slices)
            start = time.process_time()
            store.add_many(Document(str(at), Fingerprint(value, "sd256")) for at, value in enumerate(values))
            row: Row = {"slices": slices, "microseconds_to_add": round((time.process_time() - start) / count * 1e6)}
            row["bytes"] = store.stats()[0].bytes // count
            for distance in DISTANCES:
                start = time.process_time()
                found = [len(matches) for matches in store.find_many(queries, distance=distance)]
                assert found == [1] * QUERIES
                row[f"ms_within_{distance}"] = round((time.process_time() - start) / QUERIES * 1000, 2)
                row[f"candidates_within_{distance}"] = round(expected_candidates(count, 256, slices, distance))
            yield row


def main() -> None:
    parser_of(__doc__).parse_args()
    for count in (10**5, 10**6):
        results.record("slices", str(count), measure(count), made_by="python -m benchmarks.slices")


if __name__ == "__main__":
    main()
