"""Times and memory, and the machine that they were measured on."""

from __future__ import annotations

import multiprocessing
import os
import platform
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib import metadata
from pathlib import Path
from typing import TypeVar

Result = TypeVar("Result")


def median_seconds(work: Callable[[], object], repeats: int = 5) -> float:
    """Return the median time of several calls, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return sorted(times)[repeats // 2]


def isolated(work: Callable[..., Result], *arguments: object) -> tuple[Result, float]:
    """Return what a function gives in a process of its own, and the peak memory of that process in MB."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_with_peak, work, *arguments).result()


def _with_peak(work: Callable[..., Result], *arguments: object) -> tuple[Result, float]:
    result = work(*arguments)
    return result, peak_mb()


def peak_mb() -> float:
    """Return the peak resident memory of this process in MB."""
    # Not ru_maxrss on Linux: a process inherits it from the one that started it.
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = (line for line in status.read_text(encoding="utf-8").splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1000
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def version(distribution: str) -> str | None:
    """Return the installed version of a distribution, or None, and say so."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        print(f"{distribution} is not installed: left out", file=sys.stderr)
        return None


def machine() -> dict[str, object]:
    processor = platform.processor() or platform.machine()
    flags = ""
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        fields = dict(line.split(":", 1) for line in lines if ":" in line)
        named = {name.strip(): value.strip() for name, value in fields.items()}
        processor, flags = named.get("model name", processor), named.get("flags", "")
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "avx512": "avx512f" in flags,
        "python": platform.python_version(),
        "numpy": metadata.version("numpy"),
    }
