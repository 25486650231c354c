"""The report as one self-contained HTML page."""

from __future__ import annotations

from html import escape
from typing import Any

from simhash_doc.conformance.formatting import printable
from simhash_doc.conformance.reports.failures import failure_lines, order
from simhash_doc.conformance.reports.markdown import conclusion, generated, not_tested, title
from simhash_doc.conformance.reports.report import Report, all_rows
from simhash_doc.conformance.requirements import SPECIFICATION_URL
from simhash_doc.conformance.verdict import BAD, STATUSES

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
pre { background: var(--soft); padding: .6rem; white-space: pre-wrap; margin: .3rem 0; }
.good { color: var(--good); } .bad { color: var(--bad); } .other { color: var(--other); }
"""


def html_page(report: Report, specification: str | None = SPECIFICATION_URL) -> str:
    """Return the page: the conclusion, counts, failures in detail, and the cases that neither passed nor failed.

    Args:
        report: see `make_report`.
        specification: address of the specification, to which requirements link; without one, they have no link.
    """
    heading = _safe(title(report))
    bad = sorted((row for row in all_rows(report) if row["status"] in BAD), key=order)
    other = [row for row in report["cases"] if row["status"] not in {"passed", *BAD}]
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{heading}</title><style>{_STYLE}</style></head>",
            f"<body><main><h1>{heading}</h1>",
            f'<p class="{"good" if report["ok"] else "bad"}"><strong>{_safe(conclusion(report))}</strong></p>',
            *(f"<p>{_safe(line)}</p>" for line in failure_lines(report["failures"])),
            *(f"<p>{_safe(line)}</p>" for line in (*report["diagnosis"], *not_tested(report))),
            _facts(report),
            _counts(report),
            *(["<h2>Cases that did not pass</h2>", *(_failure(row, specification) for row in bad)] if bad else []),
            *([_table("Checks beyond the vectors", report["full"]["checks"], specification)] if report["full"] else []),
            *([_table("Cases that neither passed nor failed", other, specification)] if other else []),
            "</main></body></html>",
            "",
        ]
    )


def _facts(report: Report) -> str:
    suite, implementation = report["suite"], report["implementation"] or {}
    facts = {
        "Suite": f"{suite['version']}, specification {suite['specification']}",
        "SHA-256 of the vectors' SHA256SUMS": suite["vectors_sha256"],
        "SHA-256 of the Unicode data's SHA256SUMS": suite["data_sha256"],
        **{
            name.capitalize(): implementation[name]
            for name in ("language", "unicode", "engine")
            if name in implementation
        },
        **{
            name.capitalize(): ", ".join(implementation[name])
            for name in ("operations", "schemes", "features", "formats")
            if implementation.get(name)
        },
        **({"Full run": generated(report)} if report["full"] else {}),
        "Classes": ", ".join(f"{name} {result}" for name, result in report["classes"].items()),
    }
    rows = (f'<tr><th scope="row">{_safe(name)}</th><td>{_safe(value)}</td></tr>' for name, value in facts.items())
    return f"<table><caption>What was run</caption><tbody>{''.join(rows)}</tbody></table>"


def _counts(report: Report) -> str:
    rows = (
        f'<tr><th scope="row" class="{_colour(status)}">{status}</th><td>{report["counts"][status]}</td></tr>'
        for status in STATUSES
        if report["counts"][status]
    )
    return f"<table><caption>Cases by status</caption><tbody>{''.join(rows)}</tbody></table>"


def _failure(row: dict[str, Any], specification: str | None) -> str:
    kind = f": {row['kind']}" if "kind" in row else ""
    values = "".join(
        f"<dt>{name.capitalize()}</dt><dd><pre>{_safe(row[name])}</pre></dd>"
        for name in ("request", "expected", "given")
        if name in row
    )
    diagnosis = "\n".join(row["diagnosis"])
    if diagnosis:
        lines = "\n".join(map(printable, row["diagnosis"]))
        values += f"<dt>Diagnosis</dt><dd><pre>{escape(lines)}</pre></dd>"
    return (
        f'<section><h3 id="{_safe(row["id"])}"><code>{_safe(row["id"])}</code> '
        f'<span class="bad">{row["status"]}{kind}</span></h3><p>{_safe(row["comment"])}</p>'
        f"<p>{_safe(row.get('reason', ''))}. {_clauses(row, specification)}</p><dl>{values}</dl></section>"
    )


def _table(title: str, rows: list[dict[str, Any]], specification: str | None) -> str:
    body = "".join(
        f'<tr><td><code>{_safe(row["id"])}</code></td><td class="{_colour(row["status"])}">{row["status"]}</td>'
        f"<td>{_safe(row.get('reason', _inputs(row)))}</td><td>{_clauses(row, specification)}</td></tr>"
        for row in rows
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("Case", "Status", "Reason", "Requirements"))
    return (
        f"<details><summary>{title}</summary><table><caption>{title}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></details>"
    )


def _inputs(row: dict[str, Any]) -> str:
    return f"{row['inputs']} inputs" if "inputs" in row else ""


def _clauses(row: dict[str, Any], specification: str | None) -> str:
    if specification is None:
        return " ".join(map(_safe, row["requirements"]))
    return " ".join(f'<a href="{_safe(specification)}#{_safe(name)}">{_safe(name)}</a>' for name in row["requirements"])


def _colour(status: str) -> str:
    return "good" if status == "passed" else "bad" if status in BAD else "other"


def _safe(text: str) -> str:
    return escape(printable(str(text)))
