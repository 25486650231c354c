"""Sections 10 and 13: distance, similarity, look-up."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from recipes.draft import Draft, draft
from simhash_doc.pinned import schemes
from simhash_doc.value import Fingerprint


def _uri(value: int, scheme: str = "sd64") -> str:
    return Fingerprint(value, scheme).to_uri()


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
            a=_uri(base),
            b=_uri(flipped),
        )
    yield draft(
        "distance/top-bit",
        "distance",
        "SD-DIST-1",
        "only the most significant bit differs",
        "boundary",
        a=_uri(0),
        b=_uri(1 << 63),
    )
    yield draft(
        "distance/low-bit",
        "distance",
        "SD-DIST-1",
        "only the least significant bit differs, beyond 53 bits of precision",
        "boundary",
        a=_uri(2**64 - 2),
        b=_uri(2**64 - 1),
    )
    yield draft("distance/one-byte", "distance", "SD-DIST-1", "eight bits of one byte", a=_uri(0), b=_uri(0xFF))
    yield draft(
        "distance/capitals",
        "distance",
        ("SD-DIST-1", "SD-TEXT-3"),
        "text forms in different case",
        a=_uri(base),
        b=_uri(base).upper(),
    )
    for known in schemes().values():
        if known.words > 1:
            last = _bits(0, 3, 64, known.bits - 1)
            yield draft(
                f"distance/{known.id}",
                "distance",
                ("SD-DIST-1", "SD-DIST-3"),
                "bits of several words",
                "wide",
                a=_uri(0, known.id),
                b=_uri(last, known.id),
            )
            yield draft(
                f"distance/{known.id}-all",
                "distance",
                "SD-DIST-1",
                "all bits",
                "wide",
                a=_uri(0, known.id),
                b=_uri(2**known.bits - 1, known.id),
            )
    for left, right in combinations(schemes(), 2):
        yield draft(
            f"distance/mismatch-{left}-{right}",
            "distance",
            "SD-DIST-2",
            "different schemes have no distance",
            "negative",
            a=_uri(0, left),
            b=_uri(0, right),
        )
    yield draft(
        "distance/malformed", "distance", "SD-TEXT-3", "one of them is malformed", "negative", a=_uri(0), b="sd64:aaaa"
    )


def _planted() -> list[tuple[str, str]]:
    """Entries at every distance from 0 to 7 of one value, in every quarter and across the borders of blocks."""
    base = _mixed(7)
    flips = [
        (), (0,), (63,), (15, 16), (31, 32), (47, 48), (0, 21, 42), (12, 13, 25), (15, 31, 47), (1, 17, 33, 49), (0, 16, 32, 48), (60, 61, 62, 63), (3, 19, 35, 51, 52),
        (5, 10, 15, 20, 25, 30), (0, 9, 18, 27, 36, 45, 54),
    ]  # fmt: skip
    planted = [(f"near-{i}", _uri(base ^ _bits(*bits))) for i, bits in enumerate(flips)]
    return planted + [(f"far-{i}", _uri(_mixed(100 + i))) for i in range(20)]


def queries() -> Iterator[Draft]:
    entries, base = _planted(), _uri(_mixed(7))
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
        ("a", _uri(5)),
        ("b", _uri(5)),
        ("c", _uri(4)),
        ("d", _uri(5 ^ _bits(10, 20, 30))),
        ("e", _uri(5 ^ _bits(10, 20, 30, 40))),
    ]
    yield draft(
        "query/duplicates",
        "query",
        ("SD-LOOK-1", "SD-LOOK-2"),
        "several ids share a fingerprint",
        entries=twins,
        queries=[_uri(5), _uri(4)],
        distance=3,
    )
    yield draft(
        "query/duplicates-exact", "query", "SD-LOOK-2", "distance 0", entries=twins, queries=[_uri(5)], distance=0
    )
    zeros = [("zero", _uri(0)), ("one", _uri(1)), ("ones", _uri(2**64 - 1)), ("also-zero", _uri(0))]
    yield draft(
        "query/zero",
        "query",
        ("SD-LOOK-1", "SD-LOOK-2"),
        "the all-zero fingerprint is an ordinary value",
        "boundary",
        entries=zeros,
        queries=[_uri(0), _uri(2**64 - 1), _uri(7)],
        distance=3,
    )
    yield draft(
        "query/none",
        "query",
        "SD-LOOK-1",
        "nothing is near",
        entries=zeros,
        queries=[_uri(0x00000000FFFFFFFF)],
        distance=3,
    )
    yield draft(
        "query/empty-index",
        "query",
        "SD-LOOK-1",
        "an empty index",
        "boundary",
        entries=[],
        queries=[_uri(0)],
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
            (f"edge-{edge}-{side}", _uri(_mixed(3) ^ _bits(edge - 1 + side, (edge + 31) % 64)))
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
            queries=[_uri(_mixed(3))],
            distance=3,
        )
    one_each = [(f"bit-{bit}", _uri(_mixed(3) ^ 1 << bit)) for bit in range(64)]
    yield draft(
        "query/every-bit",
        "query",
        "SD-LOOK-1",
        "each single bit flipped",
        entries=one_each,
        queries=[_uri(_mixed(3))],
        distance=1,
    )
    yield draft(
        "query/same-block",
        "query",
        "SD-LOOK-1",
        "all entries share a block with the query, few are near",
        entries=[(f"s{i}", _uri(_mixed(3) ^ (_mixed(i) >> 16))) for i in range(30)],
        queries=[_uri(_mixed(3))],
        distance=8,
    )
    wide = [
        ("w0", _uri(0, "sd256")),
        ("w1", _uri(_bits(255, 128, 64), "sd256")),
        ("w2", _uri(_bits(0, 64, 128, 192), "sd256")),
    ]
    yield draft(
        "query/wide",
        "query",
        "SD-LOOK-1",
        "256 bits",
        "wide",
        scheme="sd256",
        entries=wide,
        queries=[_uri(0, "sd256")],
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
    chain = [(f"link-{i}", _uri(2 ** (3 * i) - 1)) for i in range(10)]
    yield draft(
        "pairs/chain",
        "find_all",
        "SD-LOOK-3",
        "each 3 bits from the next: neighbours are pairs, others are not",
        entries=chain,
        distance=3,
    )
    yield draft("pairs/chain-6", "find_all", "SD-LOOK-3", "and within 6 bits", entries=chain, distance=6)
    equal = [(f"same-{i}", _uri(_mixed(1))) for i in range(6)]
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
    zeros = [("z1", _uri(0)), ("z2", _uri(0)), ("one", _uri(1)), ("top", _uri(1 << 63))]
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
        entries=[(f"far-{i}", _uri(_mixed(i))) for i in range(12)],
        distance=3,
    )
    yield draft("pairs/empty", "find_all", "SD-LOOK-3", "no entries", "boundary", entries=[], distance=3)
    yield draft(
        "pairs/single",
        "find_all",
        "SD-LOOK-3",
        "an entry is no pair with itself",
        "boundary",
        entries=[("only", _uri(3))],
        distance=3,
    )


RECIPES = (distances, queries, pairs)
