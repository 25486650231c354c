"""The numbers in a text. Tokens have no digits, so texts that differ in numbers alone have equal fingerprints."""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Sequence

from simhash_doc.engines.strings import nfkc

ORDERED = 64  # numbers: the order of up to so many counts; a form with 2 and 3 is not the form with 3 and 2

_MINUS = r"\-‐–−"  # hyphen-minus, what NFKC makes of a hyphen that does not break, en dash, minus sign
NUMBER = re.compile(  # with ASCII digits
    rf"[{_MINUS}0-9]"  # one set of characters, because the search for its next one is fast
    rf"(?:(?<=[0-9])|(?<![\w)\].%°{_MINUS}].)"  # what is not before a minus
    r"(?:[$¢£¥₠-⃏]|[A-Z]{3} ?)?[0-9])"  # a currency behind it
    r"[0-9]*(?:[.,'’٫٬][0-9]+)*"
)
_BEFORE_VALUE = "0-‐–−$¢£¥ " + string.ascii_uppercase + "".join(map(chr, range(ord("₠"), ord("⃏") + 1)))
_POINTS = str.maketrans("'’٫٬", ",,.,")
_APART = re.compile(  # raised and lowered digits, fractions, digits in circles: NFKC joins them to the digits before
    "[\u207a\u207b\u208a\u208b]?"  # with their sign
    "[\xb2\xb3\xb9\xbc-\xbe\u2070-\u2089\u2150-\u215f\u2189\u2460-\u249b\u24ea\u3251-\u33fe\U0001f100-\U0001f10a]"
)
_OF_OTHER_SCRIPTS = re.compile(r"[^\D0-9]")


def numbers_of(text: str) -> list[str]:
    """Return the numbers in a text, in order: runs of decimal digits after NFKC.

    Digits of every script count. Leading zeros do not: 007 is 7. Runs with a point, a comma or an apostrophe between
    them are one number: 1,250.05 is neither 250 nor 1250. Raised digits are a number of their own. A minus belongs to
    the number, or to the sign or code of a currency, that directly follows it. Behind a letter, digit, bracket, point,
    percent sign or another minus, it is a hyphen.

    >>> numbers_of("Invoice 017 of ٣ May: 1'250.05")
    ['17', '3', '1,250.05']
    >>> numbers_of("2026-05-01, 10-20 km: -5, −€12.50, -CHF 7, 10²")
    ['2026', '5', '1', '10', '20', '-5', '-12.50', '-7', '10', '2']
    """
    if not text.isascii():
        text = _OF_OTHER_SCRIPTS.sub(_as_ascii, nfkc(_APART.sub(r" \g<0> ", text)))
    return [number if number.isdecimal() and number[0] != "0" else _value(number) for number in NUMBER.findall(text)]


def _value(number: str) -> str:
    sign = "" if number[0].isdecimal() else "-"
    value = number.lstrip(_BEFORE_VALUE).translate(_POINTS)
    return sign + (value if value[:1].isdecimal() else f"0{value}")


def _as_ascii(digit: re.Match[str]) -> str:
    return str(unicodedata.decimal(digit[0]))


def contains(kept: Sequence[object], left: Sequence[object]) -> bool:
    """Return True if a text has all numbers of another one, as often, and in their order if there are at most 64.

    >>> contains("1234", "24"), contains("1234", "42"), contains("1234", "22")
    (True, False, False)
    """
    if len(left) > len(kept):
        return False
    if len(left) <= ORDERED:
        rest = iter(kept)
        return all(one in rest for one in left)
    return not Counter(left) - Counter(kept)
