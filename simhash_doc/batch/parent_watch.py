"""End a worker process when its parent ends, even if the parent is killed or the worker is busy."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from multiprocessing import parent_process
from multiprocessing.connection import wait
from threading import Thread

_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG


def end_with_parent() -> None:
    """Arrange for this worker process to end when its parent ends.

    On Linux the kernel kills it. Elsewhere a thread waits for the end of the parent; it runs as soon as the worker
    releases the global interpreter lock.
    """
    parent = parent_process()
    if parent is None:
        return
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
