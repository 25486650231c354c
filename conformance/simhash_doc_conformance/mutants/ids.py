"""Mutants of search that change ids, or tell them apart otherwise than by their characters, and of its shortcuts."""

from __future__ import annotations

import ast
import html
import ipaddress
import json
import re
import unicodedata
from base64 import b64decode
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial, reduce
from operator import add, itemgetter, mul, xor
from typing import Any
from urllib.parse import unquote

from simhash_doc.reference import hash_token
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.mutants import of_sizes, table
from simhash_doc_conformance.mutants.identity import MORE_HASHES, SHORT_HASHES
from simhash_doc_conformance.mutants.searching import Search, Selection
from simhash_doc_conformance.vectors.inputs import Entry


def _renamed(name: Callable[[str], str]) -> Callable[..., list[Entry]]:
    """Return the entries under other ids. Of entries with one id, the last one is left."""
    return lambda entries: list({name(key): text for key, text in entries}.items())


table("SD-LOOK-6", Search, searched={
    "index-ids-as-numbers": ("keeps ids that look like numbers as numbers",
        _renamed(lambda key: str(int(key)) if key.isascii() and key.isdecimal() else key)),
    "index-ids-one-case": ("treats ids that differ in case as the same", _renamed(lambda key: key.lower())),
    "index-ids-ascii": ("replaces characters of ids beyond ASCII",
        _renamed(lambda key: key.encode("ascii", "replace").decode())),
    "index-ids-normalized": ("normalizes ids", _renamed(lambda key: unicodedata.normalize("NFC", key))),
    "index-ids-stripped": ("strips white space from ids", _renamed(lambda key: key.strip())),
    "index-ids-cut-at-nul": ("cuts ids at U+0000 (strings of C)", _renamed(lambda key: key.partition("\0")[0])),
    **of_sizes("index-ids-first{}", "keeps the first {:,} characters of ids", lambda n: _renamed(itemgetter(slice(n))),
        32, 64, 255, 256, 1000, 1024, 4096, 65_535),
    "index-ids-new-lines": ("reads CR LF in ids as LF", _renamed(lambda key: key.replace("\r\n", "\n"))),
    "index-ids-lines": ("cuts ids at the end of a line", _renamed(lambda key: key.splitlines()[0] if key else key)),
    "index-ids-tab": ("cuts ids at a tab", _renamed(lambda key: key.partition("\t")[0])),
    "index-ids-comma": ("cuts ids at a comma", _renamed(lambda key: key.partition(",")[0])),
    "index-ids-colon": ("cuts ids at a colon", _renamed(lambda key: key.partition(":")[0])),
    "index-ids-quotes": ("removes quotation marks around ids", _renamed(lambda key: key.strip("\"'"))),
    "index-ids-backslashes": ("drops backslashes in ids", _renamed(lambda key: key.replace("\\", ""))),
    "index-ids-bom": ("drops U+FEFF at the start of ids", _renamed(lambda key: key.removeprefix("\ufeff"))),
    "index-ids-controls": ("drops control characters in ids",
        _renamed(lambda key: "".join(c for c in key if unicodedata.category(c) != "Cc"))),
    "index-ids-bmp-only": ("replaces characters of ids beyond U+FFFF",
        _renamed(lambda key: "".join(c if c <= "\uffff" else "\ufffd" for c in key))),
    "index-ids-doubles": ("keeps ids that look like numbers as doubles",
        _renamed(lambda key: str(int(float(key))) if key.isascii() and key.isdecimal() and len(key) < 300 else key)),
    "index-ids-exponents": ("reads ids such as 1e3 as numbers",
        _renamed(lambda key: f"{float(key):g}" if key.isascii() and key[:1].isdecimal() and key[-1].isdecimal()
                 and "e" in key else key)),
    "index-ids-paths": ("normalizes ids as paths", _renamed(lambda key: key.replace("//", "/").removeprefix("./"))),
    "index-ids-percent": ("decodes percent signs in ids", _renamed(unquote)),
    "index-ids-entities": ("decodes HTML entities in ids", _renamed(html.unescape)),
})  # fmt: skip


