"""Renders documents of the repository as pages: the specification, its rationale, the conformance guide and others.

They stand in the repository once, where they belong; links between them are turned into links between pages.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from simhash_doc.conformance.cases import load_cases
from simhash_doc.conformance.mutants import mutants
from simhash_doc.conformance.requirements import traceability

ROOT = Path(__file__).parents[2]
# The document in the repository, and its page.
PAGES = {
    "spec/simhash-doc.md": "specification.md",
    "spec/rationale.md": "rationale.md",
    "conformance/README.md": "implementers-guide.md",
    "conformance/PROTOCOL.md": "protocol.md",
    "conformance/implementations/js/README.md": "reference/javascript.md",
    "CHANGELOG.md": "changelog.md",
}
# The page in place of a directory.
DIRECTORIES = {"spec/data": "data.md"}
# Files that are published as they are, under their path in the repository.
PUBLISHED = ("spec/data", "conformance/schemas")

_LINK = re.compile(r"(?<!\!)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")
_CLAUSE = re.compile(r'<a id="(SD-[A-Z]+-\d+)"></a>\*\*\1\*\*')


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for source, page in PAGES.items():
        text = rewrite_links((ROOT / source).read_text(encoding="utf-8"), source, page)
        if page == "specification.md":
            text = link_clauses(text)
        files.append(File.generated(config, page, content=text))
    for directory in PUBLISHED:
        for path in sorted((ROOT / directory).iterdir()):
            files.append(File.generated(config, f"{directory}/{path.name}", abs_src_path=str(path)))
    files.append(File.generated(config, "data.md", content=data_page()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let the pages in `docs/` link to documents by their place in the repository."""
    path = page.file.src_uri
    return markdown if path in PAGES.values() else rewrite_links(markdown, f"docs/{path}", path)


def rewrite_links(text: str, source: str, page: str) -> str:
    """Turn links relative to a document of the repository into links relative to its page.

    A link to what is not on the site becomes the name of the file in the repository.
    """

    def rewritten(match: re.Match[str]) -> str:
        label, target, fragment = match[1], match[2], match[3] or ""
        if "://" in target:
            return match[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        place = place_of(path)
        if place is None:
            return f"`{path}`"
        return f"[{label}]({posixpath.relpath(place, posixpath.dirname(page) or '.')}{fragment})"

    return _LINK.sub(rewritten, text)


def place_of(path: str) -> str | None:
    """Return where a file of the repository is on the site."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path.startswith(PUBLISHED) and (ROOT / path).is_file():
        return path
    return PAGES.get(path) or DIRECTORIES.get(path)


def link_clauses(specification: str) -> str:
    """Make each requirement a link to itself, and put a link to its tests beside it."""
    traces = {trace.requirement: trace for trace in traceability(load_cases(), mutants().values())}

    def linked(match: re.Match[str]) -> str:
        name, trace = match[1], traces[match[1]]
        tests = f"{len(trace.cases)} vectors, {len(trace.mutants)} wrong ports"
        return (
            f'<a id="{name}"></a>**[{name}](#{name})** '
            f"[{tests}](requirements.md#{name}-tests){{ .clause-tests title='Tests of {name}' }}"
        )

    return _CLAUSE.sub(linked, specification)


def data_page() -> str:
    """Return the page of the pinned data: each file with its size and digest."""
    directory = ROOT / "spec/data"
    lines = (directory / "SHA256SUMS").read_text(encoding="ascii").splitlines()
    digests = {name: digest for digest, name in (line.split("  ") for line in lines)}
    rows = [
        f"| [{path.name}](spec/data/{path.name}) | {path.stat().st_size:,} | `{digests.get(path.name, '')}` |"
        for path in sorted(directory.iterdir())
    ]
    head = [
        "# Pinned data",
        "",
        "The specification's tables of Unicode 15.0 and the registry of schemes, as published with it. Their format is",
        "described in [section 1](specification.md#1-terms-and-notation) of the specification.",
        "",
        "| File | Bytes | SHA-256 |",
        "|---|---:|---|",
    ]
    return "\n".join([*head, *rows, ""])
