"""Section 9 and the wide schemes of section 12: text forms, well-formed and malformed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from generators.case_builder import Draft, draft
from simhash_doc.reference import BASE32
from simhash_doc.reference import encode as base32
from simhash_doc.schemes import get_schemes


def values() -> Iterator[tuple[str, str, bytes]]:
    """Yield (slug, scheme, bytes): edges, single bits, and values in which every byte differs."""
    for known in get_schemes().values():
        size = known.bits // 8
        yield f"{known.id}-zero", known.id, bytes(size)
        yield f"{known.id}-ones", known.id, b"\xff" * size
        yield f"{known.id}-lowest", known.id, bytes(size - 1) + b"\1"
        yield f"{known.id}-highest", known.id, b"\x80" + bytes(size - 1)
        # The period of 251, a prime, makes swapped bytes and words show.
        yield f"{known.id}-counting", known.id, bytes((7 * i + 1) % 251 for i in range(size))
        if known.lanes > 1:
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
        "extra-space": (f"{good} ", "SD-TEXT-4", "white space next to a complete text form"),
        "line-end": (f"{good}\n", "SD-TEXT-4", "a line end"),
        "hyphen": (f"{good[:4]}-{good[4:8]}-{good[8:]}", "SD-TEXT-4", "hyphens between groups"),
        "plus": (f"+{good[1:]}", "SD-TEXT-3", "a plus sign"),
        "kelvin": (f"{good[:-1]}\u212a", "SD-TEXT-3", "U+212A is not k"),
        "long-s": (f"{good[:-1]}\u017f", "SD-TEXT-3", "U+017F is not s"),
        "full-width": (f"{good[:-1]}\uff45", "SD-TEXT-3", "a full-width letter"),
        "dotless-i": (f"{good[:-1]}\u0131", "SD-TEXT-3", "U+0131 is not i"),
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
        length = get_schemes()[scheme].characters
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
        "the length does not identify an unknown scheme",
        "negative",
        text=f"sd99:{'a' * 26}",
    )


SCHEME_NAMES = {
    "capitals": ("SD64", "in capital letters"),
    "custom": ("sd64+custom", "with the mark of customised fingerprints"),
    "long": ("simhash-doc-64", "the long name"),
    "empty": ("", "an empty name"),
    "32": ("sd32", "not in the registry"),
    "space": ("sd64 ", "followed by a space"),
    "colon": ("sd64:", "followed by a colon"),
}


def named_schemes() -> Iterator[Draft]:
    good, required = "raeidodvqipge", ("SD-TEXT-7", "SD-WIDE-1")
    for slug, (name, how) in SCHEME_NAMES.items():
        yield draft(
            f"fingerprint/scheme-{slug}", "fingerprint", required, f"the scheme to compute is named {how}", "negative",
            text="one two", scheme=name,
        )  # fmt: skip
        yield draft(
            f"encode/scheme-{slug}", "encode", required, f"the scheme to encode is named {how}", "negative",
            hex="880881b875821e62", scheme=name, canonical=True,
        )  # fmt: skip
        yield draft(
            f"decode/scheme-{slug}", "decode", required, f"the expected scheme is named {how}", "negative",
            text=f"sd64:{good}", scheme=name,
        )  # fmt: skip
        yield draft(
            f"decode/scheme-{slug}-bare", "decode", required, f"the scheme known from elsewhere is named {how}",
            "negative", text=good, scheme=name,
        )  # fmt: skip
    yield draft(
        "fingerprint/scheme-unknown-no-token", "fingerprint", ("SD-WIDE-1", "SD-TEXT-7"),
        "an unknown scheme is reported before a text without tokens", "negative", text="12", scheme="sd32",
    )  # fmt: skip
    yield draft(
        "encode/scheme-unknown-bad-length", "encode", ("SD-TEXT-8", "SD-TEXT-7"),
        "a long name is reported before the number of bytes", "negative", hex="00", scheme="simhash-doc-64",
        canonical=True,
    )  # fmt: skip


def expected_schemes() -> Iterator[Draft]:
    good = "raeidodvqipge"
    cases = {
        "same": (f"sd64:{good}", "sd64", ("SD-TEXT-5",), "the scheme that the reader expects"),
        "capitals": (f"SD64:{good}", "sd64", ("SD-TEXT-5",), "the expected scheme in capital letters"),
        "mixed-case": (f"sD64:{good}", "sd64", ("SD-TEXT-5",), "the expected scheme in letters of both cases"),
        "custom": (f"sd64+custom:{good}", "sd64", ("SD-TEXT-7", "SD-CUSTOM-2"), "a customised fingerprint of the expected scheme"),
        "custom-capitals": (f"SD64+CUSTOM:{good}", "sd64", ("SD-TEXT-7",), "the same in capital letters"),
        "bare-128": ("a" * 26, "sd128", ("SD-TEXT-5", "SD-TEXT-6"), "a wide fingerprint without its scheme"),
        "bare-by-length": (good, None, ("SD-TEXT-5", "SD-TEXT-6"), "13 characters are sd64, and canonical"),
        "bare-by-length-256": ("a" * 52, None, ("SD-TEXT-5", "SD-TEXT-6"), "52 characters are sd256, and canonical"),
    }  # fmt: skip
    refused = {
        "mismatch": (f"sd64:{good}", "sd128", ("SD-TEXT-5",), "another scheme of the registry"),
        "mismatch-narrower": (f"sd128:{'a' * 26}", "sd64", ("SD-TEXT-5",), "a wider scheme than expected"),
        "mismatch-custom": (f"sd64+custom:{good}", "sd256", ("SD-TEXT-5", "SD-TEXT-7"), "customised, and of another scheme"),
        "mismatch-before-padding": ("sd64:=", "sd128", ("SD-TEXT-4",), "another scheme is reported before padding"),
        "mismatch-before-character": ("sd64:1", "sd128", ("SD-TEXT-4",), "before a bad character"),
        "mismatch-before-length": ("sd64:a", "sd128", ("SD-TEXT-4",), "before the length"),
        "mismatch-before-spare": (f"sd64:{good[:-1]}f", "sd128", ("SD-TEXT-4",), "before a spare bit"),
        "mismatch-fits-expected": (f"sd64:{'a' * 26}", "sd128", ("SD-TEXT-4", "SD-TEXT-5"), "the characters would fit the expected scheme"),
        "unknown-before-mismatch": (f"sd32:{good}", "sd64", ("SD-TEXT-4", "SD-TEXT-5"), "an unknown scheme is not a mismatch"),
        "unknown-mark": (f"sd64+other:{good}", "sd64", ("SD-TEXT-5",), "an unknown mark is not a mismatch"),
        "unknown-long-name": (f"simhash-doc-64:{good}", "sd64", ("SD-TEXT-5",), "the long name of the expected scheme"),
        "bare-length": (good, "sd128", ("SD-TEXT-5",), "the length of another scheme than the expected one"),
        "bare-no-length": ("a" * 14, None, ("SD-TEXT-5",), "14 characters are of no scheme"),
        "bare-padding": ("1=", None, ("SD-TEXT-4",), "padding, without a scheme"),
        "bare-character": ("a1", None, ("SD-TEXT-4",), "a bad character is reported before a length of no scheme"),
        "two-colons": (f"sd64:{good}:x", None, ("SD-TEXT-5", "SD-TEXT-3"), "the part before the first colon is the scheme"),
        "two-schemes": (f"sd64:sd64:{good}", None, ("SD-TEXT-5", "SD-TEXT-3"), "a second scheme is not in the alphabet"),
        "scheme-suffix": (f"xsd64:{good}", None, ("SD-TEXT-5", "SD-WIDE-1"), "a scheme with a letter before it"),
        "urn": (f"urn:sd64:{good}", None, ("SD-TEXT-5", "SD-WIDE-1"), "the part before the first colon is urn"),
        "bom": (f"\ufeffsd64:{good}", None, ("SD-TEXT-5", "SD-WIDE-1"), "a byte order mark before the scheme"),
        "custom-suffix": (f"sd64+customised:{good}", None, ("SD-CUSTOM-2", "SD-WIDE-1"), "a mark that only begins with custom"),
        "custom-twice": (f"sd64+custom+custom:{good}", None, ("SD-CUSTOM-2", "SD-WIDE-1"), "the mark twice"),
        "custom-space": (f"sd64 custom:{good}", None, ("SD-CUSTOM-2", "SD-WIDE-1"), "a space for the plus sign, as after URL decoding"),
    }  # fmt: skip
    for flags, listed in (((), cases), (("negative",), refused)):
        for slug, (text, scheme, requirements, comment) in listed.items():
            members: dict[str, Any] = {"text": text} if scheme is None else {"text": text, "scheme": scheme}
            yield draft(f"decode/expected-{slug}", "decode", requirements, comment, *flags, **members)
    yield draft(
        "decode/custom-128", "decode", "SD-CUSTOM-2", "a customised wide fingerprint", "wide",
        text=f"sd128+custom:{'a' * 26}",
    )  # fmt: skip


def byte_numbers() -> Iterator[Draft]:
    for scheme in get_schemes().values():
        for size in (scheme.bits // 8 - 1, scheme.bits // 8 + 1, 2 * scheme.bits // 8):
            yield draft(
                f"encode/{scheme.id}-of-{size}-bytes", "encode", "SD-TEXT-8", f"{size} bytes for {scheme.id}",
                "negative", hex="00" * size, scheme=scheme.id, canonical=True,
            )  # fmt: skip
    yield draft(
        "encode/custom-of-7-bytes", "encode", "SD-TEXT-8", "too few bytes of a customised fingerprint", "negative",
        hex="00" * 7, scheme="sd64", canonical=False,
    )  # fmt: skip


GENERATORS = (encoding, not_encodable, malformed, named_schemes, expected_schemes, byte_numbers)
