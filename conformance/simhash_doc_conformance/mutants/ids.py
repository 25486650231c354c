"""Mutants of search that change ids, or tell them apart otherwise than by their characters, and of its shortcuts."""

from __future__ import annotations

import html
import json
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from operator import itemgetter
from typing import Any
from urllib.parse import unquote

from simhash_doc.reference import hash_token
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.mutants import of_sizes, table
from simhash_doc_conformance.mutants.identity import SHORT_HASHES
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
       for name, (title, value) in SHORT_HASHES.items()},
})  # fmt: skip


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
