"""The forms of a report besides JSON: Markdown, JUnit XML and a badge; for HTML see `page`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree
from xml.sax import saxutils

from simhash_doc_conformance.formatting import printable
from simhash_doc_conformance.reports.report import (
    EXAMPLES,
    Report,
    all_rows,
    case_count,
    claim_line,
    conclusion,
    cut_off,
    failed_of_tested,
    generated,
    grouped,
    passed_classes,
    specification,
    status_of,
    summary,
    title,
)
from simhash_doc_conformance.running.judge import STATUSES
from simhash_doc_conformance.vectors.requirements import cite

MOST_MARKDOWN = 200_000 - 100  # bytes, without the line on what is left out
_REQUIREMENT = re.compile("SD-[A-Z]+-[0-9]+")
_CODE_POINTS = 40  # of a text, up to which a page lists them
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$-])")


def markdown(report: Report) -> str:
    """Return the report as GitHub Flavored Markdown: the summary, and examples of the cases that did not pass.

    It has less than `MOST_MARKDOWN` bytes, because the summary of a job takes a limited size.
    """
    suite = report["suite"]
    lines = [f"## {escaped(title(report))}", "", f"**{escaped(conclusion(report))}**", "", "| Status | Cases |"]
    lines += ["|---|--:|"]
    lines += [f"| {status} | {report['counts'][status]} |" for status in STATUSES if report["counts"][status]]
    for line in summary(report):
        lines += ["", escaped(line)]
    end = ["", f"Suite {escaped(suite['version'])}, specification {specification(report)}."]
    if report["full"]:
        end += [generated(report)]
    end += [line] if (line := claim_line(report)) else []
    end += [f"Vectors `{suite['vectors_sha256']}`, Unicode data `{suite['data_sha256']}` (SHA-256 of SHA256SUMS)."]
    room = MOST_MARKDOWN - sum(len(line.encode()) + 1 for line in (*lines, *end))
    left_out = 0
    for block, cases in _groups_in_markdown(report):
        size = sum(len(line.encode()) + 1 for line in block)
        if size > room or left_out:
            left_out += cases
        else:
            room -= size
            lines += block
    if left_out:
        lines += ["", f"{left_out} more cases, which the JSON report lists"]
    return "\n".join([*lines, *end]) + "\n"


def _groups_in_markdown(report: Report) -> Iterator[tuple[list[str], int]]:
    """Yield the lines of each group, and the number of its cases."""
    groups = [(f"{group.step}: {group.cause}", group.rows) for group in grouped(all_rows(report))]
    if known := [row for row in all_rows(report) if row["status"] == "known-failure"]:
        groups.append(("known failures", known))
    for heading, rows in groups:
        lines = ["", f"### {escaped(heading)} ({len(rows)})", ""]
        lines += ["| Case | Status | Why | Expected | Given | Requirement |", "|---|---|---|---|---|---|"]
        for row in rows[:EXAMPLES]:
            why = "<br>".join(escaped(line) for line in (row.get("reason", ""), *row["diagnosis"]))
            values = (escaped(row.get(name, "")) for name in ("expected", "given"))
            requirements = escaped(" ".join(row["requirements"]))
            lines.append(f"| {' | '.join([escaped(row['id']), status_of(row), why, *values, requirements])} |")
        if len(rows) > EXAMPLES:
            lines += ["", f"{len(rows) - EXAMPLES} more like these"]
        yield lines, len(rows)


def escaped(text: str) -> str:
    """Return a text with the characters that GitHub Flavored Markdown interprets escaped."""
    return _SPECIAL.sub(r"\\\1", printable(text))


# The JUnit elements of the statuses other than `passed`.
_ELEMENTS = {
    "failed": "failure",
    "unexpected-pass": "failure",
    "broken": "error",
    "not-run": "error",
    "unsupported": "skipped",
    "skipped": "skipped",
    "known-failure": "skipped",
}


def junit(report: Report) -> str:
    """Return the report as XML: a test suite per group of cases, a test case per case, details of the plainest.

    If the run ended early, a test case with an error says what was not tested.
    """
    groups: dict[str, list[dict[str, Any]]] = {}
    left = [{"id": f"not tested/{line}", "status": "not-run", "reason": line} for line in cut_off(report)]
    rows = [*all_rows(report), *left]
    for row in rows:
        groups.setdefault(row["id"].partition("/")[0], []).append(row)
    root = ElementTree.Element("testsuites", _totals(rows) | {"name": "simhash-doc conformance"})
    detailed = {row["id"] for group in grouped(all_rows(report)) for row in group.rows[:EXAMPLES]}
    for group, rows in groups.items():
        suite = ElementTree.SubElement(root, "testsuite", _totals(rows) | {"name": group})
        for row in rows:
            case = ElementTree.SubElement(suite, "testcase", {"name": row["id"], "classname": f"simhash-doc.{group}"})
            if (element := _ELEMENTS.get(row["status"])) is None:
                continue
            message = printable(f"{row['status']}: {row.get('reason', '')}")
            outcome = ElementTree.SubElement(case, element, {"message": message})
            if element != "skipped":
                outcome.set("type", row.get("kind", row["status"]))
            if row["id"] in detailed:
                outcome.text = "\n".join(_details(row))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _details(row: dict[str, Any]) -> list[str]:
    lines = [row["comment"], *(f"requirement: {cite(name)}" for name in row["requirements"])]
    lines += [f"{name + ':':<9} {row[name]}" for name in ("request", "expected", "given") if name in row]
    return [printable(line) for line in (*lines, *row["diagnosis"])]


def _totals(rows: list[dict[str, Any]]) -> dict[str, str]:
    elements = Counter(_ELEMENTS.get(row["status"]) for row in rows)
    counts = {"failures": elements["failure"], "errors": elements["error"], "skipped": elements["skipped"]}
    return {"tests": str(len(rows))} | {name: str(count) for name, count in counts.items()}


_LABEL = "simhash-doc"
_CHARACTER, _MARGIN = 7, 12  # pixels; textLength makes every font fit
# White text on each has a contrast of at least 4.5 to 1.
_GOOD, _PARTIAL, _BAD = "#1a7f37", "#8a5a00", "#b3261e"


def badge(report: Report, *, outdated: bool = False) -> str:
    """Return the badge. It names classes only after a full run of all cases without failures.

    Args:
        report: see `make_report`.
        outdated: True if the vectors have changed since the report.
    """
    message, colour = _message(report, outdated)
    left, right = (_CHARACTER * len(text) + _MARGIN for text in (_LABEL, message))
    width = left + right
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img"'
        f" aria-label={saxutils.quoteattr(f'{_LABEL}: {message}')}>\n"
        f"<title>{saxutils.escape(printable(f'{_LABEL}: {conclusion(report)}'))}</title>\n"
        f'<clipPath id="r"><rect width="{width}" height="20" rx="3"/></clipPath>\n'
        f'<g clip-path="url(#r)"><rect width="{left}" height="20" fill="#444"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{colour}"/></g>\n'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">\n'
        f"{_text(_LABEL, left / 2)}{_text(message, left + right / 2)}</g>\n</svg>\n"
    )


def _message(report: Report, outdated: bool) -> tuple[str, str]:
    failed, tested = map(sum, zip(*failed_of_tested(report), strict=True))
    if report["implementation"] is None:
        return "does not start", _BAD
    if failed:
        return f"{failed} of {tested} failed", _BAD
    if report["counts"]["not-run"]:
        return f"{report['counts']['not-run']} not run", _BAD
    classes = passed_classes(report)
    if classes:
        message = printable(f"{report['suite']['version']} {', '.join(classes)}")
        return (f"outdated: {message}", _PARTIAL) if outdated else (message, _GOOD)
    return f"{report['counts']['passed']} of {case_count(report)} passed", _PARTIAL


def _text(text: str, middle: float) -> str:
    return f'<text x="{middle:g}" y="14" textLength="{_CHARACTER * len(text)}">{saxutils.escape(text)}</text>\n'
