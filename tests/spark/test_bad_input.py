"""Invalid tables are reported before anything is searched."""

from __future__ import annotations

import pytest

from tests.spark.conftest import require_spark

require_spark()

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from simhash_doc import Fingerprint
from simhash_doc.errors import UnknownSchemeError
from simhash_doc.spark import BadColumnError, SparkConnectError, find_all, fingerprints, queries, query
from simhash_doc.spark.session import start_session
from simhash_doc.spark.storage import _parse_lines
from tests.spark.tables import rows_of

A, B, WIDE = b"12345678", b"abcdefgh", b"0123456789abcdef"


@pytest.mark.parametrize(
    ("schema", "rows", "reason"),
    [
        ("name string, fingerprint binary", [], "has no column 'id'; it has 'name', 'fingerprint'"),
        ("id string, fp binary", [], "has no column 'fingerprint'"),
        ("id double, fingerprint binary", [], "'id' of the input is double; an id is a string, integer or binary"),
        ("id string, fingerprint bigint", [], r"is bigint; .*unhex\(lpad\(hex\(fingerprint\), 16, '0'\)\)"),
        ("id string, fingerprint string", [], r"is string; .*unhex\(fingerprint\)"),
        ("id string, fingerprint array<int>", [], "is array<int>; a fingerprint is binary"),
        ("id string, fingerprint binary", [(None, A), ("b", B)], "the ids of the input are null in 1 rows"),
        ("id string, fingerprint binary", [("a", A), ("b", WIDE)], "of (8|16) bytes where (8|16) are expected"),
        ("id string, fingerprint binary", [("a", b"123")], "have 3 bytes; a fingerprint has 8 bytes .sd64., 16"),
        ("id string, fingerprint binary", [("a", A), ("b", b"")], "where|have 0 bytes"),
        ("id string, fingerprint binary", [("a", A), ("c", B), ("a", B)], r"repeated ids, such as 'a' \(2 rows\)"),
        ("id bigint, fingerprint binary", [(7, A), (8, B), (7, None)], r"repeated ids, such as 7 \(2 rows\)"),
    ],
)
def test_a_table_that_cannot_be_searched(
    spark: SparkSession, schema: str, rows: list[tuple[object, ...]], reason: str
) -> None:
    df = rows_of(spark, rows, schema)
    with pytest.raises(BadColumnError, match=reason):
        find_all(df)


def table_of(spark: SparkSession, fingerprint: bytes = A) -> DataFrame:
    return rows_of(spark, [("a", fingerprint)])


@pytest.mark.parametrize("limit", [0, 10])
def test_index_and_queries_are_of_one_width(spark: SparkSession, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "BROADCAST_LIMIT", limit)
    with pytest.raises(BadColumnError, match="different schemes are never compared"):
        query(table_of(spark, WIDE), table_of(spark))
    with pytest.raises(BadColumnError, match="the index has no column 'id'"):
        query(spark.range(1).toDF("x"), table_of(spark))
    null = rows_of(spark, [(None, A)])
    with pytest.raises(BadColumnError, match="the ids of the index are null in 1 rows"):
        query(null, table_of(spark))


def test_spark_connect_is_refused() -> None:
    remote = type("DataFrame", (), {"__module__": "pyspark.sql.connect.dataframe"})()
    for refused in (
        lambda: find_all(remote),
        lambda: query(remote, remote),
        lambda: start_session("sc://host"),
    ):
        with pytest.raises(SparkConnectError, match="only `fingerprints` and `simhash` run"):
            refused()


def test_texts_that_cannot_be_fingerprinted(spark: SparkSession) -> None:
    df = rows_of(spark, [("a", 1, None)], "text string, number int, reason string")
    with pytest.raises(BadColumnError, match="has no column 'body'; it has 'text', 'number', 'reason'"):
        fingerprints(df, text_col="body")
    with pytest.raises(BadColumnError, match="'number' is int; texts are string"):
        fingerprints(df, text_col="number")
    with pytest.raises(BadColumnError, match="has a column 'reason' already"):
        fingerprints(df)
    with pytest.raises(BadColumnError, match="documents to extract are binary"):
        fingerprints(df, extract=True)
    with pytest.raises(UnknownSchemeError, match="sd65"):
        fingerprints(df, scheme="sd65")  # type: ignore[arg-type]


def test_names_that_are_not_utf_8_stay_different() -> None:
    lines = pa.array(
        [f"{Fingerprint(7)}  ".encode() + name for name in (b"\xff.txt", b"\xfe.txt", b"a.txt")], pa.binary()
    )
    (rows,) = _parse_lines("text", iter([pa.record_batch([lines], ["value"])]))
    assert rows.column("id").to_pylist() == ["\\udcff.txt", "\\udcfe.txt", "a.txt"]
