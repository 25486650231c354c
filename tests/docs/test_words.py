"""The words of the pages: one term for one thing, each in the glossary once, and none that the glossary replaces."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GLOSSARY = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
# Words that stand for a term of the glossary, or that readers stumble over, and the right one.
REPLACED = {
    r"backends?": "engine",
    r"keepers?|kept ones?": "representative",
    r"near duplicates?": "near-duplicate",
    r"fuzzy (?:duplicates?|hash(?:es)?)": "near-duplicate, fingerprint",
    r"dedup": "dedupe",
    r"mend(?:s|ed|ing)?": "fix",
    r"anew": "again",
    r"at\s+hand": "available",
    r"in\s+place\s+of": "instead of",
    r"whatever": "for every",
}
# Published vectors, text that no later version changes, and quotations of other projects.
NOT_CHECKED = ("conformance/vectors/extraction/", "spec/")
CODE = re.compile(r"^ *(```|~~~).*?^ *\1`*$|^(?: {4}|\t).*$|`[^`]*`|\]\([^)]*\)|<[^>]*>", re.MULTILINE | re.DOTALL)


def pages() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    return [name for name in listed.stdout.splitlines() if not name.startswith(NOT_CHECKED)]


def terms() -> list[str]:
    rows = re.findall(r"^\| ([a-z][a-z, -]*) \|", GLOSSARY, re.MULTILINE)
    return [term for row in rows for term in row.split(", ")]


def replaced_in(text: str) -> list[str]:
    """Return the words of a page that have another name, each with this name."""
    prose = CODE.sub(" ", text)
    return [
        f"{found[0]!r}: {right}"
        for wrong, right in REPLACED.items()
        for found in re.finditer(rf"(?<![\w-])(?:{wrong})(?![\w-])", prose, re.IGNORECASE)
    ]


@pytest.mark.skipif(not pages(), reason="not a clone: git lists no pages")
def test_no_page_uses_a_word_that_has_another_name() -> None:
    found = {name: replaced_in((ROOT / name).read_text(encoding="utf-8")) for name in pages()}
    assert {name: words for name, words in found.items() if words} == {}


def test_a_wrong_word_is_found_in_prose_alone() -> None:
    assert replaced_in("Choose a backend, or `backend`.\n\n    mend it\n\n[x](anew.md)") == ["'backend': engine"]
    assert replaced_in("A beekeeper amends it. It is at\nhand.") == ["'at\\nhand': available"]


def test_the_glossary_has_each_term_once_in_order_with_one_sense() -> None:
    found = terms()
    assert len(found) > 30
    assert len(set(found)) == len(found)
    rows = re.findall(r"^\| ([a-z][a-z, -]*) \|", GLOSSARY, re.MULTILINE)
    assert rows == sorted(rows)
    assert not re.search(r"^\|[^|]*\| in [^|]*; in [^|]*\|$", GLOSSARY, re.MULTILINE), "two senses"


@pytest.mark.parametrize("term", terms())
def test_each_term_of_the_glossary_is_used(term: str) -> None:
    other = (ROOT / "docs").rglob("*.md")
    texts = [path.read_text(encoding="utf-8").lower() for path in other if path.name != "glossary.md"]
    forms = {"leave out": r"le(?:ave|aves|ft)\b.{1,40}\bout\b"}
    assert any(re.search(forms.get(term, rf"\b{term}"), text) for text in texts)
