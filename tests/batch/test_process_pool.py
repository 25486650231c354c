"""Work in several processes: order, bounds, and workers that die, hang or fail."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

import pytest

from simhash_doc.batch.process_pool import ordered_map


def failed(item: object, reason: str) -> str:
    return f"{item}: {reason}"


def square(number: int) -> int | str:
    if number == 13:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def die_once(path: Path) -> str:
    if path.name == "fragile" and not path.exists():
        path.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return path.name


def die_in_mid_answer(number: int) -> bytes | str:
    """Be killed while an answer that no pipe holds is on its way."""
    if number == 5:
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGKILL)).start()
        return b"x" * (1 << 29)
    return b"y" * (1 << 20)


def hang(number: int) -> int | str:
    if number in (3, 4):
        time.sleep(3600)
    return number


def reciprocal(number: int) -> float | str:
    return 1 / number


def unpicklable(number: int) -> object:
    return threading.Lock() if number == 2 else number


def large_both_ways(data: bytes) -> bytes | str:
    return data


def pid_and_wait(seconds: float) -> int | str:
    time.sleep(seconds)
    return os.getpid()


def test_results_keep_the_order_and_a_dead_worker_costs_one_item() -> None:
    numbers = list(range(40))
    results = list(ordered_map(square, numbers, 2, failed))
    assert results[13] == "13: its worker process died twice (out of memory, or a crash in a library?)"
    assert [results[n] for n in numbers if n != 13] == [n * n for n in numbers if n != 13]


def test_item_whose_worker_died_is_tried_once_more(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a", "fragile", "b")]
    assert list(ordered_map(die_once, paths, 2, failed)) == ["a", "fragile", "b"]


@pytest.mark.slow
def test_death_in_the_middle_of_an_answer_leaves_the_others_intact() -> None:
    results = list(ordered_map(die_in_mid_answer, range(12), 2, failed))
    assert [len(result) for n, result in enumerate(results) if n != 5] == [1 << 20] * 11
    assert str(results[5]).startswith("5: its worker process died")


def test_item_that_times_out_fails_and_the_others_are_done() -> None:
    started = time.monotonic()
    results = list(ordered_map(hang, range(8), 2, failed, seconds=3))
    assert results == [0, 1, 2, "3: it took more than 3 seconds", "4: it took more than 3 seconds", 5, 6, 7]
    assert time.monotonic() - started < 60


def test_time_limit_holds_with_one_worker() -> None:
    assert list(ordered_map(hang, [1, 3, 5], 1, failed, seconds=1))[1] == "3: it took more than 1 seconds"


def test_exception_of_the_work_is_raised_when_its_item_is_due() -> None:
    results = ordered_map(reciprocal, [4, 2, 0, 1], 2, failed)
    assert list(islice(results, 2)) == [0.25, 0.5]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_result_that_does_not_pickle_is_reported() -> None:
    with pytest.raises(RuntimeError, match="cannot be pickled"):
        list(ordered_map(unpicklable, range(4), 2, failed))


def test_endless_input_is_drawn_only_as_needed() -> None:
    drawn = count()

    def endless() -> Iterator[int]:
        for number in drawn:
            yield number % 10

    results = ordered_map(square, endless(), 2, failed)
    assert list(islice(results, 30)) == [n % 10 * (n % 10) for n in range(30)]
    results.close()  # type: ignore[attr-defined]
    assert next(drawn) < 60


def test_items_and_results_of_many_megabytes_do_not_block_each_other() -> None:
    items = [bytes([n]) * (4 << 20) for n in range(12)]
    assert list(ordered_map(large_both_ways, items, 2, failed)) == items


def test_abandoned_work_leaves_no_process_behind() -> None:
    results = ordered_map(pid_and_wait, [0.0, 0.0, 3600.0, 3600.0], 2, failed)
    pids = [next(results), next(results)]
    results.close()  # type: ignore[attr-defined]
    assert not any(_alive(int(pid)) for pid in pids)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds orphans through /proc")
def test_workers_end_when_their_parent_is_killed() -> None:
    script = (
        "import os\nfrom tests.batch.test_process_pool import *\n"
        "if __name__ == '__main__':\n"
        "    for pid in ordered_map(pid_and_wait, [0.1] * 8 + [0.3] * 10000, 2, failed): print(pid, flush=True)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pids = {int(parent.stdout.readline()) for _ in range(8)}
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 30
    while any(_alive(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(_alive(pid) for pid in pids)


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
