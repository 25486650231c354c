"""The known wrong ports: each is told from a right one, and diagnosed by name."""

from __future__ import annotations

from collections import Counter

import pytest

from simhash_doc.conformance.cases import load_cases
from simhash_doc.conformance.diagnosis import Diagnosis
from simhash_doc.conformance.mutants import mutants
from simhash_doc.conformance.mutants.judging import killers, mutant_answer, patched, published_wrong_answers

CASES = {case.id: case for case in load_cases()}
KILLABLE = [name for name, mutant in mutants().items() if mutant.equivalent is None]
_ASKED = 50  # killing cases that are asked afresh, spread over all of them


def test_there_are_at_least_60_wrong_ports() -> None:
    assert len(KILLABLE) >= 60


def test_each_wrong_port_is_a_patch() -> None:
    for mutant in mutants().values():
        assert patched(mutant), mutant.name


def test_equivalent_wrong_ports_pass_every_case() -> None:
    assert {name for name, cases in killers().items() if not cases} == set(mutants()) - set(KILLABLE)


@pytest.mark.parametrize("name", KILLABLE)
def test_wrong_port_is_diagnosed_by_name(name: str) -> None:
    diagnosis = Diagnosis()
    asked = sorted((CASES[case_id] for case_id in killers()[name]), key=lambda case: "large" in case.flags)
    for case in asked[:: 1 + len(asked) // _ASKED]:
        answer = mutant_answer(mutants()[name], {"id": 0, "op": case.op, **case.members})
        lines = diagnosis(case, answer, lambda request: {"unsupported": True})
        assert any(line.startswith(("likely: ", "possible: ")) for line in lines)
    assert any(f"the known wrong port {name}: " in line for line in diagnosis.summary())


def test_a_whole_run_of_a_wrong_port_names_no_other() -> None:
    """Counting over all of its published wrong answers, no other port explains as many."""
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
