"""The navigation of the site: its tabs, and entries that are the headings of their pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAVIGATION = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
ENTRIES = [
    (title.strip('"'), path)
    for title, path in re.findall(r'^ +- ("[^"]+"|[^":]+): (\S+\.md)$', NAVIGATION, re.MULTILINE)
]
HOOKS = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs/_hooks").glob("*.py"))]
# Documents of the repository that are pages, and the pages that a hook writes.
SOURCES = {
    page: source for text in HOOKS for source, page in re.findall(r'^    "(\S+\.md)": "(\S+\.md)",$', text, re.M)
}
WRITTEN = {"dashboard.md", "reference/command-line.md"}
# Their headings say what the entry means: the claim of the project, and the name of the standard.
NAMED_OTHERWISE = {"index.md", "specification.md"}


def headings(page: str) -> list[str]:
    """Return the headings of the first level that a page has on the site, without the name of the project."""
    if page in WRITTEN:
        (text,) = [hook for hook in HOOKS if f'"{page}"' in hook and "File.generated" in hook]
    else:
        text = (ROOT / SOURCES.get(page, f"docs/{page}")).read_text(encoding="utf-8")
        text = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.MULTILINE | re.DOTALL)
    found = re.findall(r'^(?:HEAD = """)?# (.+)$', text, re.MULTILINE)
    return [re.sub("^simhash-doc: (.)", lambda match: match[1].upper(), heading) for heading in found]


def test_the_tabs_are_in_the_order_of_reading() -> None:
    tabs = re.findall(r"^  - ([^:]+):", NAVIGATION, re.MULTILINE)
    assert tabs == ["Start", "Playground", "Use", "Port", "Archives", "Specification", "Measurements", "Reference"]
    assert len(ENTRIES) > 40


@pytest.mark.parametrize(("title", "page"), ENTRIES)
def test_a_page_has_one_heading_which_is_its_entry(title: str, page: str) -> None:
    found = headings(page)
    assert len(found) == 1
    assert page in NAMED_OTHERWISE or found == [title]
