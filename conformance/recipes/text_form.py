"""Section 9 and the wide schemes of section 12: text forms, well-formed and malformed."""

from __future__ import annotations

from collections.abc import Iterator

from recipes.draft import Draft, draft
from simhash_doc.pinned import schemes
from simhash_doc.reference import BASE32
from simhash_doc.reference import encode as base32


def values() -> Iterator[tuple[str, str, bytes]]:
    """Yield (slug, scheme, bytes): edges, single bits, and values in which every byte differs."""
    for known in schemes().values():
        size = known.bits // 8
        yield f"{known.id}-zero", known.id, bytes(size)
        yield f"{known.id}-ones", known.id, b"\xff" * size
        yield f"{known.id}-lowest", known.id, bytes(size - 1) + b"\1"
        yield f"{known.id}-highest", known.id, b"\x80" + bytes(size - 1)
        # The period of 251, a prime, makes swapped bytes and words show.
        yield f"{known.id}-counting", known.id, bytes((7 * i + 1) % 251 for i in range(size))
        if known.words > 1:
            yield f"{known.id}-first-word", known.id, b"\xff" * 8 + bytes(size - 8)
    for bit in range(0, 64, 7):
        yield f"sd64-bit-{bit:02}", "sd64", (1 << bit).to_bytes(8, "big")


def encoding() -> Iterator[Draft]:
    for slug, scheme, data in values():
        requirements = (
            ("SD-TEXT-1", "SD-TEXT-2", "SD-TEXT-5") if scheme == "sd64" else ("SD-TEXT-1", "SD-TEXT-2", "SD-WIDE-3")
        )
        yield draft(
            f"encode/{slug}", "encode", requirements, "bytes to text", hex=data.hex(), scheme=scheme, canonical=True
        )
        text = f"{scheme}:{base32(data)}"
        yield draft(f"decode/{slug}", "decode", requirements, "text to bytes", text=text)
        if slug.endswith(("ones", "counting")):
            yield draft(
                f"decode/{slug}-capitals",
                "decode",
                ("SD-TEXT-3", "SD-TEXT-5"),
                "capital letters, the short id too",
                text=text.upper(),
            )
            yield draft(
                f"decode/{slug}-bare",
                "decode",
                "SD-TEXT-5",
                "the scheme known from elsewhere",
                text=text.split(":")[1],
                scheme=scheme,
            )
    yield draft(
        "encode/custom", "encode", "SD-CUSTOM-2", "a customised fingerprint", hex="880881b875821e62", canonical=False
    )
    yield draft(
        "encode/custom-wide",
        "encode",
        "SD-CUSTOM-2",
        "a customised wide fingerprint",
        hex="00" * 31 + "01",
        scheme="sd256",
        canonical=False,
    )
    yield draft(
        "decode/custom", "decode", ("SD-CUSTOM-1", "SD-CUSTOM-2"), "the mark is kept", text="sd64+custom:raeidodvqipge"
    )
    yield draft(
        "decode/custom-capitals",
        "decode",
        "SD-CUSTOM-2",
        "the mark in capital letters",
        text="SD64+CUSTOM:RAEIDODVQIPGE",
    )
    yield draft("decode/mixed-case", "decode", "SD-TEXT-3", "letters of both cases", text="sD64:rAeIdOdVqIpGe")


def not_encodable() -> Iterator[Draft]:
    for slug, data, scheme in (
        ("one-byte", "00", "sd64"),
        ("no-bytes", "", "sd64"),
        ("nine-bytes", "00" * 9, "sd64"),
        ("sd128-of-8", "00" * 8, "sd128"),
    ):
        yield draft(
            f"encode/bad-{slug}",
            "encode",
            "SD-TEXT-1",
            "not the scheme's number of bytes",
            "negative",
            hex=data,
            scheme=scheme,
            canonical=True,
        )
    yield draft(
        "encode/unknown-scheme",
        "encode",
        "SD-WIDE-1",
        "an unknown scheme is named before the number of bytes",
        "negative",
        hex="00",
        scheme="sd9",
        canonical=True,
    )


