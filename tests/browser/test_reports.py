"""The HTML reports in a browser: complete in one file, accessible, on narrow screens, and with the keyboard."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from simhash_doc.cli import cluster_page
from simhash_doc_conformance.reports.page import html_page
from tests.commands import run
from tests.conformance.test_reports import very_wrong

pytestmark = pytest.mark.browser
WORDS = "The lighthouse keeper counts seven ships before the fog comes in and hides the harbour wall again"
HOSTILE = "<img src=x onerror=alert(1)>"
Open = Callable[[Path], Any]


@pytest.fixture
def open_page(browser: Any) -> Iterator[Open]:
    """Opens a file. At the end, nothing may have gone wrong, and nothing else may have been requested."""
    page = browser.new_page(viewport={"width": 1366, "height": 800})
    errors: list[str] = []
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))

    def refuse(dialog: Any) -> None:
        errors.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", refuse)

    def open_file(path: Path) -> Any:
        page.goto(f"file://{path}")
        return page

    yield open_file
    assert (errors, len(requests)) == ([], 1)
    page.close()


def write_documents(folder: Path) -> None:
    """Write three clusters with hostile names: one of 8 documents, one of 3, one of 2 that are less similar."""
    folder.mkdir()
    for at in range(8):
        (folder / f"a{at} {HOSTILE.replace('/', '')}.txt").write_text(f"{WORDS} {HOSTILE} {'twice ' * (at // 4)}")
    for at in range(3):
        (folder / f"b{at}.txt").write_text(" ".join(reversed(WORDS.split())).replace("e", "o") + "\n" * at)
    for name, more in (("c0", "kept"), ("c1", "never kept")):
        (folder / f"{name}.txt").write_text(f"{WORDS.replace('s', 'z').replace('i', 'u')} {more}")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")


def dedupe(folder: Path) -> Path:
    write_documents(folder / "in")
    done = run("dedupe", folder / "in", "--distance", "3", "--html", folder / "r.html", "-o", folder / "r.txt")
    assert done.returncode == 1, done.stderr
    return folder / "r.html"


def table_dedupe(folder: Path) -> Path:
    rows = [{"id": f"{at} {HOSTILE}", "text": f"{WORDS} {HOSTILE} {'twice ' * (at % 3)}"} for at in range(9)]
    (folder / "t.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\nno row\n")
    command = (
        "table",
        "dedupe",
        "--id",
        "id",
        folder / "t.jsonl",
        "-o",
        folder / "k.jsonl",
        "--html",
        folder / "t.html",
    )
    assert run(*command).returncode == 1
    return folder / "t.html"


def conformance(folder: Path) -> Path:
    (folder / "c.html").write_text(html_page(very_wrong(40, 3)), encoding="utf-8")
    return folder / "c.html"


@pytest.mark.parametrize("make", [dedupe, table_dedupe, conformance])
def test_a_report_is_accessible_and_fits_wide_and_narrow_screens(
    make: Callable[[Path], Path], open_page: Open, tmp_path: Path
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = open_page(make(tmp_path))
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = axe.run(page, options={"resultTypes": ["violations"]}).response["violations"]
        assert [(scheme, one["id"], one["nodes"][0]["html"][:200]) for one in found] == []
    for width in (1366, 800, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def names(page: Any) -> list[str]:
    found: list[str] = page.locator(".list .name").all_inner_texts()
    return [name[:1] for name in found]


def test_clusters_are_filtered_and_sorted_with_the_keyboard(open_page: Open, tmp_path: Path) -> None:
    page = open_page(dedupe(tmp_path))
    assert (names(page), page.inner_text("[role=status]")) == (["a", "b", "c"], "3 of 3 clusters")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("B1.TXT")
    assert (names(page), page.inner_text("[role=status]")) == (["b"], "1 of 3 clusters")
    page.fill("input", "twice")  # a word of a text, not of a path
    assert names(page) == []
    page.fill("input", "onerror=alert(1)>")
    assert names(page) == ["a"]
    page.fill("input", "")
    page.select_option("[aria-label=Order]", "least")
    assert names(page)[0] in "ac"
    page.select_option("[aria-label=Show]", "exact")
    assert "c" not in names(page)
    page.focus("text=Close all")
    page.keyboard.press("Enter")
    assert page.locator(".list details.card[open]").count() == 0
    page.focus("summary:has(.name)")
    page.keyboard.press("Enter")
    assert page.locator(".list details.card[open]").count() == 1


def test_a_long_list_is_shown_in_pages_and_parts(
    open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_page, "_PAGE", 1)
    monkeypatch.setattr(cluster_page, "_ROWS", 2)
    page = open_page(dedupe(tmp_path))
    assert (names(page), page.inner_text("[role=status]")) == (["a"], "3 of 3 clusters, page 1 of 3")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    while page.locator("text=Show more").count():
        page.locator("text=Show more").first.click()
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    shown = {text[:2] for text in page.locator(".list .path").all_inner_texts() for text in [text.rpartition("/")[2]]}
    assert shown == {f"a{at}" for at in range(8)}
    page.click("text=Next")
    assert (names(page), page.inner_text("[role=status]")) == (["b"], "3 of 3 clusters, page 2 of 3")
    page.fill("input", "c1.txt")
    assert (names(page), page.locator("nav").is_visible()) == (["c"], False)


def test_paper_has_what_is_folded_and_no_controls(open_page: Open, tmp_path: Path) -> None:
    page = open_page(dedupe(tmp_path))
    page.click("text=Close all")
    page.emulate_media(media="print")
    assert page.locator(".list .row").first.is_visible()
    assert not page.locator("input").is_visible()