table("SD-LOOK-6", Selection, searched={
    "index-ids-empty-left-out": ("leaves out empty ids", lambda entries: [entry for entry in entries if entry[0]]),
    "index-ids-inherited": ("keeps entries in a JavaScript object, which loses the id __proto__",
        lambda entries: [entry for entry in entries if entry[0] != "__proto__"]),
    "index-ids-null": ("leaves out entries whose id reads as missing: null, NaN, None, undefined",
        lambda entries: [e for e in entries if e[0] not in ("null", "NaN", "None", "undefined", "NULL")]),
    "index-ids-false": ("leaves out entries whose id is 0 or false",
        lambda entries: [entry for entry in entries if entry[0] not in ("0", "false", "False")]),
    "index-ids-comments": ("leaves out entries whose id begins with # or --",
        lambda entries: [entry for entry in entries if not entry[0].startswith(("#", "--"))]),
})  # fmt: skip


def _same(key: Callable[[str], Any]) -> Callable[..., list[Entry]]:
    """Return the entries, of which the last one replaces others whose id has the same key."""
    return lambda entries: list({key(name): (name, text) for name, text in entries}.values())


def _of_bytes(value: Callable[[bytes], int], name: str) -> int:
    return value(name.encode())


def _integer(name: str) -> Any:
    """Return the integer of a literal as in a program; the id itself if it is none."""
    with suppress(ValueError):
        return int(name, 0)
    return name


def _float(name: str) -> Any:
    with suppress(ValueError):
        return float(name)
    return name


table("SD-LOOK-6", Search, searched={
    "ids-escaped": ("escapes ids for HTML", _renamed(html.escape)),
    "ids-escaped-json": ("escapes ids for JSON", _renamed(lambda key: json.dumps(key)[1:-1])),
    "ids-escaped-percent": ("escapes spaces and percent signs in ids",
        _renamed(lambda key: key.replace("%", "%25").replace(" ", "%20"))),
    "ids-quotes-doubled": ("doubles quotation marks in ids", _renamed(lambda key: key.replace("\"", "\"\""))),
    "ids-slashes": ("writes slashes for backslashes in ids", _renamed(lambda key: key.replace("\\", "/"))),
    "ids-spaces": ("joins white space in ids", _renamed(lambda key: " ".join(key.split()) if key.split() else key)),
    "ids-hash-sign": ("cuts ids at a number sign", _renamed(lambda key: key.partition("#")[0])),
    "ids-semicolon": ("cuts ids at a semicolon", _renamed(lambda key: key.partition(";")[0])),
    "ids-ignorable": ("removes format characters from ids",
        _renamed(lambda key: "".join(c for c in key if unicodedata.category(c) != "Cf"))),
    "ids-unassigned": ("replaces unassigned and private characters in ids",
        _renamed(lambda key: "".join("\ufffd" if unicodedata.category(c) in ("Cn", "Co") else c for c in key))),
    "ids-integers": ("tells ids apart as integers, so that 0x10 is 16", _same(_integer)),
    "ids-numbers": ("tells ids apart as numbers, so that 1.0 is 1", _same(_float)),
    "ids-case-folded": ("tells ids apart without case", _same(str.casefold)),
    "ids-lower": ("tells ids apart in lower case", _same(str.lower)),
    "ids-upper": ("tells ids apart in capital letters", _same(str.upper)),
    "ids-nfc": ("tells ids apart by their NFC", _same(lambda name: unicodedata.normalize("NFC", name))),
    "ids-nfkc": ("tells ids apart by their NFKC", _same(lambda name: unicodedata.normalize("NFKC", name))),
    "ids-unescaped": ("tells ids apart by what their HTML entities stand for", _same(html.unescape)),
    "ids-unquoted": ("tells ids apart by what their percent signs stand for", _same(unquote)),
    "ids-trimmed": ("tells ids apart without the white space around them", _same(str.strip)),
    "ids-folded": ("tells ids apart as folded text", lambda right, entries: _same(right.fold)(entries)),
    "ids-hash": ("tells ids apart by their XXH64", _same(hash_token)),
    **{f"ids-by-{name}": (f"tells ids apart by {title}", _same(partial(_of_bytes, value)))
       for name, (title, value) in {**SHORT_HASHES, **MORE_HASHES}.items()},
})  # fmt: skip


