"""Map a function over a stream in several processes or threads; each result comes with the context of its item."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TypeVar

from simhash_doc.batch.process_pool import ordered_map
from simhash_doc.batch.thread_pool import ordered_map_in_threads

Item = TypeVar("Item")
Context = TypeVar("Context")
Result = TypeVar("Result")


def map_with_context(
    work: Callable[[Item], Result],
    items: Iterable[tuple[Item, Context]],
    workers: int,
    on_failure: Callable[[Item, str], Result],
    *,
    threads: bool = False,
) -> Iterator[tuple[Context, Result]]:
    """Yield (context, `work(item)`) for each (item, context), in order. The context is not sent to the process.

    Args:
        work: called with each item.
        items: pairs of an item and its context.
        workers: number of worker processes or threads; 1: no other process or thread.
        on_failure: see `ordered_map`.
        threads: use threads of this process, whose failures are its own.
    """
    in_flight: deque[Context] = deque()

    def sent() -> Iterator[Item]:
        for item, context in items:
            in_flight.append(context)
            yield item

    rest = sent()
    # The first item is drawn before there are processes: what it loads (an engine), forked processes have too.
    for first in rest:
        drawn = chain([first], rest)
        results = (
            ordered_map_in_threads(work, drawn, workers)
            if threads and workers > 1
            else ordered_map(work, drawn, workers, on_failure)
        )
        for result in results:
            yield in_flight.popleft(), result
