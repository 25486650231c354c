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


def test_every_sample_is_shown_and_every_shown_sample_exists() -> None:
    pages = (ROOT / "docs").rglob("*.md")
    shown = {name for page in pages for name in samples._MARK.findall(page.read_text(encoding="utf-8"))}
    assert shown == {*samples.SAMPLES}


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("table-dedupe", "You keep 14 of 16 rows"),
        ("archive-changes", "3 pages, 15 captures"),
        pytest.param("dedupe", "You keep 6 of 45 documents", marks=pytest.mark.slow),
    ],
)
def test_a_sample_shows_what_its_page_says_and_no_path_of_the_machine(name: str, title: str) -> None:
    report = samples.written(samples.SAMPLES[name])
    assert title in report
    assert str(ROOT) not in report
    assert not re.search(r"/tmp\b", report)