def _joined_by(sign: str) -> Callable[..., str]:
    return lambda a, b: sign.join(sorted((a, b)))


def _of_numbers(operation: Callable[[int, int], int]) -> Callable[..., object]:
    """Return the key of a pair by the numbers that its ids are; the pair itself if they are none."""
    return lambda a, b: operation(int(a), int(b)) if a.isdecimal() and b.isdecimal() else frozenset((a, b))


def _of_hashes(operation: Callable[[int, int], int], factor: int = 31) -> Callable[..., object]:
    """Return the key of a pair by a polynomial hash of its ids."""

    def hashed(name: str) -> int:
        return reduce(lambda value, byte: value * factor + byte, name.encode(), 0) % 2**32

    return lambda a, b: operation(hashed(a), hashed(b))


class _Pairs(Implementation):
    """Keeps pairs under a key. Of pairs with one key, the last one is left."""

    pairs_by: Callable[..., object]

    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        return [*{self.pairs_by(a, b): (a, b) for a, b in super().find_all(entries, distance)}.values()]


# What may stand between two ids that make one key.
SIGNS = {
    **{f"{ord(c):02x}": c for c in "\0\t\n\r\x1c\x1d\x1e\x1f !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\x7f"},
    **{f"{ord(c):02x}-twice": 2 * c for c in "-/|:_=~#&.+*@ ;$^%"},
    **{f"{ord(c):02x}-spaced": f" {c} " for c in "-|/:;=&+~"},
    "none": "", "comma-space": ", ", "semicolon-space": "; ", "arrow": "->", "arrow-wide": " -> ", "braces": "}{",
    "brackets": "](", "angles": "><", "crlf": "\r\n", "a0": "\u00a0", "2028": "\u2028",
    "feff": "\ufeff", "fffd": "\ufffd", "ffff": "\uffff", "e000": "\ue000", "200b": "\u200b", "2192": "\u2192",
    "b7": "\u00b7", "and": " and ", "zero": "0", "one": "1", "x": "x",
}  # fmt: skip
_PAIRS_BY = "keeps pairs by"
table("SD-LOOK-3", _Pairs, pairs_by={
    **{f"pairs-joined-{slug}": (f"{_PAIRS_BY} their ids with {sign!r} between", _joined_by(sign)) for slug,
    sign in SIGNS.items()},
    "pairs-sum": (f"{_PAIRS_BY} the sum of the hashes of their ids", _of_hashes(add)),
    "pairs-xor": (f"{_PAIRS_BY} the exclusive or of the hashes of their ids", _of_hashes(xor)),
    "pairs-31": (f"{_PAIRS_BY} 31 times one hash and the other", _of_hashes(lambda a, b: (31 * a + b) % 2**32)),
    "pairs-33": (f"{_PAIRS_BY} 33 times one hash and the other", _of_hashes(lambda a, b: (33 * a + b) % 2**32, 33)),
    "pairs-numbers-sum": (f"{_PAIRS_BY} the sum of ids that are numbers", _of_numbers(add)),
    "pairs-numbers-xor": (f"{_PAIRS_BY} the exclusive or of ids that are numbers", _of_numbers(xor)),
    "pairs-numbers-product": (f"{_PAIRS_BY} the product of ids that are numbers", _of_numbers(mul)),
    **of_sizes("pairs-numbers-times{}", _PAIRS_BY + " {:,} times one id that is a number, and the other",
        lambda factor: _of_numbers(lambda a, b: factor * a + b), 10, 256, 1000, 65_536),
    "pairs-letters": (f"{_PAIRS_BY} the letters of both ids", lambda a, b: "".join(sorted(a + b))),
    "pairs-lengths": (f"{_PAIRS_BY} the lengths of their ids", lambda a, b: (len(a), len(b))),
    "pairs-firsts": (f"{_PAIRS_BY} the first characters of their ids", lambda a, b: frozenset((a[:1], b[:1]))),
    "pairs-lasts": (f"{_PAIRS_BY} the last characters of their ids", lambda a, b: frozenset((a[-1:], b[-1:]))),
    "pairs-lower": (f"{_PAIRS_BY} their ids in lower case", lambda a, b: frozenset((a.lower(), b.lower()))),
    "pairs-trimmed": (f"{_PAIRS_BY} their ids without spaces around them", lambda a,
    b: frozenset((a.strip(), b.strip()))),
    "pairs-unquoted": (f"{_PAIRS_BY} their ids without quotation marks, joined", lambda a,
    b: (a + b).replace("\"", "")),
    "pairs-first-id": (f"{_PAIRS_BY} their first id", lambda a, b: min(a, b)),
    "pairs-last-id": (f"{_PAIRS_BY} their second id", lambda a, b: max(a, b)),
})  # fmt: skip


