"""Sections 10 and 13: distance, similarity, search."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from generators.case_builder import Draft, draft
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.schemes import get_schemes


def _text_form(value: int, scheme: str = "sd64") -> str:
    return str(Fingerprint(value, scheme))


def _bits(*bits: int) -> int:
    return sum(1 << bit for bit in bits)


def _mixed(number: int) -> int:
    """Return the number-th of a fixed series of 64-bit values with about 32 bits set (a multiplicative hash)."""
    return (number + 1) * 0x9E3779B97F4A7C15 % 2**64


def distances() -> Iterator[Draft]:
    base = _mixed(1)
    for count in (0, 1, 2, 3, 4, 6, 7, 32, 63, 64):
        flipped = base ^ (2**count - 1) << (64 - count)
        yield draft(
            f"distance/{count:02}",
            "distance",
            ("SD-DIST-1", "SD-DIST-3"),
            f"{count} bits differ",
            a=_text_form(base),
            b=_text_form(flipped),
        )
    yield draft(
        "distance/top-bit",
        "distance",
        "SD-DIST-1",
        "only the most significant bit differs",
        "boundary",
        a=_text_form(0),
        b=_text_form(1 << 63),
    )
    yield draft(
        "distance/low-bit",
        "distance",
        "SD-DIST-1",
        "only the least significant bit differs, beyond 53 bits of precision",
        "boundary",
        a=_text_form(2**64 - 2),
        b=_text_form(2**64 - 1),
    )
    yield draft(
        "distance/one-byte", "distance", "SD-DIST-1", "eight bits of one byte", a=_text_form(0), b=_text_form(0xFF)
    )
    yield draft(
        "distance/capitals",
        "distance",
        ("SD-DIST-1", "SD-TEXT-3"),
        "text forms in different case",
        a=_text_form(base),
        b=_text_form(base).upper(),
    )
    for known in get_schemes().values():
        if known.lanes > 1:
            last = _bits(0, 3, 64, known.bits - 1)
            yield draft(
                f"distance/{known.id}",
                "distance",
                ("SD-DIST-1", "SD-DIST-3"),
                "bits of several lanes",
                "wide",
                a=_text_form(0, known.id),
                b=_text_form(last, known.id),
            )
            yield draft(
                f"distance/{known.id}-all",
                "distance",
                "SD-DIST-1",
                "all bits",
                "wide",
                a=_text_form(0, known.id),
                b=_text_form(2**known.bits - 1, known.id),
            )
    for left, right in combinations(get_schemes(), 2):
        yield draft(
            f"distance/mismatch-{left}-{right}",
            "distance",
            "SD-DIST-2",
            "different schemes have no distance",
            "negative",
            a=_text_form(0, left),
            b=_text_form(0, right),
        )
    yield draft(
        "distance/malformed",
        "distance",
        "SD-TEXT-3",
        "one of them is malformed",
        "negative",
        a=_text_form(0),
        b="sd64:aaaa",
    )


def _planted() -> list[tuple[str, str]]:
    """Entries at every distance from 0 to 7 of one value, in every quarter and across the borders of blocks."""
    base = _mixed(7)
    flips = [
        (), (0,), (63,), (15, 16), (31, 32), (47, 48), (0, 21, 42), (12, 13, 25), (15, 31, 47), (1, 17, 33, 49), (0, 16, 32, 48), (60, 61, 62, 63), (3, 19, 35, 51, 52),
        (5, 10, 15, 20, 25, 30), (0, 9, 18, 27, 36, 45, 54),
    ]  # fmt: skip
    planted = [(f"near-{i}", _text_form(base ^ _bits(*bits))) for i, bits in enumerate(flips)]
    return planted + [(f"far-{i}", _text_form(_mixed(100 + i))) for i in range(20)]


def queries() -> Iterator[Draft]:
    entries, base = _planted(), _text_form(_mixed(7))
    for distance in range(9):
        yield draft(
            f"query/planted-{distance}",
            "query",
            "SD-LOOK-1",
            f"all entries within {distance} bits",
            entries=entries,
            queries=[base],
            distance=distance,
        )
    twins = [
        ("a", _text_form(5)),
        ("b", _text_form(5)),
        ("c", _text_form(4)),
        ("d", _text_form(5 ^ _bits(10, 20, 30))),
        ("e", _text_form(5 ^ _bits(10, 20, 30, 40))),
    ]
    yield draft(
        "query/duplicates",
        "query",
        ("SD-LOOK-1", "SD-LOOK-2"),
        "several ids share a fingerprint",
        entries=twins,
        queries=[_text_form(5), _text_form(4)],
        distance=3,
    )
    yield draft(
        "query/duplicates-exact", "query", "SD-LOOK-2", "distance 0", entries=twins, queries=[_text_form(5)], distance=0
    )
    zeros = [
        ("zero", _text_form(0)),
        ("one", _text_form(1)),
        ("ones", _text_form(2**64 - 1)),
        ("also-zero", _text_form(0)),
    ]
    yield draft(
        "query/zero",
        "query",
        ("SD-LOOK-1", "SD-LOOK-2"),
        "the all-zero fingerprint is an ordinary value",
        "boundary",
        entries=zeros,
        queries=[_text_form(0), _text_form(2**64 - 1), _text_form(7)],
        distance=3,
    )
    yield draft(
        "query/none",
        "query",
        "SD-LOOK-1",
        "nothing is near",
        entries=zeros,
        queries=[_text_form(0x00000000FFFFFFFF)],
        distance=3,
    )
    yield draft(
        "query/empty-index",
        "query",
        "SD-LOOK-1",
        "an empty index",
        "boundary",
        entries=[],
        queries=[_text_form(0)],
        distance=3,
    )
    yield draft("query/no-queries", "query", "SD-LOOK-1", "no query", "boundary", entries=zeros, queries=[], distance=3)
    yield draft(
        "query/everything",
        "query",
        "SD-LOOK-1",
        "distance 64 finds all",
        "boundary",
        entries=entries,
        queries=[base],
        distance=64,
    )
    for blocks in (4, 5, 6):
        edges = [(64 * i) // blocks for i in range(1, blocks)]
        entries_at_edges = [
            (f"edge-{edge}-{side}", _text_form(_mixed(3) ^ _bits(edge - 1 + side, (edge + 31) % 64)))
            for edge in edges
            for side in (0, 1)
        ]
        yield draft(
            f"query/edges-of-{blocks}-blocks",
            "query",
            "SD-LOOK-1",
            f"flips on both sides of the borders of {blocks} blocks",
            "boundary",
            entries=entries_at_edges,
            queries=[_text_form(_mixed(3))],
            distance=3,
        )
    one_each = [(f"bit-{bit}", _text_form(_mixed(3) ^ 1 << bit)) for bit in range(64)]
    yield draft(
        "query/every-bit",
        "query",
        "SD-LOOK-1",
        "each single bit flipped",
        entries=one_each,
        queries=[_text_form(_mixed(3))],
        distance=1,
    )
    yield draft(
        "query/same-block",
        "query",
        "SD-LOOK-1",
        "all entries share a block with the query, few are near",
        entries=[(f"s{i}", _text_form(_mixed(3) ^ (_mixed(i) >> 16))) for i in range(30)],
        queries=[_text_form(_mixed(3))],
        distance=8,
    )
    wide = [
        ("w0", _text_form(0, "sd256")),
        ("w1", _text_form(_bits(255, 128, 64), "sd256")),
        ("w2", _text_form(_bits(0, 64, 128, 192), "sd256")),
    ]
    yield draft(
        "query/wide",
        "query",
        "SD-LOOK-1",
        "256 bits",
        "wide",
        scheme="sd256",
        entries=wide,
        queries=[_text_form(0, "sd256")],
        distance=3,
    )


def pairs() -> Iterator[Draft]:
    for distance in (0, 1, 3, 6):
        yield draft(
            f"pairs/planted-{distance}",
            "find_all",
            "SD-LOOK-3",
            f"all pairs within {distance} bits",
            entries=_planted(),
            distance=distance,
        )
    chain = [(f"link-{i}", _text_form(2 ** (3 * i) - 1)) for i in range(10)]
    yield draft(
        "pairs/chain",
        "find_all",
        "SD-LOOK-3",
        "each 3 bits from the next: neighbours are pairs, others are not",
        entries=chain,
        distance=3,
    )
    yield draft("pairs/chain-6", "find_all", "SD-LOOK-3", "and within 6 bits", entries=chain, distance=6)
    equal = [(f"same-{i}", _text_form(_mixed(1))) for i in range(6)]
    yield draft(
        "pairs/all-equal",
        "find_all",
        "SD-LOOK-3",
        "six entries with one fingerprint are 15 pairs",
        "boundary",
        entries=equal,
        distance=0,
    )
    yield draft(
        "pairs/all-equal-3", "find_all", "SD-LOOK-3", "also within 3 bits", "boundary", entries=equal, distance=3
    )
    zeros = [("z1", _text_form(0)), ("z2", _text_form(0)), ("one", _text_form(1)), ("top", _text_form(1 << 63))]
    yield draft(
        "pairs/zero",
        "find_all",
        ("SD-LOOK-2", "SD-LOOK-3"),
        "the all-zero fingerprint in pairs",
        "boundary",
        entries=zeros,
        distance=3,
    )
    yield draft(
        "pairs/none",
        "find_all",
        "SD-LOOK-3",
        "no pair is near",
        entries=[(f"far-{i}", _text_form(_mixed(i))) for i in range(12)],
        distance=3,
    )
    yield draft("pairs/empty", "find_all", "SD-LOOK-3", "no entries", "boundary", entries=[], distance=3)
    yield draft(
        "pairs/single",
        "find_all",
        "SD-LOOK-3",
        "an entry is not a pair with itself",
        "boundary",
        entries=[("only", _text_form(3))],
        distance=3,
    )


def several_text_forms() -> Iterator[Draft]:
    """Errors of the first of several text forms that has one, and mismatches last."""
    zero, wide = _text_form(0), _text_form(0, "sd128")
    distances = {
        "both-malformed": ("sd64:1", "sd64:raeidodvqipg=", "the first one's bad character, not the second one's padding"),
        "both-malformed-2": ("sd64:a", "sd64:1", "the first one's length, not the second one's bad character"),
        "first-spare": ("sd64:aaaaaaaaaaaab", "sd65:aaaaaaaaaaaaa", "the first one's spare bit, not the second one's scheme"),
        "first-unknown": ("sd65:aaaaaaaaaaaaa", "sd64:1", "the first one's scheme"),
        "second-unknown": (zero, "sd65:aaaaaaaaaaaaa", "the second one's scheme is unknown, not another one"),
        "second-malformed-wide": (zero, "sd128:1", "a malformed second one before different schemes"),
        "first-malformed-wide": ("sd64:1", wide, "a malformed first one before different schemes"),
        "bare-mismatch": ("a" * 13, "a" * 26, "text forms without a scheme are of different schemes"),
    }  # fmt: skip
    for slug, (a, b, comment) in distances.items():
        requirements = ("SD-TEXT-9", "SD-DIST-2") if "mismatch" in slug else ("SD-TEXT-9",)
        yield draft(f"distance/order-{slug}", "distance", requirements, comment, "negative", a=a, b=b)
    yield draft(
        "distance/custom", "distance", ("SD-DIST-1", "SD-CUSTOM-2"), "a customised fingerprint and a canonical one",
        a="sd64+custom:aaaaaaaaaaaae", b=zero,
    )  # fmt: skip
    yield draft("distance/bare", "distance", ("SD-DIST-1", "SD-TEXT-6"), "one without its scheme", a="a" * 13, b=zero)
    searches = {
        "entries-first": (["sd64:1"], ["sd64:="], "the entry's bad character, not the query's padding"),
        "second-entry": ([zero, "sd64:1"], ["sd65:aaaaaaaaaaaaa"], "an entry's bad character, not the query's scheme"),
        "first-of-two-entries": (["sd64:a", "sd64:="], [zero], "the first entry's length, not the second one's padding"),
        "second-query": ([zero], [zero, "sd64:a"], "the second query is malformed"),
        "query-malformed": ([], ["sd64:a"], "a malformed query of an empty index"),
        "malformed-before-mismatch": ([zero, wide, "sd64:1"], [zero], "a malformed entry after one of another scheme"),
        "malformed-query-before-mismatch": ([zero, wide], ["sd64:1"], "a malformed query after entries of two schemes"),
        "malformed-entry-no-query": (["sd64:1"], [], "a malformed entry without a query"),
    }  # fmt: skip
    for slug, (texts, wanted, comment) in searches.items():
        entries = [(f"e{number}", text) for number, text in enumerate(texts)]
        yield draft(
            f"query/order-{slug}", "query", ("SD-TEXT-9", "SD-LOOK-4"), comment, "negative", entries=entries,
            queries=wanted, distance=3,
        )  # fmt: skip
        if any(text in ("sd64:1", "sd64:a") for text in texts):
            yield draft(
                f"pairs/order-{slug}", "find_all", ("SD-TEXT-9", "SD-LOOK-4"), comment, "negative", entries=entries,
                distance=3,
            )  # fmt: skip


def schemes_of_an_index() -> Iterator[Draft]:
    zero, wide = _text_form(0), _text_form(0, "sd128")
    mixed = {
        "entries": ([zero, wide], [zero], "entries of two schemes"),
        "entries-no-query": ([zero, wide], [], "entries of two schemes, without a query"),
        "query": ([zero, zero], [wide], "a query of another scheme than the entries"),
        "second-query": ([zero], [zero, wide], "only the second query is of another scheme"),
        "wide-entries": ([wide], [zero], "a narrower query than the entries"),
        "queries-only": ([], [zero, wide], "queries of two schemes, without an entry"),
        "far": ([_text_form(2**64 - 1), wide], [_text_form(2**64 - 1)], "an entry of another scheme that would be far"),
    }  # fmt: skip
    for slug, (texts, wanted, comment) in mixed.items():
        entries = [(f"e{number}", text) for number, text in enumerate(texts)]
        yield draft(
            f"query/mixed-{slug}", "query", "SD-LOOK-4", comment, "negative", entries=entries, queries=wanted,
            distance=3,
        )  # fmt: skip
        if slug in ("entries", "far"):
            yield draft(
                f"pairs/mixed-{slug}", "find_all", "SD-LOOK-4", comment, "negative", entries=entries, distance=64
            )
    custom = [("c", "sd64+custom:aaaaaaaaaaaaa"), ("C", "SD64+CUSTOM:AAAAAAAAAAAAO"), ("d", zero), ("bare", "a" * 13)]
    for slug, text in (
        ("canonical", zero),
        ("custom", "sd64+custom:aaaaaaaaaaaaa"),
        ("capitals", "SD64:AAAAAAAAAAAAA"),
    ):
        yield draft(
            f"query/custom-entries-{slug}", "query", ("SD-LOOK-4", "SD-CUSTOM-2"),
            "customised entries, one in capitals, and one without its scheme", entries=custom, queries=[text],
            distance=0 if slug == "capitals" else 3,
        )  # fmt: skip
    yield draft(
        "pairs/custom-entries", "find_all", ("SD-LOOK-4", "SD-CUSTOM-2"), "customised and canonical entries",
        entries=custom, distance=3,
    )  # fmt: skip
    for known in get_schemes().values():
        if known.lanes == 1:
            continue
        top = known.bits - 1
        flips = {"equal": (), "first-lane": (top, top - 1, top - 2, top - 3), "last-lane": (0, 1), "each-lane": range(5, known.bits, 64),
                 "last-lane-far": range(40), "spread": range(0, known.bits, known.bits // 12)}  # fmt: skip
        base = sum(_mixed(50 + lane) << 64 * lane for lane in range(known.lanes))
        entries = [(slug, _text_form(base ^ _bits(*bits), known.id)) for slug, bits in flips.items()]
        for distance in (0, 2, known.close, known.bits):
            yield draft(
                f"query/{known.id}-{distance}", "query", ("SD-LOOK-1", "SD-LOOK-4"), f"{known.id} within {distance} bits",
                "wide", scheme=known.id, entries=entries, queries=[_text_form(base, known.id)], distance=distance,
            )  # fmt: skip
        yield draft(
            f"pairs/{known.id}", "find_all", ("SD-LOOK-3", "SD-LOOK-4"), f"pairs of {known.id}", "wide",
            scheme=known.id, entries=entries, distance=known.close,
        )  # fmt: skip


def distances_of_an_index() -> Iterator[Draft]:
    base = _mixed(9)
    entries = [(f"d{count:02}", _text_form(base ^ (2**count - 1))) for count in (0, 1, 3, 4, 32, 63, 64)]
    entries.append(("d00-again", _text_form(base)))
    for distance in (0, 1, 63, 64, 65, 127, 128, 256, 1000):
        yield draft(
            f"query/distance-{distance}", "query", ("SD-LOOK-5", "SD-LOOK-1"), f"all entries within {distance} bits",
            "boundary", entries=entries, queries=[_text_form(base)], distance=distance,
        )  # fmt: skip
    for distance in (0, 64, 65, 1000):
        yield draft(
            f"pairs/distance-{distance}", "find_all", ("SD-LOOK-5", "SD-LOOK-3"), f"all pairs within {distance} bits",
            "boundary", entries=entries, distance=distance,
        )  # fmt: skip
    yield draft(
        "query/equal-queries", "query", "SD-LOOK-1", "equal queries are answered each",
        entries=entries, queries=[_text_form(base)] * 3, distance=1,
    )  # fmt: skip
    for count in (101, 257, 1001):
        yield draft(
            f"query/answers-{count}", "query", ("SD-LOOK-1", "SD-LOOK-2"), f"{count} entries have the same fingerprint",
            "boundary", entries=[(f"n{number}", _text_form(base)) for number in range(count)],
            queries=[_text_form(base)], distance=0,
        )  # fmt: skip


def ids() -> Iterator[Draft]:
    kinds = {
        "case": (["a", "A", "ß", "SS", "ss"], "ids that differ in case"),
        "digits": (["0", "00", "1", "01", "1.0", "-1", "+1", "1e3", "9007199254740993"], "ids that look like numbers"),
        "words": (["true", "null", "None", "NaN", "__proto__", "constructor", "length"], "ids that are words of a language"),
        "non-ascii": (["é", "東京", "\U0001f600", "\u202e", "?"], "ids beyond ASCII"),
        "forms": (["é", "e\u0301", "ﬁ", "fi", "\u212b", "\xc5"], "composed, decomposed and compatibility forms"),
        "empty": (["", "x"], "an empty id"),
        "space": (["a", " a", "a ", "a\n", "\ta", "\xa0a"], "ids with white space"),
        "special": (["a\u0000b", "a\u0000c", "a\"b", "a\\b", "a'b", "a,b", "[a]", "a:b"], "ids with U+0000, quotes and delimiters"),
        "long": (["x" * 300, "x" * 301, "x" * 1000], "long ids"),
    }  # fmt: skip
    for slug, (keys, comment) in kinds.items():
        entries = [(key, _text_form(number)) for number, key in enumerate(keys)]
        yield draft(
            f"query/ids-{slug}", "query", "SD-LOOK-6", comment, entries=entries, queries=[_text_form(0)], distance=64
        )
        yield draft(f"pairs/ids-{slug}", "find_all", "SD-LOOK-6", comment, entries=entries, distance=1)


GENERATORS = (
    distances,
    queries,
    pairs,
    several_text_forms,
    schemes_of_an_index,
    distances_of_an_index,
    ids,
)
