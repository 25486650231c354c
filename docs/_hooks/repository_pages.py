"""Render documents of the repository as pages: the specification, its rationale, the conformance guide and others.

Each document exists once, at its place in the repository. Short documents on one subject share a page of the site.
Links between documents become links between pages, and links to files that the site does not contain lead to the
repository.
"""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from markdown.extensions.toc import slugify
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from simhash_doc_conformance.mutants import mutants
from simhash_doc_conformance.vectors.cases import load_cases
from simhash_doc_conformance.vectors.requirements import DOCUMENTS

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "conformance"))

from make_traceability import needs_tests, traceability  # noqa: E402

# The document in the repository, and its page.
PAGES = {
    "spec/simhash-doc.md": "specification.md",
    "spec/search.md": "specification-search.md",
    "spec/appendices.md": "specification-appendices.md",
    "spec/extraction.md": "specification-extraction.md",
    "spec/provenance.md": "specification-provenance.md",
    "spec/rationale.md": "rationale.md",
    "spec/CHANGES.md": "specification-changes.md",
    "spec/LICENSE.md": "licence.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
    "GOVERNANCE.md": "governance.md",
    "conformance/README.md": "implementers-guide.md",
    "conformance/PROTOCOL.md": "protocol.md",
    "conformance/vectors/README.md": "vector-format.md",
    "ports/java/README.md": "implementations/java.md",
    "ports/js/README.md": "implementations/js.md",
    "ports/go/README.md": "implementations/go.md",
    "ports/rust/README.md": "implementations/rust.md",
    "ports/c/README.md": "implementations/c.md",
}
# Pages that contain further documents, each as a section after the page's own text.
PARTS = {
    "specification-changes.md": ("spec/errata.md",),
    "benchmarks/bulk.md": (
        "docs/benchmarks/bulk-tables.md",
        "docs/benchmarks/implementations-tables.md",
    ),
    "benchmarks/calibration.md": ("docs/benchmarks/calibration-tables.md", "docs/benchmarks/rates-tables.md"),
    "security.md": ("docs/threat-model.md",),
}
# Titles of parts that have none.
TITLES = {
    "docs/benchmarks/bulk-tables.md": "Tables: many documents",
}
# The pages of the documents that contain requirements.
REQUIREMENT_PAGES = {document: PAGES[f"spec/{document}"] for document in DOCUMENTS}
# The page that represents a directory.
DIRECTORIES = {"spec/data": "vectors.md#pinned-data"}
EXCLUDED = "docs/decisions/"  # as exclude_docs in mkdocs.yml
# Directories whose files are published unchanged, under their paths in the repository.
PUBLISHED = ("spec/data", "spec/schemas", "conformance/schemas")
# Another hook publishes the files of this directory, but not those of its subdirectories.
VECTORS = "conformance/vectors"

