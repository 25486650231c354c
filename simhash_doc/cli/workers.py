"""Work on many items in several processes, results in the order of the items."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_IN_FLIGHT_PER_WORKER = 8


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def ordered_map(
    work: Callable[[Item], Result], items: Sequence[Item], workers: int, lost: Callable[[Item], Result]
) -> Iterator[Result]:
    """Yield `work(item)` for each item in order.

    An item whose worker process dies is tried once more in a process of its own;
    if that dies too, the result is `lost(item)` and all others go on.
    """
    if workers <= 1:
        yield from map(work, items)
        return
    remaining = deque(items)
    while remaining:
        in_flight: deque[tuple[Item, Future[Result]]] = deque()
        with ProcessPoolExecutor(workers) as pool:
            try:
                while remaining or in_flight:
                    while remaining and len(in_flight) < _IN_FLIGHT_PER_WORKER * workers:
                        in_flight.append((remaining[0], pool.submit(work, remaining[0])))
                        remaining.popleft()
                    yield in_flight[0][1].result()
                    in_flight.popleft()
            except BrokenProcessPool:
                unfinished = [item for item, _ in in_flight]
            else:
                unfinished = []
        for item in unfinished:
            yield _alone(work, item, lost)


def _alone(work: Callable[[Item], Result], item: Item, lost: Callable[[Item], Result]) -> Result:
    with ProcessPoolExecutor(1) as pool:
        try:
            return pool.submit(work, item).result()
        except BrokenProcessPool:
            return lost(item)
