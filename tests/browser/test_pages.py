"""The other pages in a browser, and what holds of all pages."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from simhash_doc import fingerprint
from simhash_doc_conformance.vectors.cases import load_cases
from tests.browser.conftest import ROOT, Visit, wait_until

pytestmark = pytest.mark.browser

EXAMPLE = "#a=The+%EF%AC%81rst+CAF%C3%89%3B+http%3A%2F%2Fa.example+so%C2%ADft&b=The+second+caf%C3%A9"
# A page of each kind, read in both schemes of colours.
COLOURFUL = [
    "",
    "404.html",
    f"playground/{EXAMPLE}",
    "calculator/",
    "compare/",
    "specification/",
    "vectors/",
    "dashboard/",
    "rationale/",
    "how-to/search-in-sql/",
    "benchmarks/extraction/",
    "reference/python/",
    "reference/command-line/",
]
# Pages with tables, code, formulas or elements of their own; those of plain text have nothing that these lack.
PAGES = [
    *COLOURFUL,
    "faq/",
    "search/",
    "implementers-guide/",
    "specification-appendices/",
    "specification-search/",
    "specification-extraction/",
    "specification-provenance/",
    "how-to/archives/",
    "how-to/a-billion-pages/",
    "how-to/cluster-a-data-frame/",
    "how-to/deduplicate-a-crawl/",
    "how-to/migrate/",
    "how-to/use-in-a-pipeline/",
    "benchmarks/calibration/",
    "benchmarks/deduplication/",
    "benchmarks/lookup/",
]
WITH_EXAMPLES = {page for page in PAGES if page.startswith(("specification", "rationale", "implementers", "how-to"))}
# What readers search, and the page that answers.
SEARCHES = {
    "SD-TEXT-5": "specification/#SD-TEXT-5",
    "sd-look-1": "specification-search/#SD-LOOK-1",
    "cite": "#how-to-cite",
    "licence": "licence/",
    "license": "licence/",
    "migrate": "how-to/migrate/",
    "privacy": "specification/#17-limits-security-and-privacy",
    "legal deposit": "how-to/archives/#legal-deposit-embargo-and-privacy",
    "URI": "specification/#9-text-form",
    "threshold": "specification-search/#2-thresholds",
    "SD-FOLD-1": "specification/#SD-FOLD-1",
    "ClickHouse": "why-your-simhash-differs/#clickhouse",
    "faq": "faq/",
    "pypi": "faq/#is-it-on-pypi-npm-or-cratesio",
    "accuracy": "faq/#how-accurate-is-it",
    "api": "faq/#is-there-an-api",
    "ssdeep": "compare/",
    "iscc": "compare/",
    "dedupe --html": "reference/command-line/#simhash-doc-dedupe",
}


def test_the_start_page_is_small(visit: Visit) -> None:
    visit.open("")
    assert visit.bytes_received() < 400_000  # with the sample of a report


def test_the_slider_of_the_start_page_shows_the_fingerprint_of_its_text(visit: Visit) -> None:
    page = visit.open("")
    slider = page.locator(".slider input")
    slider.wait_for()
    words = page.inner_text(".slider-text").split()
    first = fingerprint(" ".join(words))
    for replaced in (0, 1, 5, 30, len(words)):
        slider.evaluate("(input, value) => { input.value = value; input.dispatchEvent(new Event('input')); }", replaced)
        text = page.inner_text(".slider-text")
        assert sum(one != other for one, other in zip(words, text.split(), strict=True)) == replaced
        assert page.locator(".slider mark").count() == replaced
        found = fingerprint(text)
        distance = found.distance(first)
        assert page.inner_text(".slider-result code") == str(found)
        assert page.inner_text(".slider-result strong") == f"{distance} of 64 bits differ: {found.verdict(first)}"
        assert page.locator(".bit-strip .one").count() == found.value.bit_count()
        assert page.locator(".bit-strip .differs").count() == distance
    page.click("text=Try your own text")
    page.wait_for_selector(".difference")
    assert page.input_value("[name=b]") == text.strip()


def test_the_vector_browser_finds_a_case(visit: Visit) -> None:
    page = visit.open("vectors/")
    page.wait_for_selector("#vector-browser[data-ready]")
    total = len(load_cases())
    assert page.inner_text(".vectors-count").startswith(f"{total} of {total} cases")
    page.fill("#vector-browser [name=search]", "fold/compat-ligature-fi")
    page.locator(".vectors-case summary").first.click()
    page.click("text=Copy as JSON")
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert copied["id"] == page.locator(".vectors-case summary code").first.inner_text()
    assert copied in json.loads((ROOT / "conformance/vectors/cases-folding.json").read_text(encoding="utf-8"))["cases"]


def test_the_vector_browser_filters(visit: Visit) -> None:
    page = visit.open("vectors/")
    page.wait_for_selector("#vector-browser[data-ready]")
    page.select_option("[name=op]", "decode")
    page.select_option("[name=error]", "padding")
    wanted = [case for case in load_cases() if case.op == "decode" and case.expected.get("error") == "padding"]
    assert page.locator(".vectors-case").count() == len(wanted)
    page.click("#vector-browser form button")
    page.select_option("[name=scripts]", "Thai")
    assert "language/th" in page.locator(".vectors-case summary code").all_inner_texts()


def test_a_requirement_leads_to_its_vectors(visit: Visit) -> None:
    page = visit.open("specification/#SD-FOLD-4")
    page.click("[title^='Test vectors of SD-FOLD-4,']")
    page.wait_for_url("**/vectors/#SD-FOLD-4")
    page.wait_for_selector("#vector-browser[data-ready]")
    wanted = [case.id for case in load_cases() if "SD-FOLD-4" in case.requirements]
    assert page.locator(".vectors-case summary code").all_inner_texts() == wanted[:100]
    page.goto(page.url.replace("#SD-FOLD-4", f"#{wanted[0]}"))
    page.wait_for_selector(f".vectors-case[data-id='{wanted[0]}'][open] pre")


def test_the_dashboard_shows_the_reports(visit: Visit) -> None:
    page = visit.open("dashboard/")
    text = page.inner_text("article table")
    for path in sorted((ROOT / "conformance/reports").glob("*.json")):
        if path.name != "matrix.json":
            report = json.loads(path.read_text(encoding="utf-8"))
            assert report["implementation"]["name"] in text
            assert f"{report['counts']['passed']} of {sum(report['counts'].values())}" in text
    images = page.locator("article table img")
    assert images.count() >= 2
    for image in images.all():
        image.scroll_into_view_if_needed()
        assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0


FIRST_RESULTS = """() => [...document.querySelectorAll('.md-search-result__list > li')].slice(0, 5)
  .flatMap((item) => [...item.querySelectorAll('a')]).map(({ pathname, hash }) => pathname.slice(1) + hash)"""


def test_the_search_finds_what_readers_look_for(visit: Visit) -> None:
    timeout_error = pytest.importorskip("playwright.sync_api").TimeoutError
    page = visit.open("")
    page.wait_for_load_state("networkidle")
    missed = {}
    for words, wanted in SEARCHES.items():
        page.click(".md-search__input")
        page.keyboard.press("Control+A")
        page.keyboard.type(words)
        try:
            wait_until(page, f"(wanted) => ({FIRST_RESULTS})().includes(wanted)", wanted)
        except timeout_error:
            missed[words] = page.evaluate(FIRST_RESULTS)
    assert missed == {}


def test_the_dashboard_fits_a_small_screen_and_leads_to_sources(visit: Visit) -> None:
    visit.page.set_viewport_size({"width": 1366, "height": 800})
    page = visit.open("dashboard/")
    box = page.locator("article table").first.locator("xpath=..")
    assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
    sources = [link.get_attribute("href") for link in page.get_by_text("Source", exact=True).all()]
    assert len(set(sources)) == len(sources) >= 6


# Lines of code that wrap, and blocks that hide a part and cannot be scrolled by keyboard.
BROKEN = """() => [...document.querySelectorAll('pre > code')].filter((box) => {
  const style = getComputedStyle(box);
  const scrolls = box.scrollWidth > box.clientWidth;
  return style.whiteSpace !== 'pre' || scrolls && (style.overflowX !== 'auto' || box.tabIndex !== 0);
}).map((box) => box.textContent.slice(0, 60))"""
# Code in tables of which a word is cut, so that the rest stands on the next line.
CUT = """() => [...document.querySelectorAll('td code, th code')]
  .filter((code) => !/[\\s\\/-]|\\w[_.=:,]\\w|^[0-9a-f]{32,}$/.test(code.textContent))
  .filter((code) => code.getClientRects().length > 1)
  .map((code) => code.textContent)"""


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_accessible_and_fits_wide_and_narrow_screens(visit: Visit, site: Path, path: str) -> None:
    if path == "404.html" and (site / "versions.json").exists():
        pytest.skip("of a version of the site, this page loads its files from the address of that version")
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    visit.page.set_viewport_size({"width": 1366, "height": 800})
    page = visit.open(path)
    page.wait_for_load_state("networkidle")
    if path.endswith(EXAMPLE):
        page.wait_for_selector("#play[data-shown]:not([data-shown=''])")
    # To list every node that passes takes twice as long as the checks. The schemes differ in colours only.
    colours = {"runOnly": ["color-contrast", "link-in-text-block"], "resultTypes": ["violations"]}
    structure = {"rules": {"color-contrast": {"enabled": False}}, "resultTypes": ["violations"]}
    checks = [("light", structure), *((scheme, colours) for scheme in ("light", "dark") if path in COLOURFUL)]
    for scheme, options in checks:
        page.emulate_media(color_scheme=scheme)
        assert [
            f"{scheme}: {violation['id']}: {node['html'][:200]} {node['failureSummary'][:300]}"
            for violation in axe.run(page, options=options).response["violations"]
            for node in violation["nodes"][:3]
        ] == []
    for width in (1366, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(CUT) == []
        if path in WITH_EXAMPLES:
            wait_until(page, f"({BROKEN})().length === 0")


def test_the_playground_works_by_keyboard(visit: Visit) -> None:
    page = visit.open("playground/")
    page.wait_for_selector("#play[data-ready]")
    page.focus("textarea[name=a]")
    page.keyboard.type("one two three")
    reached = []
    for _ in range(6):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.name || document.activeElement.textContent"))
    assert [re.sub(r"\s+", " ", name) for name in reached[:5]] == ["b", "scheme", "Example", "Copy link", "Clear"]


@pytest.mark.parametrize("path", ["compare/", "specification-search/", "benchmarks/lookup/"])
def test_pictures_have_a_drawing_for_wide_and_one_for_narrow_screens(visit: Visit, path: str) -> None:
    page = visit.open(path)
    for width in (1366, 390):
        page.set_viewport_size({"width": width, "height": 800})
        shown = page.locator(".picture svg:visible")
        assert shown.count() == page.locator(".picture svg").count() / 2 > 0
        for drawing in shown.all():
            drawn = drawing.evaluate("one => one.getBoundingClientRect().width / one.viewBox.baseVal.width")
            assert 0.9 < drawn <= 1, "the text of a drawing is as large as it was drawn"
    page.locator(".picture summary").first.click()
    assert page.locator(".picture table").first.is_visible()


# Tables that are cut at the edge of their place.
WIDER = """() => [...document.querySelectorAll('.md-typeset__scrollwrap')]
  .filter((box) => box.checkVisibility({ contentVisibilityAuto: true }) && box.scrollWidth > box.clientWidth + 1)
  .map((box) => box.textContent.slice(0, 80))"""


@pytest.mark.parametrize("path", ["benchmarks/lookup/", "security/", "how-to/search-in-sql/"])
def test_no_table_is_cut_and_a_table_as_a_list_names_each_column(visit: Visit, path: str) -> None:
    for width in (1366, 390):
        visit.page.set_viewport_size({"width": width, "height": 800})
        page = visit.open(path)
        wait_until(page, f"({WIDER})().length === 0")
    stacked = page.locator(".stacked table").first
    assert stacked.get_attribute("role") == "table"
    heads = stacked.locator("thead :is(th, td)").all_text_contents()
    row = stacked.locator("tbody tr").first.locator("td")
    assert [cell.get_attribute("data-label") for cell in row.all()] == heads


CONTRAST = """(button) => {
  const luminance = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const { color, backgroundColor } = getComputedStyle(button);
  const [low, high] = [luminance(color), luminance(backgroundColor)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_buttons_can_be_read_under_the_pointer_and_with_the_focus(visit: Visit, scheme: str) -> None:
    visit.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    for path, selector in (("playground/", ".playground .share"), ("", ".md-button")):
        page = visit.open(path)
        button = page.locator(selector).first
        for act in (button.hover, button.focus):
            act()
            page.wait_for_timeout(400)  # the colours change slowly
            assert button.evaluate(CONTRAST) >= 4.5, (path, act)


def test_each_page_has_a_description_of_its_own(site: Path) -> None:
    found = [
        re.search(r'<meta name="description" content="([^"]+)"', path.read_text(encoding="utf-8"))
        for path in site.rglob("index.html")
        if "assets" not in path.parts
    ]
    described = [one[1] for one in found if one]
    assert len(described) == len(found) > 30
    assert len(set(described)) == len(described)


def test_the_page_of_a_report_fits_a_narrow_screen(browser: Any, site: Path) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 800})
    for path in sorted((site / "reports").glob("*.html")):
        page.goto(path.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path.stem
    page.close()
