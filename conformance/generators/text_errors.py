"""Section 9: every order of two errors, prefixes, marks, lengths, and every character that is not a digit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from generators.case_builder import Draft, draft
from generators.index_cases import pairs, query
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.reference import BASE32
from simhash_doc.schemes import get_schemes

GOOD, WIDE = "raeidodvqipge", "a" * 25 + "e"
# Digits of sd64 with no error, one, two or three.
BODIES = {
    "good": GOOD, "spare": f"{GOOD[:-1]}f", "short": GOOD[:-1], "long": f"{GOOD}a", "long-spare": f"{GOOD}b", "short-spare": f"{GOOD[:-2]}f",
    "character": f"1{GOOD[1:]}", "character-last": f"{GOOD[:-1]}1", "character-short": "1", "character-long": f"{GOOD}1",
    "padding": f"{GOOD}===", "padding-inside": f"{GOOD[:5]}={GOOD[6:]}", "padding-short": "=", "padding-character": f"1={GOOD[2:]}",
    "character-padding-short": "1=", "padding-non-ascii": f"{GOOD[:5]}={GOOD[6:-1]}\u212a", "wide": WIDE, "wide-spare": f"{WIDE[:-1]}b", "empty": "",
}  # fmt: skip
PREFIXES = {"bare": "", "sd64": "sd64:", "custom": "sd64+custom:", "sd128": "sd128:", "unknown": "sd65:"}
EXPECTED = {"none": None, "sd64": "sd64", "sd128": "sd128"}
# What may be written in place of `sd64`, and is another name.
NAMES = (
    " sd64", "sd64 ", "\tsd64", "sd64\n", "\u00a0sd64", "\u3000sd64", "\ufeffsd64", "\u200bsd64", "sd64\0", "xsd64", "sd64x", "sd644", "sd6", "sd", "64",
    "sd064", "sd-64", "sd_64", "sd.64", "sd６４", "ｓｄ64", "\u017fd64", "sd\u0666\u0664", "urn:sd64", "simhash", "simhash-doc", "simhash-doc-64", "SIMHASH-DOC-64",
    "sd64;", "sd64/", "sd64=", "sd64+", "+custom", "custom", "custom+sd64", "sd64custom", "sd64 custom", "sd64-custom", "sd64_custom", "sd64/custom",
    "sd64%2Bcustom", "sd64+customised", "sd64+customized", "sd64+custom1", "sd64+cust", "sd64+custom+custom", "sd64+custom+x", "sd64+x+custom", "sd64++custom",
    "sd64 +custom", "sd64+ custom", "sd64+custom ", "sd64+cu\u017ftom", "sd64+ｃustom", "sd64\uff0bcustom", "sd1024", "sd32", "sd63", "sd16", "sd0", "sd127", "sd129",
    "sd64,sd64", "'sd64'", "\"sd64\"", "[sd64]", "sd64\u0301", "sha1", "md5", "http",
)  # fmt: skip
# Characters that some mapping turns into one of the alphabet.
LIKE = {
    "kelvin": "\u212a", "long-s": "\u017f", "dotless-i": "\u0131", "dotted-i": "\u0130", "full-width": "\uff41", "full-width-capital": "\uff21",
    "full-width-digit": "\uff12", "superscript": "\u00b2", "subscript": "\u2082", "circled": "\u24d0", "mathematical": "\U0001d41a", "arabic-digit": "\u0662",
    "devanagari-digit": "\u0968", "cyrillic-a": "\u0430", "greek-o": "\u03bf", "ordinal": "\u00aa", "accent": "\u00e1", "ligature": "\ufb01", "sharp-s": "\u00df",
    "combining": "\u0301", "soft-hyphen": "\u00ad", "zero-width": "\u200b", "bom": "\ufeff", "full-width-padding": "\uff1d", "no-break-space": "\u00a0", "line-separator": "\u2028",
}  # fmt: skip


def _decode(
    slug: str, requirements: tuple[str, ...], comment: str, text: str, *flags: str, scheme: str | None = None
) -> Draft:
    members: dict[str, Any] = {"text": text} if scheme is None else {"text": text, "scheme": scheme}
    return draft(f"decode/{slug}", "decode", requirements, comment, *flags, **members)


def orders() -> Iterator[Draft]:
    """Every prefix with every body and every expectation."""
    required: tuple[str, ...] = ("SD-TEXT-4", "SD-TEXT-5", "SD-TEXT-7")
    every = product(PREFIXES.items(), BODIES.items(), EXPECTED.items())
    for (prefix, start), (body, digits), (wanted, scheme) in every:
        expectation = "" if scheme is None else f", {scheme} is expected"
        comment = f"prefix {prefix}, digits {body.replace('-', ', ')}{expectation}"
        yield _decode(f"order-{prefix}-{body}-{wanted}", required, comment, start + digits, "negative", scheme=scheme)
    required = ("SD-TEXT-4", "SD-CUSTOM-2")
    starts = ("SD64:", "sd128+custom:", ":", "sd65+custom:")
    for start, body in product(starts, ("good", "padding", "wide", "wide-spare")):
        prefix = start.rstrip(":").replace("+", "-") or "empty"
        slug, comment = f"order-other-{prefix}-{body}", f"prefix {start}, digits {body}"
        yield _decode(slug, required, comment, start + BODIES[body], "negative", scheme="sd64")
    required = ("SD-TEXT-4", "SD-TEXT-7")
    for start, body in product(("", "sd64:", "sd128:"), ("good", "padding", "empty")):
        slug = f"order-expected-unknown-{start.rstrip(':') or 'bare'}-{body}"
        yield _decode(slug, required, "sd65 is expected", start + BODIES[body], "negative", scheme="sd65")


def prefixes() -> Iterator[Draft]:
    """Names similar to those of schemes, and positions of the colon."""
    required: tuple[str, ...] = ("SD-TEXT-5", "SD-WIDE-1", "SD-CUSTOM-2")
    for number, name in enumerate(NAMES):
        comment = f"{name!a} is not the short id of a scheme"
        yield _decode(f"name-{number:02}", required, comment, f"{name}:{GOOD}", "negative")
    forms = {
        "colon-last": f"{GOOD}:", "colon-inside": f"{GOOD[:5]}:{GOOD[5:]}", "colon-twice": f"sd64::{GOOD}", "colon-rest": f"sd64:{GOOD}:",
        "colon-rest-text": f"sd64:{GOOD}:x", "colon-scheme-twice": f"sd64:sd64:{GOOD}", "colon-full-width": f"sd64\uff1a{GOOD}", "colon-space": f"sd64: {GOOD}",
        "colon-slashes": f"sd64://{GOOD}", "colon-missing": f"sd64{GOOD}", "colon-only": ":", "colon-equals": f"sd64={GOOD}", "colon-ratio": f"sd64\u2236{GOOD}",
        "trailing-space": f"sd64:{GOOD} ", "trailing-line": f"sd64:{GOOD}\n", "trailing-cr": f"sd64:{GOOD}\r\n", "trailing-nul": f"sd64:{GOOD}\0", "trailing-nul-text": f"sd64:{GOOD}\0x",
        "trailing-custom": f"sd64:{GOOD}+custom", "trailing-query": f"sd64:{GOOD}?x", "leading-space": f" {GOOD}", "leading-bom": f"\ufeff{GOOD}", "leading-nul": f"\0sd64:{GOOD}",
        "bare-custom": f"+custom:{GOOD}", "bare-custom-after": f"{GOOD}+custom", "hexadecimal": "sd64:880881b875821e62", "hexadecimal-bare": "880881b875821e62", "quoted": f'"sd64:{GOOD}"',
    }  # fmt: skip
    for slug, text in forms.items():
        yield _decode(f"form-{slug}", ("SD-TEXT-5", "SD-TEXT-3"), f"{slug.replace('-', ' ')}", text, "negative")
    for slug, text in {
        "any-case": f"Sd64:{GOOD}", "custom-any-case": f"sD64+cUsToM:{GOOD}", "custom-capital-digits": f"sd64+custom:{GOOD.upper()}",
        "capital-scheme": f"SD64:{GOOD}", "capital-digits": f"sd64:{GOOD.upper()}",
    }.items():  # fmt: skip
        required = ("SD-TEXT-3", "SD-TEXT-5", "SD-CUSTOM-2")
        for case, scheme in ((f"form-{slug}", None), (f"form-{slug}-expected", "sd64")):
            yield _decode(case, required, "letters of both cases", text, scheme=scheme)


def characters() -> Iterator[Draft]:
    """Every ASCII character that is not in the alphabet, and characters that a mapping turns into one that is."""
    listed = {f"{code:02x}": chr(code) for code in range(128) if chr(code).lower() not in BASE32}
    for number, (slug, character) in enumerate((listed | LIKE).items()):
        place = (0, 6, 12)[number % 3]
        text = f"sd64:{GOOD[:place]}{character}{GOOD[place + 1 :]}"
        comment = f"{character!a} in place {place} of the digits"
        yield _decode(f"character-{slug}", ("SD-TEXT-3",), comment, text, "negative")
    for known in get_schemes().values():
        size, spare = known.characters, 5 * known.characters - known.bits
        for start in range(0, 32, 8):
            digits = "".join(BASE32[(start + i) % 32] for i in range(size - 1))
            slug = f"digits-{known.id}-{start:02}"
            for case, text in ((slug, digits), (f"{slug}-capitals", digits.upper())):
                yield _decode(case, ("SD-TEXT-1", "SD-TEXT-3"), "every digit", f"{known.id}:{text}a")
        for value, digit in enumerate(BASE32):
            flags = ("negative",) if value % 2**spare else ()
            slug, text = f"last-{known.id}-{digit}", f"{known.id}:{'a' * (size - 1)}{digit}"
            comment = f"the last of {size} digits is {digit}"
            yield _decode(slug, ("SD-TEXT-2", "SD-TEXT-3"), comment, text, *flags)


def sizes() -> Iterator[Draft]:
    """Numbers of characters around those of every scheme, without and with a scheme."""
    counts = sorted({n + d for n in (0, 13, 26, 52, 103) for d in (-1, 0, 1) if n + d >= 0} | {8, 16, 32, 64, 128, 206})
    for prefix in ("", *(f"{name}:" for name in get_schemes())):
        for count in counts if len(prefix) < 6 else (26, 51, 52, 53, 64, 102, 103, 104):
            slug = f"length-{prefix.rstrip(':') or 'bare'}-{count:03}"
            yield _decode(slug, ("SD-TEXT-3", "SD-TEXT-5"), f"{count} digits", prefix + "a" * count, "boundary")


def values() -> Iterator[Draft]:
    """Values of every scheme with all digits, and each single bit of the first and last byte of every lane."""
    for known in get_schemes().values():
        size = known.bits // 8
        listed = {f"mixed-{n}": bytes((n * 97 + 31 * i * i + 7 * i) % 256 for i in range(size)) for n in range(6)}
        places = range(0, size, size // 8)
        listed |= {f"byte-{n:02}": bytes(255 * (i == n) for i in range(size)) for n in places}
        for slug, data in listed.items():
            case, required = f"value-{known.id}-{slug}", ("SD-TEXT-1", "SD-TEXT-2", "SD-WIDE-3")
            members: dict[str, Any] = {"hex": data.hex(), "scheme": known.id, "canonical": True}
            yield draft(f"encode/{case}", "encode", required, "bytes to text", **members)
            text = str(Fingerprint.from_bytes(data, known.id))
            yield _decode(case, ("SD-TEXT-1", "SD-TEXT-5"), "text to bytes", text)


def named_schemes() -> Iterator[Draft]:
    """Names that are not short ids, wherever a caller names a scheme, and errors that they precede."""
    names = ("sd32", "sd65", "SD64", "sd64+custom", "simhash-doc-64", "", " sd64", "sd064", "sd1024", "sd")
    required = ("SD-TEXT-7", "SD-WIDE-1")
    for number, name in enumerate(names):
        named = f"the scheme is named {name!a}"
        for slug, text, has in (("text", "one two", "tokens"), ("no-token", "12", "no token")):
            for op in ("fingerprint", "buckets"):
                case, comment = f"{op}/name-{number}-{slug}", f"{named}, and the text has {has}"
                yield draft(case, op, required, comment, "negative", scheme=name, text=text)
        for slug, data in {"good": "880881b875821e62", "short": "00", "none": ""}.items():
            case, comment = f"encode/name-{number}-{slug}", f"{named}; {len(data) // 2} bytes"
            members: dict[str, Any] = {"hex": data, "scheme": name, "canonical": slug != "good"}
            yield draft(case, "encode", ("SD-TEXT-7", "SD-TEXT-8"), comment, "negative", **members)
        yield draft(f"hash/name-{number}", "hash_tokens", required, named, "negative", tokens=["one"], scheme=name)
    for scheme in get_schemes():
        for op in ("fingerprint", "buckets"):
            slug, text = f"{op}/none-{scheme}", "12 _ \u0301"
            yield draft(slug, op, "SD-SUM-2", "no token", "negative", text=text, scheme=scheme)


ERRORS = ("unknown", "padding", "character", "length", "spare", "good", "wide")


def several() -> Iterator[Draft]:
    """Two text forms, each with every kind of error: the first one's error is reported."""
    kinds = {
        "unknown": "sd65:1=", "padding": f"sd64:1{GOOD}=", "character": "sd64:1", "length": f"sd64:{GOOD[:-2]}f", "spare": f"sd64:{GOOD[:-1]}f",
        "bare-spare": f"{GOOD[:-1]}f", "good": f"sd64:{GOOD}", "wide": f"sd128:{WIDE}", "wide-spare": f"sd128:{WIDE[:-1]}f", "custom": f"sd64+custom:{GOOD}",
    }  # fmt: skip
    for (first, a), (second, b) in product(kinds.items(), repeat=2):
        slug = f"both-{first}-{second}"
        required: tuple[str, ...] = ("SD-TEXT-9", "SD-DIST-2", "SD-TEXT-3")
        yield draft(f"distance/{slug}", "distance", required, f"{first}, then {second}", "negative", a=a, b=b)
        if not {first, second} <= set(ERRORS):
            continue
        required, comment = ("SD-TEXT-9", "SD-LOOK-4"), f"an entry: {first}; the query: {second}"
        yield query(slug, comment, [["e", a]], [b], 3, "negative", requirements=required)
        if first != second:
            comment = f"two entries: {first}, then {second}"
            yield pairs(slug, comment, [["e", a], ["f", b]], 3, "negative", requirements=required)


GENERATORS = (orders, prefixes, characters, sizes, values, named_schemes, several)
