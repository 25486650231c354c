"""Worker processes and threads that share items, and give results in the order of the items.

A crash of a process affects one item only. The pools of the standard library and of Pebble share one queue among their
processes. A process that is killed while it writes there, or before it has reported its item, breaks or blocks the
entire pool. Here each process has its own connection, and a thread that serves it. So it is always known which item a
process had, and killing it affects no other.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from multiprocessing import Process, current_process, parent_process
from multiprocessing.connection import wait
from queue import Empty, SimpleQueue
from threading import Condition, Lock, Thread
from typing import Any, Generic, TypeVar

from simhash_doc.errors import WorkerNotStartedError
from simhash_doc.parallel.channel import BadAnswerError, Channel, NoResultError, Wire, WorkerDiedError, serve

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_IN_FLIGHT_PER_PROCESS = 4
_IN_FLIGHT_PER_THREAD = 2
_MOST_WAITING = 64 << 20
"""Bytes of results that wait until those before them are there; then only the next item is worked on."""
_ATTEMPTS = 2
_log = logging.getLogger("simhash_doc")
_DIED = "its worker process died twice (out of memory, or a crash in a library?)"
_NO_ANSWER = "its worker process sent no valid answer twice: {}"
_UNGUARDED = (
    "a worker process ran the script again that started it; "
    'in a script, call this below `if __name__ == "__main__":`, as the documentation of multiprocessing says'
)
_RAN_SCRIPT = 79  # exit status of a worker process: no system and no library uses it
_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG

_starting = Lock()
"""Held while a worker is started, so that no other process inherits its end of the connection."""
_PATIENCE = 1  # seconds after which a thread looks whether its pool was abandoned
_own_ends: set[socket.socket] = set()
"""The ends of this process of all connections. A process that begins as its copy closes them."""


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Ready(Generic[_Result]):
    """An item whose result is known: no worker has to process it."""

    result: _Result


def ordered_map(
    work: Callable[[_Item], _Result],
    items: Iterable[_Item | Ready[_Result]],
    workers: int,
    on_failure: Callable[[_Item, Exception], _Result],
    wire: Wire[_Item, _Result],
    *,
    seconds: Callable[[_Item], float] | None = None,
    initializer: Callable[[], object] | None = None,
) -> Iterator[_Result]:
    """Yield `work(item)` for each item, in the order of the items, computed in worker processes.

    Items are drawn as they are needed, a few per worker, so the input may be endless. Results that wait take 64 MiB,
    and one more result for each worker. Processes are started by the start method of `multiprocessing`; `work`,
    `initializer`, `wire` and the items must be picklable. What a worker process sends is not: it is JSON.

    Args:
        work: called with each item.
        items: the input.
        workers: number of processes; with 1 and no time limit, the work is done in this process, and an exception of
            `work` is raised.
        on_failure: called with an item and the error, for the result of an item whose worker failed: its process died
            or sent what is no answer, and again when the item was tried once more; or `work` raised an exception. A
            TimeoutError if the time limit is over.
        wire: how the results are sent.
        seconds: returns the time limit of an item; the process is killed when it is over.
        initializer: called in each process before its first item, for example to set what is global in this process.

    Raises:
        WorkerNotStartedError: the system refuses a process, or each one would run the script of the caller again,
            because it has no `if __name__ == "__main__"`. Those that were started are ended.
    """
    if workers <= 1 and seconds is None:
        yield from (item.result if isinstance(item, Ready) else work(item) for item in items)
        return
    remaining = iter(items)
    # The first item is drawn before there are processes: what it loads (an engine), forked processes have too.
    for first in remaining:
        pool = _ProcessPool(partial(_Worker, work, wire, initializer), max(workers, 1), on_failure, seconds)
        try:
            for result in _in_order(pool.submit, chain([first], remaining), _IN_FLIGHT_PER_PROCESS * workers):
                yield result
                pool.release()
        except GeneratorExit:
            pool.abandon()
            raise
        finally:
            pool.shutdown()


def ordered_map_in_threads(work: Callable[[_Item], _Result], items: Iterable[_Item], threads: int) -> Iterator[_Result]:
    """Yield `work(item)` for each item, in the order of the items, computed in threads of this process.

    Items are drawn as they are needed, two per thread. An exception of `work` is raised here, in place of its result.
    It is faster than one thread only if `work` releases the global interpreter lock for most of its time.
    """
    if threads <= 1:
        yield from map(work, items)
        return
    pool = ThreadPoolExecutor(threads)
    try:
        yield from _in_order(lambda item: pool.submit(work, item), items, _IN_FLIGHT_PER_THREAD * threads)
    except GeneratorExit:  # the garbage collector closes an abandoned generator in any thread, also inside a lock
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    except BaseException:
        pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()


def _in_order(
    submit: Callable[[_Item], Future[_Result]], items: Iterable[_Item], most_in_flight: int
) -> Iterator[_Result]:
    in_flight: deque[Future[_Result]] = deque()
    for item in items:
        in_flight.append(submit(item))
        if len(in_flight) >= most_in_flight:
            yield in_flight.popleft().result()
    while in_flight:
        yield in_flight.popleft().result()


class _ProcessPool(Generic[_Item, _Result]):
    """Worker processes, each with a thread that sends it one item at a time."""

    def __init__(
        self,
        new_worker: Callable[[], _Worker[_Item, _Result]],
        size: int,
        on_failure: Callable[[_Item, Exception], _Result],
        seconds: Callable[[_Item], float] | None,
    ) -> None:
        self._new_worker, self._on_failure, self._seconds = new_worker, on_failure, seconds
        self._lock = Lock()
        self._room = Condition(self._lock)  # notified when results wait no longer
        self._submitted = self._due = self._waiting = 0  # numbers of the next items, bytes
        self._sizes: dict[int, int] = {}  # of results, in bytes, by the number of their item
        self._is_shut_down = False
        self._owner = os.getpid()
        self._idle: SimpleQueue[_Worker[_Item, _Result]] = SimpleQueue()
        self._workers: set[_Worker[_Item, _Result]] = set()
        self._threads = ThreadPoolExecutor(size)
        try:
            for _ in range(size):
                self._idle.put(self._start())
        except BaseException:
            self.shutdown()
            raise

    def submit(self, item: _Item | Ready[_Result]) -> Future[_Result]:
        number = self._submitted
        self._submitted += 1
        if isinstance(item, Ready):
            known: Future[_Result] = Future()
            known.set_result(item.result)
            return known
        return self._threads.submit(self._process, item, number)

    def release(self) -> None:
        """Note that the result of the next item was taken."""
        with self._room:
            self._waiting -= self._sizes.pop(self._due, 0)
            self._due += 1
            self._room.notify_all()

    def shutdown(self) -> None:
        """End the workers and the threads."""
        if self._is_shut_down:
            return
        self.abandon()
        self._threads.shutdown()
        self._close_idle()

    def abandon(self) -> None:
        """End the workers without waiting for a lock or a thread.

        The garbage collector closes an abandoned generator in any thread, also inside a lock, or while a thread begins;
        and in a process that was forked meanwhile, whose parent still needs the workers.
        """
        self._is_shut_down = True
        if self._owner != os.getpid():
            return
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in tuple(self._workers):
            worker.kill()
        self._close_idle()

    def _close_idle(self) -> None:
        with suppress(Empty):
            while True:
                self._idle.get_nowait().join()

    def _start(self) -> _Worker[_Item, _Result]:
        with self._lock, _starting, _held_signals():
            if self._is_shut_down:
                raise WorkerDiedError
            worker = self._new_worker()
            self._workers.add(worker)
        if self._is_shut_down:  # in the meantime
            worker.kill()
        return worker

    def _process(self, item: _Item, number: int) -> _Result:
        self._wait_for_room(number)
        worker = self._take()
        seconds = self._seconds(item) if self._seconds else None
        failure: Exception = WorkerDiedError(_DIED)
        try:
            for _ in range(_ATTEMPTS):
                try:
                    result, size = worker.process(number, item, seconds)
                except TimeoutError:
                    worker = self._replace(worker)
                    return self._on_failure(item, TimeoutError(f"it took more than {seconds:g} seconds"))
                except NoResultError as error:
                    return self._on_failure(item, error)
                except WorkerDiedError:
                    worker, failure = self._replace(worker), WorkerDiedError(_DIED)
                except BadAnswerError as error:
                    worker, failure = self._replace(worker), BadAnswerError(_NO_ANSWER.format(error))
                else:
                    with self._room:
                        self._sizes[number] = size
                        self._waiting += size
                    return result
            return self._on_failure(item, failure)
        finally:
            if self._is_shut_down:
                worker.join()
            else:
                self._idle.put(worker)

    def _take(self) -> _Worker[_Item, _Result]:
        while True:
            with suppress(Empty):
                return self._idle.get(timeout=_PATIENCE)
            if self._is_shut_down:
                raise WorkerDiedError

    def _wait_for_room(self, number: int) -> None:
        """Wait until few results wait for those before them."""
        with self._room:
            while not (self._waiting < _MOST_WAITING or number == self._due):
                if self._is_shut_down:
                    raise WorkerDiedError
                self._room.wait(_PATIENCE)

    def _replace(self, worker: _Worker[_Item, _Result]) -> _Worker[_Item, _Result]:
        with self._lock:
            if self._is_shut_down:
                raise WorkerDiedError
            worker.kill()
            worker.join()
            self._workers.discard(worker)
        if worker.ran_script():
            raise WorkerNotStartedError(_UNGUARDED) from None
        _log.info("a worker process is replaced, as it died, was too slow, or did not answer as expected")
        return self._start()


class _Worker(Generic[_Item, _Result]):
    """One process that works on one item at a time."""

    def __init__(
        self, work: Callable[[_Item], _Result], wire: Wire[_Item, _Result], initializer: Callable[[], object] | None
    ) -> None:
        self._wire = wire
        own_end, remote_end = socket.socketpair()
        _own_ends.add(own_end)
        self._own_end = own_end
        self._process = Process(target=_run, args=(remote_end, work, wire, initializer), daemon=True)
        try:
            self._process.start()
        except BaseException as error:
            self._close()
            _raise_if_known(error)
            raise
        finally:
            remote_end.close()
        self._channel = Channel(own_end, self._process.sentinel)

    def process(self, number: int, item: _Item, seconds: float | None) -> tuple[_Result, int]:
        """Return the result for an item, and the bytes of its answer; the errors are those of `Channel.ask`."""
        return self._channel.ask(number, item, self._wire, None if seconds is None else time.monotonic() + seconds)

    def kill(self) -> None:
        """Kill the process, and wait for its end."""
        self._process.kill()
        self._process.join()

    def join(self) -> None:
        self._process.join()
        self._close()

    def ran_script(self) -> bool:
        """Return True if the process ended because it ran the script of the caller: it never came to its work."""
        return self._process.exitcode == _RAN_SCRIPT and not self._channel.has_begun

    def _close(self) -> None:
        _own_ends.discard(self._own_end)
        self._own_end.close()


def _raise_if_known(error: BaseException) -> None:
    """Raise a `WorkerNotStartedError` if the reason is known why a process could not be started."""
    if isinstance(error, RuntimeError) and getattr(current_process(), "_inheriting", False):
        os._exit(_RAN_SCRIPT)  # this is a worker, or a fork server, which imports the script
    if isinstance(error, EOFError | ConnectionError):  # since Python 3.13, the fork server imports the script
        raise WorkerNotStartedError(_UNGUARDED) from error
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        raise WorkerNotStartedError(f"a worker process cannot be started: {reason}; use fewer workers") from error


def _run(
    end: socket.socket, work: Callable[[Any], Any], wire: Wire[Any, Any], initializer: Callable[[], object] | None
) -> None:
    """Process items until the parent closes the connection or ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles an interruption from the terminal
    for ending in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):  # Windows has no SIGHUP
        if callable(signal.getsignal(ending)):  # the handler of the parent, which may run late here
            signal.signal(ending, signal.SIG_DFL)
    _mask(signal.SIG_UNBLOCK)
    _end_with_parent()
    for foreign in _own_ends:  # which a forked process has, too: through them, it could write to other workers
        foreign.close()
    if initializer:
        initializer()
    with suppress(OSError):  # the parent has ended
        serve(end, work, wire)


