"""Work on many items in several processes: results in the order of the items, and a lost process costs one item.

The pools of the standard library and of Pebble share one queue among their processes: a process that
is killed while it writes there, or before it has said what it works on, breaks or blocks the whole
pool. Here each process has a pipe of its own, attended by a thread, so it is always known which item
it had, and killing it touches nothing else.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing import Pipe, Process, parent_process
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from threading import Lock
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_IN_FLIGHT_PER_WORKER = 4
_ATTEMPTS = 2
_DIED = "its worker process died twice (out of memory, or a crash in a library?)"


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def ordered_map(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    workers: int,
    lost: Callable[[Item, str], Result],
    *,
    seconds: float | Callable[[Item], float] | None = None,
) -> Iterator[Result]:
    """Yield `work(item)` for each item, in the order of the items.

    Items are drawn as they are needed, a few for each worker, so that the input may be endless.
    The processes are started as `multiprocessing` is set to start them; `work`, the items and the
    results must pickle. An exception of `work` is raised here, in its turn.

    Args:
        workers: number of processes; with 1 and no time limit, the work is done in this process.
        lost: called with an item and the reason, for the result of an item that has none: its
            process died, and died again when the item was tried once more; or it took too long.
        seconds: time that an item may take, or a function that tells it; its process is then killed.
    """
    if workers <= 1 and seconds is None:
        yield from map(work, items)
        return
    crew = _Crew(work, max(workers, 1), lost, seconds)
    try:
        in_flight: deque[Future[Result]] = deque()
        for item in items:
            in_flight.append(crew.begin(item))
            if len(in_flight) >= _IN_FLIGHT_PER_WORKER * workers:
                yield in_flight.popleft().result()
        while in_flight:
            yield in_flight.popleft().result()
    finally:
        crew.dismiss()


class _LostError(Exception):
    """A worker process died, or was killed because its time was over, while it had an item."""


class _Crew(Generic[Item, Result]):
    """Worker processes, each with a thread that hands it one item at a time."""

    def __init__(
        self,
        work: Callable[[Item], Result],
        size: int,
        lost: Callable[[Item, str], Result],
        seconds: float | Callable[[Item], float] | None,
    ) -> None:
        self._work, self._lost, self._seconds = work, lost, seconds
        self._changing = Lock()
        self._dismissed = False
        self._free: SimpleQueue[_Worker] = SimpleQueue()
        self._workers: set[_Worker] = set()
        for _ in range(size):
            self._free.put(self._start())
        self._threads = ThreadPoolExecutor(size)

    def begin(self, item: Item) -> Future[Result]:
        return self._threads.submit(self._attend, item)

    def dismiss(self) -> None:
        with self._changing:
            self._dismissed = True
            for worker in self._workers:
                worker.kill()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.bury()

    def _start(self) -> _Worker:
        """Return a new worker; the lock keeps other processes from inheriting an end of its pipe."""
        with self._changing:
            if self._dismissed:
                raise _LostError
            worker = _Worker(self._work)
            self._workers.add(worker)
        return worker

    def _attend(self, item: Item) -> Result:
        worker = self._free.get()
        seconds = self._seconds(item) if callable(self._seconds) else self._seconds
        try:
            for _ in range(_ATTEMPTS):
                try:
                    result: Result = worker.do(item, seconds)
                except TimeoutError:
                    worker = self._replaced(worker)
                    return self._lost(item, f"it took more than {seconds:g} seconds")
                except _LostError:
                    worker = self._replaced(worker)
                else:
                    return result
            return self._lost(item, _DIED)
        finally:
            self._free.put(worker)

    def _replaced(self, worker: _Worker) -> _Worker:
        with self._changing:
            if self._dismissed:
                raise _LostError
            worker.kill()
            worker.bury()
            self._workers.discard(worker)
        return self._start()


class _Worker:
    """One process that works on one item at a time."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        self._connection, theirs = Pipe()
        self._process = Process(target=_serve, args=(theirs, work), daemon=True)
        self._process.start()
        theirs.close()

    def do(self, item: object, seconds: float | None) -> Any:
        """Return the result for an item, or raise the exception of the work.

        Raises:
            _LostError: the process died.
            TimeoutError: the time was over; the process is still there.
        """
        try:
            self._connection.send(item)
            ready = wait([self._connection, self._process.sentinel], seconds)
            if not ready:
                raise TimeoutError
            if self._connection not in ready and not self._connection.poll():
                raise _LostError
            done, value = self._connection.recv()
        except (EOFError, OSError) as error:
            if isinstance(error, TimeoutError):
                raise
            raise _LostError from error
        if done:
            return value
        raise value

    def kill(self) -> None:
        self._process.kill()

    def bury(self) -> None:
        self._process.join()
        self._connection.close()


def _serve(connection: Connection, work: Callable[[Any], Any]) -> None:
    """Answer items until the parent closes the pipe or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interruption of the terminal is the parent's to handle
    parent = parent_process()
    assert parent is not None
    while True:
        if connection not in wait([connection, parent.sentinel]):
            return
        try:
            item = connection.recv()
        except (EOFError, OSError):
            return
        answer: tuple[bool, Any]
        try:
            answer = True, work(item)
        except Exception as error:
            answer = False, error
        try:
            data = pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
        except Exception as error:
            data = pickle.dumps((False, RuntimeError(f"the result of a worker does not pickle: {error!r}")))
        connection.send_bytes(data)
