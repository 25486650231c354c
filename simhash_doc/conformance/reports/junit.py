"""The report as JUnit XML, which continuous integration systems show."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from simhash_doc.conformance.formatting import printable
from simhash_doc.conformance.reports.report import Report, all_rows
from simhash_doc.conformance.requirements import cite

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
    """Return the report as XML: a test suite per group of cases, a test case per case."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in all_rows(report):
        groups.setdefault(row["id"].partition("/")[0], []).append(row)
    root = ElementTree.Element("testsuites", _totals(all_rows(report)) | {"name": "simhash-doc conformance"})
    for group, rows in groups.items():
        suite = ElementTree.SubElement(root, "testsuite", _totals(rows) | {"name": group})
        for row in rows:
            _add_case(suite, group, row)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def details(row: dict[str, Any]) -> list[str]:
    """Return the details of a case as lines of printable characters."""
    lines = [row["comment"], *(f"requirement: {cite(name)}" for name in row["requirements"])]
    lines += [f"{name + ':':<9} {row[name]}" for name in ("request", "expected", "given") if name in row]
    return [printable(line) for line in (*lines, *row["diagnosis"])]


def _totals(rows: list[dict[str, Any]]) -> dict[str, str]:
    elements = [_ELEMENTS.get(row["status"]) for row in rows]
    totals = {"tests": len(rows), "failures": elements.count("failure"), "errors": elements.count("error")}
    totals["skipped"] = elements.count("skipped")
    times = {"time": f"{sum(row['seconds'] for row in rows):.6f}"} if rows and "seconds" in rows[0] else {}
    return {name: str(count) for name, count in totals.items()} | times


def _add_case(suite: ElementTree.Element, group: str, row: dict[str, Any]) -> None:
    attributes = {"name": row["id"], "classname": f"simhash-doc.{group}"}
    if "seconds" in row:
        attributes["time"] = f"{row['seconds']:.6f}"
    case = ElementTree.SubElement(suite, "testcase", attributes)
    element = _ELEMENTS.get(row["status"])
    if element is None:
        return
    kind = row.get("kind", row["status"])
    message = printable(f"{row['status']}: {row.get('reason', '')}")
    outcome = ElementTree.SubElement(case, element, {"message": message})
    if element != "skipped":
        outcome.set("type", kind)
        outcome.text = "\n".join(details(row))
