"""The conformance dashboard, from the register `conformance/implementations.json`, its reports and the matrix."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from simhash_doc_conformance.reports.matrix import Matrix, matrix_conclusion
from simhash_doc_conformance.reports.page import html_page
from simhash_doc_conformance.reports.report import Report, all_rows, case_count
from simhash_doc_conformance.reports.writers import badge, escaped
from simhash_doc_conformance.running.judge import BAD
from simhash_doc_conformance.vectors.cases import suite_digest
from simhash_doc_conformance.vectors.requirements import document_of

CONFORMANCE = Path(__file__).parents[2] / "conformance"
sys.path.insert(0, str(CONFORMANCE))

from register import FILE, Entry, State, read_register, state_of  # noqa: E402

REPORTS = CONFORMANCE / "reports"
_PLACES = {
    "simhash-doc.md": "specification",
    "search.md": "specification-search",
    "extraction.md": "specification-extraction",
}
"""Where the site has the documents of the specification."""

HEAD = """---
hide:
  - toc
---

# State of implementations

The dashboard shows what the conformance suite found for each registered implementation. All belong to this project. All
but the one in Python were written from the text alone. *Unsupported* cases belong to classes that an implementation
does not claim, mostly the extraction of text from documents.

<div class="dense" markdown>

| Implementation | Language | State | Classes | Passed | Failed | Report |
|---|---|---|---|---:|---:|---|
"""
FOOT = """
## How to read it

Each implementation had a full run: the test vectors, every Unicode scalar value, and generated requests. A case passes
only if the answer is right. *Failed* includes wrong answers, crashes and timeouts, also in the checks beyond the
vectors.

| State | Meaning |
|---|---|
| conformant | the report is of the current vectors, and everything that a claimed class requires passed |
| outdated | the same for older vectors |
| failing | something failed, or no class passed |