def _as_date(pattern: str, written: str) -> Callable[[str], str]:
    """Return the id that a date in one form becomes in another."""

    def name(key: str) -> str:
        with suppress(ValueError):
            return datetime.strptime(key, pattern).replace(tzinfo=UTC).strftime(written)
        return key

    return name


def _matching(pattern: str, change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda key: change(key) if re.fullmatch(pattern, key) else key


def _tried(change: Callable[[str], object]) -> Callable[[str], str]:
    """Return the id that a conversion gives; the same one if it fails."""

    def name(key: str) -> str:
        with suppress(Exception):  # of any library
            return str(change(key))
        return key

    return name


def _literal(key: str) -> str:
    found = ast.literal_eval(key)
    return found.decode() if isinstance(found, bytes) else str(found)


_UUID = "[{]?[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}[}]?"
_NOTHING = (
    "null",
    "Null",
    "NULL",
    "none",
    "None",
    "nil",
    "undefined",
    "~",
    "n/a",
    "N/A",
    "NA",
    "#N/A",
    "NaN",
    "nan",
    "<NA>",
    "NaT",
    "\\N",
    "(null)",
    "missing",
)
table("SD-LOOK-6", Search, searched={f"typed-{name}": (mistake, _renamed(change)) for name, (mistake, change) in {
    "dates": ("writes a time after ids that are dates", _as_date("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S")),
    "dates-space": ("writes a time and a space after ids that are dates", _as_date("%Y-%m-%d", "%Y-%m-%d %H:%M:%S")),
    "dates-german": ("rewrites dates such as 31.01.2024", _as_date("%d.%m.%Y", "%Y-%m-%d")),
    "dates-slashes": ("rewrites dates such as 2024/01/31", _as_date("%Y/%m/%d", "%Y-%m-%d")),
    "dates-dots": ("rewrites dates such as 2024.01.31", _as_date("%Y.%m.%d", "%Y-%m-%d")),
    "dates-american": ("rewrites dates such as 01/31/2024", _as_date("%m/%d/%Y", "%Y-%m-%d")),
    "dates-plain": ("rewrites dates such as 20240131", _as_date("%Y%m%d", "%Y-%m-%d")),
    "dates-names": ("rewrites dates such as 1-Mar", _as_date("%d-%b", "%m-%d")),
    "times-t": ("writes T for the space of a time",
    _matching(r"[\d-]{10} [\d:]{8}", lambda key: key.replace(" ", "T"))),
    "times-space": ("writes a space for the T of a time",
    _matching(r"[\d-]{10}T[\d:]{8}", lambda key: key.replace("T", " "))),
    "times-utc": ("writes +00:00 for Z", _matching(r"[\d-]{10}T[\d:.]+Z", lambda key: key.replace("Z", "+00:00"))),
    "times-milliseconds": ("drops milliseconds of 0",
    _matching(r"[\d-]{10}T[\d:]+\.000Z", lambda key: key.replace(".000", ""))),
    "times-base-sixty": ("reads 12:30 as a number of base sixty (YAML 1.1)",
        _matching(r"\d+:[0-5]\d", lambda key: str(60 * int(key.partition(":")[0]) + int(key.partition(":")[2])))),
    "uuids-lower": ("writes UUIDs in lower case", _matching(_UUID, str.lower)),
    "uuids-plain": ("writes UUIDs without hyphens", _matching(_UUID, lambda key: key.replace("-", ""))),
    "uuids-braces": ("drops the braces of UUIDs", _matching(_UUID, lambda key: key.strip("{}"))),
    "uuids-hyphens": ("writes UUIDs with hyphens",
    _matching("[0-9a-f]{32}", lambda key: f"{key[:8]}-{key[8:12]}-{key[12:16]}-{key[16:20]}-{key[20:]}")),
    "hexadecimal-lower": ("writes hexadecimal ids in lower case", _matching("[0-9A-F]{24}", str.lower)),
    "literals": ("reads ids as literals of Python", _tried(_literal)),
    "json": ("reads ids as JSON", _tried(json.loads)),
    "bytes": ("drops b'' around ids", _matching("b'.*'", lambda key: key[2:-1])),
    "unicode": ("drops u'' around ids", _matching("u'.*'", lambda key: key[2:-1])),
    "blobs": ("decodes X'...' of SQL",
    _matching("[xX]'(?:[0-9a-fA-F]{2})*'", lambda key: bytes.fromhex(key[2:-1]).decode())),
    "backticks": ("drops backticks around ids", _matching("`.*`", lambda key: key[1:-1])),
    "dollars": ("drops $$ around ids", _matching(r"\$\$.*\$\$", lambda key: key[2:-2])),
    "base64": ("decodes ids that are base64", _matching("[A-Za-z0-9+/]+==", lambda key: b64decode(key).decode())),
    "tags": ("drops tags of YAML", _matching("!!?[a-z]* ?.*", lambda key: key.split()[-1])),
    "lists": ("reads ids in brackets as lists", _matching(r"\[.*\]|\(.*\)", lambda key: key[1:-1])),
    "options": ("reads Some(x) as x", _matching(r"Some\(.*\)", lambda key: key[5:-1])),
    "comments": ("cuts ids at a space and #", lambda key: key.partition(" #")[0]),
    "mappings": ("reads `key: x` as x", _matching(r"key: .*", lambda key: key[5:])),
    "formulas": ("drops = at the start of ids", lambda key: key.removeprefix("=")),
    "formulas-quoted": ("writes ' before ids that a table would compute",
    _matching(r"[=+@-].+", lambda key: f"'{key}")),
    "nothing": ("reads ids that mean nothing as empty", lambda key: "" if key in _NOTHING else key),
    "booleans": ("writes true and false for other names of them",
        lambda key: {"true": "true", "yes": "true", "on": "true", "false": "false", "no": "false",
        "off": "false"}.get(key.lower(), key)),
    "booleans-python": ("writes True and False with a capital letter",
    lambda key: {"true": "True", "false": "False"}.get(key, key)),
    "booleans-numbers": ("writes 1 and 0 for true and false",
    lambda key: {"true": "1", "false": "0"}.get(key.lower(), key)),
    "booleans-letters": ("writes true and false for t and f",
    lambda key: {"t": "true", "f": "false", "y": "true", "n": "false"}.get(key, key)),
    "floats": ("writes ids that are numbers as floating-point numbers",
    _matching(r"-?\d+", lambda key: str(float(key)))),
    "floats-short": ("writes 7 for 7.0", _matching(r"-?\d+\.0", lambda key: key[:-2])),
    "floats-read": ("reads ids with a point as floating-point numbers",
    _matching(r"[\d.]*\.[\d.]*", lambda key: _tried(float)(key))),
    "exponents": ("reads ids with an exponent as numbers", _matching(r"\d+[eE][+-]?\d+", lambda key: str(float(key)))),
    "exponents-capital": ("writes e for E", _matching(r"\d+E[+-]?\d+", str.lower)),
    "underscores": ("drops underscores in numbers", _matching(r"\d[\d_]*", lambda key: key.replace("_", ""))),
    "thousands": ("drops commas in numbers", _matching(r"\d{1,3}(?:,\d{3})+", lambda key: key.replace(",", ""))),
    "thousands-spaces": ("drops spaces in numbers", _matching(r"\d{1,3}(?: \d{3})+", lambda key: key.replace(" ", ""))),
    "zeros": ("drops zeros at the start of numbers", _matching(r"0+\d", lambda key: str(int(key)))),
    "signs": ("drops + before numbers", _matching(r"\+\d+", lambda key: key[1:])),
    "signs-zero": ("writes 0 for -0", _matching(r"-0(?:\.0)?", lambda key: key[1:])),
    "bases": ("reads 0x, 0o and 0b", _matching(r"0[xXob][0-9a-f]+", lambda key: str(int(key, 0)))),
    "octal": ("reads a number with 0 at its start as octal", _matching(r"0[0-7]+", lambda key: str(int(key, 8)))),
    "suffixes": ("drops a letter for the type of a number", _matching(r"\d+[nLfu]", lambda key: key[:-1])),
    "format-percent": ("reads %% as %", lambda key: key.replace("%%", "%")),
    "format-values": ("drops %s, %d and %(x)s", lambda key: re.sub(r"%(?:\([a-z]+\))?[sd]", "", key)),
    "format-braces": ("reads {{ as {", lambda key: key.replace("{{", "{").replace("}}", "}")),
    "format-fields": ("drops {} and {0}", lambda key: re.sub(r"(?<!{){[a-z0-9]*}", "", key)),
    "format-references": ("drops $1 and \\1", lambda key: re.sub(r"[$\\][0-9]", "", key)),
    "format-variables": ("drops ${x} and $x", lambda key: re.sub(r"\$(?:[a-z]+|{[a-z]+})", "", key)),
    "format-lines": ("reads \\n and \\t as characters", lambda key: key.replace("\\n", "\n").replace("\\t", "\t")),
    "format-hexadecimal": ("reads \\x41 and \\u0041 as A",
        lambda key: re.sub(r"\\(?:x|u00)([0-9a-f]{2})", lambda found: chr(int(found[1], 16)), key)),
    "format-parameters": ("drops ? and :x", lambda key: re.sub(r"\?|:[a-z]+", "", key)),
    "format-wildcards": ("reads * and _ of LIKE", lambda key: key.replace("*", "%").replace("_", "?")),
    "format-home": ("reads ~ as a home", lambda key: re.sub("^~", "/root", key)),
    "percent": ("reads 50% as 0.5", _matching(r"\d+%", lambda key: str(int(key[:-1]) / 100))),
    "money": ("drops signs of currencies", _matching("[$\u20ac]\\d+|\\d+[$]", lambda key: key.strip("$\u20ac"))),
    "negative": ("reads (7) as -7", _matching(r"\(\d+\)", lambda key: f"-{key[1:-1]}")),
    "infinity": ("writes inf for Infinity", lambda key: {"Infinity": "inf", "-inf": "-Infinity"}.get(key, key)),
    "decimal-digits": ("writes decimal digits of other scripts in ASCII",
    lambda key: "".join(str(unicodedata.decimal(c, c)) for c in key)),
    "long": ("rounds numbers to doubles", _matching(r"\d{16,}", lambda key: str(int(float(key))))),
    "saturated": ("limits numbers to 64 bits with a sign",
    _matching(r"\d{16,}", lambda key: str(min(int(key), 2**63 - 1)))),
    "addresses": ("shortens addresses of IPv6", _tried(lambda key: ipaddress.IPv6Address(key))),
    "addresses-zeros": ("drops zeros in addresses of IPv4",
    _matching(r"(?:\d+\.){3}\d+", lambda key: ".".join(str(int(part)) for part in key.split(".")))),
    "hardware": ("writes hardware addresses in lower case", _matching("(?:[0-9A-F]{2}:){5}[0-9A-F]{2}", str.lower)),
    "hardware-colons": ("writes colons in hardware addresses",
    _matching("(?:[0-9a-f]{2}-){5}[0-9a-f]{2}", lambda key: key.replace("-", ":"))),
    "urls-host": ("writes hosts of URLs in lower case", _matching("http://A.*", str.lower)),
    "urls-slash": ("drops / at the end of URLs", _matching("https?://.*/", lambda key: key[:-1])),
    "urls-port": ("drops the port 80 of URLs", lambda key: key.replace(":80/", "/")),
    "urls-scheme": ("writes http for https", lambda key: key.replace("https:", "http:")),
    "urls-fragment": ("cuts URLs at #", _matching("http.*#.*", lambda key: key.partition("#")[0])),
    "mail-lower": ("writes mail addresses in lower case", _matching("[A-Za-z]+@[A-Z.a-z]+", str.lower)),
    "mail-scheme": ("drops mailto:", lambda key: key.removeprefix("mailto:")),
    "hosts-lower": ("writes hosts in lower case", _matching(r"[A-Z]+\.[A-Z]+", str.lower)),
    "hosts-dot": ("drops the full stop at the end of hosts", _matching(r"[a-z.]+\.", lambda key: key[:-1])),
    "hosts-unicode": ("reads Punycode", _matching(r"xn--.*", lambda key: key.encode().decode("idna"))),
    "paths-drive": ("writes drives in lower case", _matching(r"[A-Z]:\\.*", lambda key: key[0].lower() + key[1:])),
    "paths-end": ("drops / at the end of paths", _matching(r"/.+/|\w+/", lambda key: key[:-1])),
    "paths-scheme": ("drops file://", lambda key: key.removeprefix("file://")),
    "identifiers": ("writes digital object identifiers in lower case", _matching("doi:.*", str.lower)),
    "phones": ("drops spaces in telephone numbers", _matching(r"\+[\d ]+", lambda key: key.replace(" ", ""))),
    "books": ("drops hyphens in ISBNs", _matching(r"[\d-]{17}", lambda key: key.replace("-", ""))),
}.items()})  # fmt: skip


table("SD-LOOK-4", check_search={
    "search-empty-unchecked": ("checks no queries if there are no entries",
        lambda step, entries, queries: step(entries, queries) if entries else None),
}, search={
    "search-no-queries-unchecked": ("checks no entries if there are no queries",
        lambda step, entries, queries, distance: step(entries, queries, distance) if queries else []),
    "search-far-unchecked": ("takes all entries, unread, for a distance of at least 64 bits",
        lambda step, entries, queries, distance: step(entries, queries, distance) if distance < 64
        else [[key for key, _ in entries] for _ in queries]),
    "search-zero-unchecked": ("compares text forms as they stand for distance 0",
        lambda step, entries, queries, distance: step(entries, queries, distance) if distance
        else [[key for key, text in entries if text == wanted] for wanted in queries]),
}, all_pairs={
    "pairs-far-unchecked": ("takes all pairs, unread, for a distance of at least 64 bits",
        lambda step, entries, distance: step(entries, distance) if distance < 64
        else [(a[0], b[0]) for at, a in enumerate(entries) for b in entries[at + 1 :]]),
    "pairs-one-unchecked": ("does not check a single entry",
        lambda step, entries, distance: step(entries, distance) if len(entries) > 1 else []),
})  # fmt: skip


def _lane_radius(radius: int) -> Callable[..., bool]:
    """Return whether some lane of an entry is within a radius of the lane of the query."""

    def is_answer(right: Implementation, text: str, wanted: str, distance: int) -> bool:
        a, b = right.parse(text), right.parse(wanted)
        difference = a.value ^ b.value
        lanes = [difference >> 64 * lane & 2**64 - 1 for lane in range(b.scheme.lanes)]
        return b.scheme.lanes == 1 or min(map(int.bit_count, lanes)) <= radius

    return is_answer


table("SD-LOOK-1", Search, is_answer={
    **of_sizes("index-lane-radius{}", "looks for wide fingerprints by lanes within {} bits, whatever the distance",
        _lane_radius, 1, 2, 3, 4, 5, 6, 7, 8),
})  # fmt: skip

table("SD-NARROW-1", narrow={
    "narrow-same-unread": ("returns a text form unread if it names the scheme already",
        lambda step, text, scheme: text if text.startswith(f"{scheme}:") else step(text, scheme)),
    "narrow-same-unchanged": ("returns a valid text form of the same scheme as it is written",
        lambda right, text, scheme: text if right.narrow(text, scheme) and right.parse(text).scheme.id == scheme
        else right.narrow(text, scheme)),
})  # fmt: skip

table("SD-TEXT-9", compare={
    "distance-equal-unread": ("gives 0 as the distance of equal texts without reading them",
        lambda step, a, b: step(a, b) if a != b else {"distance": 0, "similarity": 1.0}),
})  # fmt: skip

table("SD-WIDE-1", buckets={
    "buckets-empty-first": ("reports an empty text before it looks at the scheme",
        lambda right, given, scheme_id="sd64": right.buckets(given, scheme_id) if given else right.no_token(1)),
}, token_hashes={
    "hashes-empty-first": ("gives no hashes for no tokens before it looks at the scheme",
        lambda step, tokens, scheme: step(tokens, scheme) if tokens else []),
})  # fmt: skip
