"""The report of a run as JSON. All other forms of report are rendered from it, JUnit XML with the passed cases.

The same suite, options and implementation give the same bytes in each run, so a claim of conformance can be verified
by running the suite again and comparing bytes. (Generated requests also depend on the version of the generator, which
the report names.)
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from simhash_doc.conformance.cases import CLASSES
from simhash_doc.conformance.checks import Checks
from simhash_doc.conformance.classes import required_classes
from simhash_doc.conformance.known_failures import KnownFailure
from simhash_doc.conformance.reports.failures import failures
from simhash_doc.conformance.requests import case_schemes
from simhash_doc.conformance.runner import Outcome
from simhash_doc.conformance.suite import Suite
from simhash_doc.conformance.verdict import STATUSES, Verdict

FORMAT = 1
Report = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options that influence the verdicts."""

    target: str = "command"
    timeout: float = 10.0
    select: Sequence[str] = ()
    skip: Sequence[str] = ()
    classes: Sequence[str] = ()
    known: Sequence[KnownFailure] = ()
    quick: bool = False


def make_report(
    suite: Suite,
    options: RunOptions,
    outcome: Outcome,
    *,
    checks: Checks | None = None,
    diagnosis: Sequence[str] = (),
    timings: bool = False,
) -> Report:
    """Return the report as values that JSON can hold; see `report.schema.json`.

    Args:
        suite: the suite.
        options: the options of the run.
        outcome: the result of the run.
        checks: the result of the checks of a full run.
        diagnosis: lines with the mistakes that explain the wrong answers.
        timings: include the time of each case, which differs between runs.
    """
    complete = len(outcome.verdicts) == len(suite.cases) and not options.skip
    places = {case.id: place for place, case in enumerate(suite.cases)}
    cases = [_row(verdict, timings) for verdict in sorted(outcome.verdicts, key=lambda v: places.get(v.case.id, 0))]
    checked = [_row(verdict, timings) for verdict in checks.verdicts] if checks else []
    return {
        "report": FORMAT,
        "suite": {
            "version": suite.version,
            "specification": suite.specification,
            "vectors_sha256": suite.digest,
            "data_sha256": suite.data_digest,
        },
        "implementation": outcome.handshake.as_dict() if outcome.handshake else None,
        "options": {
            "target": options.target,
            "timeout": options.timeout,
            "select": list(options.select),
            "skip": list(options.skip),
            "classes": list(options.classes),
            "quick": options.quick,
            "known_failures": [
                {"line": known.line, "pattern": known.pattern, "reason": known.reason} for known in options.known
            ],
        },
        "ok": outcome.ok and (checks is None or checks.ok),
        "failures": failures([*cases, *checked]),
        "diagnosis": list(diagnosis),
        "complete": complete,
        "classes": {name: _class_result(name, outcome, complete, checks) for name in CLASSES},
        "counts": {status: sum(v.status == status for v in outcome.verdicts) for status in STATUSES},
        "cases": cases,
        "full": _full(checks, checked) if checks else None,
    }


def report_json(report: Report) -> str:
    """Return the report as ASCII text to publish, with one case per line.

    Cases that passed are counted and not listed, unless the report has their times.
    """
    listed = [row for row in report["cases"] if row["status"] != "passed" or "seconds" in row]
    return _lines({**report, "cases": listed}) + "\n"


def passed_classes(report: Report) -> list[str]:
    """Return the names of the classes that the implementation may claim."""
    return [name for name, result in report["classes"].items() if result == "passed"]


def case_count(report: Report) -> int:
    """Return the number of cases that were run or skipped; the report does not have to list those that passed."""
    return sum(report["counts"].values())


def check_rows(report: Report) -> list[dict[str, Any]]:
    """Return the rows of the checks of a full run."""
    rows: list[dict[str, Any]] = report["full"]["checks"] if report["full"] else []
    return rows


def all_rows(report: Report) -> list[dict[str, Any]]:
    """Return the rows of the cases, and of the checks of a full run."""
    return [*report["cases"], *check_rows(report)]


def _lines(value: Any, depth: int = 0) -> str:
    """Return a value as JSON with a line per member of the upper two levels, and per object of a list."""
    margin = "\n" + " " * depth
    if isinstance(value, dict) and depth < 2:
        members = (f"{margin} {json.dumps(name)}: {_lines(member, depth + 1)}" for name, member in value.items())
        return f"{{{','.join(members)}{margin}}}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return f"[{','.join(f'{margin} {json.dumps(item)}' for item in value)}{margin}]"
    return json.dumps(value)


def _full(checks: Checks, rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "seed": checks.options.seed,
        "examples": checks.options.examples,
        "generator": checks.generator,
        "not_tested": list(checks.not_tested),
        "checks": rows,
    }


def _class_result(name: str, outcome: Outcome, complete: bool, checks: Checks | None) -> str:
    """Return whether a class may be claimed, which needs a full run of all cases."""
    operations = CLASSES[name]
    claimed = name in required_classes(outcome.handshake, outcome.classes)
    if not claimed:
        return "not-claimed"
    schemes = {"sd64", *(outcome.handshake.schemes if outcome.handshake else ())}
    verdicts = [v for v in outcome.verdicts if v.case.op in operations and case_schemes(v.case) <= schemes]
    checked = [v for v in checks.verdicts if v.case.op in operations] if checks else []
    if any(v.bad or v.status == "known-failure" for v in (*verdicts, *checked)):
        return "failed"
    if not complete or not any(v.status == "passed" for v in verdicts):
        return "not-tested"
    return "passed" if checks else "vectors-passed"


def _row(verdict: Verdict, timings: bool) -> dict[str, Any]:
    case = verdict.case
    row: dict[str, Any] = {
        "id": case.id,
        "op": case.op,
        "status": verdict.status,
        "required": verdict.required,
        "requirements": list(case.requirements),
        "comment": case.comment,
    }
    for name in ("reason", "kind", "step", "inputs", "request", "expected", "given"):
        if getattr(verdict, name):
            row[name] = getattr(verdict, name)
    row["diagnosis"] = list(verdict.diagnosis)
    if timings:
        row["seconds"] = round(verdict.seconds, 6)
    return row
