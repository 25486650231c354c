"""Ctrl-C at every moment of a command that the package can see: Python's own start is before it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from simhash_doc.cli.spark import _ctrl_c_as_before
from tests.signals import interruptible

# Python runs this at its start. It sends the signal when so many lines of Python, or imports, have been executed since
# the package took over; at the end it prints how many there were.
HOOK = """
import atexit, os, signal, sys

left, kind = int(os.environ["AT"]), os.environ["KIND"]

def count():
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGINT)

def find(frame, event, argument):
    return begin if frame.f_code.co_name == "end_at_interrupt" else None

def begin(frame, event, argument):
    if event == "return":
        sys.settrace(trace if kind == "line" else None)
        if kind == "import":
            sys.addaudithook(lambda event, arguments: count() if event == "import" else None)
    return begin

def trace(frame, event, argument):
    count()
    return trace

if not left:
    atexit.register(lambda: os.write(2, b"%d" % -left))
sys.settrace(find)
"""
SCRIPT = "from simhash_doc.__main__ import main\nmain()\n"
COMMANDS = {"script": ("simhash-doc",), "module": ("-m", "simhash_doc")}


def decoded(called: str, kind: str, at: int, folder: Path) -> tuple[int, bytes, bytes]:
    """Decode a fingerprint, and interrupt at a moment; return the status, standard output and standard error."""
    (folder / "sitecustomize.py").write_text(HOOK)
    (folder / "simhash-doc").write_text(SCRIPT)
    path = os.pathsep.join([str(folder), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, *COMMANDS[called], "decode", "larqgiqsckcca"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": path, "AT": str(at), "KIND": kind},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        preexec_fn=interruptible,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("called", COMMANDS)
@pytest.mark.parametrize(
    ("kind", "moments"), [("import", 2), pytest.param("line", 40, marks=pytest.mark.slow)], ids=["imports", "lines"]
)
def test_an_interruption_at_any_moment_ends_without_a_traceback(
    called: str, kind: str, moments: int, tmp_path: Path
) -> None:
    status, answer, last = decoded(called, kind, 0, tmp_path)
    assert (status, answer[:6]) == (0, b"scheme")
    most = int(last) * 19 // 20  # their number differs a little from run to run
    for at in range(1, most, max(1, most // moments)):
        status, output, error = decoded(called, kind, at, tmp_path)
        assert (status, error.strip(), output in (b"", answer)) == (130, b"", True), at


def test_a_session_of_spark_does_not_change_what_ctrl_c_does() -> None:
    before = signal.getsignal(signal.SIGINT)
    with _ctrl_c_as_before():  # PySpark sets a handler
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert signal.getsignal(signal.SIGINT) == before
