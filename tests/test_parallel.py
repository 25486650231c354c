"""Work in several processes or threads: order, bounds, and workers that die, hang, fail or lose their parent."""

from __future__ import annotations

import errno
import gc
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import count, islice
from multiprocessing import Process
from pathlib import Path
from typing import Any

import psutil
import pytest

from simhash_doc.errors import WorkerNotStartedError
from simhash_doc.parallel import pool
from simhash_doc.parallel.channel import JsonWire
from simhash_doc.parallel.pool import Ready, ordered_map, ordered_map_in_threads

SCRIPT = """
import sys
from tests.test_parallel import run_workers
if __name__ == "__main__":
    run_workers(sys.argv[1], sys.argv[2])
"""


WIRE: JsonWire[Any] = JsonWire(int | float | str | list[str])


def failed(item: object, error: Exception) -> str:
    return f"{item}: {error}"


def square(number: int) -> int | str:
    if number == 13:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def die_once(path: Path) -> str:
    if path.name == "fragile" and not path.exists():
        path.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return path.name


def die_in_mid_answer(number: int) -> str:
    """Be killed while an answer that no pipe holds is on its way."""
    if number == 5:
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGKILL)).start()
        return "x" * (1 << 29)
    return "y" * (1 << 20)


def hang(number: int) -> int | str:
    if number in (3, 4):
        time.sleep(3600)
    return number


def reciprocal(number: int) -> float | str:
    return 1 / number


def no_json(number: int) -> object:
    return threading.Lock() if number == 2 else number


def large_both_ways(data: str) -> str:
    return data


def pid_and_wait(seconds: float) -> int | str:
    time.sleep(seconds)
    return os.getpid()


UNGUARDED = """
import sys
from multiprocessing import set_start_method
set_start_method(sys.argv[1], force=True)
from simhash_doc.ingest import fingerprint_documents
print([result.fingerprint for result in fingerprint_documents(["a.html"])])
"""


@pytest.mark.parametrize("method", ["spawn", *(["forkserver"] if sys.platform != "win32" else [])])
def test_a_script_that_its_workers_would_run_again_is_told_so(method: str, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>some words on a page")
    (tmp_path / "script.py").write_text(UNGUARDED)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "script.py", method]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.count("Traceback") == 1
    assert 'below `if __name__ == "__main__":`' in done.stderr.splitlines()[-1]


settings: list[str] = []


def initialize() -> None:
    settings.append("set")


def settings_of_worker(number: int) -> list[str] | str:
    if number == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return settings


def test_the_initializer_is_called_once_in_each_process_also_in_one_that_replaces_another() -> None:
    results = list(ordered_map(settings_of_worker, range(30), 2, failed, WIRE, initializer=initialize))
    assert [result for number, result in enumerate(results) if number != 7] == [["set"]] * 29
    assert settings == []


def test_results_keep_the_order_and_a_dead_worker_costs_one_item(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "simhash_doc")
    numbers = list(range(40))
    results = list(ordered_map(square, numbers, 2, failed, WIRE))
    assert results[13] == "13: its worker process died twice (out of memory, or a crash in a library?)"
    assert [record.name for record in caplog.records] == ["simhash_doc"] * 2
    assert [results[n] for n in numbers if n != 13] == [n * n for n in numbers if n != 13]


