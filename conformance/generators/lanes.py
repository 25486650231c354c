"""Section 12: limits, lengths and collisions again in the widest scheme, whose later lanes may have a condition of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from generators import collisions, limits
from generators.case_builder import Draft, draft, table
from simhash_doc_conformance.vectors.inputs import described_size

SCHEME = "sd512"
_OPERATIONS = ("fingerprint", "buckets", "tokens")
# Hashes that are neighbours in the first lane alone, buckets, and lengths that are no power of two.
_LEFT_OUT = re.compile(r"/(bit|end|length)-|-(buckets|lane-.*|[0-9]*[13579])$|-and-")
MOST = 15_000  # characters of a text that is hashed in eight lanes
SCRIPTS = {
    "two-bytes": "\u0436", "three-bytes": "\u6771", "four-bytes": "\U00010428", "four-bytes-han": "\U00020000",
    "last-bmp": "\uffdc", "mixed": "a\u0436\u6771\U00010428",
    "connector": "a_b", "digit": "a1", "mark": "q\u0316",
}  # fmt: skip
LENGTHS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511,
512, 513, 999, 1000, 1001, 1023, 1024, 1025, 2048, 4095, 4096, 4097)  # fmt: skip
DISTINCT = (1000, 2001)


def lengths() -> Iterator[Draft]:
    """A token of each length and of characters of each length, alone: its hash is the fingerprint."""
    for size in LENGTHS:
        rows = {
            f"length-{size}": (
                {"concat": [{"repeat": "x", "count": size - 1}, "y"]},
                f"a token of {size} bytes in {SCHEME}",
            )
        }
        yield from table(
            "lanes/", "fingerprint", ("SD-WIDE-2", "SD-HASH-1"), rows, "wide", member="recipe", scheme=SCHEME
        )
    for slug, letter in SCRIPTS.items():
        for count in (1, 5, 40, 400):
            repeated = {
                f"script-{slug}-{count}": (
                    {"repeat": letter, "count": count},
                    f"a token of {count} times {letter!r} in {SCHEME}",
                )
            }
            yield from table(
                "lanes/", "fingerprint", ("SD-WIDE-2", "SD-HASH-1"), repeated, "wide", member="recipe", scheme=SCHEME
            )
    tokens = [letter * count for letter in SCRIPTS.values() for count in (1, 3, 20)]
    yield draft(
        "lanes/hashes",
        "hash_tokens",
        ("SD-WIDE-2", "SD-HASH-1"),
        f"tokens of every script in {SCHEME}",
        "wide",
        scheme=SCHEME,
        tokens=tokens,
    )


def numbers() -> Iterator[Draft]:
    for count in DISTINCT:
        recipe: dict[str, Any] = {"words": count, "distinct": 1_000_000_007, "seed": count, "letters": limits.LETTERS}
        comment = f"about {count:,} distinct tokens in {SCHEME}"
        yield draft(
            f"lanes/distinct-{count}",
            "fingerprint",
            ("SD-WIDE-2", "SD-SUM-1"),
            comment,
            "wide",
            recipe=recipe,
            scheme=SCHEME,
        )
    for count in (7, 8, 9, 16, 17, 128, 255, 256, 257):
        recipe = {"concat": [{"repeat": "no ", "count": count}, "yes"]}
        comment = f"one token {count:,} times, and another, in {SCHEME}"
        yield draft(
            f"lanes/count-{count}",
            "fingerprint",
            ("SD-WIDE-2", "SD-CAP-1"),
            comment,
            "wide",
            recipe=recipe,
            scheme=SCHEME,
        )
    text = "no " * 10
    yield draft(
        "lanes/cap",
        "buckets",
        ("SD-WIDE-2", "SD-CAP-1"),
        f"one token 10 times in {SCHEME}",
        "wide",
        text=text,
        scheme=SCHEME,
    )


def again() -> Iterator[Draft]:
    """The cases of limits, and of tokens that a weak key does not tell apart, in the widest scheme."""
    sources = (
        limits.same_tokens,
        limits.sums_on_the_way,
        collisions.other_hashes,
        collisions.parts,
        collisions.equal_hashes,
    )
    for draft_ in (found for source in sources for found in source()):
        if (
            draft_.op not in _OPERATIONS
            or ("scheme" in draft_.members and draft_.members["scheme"] != "sd64")
            or _size(draft_) > MOST
        ):
            continue
        if _LEFT_OUT.search(draft_.id):
            continue
        members: dict[str, Any] = {**draft_.members, "scheme": SCHEME}
        slug = f"lanes/{draft_.id.replace('/', '-')}"
        yield replace(
            draft_, id=slug, op="fingerprint", requirements=("SD-CAP-1", "SD-WIDE-2"), members=members,
            comment=f"{draft_.comment}, in {SCHEME}", flags=("wide",),
        )  # fmt: skip
    for slug, pair in {"short-hash": ("cpev", "fxil"), "hash-31": collisions.SAME_HASH["31"]}.items():
        rows = {slug: (collisions.against(*pair), f"two tokens that a part of a hash does not tell apart, in {SCHEME}")}
        yield from table("lanes/", "fingerprint", ("SD-CAP-1", "SD-WIDE-2"), rows, "wide", scheme=SCHEME)
    for size in (4096, 8192):
        recipe = {"concat": [{"repeat": ". ", "count": size // 2 - 2}, "\u6771\u4eac\u90fd\u5e81 borderline"]}
        row = {f"border-{size}": (recipe, f"words across the character {size}, in {SCHEME}")}
        yield from table(
            "lanes/", "fingerprint", ("SD-WIDE-2", "SD-PIECE-1"), row, "wide", member="recipe", scheme=SCHEME
        )


def _size(found: Draft) -> int:
    members: Mapping[str, Any] = found.members
    return described_size(members["recipe"]) if "recipe" in members else len(members.get("text", ""))


GENERATORS = (lengths, numbers, again)
