"""Requests after others of which an implementation may keep something: results under a weak key, errors, decoders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from generators.case_builder import Draft, draft
from generators.collisions import MORE_SAME_HASH, SAME_HASH
from generators.index_cases import mixed, text_form

# Two words that a hash with a name does not tell apart, found by search or known from textbooks.
TWINS = {
    **SAME_HASH, **MORE_SAME_HASH,
    "crc-known": ("plumless", "buckeroo"), "31-known": ("siblings", "teheran"), "java": ("Aa tide", "BB tide"),
}  # fmt: skip
_A, _B = "a" * 64, "b" * 64
LONG = (8, 16, 32, 64, 128, 256, 1024)


def _after(
    slug: str, op: str, comment: str, before: list[dict[str, Any]], required: str = "SD-SEC-1", **members: Any
) -> Draft:
    """Return a case after requests of the same operation."""
    return draft(f"kept/{slug}", op, required, comment, "collision", before=before, **members)


def _both_orders(
    slug: str, op: str, comment: str, one: dict[str, Any], other: dict[str, Any], **more: Any
) -> Iterator[Draft]:
    for end, (first, then) in {"": (one, other), "-turned": (other, one)}.items():
        yield _after(f"{slug}{end}", op, comment, [first], **then, **more)


def hashes() -> Iterator[Draft]:
    """Two texts of one hash, of each operation on texts; and one of them again after the other."""
    for name, (one, other) in TWINS.items():
        comment = f"a text after one of the same hash: {name}"
        for op in ("fingerprint", "fold"):
            yield _after(f"{name}-{op}", op, comment, [{"text": one}], text=other)
        yield _after(f"{name}-hash", "hash_tokens", comment, [{"tokens": [one.split()[0]]}], tokens=[other.split()[0]])


def parts() -> Iterator[Draft]:
    """Texts that differ only in the middle, at one end, in the order of their words, or in what a sample leaves out."""
    for size in LONG:
        start, end = ("x " * size)[:size], (" y" * size)[-size:]
        comment = f"a text with the same {size} characters at both ends as the one before"
        texts = [{"text": f"{start} {word} {end}"} for word in ("one", "two")]
        yield _after(f"middle-{size}", "fingerprint", comment, texts[:1], **texts[1])
        dots = (". " * size)[:size]
        texts = [{"text": f"{dots} {words}"} for words in ("alpha", "two words")]
        comment = f"a text with the same {size} characters at its start as the one before"
        yield _after(f"start-{size}", "fingerprint", comment, texts[:1], **texts[1])
        texts = [{"text": f"{words} {dots}"} for words in ("alpha", "two words")]
        comment = f"a text with the same {size} characters at its end as the one before"
        yield _after(f"end-{size}", "fingerprint", comment, texts[:1], **texts[1])
    rows = {
        "length": ("four", "five"), "word-set": ("one two two", "one one two"), "order": ("one two a", "a b one"), "anagram": ("stop it", "it post"),
        "sum": ("ad bc", "bc ae"), "first": ("same one", "same two"),
        "last": ("one same", "two same"), "xor": ("aab", "bbb"), "sample": ("abcdefgh", "abxdefgh"),
        "words": ("one two three", "two four five"),
        "low-byte": ("\u0161\u0141", "aA"),
        "marks": ("\u6771 a", "\u6771\u6771 a"), "question": ("\u0436\u0434", "\u0444\u044f"), "nul": ("a\0one", "a\0two"),
        "spaces": ("onetwo", "one two"), "digits": ("a1 b", "a2 b"),
        "hyphen": ("a-b", "ab"), "accents": ("caf\u00e9", "cafe"), "kelvin": ("a_b", "a b"),
        "line": ("one\ntwo", "one\nsix"), "bom": ("a\ufffeb", "a b"), "plane": ("\U00010428", "\u0428"),
        "surrogates": ("\U00010400", "\U00010401"), "trimmed": ("1a", "a1"), "end": ("one", "one two"),
        "start": ("one two", "one"), "sixteen": ("abcdefghijklmnop a", "abcdefghijklmnop b"),
    }  # fmt: skip
    for slug, (one, other) in rows.items():
        comment = f"a text after one that a weak key does not tell apart: {slug}"
        yield from _both_orders(slug, "fingerprint", comment, {"text": one}, {"text": other})
    yield _after(
        "bytes-units",
        "fingerprint",
        "units whose digits are those of the bytes before",
        [{"bytes": "00610062"}],
        utf16="00610062",
    )
    yield _after(
        "bytes-text",
        "fingerprint",
        "bytes whose digits are the text before",
        [{"text": "6162"}, {"text": "a6162"}],
        bytes="a6162000",
    )
    yield _after(
        "tokens-joined",
        "hash_tokens",
        "tokens that are the same when they are joined",
        [{"tokens": ["ab", "c"]}],
        tokens=["a", "bc"],
    )
    yield _after(
        "tokens-joined-space", "hash_tokens", "the same with a space", [{"tokens": ["a b", "c"]}], tokens=["a", "b c"]
    )


def other_arguments() -> Iterator[Draft]:
    """The same first argument as before, and another scheme, mark, expectation, index or distance."""
    for one, other in (("sd64", "sd512"), ("sd512", "sd64"), ("sd128", "sd256")):
        comment = f"the same in {other}, after {one}"
        for op, members in (
            ("fingerprint", {"text": "one two"}), ("buckets", {"text": "one two"}),
            ("hash_tokens", {"tokens": ["one", "two"]}),
            ("narrow", {"text": text_form(mixed(5, 8), "sd512")}), ("decode", {"text": "raeidodvqipge"}),
        ):  # fmt: skip
            yield _after(
                f"scheme-{op}-{one}-{other}", op, comment, [{**members, "scheme": one}], **members, scheme=other
            )
    data = "880881b875821e62"
    yield from _both_orders(
        "canonical",
        "encode",
        "the same bytes, with the mark and without",
        {"hex": data, "canonical": True},
        {"hex": data, "canonical": False},
        scheme="sd64",
    )
    good, near = text_form(mixed(9)), text_form(mixed(9) ^ 7)
    yield _after("distance-first", "distance", "the same first text form", [{"a": good, "b": good}], a=good, b=near)
    yield _after("distance-second", "distance", "the same second text form", [{"a": near, "b": near}], a=good, b=near)
    custom = good.replace(":", "+custom:")
    yield from _both_orders(
        "custom", "decode", "the same digits, with the mark and without", {"text": good}, {"text": custom}
    )
    yield from _both_orders(
        "narrow-custom",
        "narrow",
        "the same digits, with the mark and without",
        {"text": good},
        {"text": custom},
        scheme="sd64",
    )
    twins = {"kelvin": ("rkeidodvqipge", "r\u212aeidodvqipge"), "long-s": ("rseidodvqipge", "r\u017feidodvqipge"),
    "dotted-i": ("raeidodvqipge", "rae\u0130dodvqipge"),
             "full-width": ("raeidodvqipge", "raeidodvqipg\uff45"), "space": ("raeidodvqipge", "raeidodvqipge "),
             "nul": ("raeidodvqipge", "raeidodvqipge\0"),
             "spare": ("raeidodvqipge", "raeidodvqipgf"), "padding": ("raeidodvqipge", "raeidodvqipge="),
             "zero": ("raeiaodvqipge", "raei0odvqipge"),
             "low-16": ("raeidodvqipge", "raeidodvqipg\U00010065"), "long": ("raeidodvqipge", "raeidodvqipgea"),
             "short": ("raeidodvqipge", "raeidodvqipg"), "before-last": ("raeidodvqipge", "raeidodvqip1e")}  # fmt: skip
    for slug, (one, other) in twins.items():
        comment = f"a malformed text form after one that a weak key does not tell apart: {slug}"
        before = [{"text": f"sd64:{one}"}]
        yield _after(f"form-{slug}", "decode", comment, before, "SD-TEXT-3", text=f"sd64:{other}")
    entries, others = [["a", good], ["b", near]], [["a", near], ["b", text_form(0)]]
    for slug, first, then in (
        ("entries", {"entries": entries}, {"entries": others}),
        ("ids", {"entries": entries}, {"entries": [["c", good], ["d", near]]}),
        ("fewer", {"entries": entries}, {"entries": entries[:1]}), ("none", {"entries": entries}, {"entries": []}),
        ("distance", {"entries": entries, "distance": 64}, {"entries": entries, "distance": 0}),
    ):  # fmt: skip
        comment = f"a search after one that has other {slug}"
        shared = {"distance": 3}
        yield _after(f"query-{slug}", "query", comment, [first], "SD-LOOK-1", queries=[good], **{**shared, **then})
        yield _after(f"pairs-{slug}", "find_all", comment, [first], "SD-LOOK-3", **{**shared, **then})
    yield _after(
        "query-queries",
        "query",
        "the same entries, and another query",
        [{"queries": [good]}],
        "SD-LOOK-1",
        entries=entries,
        queries=[text_form(0)],
        distance=3,
    )


def errors() -> Iterator[Draft]:
    """A text after an error, of the same length or other features; and an error after a text."""
    for slug, wrong, right in (
        ("length", "....", "four"), ("empty", "", "a"), ("digits", "12 34", "ab cd"),
        ("units", "\u0661\u0662", "\u0436\u0434"), ("link", "http://a", "houses b"),
        ("long", "1" * 1000, "a" * 1000), ("first", "1 2", "1 a"), ("last", "2 1", "a 1"),
    ):  # fmt: skip
        comment = f"a text after one without tokens: {slug}"
        yield from _both_orders(f"error-{slug}", "fingerprint", comment, {"text": wrong}, {"text": right})
    comment = "a text after one whose scheme is unknown"
    yield _after("error-scheme", "fingerprint", comment, [{"text": "four", "scheme": "sd63"}], text="four")
    yield _after("error-scheme-other", "fingerprint", comment, [{"text": "four", "scheme": "sd63"}], text="five")
    yield _after(
        "error-encode", "encode", "bytes after too few", [{"hex": "00"}], hex="880881b875821e62", canonical=True
    )
    good = text_form(mixed(9))
    for bad in ("sd64:raeidodvqipgf", "sd64:raeidodvqipg=", "sd64:raeidodvqip1e", "sd64:raei", "sd63:raeidodvqipge"):
        slug = "".join(c if c.isalnum() else "-" for c in bad)
        yield _after(
            f"error-decode-{slug}",
            "decode",
            "a text form after a malformed one",
            [{"text": bad}],
            "SD-ERR-1",
            text=good,
        )
        yield _after(
            f"error-distance-{slug}",
            "distance",
            "a distance after a malformed text form",
            [{"a": bad}],
            "SD-ERR-1",
            a=good,
            b=good,
        )
        yield _after(
            f"error-query-{slug}",
            "query",
            "a search after a malformed entry",
            [{"entries": [["a", bad]]}],
            "SD-ERR-1",
            entries=[["a", good]],
            queries=[good],
            distance=0,
        )


GENERATORS = (hashes, parts, other_arguments, errors)
