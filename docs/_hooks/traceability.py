"""The page of requirements: each with the number of the vectors that test it and of the mutants that violate it."""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from simhash_doc.conformance.cases import load_cases
from simhash_doc.conformance.mutants import mutants
from simhash_doc.conformance.requirements import Trace, document_of, needs_tests, traceability

SPECIFICATION = Path(__file__).parents[2] / "spec"
# The page of each document that contains requirements.
PAGES = {
    "simhash-doc.md": "specification.md",
    "search.md": "specification-search.md",
    "extraction.md": "specification-extraction.md",
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    files.append(File.generated(config, "requirements.md", content=page(config.extra["repository"])))
    return files


def page(repository: str) -> str:
    traces = traceability(load_cases(), mutants().values())
    sections = {name: section for document in PAGES for name, section in sections_of(document).items()}
    return f"""---
search:
  exclude: true
---

# Requirements and their tests

{len(traces)} requirements, {len(load_cases())} [vectors](vectors.md), {len(mutants())} mutants. A mutant is an
implementation with one plausible mistake; a mutant that passes every vector shows a gap in the suite. The
[list of mutants]({repository}/blob/main/conformance/TRACEABILITY.md) names those of each requirement.

| Requirement | Section | Vectors | Mutants |
|---|---|---:|---:|
{chr(10).join(row(trace, sections[trace.requirement]) for trace in traces)}
"""


def sections_of(document: str) -> dict[str, str]:
    """Return the heading of the section of each requirement of a document."""
    text = (SPECIFICATION / document).read_text(encoding="utf-8")
    found, section = {}, ""
    for heading, name in re.findall(r'^##+ (.+)$|<a id="(SD-[A-Z]+-\d+)">', text, re.MULTILINE):
        section = heading or section
        if name:
            found[name] = section
    return found


def row(trace: Trace, section: str) -> str:
    name = trace.requirement
    vectors = f'<a href="../vectors/#{name}">{len(trace.cases)}</a>' if trace.cases else "0"
    if not needs_tests(name):
        vectors = "no vectors"
    link = f'<a id="{name}-tests"></a>[{name}]({PAGES[document_of(name)]}#{name})'
    return f"| {link} | {section} | {vectors} | {len(trace.mutants)} |"
