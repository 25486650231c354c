"""Workers end with their parent, also while they hold the lock of the interpreter."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from simhash_doc.batch import parent_watch

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals")

SCRIPT = """
import sys
from tests.batch.test_parent_watch import run_workers
if __name__ == "__main__":
    run_workers(sys.argv[1], sys.argv[2])
"""


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
    from simhash_doc.batch.process_pool import ordered_map

    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # which `nohup` ignores
    if how == "thread":
        parent_watch._ask_kernel = lambda: False
    work = report_and_sleep if how == "thread" else report_and_search
    list(ordered_map(work, [folder] * 2, 2, lambda item, reason: item))


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        state = ""
    if state == "Z":  # ended, and not collected yet
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(condition: object) -> bool:
    """Return True as soon as a condition holds; give up after a minute."""
    assert callable(condition)
    for _ in range(600):
        if condition():
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize(
    "how", ["thread", pytest.param("kernel", marks=pytest.mark.skipif(sys.platform != "linux", reason="prctl"))]
)
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_workers_end_with_their_parent(how: str, end: signal.Signals, tmp_path: Path) -> None:
    pids: list[int] = []
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, tmp_path, how])
    try:
        assert wait_until(lambda: len(os.listdir(tmp_path)) == 2)
        pids = [int(name) for name in os.listdir(tmp_path)]
        assert all(map(is_running, pids))
        process.send_signal(end)
        process.wait()
        assert wait_until(lambda: not any(map(is_running, pids)))
    finally:
        process.kill()
        for pid in filter(is_running, pids):
            os.kill(pid, signal.SIGKILL)
