"""The command line, called as a function: as a process would be, without the time that one takes to start."""

from __future__ import annotations

import io
import json
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from subprocess import CompletedProcess
from tempfile import TemporaryFile
from typing import IO, Any

from simhash_doc.cli import main

# For tests whose subject is the process: signals, broken pipes, terminals, a broken installation.
COMMAND = [sys.executable, "-m", "simhash_doc"]


def run(*arguments: str | Path, stdin: bytes = b"") -> CompletedProcess[str]:
    """Run `simhash-doc` in this process, with files for its three streams.

    The descriptors are replaced and not only the objects in `sys`, so that worker processes write there too.
    """
    with ExitStack() as stack:
        files = [stack.enter_context(TemporaryFile()) for _ in range(3)]
        files[0].write(stdin)
        files[0].seek(0)
        with _streams(files):
            status = _status_of([*map(str, arguments)])
        return CompletedProcess([*map(str, arguments)], status, *(_content(file) for file in files[1:]))


def objects(lines: str) -> list[Any]:
    """Return what is printed as JSON lines."""
    return [json.loads(line) for line in lines.splitlines()]


def _status_of(arguments: list[str]) -> int:
    before = sys.argv
    sys.argv = ["simhash-doc", *arguments]
    try:
        main()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.argv = before
    return 0


@contextmanager
def _streams(files: Sequence[IO[bytes]]) -> Iterator[None]:
    """Put three files in the place of standard input, output and error."""
    objects = sys.stdin, sys.stdout, sys.stderr
    for stream in objects[1:]:
        stream.flush()
    kept = [os.dup(descriptor) for descriptor in range(3)]
    try:
        for descriptor, file in enumerate(files):
            os.dup2(file.fileno(), descriptor)
        sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False), encoding="utf-8")
        sys.stdout = _writer(1, "strict")
        sys.stderr = _writer(2, "backslashreplace")
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        sys.stdin, sys.stdout, sys.stderr = objects
        for descriptor, copy in enumerate(kept):
            os.dup2(copy, descriptor)
            os.close(copy)


def _writer(descriptor: int, errors: str) -> io.TextIOWrapper:
    raw = io.FileIO(descriptor, "w", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8", errors=errors, line_buffering=descriptor == 2)


def _content(file: IO[bytes]) -> str:
    file.seek(0)
    return os.fsdecode(file.read())
