"""What the built site may refer to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOADED = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "link": "href",
    "use": "href",
}
# Links that name a page and load nothing.
HARMLESS_RELATIONS = {"canonical", "next", "prev", "alternate"}


class Resources(HTMLParser):
    """Collects what a page loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if attributes.get("id"):
            self.ids.add(str(attributes["id"]))
        harmless = tag == "link" and attributes.get("rel") in HARMLESS_RELATIONS
        if tag in LOADED and not harmless:
            self.found.append(attributes.get(LOADED[tag]) or "")


def loaded(site: Path) -> Iterator[tuple[Path, str]]:
    """Yield each page, style sheet and script of ours with each address that it loads."""
    for path in site.rglob("*.html"):
        for url in Resources(path.read_text(encoding="utf-8")).found:
            yield path, url
    for path in site.rglob("*.css"):
        for url in re.findall(r"url\(['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)", path.read_text(encoding="utf-8")):
            yield path, "".join(url)
    for path in (site / "assets").rglob("*.js"):
        if path.parent.name in ("playground", "simhash-doc", "site", "vectors"):
            for url in re.findall(r"(?:from|import)\s+'([^']+)'|fetch\('([^']+)'", path.read_text(encoding="utf-8")):
                yield path, "".join(url)


def test_nothing_is_loaded_from_another_host(site: Path) -> None:
    found = list(loaded(site))
    assert len(found) > 100
    assert [(path.name, url) for path, url in found if re.match(r"(?:[a-z]+:)?//", url)] == []


def test_every_requirement_can_be_linked_to(site: Path) -> None:
    clauses = set(re.findall(r'<a id="(SD-[A-Z]+-\d+)">', (ROOT / "spec/simhash-doc.md").read_text(encoding="utf-8")))
    page = Resources((site / "specification/index.html").read_text(encoding="utf-8"))
    tests = Resources((site / "requirements/index.html").read_text(encoding="utf-8"))
    assert len(clauses) > 30
    assert clauses <= page.ids
    assert {f"{clause}-tests" for clause in clauses} <= tests.ids


def test_the_specification_is_not_copied_into_the_repository() -> None:
    title = "# simhash-doc: interoperable similarity fingerprints of documents"
    assert [p.name for p in (ROOT / "docs").rglob("*.md") if title in p.read_text(encoding="utf-8")] == []
