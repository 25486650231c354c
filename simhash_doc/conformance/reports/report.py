"""The report of a run as JSON. All other forms of report are rendered from it.

The same suite, options and implementation give the same bytes in each run, so a claim of conformance can be verified
by running the suite again and comparing bytes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from simhash_doc.conformance.cases import CLASSES
from simhash_doc.conformance.classes import required_classes
from simhash_doc.conformance.known_failures import KnownFailure
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


def make_report(
    suite: Suite, options: RunOptions, outcome: Outcome, *, diagnosis: Sequence[str] = (), timings: bool = False
) -> Report:
    """Return the report as values that JSON can hold; see `report.schema.json`.

    Args:
        suite: the suite.
        options: the options of the run.
        outcome: the result of the run.
        diagnosis: what the wrong answers have in common, in lines.
        timings: include the time of each case, which differs between runs.
    """
    complete = len(outcome.verdicts) == len(suite.cases) and not options.skip
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
            "known_failures": [
                {"line": known.line, "pattern": known.pattern, "reason": known.reason} for known in options.known
            ],
        },
        "ok": outcome.ok,
        "diagnosis": list(diagnosis),
        "complete": complete,
        "classes": {name: _class_result(name, outcome, complete) for name in CLASSES},
        "counts": {status: sum(v.status == status for v in outcome.verdicts) for status in STATUSES},
        "cases": [_row(verdict, timings) for verdict in outcome.verdicts],
    }


def report_json(report: Report) -> str:
    """Return the report as ASCII text to publish."""
    return json.dumps(report, indent=1, ensure_ascii=True) + "\n"


def passed_classes(report: Report) -> list[str]:
    """Return the names of the classes that the implementation may claim."""
    return [name for name, result in report["classes"].items() if result == "passed"]


def _class_result(name: str, outcome: Outcome, complete: bool) -> str:
    """Return whether a class may be claimed, which needs a run of all cases."""
    operations = CLASSES[name]
    claimed = name in required_classes(outcome.handshake, outcome.classes)
    if not claimed:
        return "not-claimed"
    schemes = {"sd64", *(outcome.handshake.schemes if outcome.handshake else ())}
    verdicts = [v for v in outcome.verdicts if v.case.op in operations and case_schemes(v.case) <= schemes]
    if any(v.bad or v.status == "known-failure" for v in verdicts):
        return "failed"
    return "passed" if complete else "not-tested"


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
    for name in ("reason", "kind", "request", "expected", "given"):
        if getattr(verdict, name):
            row[name] = getattr(verdict, name)
    row["diagnosis"] = list(verdict.diagnosis)
    if timings:
        row["seconds"] = round(verdict.seconds, 6)
    return row
