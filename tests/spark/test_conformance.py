"""Spark against the cases of indexes: a few, because each starts several jobs."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark")

from pyspark.sql import SparkSession

from tests.conformance.package import CASES, assert_fails_without, judged, shortest

CHOSEN = ("query/bucket-100", "query/many-queries", "pairs/planted-3")


@pytest.mark.parametrize("op", ["query", "find_all"])
def test_spark_answers_short_cases_of_an_index(spark: SparkSession, op: str) -> None:
    near = [case for case in shortest(op, 40) if case.members["distance"] <= 3][:2]
    cases = [*near, *(case for case in CASES if case.op == op and case.id in CHOSEN)]
    outcome = judged(cases, "spark")
    assert [verdict for verdict in outcome.verdicts if verdict.bad] == []


@pytest.mark.parametrize("op", ["query", "find_all"])
def test_the_report_fails_without_the_jobs(spark: SparkSession, op: str, monkeypatch: pytest.MonkeyPatch) -> None:
    near = (case for case in shortest(op, 40) if case.members["distance"] <= 3)
    found = [case for case in near if case.expected["result"] not in ([], [[]])]  # otherwise no job is started
    cases = [case for case in found if len(case.members["entries"]) > 1][:1]
    assert_fails_without(f"simhash_doc.spark:{op}", cases, "spark", monkeypatch, raises=True)
