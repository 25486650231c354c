"""The number of modules that a plain text passes through, from the command to the printed line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from simhash_doc import fingerprint

LIMIT = 15
RECORDER = """
import json, sys
from pathlib import Path
import simhash_doc
from simhash_doc.cli import main

ROOT = str(Path(simhash_doc.__file__).parent)
ran = {}
importing = 0

def record(frame, event, argument):
    global importing
    path, name = frame.f_code.co_filename, frame.f_code.co_name
    if event in ("call", "return") and (path, name) == ("<frozen importlib._bootstrap>", "_load_unlocked"):
        importing += 1 if event == "call" else -1
    elif event == "call" and not importing and path.startswith(ROOT):
        ran.setdefault(path[len(ROOT) + 1 :], set()).add(name)

sys.setprofile(record)
try:
    main()
finally:
    sys.setprofile(None)
    print(json.dumps({path: sorted(names) for path, names in ran.items()}), file=sys.stderr)
"""


def test_few_modules_run_code_for_a_plain_text(tmp_path: Path) -> None:
    """Count the modules of the package in which a function runs, except while a module is imported."""
    path = tmp_path / "file.txt"
    path.write_text("The quick brown fox jumps over the lazy dog.\n", encoding="utf-8")
    environment = os.environ | {"SIMHASH_DOC_ENGINE": "python"}
    command = [sys.executable, "-c", RECORDER, "fingerprint", str(path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == f"{fingerprint(path.read_text(encoding='utf-8'))}  {path}\n"
    ran = json.loads(done.stderr)
    assert not [name for name in ran if name.startswith(("batch/", "ingest/workers", "ingest/sandbox"))]
    assert len(ran) <= LIMIT, ran
