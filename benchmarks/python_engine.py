"""Print the speed of an engine as the other languages' benchmark programs do: python_engine ENGINE [SIZE] FILE...

Each file is cut into documents of SIZE bytes (default: one document), which are computed as one batch. The best time of
a batch within SECONDS, an environment variable (default: 2), counts.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from simhash_doc import set_engine
from simhash_doc.engines.select import select_engine
from simhash_doc.schemes import Scheme, get_schemes

SECONDS = float(os.environ.get("SECONDS", "2"))


def best_time(documents: list[bytes], scheme: Scheme) -> float:
    """Return the least elapsed time of a batch, in seconds."""
    size, best = sum(map(len, documents)), float("inf")
    begun = time.perf_counter()
    while best == float("inf") or time.perf_counter() - begun < SECONDS:
        start = time.perf_counter()
        select_engine(size).fingerprint_batch(documents, scheme.lanes)
        best = min(best, time.perf_counter() - start)
    return best


def main(engine: str, *arguments: str) -> None:
    set_engine(engine)
    sized = arguments[0].isdecimal()
    for name in arguments[sized:]:
        data = Path(name).read_bytes()
        step = int(arguments[0]) if sized else len(data)
        documents = [data[start : start + step] for start in range(0, len(data), step)]
        speeds = (
            f"  {scheme.id} {len(data) / best_time(documents, scheme) / 1e6:.1f} MB/s"
            for scheme in get_schemes().values()
        )
        print(f"{name}:{''.join(speeds)}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
