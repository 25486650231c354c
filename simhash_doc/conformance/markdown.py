"""The report as Markdown, for a pull request or a step summary."""

from __future__ import annotations

import re

from simhash_doc.conformance.differences import printable
from simhash_doc.conformance.report import Report, passed_classes
from simhash_doc.conformance.requirements import clause_link
from simhash_doc.conformance.verdict import BAD, STATUSES

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$-])")


def markdown(report: Report) -> str:
    """Return the report as GitHub Flavored Markdown: the summary, and a table of what did not pass."""
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
        links = " ".join(f"[{_escaped(name)}]({clause_link(name)})" for name in row["requirements"])
        status = f"{row['status']}: {row['kind']}" if "kind" in row else row["status"]
        cells = [_escaped(row["id"]), status, why, _escaped(row.get("expected", "")), _escaped(row.get("given", ""))]
        lines.append(f"| {' | '.join([*cells, links])} |")
    lines += ["", f"Suite {_escaped(suite['version'])}, specification {suite['specification']}."]
    lines += [f"Vectors `{suite['vectors_sha256']}`, pinned data `{suite['data_sha256']}` (SHA-256 of SHA256SUMS)."]
    return "\n".join(lines) + "\n"


def title(report: Report) -> str:
    """Return which implementation was checked with what."""
    implementation = report["implementation"]
    name = f"{implementation['name']} {implementation['version']}".strip() if implementation else "no implementation"
    return f"simhash-doc conformance: {name}"


def conclusion(report: Report) -> str:
    """Return the outcome of the run in one sentence."""
    counts, classes = report["counts"], passed_classes(report)
    bad = sum(counts[status] for status in BAD)
    if bad:
        return f"{bad} of {len(report['cases'])} cases did not do what is required"
    if classes:
        return f"Conforms: {', '.join(classes)} ({counts['passed']} cases passed)"
    known = f", {counts['known-failure']} known to fail" if counts["known-failure"] else ""
    whole = "" if report["complete"] else " of a part of the suite"
    return f"{counts['passed']} cases{whole} passed{known}: no claim of conformance"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", printable(text))
