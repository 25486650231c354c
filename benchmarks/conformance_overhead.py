"""What the protocol costs: time per request through the runner's process, less the time that the adapter works.

    python benchmarks/conformance_overhead.py

The reference adapter answers the same requests in this process and in one that speaks the
protocol. The difference is JSON both ways, two pipes, and the switch between processes. The
last row is the whole runner with the published vectors, judging included, on a process that
has loaded its tables, as this one has.
"""

from __future__ import annotations

import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from simhash_doc.conformance.adapter import Adapter
from simhash_doc.conformance.process import AdapterProcess
from simhash_doc.conformance.runner import run
from simhash_doc.conformance.steps import PackageSteps
from simhash_doc.conformance.suite import load_suite

ADAPTER = [sys.executable, "-c", "from simhash_doc.cli import main; main()", "conformance", "adapter"]
REQUESTS = 2000  # of one kind in a round
ROUNDS = 5
GOAL = 0.2  # milliseconds a case
TEXT = "The quick brown fox jumps over the lazy dog. "
KINDS: dict[str, dict[str, Any]] = {
    "decode": {"op": "decode", "text": "sd64:raeidodvqipge"},
    "fold, 45 bytes": {"op": "fold", "text": TEXT},
    "fingerprint, 45 bytes": {"op": "fingerprint", "text": TEXT, "scheme": "sd64"},
    "fingerprint, 4.5 KB": {"op": "fingerprint", "text": 100 * TEXT, "scheme": "sd64"},
}


class Started:
    """A target whose process goes on from run to run."""

    kind = "command"

    def __init__(self, process: AdapterProcess) -> None:
        self._process = process
        self.handshake = process.handshake

    def connect(self, timeout: float, suite: str, stop: int | None = None) -> Started:
        return self

    def ask(self, request: Mapping[str, Any], key: str = "") -> dict[str, Any]:
        return self._process.ask(request)

    def close(self) -> None:
        pass

    kill = close


def milliseconds(rounds: list[Callable[[], None]], count: int) -> list[float]:
    """Return the median time of each function per request, taken in turns so that all see the same machine."""
    times: list[list[float]] = [[] for _ in rounds]
    for _ in range(ROUNDS):
        for function, taken in zip(rounds, times, strict=True):
            start = time.perf_counter()
            function()
            taken.append((time.perf_counter() - start) * 1000 / count)
    return [statistics.median(taken) for taken in times]


def main() -> int:
    """Print the table, and return 1 if the goal is missed."""
    adapter, suite = Adapter(PackageSteps()), load_suite()
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
        run(suite.cases, Started(process), suite=suite.version)

    suite_here()
    in_process, by_runner = milliseconds([suite_here, suite_there], len(requests))
    worst = max(worst, row(f"all {len(suite.cases)} cases", in_process, by_runner))
    process.close()
    print(f"goal: under {GOAL} ms a request; worst {worst:.3f} ms")
    print(f"machine: {processor()}, {os.cpu_count()} CPUs, {platform.system()} {platform.release()}, ", end="")
    print(f"{platform.python_implementation()} {platform.python_version()}, load {os.getloadavg()[0]:.1f}")
    return int(worst >= GOAL)


def row(name: str, here: float, there: float) -> float:
    """Print a row and return the overhead."""
    print(f"{name:<24}{here:>12.3f}{there:>13.3f}{there - here:>10.3f}")
    return there - here


def processor() -> str:
    """Return the processor's name."""
    for line in Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else ():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


if __name__ == "__main__":
    sys.exit(main())
