"""Labelled sets of others: what their files say, and the figures of a clustering."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.labelled import adjusted_rand, clusters_of, read_core, read_news_copy, row_of

MILL = "The tide mill of the bay ground flour for the parish whenever the sea allowed it, by day and by night. " * 3
TRAIN = "Trains leave the station of the coast line at noon, except on Sundays, when nobody travels anywhere. " * 3


def test_core_names_the_duplicates_of_each_record(tmp_path: Path) -> None:
    titles = [("1", "Mill", MILL, ["2"]), ("2", "Mill", MILL, ["1"]), ("3", "Trains", None, [])]
    keys = ("core_id", "original_title", "original_abstract", "labelled_duplicates")
    path = tmp_path / "core.jsonl"
    path.write_text("".join(f"{json.dumps(dict(zip(keys, one, strict=True)))}\n" for one in titles), encoding="utf-8")
    texts, truth = read_core(str(path))
    assert (texts[2], truth) == ("Trains\n", {(0, 1)})
    row = row_of("sd64 within 3", texts, truth)
    assert (row["recall"], row["precision"], row["adjusted_rand"]) == (1, 1, 1)


def test_news_copy_names_pairs_whose_copies_are_copies(tmp_path: Path) -> None:
    articles = {str(number): {"headline": "News", "article": text} for number, text in enumerate([MILL] * 3 + [TRAIN])}
    data, pairs = tmp_path / "data.json", tmp_path / "pairs.json"
    data.write_text(json.dumps(articles), encoding="utf-8")
    pairs.write_text(json.dumps([["0", "1"], ["1", "2"]]), encoding="utf-8")
    texts, truth = read_news_copy(str(data), str(pairs))
    assert (texts[3][:11], truth) == ("News Trains", {(0, 1), (0, 2), (1, 2)})


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([0, 0, 1, 1], [5, 5, 7, 7], 1),
        ([0, 0, 1, 1], [0, 1, 0, 1], -0.5),
        ([0, 0, 1, 2], [0, 0, 1, 1], 4 / 7),  # 1 of 1 and 2 pairs; 1/3 is expected
        ([0, 1, 2, 3], [0, 1, 2, 3], 1),
    ],
)
def test_the_adjusted_rand_index(first: list[int], second: list[int], expected: float) -> None:
    assert adjusted_rand(first, second) == pytest.approx(expected)


def test_pairs_join_clusters() -> None:
    found = clusters_of({(0, 3), (3, 4)}, 5)
    assert found[0] == found[3] == found[4]
    assert len(set(found)) == 3
