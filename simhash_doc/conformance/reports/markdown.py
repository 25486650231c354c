"""The report as Markdown, for a pull request or a step summary."""

from __future__ import annotations

import re

from simhash_doc.conformance.formatting import printable
from simhash_doc.conformance.reports.report import Report, passed_classes
from simhash_doc.conformance.requirements import SPECIFICATION_URL
from simhash_doc.conformance.verdict import BAD, STATUSES

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$-])")


def markdown(report: Report, specification: str | None = SPECIFICATION_URL) -> str:
    """Return the report as GitHub Flavored Markdown: the summary, and a table of the cases that did not pass.

    Args:
        report: see `make_report`.
        specification: address of the specification, to which requirements link; without one, they have no link.
    """
    suite = report["suite"]
    lines = [f"## {_escaped(title(report))}", "", f"**{_escaped(conclusion(report))}**", "", "| Status | Cases |"]
    lines += ["|---|--:|"]
    lines += [f"| {status} | {report['counts'][status]} |" for status in STATUSES if report["counts"][status]]
    for line in report["diagnosis"]:
        lines += ["", _escaped(line)]
    rows = [row for row in report["cases"] if row["status"] in BAD or row["status"] == "known-failure"]
    if rows:
        lines += ["", "| Case | Status | Why | Expected | Given | Requirement |", "|---|---|---|---|---|---|"]
    for row in rows:
        why = "<br>".join(_escaped(line) for line in (row.get("reason", ""), *row["diagnosis"]))
        clauses = " ".join(_clause(name, specification) for name in row["requirements"])
        status = f"{row['status']}: {row['kind']}" if "kind" in row else row["status"]
        cells = [_escaped(row["id"]), status, why, _escaped(row.get("expected", "")), _escaped(row.get("given", ""))]
        lines.append(f"| {' | '.join([*cells, clauses])} |")
    lines += ["", f"Suite {_escaped(suite['version'])}, specification {suite['specification']}."]
    lines += [f"Vectors `{suite['vectors_sha256']}`, Unicode data `{suite['data_sha256']}` (SHA-256 of SHA256SUMS)."]
    return "\n".join(lines) + "\n"


def title(report: Report) -> str:
    """Return the name and version of the checked implementation."""
    implementation = report["implementation"]
    name = f"{implementation['name']} {implementation['version']}".strip() if implementation else "no implementation"
    engine = f", engine {implementation['engine']}" if implementation and "engine" in implementation else ""
    return f"simhash-doc conformance: {name}{engine}"


def conclusion(report: Report) -> str:
    """Return the outcome of the run in one sentence."""
    counts, classes = report["counts"], passed_classes(report)
    bad = sum(counts[status] for status in BAD)
    if bad:
        return f"{bad} of {len(report['cases'])} cases failed"
    if classes:
        return f"Conforms: {', '.join(classes)} ({counts['passed']} cases passed)"
    known = f", {counts['known-failure']} known failures" if counts["known-failure"] else ""
    part = "" if report["complete"] else " of a part of the suite"
    return f"{counts['passed']} cases{part} passed{known}: no claim of conformance"


def _clause(name: str, specification: str | None) -> str:
    return f"[{_escaped(name)}]({specification}#{name})" if specification else _escaped(name)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", printable(text))
