"""The calculator in a browser: measured rates, values between them, and the distances that the package recommends."""

from __future__ import annotations

import json
import re
from math import log
from typing import Any

import pytest

from simhash_doc.schemes import get_scheme
from simhash_doc.thresholds import MOST_DOCUMENTS, largest_distance
from tests.browser.conftest import ROOT, Visit

pytestmark = pytest.mark.browser

RATES: dict[str, Any] = json.loads((ROOT / "docs/benchmarks/rates.json").read_bytes())


def shown(visit: Visit, **values: object) -> tuple[list[float], dict[str, float]]:
    """Give values to the open calculator; return the hits, their interval and pairs, and the recall by share."""
    page = visit.page
    page.wait_for_selector("#calculate[data-ready]")
    if "rule" in values:
        page.select_option("[name=rule]", str(values.pop("rule")))
    for name, value in values.items():
        page.fill(f"[name={name}]", str(value))
    if not page.locator("#calculate details[open]").count():
        page.click("#calculate summary")
    text = page.inner_text("#calculate").replace(",", "")
    pattern = r"A query finds (.*?) unrelated doc.*documents: (.*) to (.*)\. All .* have (.*) unrelated"
    found = re.search(pattern, text, re.DOTALL)
    assert found, text
    rows = [row.locator("th, td").all_inner_texts() for row in page.locator("#calculate tbody tr").all()]
    return [number(one) for one in found.groups()], {row[0]: float(row[1].removesuffix(" %")) / 100 for row in rows}


def number(text: str) -> float:
    mantissa, _, exponent = text.partition(" · 10")
    return float(mantissa) * 10.0 ** int(exponent.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")) or 0)


@pytest.mark.parametrize(
    ("rule", "key", "distance"),
    [("sd64", "sd64 <= 3", 3), ("sd256", "sd256 <= 26", 26), ("sd64 confirmed 20", "sd64 <= 3, sd256 <= 20", 3)],
)
def test_it_gives_the_measured_rates(visit: Visit, rule: str, key: str, distance: int) -> None:
    visit.open("calculator/")
    for length in ("25", "200", "500"):
        hits, found = shown(visit, rule=rule, size=10**8, words=length, distance=distance)
        rate = RATES["lengths"][length]["rates"][key]
        per_query = [1e8 * one for one in (rate["rate"], *rate["interval"])]
        assert hits == pytest.approx([*per_query, 1e8 * per_query[0] / 2], rel=0.05)
        for row in RATES["replaced"][length].values():
            share = f"{100 * row['words'] / int(length):g} %"
            if share in found:
                assert found[share] == pytest.approx(row[rule][distance], abs=6e-4)


def test_values_between_those_measured(visit: Visit) -> None:
    visit.open("calculator/")
    hits, found = shown(visit, rule="sd256", size=1000, words=70, distance=26)
    neighbours = [RATES["lengths"][length]["rates"]["sd256 <= 26"]["rate"] for length in ("50", "100")]
    assert hits[0] == pytest.approx(1000 * max(neighbours), rel=0.05)
    low, high = (RATES["replaced"][length]["0.1"]["sd256"][26] for length in ("50", "100"))
    assert found["10 %"] == pytest.approx(low + (high - low) * log(70 / 50) / log(100 / 50), abs=6e-4)
    longest = RATES["replaced"]["500"]["0.1"]["sd256"][26]
    assert shown(visit, words=100_000, distance=26)[1]["10 %"] == pytest.approx(longest, abs=6e-4)


@pytest.mark.parametrize(
    ("rule", "confirmed"), [("sd64", None), ("sd256", None), ("sd512", None), ("sd64 confirmed 20", 20)]
)
def test_it_recommends_what_the_package_recommends(visit: Visit, rule: str, confirmed: int | None) -> None:
    page = visit.open("calculator/")
    scheme = get_scheme(rule.partition(" ")[0])
    for size in (10**4, 10**6, 5 * 10**7, 10**10):
        for words in (25, 60, 300, 100_000):
            shown(visit, rule=rule, size=size, words=words)
            best = largest_distance(scheme, tokens=words, collection=size, confirmed=confirmed)
            assert page.input_value("[name=distance]") == str(scheme.close if best is None else best)
            said = "no single distance suffices" in page.inner_text("#calculate .status")
            assert said == (best is None or size > MOST_DOCUMENTS)


def test_the_answer_comes_first_in_figures_that_the_table_and_the_curve_repeat(visit: Visit) -> None:
    page = visit.open("calculator/")
    _, found = shown(visit, rule="sd256", size=10**6, words=500, replaced=10)
    answer = page.inner_text("#calculate .status strong")
    distance = largest_distance("sd256", tokens=500, collection=10**6)
    share = RATES["replaced"]["500"]["0.1"]["sd256"][distance]
    assert answer.startswith(f"Use sd256 within {distance} bits. It finds {100 * share:.1f} % of texts with 10 %")
    assert found["10 %"] == pytest.approx(share, abs=6e-4)
    assert "Their fingerprints take 32 MB." in page.inner_text("#calculate .output")
    height = float(str(page.get_attribute("#calculate svg", "height")))
    assert float(str(page.get_attribute("#calculate circle", "cy"))) == pytest.approx(
        height - 46 - (height - 60) * share, abs=0.5
    )
    page.fill("[name=distance]", "36")
    assert f"The recommended distance is {distance} bits." in page.inner_text("#calculate .status")


def test_a_wrong_value_is_named(visit: Visit) -> None:
    page = visit.open("calculator/")
    shown(visit, rule="sd64")
    page.fill("[name=distance]", "7")
    assert page.inner_text("#calculate .status").startswith("Distance in bits: ")
    assert page.locator("#calculate tbody tr").count() == 0
    page.fill("[name=distance]", "6")
    page.fill("[name=words]", "")
    assert page.inner_text("#calculate .status").startswith("Words per text: ")


def test_a_link_holds_the_values(visit: Visit) -> None:
    page = visit.open("calculator/")
    before = shown(visit, rule="sd64 confirmed 26", size=5_000_000, words=80, distance=5)
    link = page.evaluate("window.location.href")
    visit.open(link.split("/", 3)[3])
    assert shown(visit) == before


def test_it_works_by_keyboard(visit: Visit) -> None:
    page = visit.open("calculator/")
    shown(visit)
    page.focus("[name=size]")
    reached = []
    for _ in range(5):
        reached.append(page.evaluate("document.activeElement.name"))
        page.keyboard.press("Tab")
    assert reached == ["size", "words", "replaced", "rule", "distance"]
