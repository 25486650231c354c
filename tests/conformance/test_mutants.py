"""Each mutant fails a case and is diagnosed by name."""

from __future__ import annotations

import fnmatch
import re
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from make_traceability import needs_tests
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.diagnosis.findings import conclude, explain
from simhash_doc_conformance.mutants import Mutant, mutants
from simhash_doc_conformance.mutants.analysis import (
    first_step,
    killers,
    mutant_answer,
    patched,
    published_wrong_answers,
    wrong_answers,
)
from simhash_doc_conformance.pipeline import STEPS
from simhash_doc_conformance.running.judge import Verdict
from simhash_doc_conformance.vectors.cases import Case, load_cases
from simhash_doc_conformance.vectors.requirements import requirements


@pytest.fixture(scope="module")
def killable() -> dict[str, Mutant]:
    return {name: mutant for name, mutant in mutants().items() if mutant.equivalent is None}


def test_there_are_at_least_500_mutants_and_each_replaces_a_step(killable: dict[str, Mutant]) -> None:
    assert len(killable) >= 500
    assert [name for name, mutant in mutants().items() if not patched(mutant)] == []


def test_each_requirement_has_a_row_in_the_table_of_neighbours() -> None:
    page = (Path(__file__).parents[2] / "conformance/mutation/neighbours.md").read_text(encoding="utf-8")
    rows = {row.split(" | ")[0].removeprefix("| "): re.findall("`(.+?)`", row) for row in page.splitlines()[7:]}
    assert [r for r in requirements() if needs_tests(r) and not any(fnmatchcase(r, row) for row in rows)] == []
    for requirement, patterns in rows.items():
        names = [name for name, mutant in mutants().items() if fnmatchcase(mutant.requirement, requirement)]
        assert [pattern for pattern in patterns if not fnmatch.filter(names, pattern)] == []
        assert [name for name in names if not any(fnmatchcase(name, pattern) for pattern in patterns)] == []
        assert names, requirement


def test_each_mutant_has_a_step_and_can_be_composed() -> None:
    """What the classes of two mutants add has one name in one class only; a step is one of those that reports name."""
    owners: dict[str, set[type]] = {}
    for mutant in mutants().values():
        assert first_step(mutant) in STEPS
        classes = [
            c for c in mutant.implementation.__mro__ if issubclass(c, Implementation) and c is not Implementation
        ]
        for name in {name for c in classes for name in {*vars(c), *vars(c).get("__annotations__", {})}}:
            if not hasattr(Implementation, name) and not name.startswith("__"):
                declared = [c for c in classes if name in {*vars(c), *vars(c).get("__annotations__", {})}]
                owners.setdefault(name, set()).add(declared[-1])
    assert {name: found for name, found in owners.items() if len(found) > 1} == {}


def test_equivalent_mutants_pass_every_case(killable: dict[str, Mutant]) -> None:
    assert {name for name, cases in killers().items() if not cases} == set(mutants()) - set(killable)


@pytest.mark.parametrize(
    ("case_id", "some"),
    [
        pytest.param(
            "pieces/cut-marks-30", {"cuts-end-text", "cuts-keep-word", "cuts-last", "cap-seven"}, marks=pytest.mark.slow
        ),
        pytest.param("limits/count-65535", {"cap-by65536", "limit65536", "count-int16"}, marks=pytest.mark.slow),
        ("split/chinese", {"bigrams-trigrams", "split-missing", "words-platform"}),
    ],
)
def test_shared_steps_change_no_answer(case_id: str, some: set[str]) -> None:
    """The steps that mutants share give the published answers, also in pieces and if a mutant's own step fails."""
    case = next(case for case in load_cases() if case.id == case_id)
    row = {"op": case.op, "input": case.members, "expected": case.expected, "flags": [], "requirements": []}
    published = {digest: some & {*names} for digest, names in published_wrong_answers()[case_id].items()}
    found = {digest: {*names} for digest, names in wrong_answers(row, only=some).items()}
    assert found == {digest: names for digest, names in published.items() if names}
    assert found


@pytest.mark.parametrize("step", [40, pytest.param(8, marks=pytest.mark.slow)])
def test_a_mutant_is_diagnosed_by_name(step: int, killable: dict[str, Mutant]) -> None:
    cases = {case.id: case for case in load_cases() if "large" not in case.flags}
    for name, mutant in list(killable.items())[::step]:
        small = [cases[case_id] for case_id in killers()[name] if case_id in cases]
        verdicts = []
        for case in _telling(name, small):
            answer = mutant_answer(mutant, {"id": 0, "op": case.op, **case.members}, case.requests_before())
            first = explain(case, answer, lambda request: {"unsupported": True})
            verdicts.append(Verdict(case, "failed", first=first))
        named = [line for line in conclude(verdicts)[1] if f"{mutant.mistake} [{name}]; explains " in line]
        assert named or not small, name


def _telling(name: str, cases: list[Case]) -> list[Case]:
    """Return at most three short cases that a mutant fails, which together few others answer like it."""
    alike = {
        case.id: next({*names} for names in published_wrong_answers()[case.id].values() if name in names)
        for case in cases
    }
    chosen: list[Case] = []
    while len(chosen) < min(3, len(cases)):
        rivals = set(mutants()).intersection(*(alike[case.id] for case in chosen))
        left = [case for case in cases if case not in chosen]
        chosen.append(min(left, key=lambda case: (len(rivals & alike[case.id]), len(str(case.members)))))
    return chosen


TWINS = [  # No case tells these apart: a report names both as possible.
    {"carried-balinese", "cuts-fold-without-1b35"},
    {"carried-ends-short", "cuts-fold-without-11c2"},
    {"digits-full-width", "scheme-full-width"},
    {"index-bucket65535", "index-first65535"},
    {"key-adler", "key-fletcher"},
]


def test_a_complete_run_of_a_mutant_names_no_other() -> None:
    """No other mutant explains as many of its published wrong answers, but for a few twins."""
    for name, cases in killers().items():
        alike = Counter(
            other
            for case_id in cases
            for names in published_wrong_answers()[case_id].values()
            if name in names
            for other in names
        )
        rivals = [o for o, n in alike.items() if n == len(cases) and o != name and len(killers()[o]) <= len(cases)]
        assert {name, *rivals} in ({name}, *TWINS), name
