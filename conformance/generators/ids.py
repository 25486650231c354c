"""Section 13: pairs that joined ids would not tell apart, and ids that look like values of a type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from generators.case_builder import Draft, draft
from generators.collisions import MORE_SAME_HASH
from generators.index_cases import mixed, pairs, query, text_form
from simhash_doc_conformance.mutants.ids import SIGNS

# Pairs of ids whose numbers or hashes give the same sum, exclusive or, product or weighted sum.
MIXED = {
    "sum": (("a", "d"), ("b", "c")), "xor": (("a", "b"), ("d", "g")), "31": (("a", "dA"), ("b", "cA")),
    "31-2": (("Aa", "Aa "), ("BB", "BB ")),
    "numbers-sum": (("1", "4"), ("2", "3")), "numbers-xor": (("1", "2"), ("4", "7")),
    "numbers-product": (("1", "6"), ("2", "3")),
    "numbers-joined": (("1", "12"), ("11", "2")), "numbers-1000": (("0", "1002"), ("1", "2")),
    "numbers-65536": (("0", "65538"), ("1", "2")), "numbers-256": (("0", "258"), ("1", "2")),
    "lengths": (("ab", "abc"), ("de", "def")), "first": (("ax", "bx"), ("ay", "by")),
    "last": (("xa", "xb"), ("ya", "yb")), "case": (("a", "b"), ("A", "B")),
    "sorted": (("a", "bc"), ("ab", "c")), "crossed": (("a", "b"), ("c", "d")),
    "swapped": (("ab", "cd"), ("cd ", "ab ")), "equal-halves": (("aa", "aa "), ("a", "aaa ")),
    "numbers-10": (("1", "13"), ("2", "3")), "hash-33": (("b", "eA"), ("c", "dB")),
    "quoted": (("a\"", "b"), ("a", "\"b")), "empty": (("", "ab"), ("a", "b")),
}  # fmt: skip


_TOGETHER = 8  # separators in one case


def _pair_of_pairs(number: int, first: tuple[str, str], second: tuple[str, str]) -> dict[str, str]:
    """Return entries whose near pairs are these two, far from those of another number."""
    one, other = mixed(2 * number + 3), mixed(2 * number + 4)
    return {
        first[0]: text_form(one),
        first[1]: text_form(one ^ 1),
        second[0]: text_form(other),
        second[1]: text_form(other ^ 2),
    }


def joined() -> Iterator[Draft]:
    required = ("SD-LOOK-3", "SD-LOOK-6")
    signs = [*SIGNS.items()]
    for start in range(0, len(signs), _TOGETHER):
        entries: dict[str, str] = {}
        for number, (slug, sign) in enumerate(signs[start : start + _TOGETHER]):
            p, q, r = (f"{letter}{slug}" for letter in "pqr")
            entries |= _pair_of_pairs(number, (p, f"{q}{sign}{r}"), (f"{p}{sign}{q}", r))
        names = ", ".join(slug for slug, _ in signs[start : start + _TOGETHER])
        comment = f"pairs whose ids are the same with a sign between them: {names}"
        yield pairs(f"joined-{start // _TOGETHER}", comment, [*entries.items()], 3, "boundary", requirements=required)
    for slug, (first, second) in MIXED.items():
        comment = f"pairs of ids that one number or order would not tell apart: {slug}"
        listed = [*_pair_of_pairs(0, first, second).items()]
        yield pairs(f"joined-{slug}", comment, listed, 3, "boundary", requirements=required)
    entries = {name: text_form(mixed(5) ^ n) for n, name in enumerate(("p", "q,r", "p,q", "r", "r,p", "q"))}
    yield pairs("joined-all", "six ids, each near each", [*entries.items()], 3, "boundary", requirements=required)


# Ids as programs print or read values of a type, by type.
TYPED = {
    "dates": ("2024-01-31", "2024-1-31", "20240131", "31.01.2024", "2024/01/31", "2024.01.31", "01/31/2024", "1/31/24", "2024-02-30", "2024-W05-3",
    "2024-031", "Jan 31, 2024", "31 Jan 2024", "2024-01", "2024",
              "2024-01-31T12:00:00", "2024-01-31T12:00:00Z", "2024-01-31 12:00:00", "2024-01-31T12:00:00.000Z",
              "2024-01-31T12:00:00+00:00", "2024-01-31T12:00", "1706659200", "1706659200000",
              "12:30", "12:30:00", "1:30", "01:30:00", "P1D", "PT1H30M", "1d", "0000-00-00",
              "Wed, 31 Jan 2024 12:00:00 GMT", "24-01-31", "SEPT1", "MARCH1", "1-Mar", "3-4", "2-1"),
    "uuids": ("123E4567-E89B-12D3-A456-426614174000", "123e4567-e89b-12d3-a456-426614174000",
    "{123e4567-e89b-12d3-a456-426614174000}", "123e4567e89b12d3a456426614174000",
              "urn:uuid:123e4567-e89b-12d3-a456-426614174000", "UUID('123e4567-e89b-12d3-a456-426614174000')",
              "507f1f77bcf86cd799439011", "507F1F77BCF86CD799439011", "ObjectId(\"507f1f77bcf86cd799439011\")",
              "01ARZ3NDEKTSV4RRFFQ69G5FAV", "01arz3ndektsv4rrffq69g5fav"),
    "numbers": ("0", "00", "007", "010", "7", "-7", "+7", "7.", "7.0", ".7", "0.7", "7e0", "7E0", "7e+0", "1e400", "1_000",
    "1000", "1,000", "1 000", "1.000", "0x7", "0X7", "0o7", "0b111", "07", "7n", "7L", "7f",
                "7u", "1/2", "50%", "0.5", "$7", "7$", "\u20ac7", "(7)", "inf", "Infinity", "-inf", "nan", "NaN", "-0",
                "0.0", "-0.0", "7j", "(7+0j)", "Decimal('7')", "9223372036854775807", "9223372036854775808",
                "18446744073709551616", "1e3", "1E3", "1000.0", "0.1", "0.10", "1e-7", "0.0000001",
                "123456789012345678", "123456789012345680", "\u00b2", "\u0667", "VII", "\u2166"),
    "booleans": ("true", "True", "TRUE", "false", "False", "FALSE", "yes", "Yes", "no", "No", "NO", "on", "On", "off",
    "y", "n", "t", "f", "T", "F", "null", "Null", "NULL", "none", "None", "nil", "undefined",
                 "~", "", "n/a", "N/A", "NA", "#N/A", "-", "missing", "void", "unset", "()", "<NA>", "NaT", "\\N",
                 "(null)", "[object Object]", "#REF!", "DEFAULT"),
    "bytes": ("b'x'", "b\"x\"", "x", "u'x'", "r'x'", "'x'", "\"x\"", "`x`", "x'78'", "X'78'", "\\x78", "\\u0078",
    "0x78", "%78", "=78", "eA==", "E'x'", "N'x'", "$$x$$", "_x", "x:", ":x", "?x", "@x", "#x", "&x", "*x",
              "!x", "!!str x", "|", ">", "- x", "? x", "%x", "<<", "=", "---", "...", "x #", "x # y", "key: x", "{x}",
              "[x]", "(x,)", "{x: 1}", "[]", "{}", "['x']", "[\"x\"]", "(x)", "<x>", "${x}", "{{x}}", "Symbol(x)",
              "bytearray(b'x')", "<memory at x>", "str(x)", "Some(x)", "Some(\"x\")", "Just x", ":x=>1", "'x", "x'",
              "''x''", "\"\"x\"\"", "\\x", "x\\", "x;", "--x", "/*x*/", "x AS y", "=x", "+x", "=1+1", "@SUM(1)", "\tx",
              "x\t"),
    "formats": ("100%%", "100%", "%s", "%d", "%(x)s", "%5.2f", "%%s", "{}", "{0}", "{x}", "{{x}}", "{{}}", "$1", "$x", "${x}",
                "$$", "\\1", "\\0", "\\n", "\\t", "\\\\", "\\x41", "\\u0041", "A", "?", ":x", "@p1", "a_b", "a*b", "a?b",
                "[a-z]", "(a|b)", "^a", "a$", ".*", "~", "~x", "a\\/b"),
    "addresses": ("127.0.0.1", "127.000.000.001", "127.1", "2130706433", "0x7f000001", "::1", "0:0:0:0:0:0:0:1",
    "::0001", "[::1]", "FE80::1", "fe80::1", "::ffff:127.0.0.1", "10.0.0.0/8", "10.0.0.0/08",
                  "AA:BB:CC:DD:EE:FF", "aa:bb:cc:dd:ee:ff", "aa-bb-cc-dd-ee-ff", "http://A.example/",
                  "http://a.example/", "http://a.example", "http://a.example:80/", "http://a.example/%7Ex",
                  "http://a.example/~x",
                  "http://a.example/?b&a", "http://a.example/#x", "https://a.example/", "//a.example/", "a.example.",
                  "A.EXAMPLE", "xn--caf-dma.example", "caf\u00e9.example", "Ann@A.example", "ann@a.example",
                  "mailto:ann@a.example", "+49 30 1", "+49301", "C:\\x", "c:\\x", "C:/x", "file:///x", "/x/", "/x",
                  "~/x", "./x", "x/", "doi:10.1/X", "doi:10.1/x", "978-0-306-40615-7", "9780306406157"),
}  # fmt: skip


def typed() -> Iterator[Draft]:
    hashes = tuple(word for words in MORE_SAME_HASH.values() for word in words)
    for slug, listed in {**TYPED, "hashes": hashes}.items():
        entries = [(name, text_form(mixed(1))) for name in dict.fromkeys(listed)]
        comment = f"ids that look like values of a type: {slug}"
        yield query(
            f"ids-typed-{slug}",
            comment,
            entries,
            [text_form(mixed(1))],
            0,
            "boundary",
            requirements=("SD-LOOK-6", "SD-LOOK-2"),
        )
        half = len(entries) // 2
        near = [(name, text_form(mixed(n % half))) for n, (name, _) in enumerate(entries)]
        yield pairs(f"ids-typed-{slug}", comment, near, 0, "boundary", requirements=("SD-LOOK-6", "SD-LOOK-3"))
        steps: list[dict[str, Any]] = [
            {"insert": [list(entry) for entry in entries]},
            {"remove": [name for name, _ in entries[1::2]], "query": [text_form(mixed(1))]},
        ]  # fmt: skip
        required = ("SD-LOOK-1", "SD-LOOK-6")
        yield draft(
            f"update/ids-typed-{slug}", "update", required, comment, "boundary", steps=steps, distance=0, scheme="sd64"
        )
    for slug, name in {
        "date": "2024-01-31",
        "uuid": "123E4567-E89B-12D3-A456-426614174000",
        "bytes": "b'x'",
        "number": "1e3",
        "boolean": "True",
        "null": "NULL",
        "address": "::0001",
    }.items():
        comment = f"one id that looks like a value of a type: {slug}"
        yield query(
            f"ids-typed-one-{slug}",
            comment,
            [(name, text_form(0))],
            [text_form(0)],
            0,
            requirements=("SD-LOOK-6", "SD-LOOK-1"),
        )


GENERATORS = (joined, typed)
