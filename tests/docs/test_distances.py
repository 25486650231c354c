"""The table of recommended distances has the figures of the specification, and is on the pages that need it."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

pytest.importorskip("mkdocs", reason="pip install 'simhash-doc[docs]'")

import distances

from simhash_doc.thresholds import LENGTHS, largest_distance

ROOT = Path(__file__).parents[2]
SEARCH = (ROOT / "spec/search.md").read_text(encoding="utf-8")


def cells(html: str) -> list[list[str]]:
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    return [re.findall(r"<t[hd]>(.*?)</t[hd]>", row) for row in rows]


def specified() -> list[list[str]]:
    """Return the rows of the recommendation in the specification."""
    table = SEARCH[SEARCH.index("| Documents | 25 to 50 tokens") :].split("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def test_the_distances_are_those_of_the_specification() -> None:
    _, *rows, last = cells(distances.table("search/"))
    *expected, candidates = specified()
    for row, said in zip(rows, expected, strict=True):
        assert row[1:4] == [re.findall(r"within (\d+)", cell)[0] for cell in said[1:4]]
        assert row[5] == said[4].split(" / ")[1]
    first, every = re.findall(r"within (\d+)", candidates[1])
    assert last[1] == f"{every} ({first} in the first 64 bits)"
    assert last[5] == candidates[4].split(" / ")[1]


def test_the_columns_cover_every_length_once() -> None:
    assert [first for first, _ in distances.COLUMNS[1:]] == [last + 1 for _, last in distances.COLUMNS[:-1]]
    assert all(first <= last for first, last in distances.COLUMNS)
    assert all(least <= most for (_, least), (most, _) in pairwise(distances.COLUMNS))


def test_longer_texts_than_those_measured_have_the_same_distance() -> None:
    measured, longer = (largest_distance("sd256", tokens=at, collection=10**6) for at in (LENGTHS[-1], 10**6))
    assert measured == longer


def test_a_length_without_a_distance_ends_the_build() -> None:
    with pytest.raises(ValueError, match=r"no distance of sd256 is recommended for 1000000 documents of 10 to 50"):
        distances.distance_for(10**6, 10, 50)


def test_the_pages_that_recommend_distances_include_the_table() -> None:
    pages = {path: path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")}
    including = {path.name for path, text in pages.items() if distances.MARK in text}
    assert including == {"search.md", "deduplicate-a-crawl.md", "archives.md", "migrate.md"}
