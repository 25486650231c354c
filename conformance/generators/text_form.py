"""Section 9 and the wide schemes of section 12: text forms, well-formed and malformed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from generators.case_builder import Draft, draft, table
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
        required = ("SD-TEXT-1", "SD-TEXT-2", "SD-TEXT-5" if scheme == "sd64" else "SD-WIDE-3")
        text = f"{scheme}:{base32(data)}"
        yield _encode(slug, required, "bytes to text", data.hex(), scheme)
        yield draft(f"decode/{slug}", "decode", required, "text to bytes", text=text)
        if slug.endswith(("ones", "counting")):
            rows = {"capitals": (text.upper(), "capital letters, the short id too")}
            yield from table(f"decode/{slug}-", "decode", ("SD-TEXT-3", "SD-TEXT-5"), rows)
            bare, comment = text.split(":")[1], "the scheme known from elsewhere"
            yield draft(f"decode/{slug}-bare", "decode", "SD-TEXT-5", comment, text=bare, scheme=scheme)
    comment = "a customised fingerprint"
    yield draft("encode/custom", "encode", "SD-CUSTOM-2", comment, hex="880881b875821e62", canonical=False)
    wide = "00" * 31 + "01"
    yield _encode("custom-wide", "SD-CUSTOM-2", "a customised wide fingerprint", wide, "sd256", canonical=False)
    yield from table("decode/", "decode", "SD-CUSTOM-2", {
        "custom": ("sd64+custom:raeidodvqipge", "the mark is kept", "SD-CUSTOM-1", "SD-CUSTOM-2"),
        "custom-capitals": ("SD64+CUSTOM:RAEIDODVQIPGE", "the mark in capital letters"),
        "mixed-case": ("sD64:rAeIdOdVqIpGe", "letters of both cases", "SD-TEXT-3"),
    })  # fmt: skip


def _encode(
    slug: str,
    required: str | tuple[str, ...],
    comment: str,
    data: str,
    scheme: str,
    *flags: str,
    canonical: bool = True,
) -> Draft:
    return draft(
        f"encode/{slug}", "encode", required, comment, *flags, hex=data, scheme=scheme, canonical=canonical
    )  # fmt: skip


def not_encodable() -> Iterator[Draft]:
    comment = "not the scheme's number of bytes"
    for slug, data in {"one-byte": "00", "no-bytes": "", "nine-bytes": "00" * 9}.items():
        yield _encode(f"bad-{slug}", "SD-TEXT-1", comment, data, "sd64", "negative")
    yield _encode("bad-sd128-of-8", "SD-TEXT-1", comment, "00" * 8, "sd128", "negative")
    comment = "an unknown scheme is named before the number of bytes"
    yield _encode("unknown-scheme", "SD-WIDE-1", comment, "00", "sd9", "negative")


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
    odd = (c for c in BASE32 if BASE32.index(c) % 2 and c != "f")
    rows = {digit: (f"sd64:{good[:-1]}{digit}", "a last character whose spare bit is set") for digit in odd}
    yield from table("decode/bad-spare-", "decode", "SD-TEXT-3", rows, "negative")
    for scheme, spare in {"sd128": "bcd", "sd256": "bip", "sd512": "bfh"}.items():
        short = f"{scheme}:{'a' * (get_schemes()[scheme].characters - 1)}"
        rows = {f"spare-{digit}": (f"{short}{digit}", "a spare bit of a wide fingerprint") for digit in spare}
        rows["short"] = (short, "one character short")
        yield from table(f"decode/bad-{scheme}-", "decode", "SD-TEXT-3", rows, "negative", "wide")
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
        row = {slug: (f"{prefix}:{good}", comment)}
        yield from table("decode/unknown-", "decode", ("SD-WIDE-1", "SD-TEXT-5"), row, "negative")
    yield from table("decode/unknown-", "decode", "SD-WIDE-1", {
        "first": ("sd65:=", "an unknown scheme is named before padding", "SD-WIDE-1", "SD-TEXT-4"),
        "right-length": (f"sd99:{'a' * 26}", "the length does not identify an unknown scheme"),
    }, "negative")  # fmt: skip


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
        for op, ending, named, text in (
            ("fingerprint", "", "the scheme to compute", "one two"),
            ("encode", "", "the scheme to encode", ""),
            ("decode", "", "the expected scheme", f"sd64:{good}"),
            ("decode", "-bare", "the scheme known from elsewhere", good),
        ):
            case, comment = f"{slug}{ending}", f"{named} is named {how}"
            if op == "encode":
                yield _encode(f"scheme-{case}", required, comment, "880881b875821e62", name, "negative")
            else:
                yield draft(f"{op}/scheme-{case}", op, required, comment, "negative", text=text, scheme=name)
    required, comment = ("SD-WIDE-1", "SD-TEXT-7"), "an unknown scheme is reported before a text without tokens"
    slug = "fingerprint/scheme-unknown-no-token"
    yield draft(slug, "fingerprint", required, comment, "negative", text="12", scheme="sd32")
    required, comment = ("SD-TEXT-8", "SD-TEXT-7"), "a long name is reported before the number of bytes"
    yield _encode("scheme-unknown-bad-length", required, comment, "00", "simhash-doc-64", "negative")


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
    row = {"custom-128": (f"sd128+custom:{'a' * 26}", "a customised wide fingerprint")}
    yield from table("decode/", "decode", "SD-CUSTOM-2", row, "wide")


def byte_numbers() -> Iterator[Draft]:
    for scheme in get_schemes().values():
        for size in (scheme.bits // 8 - 1, scheme.bits // 8 + 1, 2 * scheme.bits // 8):
            slug, comment = f"{scheme.id}-of-{size}-bytes", f"{size} bytes for {scheme.id}"
            yield _encode(slug, "SD-TEXT-8", comment, "00" * size, scheme.id, "negative")
    slug, comment = "custom-of-7-bytes", "too few bytes of a customised fingerprint"
    yield _encode(slug, "SD-TEXT-8", comment, "00" * 7, "sd64", "negative", canonical=False)


GENERATORS = (encoding, not_encodable, malformed, named_schemes, expected_schemes, byte_numbers)
