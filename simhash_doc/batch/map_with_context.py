"""Map a function over a stream in several processes; each result comes with the context of its item."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TypeVar

from simhash_doc.batch.process_pool import ordered_map

Item = TypeVar("Item")
Context = TypeVar("Context")
Result = TypeVar("Result")


def map_with_context(
    work: Callable[[Item], Result],
    items: Iterable[tuple[Item, Context]],
    workers: int,
    on_failure: Callable[[Item, str], Result],
) -> Iterator[tuple[Context, Result]]:
    """Yield (context, `work(item)`) for each (item, context), in order. The context is not sent to the process.

    Args:
        work: called with each item.
        items: pairs of an item and its context.
        workers: number of worker processes; 1: no other process.
        on_failure: see `ordered_map`.
    """
    in_flight: deque[Context] = deque()

    def sent() -> Iterator[Item]:
        for item, context in items:
            in_flight.append(context)
            yield item

    rest = sent()
    # The first item is drawn before there are processes: what it loads (an engine), forked processes have too.
    for first in rest:
        for result in ordered_map(work, chain([first], rest), workers, on_failure):
            yield in_flight.popleft(), result
