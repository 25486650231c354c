"""Texts in which one word outweighs the others: all take part in clusters, or only those with enough support."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import Fingerprint, fingerprint_many
from simhash_doc.lookup import BadValueError, clusters_of, find_all, find_clusters
from simhash_doc.schemes import SchemeId
from tests.commands import run

# The first is within 3 bits of the second, because a word that occurs eight times outweighs the rest.
FREQUENT = "the the the the the the the the cat sat on a mat"
SHORT = "The"
LONG = "Once upon a time a miller and his wife lived by an old river bank with their seven clever daughters and sons"
TEXTS = [FREQUENT, LONG, "12", SHORT, LONG + " again"]


@pytest.mark.parametrize("scheme", ["sd64", "sd256"])
def test_texts_with_little_support_are_in_no_cluster_if_a_support_is_asked_for(scheme: SchemeId) -> None:
    measured = fingerprint_many(TEXTS, scheme)
    assert measured.support.round(1).tolist() == [2.4, 18.6, 0.0, 1.0, 19.6]
    found = find_clusters(measured, distance=26)
    assert [0, 3] in [group.tolist() for group in found]
    assert found.members.tolist() == clusters_of(find_all(measured, distance=26)).members.tolist()
    assert [group.tolist() for group in find_clusters(measured, distance=26, min_support=15)] == [[1, 4]]


@given(st.lists(st.tuples(st.integers(0, 3), st.none() | st.floats(0, 30)), max_size=20), st.floats(0, 30))
def test_clusters_are_those_of_the_supported_values_at_their_positions(
    rows: list[tuple[int, float | None]], least: float
) -> None:
    columns = {"fingerprint": [str(Fingerprint(value)) for value, _ in rows], "support": [one for _, one in rows]}
    schema = pa.schema({"fingerprint": pa.string(), "support": pa.float64()})
    expected: dict[int, list[int]] = {}
    for at, (value, weight) in enumerate(rows):
        if weight is None or weight >= least:
            expected.setdefault(value, []).append(at)
    table = pa.table(columns, schema)
    pytest.importorskip("pandas")
    for frame in (table, table.to_pandas(), pytest.importorskip("polars").DataFrame(table)):
        found = find_clusters(frame, distance=0, min_support=least)
        assert [group.tolist() for group in found] == [group for group in expected.values() if len(group) > 1]


def test_a_support_that_is_asked_for_and_not_there_is_an_error() -> None:
    fingerprints = fingerprint_many(TEXTS).text_forms()
    for values in ([1, 2, 3], fingerprints, pa.table({"fingerprint": fingerprints})):
        find_clusters(values)
        with pytest.raises(BadValueError, match="min_support needs the support of each text"):
            find_clusters(values, min_support=15)
    for wrong in ("", False, "18.6"):
        table = pa.table({"fingerprint": fingerprints[:1], "support": [wrong]})
        with pytest.raises(BadValueError, match="column 'support' contains"):
            find_clusters(table, min_support=15)


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl", ".csv"])
def test_the_command_answers_as_python_does_and_counts_texts_with_little_support(suffix: str, tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": TEXTS}), tmp_path / "texts.parquet")
    rows = tmp_path / f"rows{suffix}"
    run("table", "fingerprint", tmp_path / "texts.parquet", "-o", rows)
    command = ("find-clusters", "--json", "--positions", "--distance", "12")
    for least, told in ((0, "2 fingerprints of texts with a support under 15; they may be near"), (15, "15 left out")):
        done = run(*command, "--min-support", str(least), rows)
        expected = [group.tolist() for group in find_clusters(fingerprint_many(TEXTS), distance=12, min_support=least)]
        assert [json.loads(line)["members"] for line in done.stdout.splitlines()] == expected
        assert told in done.stderr
    assert run(*command, rows).stdout == run(*command, "--min-support", "0", rows).stdout


def test_the_command_counts_texts_without_a_support_and_reports_wrong_ones(tmp_path: Path) -> None:
    forms = [form for form in fingerprint_many(TEXTS).text_forms() if form]
    supports = ["null", "1", '"much"', "1" + "0" * 400]
    rows = zip(forms, supports, strict=True)
    lines = "".join(f'{{"fingerprint": "{one}", "support": {support}}}\n' for one, support in rows)
    (tmp_path / "some.jsonl").write_text(lines)
    done = run("find-clusters", "--distance", "12", "--min-support", "15", tmp_path / "some.jsonl")
    assert (done.returncode, "1 fingerprint without a support stay" in done.stderr) == (1, True)
    assert "line 3: the support 'much' is not a number" in done.stderr
    assert "line 4: the support '1000" in done.stderr
    done = run("find-clusters", "--distance", "12", tmp_path / "some.jsonl")
    assert (done.returncode, "1 fingerprint of texts with" in done.stderr) == (1, True)
    np.save(tmp_path / "some.npy", fingerprint_many(TEXTS[:2]).values)
    done = run("find-clusters", "--min-support", "15", tmp_path / "some.npy")
    assert (done.returncode, "needs the column support" in done.stderr) == (2, True)


def test_support_is_the_number_of_words_if_all_occur_equally_often() -> None:
    words = " ".join(f"word{chr(97 + number)}" for number in range(20))
    assert np.isclose(fingerprint_many([words, f"{words} {words}"]).support, 20).all()
