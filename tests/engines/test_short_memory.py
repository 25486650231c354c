"""Where memory is short, the compiled core raises `MemoryError`, and a document is over the limit in every engine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from simhash_doc.engines.select import VARIABLE
from tests.engines.engines import NATIVE_MARKS

pytest.importorskip("simhash_doc_native", reason=NATIVE_MARKS[0].kwargs["reason"])
pytest.importorskip("resource")

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits the memory of a process")

SCRIPT = """
import resource, sys
from pathlib import Path
import numpy as np
import simhash_doc_native as core
from simhash_doc_native import TokenCounter

text = b" ".join(b"w%0*d" % (9 + 20 * (number % 2), number) for number in range(600_000))
full = TokenCounter()
full.feed(text)
bounds = np.array([0, len(text)])
new = TokenCounter()
actions = {
    "feed": lambda: new.feed(text),
    "add": lambda: new.add(0, ((b"w%09d" % number, 1) for number in range(600_000))),
    "merge": lambda: new.merge(full),
    "copy": full.copy,
    "tokens": full.tokens,
    "measure": lambda: full.measure(8),
    "state": full.__getstate__,
    "fingerprint": lambda: core.fingerprint(text, 1),
    "measure_text": lambda: core.measure(text, 8),
    "batch": lambda: core.measure_batch(text, bounds, 1),
    "numbers": lambda: core.TokenNumbers().numbers(text),
}
pages = int(Path("/proc/self/statm").read_text().split()[0])
_, hard = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (int(sys.argv[2]) << 20), hard))
try:
    actions[sys.argv[1]]()
except MemoryError as error:
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    print("MemoryError:", error)
assert core.fingerprint(b"one two", 1) == core.fingerprint("two one", 1)
assert full.measure(1)[1] == 600_000
try:
    new.feed(b"one")
except RuntimeError as error:
    print("RuntimeError:", error)
"""
ACTIONS = [
    "feed", "add", "merge", "copy", "tokens", "measure", "state", "fingerprint", "measure_text", "batch",
    "numbers",
]  # fmt: skip


def outcome(action: str, megabytes: int) -> list[str]:
    """Return what an action prints that has so much memory. It must not print errors."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, action, str(megabytes)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return [line.split(":")[0] for line in done.stdout.splitlines()]


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("megabytes", [0, 9])
def test_short_memory_is_a_memory_error(action: str, megabytes: int) -> None:
    assert outcome(action, megabytes)[0] == "MemoryError"


def test_a_counter_whose_change_failed_is_of_no_more_use() -> None:
    assert outcome("feed", 3) == ["MemoryError", "RuntimeError"]


@pytest.mark.parametrize("action", ACTIONS)
def test_enough_memory_is_no_error(action: str) -> None:
    assert outcome(action, 1024) == []


@pytest.mark.parametrize("engine", ["python", "numpy", "native"])
def test_a_text_that_needs_too_much_memory_is_over_the_limit(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    path.write_text(" ".join(f"w{number:08}" for number in range(1_500_000)), encoding="utf-16")
    command = [sys.executable, "-m", "simhash_doc", "fingerprint", "--max-memory", "100MiB", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {VARIABLE: engine})
    assert (done.returncode, done.stdout) == (1, "")
    assert "the memory to read it is over the limit of 100 MiB" in done.stderr
