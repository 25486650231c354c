"""A store on PostgreSQL against the cases of indexes. CI runs all cases with SQLite in the step `engines`."""

from __future__ import annotations

from tests.conformance.package import CASES, judged


def test_a_store_on_postgresql_answers_every_case_of_an_index(postgresql_url: str) -> None:
    cases = [case for case in CASES if case.op in ("query", "find_all") and "large" not in case.flags]
    outcome = judged(cases, postgresql_url)
    assert [verdict.case.id for verdict in outcome.verdicts if verdict.bad] == []
