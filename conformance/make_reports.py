"""Run the suite against the implementations of this repository and write their reports for the dashboard.

    python conformance/make_reports.py [--check] [NAME ...]

Writes ``conformance/reports/NAME.json`` and ``index.json`` with the command and date of each report. The date changes
only when the report does. With --check nothing is run or written; the status is 1 if a report is missing, has
failures, or is not of the current vectors.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from simhash_doc.conformance.cases import suite_digest

ROOT = Path(__file__).parents[1]
REPORTS = ROOT / "conformance/reports"
INDEX = REPORTS / "index.json"
COMMANDS = {
    "python": ["simhash-doc", "conformance", "adapter"],
    "js": ["node", "conformance/implementations/js/adapter.mjs"],
}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(COMMANDS)}; all if none")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a report is out of date")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(COMMANDS):
        parser.error(f"unknown implementation: {', '.join(sorted(unknown))}")
    names = arguments.names or list(COMMANDS)
    if arguments.check:
        faults = [fault for name in names if (fault := fault_of(name))]
        print("\n".join(faults) or "The reports are of the current vectors.")
        return 1 if faults else 0
    return max([make(name) for name in names])


def fault_of(name: str) -> str | None:
    """Return what is wrong with a report; None if nothing."""
    path = REPORTS / f"{name}.json"
    if not path.is_file():
        return f"{path.name} is missing: run python conformance/make_reports.py {name}"
    report = json.loads(path.read_text(encoding="utf-8"))
    if report["suite"]["vectors_sha256"] != suite_digest():
        return f"{path.name} is not of the current vectors: run python conformance/make_reports.py {name}"
    if report.get("full") is None:
        return f"{path.name} is not of a full run: run python conformance/make_reports.py {name}"
    return None if report["ok"] and report["complete"] else f"{path.name} has failures"


def make(name: str) -> int:
    """Run the suite and write the report; return the runner's exit status."""
    REPORTS.mkdir(exist_ok=True)
    path, command = REPORTS / f"{name}.json", COMMANDS[name]
    before = path.read_bytes() if path.is_file() else None
    run = ["simhash-doc", "conformance", "run", "--full", "--report", str(path), "--", *command]
    status = subprocess.run(run, cwd=ROOT, check=False).returncode
    if path.is_file() and path.read_bytes() != before:
        index = json.loads(INDEX.read_text(encoding="utf-8")) if INDEX.is_file() else {}
        index[name] = {"command": " ".join(command), "date": datetime.now(UTC).date().isoformat()}
        INDEX.write_text(json.dumps(index, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
