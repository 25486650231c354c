"""What the built site loads, where its links lead, and what can be linked to."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

pytestmark = pytest.mark.browser

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
    """Collects what a page loads, its links, and what in it can be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.links: set[str] = set()
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if attributes.get("id"):
            self.ids.add(str(attributes["id"]))
        if tag == "a" and attributes.get("href"):
            self.links.add(str(attributes["href"]))
        harmless = tag == "link" and attributes.get("rel") in HARMLESS_RELATIONS
        if tag in LOADED and not harmless:
            self.found.append(attributes.get(LOADED[tag]) or "")


@cache
def resources(page: Path) -> Resources:
    return Resources(page.read_text(encoding="utf-8"))


def loaded(site: Path) -> Iterator[tuple[Path, str]]:
    """Yield each page, style sheet and script of ours with each address that it loads."""
    for path in site.rglob("*.html"):
        for url in resources(path).found:
            yield path, url
    for path in site.rglob("*.css"):
        for url in re.findall(r"url\(['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)", path.read_text(encoding="utf-8")):
            yield path, "".join(url)
    for path in (site / "assets").rglob("*.js"):
        if path.parent.name in ("calculator", "playground", "simhash-doc", "site", "vectors"):
            for url in re.findall(r"(?:from|import)\s+'([^']+)'|fetch\('([^']+)'", path.read_text(encoding="utf-8")):
                yield path, "".join(url)


def test_nothing_is_loaded_from_another_host(site: Path) -> None:
    found = list(loaded(site))
    assert len(found) > 100
    assert [(path.name, url) for path, url in found if re.match(r"(?:[a-z]+:)?//", url)] == []


def test_every_link_within_the_site_leads_somewhere(site: Path) -> None:
    pages = [page for page in site.rglob("index.html") if "assets" not in page.parts]
    links = {(page, link) for page in pages for link in resources(page).links if not re.match(r"[a-z]+:|//", link)}
    assert len(links) > 1_000
    assert sorted((str(page.relative_to(site)), link) for page, link in links if not leads_somewhere(page, link)) == []


def leads_somewhere(page: Path, link: str) -> bool:
    """Return True if the file of a link exists and has the place that the link names, unless a script makes it."""
    address, _, fragment = unquote(link).partition("#")
    path = page if not address else page.parent / address.partition("?")[0]
    path = path / "index.html" if path.is_dir() else path
    if not path.is_file():
        return False
    return not fragment or "=" in fragment or path.suffix != ".html" or fragment in resources(path).ids


def test_every_page_has_a_canonical_address_that_the_sitemap_lists(site: Path) -> None:
    address = os.environ.get("SITE_URL")
    if not address:
        assert not (site / "sitemap.xml").exists(), "the site has no address: a sitemap would be empty"
        return
    listed = set(re.findall(r"<loc>([^<]+)</loc>", (site / "sitemap.xml").read_text(encoding="utf-8")))
    pages = [path for path in site.rglob("index.html") if "assets" not in path.parts]
    canonical = {
        found[1] for path in pages if (found := re.search(r'rel="canonical" href="([^"]+)"', path.read_text("utf-8")))
    }
    assert len(listed) > 30
    assert canonical == listed
    assert all(one.startswith(address) for one in listed)


def test_every_page_has_the_banner_once_while_there_is_one(site: Path) -> None:
    banner = re.search(r"^  banner: (.+)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    pages = [path.read_text(encoding="utf-8") for path in site.rglob("index.html") if "assets" not in path.parts]
    assert len(pages) > 40
    shown = banner[1] if banner else "md-banner__inner"
    assert {page.count(shown) for page in pages} == {1 if banner else 0}


def test_the_reference_documents_what_it_names(site: Path) -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")]
    named = {name for source in sources for name in re.findall(r"(?m)^::: ([\w.]+)$", source)}
    assert len(named) > 50
    assert named <= {name for page in site.rglob("index.html") for name in resources(page).ids}


def test_every_requirement_can_be_linked_to(site: Path) -> None:
    pages = {
        "simhash-doc.md": "specification",
        "search.md": "specification-search",
        "extraction.md": "specification-extraction",
    }
    for document, page in pages.items():
        clauses = set(re.findall(r'<a id="(SD-[A-Z]+-\d+)">', (ROOT / "spec" / document).read_text(encoding="utf-8")))
        assert len(clauses) > 5
        assert clauses <= resources(site / page / "index.html").ids
        assert clauses <= resources(site / "vectors/index.html").ids, "where the specification links to its tests"
