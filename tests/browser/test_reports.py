"""The HTML reports in a browser: complete in one file, accessible, on narrow screens, and with the keyboard."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from simhash_doc.report import html_page as page_of
from simhash_doc.report.document import Group, Groups, Report, Row, Rows
from simhash_doc.report.page import visible
from simhash_doc_conformance.reports.page import html_page
from tests.cli.test_archive import report_of as archive_report
from tests.cli.test_archive import write_index
from tests.commands import run
from tests.conformance.test_reports import very_wrong
from tests.report.test_page import HOSTILE as TEXTS
from tests.report.test_page import report_of

pytestmark = pytest.mark.browser
WORDS = "The lighthouse keeper counts seven ships before the fog comes in and hides the harbour wall again"
LONGER = "while two boats still wait outside for a tide that turns late and brings them home before night falls"
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
    page.on("console", lambda message: errors.append(message.text))

    def refuse(dialog: Any) -> None:
        errors.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", refuse)

    def open_file(path: Path) -> Any:
        requests.clear()
        page.goto(f"file://{path}")
        return page

    yield open_file
    assert (errors, len(requests)) == ([], 1)
    page.close()


def write_documents(folder: Path) -> None:
    """Write three clusters with hostile names: one of 8 documents, one of 3, one of 2 that are less similar."""
    folder.mkdir()
    for at in range(8):
        (folder / f"a{at} {HOSTILE.replace('/', '')}.txt").write_text(
            f"{WORDS} {HOSTILE} {LONGER} {'twice ' * (at // 4)}"
        )
    for at in range(3):
        (folder / f"b{at}.txt").write_text(" ".join(reversed(WORDS.split())).replace("e", "o") + "\n" * at)
    for name, more in (("c0", "kept"), ("c1", "never kept")):
        (folder / f"{name}.txt").write_text(f"{WORDS.replace('s', 'z').replace('i', 'u')} {more}")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")


def dedupe(folder: Path) -> Path:
    write_documents(folder / "in")
    done = run("dedupe", folder / "in", "--distance", "60", "--html", folder / "r.html", "-o", folder / "r.txt")
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


def archive(folder: Path) -> Path:
    write_index(folder / "a.cdxj", 30, 20, changed=0.5, url=f"https://example.org/{'path/' * 20}?query={'x' * 200}")
    archive_report(folder / "a.cdxj", "--replay", "https://replay.example.net/{time}/{url}")
    return folder / "a.html"


@pytest.mark.parametrize("make", [dedupe, table_dedupe, conformance, archive])
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
    page.focus("input")
    page.keyboard.type("B1.TXT")
    assert (names(page), page.inner_text("[role=status]")) == (["b"], "1 of 3 clusters")
    page.fill("input", "twice")  # a word of a text, not of a path
    assert names(page) == []
    page.fill("input", "onerror=alert(1)>")
    assert names(page) == ["a"]
    page.fill("input", "")
    page.select_option("[aria-label=Order]", "Least similar first")
    assert names(page)[0] in "ac"
    page.select_option("[aria-label=Show]", "exact")
    assert "c" not in names(page)
    page.focus("text=Open all")
    page.keyboard.press("Enter")
    page.focus("text=Close all")
    page.keyboard.press("Enter")
    assert page.locator(".list details.card[open]").count() == 0
    page.focus("summary:has(.name)")
    page.keyboard.press("Enter")
    assert page.locator(".list details.card[open]").count() == 1


def test_a_tile_shows_what_it_counts(open_page: Open, tmp_path: Path) -> None:
    page = open_page(dedupe(tmp_path))
    page.focus(".tiles button[aria-label*='exact']")
    page.keyboard.press("Enter")
    assert (names(page), page.input_value("[aria-label=Show]")) == (["a"], "exact")


def many(folder: Path) -> Path:
    """Write a page of 120 groups; the first has 450 rows."""
    groups = (
        Group(f"group {at}", "", [Rows(Row(f"{at}: row {one}") for one in range(2 if at else 450))], id=f"g{at}")
        for at in range(120)
    )
    report = Report("title", "heading", "about", blocks=[Groups("group", "name", groups)])
    (folder / "many.html").write_text("\n".join(page_of(report)), encoding="utf-8")
    return folder / "many.html"


def test_a_long_list_is_shown_in_pages_and_parts(open_page: Open, tmp_path: Path) -> None:
    page = open_page(many(tmp_path))
    assert (len(names(page)), page.inner_text("[role=status]")) == (50, "120 of 120 groups, page 1 of 3")
    page.click("text=group 0")
    for shown in (200, 400, 450):
        assert page.locator(".card[open] .path").count() == shown
        if shown < 450:
            page.click("text=Show more")
    assert page.locator("text=Show more").count() == 0
    page.click("text=Next")
    page.click("text=Next")
    assert (len(names(page)), page.inner_text("[role=status]")) == (20, "120 of 120 groups, page 3 of 3")
    assert page.is_disabled("text=Next")
    page.fill("input", "77: ROW 1")
    assert (page.locator(".list .name").all_inner_texts(), page.locator("nav").is_visible()) == (["group 77"], False)


def test_a_link_leads_to_a_part_that_is_not_shown_yet(open_page: Open, tmp_path: Path) -> None:
    page = open_page(many(tmp_path))
    page.evaluate("location.hash = 'g77'")
    page.wait_for_selector("#g77[open]")
    assert page.inner_text("[role=status]") == "120 of 120 groups, page 2 of 3"


def test_paper_has_what_is_folded_and_no_controls(open_page: Open, tmp_path: Path) -> None:
    page = open_page(dedupe(tmp_path))
    page.emulate_media(media="print")
    assert page.locator(".list .row").first.is_visible()
    assert page.locator(".folded .row").first.is_visible()  # what could not be read
    assert not page.locator("input").is_visible()


def test_hostile_texts_are_shown_as_they_are(open_page: Open, tmp_path: Path) -> None:
    """In each place of a report; the page has the same elements as with harmless texts."""
    counts = []
    for number, text in enumerate(["harmless", *TEXTS]):
        path = tmp_path / f"{number}.html"
        path.write_text("\n".join(page_of(report_of(text))), encoding="utf-8")
        page = open_page(path)
        counts.append(page.evaluate("document.querySelectorAll('body *').length"))
        assert page.title() == page.inner_text("h1") == visible(text)
        assert page.locator("ul.lines li").text_content() == visible(text)
    assert len(set(counts)) == 1


def test_the_policy_stops_scripts_handlers_and_requests(browser: Any, tmp_path: Path) -> None:
    """As if a text had become HTML after all."""
    page = "\n".join(page_of(report_of("x")))
    injected = "<script>window.ran = 1</script><img src='https://example.org/x' onerror='window.ran = 2'>"
    (tmp_path / "a.html").write_text(page.replace("<main>", f"<main>{injected}"), encoding="utf-8")
    opened = browser.new_page()
    messages: list[str] = []
    opened.on("console", lambda message: messages.append(message.text))
    opened.goto(f"file://{tmp_path / 'a.html'}")
    assert opened.evaluate("window.ran") is None
    assert len([one for one in messages if "Content Security Policy" in one]) >= 2
    assert opened.locator(".tiles").is_visible()
    opened.close()


def test_without_scripts_a_page_says_what_was_found(browser: Any, tmp_path: Path) -> None:
    path = dedupe(tmp_path)
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"file://{path}")
        assert page.inner_text("h1") == "You keep 3 of 13 documents"
        assert "3 exact copies" in page.inner_text("main")
        assert "needs JavaScript" in page.inner_text("main")
