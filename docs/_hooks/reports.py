"""The conformance dashboard, from the reports in `conformance/reports/` (python conformance/make_reports.py)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from simhash_doc.conformance.cases import suite_digest
from simhash_doc.conformance.reports.badge import badge
from simhash_doc.conformance.reports.html import html_page
from simhash_doc.conformance.reports.report import Report, all_rows, passed_classes
from simhash_doc.conformance.verdict import BAD

REPORTS = Path(__file__).parents[2] / "conformance/reports"

HEAD = """---
hide:
  - toc
---

# Dashboard

The results of the conformance suite for each implementation in the repository.

<div class="dense" markdown>

| Implementation | Version | Language | Classes | Schemes | Passed | Failed | Date |
|---|---|---|---|---|---:|---:|---|
"""
FOOT = """
Each implementation had a full run: the test vectors, every Unicode scalar value, and generated requests that are
compared with the reference. A case passes only if the answer is the published one. *Failed* includes wrong answers,
crashes and timeouts, and the checks beyond the vectors. The date
is that of the report, which changes only when the result does. To generate the reports again:

    python conformance/make_reports.py

Yours is not here? [Validate your port](how-to/validate-your-port.md).
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    index = json.loads((REPORTS / "index.json").read_text(encoding="utf-8"))
    reports = {name: json.loads((REPORTS / f"{name}.json").read_text(encoding="utf-8")) for name in index}
    for name, report in reports.items():
        files.append(File.generated(config, f"reports/{name}.json", abs_src_path=str(REPORTS / f"{name}.json")))
        files.append(File.generated(config, f"reports/{name}.html", content=page_of(report)))
        files.append(File.generated(config, f"reports/{name}.svg", content=badge(report)))
    rows = [row(name, report, index[name]["date"]) for name, report in reports.items()]
    details = [detail(name, report, index[name]["command"]) for name, report in reports.items()]
    content = "\n".join([HEAD + "\n".join(rows), "\n</div>", *details, FOOT])
    files.append(File.generated(config, "dashboard.md", content=content))
    return files


def page_of(report: Report) -> str:
    """Return the report as a page with links to the specification on the site."""
    page = html_page(report, specification="../specification/")
    for name, document in (("LOOK", "search"), ("EXTRACT", "extraction")):
        page = page.replace(f"../specification/#SD-{name}-", f"../specification-{document}/#SD-{name}-")
    return page


def row(name: str, report: Report, date: str) -> str:
    implementation = report["implementation"] or {}
    cells = [
        f"[{implementation.get('name', name)}](reports/{name}.html)<br>{badge_image(name, report)}",
        implementation.get("version", ""),
        implementation.get("language", ""),
        ", ".join(passed_classes(report)) or "none",
        ", ".join(implementation.get("schemes", [])),
        passed(report),
        str(failed(report)),
        f"{date}{'' if is_current(report) else ' (older suite)'}",
    ]
    return f"| {' | '.join(cells)} |"


def badge_image(name: str, report: Report) -> str:
    return f"![{'conforms' if report['ok'] else 'does not conform'}](reports/{name}.svg)"


def passed(report: Report) -> str:
    """Return the number of passed cases, and of cases of unsupported optional operations or schemes."""
    counts, total = report["counts"], len(report["cases"])
    unsupported = f", {counts['unsupported']} unsupported" if counts["unsupported"] else ""
    return f"{counts['passed']} of {total}{unsupported}"


def failed(report: Report) -> int:
    return sum(row["status"] in BAD for row in all_rows(report))


def is_current(report: dict[str, Any]) -> bool:
    """Return True if a report is of the vectors that the site publishes."""
    return bool(report["suite"]["vectors_sha256"] == suite_digest())


def detail(name: str, report: Report, command: str) -> str:
    """Return the section of one implementation: its command and the cases that failed."""
    implementation, suite = report["implementation"] or {"name": name, "unicode": "unknown"}, report["suite"]
    bad = [f"- [{case['id']}](vectors.md#{case['id']})" for case in report["cases"] if case["status"] in BAD]
    return "\n".join(
        [
            f"\n## {implementation['name']} {{ #{name} }}\n",
            f"- Command: `simhash-doc conformance run --full -- {command}`",
            f"- Suite {suite['version']}, specification {suite['specification']}",
            f"- Unicode version of its normalization: {implementation['unicode']}",
            *([f"- Engine: {implementation['engine']}"] if "engine" in implementation else []),
            f"- SHA-256 of the list of vectors: `{suite['vectors_sha256']}`",
            f"- [Report as a page](reports/{name}.html), [as JSON](reports/{name}.json), [badge](reports/{name}.svg)",
            *(["", "Cases that failed:", "", *bad] if bad else []),
        ]
    )
