"""Measure the overhead of the conformance protocol: the time per request that is not spent in the adapter.

    python -m benchmarks.conformance_overhead

The reference adapter answers the same requests in this process and in an adapter process. The difference is the cost of
JSON in both directions, two pipes and process switches. The last row is the complete runner with the published vectors,
on an adapter process that has already loaded its Unicode tables.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.measuring import machine
from simhash_doc.conformance.adapter import Adapter
from simhash_doc.conformance.package_implementation import PackageImplementation
from simhash_doc.conformance.process import AdapterProcess
from simhash_doc.conformance.runner import run
from simhash_doc.conformance.suite import load_suite

ADAPTER = [sys.executable, "-c", "from simhash_doc.cli import main; main()", "conformance", "adapter"]
REQUESTS = 2000  # per kind and round
ROUNDS = 5
GOAL = 0.2  # milliseconds per request
TEXT = "The quick brown fox jumps over the lazy dog. "
KINDS: dict[str, dict[str, Any]] = {
    "decode": {"op": "decode", "text": "sd64:raeidodvqipge"},
    "fold, 45 bytes": {"op": "fold", "text": TEXT},
    "fingerprint, 45 bytes": {"op": "fingerprint", "text": TEXT, "scheme": "sd64"},
    "fingerprint, 4.5 KB": {"op": "fingerprint", "text": 100 * TEXT, "scheme": "sd64"},
}


class RunningTarget:
    """A target whose process continues between runs."""

    kind = "command"

    def __init__(self, process: AdapterProcess) -> None:
        self._process = process
        self.handshake = process.handshake

    def connect(self, timeout: float, suite: str, stop: int | None = None) -> RunningTarget:
        return self

    def ask(self, request: Mapping[str, Any], key: str = "") -> dict[str, Any]:
        return self._process.ask(request)

    def close(self) -> None:
        pass

    kill = close


def milliseconds(rounds: list[Callable[[], None]], count: int) -> list[float]:
    """Return the median time per request of each function, in ms. The functions run in turns under the same load."""
    times: list[list[float]] = [[] for _ in rounds]
    for _ in range(ROUNDS):
        for function, taken in zip(rounds, times, strict=True):
            start = time.perf_counter()
            function()
            taken.append((time.perf_counter() - start) * 1000 / count)
    return [statistics.median(taken) for taken in times]


def main() -> int:
    """Print the table, and return 1 if the goal is missed."""
    adapter, suite = Adapter(PackageImplementation()), load_suite()
    process = AdapterProcess(ADAPTER, 60, suite.version)
    print(f"{'request':<24}{'in process':>12}{'by protocol':>13}{'overhead':>10}   (ms, median of {ROUNDS} rounds)")
    worst = 0.0
    for name, request in KINDS.items():

        def here(request: dict[str, Any] = request) -> None:
            for number in range(REQUESTS):
                adapter.answer({"id": number, **request})

        def there(request: dict[str, Any] = request) -> None:
            for _ in range(REQUESTS):
                process.ask(request)

        worst = max(worst, row(name, *milliseconds([here, there], REQUESTS)))
    requests = [request for case in suite.cases for request in case.requests()]

    def suite_here() -> None:
        for number, request in enumerate(requests):
            adapter.answer({"id": number, **request})

    def suite_there() -> None:
        run(suite.cases, RunningTarget(process), suite=suite.version)

    suite_here()
    in_process, by_runner = milliseconds([suite_here, suite_there], len(requests))
    worst = max(worst, row(f"all {len(suite.cases)} cases", in_process, by_runner))
    process.close()
    print(f"goal: under {GOAL} ms per request; worst {worst:.3f} ms")
    measured_on = machine()
    print(f"machine: {measured_on['processor']}, {measured_on['cores']} CPUs, ", end="")
    print(f"Python {measured_on['python']}, load {os.getloadavg()[0]:.1f}")
    return int(worst >= GOAL)


def row(name: str, here: float, there: float) -> float:
    """Print a row, and return the overhead in ms."""
    print(f"{name:<24}{here:>12.3f}{there:>13.3f}{there - here:>10.3f}")
    return there - here


if __name__ == "__main__":
    sys.exit(main())
