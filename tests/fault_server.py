"""Runs commands, each in a fork of this process with one fault; started by `tests.faults` with LD_PRELOAD.

A line of standard input is a JSON object with `arguments`, `folder`, `call`, `error` and `mode`; the answer is one with
`status`, `output` and `calls`.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

from simhash_doc import cli
from simhash_doc.cli import main

faults = ctypes.CDLL(None)
faults.faults_calls.restype = ctypes.c_long

# Before the forks, which then start at once.
for module in (
    *(module.name for module in walk_packages(cli.__path__, "simhash_doc.cli.")),
    "simhash_doc.console.guards",
    "simhash_doc.ingest.workers",
    "simhash_doc.lookup.external",
    "simhash_doc.store.loading",
    "sqlalchemy.dialects.sqlite",
    "pyarrow.parquet",
):
    import_module(module)


def in_child(request: dict[str, Any], output: int) -> None:
    os.chdir(request["folder"])
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.set_blocking(output, False)  # as the pipes of a parent in Node.js or asyncio
    for descriptor in (1, 2):
        os.dup2(output, descriptor)
    # Those of the server have read ahead.
    sys.stdin, sys.stdout, sys.stderr = (open(at, mode, closefd=False) for at, mode in enumerate("rww"))  # noqa: SIM115
    sys.argv = ["simhash-doc", *request["arguments"]]
    faults.faults_arm(ctypes.c_long(request["call"]), request["error"], request["mode"])
    try:
        main()
    except SystemExit as ended:
        os._exit(ended.code if isinstance(ended.code, int) else 1)
    except BaseException:
        import traceback

        traceback.print_exc()
        sys.stderr.flush()
    os._exit(99)


for line in sys.stdin:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        in_child(json.loads(line), writing)
    os.close(writing)
    with open(reading, "rb") as stream:
        printed = stream.read().decode("utf-8", "replace")
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    answer = {"status": status, "output": printed, "calls": faults.faults_calls()}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
