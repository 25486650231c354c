"""The live samples of reports: each page that shows one has a report, which the commands of today write."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("mkdocs", reason="pip install 'simhash-doc[docs]'")

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs/_hooks"))

import samples  # noqa: E402

from tests.reports import report_in, tiles  # noqa: E402


def test_every_sample_is_shown_and_every_shown_sample_exists() -> None:
    pages = (ROOT / "docs").rglob("*.md")
    shown = {name for page in pages for name in samples._MARK.findall(page.read_text(encoding="utf-8"))}
    assert shown == {*samples.SAMPLES}


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("table-dedupe", "You keep 56 of 63 rows"),
        ("archive-changes", "3 pages, 24 captures"),
        ("dedupe", "You keep 7 of 13 documents"),
    ],
)
def test_a_sample_shows_what_its_page_says_and_no_path_of_the_machine(name: str, title: str) -> None:
    report = samples.written(samples.SAMPLES[name])
    assert title in report
    assert str(ROOT) not in report
    assert not re.search(r"/tmp\b", report)
    assert all(tiles(report_in(report)).values())


def test_an_edit_that_its_text_does_not_contain_once_is_an_error() -> None:
    with pytest.raises(ValueError, match="'b' is 2 times in the text, not once"):
        samples.edited("abba", {"b": "c"})