@contextmanager
def _held_signals() -> Iterator[None]:
    """Let signals wait that end this process: their handlers are not for a process that begins as its copy."""
    before = _mask(signal.SIG_BLOCK)
    try:
        yield
    finally:
        if before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _mask(how: int) -> set[int] | None:
    """Change which of the signals wait; return those that waited before, or None on Windows, which has no such mask."""
    if sys.platform == "win32":
        return None
    return signal.pthread_sigmask(how, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})


def _end_with_parent() -> None:
    """Arrange for this worker process to end when its parent ends, even if the parent is killed or the worker is busy.

    On Linux the kernel kills it. Elsewhere a thread waits for the end of the parent; it runs as soon as the worker
    releases the global interpreter lock.
    """
    parent = parent_process()
    assert parent is not None
    if not _ask_kernel():
        Thread(target=_wait_and_exit, args=(parent.sentinel,), daemon=True).start()
    elif not parent.is_alive():  # it ended before
        os._exit(1)


def _ask_kernel() -> bool:
    """Return True if the kernel kills this process when the thread that started it ends.

    That is the thread that called the pool. If it ends while another thread reads the results, the pool replaces the
    worker.
    """
    if sys.platform != "linux":
        return False
    with suppress(ImportError, OSError, AttributeError):
        import ctypes

        return bool(ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0) == 0)
    return False


def _wait_and_exit(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
