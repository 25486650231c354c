"""Columns and tables of pandas, polars and pyarrow as fingerprints of a search."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import Fingerprint, SchemeMismatchError, fingerprint_many
from simhash_doc.arrays import ints_from_lanes
from simhash_doc.integrations.columns import distance_column, narrow_column
from simhash_doc.lookup import BadValueError, Corpus, find_all, find_clusters
from simhash_doc.lookup.inputs import present_lanes
from simhash_doc.provenance import ProvenanceWarning
from tests.commands import run

SCHEMES = st.sampled_from(["sd64", "sd128", "sd256", "sd512"])


@st.composite
def present_and_missing(draw: st.DrawFn) -> list[Fingerprint | None]:
    """Draw fingerprints of one scheme, the largest values among them, and documents without one."""
    scheme = draw(SCHEMES)
    bits = int(scheme.removeprefix("sd"))
    values = st.integers(0, 2**bits - 1) | st.sampled_from([0, 2**53 + 1, 2**63, 2**bits - 1])
    one = st.builds(Fingerprint, values, st.just(scheme))
    return draw(st.lists(st.none() | one, min_size=1).filter(any))


def in_pandas(cells: list[Any]) -> Any:
    return pytest.importorskip("pandas").Series(cells, dtype=object)


def in_nullable_pandas(cells: list[Any]) -> Any:
    pandas = pytest.importorskip("pandas")
    cells = [pandas.NA if cell is None else cell for cell in cells]
    return pandas.Series(cells, dtype="string" if isinstance(cells[0], str) else object)


def in_polars(cells: list[Any]) -> Any:
    return pytest.importorskip("polars").Series(cells)


FRAMES = [pytest.param(column, marks=pytest.mark.slow) for column in (in_pandas, in_nullable_pandas, in_polars)]


@pytest.mark.parametrize("column", [list, pa.array, *FRAMES])
@given(documents=present_and_missing())
def test_text_forms_and_bytes_of_a_column(
    column: Callable[[list[Any]], Any], documents: list[Fingerprint | None]
) -> None:
    expected = [one for one in documents if one]
    places = [at for at, one in enumerate(documents) if one]
    for cells in (
        [one and str(one) for one in documents],
        [one and bytes(one) for one in documents],
    ):
        values, found = present_lanes(column(cells))
        assert ints_from_lanes(values) == [one.value for one in expected]
        assert (places if found is None else found.tolist()) == places


@pytest.mark.slow
def test_a_column_of_integers_with_nulls_that_became_floats_is_refused(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pq.write_table(
        pa.table({"value": pa.array([2**63 + 1, None, 2**63 + 2], pa.uint64())}), tmp_path / "values.parquet"
    )
    column = pandas.read_parquet(tmp_path / "values.parquet")["value"]
    assert column.dtype == "float64"
    for values in (column, column.dropna(), column.to_numpy(), list(column)):
        with pytest.raises(BadValueError, match="a float holds 53 of 64 bits"):
            find_clusters(values)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["sd64", "sd256"])
def test_what_is_written_is_read_by_pandas_without_loss(scheme: str, tmp_path: Path) -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    text = "The tide mill of the bay ground flour for the parish whenever the sea allowed it. "
    texts = [3 * text, "12 34", "An unrelated text about trains and their drivers.", 3 * text]
    pq.write_table(pa.table({"text": texts}), tmp_path / "texts.parquet")
    output = tmp_path / "out.parquet"
    run("table", "fingerprint", "--scheme", scheme, tmp_path / "texts.parquet", "-o", output)
    for table in (pandas.read_parquet(output), polars.read_parquet(output), pq.read_table(output)):
        for values in (table, table["fingerprint"], table["value"]):
            assert [rows.tolist() for rows in find_clusters(values, distance=0)] == [[0, 3]]


@pytest.mark.slow
def test_ids_have_the_index_of_the_fingerprints() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"fingerprint": ["sd64:aaaaaaaaaaaac", "sd64:aaaaaaaaaaaae"], "id": [5, 7]}, ["x", "y"])
    corpus = Corpus()
    for values in (frame, frame["fingerprint"]):
        for change in (corpus.add_many, corpus.remove_many):
            with pytest.raises(ValueError, match="values and ids have different indexes"):
                change(values, ids=frame["id"][::-1])
            change(values, ids=frame["id"])
            change(values, ids=frame["id"].tolist())


def test_errors_name_the_position_and_what_is_expected() -> None:
    for values, message in [
        (["sd64:aaaaaaaaaaaac", "sd64:nonsense"], "position 1: "),
        (pa.table({"id": [1], "text": ["a"]}), "the table has the columns id, text; expected 'fingerprint'"),
        (pa.table([["sd64:aaaaaaaaaaaac"]] * 2, ["fingerprint"] * 2), "several columns have the name 'fingerprint'"),
        ([b"\0" * 8, b"\0" * 9], "position 1: 9 bytes; a fingerprint of sd64 has 8"),
    ]:
        with pytest.raises(BadValueError, match=message):
            find_all(values)


WIDE = Fingerprint(1, "sd128")


@pytest.mark.parametrize(
    "compare",
    [
        lambda one, other: one.distance(other),
        lambda one, other: find_all([one, str(other)]),
        lambda one, other: find_clusters([str(one), other]),
        lambda one, other: find_all([one], against=[other]),
        lambda one, other: find_all(fingerprint_many(["a lamp"]), scheme=other.scheme),
        lambda one, other: filled(one).insert(str(other)),
        lambda one, other: filled(one).add_many([other]),
        lambda one, other: filled(one).find(other),
        lambda one, other: filled(one).find_many(pa.array([str(other)])),
        lambda one, other: filled(one).nearest(other),
        lambda one, other: distance_column([one], [other]),
    ],
)
def test_fingerprints_of_other_schemes_are_one_error(compare: Any) -> None:
    with pytest.raises(SchemeMismatchError):
        compare(Fingerprint(1), WIDE)


CANONICAL, CUSTOMIZED = Fingerprint(1), Fingerprint(2, canonical=False)


def filled(*values: Fingerprint) -> Corpus:
    corpus = Corpus()
    corpus.add_many(values)
    return corpus


@pytest.mark.parametrize(
    "compare",
    [
        lambda one, other: one.distance(other),
        lambda one, other: one.verdict(str(other)),
        lambda one, other: find_all([one, None, str(other)]),
        lambda one, other: find_clusters(pa.array([str(one), str(other)])),
        lambda one, other: find_all([one], against=pa.array([str(other)])),
        lambda one, other: filled(one, other),
        lambda one, other: filled(one).insert(other),
        lambda one, other: filled(one).find(other),
        lambda one, other: filled(one).find_all(str(other)),
        lambda one, other: filled(one).nearest(other),
        lambda one, other: filled(one).find_many([other]),
        lambda one, other: filled(one).nearest_many([other]),
        lambda one, other: distance_column(pa.array([str(one)]), pa.array([str(other)])),
    ],
)
def test_customised_fingerprints_are_compared_with_canonical_ones_with_a_warning(compare: Any) -> None:
    for one, other in ((CANONICAL, CUSTOMIZED), (CUSTOMIZED, CANONICAL)):
        with pytest.warns(ProvenanceWarning, match="customized and canonical fingerprints are compared") as caught:
            compare(one, other)
        assert {warning.filename for warning in caught} == {__file__}  # the line of the caller, not one of the package
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare(CANONICAL, CANONICAL)
        compare(CUSTOMIZED, CUSTOMIZED)


def test_fingerprints_of_many_texts_are_canonical() -> None:
    with pytest.warns(ProvenanceWarning):
        find_all(fingerprint_many(["a lamp at the pier"]), against=[CUSTOMIZED])


@pytest.mark.parametrize("column", [pa.array, *FRAMES])
def test_a_customised_fingerprint_of_a_column_stays_customised(column: Callable[[list[Any]], Any]) -> None:
    forms = [str(Fingerprint(5 << 64, "sd128", canonical=False)), None, str(Fingerprint(7 << 64, "sd128"))]
    found = narrow_column(column(forms), "sd64").to_pylist()
    assert found == [form and str(Fingerprint.parse(form).narrow("sd64")) for form in forms]
