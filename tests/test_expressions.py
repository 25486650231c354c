"""Every regular expression of the three products takes time linear in the text, where and as it is used."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest

from simhash_doc.reference import LINK_FORMS
from simhash_doc_extraction.markdown import _RAW_TEXT
from tests.expressions import Expressions, Family, expressions, families, repeated

BUILT = {
    "simhash_doc_extraction.markdown:mark": [rf"</{name}(?=[\s/>])" for name in _RAW_TEXT],
    "simhash_doc_conformance.diagnosis.violations:p": list(LINK_FORMS.values()),
}
"""What functions compile of their arguments: expressions for each."""

LEAST_SECONDS = 0.02
SIZES = (*range(8, 32, 4), *(1 << power for power in range(5, 15)))  # characters; an exponential one shows early
SLOWEST = 9  # times the seconds for four times the text; linear is 4, quadratic is 16
PARTS = 8


@pytest.fixture(scope="module")
def found() -> Expressions:
    return expressions()


def test_every_expression_is_known(found: Expressions) -> None:
    used, unknown = found
    assert sorted(unknown) == sorted(BUILT)
    assert len(used) > 200


SLOW = [
    (r"\s+$", "search"),
    (r"<a[^>]*>", "sub"),
    (r"(?:a+)+b", "match"),
    (r"(\d+\s*)+x", "fullmatch"),
    (r"(?:\s*(?:host|port)\s*=\s*(?:'[^']*'|\S*)(?:\s+|\Z)){2,}", "fullmatch"),
    (r"(?s:\s*+(?:<!--.{0,4000}?-->\s*+){0,10}<[^\s>]+\s[^>]*xmlns)", "match"),
    (r"[\W\d]*(?:(?:\w+ )?references|notes)(?:\s*\[[^\]]*\])?[\W\d]*", "fullmatch"),
]


@pytest.mark.parametrize(("expression", "function"), SLOW)
def test_an_expression_that_is_not_linear_is_found(expression: str, function: str) -> None:
    assert any(slow(re.compile(expression), {function}))


@pytest.mark.parametrize(("expression", "function"), [(r"\s+$", "match"), (r"(?:a++)+b", "match"), ("ab", "sub")])
def test_an_expression_that_is_linear_is_not_found(expression: str, function: str) -> None:
    assert not any(slow(re.compile(expression), {function}))


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, PARTS))])
def test_the_time_of_expressions_grows_with_the_text(part: int, found: Expressions) -> None:
    cases = [(pattern, *use) for pattern, use in found[0].items()]
    cases += [(re.compile(form), place, {"search"}) for place, forms in BUILT.items() for form in forms]
    places = {place: next(slow(pattern, functions), None) for pattern, place, functions in cases[part::PARTS]}
    assert not {place: family for place, family in places.items() if family}


def slow(pattern: re.Pattern[Any], functions: set[str]) -> Iterator[tuple[str, Family, int, float]]:
    """Yield what is slower than the growth of a text allows: the function, the family, the size and the seconds."""
    used = functions if functions and functions <= {"match", "fullmatch"} else {"finditer"}
    for family in families(pattern):
        for function in used:
            if found := _growth(pattern, function, family):
                yield function, family, *found


def _growth(pattern: re.Pattern[Any], function: str, family: Family) -> tuple[int, float] | None:
    """Let the text grow until its time can be measured; return size and seconds if they grew too much."""
    before: dict[int, float] = {}
    for size in SIZES:
        before[size] = seconds = _seconds(pattern, function, repeated(family, size))
        if seconds > LEAST_SECONDS:
            is_slow = seconds > SLOWEST * max(before.get(size // 4, 0), LEAST_SECONDS / 64)
            return (size, seconds) if is_slow else None
    return None


def _seconds(pattern: re.Pattern[Any], function: str, text: str) -> float:
    """Return the processor time of a search; the best of three if there is much."""
    given = text if isinstance(pattern.pattern, str) else text.encode("latin-1", "replace")
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        if function == "finditer":
            for _ in pattern.finditer(given):
                pass
        else:
            getattr(pattern, function)(given)
        best = min(best, time.process_time() - start)
        if best < LEAST_SECONDS:
            break
    return best
