"""Measures time and memory, describes the machine, and parses the arguments of benchmarks."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import platform
import re
import resource
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

Result = TypeVar("Result")
Row = dict[str, Any]
Results = dict[str, Any]


def median_seconds(work: Callable[[], object], repeats: int = 5) -> float:
    """Return the median time of `repeats` calls, in seconds."""
    return sorted(seconds(work) for _ in range(repeats))[repeats // 2]


def seconds(work: Callable[[], object]) -> float:
    """Return the time of a call, in seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def isolated(work: Callable[..., Result], *arguments: object) -> tuple[Result, float]:
    """Call a function in a new process. Return its result and the peak memory of the process, in MB."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_with_peak, work, *arguments).result()


def _with_peak(work: Callable[..., Result], *arguments: object) -> tuple[Result, float]:
    result = work(*arguments)
    return result, peak_mb()


def peak_mb() -> float:
    """Return the peak resident memory of this process in MB."""
    # Not ru_maxrss on Linux: a process inherits it from its parent.
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = (line for line in status.read_text(encoding="utf-8").splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1000
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def version(distribution: str) -> str | None:
    """Return the installed version of a distribution. If it is not installed, print a note and return None."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        print(f"{distribution} is not installed: skipped", file=sys.stderr)
        return None


def machine() -> dict[str, object]:
    """Return the processor, the number of cores and the versions of Python and numpy."""
    cpuinfo = Path("/proc/cpuinfo")
    named = re.search(r"^model name\s*: (.*)$", cpuinfo.read_text(encoding="utf-8"), re.M) if cpuinfo.exists() else None
    return {
        "processor": named[1] if named else platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": metadata.version("numpy"),
    }


def parser_of(documentation: str | None) -> argparse.ArgumentParser:
    """Return a parser of arguments whose help is the documentation of a module."""
    return argparse.ArgumentParser(description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter)


def chosen_parts(parser: argparse.ArgumentParser, parts: Iterable[str]) -> argparse.Namespace:
    """Parse the arguments of a benchmark; its `parts` are those that are named, or all."""
    known = list(parts)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of: {', '.join(known)} (default: all)")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(known):
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}; expected {', '.join(known)}")
    options.parts = options.parts or known
    return options
