"""Section 13: narrowing a fingerprint to a scheme with as many lanes or fewer, and the order of its errors."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from generators.case_builder import Draft, draft
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.schemes import get_scheme, get_schemes

# The odd multiples of it have about half of the bits set, in each lane others.
_GOLDEN = 0x9E3779B97F4A7C15F39CC0605CEDC8341082276BF3A27251F86C6A11D0C18E952767F0B153D27B7F0347045B5BF1827F


def _text(scheme: str, number: int = 1, *, canonical: bool = True) -> str:
    """Return the text form of a fingerprint whose lanes differ."""
    bits = get_schemes()[scheme].bits
    return str(Fingerprint((_GOLDEN * (2 * number + 1)) ** 2 % 2**bits, get_scheme(scheme), canonical=canonical))


def _narrow(slug: str, requirements: str | tuple[str, ...], comment: str, text: str, scheme: str, *flags: str) -> Draft:
    return draft(f"narrow/{slug}", "narrow", requirements, comment, *flags, text=text, scheme=scheme)


def pairs_of_schemes() -> Iterator[Draft]:
    for wide, narrow in product(get_schemes().values(), repeat=2):
        flags = ("wide",) if wide.lanes > 1 or narrow.lanes > 1 else ()
        both = f"{wide.id}-{narrow.id}"
        if narrow.bits > wide.bits:
            yield _narrow(f"wider-{both}", "SD-NARROW-2", "the scheme is wider", _text(wide.id), narrow.id, *flags)
            continue
        required, comment = ("SD-NARROW-1", "SD-TEXT-2"), "the first lanes; the characters differ from those of the wide text form"  # fmt: skip
        for number in (1, 2):
            yield _narrow(f"{both}-{number}", required, comment, _text(wide.id, number), narrow.id, *flags)
        required, comment = ("SD-NARROW-1", "SD-CUSTOM-2"), "a customised fingerprint stays customised"
        yield _narrow(f"custom-{both}", required, comment, _text(wide.id, 3, canonical=False), narrow.id, *flags)


def values() -> Iterator[Draft]:
    wide = get_schemes()["sd256"]
    kinds = {
        "zero": (0, "no bit is set"),
        "ones": (2**wide.bits - 1, "all bits are set: the first 13 characters would have a spare bit"),
        "next-lane": (1 << wide.bits - 65, "only the first bit of the second lane is set"),
        "last-bit": (1 << wide.bits - 64, "only the last bit of the first lane is set"),
        "first-bit": (1 << wide.bits - 1, "only the first bit is set"),
    }
    for slug, (value, comment) in kinds.items():
        for narrow in ("sd64", "sd128"):
            text = str(Fingerprint(value, wide.id))
            yield _narrow(f"{slug}-{narrow}", "SD-NARROW-1", comment, text, narrow, "boundary", "wide")


def text_forms() -> Iterator[Draft]:
    wide = _text("sd256")
    digits = wide.partition(":")[2]
    kinds = {
        "bare": (digits, "without a scheme: the number of characters decides"),
        "capitals": (wide.upper(), "in capitals"),
        "bare-capitals": (digits.upper(), "in capitals, without a scheme"),
    }
    for slug, (text, comment) in kinds.items():
        yield _narrow(slug, ("SD-NARROW-1", "SD-TEXT-5"), comment, text, "sd64", "wide")
    text, comment = _text("sd64").partition(":")[2], "without a scheme, to its own scheme"
    yield _narrow("bare-sd64", ("SD-NARROW-1", "SD-TEXT-5"), comment, text, "sd64")


def errors() -> Iterator[Draft]:
    good, wide = _text("sd64"), _text("sd256")
    kinds = {
        "unknown-target": (good, "sd32", "SD-TEXT-7", "the scheme is unknown"),
        "long-name": (good, "simhash-doc-64", "SD-TEXT-7", "a long name is not a short id"),
        "capital-target": (good, "SD64", "SD-TEXT-7", "the scheme is named in capitals"),
        "custom-target": (good, "sd64+custom", "SD-TEXT-7", "the scheme is named with +custom"),
        "empty-target": (good, "", "SD-TEXT-7", "the scheme has no name"),
        "target-before-text": ("sd64:=", "sd32", "SD-NARROW-2", "the scheme is checked before the text form"),
        "text-before-width": ("sd64:raeidodvqipg=", "sd256", "SD-NARROW-2", "the text form is checked before the widths"),
        "unknown-before-width": ("sd32:raeidodvqipge", "sd256", "SD-NARROW-2", "the scheme of the text form is unknown"),
        "padding": (f"{wide}=", "sd64", "SD-TEXT-3", "padding"),
        "bad-character": (wide.replace(":", ":1"), "sd64", "SD-TEXT-3", "a character outside the alphabet"),
        "bad-length": (wide[:-1], "sd64", "SD-TEXT-3", "one character too few"),
        "cut": (f"sd64:{wide.partition(':')[2][:12]}b", "sd64", "SD-TEXT-3", "a spare bit is set"),
        "bare-length": (wide.partition(":")[2][:51], "sd64", "SD-TEXT-5", "no scheme has so many characters"),
        "bare-wider": (good.partition(":")[2], "sd128", "SD-NARROW-2", "without a scheme, to a wider one"),
    }  # fmt: skip
    for slug, (text, scheme, requirement, comment) in kinds.items():
        flags = ("wide",) if "256" in text + scheme or "128" in scheme or len(text) > 30 else ()
        yield _narrow(f"error-{slug}", (requirement, "SD-ERR-1"), comment, text, scheme, "negative", *flags)


GENERATORS = (pairs_of_schemes, values, text_forms, errors)
