"""Map a function over items in several threads of this process: results keep the order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_IN_FLIGHT_PER_THREAD = 2


def ordered_map_in_threads(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """Yield `work(item)` for each item, in the order of the items.

    Items are drawn as they are needed, two per thread. An exception of `work` is raised here, in place of its result.
    It is faster than one thread only if `work` releases the global interpreter lock for most of its time.
    """
    in_flight: deque[Future[Result]] = deque()
    pool = ThreadPoolExecutor(threads)
    try:
        for item in items:
            in_flight.append(pool.submit(work, item))
            if len(in_flight) >= _IN_FLIGHT_PER_THREAD * threads:
                yield in_flight.popleft().result()
        while in_flight:
            yield in_flight.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
