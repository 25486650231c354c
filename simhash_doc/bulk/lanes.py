"""Work on a stream in several processes, each result beside what is known of its item."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import get_start_method
from typing import TypeVar

from simhash_doc.bulk.setting import is_fast
from simhash_doc.workers import ordered_map

_MUCH = 1 << 30  # bytes: who asks for processes has much to do

Item = TypeVar("Item")
Kept = TypeVar("Kept")
Result = TypeVar("Result")


def paired(
    work: Callable[[Item], Result],
    items: Iterable[tuple[Item, Kept]],
    workers: int,
    lost: Callable[[Item, str], Result],
) -> Iterator[tuple[Kept, Result]]:
    """Yield (kept, `work(item)`) for each (item, kept) in order; what is kept is not sent to the process."""
    if workers > 1 and get_start_method() == "fork":
        # Before there are processes: they are copies of this one, and need not load the compiled loops.
        is_fast(_MUCH)
    in_flight: deque[Kept] = deque()

    def sent() -> Iterator[Item]:
        for item, kept in items:
            in_flight.append(kept)
            yield item

    for result in ordered_map(work, sent(), workers, lost):
        yield in_flight.popleft(), result
