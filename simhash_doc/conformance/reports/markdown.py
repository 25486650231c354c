"""The report as Markdown, for a pull request or a step summary."""

from __future__ import annotations

import re

from simhash_doc.conformance.formatting import printable
from simhash_doc.conformance.reports.failures import failure_lines
from simhash_doc.conformance.reports.report import Report, all_rows, case_count, check_rows, passed_classes
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
    lines = [f"## {escaped(title(report))}", "", f"**{escaped(conclusion(report))}**", "", "| Status | Cases |"]
    lines += ["|---|--:|"]
    lines += [f"| {status} | {report['counts'][status]} |" for status in STATUSES if report["counts"][status]]
    for line in (*failure_lines(report["failures"]), *report["diagnosis"], *not_tested(report)):
        lines += ["", escaped(line)]
    rows = [row for row in all_rows(report) if row["status"] in BAD or row["status"] == "known-failure"]
    if rows:
        lines += ["", "| Case | Status | Why | Expected | Given | Requirement |", "|---|---|---|---|---|---|"]
    for row in rows:
        why = "<br>".join(escaped(line) for line in (row.get("reason", ""), *row["diagnosis"]))
        clauses = " ".join(_clause(name, specification) for name in row["requirements"])
        status = f"{row['status']}: {row['kind']}" if "kind" in row else row["status"]
        cells = [escaped(row["id"]), status, why, escaped(row.get("expected", "")), escaped(row.get("given", ""))]
        lines.append(f"| {' | '.join([*cells, clauses])} |")
    lines += ["", f"Suite {escaped(suite['version'])}, specification {suite['specification']}."]
    if report["full"]:
        lines += [generated(report)]
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
    checks = check_rows(report)
    bad, bad_checks = (sum(row["status"] in BAD for row in rows) for rows in (report["cases"], checks))
    if bad or bad_checks:
        parts = [f"{bad} of {case_count(report)} cases"] * bool(bad)
        parts += [f"{bad_checks} of {len(checks)} checks beyond the vectors"] * bool(bad_checks)
        return f"{' and '.join(parts)} failed"
    if not counts["passed"] and not counts["known-failure"]:
        return "Nothing was tested: no case passed"
    if classes:
        return f"Conforms: {', '.join(classes)} ({_extent(report)} passed)"
    if report["complete"] and not counts["known-failure"] and report["full"] is None:
        return "All vectors passed. Run with --full to claim conformance."
    known = f", {counts['known-failure']} known failures" if counts["known-failure"] else ""
    part = "" if report["complete"] else " of a part of the suite"
    cases = "1 case" if counts["passed"] == 1 else f"{counts['passed']} cases"
    return f"{cases}{part} passed{known}: no claim of conformance"


def not_tested(report: Report) -> list[str]:
    """Return what a run left out, in lines: the large cases of a quick run, and what a full run could not test."""
    lines = ["Not tested: the large cases, which --quick leaves out"] if report["options"]["quick"] else []
    return lines + [f"Not tested: {line}" for line in (report["full"]["not_tested"] if report["full"] else ())]


def generated(report: Report) -> str:
    """Return how the requests of a full run were generated."""
    full = report["full"]
    return f"Generated requests: seed {full['seed']}, {full['examples']} per operation and scheme, {full['generator']}."


def _extent(report: Report) -> str:
    """Return what a full run without failures consisted of."""
    parts = [f"{report['counts']['passed']} cases"]
    checks = report["full"]["checks"]
    if any(row["id"].startswith("sweep/") for row in checks):
        parts.append("every Unicode scalar value")
    if number := sum(row.get("inputs", 0) for row in checks if row["id"].startswith("fuzz/")):
        parts.append(f"{number} generated requests")
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]


def _clause(name: str, specification: str | None) -> str:
    return f"[{escaped(name)}]({specification}#{name})" if specification else escaped(name)


def escaped(text: str) -> str:
    """Return a text with the characters that GitHub Flavored Markdown interprets escaped."""
    return _SPECIAL.sub(r"\\\1", printable(text))
