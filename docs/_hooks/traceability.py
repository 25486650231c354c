"""The page of requirements: each with the vectors that test it and the known wrong ports that break it."""

from __future__ import annotations

import html

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from simhash_doc.conformance.cases import load_cases
from simhash_doc.conformance.mutants import mutants
from simhash_doc.conformance.mutants.judging import killers
from simhash_doc.conformance.requirements import Trace, traceability

HEAD = """---
search:
  exclude: true
---

# Requirements and their tests

Each requirement of the [specification](specification.md) with the [test vectors](vectors.md) for it, and with the known
wrong ports: implementations with one plausible mistake, by which the vectors are judged. A wrong port that no vector
tells from a right one would be a gap in the suite.
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    files.append(File.generated(config, "requirements.md", content=page()))
    return files


def page() -> str:
    traces = traceability(load_cases(), mutants().values())
    killed_by = killers()
    summary = [
        f"{len(traces)} requirements, {len(load_cases())} vectors, {len(mutants())} wrong ports.",
        "",
        "| Requirement | Vectors | Wrong ports |",
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
    heading = f"## {name} {{ #{name}-tests }}\n\n[In the specification](specification.md#{name}).\n"
    return "\n".join([heading, wrong_ports(trace, killed_by), vectors(trace), ""])


def wrong_ports(trace: Trace, killed_by: dict[str, list[str]]) -> str:
    if not trace.mutants:
        return "No wrong port breaks this requirement alone.\n"
    rows = []
    for name in trace.mutants:
        mutant, killing = mutants()[name], killed_by[name]
        told = f"{len(killing)}, such as {case_link(killing[0])}" if killing else f"none: {mutant.equivalent}"
        rows.append(f"| `{name}` | {escaped(mutant.mistake)} | {told} |")
    return "\n".join(["| Wrong port | What its author does | Vectors that tell |", "|---|---|---|", *rows, ""])


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
