"""Section 9: every order of two errors, prefixes, marks, lengths, and every character that is not a digit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from generators.case_builder import Draft, draft
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
    for (prefix, before), (body, digits), (wanted, scheme) in product(
        PREFIXES.items(), BODIES.items(), EXPECTED.items()
    ):
        expectation = "" if scheme is None else f", {scheme} is expected"
        yield _decode(
            f"order-{prefix}-{body}-{wanted}", ("SD-TEXT-4", "SD-TEXT-5", "SD-TEXT-7"),
            f"prefix {prefix}, digits {body.replace('-', ', ')}{expectation}", before + digits, "negative", scheme=scheme,
        )  # fmt: skip
    for prefix, (body, digits) in product(("SD64:", "sd128+custom:", ":", "sd65+custom:"), BODIES.items()):
        if body in ("good", "padding", "wide", "wide-spare"):
            slug = prefix.rstrip(":").replace("+", "-") or "empty"
            yield _decode(
                f"order-other-{slug}-{body}",
                ("SD-TEXT-4", "SD-CUSTOM-2"),
                f"prefix {prefix}, digits {body}",
                prefix + digits,
                "negative",
                scheme="sd64",
            )
    for prefix, body in product(("", "sd64:", "sd128:"), ("good", "padding", "empty")):
        yield _decode(
            f"order-expected-unknown-{prefix.rstrip(':') or 'bare'}-{body}",
            ("SD-TEXT-4", "SD-TEXT-7"),
            "sd65 is expected",
            prefix + BODIES[body],
            "negative",
            scheme="sd65",
        )


def prefixes() -> Iterator[Draft]:
    """Names similar to those of schemes, and positions of the colon."""
    for number, name in enumerate(NAMES):
        yield _decode(
            f"name-{number:02}", ("SD-TEXT-5", "SD-WIDE-1", "SD-CUSTOM-2"), f"{name!a} is not the short id of a scheme",
            f"{name}:{GOOD}", "negative",
        )  # fmt: skip
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
        for scheme in (None, "sd64"):
            yield _decode(
                f"form-{slug}{'' if scheme is None else '-expected'}", ("SD-TEXT-3", "SD-TEXT-5", "SD-CUSTOM-2"),
                "letters of both cases", text, scheme=scheme,
            )  # fmt: skip


def characters() -> Iterator[Draft]:
    """Every ASCII character that is not in the alphabet, and characters that a mapping turns into one that is."""
    listed = {f"{code:02x}": chr(code) for code in range(128) if chr(code).lower() not in BASE32}
    for number, (slug, character) in enumerate((listed | LIKE).items()):
        place = (0, 6, 12)[number % 3]
        yield _decode(
            f"character-{slug}", ("SD-TEXT-3",), f"{character!a} in place {place} of the digits",
            f"sd64:{GOOD[:place]}{character}{GOOD[place + 1 :]}", "negative",
        )  # fmt: skip
    for known in get_schemes().values():
        size, spare = known.characters, 5 * known.characters - known.bits
        for start in range(0, 32, 8):
            digits = "".join(BASE32[(start + i) % 32] for i in range(size - 1))
            for slug, text in (("", digits), ("-capitals", digits.upper())):
                yield _decode(
                    f"digits-{known.id}-{start:02}{slug}",
                    ("SD-TEXT-1", "SD-TEXT-3"),
                    "every digit",
                    f"{known.id}:{text}a",
                )
        for value, digit in enumerate(BASE32):
            flags = ("negative",) if value % 2**spare else ()
            yield _decode(
                f"last-{known.id}-{digit}", ("SD-TEXT-2", "SD-TEXT-3"), f"the last of {size} digits is {digit}",
                f"{known.id}:{'a' * (size - 1)}{digit}", *flags,
            )  # fmt: skip


def sizes() -> Iterator[Draft]:
    """Numbers of characters around those of every scheme, without and with a scheme."""
    counts = sorted({n + d for n in (0, 13, 26, 52, 103) for d in (-1, 0, 1) if n + d >= 0} | {8, 16, 32, 64, 128, 206})
    for prefix in ("", *(f"{name}:" for name in get_schemes())):
        for count in counts if len(prefix) < 6 else (26, 51, 52, 53, 64, 102, 103, 104):
            yield _decode(
                f"length-{prefix.rstrip(':') or 'bare'}-{count:03}", ("SD-TEXT-3", "SD-TEXT-5"), f"{count} digits",
                prefix + "a" * count, "boundary",
            )  # fmt: skip


def values() -> Iterator[Draft]:
    """Values of every scheme with all digits, and each single bit of the first and last byte of every lane."""
    for known in get_schemes().values():
        size = known.bits // 8
        listed = {f"mixed-{n}": bytes((n * 97 + 31 * i * i + 7 * i) % 256 for i in range(size)) for n in range(6)}
        listed |= {
            f"byte-{n:02}": bytes(255 * (i == n) for i in range(size)) for n in range(0, size, max(1, size // 8))
        }
        for slug, data in listed.items():
            fingerprint = Fingerprint.from_bytes(data, known.id)
            yield draft(
                f"encode/value-{known.id}-{slug}", "encode", ("SD-TEXT-1", "SD-TEXT-2", "SD-WIDE-3"), "bytes to text",
                hex=data.hex(), scheme=known.id, canonical=True,
            )  # fmt: skip
            yield _decode(f"value-{known.id}-{slug}", ("SD-TEXT-1", "SD-TEXT-5"), "text to bytes", str(fingerprint))


def named_schemes() -> Iterator[Draft]:
    """Names that are not short ids, wherever a caller names a scheme, and errors that they precede."""
    for number, name in enumerate(
        ("sd32", "sd65", "SD64", "sd64+custom", "simhash-doc-64", "", " sd64", "sd064", "sd1024", "sd")
    ):
        members: dict[str, dict[str, Any]] = {"text": {"text": "one two"}, "no-token": {"text": "12"}}
        for slug, given in members.items():
            for op in ("fingerprint", "buckets"):
                yield draft(
                    f"{op}/name-{number}-{slug}", op, ("SD-TEXT-7", "SD-WIDE-1"),
                    f"the scheme is named {name!a}, and the text has {'tokens' if slug == 'text' else 'no token'}",
                    "negative", scheme=name, **given,
                )  # fmt: skip
        for slug, data in {"good": "880881b875821e62", "short": "00", "none": ""}.items():
            yield draft(
                f"encode/name-{number}-{slug}", "encode", ("SD-TEXT-7", "SD-TEXT-8"),
                f"the scheme is named {name!a}; {len(data) // 2} bytes", "negative", hex=data, scheme=name, canonical=slug != "good",
            )  # fmt: skip
        yield draft(
            f"hash/name-{number}", "hash_tokens", ("SD-TEXT-7", "SD-WIDE-1"), f"the scheme is named {name!a}", "negative",
            tokens=["one"], scheme=name,
        )  # fmt: skip
    for scheme in get_schemes():
        yield draft(
            f"fingerprint/none-{scheme}",
            "fingerprint",
            "SD-SUM-2",
            "no token",
            "negative",
            text="12 _ \u0301",
            scheme=scheme,
        )
        yield draft(
            f"buckets/none-{scheme}", "buckets", "SD-SUM-2", "no token", "negative", text="12 _ \u0301", scheme=scheme
        )


ERRORS = ("unknown", "padding", "character", "length", "spare", "good", "wide")


def several() -> Iterator[Draft]:
    """Two text forms, each with every kind of error: the first one's error is reported."""
    kinds = {
        "unknown": "sd65:1=", "padding": f"sd64:1{GOOD}=", "character": "sd64:1", "length": f"sd64:{GOOD[:-2]}f", "spare": f"sd64:{GOOD[:-1]}f",
        "bare-spare": f"{GOOD[:-1]}f", "good": f"sd64:{GOOD}", "wide": f"sd128:{WIDE}", "wide-spare": f"sd128:{WIDE[:-1]}f", "custom": f"sd64+custom:{GOOD}",
    }  # fmt: skip
    for (first, a), (second, b) in product(kinds.items(), repeat=2):
        yield draft(
            f"distance/both-{first}-{second}", "distance", ("SD-TEXT-9", "SD-DIST-2", "SD-TEXT-3"), f"{first}, then {second}", "negative",
            a=a, b=b,
        )  # fmt: skip
        if not {first, second} <= set(ERRORS):
            continue
        yield draft(
            f"query/both-{first}-{second}", "query", ("SD-TEXT-9", "SD-LOOK-4"), f"an entry: {first}; the query: {second}", "negative",
            entries=[["e", a]], queries=[b], distance=3,
        )  # fmt: skip
        if first != second:
            yield draft(
                f"pairs/both-{first}-{second}", "find_all", ("SD-TEXT-9", "SD-LOOK-4"), f"two entries: {first}, then {second}", "negative",
                entries=[["e", a], ["f", b]], distance=3,
            )  # fmt: skip


GENERATORS = (orders, prefixes, characters, sizes, values, named_schemes, several)