def test_item_whose_worker_died_is_tried_once_more(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a", "fragile", "b")]
    assert list(ordered_map(die_once, paths, 2, failed, WIRE)) == ["a", "fragile", "b"]


def test_a_result_that_is_known_comes_in_its_place() -> None:
    items: list[int | Ready[int | str]] = [Ready(-1) if number % 3 else number for number in range(30)]
    for workers in (1, 2):
        assert list(ordered_map(square, items, workers, failed, WIRE)) == [-1 if n % 3 else n * n for n in range(30)]


@pytest.mark.slow
def test_death_in_the_middle_of_an_answer_leaves_the_others_intact() -> None:
    results = list(ordered_map(die_in_mid_answer, range(12), 2, failed, WIRE))
    assert [len(result) for n, result in enumerate(results) if n != 5] == [1 << 20] * 11
    assert str(results[5]).startswith("5: its worker process died")


def test_item_that_times_out_fails_and_the_others_are_done() -> None:
    started = time.monotonic()
    results = list(ordered_map(hang, range(8), 2, failed, WIRE, seconds=lambda _: 5))
    assert results == [0, 1, 2, "3: it took more than 5 seconds", "4: it took more than 5 seconds", 5, 6, 7]
    assert time.monotonic() - started < 60


def test_time_limit_holds_with_one_worker() -> None:
    assert (
        list(ordered_map(hang, [1, 3, 5], 1, failed, WIRE, seconds=lambda _: 0.5))[1]
        == "3: it took more than 0.5 seconds"
    )


def in_processes(work: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
    return ordered_map(work, items, 2, failed, WIRE)


def in_threads(work: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
    return ordered_map_in_threads(work, items, 2)


both = pytest.mark.parametrize("mapped", [in_processes, in_threads])


def test_exception_in_a_thread_is_raised_when_its_item_is_due() -> None:
    results = in_threads(reciprocal, [4, 2, 0, 1])
    assert list(islice(results, 2)) == [0.25, 0.5]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_exception_in_a_process_costs_one_item() -> None:
    assert list(in_processes(reciprocal, [4, 0, 1])) == [0.25, "0: ZeroDivisionError: division by zero", 1.0]


@both
def test_endless_input_is_drawn_only_as_needed(mapped: Callable[..., Iterator[Any]]) -> None:
    drawn = count()
    results = mapped(reciprocal, (number % 10 + 1 for number in drawn))
    assert list(islice(results, 30)) == [1 / (number % 10 + 1) for number in range(30)]
    results.close()  # type: ignore[attr-defined]
    assert next(drawn) < 40


def test_result_that_is_no_json_costs_one_item() -> None:
    results = list(ordered_map(no_json, range(4), 2, failed, WIRE))
    assert results[2] == "2: TypeError: Object of type lock is not JSON serializable"
    assert results[:2] + results[3:] == [0, 1, 3]


def test_items_and_results_of_many_megabytes_do_not_block_each_other() -> None:
    items = [chr(97 + n) * (4 << 20) for n in range(12)]
    assert list(ordered_map(large_both_ways, items, 2, failed, WIRE)) == items


def test_abandoned_work_leaves_no_process_behind() -> None:
    results = ordered_map(pid_and_wait, [0.0, 0.0, 3600.0, 3600.0], 2, failed, WIRE)
    pids = [next(results), next(results)]
    results.close()  # type: ignore[attr-defined]
    assert not any(is_running(int(pid)) for pid in pids)


def test_abandoned_work_that_the_garbage_collector_finds_waits_for_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """The collector may run while a thread begins, inside a lock that joining another thread needs."""

    def refused(thread: threading.Thread, timeout: float | None = None) -> None:
        raise AssertionError("a thread is waited for")

    results = ordered_map(pid_and_wait, [0.0, 0.0, 3600.0, 3600.0], 2, failed, WIRE)
    pids = [next(results), next(results)]
    threaded = ordered_map_in_threads(reciprocal, [1] * 99, 2)
    next(threaded)
    cycle: list[object] = [results, threaded]
    cycle.append(cycle)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "join", refused)
        del results, threaded, cycle
        gc.collect()
    assert wait_until(lambda: not any(is_running(int(pid)) for pid in pids))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_that_drops_the_work_of_its_parent_ends_nothing_of_it() -> None:
    results = ordered_map(pid_and_wait, [0.0, 0.0, 0.5, 0.5, 0.0], 2, failed, WIRE)
    pids = {next(results), next(results)}
    if not (child := os.fork()):
        try:
            results.close()  # type: ignore[attr-defined]
        except BaseException:
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert {*results} <= pids


def test_results_of_threads_have_the_order_of_the_items() -> None:
    finished = threading.Event()

    def work(item: int) -> int:
        if item == 0:
            assert finished.wait(10)
        if item == 1:
            finished.set()
        return item * item

    assert list(ordered_map_in_threads(work, range(50), 2)) == [item * item for item in range(50)]


def report_and_search(folder: str) -> str:
    """Write the process id, and search for longer than any test takes, without releasing the lock."""
    (Path(folder) / str(os.getpid())).touch()
    re.match(r"(a+)+$", "a" * 60 + "b")
    return folder


def report_and_sleep(folder: str) -> str:
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(3600)
    return folder


def run_workers(folder: str, how: str) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # which `nohup` ignores
    if how == "thread":
        pool._ask_kernel = lambda: False
    work = report_and_sleep if how == "thread" else report_and_search
    list(ordered_map(work, [folder] * 2, 2, lambda item, error: item, WIRE))


def is_running(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def wait_until(condition: Callable[[], bool]) -> bool:
    """Return True as soon as a condition holds; give up after a minute."""
    for _ in range(600):
        if condition():
            return True
        time.sleep(0.1)
    return False


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize(
    "how", ["thread", pytest.param("kernel", marks=pytest.mark.skipif(sys.platform != "linux", reason="prctl"))]
)
@pytest.mark.parametrize(
    "end", ["SIGKILL", *(pytest.param(end, marks=pytest.mark.slow) for end in ("SIGTERM", "SIGHUP"))]
)
def test_workers_end_with_their_parent(how: str, end: str, tmp_path: Path) -> None:
    pids: list[int] = []
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, tmp_path, how])
    try:
        assert wait_until(lambda: len(os.listdir(tmp_path)) == 2)
        pids = [int(name) for name in os.listdir(tmp_path)]
        assert all(map(is_running, pids))
        process.send_signal(signal.Signals[end])
        process.wait()
        assert wait_until(lambda: not any(map(is_running, pids)))
    finally:
        process.kill()
        for pid in filter(is_running, pids):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("refused", [1, 2, 3])
def test_a_process_that_cannot_be_started_ends_the_others_and_is_named(
    refused: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The third one replaces a worker that died."""

    def start(process: Process) -> None:
        starts.append(process)
        if len(starts) == refused:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        begin(process)

    starts: list[Process] = []
    begin = Process.start
    monkeypatch.setattr(Process, "start", start)
    before = psutil.Process().children()
    with pytest.raises(WorkerNotStartedError, match="cannot be started: Resource temporarily unavailable; use fewer"):
        list(ordered_map(square, [1, 13, 2], 2, failed, WIRE))
    assert psutil.Process().children() == before


def test_a_fork_server_that_ends_because_it_imports_the_script_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: Process) -> None:
        raise EOFError("unexpected EOF")

    monkeypatch.setattr(Process, "start", start)
    with pytest.raises(WorkerNotStartedError, match="ran the script again"):
        list(ordered_map(square, [1], 2, failed, WIRE))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot hold signals back")
def test_a_worker_that_just_began_does_not_run_the_handler_of_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker is terminated before it has set its own handlers: it ends at once, and another takes its place."""

    def run(*arguments: Any) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.01)
        original(*arguments)

    original = pool._run
    monkeypatch.setattr(pool, "_run", run)
    before = signal.signal(signal.SIGTERM, lambda number, frame: time.sleep(3600))
    try:
        found = list(ordered_map(square, [1], 2, failed, WIRE))
    finally:
        signal.signal(signal.SIGTERM, before)
    assert str(found[0]).startswith("1: its worker process died")


def large_with_mark(path: Path) -> str:
    path.touch()
    return "x" * 1000


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_bytes_that_wait_are_bounded(workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first result is taken late: those after it fill the room, and one item of each worker may be on its way."""
    monkeypatch.setattr(pool, "_MOST_WAITING", 3000)
    paths = [tmp_path / str(number) for number in range(40)]
    results = ordered_map(large_with_mark, paths, workers, failed, WIRE, seconds=lambda _: 60)
    assert next(results) == "x" * 1000
    time.sleep(0.5)
    assert len(list(tmp_path.iterdir())) <= 3 + workers
    assert list(results) == ["x" * 1000] * 39


class Heavy(list[int]):
    """What needs more memory to be sent than there is."""

    def __iter__(self) -> Iterator[int]:
        raise MemoryError


def heavy(number: int) -> object:
    return Heavy() if number == 3 else number


def test_a_result_without_memory_to_be_sent_costs_one_item() -> None:
    results = list(ordered_map(heavy, range(8), 2, failed, WIRE))
    assert str(results[3]).startswith("3: its worker process died")
    assert results[:3] + results[4:] == [0, 1, 2, 4, 5, 6, 7]


WITHOUT_SHARED_MEMORY = """
import _multiprocessing

def refused(*arguments):
    raise OSError(38, "Function not implemented")

_multiprocessing.SemLock = refused
from simhash_doc.ingest import fingerprint_documents
print([result.error for result in fingerprint_documents(["a.html", "b.html"], workers=2)])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no /dev/shm")
def test_workers_need_no_shared_memory(tmp_path: Path) -> None:
    """Without /dev/shm, as in some containers and on AWS Lambda, no semaphore of processes can be created."""
    for name in ("a.html", "b.html"):
        (tmp_path / name).write_text("<p>some words on a page")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", WITHOUT_SHARED_MEMORY]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("[None, None]\n", "")