The date belongs to the report, which changes only when the result does. [Register as JSON](implementations.json).
Yours is not here? [Register it](how-to/validate-your-port.md#register-an-implementation).
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    entries, digest = read_register(CONFORMANCE / FILE), suite_digest()
    files.append(File.generated(config, FILE, abs_src_path=str(CONFORMANCE / FILE)))
    rows, details = [], []
    for name, entry in entries.items():
        path = REPORTS / f"{name}.json"
        report = json.loads(path.read_text(encoding="utf-8"))
        state = state_of(report, digest)
        files.append(File.generated(config, f"reports/{name}.json", abs_src_path=str(path)))
        files.append(File.generated(config, f"reports/{name}.html", content=page_of(report)))
        image = badge(report, outdated=state == "outdated")
        files.append(File.generated(config, f"reports/{name}.svg", content=image))
        rows.append(row(entry, report, state))
        details.append(detail(entry, report))
    files.append(File.generated(config, "reports/matrix.json", abs_src_path=str(REPORTS / "matrix.json")))
    content = "\n".join([HEAD + "\n".join(rows), "\n</div>", matrix_section(), *details, FOOT])
    files.append(File.generated(config, "dashboard.md", content=content))
    return files


def matrix_section() -> str:
    """Return the section with the pairwise comparison of implementations."""
    matrix = json.loads((REPORTS / "matrix.json").read_text(encoding="utf-8"))
    table = "\n".join(matrix_table(matrix))
    return f"""
## Pairwise comparison {{ #matrix }}

Every two implementations got the same requests: the vectors, every Unicode scalar value,
{matrix["documents"]:,} generated documents for each step, and generated text forms and indexes.
{matrix_conclusion(matrix)}.

<div class="dense" markdown>

{table}

</div>

Each cell counts the answers on which two implementations agree; differences would be bold. [The
JSON](reports/matrix.json) counts them for each operation. To run it again: `python conformance/make_reports.py
--build`, then `simhash-doc conformance matrix --documents {matrix["documents"]}`.
"""


def matrix_table(matrix: Matrix) -> list[str]:
    """Return a table in Markdown of all implementations against all: the number of equal answers, or of differences."""
    names = [implementation["name"] for implementation in matrix["implementations"]]
    cells = {frozenset(pair["names"]): pair for pair in matrix["pairs"]}
    lines = [f"| Implementation | {' | '.join(map(escaped, names))} |", f"|---|{'---:|' * len(names)}"]
    for row in names:
        shown = ("" if row == column else _cell(cells[frozenset((row, column))]) for column in names)
        lines.append(f"| {escaped(row)} | {' | '.join(shown)} |")
    return lines


def _cell(pair: dict[str, Any]) -> str:
    cells = {"equal": f"{pair['equal']:,}", "different": f"**{pair['different']:,} differ**"}
    return cells.get(pair["verdict"], "not compared")


def page_of(report: Report) -> str:
    """Return the report as a page with links to the specification on the site."""
    return html_page(report, _address)


def _address(requirement: str) -> str:
    """Return the address of a requirement, as seen from a report."""
    return f"../{_PLACES[document_of(requirement)]}/#{requirement}"


def row(entry: Entry, report: Report, state: State) -> str:
    cells = [
        f"[{plain(entry['name'])}](#{entry['id']})<br>![{state}](reports/{entry['id']}.svg)",
        plain(entry["language"]),
        state,
        ", ".join(entry["classes"]) or "none",
        passed(report),
        str(failed(report)),
        f"[{entry['report']['date']}](reports/{entry['id']}.html)",
    ]
    return f"| {' | '.join(cells)} |"


def plain(text: str) -> str:
    """Return a text of a report or entry with everything that Markdown or HTML may interpret as entities."""
    return "".join(mark if mark.isalnum() or mark in " ,.:" else f"&#{ord(mark)};" for mark in text)


def passed(report: Report) -> str:
    """Return the number of passed cases, and of cases of unsupported optional operations or schemes."""
    counts, total = report["counts"], case_count(report)
    unsupported = f", {counts['unsupported']} unsupported" if counts["unsupported"] else ""
    return f"{counts['passed']} of {total}{unsupported}"


def failed(report: Report) -> int:
    return sum(row["status"] in BAD for row in all_rows(report))


def source(entry: Entry) -> str:
    """Return the address of the source: the folder in this repository, or the repository of the implementation."""
    folder = entry.get("source")
    return f"{entry['repository']}/tree/main/{folder}" if folder else entry["repository"]


def detail(entry: Entry, report: Report) -> str:
    """Return the section of one implementation: where it is, how it was run, and the cases that failed."""
    suite, handshake, files = report["suite"], report["implementation"], f"reports/{entry['id']}"
    maintainer = plain(entry["maintainer"])
    bad = [f"- [{case['id']}](vectors.md#{case['id']})" for case in report["cases"] if case["status"] in BAD]
    command = f"`simhash-doc conformance run --full -- {shlex.join(entry['adapter'])}`"
    return "\n".join(
        [
            f"\n## {plain(entry['name'])} {{ #{entry['id']} }}\n",
            f"- [Source]({source(entry)}), maintained by {maintainer}; licence {entry['licence']}",
            f"- Version {plain(entry['version'])}; schemes {plain(', '.join(entry['schemes']))}",
            *([f"- Document formats: {plain(', '.join(entry['formats']))}"] if entry["formats"] else []),
            *(f"- Limit: {plain(limit)}" for limit in entry["limits"]),
            *([f"- Command: {command}"] if entry["adapter"] else []),
            f"- Suite {suite['version']}, specification {suite['specification']}",
            *(f"- {part.capitalize()}: {plain(handshake[part])}" for part in ("engine", "index") if part in handshake),
            f"- Report: [page]({files}.html), [JSON]({files}.json), [badge]({files}.svg)",
            *(["", "Cases that failed:", "", *bad] if bad else []),
        ]
    )
