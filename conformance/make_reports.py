"""Run the suite against the implementations of this repository, and record their reports in the register.

    python conformance/make_reports.py [--build | --check] [ID ...]
    simhash-doc conformance matrix --report conformance/reports/matrix.json

Builds each adapter, writes ``conformance/reports/ID.json``, and updates the entry in ``implementations.json``. The
date changes only when the report does. With --build the adapters are built, and nothing is run.

With --check nothing is run or written: the status is 1 if the register does not follow its schema, an entry differs
from its report, or an implementation of this repository does not conform to the current vectors, or differs from
another in ``matrix.json``. (Others may be outdated or failing; the dashboard shows it.)
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from jsonschema import Draft202012Validator

import register
from register import Entry
from simhash_doc_conformance.reports.matrix import Matrix
from simhash_doc_conformance.reports.report import Report
from simhash_doc_conformance.vectors.cases import suite_digest

ROOT = Path(__file__).parents[1]
REPORTS = ROOT / "conformance/reports"
REGISTER = ROOT / "conformance" / register.FILE
MATRIX = REPORTS / "matrix.json"
SCHEMA = ROOT / "conformance/schemas/implementations.schema.json"


def main() -> int:
    entries = register.read_register(REGISTER)
    own = [name for name, entry in entries.items() if "source" in entry]
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("names", nargs="*", metavar="ID", help=f"one of {', '.join(own)}; all if none")
    parser.add_argument("--build", action="store_true", help="only build the adapters")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a report is out of date")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(own):
        parser.error(f"not an implementation of this repository: {', '.join(sorted(unknown))}")
    if arguments.check:
        faults = list(faults_of_all(entries))
        print("\n".join(faults) or f"{len(entries)} implementations are registered, with their reports.")
        return 1 if faults else 0
    names = arguments.names or own
    for name in names:
        build(entries[name])
    return 0 if arguments.build else max([make(entries, name) for name in names])


def faults_of_all(entries: dict[str, Entry]) -> Iterator[str]:
    """Yield what is wrong with the register and its reports."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    for error in Draft202012Validator(schema).iter_errors(json.loads(REGISTER.read_text(encoding="utf-8"))):
        yield f"{REGISTER.name}: {error.json_path}: {error.message}"
    digest = suite_digest()
    for name, entry in entries.items():
        if fault := register.fault_of(entry, REPORTS):
            yield f"{fault}: run python conformance/{'make_reports' if 'source' in entry else 'add_report'}.py"
        elif "source" in entry and (state := register.state_of(report_of(name), digest)) != "conformant":
            yield f"{name} is {state}: run python conformance/make_reports.py {name}"
    yield from faults_of_matrix(json.loads(MATRIX.read_text(encoding="utf-8")), entries, digest)
    unregistered = {path.stem for path in REPORTS.glob("*.json")} - {*entries, MATRIX.stem}
    yield from (f"reports/{name}.json has no entry in {REGISTER.name}" for name in sorted(unregistered))


def faults_of_matrix(matrix: Matrix, entries: dict[str, Entry], digest: str) -> Iterator[str]:
    """Yield why the matrix does not show that the present implementations of this repository agree."""
    compared = {row["name"]: row["version"] for row in matrix["implementations"]}
    own = {name: entry["version"] for name, entry in entries.items() if "source" in entry}
    if not matrix["ok"]:
        yield f"{MATRIX.name} has differences"
    elif matrix["suite"]["vectors_sha256"] != digest or not own.items() <= compared.items():
        yield f"{MATRIX.name} is not of the present vectors and implementations: run simhash-doc conformance matrix"


def report_of(name: str) -> Report:
    return register.read_report((REPORTS / f"{name}.json").read_bytes())


def build(entry: Entry) -> None:
    """Build an adapter."""
    for command in entry.get("build", ()):
        subprocess.run(command, cwd=ROOT, check=True)


def make(entries: dict[str, Entry], name: str) -> int:
    """Run the suite, write the report and the entry; return the runner's exit status."""
    entry, path = entries[name], REPORTS / f"{name}.json"
    run = ["simhash-doc", "conformance", "run", "--full", "--report", str(path), "--", *entry["adapter"]]
    status = subprocess.run(run, cwd=ROOT, check=False).returncode
    entries[name] = with_report(entry, path.read_bytes())
    REGISTER.write_text(register.register_json(entries), encoding="utf-8")
    return status


def with_report(entry: Entry, report: bytes) -> Entry:
    """Return the entry after a new report; the same one if the report did not change."""
    new = register.recorded(entry, report, datetime.now(UTC).date().isoformat())
    return entry if new["report"]["sha256"] == entry["report"]["sha256"] else new


if __name__ == "__main__":
    sys.exit(main())
