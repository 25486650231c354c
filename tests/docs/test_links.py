"""Links between the Markdown files of the repository lead somewhere in a checkout, as they do on the site."""

from __future__ import annotations

import posixpath
import re
import subprocess
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[2]
# Pages that only the build of the site creates.
GENERATED = {"docs/dashboard.md"}
# Links of the READMEs that are read outside the repository, too.
REPOSITORY = "https://github.com/simhash-doc/simhash-doc/blob/main/"
IMAGES = "https://raw.githubusercontent.com/simhash-doc/simhash-doc/main/"
# Documents of test cases: their links belong to the documents.
INPUTS = "conformance/vectors/"

CODE = re.compile(r"^( *)(`{3,}|~{3,}).*?^ *\2`*$|(`+)(?!`).+?(?<!`)\3(?!`)", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^( *)(`{3,}|~{3,}).*?^ *\2`*$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?<=\n\n)(?:(?: {4}|\t).*(?:\n|\Z))+")
INLINE = re.compile(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:\s+<?([^\s>]+)", re.MULTILINE)
HEADING = re.compile(r"^#{1,6} +(.+?)(?: +#+)?$", re.MULTILINE)
HTML_ID = re.compile(r"<[a-z]+[^>]* (?:id|name)=\"([^\"]+)\"")
ATTRIBUTE_ID = re.compile(r"\{[^}]*#([\w-]+)[^}]*\}\s*$")


@cache
def tracked() -> frozenset[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return frozenset(name for name in listed.split("\0") if name and (ROOT / name).exists())


@cache
def folders() -> frozenset[str]:
    return frozenset(str(parent) for name in tracked() for parent in Path(name).parents)


@cache
def anchors(name: str) -> frozenset[str]:
    """Return the fragments that a link to a file can name: its ids, and its headings as GitHub names them."""
    text = FENCED.sub("", (ROOT / name).read_text(encoding="utf-8"))
    found = set(HTML_ID.findall(text))
    for heading in HEADING.findall(text):
        explicit = ATTRIBUTE_ID.search(heading)
        if explicit:
            found.add(explicit[1])
            continue
        slug = slugified(heading)
        number = 0
        while (unique := f"{slug}-{number}" if number else slug) in found:
            number += 1
        found.add(unique)
    return frozenset(found)


def slugified(heading: str) -> str:
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")


def links(text: str) -> list[str]:
    """Return the targets of the links and images outside code."""
    prose = INDENTED.sub("", CODE.sub("", text))
    return [*INLINE.findall(prose), *REFERENCE.findall(prose)]


def fault(source: str, target: str) -> str | None:
    """Return what is wrong with a link from a file of the repository, or None."""
    shown = target
    for prefix in (REPOSITORY, IMAGES):
        if target.startswith(prefix):
            source, target = "README.md", target.removeprefix(prefix)
    if re.match(r"[a-z][a-z0-9+.-]*:", target):
        return None
    path, _, fragment = unquote(target).partition("#")
    name = posixpath.normpath(posixpath.join(posixpath.dirname(source), path)) if path else source
    if name in GENERATED:
        return None
    if name not in tracked() and name not in folders():
        return f"{shown}: {name} is not in the repository"
    if fragment and name.endswith(".md") and fragment not in anchors(name):
        return f"{shown}: {name} has no heading or id {fragment!r}"
    return None


@pytest.fixture(autouse=True, scope="module")
def checkout() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout: the files of the repository cannot be listed")


def test_every_relative_link_leads_to_a_file_and_an_anchor() -> None:
    faults = [
        f"{source}: {found}"
        for source in sorted(tracked())
        if source.endswith(".md") and not source.startswith(INPUTS)
        for target in links((ROOT / source).read_text(encoding="utf-8"))
        if (found := fault(source, target))
    ]
    assert faults == []


def test_links_of_the_readme_lead_somewhere_outside_a_checkout() -> None:
    # The long description of the package: a registry shows it without the files beside it.
    targets = links((ROOT / "README.md").read_text(encoding="utf-8"))
    assert [target for target in targets if not target.startswith(("https://", "#"))] == []


def test_nothing_is_installed_from_a_registry_before_the_release() -> None:
    paths = (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "conformance").glob("*.md"))
    pages = {path: path.read_text(encoding="utf-8") for path in paths}
    wrong = re.compile(r"(pip|npm) install (--save-dev )?'?simhash|cargo add --dev simhash")
    assert [path for path, text in pages.items() if wrong.search(text)] == []
    for name in ("README.md", "docs/install.md"):
        assert re.search("in (a|the) checkout", pages[ROOT / name], re.IGNORECASE)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("../README.md", None),
        ("../spec", None),
        ("../spec/simhash-doc.md#SD-FOLD-1", None),
        ("../spec/simhash-doc.md#8-sums-buckets-and-bits", None),
        ("https://example.org/missing", None),
        (f"{REPOSITORY}spec/search.md#3-scale", None),
        (f"{IMAGES}docs/missing.svg", "docs/missing.svg is not in the repository"),
        ("missing.md", "docs/missing.md is not in the repository"),
        ("../spec/simhash-doc.md#missing", "spec/simhash-doc.md has no heading or id 'missing'"),
    ],
)
def test_a_dead_link_is_found(target: str, expected: str | None) -> None:
    found = fault("docs/index.md", target)
    assert found is None if expected is None else found == f"{target}: {expected}"


def test_links_in_code_are_not_followed() -> None:
    text = "[a](b.md) `[c](d.md)`\n\n```text\n[e](f.md)\n```\n\n    [g](h.md)\n\n[i]: j.md\n![k](l.svg)"
    assert links(text) == ["b.md", "l.svg", "j.md"]
