"""Texts in which one word outweighs the others take no part in clusters."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import fingerprint_many
from simhash_doc.lookup import BadValueError, find_clusters
from simhash_doc.schemes import SchemeId
from tests.commands import run

# The first is within 3 bits of the second, because a word that occurs eight times outweighs the rest.
FREQUENT = "the the the the the the the the cat sat on a mat"
SHORT = "The"
LONG = "Once upon a time a miller and his wife lived by an old river bank with their seven clever daughters and sons"
TEXTS = [FREQUENT, LONG, "12", SHORT, LONG + " again"]


@pytest.mark.parametrize("scheme", ["sd64", "sd256"])
def test_texts_with_little_support_are_in_no_cluster(scheme: SchemeId) -> None:
    measured = fingerprint_many(TEXTS, scheme)
    assert measured.support.round(1).tolist() == [2.4, 18.6, 0.0, 1.0, 19.6]
    connected = [group.tolist() for group in find_clusters(measured, distance=26)]
    assert [0, 3] in connected
    found = find_clusters(measured, distance=26, support=measured.support)
    assert [group.tolist() for group in found] == [[1, 4]]


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 30)), max_size=20), st.floats(0, 30))
def test_clusters_are_those_of_the_supported_values_at_their_positions(
    rows: list[tuple[int, float]], least: float
) -> None:
    values, support = [value for value, _ in rows], [weight for _, weight in rows]
    found = find_clusters(values, distance=0, support=support, min_support=least)
    expected: dict[int, list[int]] = {}
    for at, (value, weight) in enumerate(rows):
        if weight >= least:
            expected.setdefault(value, []).append(at)
    assert [group.tolist() for group in found] == [group for group in expected.values() if len(group) > 1]


def test_other_numbers_of_supports_are_an_error() -> None:
    with pytest.raises(BadValueError, match="2 values of support for 3 fingerprints"):
        find_clusters([1, 2, 3], support=[15, 15])


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl", ".csv"])
def test_the_command_leaves_rows_with_little_support_out_and_says_so(suffix: str, tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": TEXTS}), tmp_path / "texts.parquet")
    rows = tmp_path / f"rows{suffix}"
    run("table", "fingerprint", tmp_path / "texts.parquet", "-o", rows)
    done = run("find-clusters", "--json", "--distance", "12", rows)
    members = ["1", "4"] if suffix == ".csv" else [1, 4]
    assert [json.loads(line)["members"] for line in done.stdout.splitlines()] == [members]
    assert "2 fingerprints of texts with a support under 15 left out" in done.stderr
    done = run("find-clusters", "--json", "--distance", "12", "--min-support", "0", rows)
    assert len(done.stdout.splitlines()) == 2
    assert "support" not in done.stderr


def test_support_is_the_number_of_words_if_all_occur_equally_often() -> None:
    words = " ".join(f"word{chr(97 + number)}" for number in range(20))
    assert np.isclose(fingerprint_many([words, f"{words} {words}"]).support, 20).all()
