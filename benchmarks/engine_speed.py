"""Print the speed of an engine of the installed package: python -P benchmarks/engine_speed.py ENGINE [SIZE] FILE...

Each file is cut into documents of SIZE bytes (default: one document), which are given to the engine together. The time
is the CPU time of the fastest batch within SECONDS, an environment variable.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from simhash_doc import set_engine
from simhash_doc.engines.select import select_engine
from simhash_doc.schemes import get_schemes


def main(engine: str, arguments: list[str]) -> None:
    set_engine(engine)
    size = int(arguments.pop(0)) if arguments[0].isdecimal() else 0
    for name in arguments:
        data = Path(name).read_bytes()
        step = size or len(data)
        documents = [data[start : start + step] for start in range(0, len(data), step)]
        rates = (f"  {scheme.id} {rate(documents, scheme.lanes):.1f} MB/s" for scheme in get_schemes().values())
        print(f"{name}:{''.join(rates)}", flush=True)


def rate(documents: list[bytes], lanes: int) -> float:
    """Return MB/s."""
    total, best = sum(map(len, documents)), float("inf")
    begun = time.perf_counter()
    while best == float("inf") or time.perf_counter() - begun < float(os.environ["SECONDS"]):
        start = time.process_time()
        select_engine(total).measure_batch(documents, lanes)
        best = min(best, time.process_time() - start)
    return total / best / 1e6


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
