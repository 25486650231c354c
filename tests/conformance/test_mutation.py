"""Systematic mutants: each is a real change, is undone, and is judged by the vectors."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from itertools import islice

import pytest

from mutation.code import code_mutants, expression_changes
from mutation.equivalents import argument, folded_code_points
from mutation.mutant import Mutant, Step, model
from mutation.patterns import form_changes, link_mutants
from mutation.report import score
from mutation.run import Fate, Result, Runner, all_mutants, difference
from mutation.tables import TableMutant, table_mutants
from simhash_doc_conformance.adapters.adapter import Adapter
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.vectors.cases import load_cases

TRACED = {
    "id": 0,
    "op": "trace",
    "scheme": "sd128",
    "text": "Ünï 東京都 snake_case http://a.b/c e\u0301\u0316 \u1100\u1161 x",
}


@pytest.fixture(scope="module")
def every() -> dict[str, Mutant]:
    """Return all systematic mutants by name."""
    listed = all_mutants()
    named = {mutant.name: mutant for mutant in listed}
    assert len(named) == len(listed)
    return named


@pytest.mark.slow
def test_there_are_thousands_of_each_step(every: dict[str, Mutant]) -> None:
    assert len(every) > 10_000
    assert {mutant.step for mutant in every.values()} == set(Step)


@pytest.mark.parametrize(
    ("code", "changed"),
    [
        ("a < 3", {"a <= 3", "a >= 3", "a != 3"}),
        ("a + b", {"a - b", "a", "b"}),
        ("7", {"8", "6"}),
        ("a and b", {"a or b", "a", "b"}),
        ("x if a else y", {"x", "y"}),
        ("f(g(x))", {"g(x)", "g(f(x))"}),
        ("text.strip()", {"text"}),
    ],
)
def test_operators_on_code(code: str, changed: set[str]) -> None:
    node = ast.parse(code, mode="eval").body
    assert {ast.unparse(new) for _, new in expression_changes(node)} == changed


def test_operators_on_links() -> None:
    changed = {new for _, _, new in form_changes(r"(?:ab|c){1,2}\b")}
    assert changed >= {r"(?:ab|c){1,2}", r"(?:ab|c){0,2}\b", r"(?:ab|c){2,2}\b", r"(?:ab|c){1,3}\b", r"(?:c){1,2}\b"}
    assert r"(?:b|c){1,2}\b" in changed
    assert len({new for operator, _, new in form_changes("[a-c]") if operator == "character class"}) > 100


def test_operators_on_ranges() -> None:
    changes = [m for m in table_mutants() if m.name.startswith("continua 0E01..0E3A: ")]
    code_points = {m.operator: (m.code_points[0], m.value) for m in changes if isinstance(m, TableMutant)}
    borders = {"first - 1": (0xE00, 1), "first + 1": (0xE01, 0), "last - 1": (0xE3A, 0), "last + 1": (0xE3B, 1)}
    assert code_points == {**borders, "range dropped": (0xE01, 0)}


@pytest.mark.parametrize(
    ("made", "step"),
    [(code_mutants, 800), (link_mutants, 500), (table_mutants, 10_000)]
    + [
        pytest.param(made, step, marks=pytest.mark.slow)
        for made, step in ((code_mutants, 80), (link_mutants, 100), (table_mutants, 1000))
    ],
)
def test_a_mutant_is_undone(made: Callable[[], Iterable[Mutant]], step: int) -> None:
    def answers() -> list[object]:
        return [Adapter(model(appendix)).answer(TRACED) for appendix in (None, "appendix_a", "appendix_c")]

    before = answers()
    assert before[0] == before[1] == before[2] == Adapter(Implementation()).answer(TRACED)
    for mutant in islice(made(), 0, None, step):
        with mutant.installed():
            pass
        assert answers() == before, mutant.name


def test_a_mutant_changes_answers_while_it_is_in_place(every: dict[str, Mutant]) -> None:
    mutant = every["reference.OCCURRENCE_CAP: `OCCURRENCE_CAP = 8` -> `OCCURRENCE_CAP = 7`"]
    request = {"id": 0, "op": "buckets", "scheme": "sd64", "text": "no " * 9}
    with mutant.installed():
        assert set(Adapter(Implementation()).answer(request)["result"]) == {7, -7}
    assert set(Adapter(Implementation()).answer(request)["result"]) == {8, -8}


@pytest.mark.slow
def test_the_vectors_kill_a_mutant_and_not_an_equivalent_one(every: dict[str, Mutant]) -> None:
    runner = Runner(case for case in load_cases() if case.op == "tokens")  # the step mutants has all cases
    assert runner.result(every["word 0061..007A: range dropped"]).fate is Fate.KILLED
    assert runner.result(every["word 0041..005A: range dropped"]).fate is Fate.EQUIVALENT


@pytest.mark.slow
def test_a_large_case_kills_what_no_small_one_does(every: dict[str, Mutant]) -> None:
    runner = Runner(case for case in load_cases() if case.id in ("limits/count-32767", "query/size-10001"))
    result = runner.result(every["reference.OCCURRENCE_CAP: `OCCURRENCE_CAP = 8` -> `OCCURRENCE_CAP = 9`"])
    assert (result.fate, result.evidence) == (Fate.KILLED, "limits/count-32767")


@pytest.mark.slow
def test_no_probe_contradicts_a_rule_that_proves_mutants_equivalent(every: dict[str, Mutant]) -> None:
    proved = [mutant for mutant in every.values() if isinstance(mutant, TableMutant) and argument(mutant)]
    for mutant in proved[::200]:
        assert difference(mutant) is None, mutant.name


@pytest.mark.slow
def test_folded_code_points_fold_to_themselves() -> None:
    assert {ord("a"), 0xE9, 0xAC00, 0x6771} <= folded_code_points()
    assert not {ord("A"), 0xC9, 0x212B, 0xFF21, 0xAD} & folded_code_points()


def test_the_score_leaves_equivalent_mutants_out() -> None:
    fates = [Fate.KILLED, Fate.KILLED, Fate.GAP, Fate.EQUIVALENT]
    assert score([Result("", fate) for fate in fates]) == "66.6 %"
