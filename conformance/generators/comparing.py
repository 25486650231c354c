"""Sections 10 and 13: distance, similarity, search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from generators.case_builder import Draft, draft
from generators.index_cases import mixed, numbered, pairs, query, text_form, with_bits
from simhash_doc.schemes import get_schemes


def _distance(slug: str, comment: str, a: str, b: str, *flags: str, requirements: str | Sequence[str]) -> Draft:
    return draft(f"distance/{slug}", "distance", requirements, comment, *flags, a=a, b=b)


def distances() -> Iterator[Draft]:
    base, zero, both = mixed(1), text_form(0), ("SD-DIST-1", "SD-DIST-3")
    for count in (0, 1, 2, 3, 4, 6, 7, 32, 63, 64):
        flipped = text_form(base ^ (2**count - 1) << (64 - count))
        yield _distance(f"{count:02}", f"{count} bits differ", text_form(base), flipped, requirements=both)
    for slug, comment, one, other, *flags in (
        ("top-bit", "only the most significant bit differs", 0, 1 << 63, "boundary"),
        ("low-bit", "only the least significant bit differs, beyond 53 bits of precision", 2**64 - 2, 2**64 - 1, "boundary"),
        ("one-byte", "eight bits of one byte", 0, 0xFF),
    ):  # fmt: skip
        yield _distance(slug, comment, text_form(one), text_form(other), *flags, requirements="SD-DIST-1")
    capitals = text_form(base).upper()
    required = ("SD-DIST-1", "SD-TEXT-3")
    yield _distance("capitals", "text forms in different case", text_form(base), capitals, requirements=required)
    for known in get_schemes().values():
        if known.lanes > 1:
            first, last = text_form(0, known.id), text_form(with_bits(0, 3, 64, known.bits - 1), known.id)
            ones = text_form(2**known.bits - 1, known.id)
            yield _distance(known.id, "bits of several lanes", first, last, "wide", requirements=both)
            yield _distance(f"{known.id}-all", "all bits", first, ones, "wide", requirements="SD-DIST-1")
    for a, b in combinations(get_schemes(), 2):
        slug, comment = f"mismatch-{a}-{b}", "different schemes have no distance"
        yield _distance(slug, comment, text_form(0, a), text_form(0, b), "negative", requirements="SD-DIST-2")
    yield _distance("malformed", "one of them is malformed", zero, "sd64:aaaa", "negative", requirements="SD-TEXT-3")


def _planted() -> list[tuple[str, str]]:
    """Entries at every distance from 0 to 7 of one value, in every quarter and across the borders of blocks."""
    base = mixed(7)
    flips = [
        (), (0,), (63,), (15, 16), (31, 32), (47, 48), (0, 21, 42), (12, 13, 25), (15, 31, 47), (1, 17, 33, 49), (0, 16, 32, 48), (60, 61, 62, 63), (3, 19, 35, 51, 52),
        (5, 10, 15, 20, 25, 30), (0, 9, 18, 27, 36, 45, 54),
    ]  # fmt: skip
    planted = [(f"near-{i}", text_form(base ^ with_bits(*bits))) for i, bits in enumerate(flips)]
    return planted + [(f"far-{i}", text_form(mixed(100 + i))) for i in range(20)]


def queries() -> Iterator[Draft]:
    entries, base, look = _planted(), text_form(mixed(7)), "SD-LOOK-1"
    for distance in range(9):
        comment = f"all entries within {distance} bits"
        yield query(f"planted-{distance}", comment, entries, [base], distance, requirements=look)
    values = {"a": 5, "b": 5, "c": 4, "d": 5 ^ with_bits(10, 20, 30), "e": 5 ^ with_bits(10, 20, 30, 40)}
    twins = [(key, text_form(value)) for key, value in values.items()]
    five, zero, ones = text_form(5), text_form(0), text_form(2**64 - 1)
    yield query("duplicates", "several ids share a fingerprint", twins, [five, text_form(4)], 3)
    yield query("duplicates-exact", "distance 0", twins, [five], 0, requirements="SD-LOOK-2")
    zeros = [("zero", zero), ("one", text_form(1)), ("ones", ones), ("also-zero", zero)]
    comment = "the all-zero fingerprint is an ordinary value"
    yield query("zero", comment, zeros, [zero, ones, text_form(7)], 3, "boundary")
    yield query("none", "nothing is near", zeros, [text_form(0x00000000FFFFFFFF)], 3, requirements=look)
    yield query("empty-index", "an empty index", [], [zero], 3, "boundary", requirements=look)
    yield query("no-queries", "no query", zeros, [], 3, "boundary", requirements=look)
    yield query("everything", "distance 64 finds all", entries, [base], 64, "boundary", requirements=look)
    middle = text_form(mixed(3))
    for blocks in (4, 5, 6):
        borders = [((64 * i) // blocks, side) for i in range(1, blocks) for side in (0, 1)]
        flips = {f"edge-{edge}-{side}": with_bits(edge - 1 + side, (edge + 31) % 64) for edge, side in borders}
        at_edges = [(key, text_form(mixed(3) ^ flipped)) for key, flipped in flips.items()]
        comment = f"flips on both sides of the borders of {blocks} blocks"
        yield query(f"edges-of-{blocks}-blocks", comment, at_edges, [middle], 3, "boundary", requirements=look)
    one_each = [(f"bit-{bit}", text_form(mixed(3) ^ 1 << bit)) for bit in range(64)]
    yield query("every-bit", "each single bit flipped", one_each, [middle], 1, requirements=look)
    sharing = [(f"s{i}", text_form(mixed(3) ^ (mixed(i) >> 16))) for i in range(30)]
    comment = "all entries share a block with the query, few are near"
    yield query("same-block", comment, sharing, [middle], 8, requirements=look)
    wide = [0, with_bits(255, 128, 64), with_bits(0, 64, 128, 192)]
    yield draft(
        "query/wide", "query", look, "256 bits", "wide", scheme="sd256",
        entries=numbered("w", wide, "sd256"), queries=[text_form(0, "sd256")], distance=3,
    )  # fmt: skip


def all_pairs() -> Iterator[Draft]:
    for distance in (0, 1, 3, 6):
        yield pairs(f"planted-{distance}", f"all pairs within {distance} bits", _planted(), distance)
    chain = [(f"link-{i}", text_form(2 ** (3 * i) - 1)) for i in range(10)]
    yield pairs("chain", "each 3 bits from the next: neighbours are pairs, others are not", chain, 3)
    yield pairs("chain-6", "and within 6 bits", chain, 6)
    equal = [(f"same-{i}", text_form(mixed(1))) for i in range(6)]
    yield pairs("all-equal", "six entries with one fingerprint are 15 pairs", equal, 0, "boundary")
    yield pairs("all-equal-3", "also within 3 bits", equal, 3, "boundary")
    zeros = [("z1", text_form(0)), ("z2", text_form(0)), ("one", text_form(1)), ("top", text_form(1 << 63))]
    required = ("SD-LOOK-2", "SD-LOOK-3")
    yield pairs("zero", "the all-zero fingerprint in pairs", zeros, 3, "boundary", requirements=required)
    yield pairs("none", "no pair is near", [(f"far-{i}", text_form(mixed(i))) for i in range(12)], 3)
    yield pairs("empty", "no entries", [], 3, "boundary")
    yield pairs("single", "an entry is not a pair with itself", [("only", text_form(3))], 3, "boundary")


def several_text_forms() -> Iterator[Draft]:
    """Errors of the first of several text forms that has one, and mismatches last."""
    zero, wide = text_form(0), text_form(0, "sd128")
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
        required = ("SD-TEXT-9", "SD-LOOK-4")
        yield query(f"order-{slug}", comment, entries, wanted, 3, "negative", requirements=required)
        if any(text in ("sd64:1", "sd64:a") for text in texts):
            yield pairs(f"order-{slug}", comment, entries, 3, "negative", requirements=required)


def schemes_of_an_index() -> Iterator[Draft]:
    zero, wide = text_form(0), text_form(0, "sd128")
    of_two = {
        "entries": ([zero, wide], [zero], "entries of two schemes"),
        "entries-no-query": ([zero, wide], [], "entries of two schemes, without a query"),
        "query": ([zero, zero], [wide], "a query of another scheme than the entries"),
        "second-query": ([zero], [zero, wide], "only the second query is of another scheme"),
        "wide-entries": ([wide], [zero], "a narrower query than the entries"),
        "queries-only": ([], [zero, wide], "queries of two schemes, without an entry"),
        "far": ([text_form(2**64 - 1), wide], [text_form(2**64 - 1)], "an entry of another scheme that would be far"),
    }  # fmt: skip
    for slug, (texts, wanted, comment) in of_two.items():
        entries = [(f"e{number}", text) for number, text in enumerate(texts)]
        yield query(f"mixed-{slug}", comment, entries, wanted, 3, "negative", requirements="SD-LOOK-4")
        if slug in ("entries", "far"):
            yield pairs(f"mixed-{slug}", comment, entries, 64, "negative", requirements="SD-LOOK-4")
    custom = [("c", "sd64+custom:aaaaaaaaaaaaa"), ("C", "SD64+CUSTOM:AAAAAAAAAAAAO"), ("d", zero), ("bare", "a" * 13)]
    required, comment = ("SD-LOOK-4", "SD-CUSTOM-2"), "customised entries, one in capitals, and one without its scheme"
    asked = {"canonical": (zero, 3), "custom": ("sd64+custom:aaaaaaaaaaaaa", 3), "capitals": ("SD64:AAAAAAAAAAAAA", 0)}
    for slug, (text, distance) in asked.items():
        yield query(f"custom-entries-{slug}", comment, custom, [text], distance, requirements=required)
    yield pairs("custom-entries", "customised and canonical entries", custom, 3, requirements=required)
    for known in get_schemes().values():
        if known.lanes == 1:
            continue
        top = known.bits - 1
        flips = {"equal": (), "first-lane": (top, top - 1, top - 2, top - 3), "last-lane": (0, 1), "each-lane": range(5, known.bits, 64),
                 "last-lane-far": range(40), "spread": range(0, known.bits, known.bits // 12)}  # fmt: skip
        base = mixed(50, known.lanes, step=1)
        entries = [(slug, text_form(base ^ with_bits(*bits), known.id)) for slug, bits in flips.items()]
        for distance in (0, 2, known.close, known.bits):
            yield draft(
                f"query/{known.id}-{distance}", "query", ("SD-LOOK-1", "SD-LOOK-4"), f"{known.id} within {distance} bits",
                "wide", scheme=known.id, entries=entries, queries=[text_form(base, known.id)], distance=distance,
            )  # fmt: skip
        yield draft(
            f"pairs/{known.id}", "find_all", ("SD-LOOK-3", "SD-LOOK-4"), f"pairs of {known.id}", "wide",
            scheme=known.id, entries=entries, distance=known.close,
        )  # fmt: skip


def distances_of_an_index() -> Iterator[Draft]:
    base = mixed(9)
    entries = [(f"d{count:02}", text_form(base ^ (2**count - 1))) for count in (0, 1, 3, 4, 32, 63, 64)]
    entries.append(("d00-again", text_form(base)))
    wanted = [text_form(base)]
    for distance in (0, 1, 63, 64, 65, 127, 128, 256, 1000):
        comment, required = f"all entries within {distance} bits", ("SD-LOOK-5", "SD-LOOK-1")
        yield query(f"distance-{distance}", comment, entries, wanted, distance, "boundary", requirements=required)
    for distance in (0, 64, 65, 1000):
        comment, required = f"all pairs within {distance} bits", ("SD-LOOK-5", "SD-LOOK-3")
        yield pairs(f"distance-{distance}", comment, entries, distance, "boundary", requirements=required)
    yield query("equal-queries", "equal queries are answered each", entries, wanted * 3, 1, requirements="SD-LOOK-1")
    for count in (101, 257, 1001):
        equal = numbered("n", [base] * count)
        yield query(f"answers-{count}", f"{count} entries have the same fingerprint", equal, wanted, 0, "boundary")


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
        entries = [(key, text_form(number)) for number, key in enumerate(keys)]
        yield query(f"ids-{slug}", comment, entries, [text_form(0)], 64, requirements="SD-LOOK-6")
        yield pairs(f"ids-{slug}", comment, entries, 1, requirements="SD-LOOK-6")


GENERATORS = (distances, queries, all_pairs, several_text_forms, schemes_of_an_index, distances_of_an_index, ids)
