"""The engine `numpy` folds as the reference does, wherever characters change together with their neighbours."""

from __future__ import annotations

import pytest
from hypothesis import given

from simhash_doc import reference
from simhash_doc.engines.numpy.fold import fold_to_code_points, to_text
from simhash_doc.unicode_data import fold_map
from tests.strategies import texts

FAR = "b" * 300
MANY = "".join(chr(character) for character, target in list(fold_map().items()) if len(target) > 1)


def assert_folded(text: str) -> None:
    assert to_text(fold_to_code_points(text)) == reference.fold(text)


@given(text=texts)
def test_any_text_is_folded(text: str) -> None:
    assert_folded(reference.Reference().scalar_values(text))


@pytest.mark.parametrize("between", ["", " ", FAR, f"{FAR} ", f" {FAR}", f"{FAR} {FAR}", f"{FAR} {FAR} {FAR}"])
def test_stretches_end_at_spaces(between: str) -> None:
    for special in ("\u2026", "e\u0301", "\u00ad", "\u0323", "\uac00\u11a8"):
        assert_folded(between.join([special] * 4))
        assert_folded(f"\u00e2{between}{special}{between}")


def test_many_distinct_characters_are_replaced() -> None:
    assert_folded(MANY)


@pytest.mark.parametrize("starter", ["", "b", "\u00e1", "\u01d7", "\u00a8", " "])
@pytest.mark.parametrize("mark", ["\u0301", "\u0316", "\u0344", "\u0f73", "\u00ad\u0344"])
def test_runs_of_marks_are_bounded(starter: str, mark: str) -> None:
    for count in range(12, 34):
        assert_folded(f"{starter}{mark * count}\u0316 c")
