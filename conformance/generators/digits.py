"""Section 9: characters that a few bits of their code point make digits, and every kind of text form against each other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

from generators.case_builder import Draft, draft
from generators.index_cases import mixed, pairs, query, text_form
from simhash_doc.reference import BASE32
from simhash_doc.schemes import get_schemes

GOOD = "raeidodvqipge"
# What is added to the code point of a digit, so that fewer bits, or a conversion, give the digit again.
ADDED = {
    "7-bits": 0x80,
    "8-bits": 0x100,
    "12-bits": 0x1000,
    "16-bits": 0x10000,
    "17-bits": 0x20000,
    "20-bits": 0x100000,
    "full-width": 0xFEE0,
}
# Characters that NFKC, a case mapping, a keyboard or the eye takes for e.
LIKE_E = {
    "bold": "\U0001d41e", "circled": "\u24d4", "script": "\u212f", "subscript": "\u2091", "superscript": "\u1d49",
    "cyrillic": "\u0435", "greek": "\u03b5", "small-capital": "\u1d07",
    "accent": "\u00e9", "composed": "e\u0301", "joiner": "e\u200d", "hyphen": "e\u00ad", "variation": "e\ufe0f",
    "tag": "\U000e0065", "squared": "\U0001f154", "regional": "\U0001f1ea", "euro": "\u20ac",
}  # fmt: skip
KINDS = {"bare": "", "prefixed": "{}:", "custom": "{}+custom:"}


def low_bits() -> Iterator[Draft]:
    for slug, added in ADDED.items():
        for name, at in (("first", 0), ("last", 12)):
            wrong = GOOD[:at] + chr(ord(GOOD[at]) + added) + GOOD[at + 1 :]
            comment = f"a character whose code point is that of a digit plus {added:X}, as the {name} one"
            prefix = "sd64:" if at else ""
            yield draft(f"decode/low-{slug}-{name}", "decode", "SD-TEXT-3", comment, "negative", text=prefix + wrong)
        every = [chr(ord(digit) + added) for digit in BASE32]
        comment = f"every digit plus {added:X}"
        for number in range(0, 32, 13):
            text = f"sd64:{''.join((every + every)[number : number + 13])}"
            yield draft(f"decode/low-{slug}-digits-{number}", "decode", "SD-TEXT-3", comment, "negative", text=text)
        name = "".join(chr(ord(c) + added) for c in "sd64")
        comment = f"a name and a colon whose code points are those of sd64 and of a colon plus {added:X}"
        yield draft(
            f"decode/low-{slug}-name", "decode", ("SD-TEXT-5", "SD-WIDE-1"), comment, "negative", text=f"{name}:{GOOD}"
        )
        yield draft(
            f"decode/low-{slug}-colon",
            "decode",
            "SD-TEXT-3",
            comment,
            "negative",
            text=f"sd64{chr(0x3A + added)}{GOOD}",
        )
    for slug, like in LIKE_E.items():
        comment = f"a character that looks like e, or becomes it: {slug}"
        yield draft(f"decode/like-{slug}", "decode", "SD-TEXT-3", comment, "negative", text=f"sd64:{GOOD[:-1]}{like}")


def _form(kind: str, scheme: str, number: int = 70) -> str:
    digits = text_form(mixed(number, get_schemes()[scheme].lanes), scheme).partition(":")[2]
    return KINDS[kind].format(scheme) + digits


def kinds() -> Iterator[Draft]:
    """Every kind of text form of every scheme against every other: the lanes are equal, so that only the scheme differs."""
    for (one, a), (other, b) in product(product(KINDS, get_schemes()), repeat=2):
        if a == b and a not in ("sd64", "sd512"):
            continue
        slug, comment = f"{one}-{a}-{other}-{b}", f"{one} of {a} against {other} of {b}"
        required = "SD-DIST-1" if a == b else "SD-DIST-2"
        yield draft(f"distance/kinds-{slug}", "distance", required, comment, a=_form(one, a), b=_form(other, b))
    for a, b in permutations(get_schemes(), 2):
        slug, comment = f"{a}-{b}", f"a bare entry of {a} against {b}"
        entry = ("a", _form("bare", a))
        yield query(f"kinds-{slug}", comment, [entry], [_form("prefixed", b)], 3, requirements="SD-LOOK-4")
        yield pairs(f"kinds-{slug}", comment, [entry, ("b", _form("custom", b))], 3, requirements="SD-LOOK-4")


GENERATORS = (low_bits, kinds)
