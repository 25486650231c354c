"""Each mutant fails a case and is diagnosed by name."""

from __future__ import annotations

from collections import Counter

import pytest

from simhash_doc.conformance.cases import Case, load_cases
from simhash_doc.conformance.diagnosis import Diagnosis
from simhash_doc.conformance.mutants import mutants
from simhash_doc.conformance.mutants.analysis import killers, mutant_answer, patched, published_wrong_answers

CASES = {case.id: case for case in load_cases()}
KILLABLE = [name for name, mutant in mutants().items() if mutant.equivalent is None]


def test_there_are_at_least_500_mutants() -> None:
    assert len(KILLABLE) >= 500


def test_each_mutant_replaces_a_step() -> None:
    for mutant in mutants().values():
        assert patched(mutant), mutant.name


def test_equivalent_mutants_pass_every_case() -> None:
    assert {name for name, cases in killers().items() if not cases} == set(mutants()) - set(KILLABLE)


def _killing_cases(name: str) -> list[Case]:
    """Return the cases that kill a mutant: large ones last, those that few other mutants answer alike first."""

    def order(case: Case) -> tuple[bool, int, int]:
        answers = published_wrong_answers()[case.id].values()
        return "large" in case.flags, min(len(names) for names in answers if name in names), len(str(case.members))

    return sorted((CASES[case_id] for case_id in killers()[name]), key=order)


def _only_large_cases_kill(name: str) -> bool:
    return all("large" in CASES[case_id].flags for case_id in killers()[name])


_SMALL = [name for name in KILLABLE if not _only_large_cases_kill(name)]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if number % 5 else []) for number, name in enumerate(_SMALL)]
)
def test_mutant_is_diagnosed_by_name(name: str) -> None:
    diagnosis = Diagnosis()
    for case in _killing_cases(name)[:2]:
        answer = mutant_answer(mutants()[name], {"id": 0, "op": case.op, **case.members})
        diagnosis(case, answer, lambda request: {"unsupported": True})
    diagnosis.conclude([])
    assert any(f"{mutants()[name].mistake} [{name}]; explains " in line for line in diagnosis.summary())


def test_a_complete_run_of_a_mutant_names_no_other() -> None:
    """No other mutant explains as many of its published wrong answers."""
    for name, cases in killers().items():
        alike = Counter(
            other
            for case_id in cases
            for names in published_wrong_answers()[case_id].values()
            if name in names
            for other in names
        )
        rivals = [o for o, n in alike.items() if n == len(cases) and o != name and len(killers()[o]) <= len(cases)]
        assert rivals == [], name
