"""Spark against the cases of indexes: a few, because each starts several jobs."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark")

from pyspark.sql import SparkSession

from tests.conformance.package import CASES, judged, shortest

CHOSEN = ("query/bucket-100", "query/many-queries", "pairs/planted-3")


@pytest.mark.parametrize("op", ["query", "find_all"])
def test_spark_answers_short_cases_of_an_index(spark: SparkSession, op: str) -> None:
    near = [case for case in shortest(op, 40) if case.members["distance"] <= 3][:2]
    cases = [*near, *(case for case in CASES if case.op == op and case.id in CHOSEN)]
    outcome = judged(cases, "spark")
    assert [verdict for verdict in outcome.verdicts if verdict.bad] == []
