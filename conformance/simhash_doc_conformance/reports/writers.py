"""The forms of a report besides JSON: Markdown, one self-contained HTML page, JUnit XML and a badge."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from html import escape
from typing import Any
from xml.etree import ElementTree
from xml.sax import saxutils

from simhash_doc_conformance.formatting import printable
from simhash_doc_conformance.reports.report import (
    EXAMPLES,
    Group,
    Report,
    all_rows,
    case_count,
    check_rows,
    conclusion,
    generated,
    grouped,
    passed_classes,
    status_of,
    summary,
    title,
)
from simhash_doc_conformance.running.judge import BAD, STATUSES
from simhash_doc_conformance.vectors.requirements import address, cite, requirements

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
    end = ["", f"Suite {escaped(suite['version'])}, specification {suite['specification']}."]
    if report["full"]:
        end += [generated(report)]
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


_STYLE = """
:root { color-scheme: light dark; --text: #1a1a1a; --back: #fff; --line: #c8c8c8; --soft: #f3f3f3;
  --good: #14692d; --bad: #a3170f; --other: #6b4700; --link: #0b4fa8; }
@media (prefers-color-scheme: dark) { :root { --text: #e8e8e8; --back: #161616; --line: #4a4a4a; --soft: #242424;
  --good: #7bd88f; --bad: #ff9d94; --other: #e7c06a; --link: #8ab8ff; } }
body { font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); margin: 2rem auto;
  max-width: 70rem; padding: 0 1rem; }
a { color: var(--link); }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; font-weight: bold; padding: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line); }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; overflow-wrap: anywhere; }
.facts td { overflow-wrap: anywhere; }
@media (max-width: 45rem) { details table { display: block; overflow-x: auto; } }
summary { cursor: pointer; font-weight: bold; padding: .3rem 0; }
pre { background: var(--soft); padding: .6rem; white-space: pre-wrap; margin: .3rem 0; }
.good { color: var(--good); } .bad { color: var(--bad); } .other { color: var(--other); }
"""


def html_page(report: Report, specification: str | None = None) -> str:
    """Return the page: the conclusion, counts, failures in detail, and the cases that neither passed nor failed.

    Args:
        report: see `make_report`.
        specification: address of the specification, to which requirements link; without one, that of the repository.
    """

    def linked(text: str) -> str:
        """Return a text in HTML in which the requirements are links."""

        def link(match: re.Match[str]) -> str:
            if match[0] not in requirements():
                return match[0]
            target = f"{specification}#{match[0]}" if specification is not None else address(match[0])
            return f'<a href="{_safe(target)}">{match[0]}</a>'

        return _REQUIREMENT.sub(link, _safe(text))

    def clauses(row: dict[str, Any]) -> str:
        return " ".join(map(linked, row["requirements"]))

    heading, groups = _safe(title(report)), grouped(all_rows(report))
    other = [row for row in report["cases"] if row["status"] not in {"passed", *BAD}]
    parts = [
        f'<p class="{"good" if report["ok"] else "bad"}"><strong>{_safe(conclusion(report))}</strong></p>',
        *(f"<p>{linked(line)}</p>" for line in summary(report)),
        *([_untested(report["untested"])] if report.get("untested") else []),
        _facts(report),
        *(["<h2>Cases that did not pass</h2>"] if groups else []),
        *(_group(group, linked, opened=number == 0) for number, group in enumerate(groups)),
        *([_table("Checks beyond the vectors", check_rows(report), clauses)] if report["full"] else []),
        *([_table("Cases that neither passed nor failed", other, clauses)] if other else []),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n'
        '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{heading}</title><style>{_STYLE}</style></head>\n"
        f"<body><main><h1>{heading}</h1>\n{chr(10).join(parts)}\n</main></body></html>\n"
    )


def _facts(report: Report) -> str:
    suite, implementation = report["suite"], report["implementation"] or {}
    facts = {
        "Suite": f"{suite['version']}, specification {suite['specification']}",
        "SHA-256 of the vectors' SHA256SUMS": suite["vectors_sha256"],
        "SHA-256 of the Unicode data's SHA256SUMS": suite["data_sha256"],
    }
    for name, value in implementation.items():
        if name not in ("name", "version") and value:
            facts[name.capitalize()] = value if isinstance(value, str) else ", ".join(value)
    if report["full"]:
        facts["Full run"] = generated(report)
    facts["Classes"] = ", ".join(f"{name} {result}" for name, result in report["classes"].items())
    facts["Cases"] = ", ".join(f"{count} {status}" for status, count in report["counts"].items() if count)
    rows = (f'<tr><th scope="row">{_safe(name)}</th><td>{_safe(value)}</td></tr>' for name, value in facts.items())
    table = "".join(rows)
    return f'<table class="facts"><caption>What was run</caption><tbody>{table}</tbody></table>'


def _untested(rows: list[dict[str, Any]]) -> str:
    """Return the cases that were not tested, by reason and operation."""
    body = "".join(
        f"<tr><td>{_safe(row['why'])}</td><td>{sum(row['operations'].values())}</td><td>"
        f"{_safe(', '.join(f'{op} {count}' for op, count in row['operations'].items()))}</td></tr>"
        for row in rows
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("Reason", "Cases", "Operations"))
    return f"<table><caption>Not tested</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _group(group: Group, linked: Callable[[str], str], *, opened: bool) -> str:
    examples = "".join(_failure(row, linked) for row in group.rows[:EXAMPLES])
    others = ", ".join(f"<code>{_safe(row['id'])}</code>" for row in group.rows[EXAMPLES:])
    count = len(group.rows) - EXAMPLES
    more = f"<details><summary>{count} more like these</summary><p>{others}</p></details>" if others else ""
    heading = f"{_safe(group.step)}: {linked(group.cause)} ({len(group.rows)})"
    return f"<details{' open' if opened else ''}><summary>{heading}</summary>{examples}{more}</details>"


def _failure(row: dict[str, Any], linked: Callable[[str], str]) -> str:
    values = {"request": row.get("request", ""), "code points": _code_points(row.get("request", ""))}
    values |= {name: row.get(name, "") for name in ("expected", "given")}
    shown = [
        f"<dt>{name.capitalize()}</dt><dd><pre>{_safe(value)}</pre></dd>" for name, value in values.items() if value
    ]
    if row["diagnosis"]:
        shown.append(f"<dt>Diagnosis</dt><dd><pre>{chr(10).join(map(linked, row['diagnosis']))}</pre></dd>")
    return (
        f'<section><h3 id="{_safe(row["id"])}"><code>{_safe(row["id"])}</code> '
        f'<span class="bad">{status_of(row)}</span></h3><p>{_safe(row["comment"])}</p>'
        f"<p>{_safe(row.get('reason', ''))}. {' '.join(map(linked, row['requirements']))}</p>"
        f"<dl>{''.join(shown)}</dl></section>"
    )


def _code_points(request: str) -> str:
    """Return the code points of the text of a request, if it is short and not ASCII; nothing of a shortened request."""
    try:
        text = str(json.loads(request).get("text", ""))
    except ValueError:
        return ""
    return "" if text.isascii() or len(text) > _CODE_POINTS else " ".join(f"U+{ord(c):04X}" for c in text)


def _table(caption: str, rows: list[dict[str, Any]], clauses: Callable[[dict[str, Any]], str]) -> str:
    body = "".join(
        f'<tr><td><code>{_safe(row["id"])}</code></td><td class="{_colour(row["status"])}">{row["status"]}</td>'
        f"<td>{_safe(row.get('reason') or _inputs(row))}</td><td>{clauses(row)}</td></tr>"
        for row in rows
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("Case", "Status", "Reason", "Requirements"))
    return (
        f"<details><summary>{caption}</summary><table><caption>{caption}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></details>"
    )


def _inputs(row: dict[str, Any]) -> str:
    return f"{row['inputs']} inputs" if "inputs" in row else ""


def _colour(status: str) -> str:
    return "good" if status == "passed" else "bad" if status in BAD else "other"


def _safe(text: str) -> str:
    return escape(printable(str(text)))


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
    """Return the report as XML: a test suite per group of cases, a test case per case, details of the plainest."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in all_rows(report):
        groups.setdefault(row["id"].partition("/")[0], []).append(row)
    root = ElementTree.Element("testsuites", _totals(all_rows(report)) | {"name": "simhash-doc conformance"})
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
    bad = sum(row["status"] in BAD for row in all_rows(report))
    if report["implementation"] is None:
        return "does not start", _BAD
    if bad:
        return f"{bad} of {case_count(report) + len(check_rows(report))} failed", _BAD
    classes = passed_classes(report)
    if classes:
        message = printable(f"{report['suite']['version']} {', '.join(classes)}")
        return (f"outdated: {message}", _PARTIAL) if outdated else (message, _GOOD)
    return f"{report['counts']['passed']} of {case_count(report)} passed", _PARTIAL


def _text(text: str, middle: float) -> str:
    return f'<text x="{middle:g}" y="14" textLength="{_CHARACTER * len(text)}">{saxutils.escape(text)}</text>\n'
