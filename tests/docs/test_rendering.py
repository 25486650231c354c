"""The specification reads the same on the site, in CommonMark and in its source.

A renderer that joins lines to a list, or ends a list early, changes what a reader is told: both renderers have to give
the same lists, tables, blocks of code and links, and the code has to be that of the source.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

markdown = pytest.importorskip("markdown", reason="pip install 'simhash-doc[docs]'")
markdown_it = pytest.importorskip("markdown_it", reason="pip install 'simhash-doc[docs]'")
pytestmark = pytest.mark.slow  # needs the extra docs, which the step slow has

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "spec").glob("*.md"))
DOCUMENTS += ["conformance/PROTOCOL.md", "conformance/README.md", "GOVERNANCE.md"]
EXTENSIONS = ["admonition", "attr_list", "md_in_html", "tables", "pymdownx.superfences"]  # as in mkdocs.yml
BLOCKS = {"h1", "h2", "h3", "h4", "p", "li", "th", "td", "pre", "blockquote"}


class Blocks(HTMLParser):
    """Collects the blocks of a page, each with the elements around it, its text, and its links."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, str]] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in BLOCKS or tag in ("ul", "ol"):
            self.open.append(tag)
            if tag in BLOCKS:
                self.found.append(("/".join(name for name in self.open if name != "p"), ""))
        if tag == "a":
            self.links.append(str(dict(attributes).get("href")))

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if self.found and self.open:
            place, text = self.found[-1]
            self.found[-1] = (place, text + data)


def blocks(html: str) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the blocks that contain text, with white space unified outside of code, and the links."""
    parser = Blocks()
    parser.feed(html)
    return [
        (place, text.strip("\n") if place.endswith("pre") else " ".join(text.split()))
        for place, text in parser.found
        if text.strip()
    ], parser.links


def on_the_site(source: str) -> str:
    return str(markdown.markdown(source, extensions=EXTENSIONS))


def in_commonmark(source: str) -> str:
    return str(markdown_it.MarkdownIt("commonmark").enable("table").render(source))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_both_renderers_give_the_same_blocks_and_links(document: str) -> None:
    source = (ROOT / document).read_text(encoding="utf-8")
    site, site_links = blocks(on_the_site(source))
    commonmark, commonmark_links = blocks(in_commonmark(source))
    for ours, theirs in zip(site, commonmark, strict=False):
        assert ours == theirs
    assert len(site) == len(commonmark)
    assert site_links == commonmark_links


@pytest.mark.parametrize("document", DOCUMENTS)
def test_lists_tables_and_code_of_the_source_are_rendered(document: str) -> None:
    assert differences((ROOT / document).read_text(encoding="utf-8")) == []


def differences(source: str) -> list[str]:
    """Return what the site renders otherwise than the source has it."""
    found, _ = blocks(on_the_site(source))
    fenced = [code.strip("\n") for code in re.findall(r"^```\w*\n(.*?)^```$", source, re.MULTILINE | re.DOTALL)]
    prose = re.sub(r"^```.*?^```$", "", source, flags=re.MULTILINE | re.DOTALL)
    rows = [line for line in prose.splitlines() if line.startswith("|") and not re.fullmatch(r"[|: -]+", line)]
    written = {
        "code": fenced,
        "items": re.findall(r"^ *(?:[-*]|\d+\.) ", prose, re.MULTILINE),
        "headings": re.findall(r"^#+ ", prose, re.MULTILINE),
        "filled cells": [
            cell for row in rows for cell in re.split(r"(?<!\\)\|", row[1:].rstrip()[:-1]) if cell.strip()
        ],
    }
    rendered = {
        "code": [text for place, text in found if place.endswith("pre") and text in fenced],
        "items": [text for place, text in found if place.endswith("/li")],
        "headings": [text for place, text in found if re.fullmatch(r"h\d", place)],
        "filled cells": [text for place, text in found if place.endswith(("td", "th"))],
    }
    found_kinds = [kind for kind in written if len(written[kind]) != len(rendered[kind])]
    return found_kinds + [f"items in a paragraph: {line}" for line in re.findall(r"\S\n( *[*+] .*)", prose)]


@pytest.mark.parametrize(
    ("source", "difference"),
    [
        ("1. acc = rotl(acc, 23)\n   * P2 + P3.\n2. Next.\n", "items in a paragraph:    * P2 + P3."),
        ("- A table:\n  | a | b |\n  |---|---|\n", "filled cells"),
        ("Terms:\n- *Text*: a sequence.\n- *Lane*: a unit.\n", "items"),
        ("Words.\n```json\n{}\n", "code"),
    ],
)
def test_a_wrong_rendering_is_found(source: str, difference: str) -> None:
    site, commonmark = blocks(on_the_site(source)), blocks(in_commonmark(source))
    assert difference in differences(source) or site != commonmark
