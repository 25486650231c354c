"""Render documents of the repository as pages: the specification, its rationale, the conformance guide and others.

Each document exists once, at its place in the repository. Links between documents become links between pages.
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
from simhash_doc.conformance.requirements import DOCUMENTS, traceability

ROOT = Path(__file__).parents[2]
# The document in the repository, and its page.
PAGES = {
    "spec/simhash-doc.md": "specification.md",
    "spec/index.md": "specification-search.md",
    "spec/extraction.md": "specification-extraction.md",
    "spec/provenance.md": "specification-provenance.md",
    "spec/rationale.md": "rationale.md",
    "spec/errata.md": "errata.md",
    "GOVERNANCE.md": "governance.md",
    "SECURITY.md": "security.md",
    "conformance/README.md": "implementers-guide.md",
    "conformance/PROTOCOL.md": "protocol.md",
    "conformance/implementations/js/README.md": "reference/javascript.md",
    "CHANGELOG.md": "changelog.md",
}
# The pages of the documents that contain requirements.
REQUIREMENT_PAGES = {document: PAGES[f"spec/{document}"] for document in DOCUMENTS}
# The page that represents a directory.
DIRECTORIES = {"spec/data": "data.md"}
# Directories whose files are published unchanged, under their paths in the repository.
PUBLISHED = ("spec/data", "spec/schemas", "conformance/schemas")
# Another hook publishes the files of this directory, but not those of its subdirectories.
VECTORS = "conformance/vectors"

_LINK = re.compile(r"(?<!\!)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")
_REQUIREMENT = re.compile(r'<a id="(SD-[A-Z]+-\d+)"></a>\*\*\1\*\*')


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for source, page in PAGES.items():
        text = rewrite_links((ROOT / source).read_text(encoding="utf-8"), source, page)
        if page in REQUIREMENT_PAGES.values():
            text = link_requirements(text)
        files.append(File.generated(config, page, content=text))
    for directory in PUBLISHED:
        for path in sorted((ROOT / directory).iterdir()):
            files.append(File.generated(config, f"{directory}/{path.name}", abs_src_path=str(path)))
    files.append(File.generated(config, "data.md", content=data_page()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return a page of `docs/` with its links to documents of the repository turned into links to their pages."""
    path = page.file.src_uri
    return markdown if path in PAGES.values() else rewrite_links(markdown, f"docs/{path}", path)


def rewrite_links(text: str, source: str, page: str) -> str:
    """Return a text with its links relative to a document turned into links relative to the document's page.

    A link to a file that is not on the site becomes the name of the file.
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
    """Return the path on the site of a file of the repository, or None if the site does not contain it."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    is_published = path.startswith(PUBLISHED) or posixpath.dirname(path) == VECTORS
    if is_published and (ROOT / path).is_file():
        return path
    return PAGES.get(path) or DIRECTORIES.get(path)


def link_requirements(specification: str) -> str:
    """Return the specification with each requirement linked to itself and to its tests."""
    traces = {trace.requirement: trace for trace in traceability(load_cases(), mutants().values())}

    def linked(match: re.Match[str]) -> str:
        name, trace = match[1], traces[match[1]]
        tests = f"{len(trace.cases)} vectors, {len(trace.mutants)} mutants"
        return (
            f'<a id="{name}"></a>**[{name}](#{name})** '
            f"[{tests}](requirements.md#{name}-tests){{ .requirement-tests title='Tests of {name}' }}"
        )

    return _REQUIREMENT.sub(linked, specification)


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
        "The Unicode 15.0 tables and the registry of schemes, which are part of the specification.",
        "[Section 1](specification.md#1-terms-and-notation) of the specification describes their format.",
        "",
        "| File | Bytes | SHA-256 |",
        "|---|---:|---|",
    ]
    return "\n".join([*head, *rows, ""])
