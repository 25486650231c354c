"""The page of requirements: each with the vectors that test it and the mutants that violate it."""

from __future__ import annotations

import html

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from simhash_doc.conformance.cases import load_cases
from simhash_doc.conformance.mutants import mutants
from simhash_doc.conformance.mutants.analysis import killers
from simhash_doc.conformance.requirements import Trace, document_of, needs_tests, traceability

# The page of each document that contains requirements.
PAGES = {
    "simhash-doc.md": "specification.md",
    "index.md": "specification-search.md",
    "extraction.md": "specification-extraction.md",
}
HEAD = """---
search:
  exclude: true
---

# Requirements and their tests

Each requirement of the [specification](specification.md), of [search](specification-search.md) and of
[extraction](specification-extraction.md) with its [test vectors](vectors.md) and its mutants: implementations with
one plausible mistake, which measure the vectors. A mutant that passes every vector shows a gap in the suite.
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    files.append(File.generated(config, "requirements.md", content=page()))
    return files


def page() -> str:
    traces = traceability(load_cases(), mutants().values())
    killed_by = killers()
    summary = [
        f"{len(traces)} requirements, {len(load_cases())} vectors, {len(mutants())} mutants.",
        "",
        "| Requirement | Vectors | Mutants |",
        "|---|---:|---:|",
        *(
            f"| [{trace.requirement}](#{trace.requirement}-tests) | {len(trace.cases)} | {len(trace.mutants)} |"
            for trace in traces
        ),
    ]
    sections = [section(trace, killed_by) for trace in traces]
    return "\n".join([HEAD, *summary, "", *sections])


def section(trace: Trace, killed_by: dict[str, list[str]]) -> str:
    name = trace.requirement
    page = PAGES[document_of(name)]
    heading = f"## {name} {{ #{name}-tests }}\n\n[In the specification]({page}#{name}).\n"
    if not needs_tests(name):
        return f"{heading}\nThis is a recommendation: no vector tests it.\n"
    return "\n".join([heading, mutant_table(trace, killed_by), vectors(trace), ""])


def mutant_table(trace: Trace, killed_by: dict[str, list[str]]) -> str:
    if not trace.mutants:
        return "No mutant violates this requirement alone.\n"
    rows = []
    for name in trace.mutants:
        mutant, killing = mutants()[name], killed_by[name]
        detected = f"{len(killing)}, such as {case_link(killing[0])}" if killing else f"none: {mutant.equivalent}"
        rows.append(f"| `{name}` | {escaped(mutant.mistake)} | {detected} |")
    return "\n".join(["| Mutant | Mistake | Vectors that detect it |", "|---|---|---|", *rows, ""])


def vectors(trace: Trace) -> str:
    if not trace.cases:
        return "No vector tests this requirement.\n"
    links = ", ".join(case_link(case) for case in trace.cases)
    return f'<details markdown="1"><summary>{len(trace.cases)} vectors</summary>\n\n{links}\n\n</details>\n'


def case_link(case: str) -> str:
    return f'<a href="../vectors/#{case}">{case}</a>'


def escaped(text: str) -> str:
    """Return text for a cell of a table in Markdown."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]|~" else html.escape(c) for c in text)
