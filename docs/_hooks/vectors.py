"""Publish the test vectors unchanged, with an index for the vector browser."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from release.archives import archives, spec_version, sums
from simhash_doc.published_files import data_path
from simhash_doc.reference import decode_utf8
from simhash_doc.schemes import get_schemes
from simhash_doc_conformance.protocol import CLASSES
from simhash_doc_conformance.vectors.cases import Case, load_cases, load_suite, read_verified
from simhash_doc_conformance.vectors.inputs import read_input
from simhash_doc_conformance.vectors.published import published_path
from simhash_doc_conformance.vectors.requirements import document_of, requirements

# A script counts if it has this share of the letters of a text.
WORTH_NAMING = 0.2
# The first words of character names that name a script.
NAMED = """
    Arabic Armenian Bengali Cherokee Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hangul Hebrew
    Hiragana Kannada Katakana Khmer Lao Latin Malayalam Mongolian Myanmar Oriya Sinhala Tamil Telugu Thai Tibetan
"""
SCRIPTS = {name.upper(): name for name in NAMED.split()} | {"CJK": "Han", "CANADIAN": "Canadian syllabics"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    directory = published_path("vectors")
    contents = read_verified(directory)
    groups = files_of_cases(contents)
    index = [entry(case, groups[case.id]) for case in load_cases(directory)]
    # The documents of the extraction vectors are left out: some of them would become pages here.
    for path in [*published(directory), directory / "SHA256SUMS"]:
        name = path.relative_to(directory).as_posix()
        files.append(File.generated(config, f"conformance/vectors/{name}", abs_src_path=str(path)))
    built = downloads()
    for name, data in (built | {"SHA256SUMS": sums(built).encode()}).items():
        files.append(File.generated(config, f"downloads/{name}", content=data))
    content = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    files.append(File.generated(config, "assets/vectors/index.json", content=content))
    return files


def files_of_cases(contents: dict[str, bytes]) -> dict[str, str]:
    """Return the file of each case."""
    return {
        row["id"]: name
        for name, content in contents.items()
        if name.startswith("cases-")
        for row in json.loads(content)["cases"]
    }


def downloads() -> dict[str, bytes]:
    """Return the archives by their file names."""
    return archives("spec", spec_version()) | archives("vectors", spec_version())


def published(directory: Path) -> list[Path]:
    """Return the files that the site has one by one."""
    return sorted([*directory.glob("*.json"), *directory.glob("core/*.json")])


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return a page with the parts that are made of the vectors, where it names them."""
    for name, make in PARTS.items():
        if (mark := f"<!-- {name} -->") in markdown:
            markdown = markdown.replace(mark, make())
    return markdown


def vector_files() -> str:
    directory = published_path("vectors")
    places = [path.relative_to(directory).as_posix() for path in [*published(directory), directory / "SHA256SUMS"]]
    listed = [(f"downloads/{name}", data) for name, data in downloads().items()]
    return listing(listed + [(f"conformance/vectors/{place}", (directory / place).read_bytes()) for place in places])


def data_files() -> str:
    return listing([(f"spec/data/{path.name}", path.read_bytes()) for path in sorted(data_path("spec/data").iterdir())])


def cases_to_pass() -> str:
    """Return a table of the numbers of cases that a claim needs, by its class and schemes."""
    cases, schemes = load_cases(), get_schemes()
    claimed = {"`sd64`": {"sd64"}, "`sd64`, `sd256`": {"sd64", "sd256"}, "all four": set(schemes)}
    rows = [
        f"| {name} | {', '.join(f'`{operation}`' for operation in operations)} | "
        + " | ".join(
            f"{sum(case.op in operations and case.schemes <= known for case in cases):,}" for known in claimed.values()
        )
        + " |"
        for name, operations in CLASSES.items()
        if name != "extract"  # its cases depend on the formats
    ]
    return "\n".join([f"| Class | Operations | {' | '.join(claimed)} |", "|---|---|---:|---:|---:|", *rows])


def claim() -> str:
    """Return a claim of conformance with all that SD-CLAIM-1 asks for."""
    suite = load_suite()
    return (
        f"> my-simhash 1.2 conforms to simhash-doc {spec_version()}: class fingerprint, scheme sd64; data "
        f"`{suite.data_digest}`, vectors {suite.version} `{suite.digest}`."
    )


def by_requirement() -> str:
    """Return a table of the requirements; each row has the anchor that the specification links to."""
    directory = published_path("vectors")
    groups = files_of_cases(read_verified(directory))
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for case in load_cases(directory):
        for name in case.requirements:
            found[name][groups[case.id]] += 1
    rows = [
        f'| <a id="{name}"></a>[{name}]({page_of(name)}#{name}) | {found[name].total()} | '
        + ", ".join(f"[{file[6:-5]}](conformance/vectors/{file})" for file in sorted(found[name]))
        + " |"
        for name in requirements()
    ]
    return "\n".join(["| Requirement | Vectors | Files `cases-...json` |", "|---|---:|---|", *rows])


def page_of(requirement: str) -> str:
    stem = document_of(requirement).removesuffix(".md")
    return "specification.md" if stem == "simhash-doc" else f"specification-{stem}.md"


def listing(files: list[tuple[str, bytes]]) -> str:
    """Return a table of files, each with its size and digest."""
    rows = [
        f"| [{place.rpartition('/')[2]}]({place}) | {len(data):,} | `{sha256(data).hexdigest()}` |"
        for place, data in files
    ]
    return "\n".join(["| File | Bytes | SHA-256 |", "|---|---:|---|", *rows])


def entry(case: Case, file: str) -> dict[str, Any]:
    """Return the members that the browser lists, searches and filters."""
    return {
        "id": case.id,
        "op": case.op,
        "file": file,
        "comment": case.comment,
        "requirements": case.requirements,
        "flags": case.flags,
        "scheme": case.scheme,
        "language": case.language or "",
        "scripts": scripts(case),
        "classes": [name for name, operations in CLASSES.items() if case.op in operations],
        "error": case.expected.get("error", ""),
    }


def scripts(case: Case) -> list[str]:
    """Return the scripts of a case's text, those with most letters first."""
    if not {"text", "bytes", "utf16"} & set(case.members) or case.op == "decode":
        return []
    given = read_input(case.members)
    text = decode_utf8(given) if isinstance(given, bytes) else given
    names = (unicodedata.name(c, "").replace("FULLWIDTH ", "").split(" ", 1)[0] for c in text if c.isalpha())
    counts = Counter(SCRIPTS[name] for name in names if name in SCRIPTS)
    return [name for name, count in counts.most_common() if count >= WORTH_NAMING * counts.total()]


PARTS: dict[str, Callable[[], str]] = {
    "requirements": by_requirement,
    "vector files": vector_files,
    "data files": data_files,
    "cases to pass": cases_to_pass,
    "claim": claim,
}
"""What makes each part of a page that stands there as `<!-- NAME -->`."""