_LINK = re.compile(r"(?<!\!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)#\s]*)(#[^)\s]*)?\)")
_REQUIREMENT = re.compile(r'<a id="(SD-[A-Z]+-\d+)"></a>\*\*\1\*\*')
_FENCE = re.compile(r"^ *(`{3,}|~{3,})")
_HEADING = re.compile(r"^(#+) +(.+?)(?: *\{ *#([\w-]+) *\})?$")
# The entries of the reference, which mkdocstrings replaces.
_ENTRY = re.compile(r"^::: \S+$", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for source, page in PAGES.items():
        text = page_of(source, page, config)
        if page in REQUIREMENT_PAGES.values():
            text = link_requirements(text)
        files.append(File.generated(config, page, content=text))
    for page, parts in PARTS.items():
        for source in parts:
            part = files.get_file_from_path(source.removeprefix("docs/"))
            if part is not None:
                files.remove(part)
        own = files.get_file_from_path(page)
        if own is not None and page not in PAGES.values():
            files.remove(own)
            generated = own.content_string if own.generated_by else ""
            files.append(File.generated(config, page, content=generated + page_of(f"docs/{page}", page, config)))
    for directory in PUBLISHED:
        for path in sorted((ROOT / directory).iterdir()):
            files.append(File.generated(config, f"{directory}/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return a page of `docs/` with its links to documents of the repository turned into links to their pages."""
    path = page.file.src_uri
    if path in PAGES.values() or path in PARTS:
        return markdown
    if path == "index.md":
        markdown = with_facts(markdown)
    return rewrite_links(markdown, f"docs/{path}", path, config)


def with_facts(markdown: str) -> str:
    """Return the start page with the version and date of the specification and the number of vectors."""
    specification = (ROOT / "spec/simhash-doc.md").read_text(encoding="utf-8")
    version, date = re.findall(r"^Version (\S+) · (\S+) ·", specification, re.MULTILINE)[0]
    facts = {"SPECIFICATION": version, "DATE": date, "VECTORS": f"{len(load_cases()):,}"}
    return re.sub(r"@([A-Z]+)@", lambda match: facts[match[1]], markdown)


def page_of(source: str, page: str, config: MkDocsConfig) -> str:
    """Return the text of a page: its document, and then each document that is a part of the page."""
    documents = [source, *PARTS.get(page, ())]
    return "\n".join(rewrite_links(demoted(document, page), document, page, config) for document in documents)


@cache
def text_of(source: str) -> str:
    path = ROOT / source
    text = path.read_text(encoding="utf-8") if path.is_file() else ""  # another hook generates the page
    if path.name == "README.md" and source.startswith("ports/"):  # it speaks of its folder
        folder = posixpath.dirname(source)
        text = text.replace("\n", f"\n\nThe code and the tests of this library are in the folder [{folder}](.).\n", 1)
    return f"# {TITLES[source]}\n\n{text}" if source in TITLES else text


def demoted(source: str, page: str) -> str:
    """Return a document; if it is a part of a page, one level lower and with the anchors that links to it have."""
    text = text_of(source)
    if source not in PARTS.get(page, ()):
        return text
    lines = text.split("\n")
    for number, slug in headings(text):
        level, title, _ = _HEADING.match(lines[number]).groups()  # type: ignore[union-attr]
        lines[number] = f"#{level} {title} {{ #{anchor(source, page, slug)} }}"
    return _ENTRY.sub(r"\g<0>\n    options:\n      heading_level: 3", "\n".join(lines))


def headings(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line number and the anchor of each heading, as Python-Markdown names it in a page of its own."""
    fence, used = "", set[str]()
    for number, line in enumerate(text.split("\n")):
        if marks := _FENCE.match(line):
            fence = marks[1] if not fence else "" if marks[1].startswith(fence) else fence
        elif not fence and (found := _HEADING.match(line)):
            slug = found[3] or slugify(re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", found[2]), "-")
            while slug in used:
                stem, _, count = slug.rpartition("_")
                slug = f"{stem}_{int(count) + 1}" if stem and count.isdigit() else f"{slug}_1"
            used.add(slug)
            yield number, slug


def anchor(source: str, page: str, slug: str) -> str:
    """Return the anchor on the page of a heading of a part: its own, unless an earlier document has the same."""
    return f"{stem(source)}-{slug}" if slug in anchors_before(source, page) else slug


@cache
def anchors_before(source: str, page: str) -> frozenset[str]:
    own = next((document for document, place in PAGES.items() if place == page), f"docs/{page}")
    documents = [own, *PARTS[page]]
    earlier = documents[: documents.index(source)]
    return frozenset(slug for document in earlier for _, slug in headings(text_of(document)))


def stem(source: str) -> str:
    return Path(source).stem.lower()


def rewrite_links(text: str, source: str, page: str, config: MkDocsConfig) -> str:
    """Return a text with its links relative to a document turned into links relative to the document's page."""

    def rewritten(match: re.Match[str]) -> str:
        label, target, fragment = match[1], match[2], (match[3] or "").removeprefix("#")
        if target.startswith(repository):  # as in the READMEs of packages
            target = posixpath.relpath(target.removeprefix(repository), posixpath.dirname(source) or ".")
        if "://" in target or target.startswith("mailto:") or not (target or fragment):
            return match[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target)) if target else source
        place = place_of(path)
        if place is None:
            kind = "tree" if (ROOT / path).is_dir() else "blob"
            address = f"{config.extra['repository']}/{kind}/main/{path}{fragment and '#'}{fragment}"
            return f"[{label}]({address})"
        if re.fullmatch(r"[\w./-]+\.md", label):  # the name of a file, where readers of the site know its title
            label = next(found[2] for line in text_of(path).split("\n") if (found := _HEADING.match(line)))
            label = label.removeprefix("simhash-doc: ").capitalize()
        if path in PARTS.get(place, ()):
            title = next(slug for _, slug in headings(text_of(path)))
            fragment = anchor(path, place, fragment or title)
        return f"[{label}]({posixpath.relpath(place, posixpath.dirname(page) or '.')}{fragment and '#'}{fragment})"

    repository = f"{config.extra['repository']}/blob/main/"
    return _LINK.sub(rewritten, text)


def place_of(path: str) -> str | None:
    """Return the path on the site of a file of the repository, or None if the site does not contain it."""
    for page, parts in PARTS.items():
        if path in parts:
            return page
    if path.startswith("docs/"):
        return None if path.startswith(EXCLUDED) else path.removeprefix("docs/")
    if path in PAGES:
        return PAGES[path]
    is_published = path.startswith(PUBLISHED) or posixpath.dirname(path) == VECTORS
    return path if is_published and (ROOT / path).is_file() else DIRECTORIES.get(path)


def link_requirements(specification: str) -> str:
    """Return the specification with each requirement linked to itself and to its tests."""
    traces = traceability(load_cases(), mutants().values())

    def linked(match: re.Match[str]) -> str:
        name = match[1]
        counts = zip(("vector", "mutant"), traces[name], strict=True)
        tests = ", ".join(f"{len(some)} {noun}{'' if len(some) == 1 else 's'}" for noun, some in counts)
        tests = tests if needs_tests(name) else "no vectors"
        return (
            f'<a id="{name}"></a>**[{name}](#{name})** '
            f'<a class="requirement-tests" title="Test vectors of {name}, and wrong implementations that fail them" '
            f'href="../vectors/#{name}">{tests}</a>'
        )

    return _REQUIREMENT.sub(linked, specification)
