"""A store on PostgreSQL against cases of indexes.

CI runs all of them with SQLite in the step `engines`, and the tests of exactness search in both databases.
"""

from __future__ import annotations

import pytest

from tests.conformance.package import CASES, assert_fails_without, judged, sabotages, shortest


def test_a_store_on_postgresql_answers_cases_of_an_index(postgresql_url: str) -> None:
    cases = [case for case in CASES if case.op in ("query", "find_all") and "large" not in case.flags]
    outcome = judged(cases[::5], postgresql_url)  # each makes tables of its own
    assert [verdict.case.id for verdict in outcome.verdicts if verdict.bad] == []


@sabotages
@pytest.mark.parametrize(
    ("op", "function"),
    [
        ("query", "simhash_doc.store.postgresql:Postgresql.find"),
        ("query", "simhash_doc.store.postgresql:Postgresql.insert"),
        ("find_all", "simhash_doc.store.store:FingerprintStore.pairs"),
    ],
)
def test_the_report_fails_without_any_of_the_functions(
    op: str, function: str, raises: bool, postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_fails_without(function, shortest(op, 8), postgresql_url, monkeypatch, raises=raises)