def malformed() -> Iterator[Draft]:
    good = "raeidodvqipge"
    cases = {
        "spare-bit": (f"{good[:-1]}f", "SD-TEXT-3", "the spare bit is set"),
        "padding": (f"{good}===", "SD-TEXT-3", "padding as RFC 4648 has it"),
        "padding-in-place": (f"{good[:-1]}=", "SD-TEXT-3", "padding in place of a character"),
        "digit-zero": (f"0{good[1:]}", "SD-TEXT-3", "0 is not in the alphabet"),
        "digit-one": (f"1{good[1:]}", "SD-TEXT-3", "1 is not in the alphabet"),
        "digit-eight": (f"8{good[1:]}", "SD-TEXT-3", "8 is not in the alphabet"),
        "digit-nine": (f"{good[:5]}9{good[6:]}", "SD-TEXT-3", "9 is not in the alphabet"),
        "space-before": (f" {good}"[:13], "SD-TEXT-3", "white space before, length right"),
        "space-after": (f"{good[:12]} ", "SD-TEXT-3", "white space after, length right"),
        "extra-space": (f"{good} ", "SD-TEXT-4", "white space beside a whole text form"),
        "line-end": (f"{good}\n", "SD-TEXT-4", "a line end"),
        "hyphen": (f"{good[:4]}-{good[4:8]}-{good[8:]}", "SD-TEXT-4", "hyphens between groups"),
        "plus": (f"+{good[1:]}", "SD-TEXT-3", "a plus sign"),
        "kelvin": (f"{good[:-1]}\u212a", "SD-TEXT-3", "U+212A is no k"),
        "long-s": (f"{good[:-1]}\u017f", "SD-TEXT-3", "U+017F is no s"),
        "full-width": (f"{good[:-1]}\uff45", "SD-TEXT-3", "a full-width letter"),
        "dotless-i": (f"{good[:-1]}\u0131", "SD-TEXT-3", "U+0131 is no i"),
        "accent": (f"{good[:-1]}é", "SD-TEXT-3", "an accent"),
        "supplementary": (f"{good[:-1]}\U0001d41e", "SD-TEXT-3", "a character beyond U+FFFF"),
        "nul": (f"{good[:-1]}\0", "SD-TEXT-3", "U+0000"),
        "empty": ("", "SD-TEXT-3", "nothing"),
        "short": (good[:-1], "SD-TEXT-3", "one character short"),
        "short-8": (good[:8], "SD-TEXT-3", "eight characters"),
        "long": (f"{good}a", "SD-TEXT-3", "one character long"),
        "twice": (good * 2, "SD-TEXT-3", "the length of sd128, but sd64 is said"),
        "hexadecimal": ("880881b875821e62", "SD-TEXT-4", "hexadecimal: 8 is not in the alphabet, named before the length"),
        "padding-and-character": ("1=", "SD-TEXT-4", "padding is named before a bad character"),
        "character-and-length": ("1", "SD-TEXT-4", "a bad character is named before the length"),
        "character-and-spare": (f"0{good[1:-1]}f", "SD-TEXT-4", "a bad character is named before the spare bit"),
        "length-and-spare": (f"{good[1:-1]}f", "SD-TEXT-4", "the length is named before the spare bit"),
    }  # fmt: skip
    for slug, (text, requirement, comment) in cases.items():
        yield draft(f"decode/bad-{slug}", "decode", requirement, comment, "negative", text=f"sd64:{text}")
    for digit in (c for c in BASE32 if BASE32.index(c) % 2 and c != "f"):
        yield draft(
            f"decode/bad-spare-{digit}",
            "decode",
            "SD-TEXT-3",
            "a last character whose spare bit is set",
            "negative",
            text=f"sd64:{good[:-1]}{digit}",
        )
    for scheme, spare in {"sd128": "bcd", "sd256": "bip", "sd512": "bfh"}.items():
        length = schemes()[scheme].characters
        for digit in spare:
            yield draft(
                f"decode/bad-{scheme}-spare-{digit}",
                "decode",
                "SD-TEXT-3",
                "a spare bit of a wide fingerprint",
                "negative",
                "wide",
                text=f"{scheme}:{'a' * (length - 1)}{digit}",
            )
        yield draft(
            f"decode/bad-{scheme}-short",
            "decode",
            "SD-TEXT-3",
            "one character short",
            "negative",
            "wide",
            text=f"{scheme}:{'a' * (length - 1)}",
        )
    prefixes = {
        "sd32": "a scheme that does not exist",
        "sd65": "another",
        "simhash-doc-64": "the long name",
        "": "an empty name",
        "sd64+": "a mark without a name",
        "sd64+other": "a mark that does not exist",
        "sd64 ": "white space",
        "sd６４": "full-width digits",
        "sha256": "another kind",
    }
    for prefix, comment in prefixes.items():
        slug = "".join(c if c.isascii() and c.isalnum() else f"-{ord(c):x}" for c in prefix) or "empty"
        yield draft(
            f"decode/unknown-{slug}", "decode", ("SD-WIDE-1", "SD-TEXT-5"), comment, "negative", text=f"{prefix}:{good}"
        )
    yield draft(
        "decode/unknown-first",
        "decode",
        ("SD-WIDE-1", "SD-TEXT-4"),
        "an unknown scheme is named before padding",
        "negative",
        text="sd65:=",
    )
    yield draft(
        "decode/unknown-right-length",
        "decode",
        "SD-WIDE-1",
        "the length does not make up for an unknown scheme",
        "negative",
        text=f"sd99:{'a' * 26}",
    )


RECIPES = (encoding, not_encodable, malformed)
