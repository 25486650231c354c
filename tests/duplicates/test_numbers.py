"""The numbers in texts, and when one text has those of another."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc.duplicates.numbers import contains, numbers_of


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", []),
        ("no 4711 of 2026-05-01: 1,250.50", ["4711", "2026", "5", "1", "1,250.50"]),
        ("٣ and ３ and x³ and ③", ["3", "3", "3", "3"]),
        ("½", ["1", "2"]),  # NFKC writes it with a fraction slash
        ("007 7 000 0", ["7", "7", "0", "0"]),
        ("a1b22c", ["1", "22"]),
        ("1.05 1,5 1'005 ٣٫٠٥ 1.00", ["1.05", "1,5", "1,005", "3.05", "1.00"]),  # not by value
        (".05 x.05 1. 05", ["5", "5", "1", "5"]),
        ("1٢३", ["123"]),  # one run of three scripts
        ("Ⅷ 四", []),  # numerals, but no decimal digits
        ("9" * 5000, ["9" * 5000]),
        ("-5 (-5) x=-5 €-5 -5", ["-5"] * 5),
        ("\u22125 \u20135 \uff0d5 \u20115 -٥ -05", ["-5"] * 6),  # minus sign, en dash, full width, no break, ...
        ("-$12.05 -€12.05 −₹12.05 -012.05", ["-12.05"] * 4),
        ("1.5.2026 1. 5 1..5 1,.5 v1.5.", ["1.5.2026", "1", "5", "1", "5", "1", "5", "1.5"]),
        ("2026-05-01 10-20 10–20 A-5 f(x)-5 5.-7. 5%-7% 5°-7°", "2026 5 1 10 20 10 20 5 5 5 7 5 7 5 7".split()),
        ("--5 - 5 5- -x5", ["5"] * 4),
        ("-0 -007", ["-0", "-7"]),
        ("-CHF 5 -EUR5 - CHF 5 A-CHF 5 -chf 5", ["-5", "-5", "5", "5", "5"]),
        ("10² 10⁻⁵ 2½ 5① 1㏠", ["10", "2", "10", "-5", "2", "1", "2", "5", "1", "1", "1"]),
    ],
)
def test_numbers_are_runs_of_decimal_digits_by_value(text: str, numbers: list[str]) -> None:
    assert numbers_of(text) == numbers


@given(st.text(alphabet=st.sampled_from("019 x٣३３²½\u0301")))
def test_numbers_are_those_of_python(text: str) -> None:
    apart = "".join(f" {one} " if unicodedata.category(one) == "No" else one for one in text)
    form = "".join(one if unicodedata.category(one) == "Nd" else " " for one in unicodedata.normalize("NFKC", apart))
    assert numbers_of(text) == [str(int(one)) for one in form.split()]


@pytest.mark.parametrize(
    ("kept", "left", "expected"),
    [
        ("", "", True),
        ("1", "", True),
        ("", "1", False),
        ("123", "13", True),
        ("123", "31", False),
        ("1", "11", False),
        ("1" * 32 + "2" * 32, "2" * 32 + "1" * 32, False),
        ("1" * 32 + "2" * 33, "2" * 33 + "1" * 32, True),  # more than 64: the order does not count
        ("1" * 32 + "2" * 33, "2" * 32 + "1" * 33, False),
    ],
)
def test_a_text_has_the_numbers_of_another_as_often_and_in_order(kept: str, left: str, expected: bool) -> None:
    assert contains(kept, left) is expected
