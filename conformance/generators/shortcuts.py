"""Errors and answers that a shortcut of an operation passes by, ids, and updates of an index."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from generators.case_builder import Draft, draft
from generators.chosen_hashes import chosen
from generators.collisions import SAME_HASH
from generators.index_cases import mixed, numbered, pairs, query, text_form
from generators.link_neighbours import BESIDE
from simhash_doc.schemes import get_schemes

BAD = {
    "spare-bits": "sd64:raeidodvqipgf", "padding": "sd64:raeidodvqipg=", "bad-character": "sd64:raeidodvqipg1",
    "bad-length": "sd64:raeidodvqipg", "unknown-scheme": "sd63:raeidodvqipge", "other-scheme": text_form(mixed(3, 2), "sd128"),
}  # fmt: skip
EMPTY = {"": "no text", " ": "a space", "2024": "a number", "\ufeff": "a byte order mark", "http://a": "a link"}
GOOD = "sd64:raeidodvqipge"
FORMS = ("SD64:RAEIDODVQIPGE", "raeidodvqipge", "RAEIDODVQIPGE", "Sd64:Raeidodvqipge", "SD64+CUSTOM:RAEIDODVQIPGE", "sd64+Custom:raeidodvqipge")  # fmt: skip


def empty_inputs() -> Iterator[Draft]:
    """Empty inputs with names of schemes that are unknown: the scheme is checked first."""
    for number, (text, what) in enumerate(EMPTY.items()):
        for op, scheme in product(("fingerprint", "buckets"), ("sd63", "SD64", "", "sd64+custom")):
            slug, comment = f"shortcut/{op}-{number}-{scheme or 'none'}", f"{what}, in the scheme {scheme!r}"
            yield draft(slug, op, ("SD-WIDE-1", "SD-TEXT-7"), comment, "negative", text=text, scheme=scheme)
        for scheme in ("sd64", "sd128", "sd256", "sd512"):
            slug, comment = f"shortcut/buckets-{number}-{scheme}", f"{what}, in {scheme}"
            yield draft(slug, "buckets", "SD-SUM-2", comment, "negative", text=text, scheme=scheme)
    for scheme in ("sd63", "SD64", ""):
        more: dict[str, Any] = {"requirements": ("SD-WIDE-1", "SD-TEXT-7"), "scheme": scheme}
        yield draft(f"shortcut/hashes-{scheme or 'none'}", "hash_tokens", comment="no tokens", tokens=[], **more)
        yield draft(f"shortcut/encode-{scheme or 'none'}", "encode", comment="no bytes", hex="", canonical=True, **more)
        yield draft(f"shortcut/decode-{scheme or 'none'}", "decode", comment="no text", text="", **more)


def equal_forms() -> Iterator[Draft]:
    """Distances of a text with itself, and fingerprints narrowed to the scheme that they have."""
    for name, text in BAD.items():
        if name == "other-scheme":
            continue
        comment = f"a text form with itself: {name}"
        yield draft(f"shortcut/distance-{name}", "distance", "SD-TEXT-9", comment, "negative", a=text, b=text)
        comment = f"narrowed to its own scheme: {name}"
        yield draft(
            f"shortcut/narrow-{name}",
            "narrow",
            ("SD-NARROW-2", "SD-TEXT-5"),
            comment,
            "negative",
            text=text,
            scheme="sd64",
        )
    for slug, text in {"dotted-i": "sd64:rae\u0130dodvqipge", "dotless-i": "sd64:rae\u0131dodvqipge", "nul": "sd64:raei\0dodvqipge",
                       "nul-first": "\0sd64:raeidodvqipge", "nul-in-name": "sd\x0064:raeidodvqipge"}.items():  # fmt: skip
        comment = f"a character that some steps read as another, or drop: {slug}"
        yield draft(f"shortcut/decode-{slug}", "decode", ("SD-TEXT-3", "SD-TEXT-5"), comment, "negative", text=text)
    yield draft("shortcut/sub", "tokens", "SD-INPUT-1", "U+001A ends no text", "text", text="one\x1atwo")
    for slug, text in {"inside": "one\0two", "alone": "a\0", "accent": "e\0\u0301", "link": "http://a\0b"}.items():
        yield draft(f"shortcut/nul-{slug}", "tokens", "SD-INPUT-1", f"U+0000: {slug}", "text", text=text)
    for number, form in enumerate(FORMS):
        comment = f"another way to write a text form: {form}"
        yield draft(
            f"shortcut/narrow-{number}", "narrow", ("SD-NARROW-1", "SD-TEXT-5"), comment, text=form, scheme="sd64"
        )
        yield draft(f"shortcut/decode-{number}", "decode", "SD-TEXT-5", comment, text=form, scheme="sd64")
        for other, (a, b) in enumerate(((form, GOOD), (GOOD, form), (form, form))):
            yield draft(
                f"shortcut/distance-{number}-{other}", "distance", ("SD-DIST-1", "SD-TEXT-5"), comment, a=a, b=b
            )
    for known in get_schemes().values():
        text = text_form(mixed(8, known.lanes), known.id)
        for slug, form in (
            ("upper", text.upper()),
            ("bare", text.partition(":")[2]),
            ("bare-upper", text.partition(":")[2].upper()),
        ):
            comment = f"{known.id} narrowed to itself: {slug}"
            yield draft(
                f"shortcut/narrow-{known.id}-{slug}", "narrow", "SD-NARROW-1", comment, text=form, scheme=known.id
            )


def searches() -> Iterator[Draft]:
    """Searches with nothing to do: without entries or queries, with one entry, or within every distance."""
    entries = [("a", GOOD), ("b", text_form(mixed(4)))]
    for name, bad in BAD.items():
        required = ("SD-LOOK-4", "SD-TEXT-9")
        for slug, listed, queries, distance in (
            ("no-entries", [], [bad], 3), ("no-entries-two", [], [GOOD, bad], 3), ("no-queries", [("a", bad)], [], 3),
            ("last-entry", [*entries, ("c", bad)], [GOOD], 0), ("far", [*entries, ("c", bad)], [GOOD], 64),
            ("farther", [*entries, ("c", bad)], [GOOD], 100), ("far-query", entries, [GOOD, bad], 64), ("equal-query", [("a", bad)], [bad], 0),
        ):  # fmt: skip
            if name == "other-scheme" and slug in ("no-entries", "no-queries", "equal-query"):
                continue
            comment = f"{slug}: {name}"
            yield query(
                f"shortcut-{slug}-{name}", comment, listed, queries, distance, "negative", requirements=required
            )
        for slug, listed, distance in (
            ("one", [("a", bad)], 3),
            ("far", [*entries, ("c", bad)], 64),
            ("zero", [*entries, ("c", bad)], 0),
        ):
            if name != "other-scheme" or slug != "one":
                yield pairs(
                    f"shortcut-{slug}-{name}", f"{slug}: {name}", listed, distance, "negative", requirements=required
                )
    yield query("shortcut-no-queries", "no queries", entries, [], 3)
    yield query("shortcut-nothing", "neither entries nor queries", [], [], 3)
    yield query("shortcut-far", "every entry is near enough", entries, [GOOD, text_form(0)], 64)
    yield pairs(
        "shortcut-far", "every pair is near enough", [*entries, ("c", text_form(2**64 - 1)), ("d", text_form(0))], 64
    )


def lanes() -> Iterator[Draft]:
    """Distances of wide fingerprints, spread over the lanes in every way that is uneven."""
    for known in get_schemes().values():
        if known.lanes == 1:
            continue
        base = mixed(70, known.lanes)
        for distance in sorted({6, 7, 8, 12, 13, 14, 24, known.close, known.loose, known.close + 1}):
            spreads = {tuple(distance - part if lane == at else part if lane == other else 0 for lane in range(known.lanes))
                       for at, other in product(range(known.lanes), repeat=2) if at != other
                       for part in {0, 1, distance // 2, distance // known.lanes}}  # fmt: skip
            even = tuple(distance // known.lanes + (lane < distance % known.lanes) for lane in range(known.lanes))
            listed = [even, even[::-1], *sorted(spreads)[:: max(1, len(spreads) // 24)]]
            values = (base ^ sum((mixed(n) & 2**count - 1 | 2**count - 1) % 2**64 << 64 * lane for lane, count in enumerate(spread))
                      for n, spread in enumerate(listed))  # fmt: skip
            entries = numbered("n", values, known.id)
            more: dict[str, Any] = {"requirements": ("SD-LOOK-1", "SD-DIST-1"), "scheme": known.id}
            for within in (distance - 1, distance):
                slug, comment = f"lanes-{known.id}-{distance}-within-{within}", f"{distance} bits, spread over lanes"
                yield query(slug, comment, entries, [text_form(base, known.id)], within, "boundary", **more)


# Ids that some comparison, language, database or file format takes for the same.
SAME_IDS = (
    ("0x10", "16", "020", "1e1", "10", "+10", "10.0", "1_0", " 10", "10 ", "010", "\uff11\uff10", "\u0661\u0660"),
    ("\u00e9", "e\u0301", "E\u0301", "\u00c9", "e"), ("\ufb01", "fi", "FI", "f\u0131"), ("\u00df", "ss", "SS", "\u1e9e"), ("k", "K", "\u212a"),
    ("s", "S", "\u017f"), ("i", "I", "\u0130", "\u0131", "i\u0307"), ("\u03c3", "\u03c2", "\u03a3"), ("\u212b", "\u00c5", "A\u030a"),
    ("a&amp;b", "a&b", "a&#38;b", "a%26b", "a\\u0026b"), ("\\u0041", "A", "%41", "&#65;"), ("true", "True", "1", "TRUE"), ("", " ", "\0", "\u200b"),
    ("a/b", "a\\b", "a//b", "a/./b", "a/c/../b"), ("a\nb", "a\r\nb", "a\rb", "a\u2028b", "a\u0085b", "a b"), ("a'b", "a''b", "a\\'b"),
    ("http://a.b/", "http://a.b", "HTTP://A.B/", "http://a.b:80/"), ("a\u00a0b", "a\u2003b", "a\tb"), ("-0", "0", "0.0", "00", "-0.0"),
    ("1.0", "1.00", "1."), ("9007199254740992", "9007199254740993"), ("1" * 40, "1" * 39 + "2"), ("\ud55c", "\u1112\u1161\u11ab"), ("\uff76\uff9e", "\u30ac", "\u30ab\u3099"),
)  # fmt: skip


def ids() -> Iterator[Draft]:
    ascii_ids = [f"a{chr(code)}b" for code in range(128)]
    categories = [
        f"a{c}b"
        for c in (*BESIDE.values(), "\u00c9", "\u01c5", "\u00ad", "\u200d", "\u2029", "\uffff", "\ufdd0", "\U0010ffff")
    ]
    ends = [f"{c}a" for c in "\t\n\r \"'#-/\\.*&%+="] + [f"a{c}" for c in "\t\n\r \"'#-/\\.*&%+=\0"]
    for slug, listed in (
        ("ascii", ascii_ids), ("categories", categories), ("ends", ends), ("same", [name for group in SAME_IDS for name in group]),
        ("hashes", [*chosen()["equal"].values(), "similarity", *chosen()["0"].values(), *chosen()["0 again"].values(),
                    *(word for words in SAME_HASH.values() for word in words)]),
    ):  # fmt: skip
        entries = [(name, GOOD) for name in dict.fromkeys(listed)]
        comment = f"ids that are told apart by nothing but their characters: {slug}"
        yield query(f"ids-all-{slug}", comment, entries, [GOOD], 0, "boundary", requirements=("SD-LOOK-6", "SD-LOOK-2"))
        half = len(entries) // 2
        near = [(name, text_form(mixed(n % half))) for n, (name, _) in enumerate(entries)]
        yield pairs(f"ids-all-{slug}", comment, near, 0, "boundary", requirements=("SD-LOOK-6", "SD-LOOK-3"))
        steps: list[dict[str, Any]] = [{"insert": [list(entry) for entry in entries], "query": []}]
        steps += [{"remove": [name for name, _ in entries[::2]], "query": [GOOD]}]
        yield _update(f"ids-{slug}", f"every other entry is removed: {comment}", steps)


def _update(slug: str, comment: str, steps: list[dict[str, Any]], scheme: str = "sd64") -> Draft:
    members: dict[str, Any] = {"steps": steps, "distance": 3, "scheme": scheme}
    return draft(f"update/{slug}", "update", ("SD-LOOK-1", "SD-LOOK-2"), comment, **members)


def updates() -> Iterator[Draft]:
    for known in get_schemes().values():
        one, other, far = (text_form(mixed(n, known.lanes), known.id) for n in (1, 2, 3))
        asked = [one, other]
        cases: dict[str, tuple[str, list[dict[str, Any]]]] = {
            "in-and-out": ("an id is inserted and removed in one step", [{"insert": [["a", one], ["b", one]], "remove": ["a"], "query": asked}, {"query": asked}]),
            "last-removed": ("the last entry is removed", [{"insert": [["a", one]], "query": asked}, {"remove": ["a"], "query": asked}, {"query": asked}]),
            "other-value": ("an id comes back with another value", [{"insert": [["a", one], ["b", far]]}, {"remove": ["a"], "query": asked}, {"insert": [["a", other]], "query": asked}]),
            "back-at-once": ("an id is removed, and inserted in the next step, before any query", [{"insert": [["a", one]]}, {"remove": ["a"]}, {"insert": [["a", other]]}, {"query": asked}]),
            "no-query": ("steps without queries, and with an empty list of them", [{"insert": [["a", one]]}, {"query": []}, {"insert": [["b", one]]}, {"query": asked}]),
            "only-remove": ("a step with a removal alone", [{"insert": [["a", one], ["b", other]], "query": asked}, {"remove": ["b"]}, {"query": asked}]),
            "only-query": ("a query of an empty index", [{"query": asked}, {"insert": [["a", one]], "query": asked}]),
            "nothing": ("steps without members, and with empty ones", [{}, {"insert": [], "remove": [], "query": asked}, {"insert": [["a", one]], "remove": [], "query": asked}, {}, {"query": asked}]),
            "equal": ("equal entries, of which the middle one is removed", [{"insert": [["a", one], ["b", one], ["c", one]], "query": asked}, {"remove": ["b"], "query": asked}, {"remove": ["a", "c"], "query": asked}]),
            "many-steps": ("an entry in each step, and one removed", [{"insert": [[f"n{n}", one if n % 2 else other]], "remove": [f"n{n - 1}"] if n % 3 == 2 else [], "query": asked} for n in range(12)]),
            "removed-all": ("all entries are removed, in another order", [{"insert": [[f"n{n}", one] for n in range(5)], "query": asked}, {"remove": [f"n{n}" for n in (4, 0, 3, 1, 2)], "query": asked}, {"insert": [["n2", one]], "query": asked}]),
        }  # fmt: skip
        for slug, (comment, steps) in cases.items():
            yield _update(f"{slug}-{known.id}", comment, steps, known.id)


GENERATORS = (empty_inputs, equal_forms, searches, lanes, ids, updates)
