"""Section 13: indexes near the limits of numbers and positions, with entries from a recipe; and indexes that change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from generators.case_builder import Draft, draft
from generators.index_cases import pairs, query, text_form
from simhash_doc.schemes import get_schemes
from simhash_doc_conformance.vectors.inputs import read_entries

LARGE, HUGE = 3000, 70_000  # entries


def _recipe(count: int, scheme: str = "sd64", **options: Any) -> dict[str, Any]:
    known = {"count": count, "scheme": scheme, "seed": count, "distinct": count, "flips": 0, "prefix": 0}
    return {**known, "order": "generated", "first_id": 0, **options}


def _flags(count: int) -> list[str]:
    return ["boundary", *["large"] * (count > LARGE), *["huge"] * (count > HUGE)]


def _query(slug: str, comment: str, recipe: dict[str, Any], distance: int, places: int = 4) -> Draft:
    """Return a query for entries at both ends, at borders of positions, and in between."""
    entries, count = read_entries(recipe), recipe["count"]
    borders = [at for power in (8, 11, 16, 20) for at in (2**power - 1, 2**power) if at < count]
    chosen = [count - 1, 0, *borders[-2:], count // 2][:places]
    queries = [entries[at][1] for at in dict.fromkeys(chosen)]
    return query(slug, comment, recipe, queries, distance, *_flags(count), scheme=recipe["scheme"], digest=True)


def _pairs(slug: str, comment: str, recipe: dict[str, Any], distance: int) -> Draft:
    return pairs(slug, comment, recipe, distance, *_flags(recipe["count"]), scheme=recipe["scheme"], digest=True)


def sizes() -> Iterator[Draft]:
    """Numbers of entries near powers of two and ten; each entry has a near one in the other half."""
    for count in (255, 256, 257, 1251, 2047, 2048, 2049, 10_001, 65_537, 100_001, 2**20 + 1):
        recipe = _recipe(count, distinct=-(-count // 2), flips=2)
        yield _query(f"size-{count}", f"{count:,} entries", recipe, 3, 2 if count > HUGE else 4)
    for count in (257, 2049, 10_001):
        yield _query(f"equal-{count}", f"{count:,} equal entries", _recipe(count, distinct=1), 0, 1)
        recipe = _recipe(count, distinct=-(-count // 2), flips=2)
        yield _pairs(f"size-{count}", f"{count:,} entries, half of them near the other half", recipe, 3)
    yield _query("equal-65536", "65,536 equal entries", _recipe(65_536, distinct=1), 0, 1)
    for count in (142, 363):
        comment = f"{count} equal entries: {count * (count - 1) // 2:,} pairs"
        yield _pairs(f"equal-{count}", comment, _recipe(count, distinct=1), 0)
    recipe = _recipe(65_541, distinct=65_536)
    yield _pairs("size-65541", "65,541 entries, of which the last five equal the first five", recipe, 1)


def orders() -> Iterator[Draft]:
    """Entries in order and in reverse, and with the same first bits."""
    for order in ("ascending", "descending"):
        recipe = _recipe(10_001, distinct=5000, flips=2, order=order)
        yield _query(f"order-{order}", f"10,001 entries, {order}", recipe, 3)
        yield _pairs(f"order-{order}", f"10,001 entries, {order}", recipe, 2)
    for prefix in (16, 32, 44):
        recipe = _recipe(10_001, distinct=5000, flips=2, prefix=prefix)
        yield _query(f"skewed-{prefix}", f"10,001 entries with the same first {prefix} bits", recipe, 3)
    yield _query("bucket-65537", "65,537 entries with the same first 16 bits", _recipe(65_537, prefix=16), 3)
    recipe = _recipe(2049, distinct=1024, flips=2, prefix=40)
    yield _pairs("skewed-40", "2,049 entries with the same first 40 bits", recipe, 3)


def schemes() -> Iterator[Draft]:
    """Many wide entries; and distances over a byte."""
    for known in get_schemes().values():
        if known.lanes == 1:
            continue
        recipe = _recipe(10_001, known.id, distinct=5000, flips=known.close + 1)
        yield _query(f"size-10001-{known.id}", f"10,001 entries of {known.id}", recipe, known.close)
        recipe = _recipe(2049, known.id, distinct=1024, flips=2)
        yield _pairs(f"size-2049-{known.id}", f"2,049 entries of {known.id}", recipe, 3)
    # Enough wide entries for joins lane by lane. Copies differ in up to 29 bits, spread over the lanes.
    recipe = _recipe(16_401, "sd256", distinct=1093, flips=16)
    yield _pairs("size-16401-sd256", "16,401 entries of sd256, with pairs on both sides of 26 bits", recipe, 26)
    # Bits of one end differ: 255, 256, 257, 300, ... of 512.
    counts = (0, 254, 255, 256, 257, 300, 511, 512)
    entries = [(str(count), text_form(2**count - 1, "sd512")) for count in counts]
    more: dict[str, Any] = {"requirements": "SD-LOOK-5", "scheme": "sd512"}
    for n in (255, 256, 300, 511, 512):
        slug, wanted = f"far-sd512-{n}", [entries[0][1]]
        yield query(slug, f"within {n} bits", entries, wanted, n, "boundary", "wide", **more)
    yield pairs("far-sd512-300", "within 300 bits", entries, 300, "boundary", "wide", **more)


def updates() -> Iterator[Draft]:
    """Insertions, removals and queries in turn."""
    for scheme in ("sd64", "sd256"):
        for count in (20, 300, 2100):
            recipe = _recipe(count, scheme, distinct=count // 4, flips=2)
            entries = read_entries(recipe)
            later = _recipe(count // 2, scheme, distinct=count // 4, flips=2, seed=count, first_id=count)
            queries = [entries[at][1] for at in (0, 1, count // 4 - 1, count - 1)]
            gone = [str(number) for number in range(0, count, max(3, count // 100))]
            steps = [
                {"insert": recipe, "query": queries},
                {"remove": gone, "query": queries},
                {"insert": later, "query": queries},
                {"remove": [str(count)], "query": queries},
                {"insert": [[key, text] for key, text in entries if key in gone[:7]], "query": queries},
            ]
            yield draft(
                f"update/{scheme}-{count}", "update", ("SD-LOOK-1", "SD-LOOK-2"),
                f"{count:,} entries, of which some are removed, others inserted, and some inserted again",
                steps=steps, distance=3, scheme=scheme, digest=True,
            )  # fmt: skip
    one, high = text_form(7), text_form(2**63)
    steps = [
        {"insert": [["a", one], ["b", one], ["c", high]], "query": [one]},
        {"remove": ["a"], "query": [one]},
        {"remove": ["b"], "query": [one, high]},
        {"insert": [["a", one]], "query": [one]},
    ]
    yield draft(
        "update/equal", "update", ("SD-LOOK-1", "SD-LOOK-2"), "one of two equal entries is removed, and then the other",
        steps=steps, distance=3, scheme="sd64",
    )  # fmt: skip


BORDERS = (127, 128, 129, 255, 256, 257, 999, 1000, 1001, 1024)  # of bytes, and of parameters of a statement of SQLite
WIDE_BORDERS = (32_767, 65_537)


def _update(slug: str, comment: str, steps: Any) -> Draft:
    required = ("SD-LOOK-1", "SD-LOOK-2")
    return draft(
        f"update/{slug}", "update", required, comment, "boundary", steps=steps, distance=0, scheme="sd64", digest=True
    )


def batches() -> Iterator[Draft]:
    """So many queries, ids to remove, tokens and steps as a counter or a database holds at once, and one more."""
    one, other = text_form(7), text_form(2**63)
    for count in (*BORDERS, *WIDE_BORDERS):
        flags = _flags(count)
        queries: dict[str, Any] = {"concat": [{"repeat": [one], "count": count - 1}, [other]]}
        comment = f"{count:,} queries at once"
        yield query(f"batch-{count}", comment, [("a", one), ("b", other)], queries, 0, *flags, digest=True)
    for count in (*BORDERS, 4098):
        entries = _recipe(count, distinct=1)
        removed = [{"insert": entries}, {"remove": {"numbers": [1, count - 1]}, "query": read_queries(entries)}]
        yield _update(f"removed-at-once-{count}", f"all of {count:,} entries but one are removed in one step", removed)
    for count in (255, 256, 257, 1001):
        tokens = {"concat": [{"repeat": ["a"], "count": count - 1}, ["word"]]}
        comment = f"{count:,} tokens at once"
        yield draft(
            f"hash/tokens-{count}", "hash_tokens", "SD-HASH-1", comment, *_flags(count), tokens=tokens, digest=True
        )


def histories() -> Iterator[Draft]:
    """One id that is inserted and removed again and again; and others, one in each step."""
    one, other = text_form(7), text_form(8)
    turn = [{"insert": [["a", one]]}, {"remove": ["a"]}]
    for count in (2, 3, 4, 7, 8, 15, 16, 127, 128, 255, 256, 257, 1024, 4097):
        end = [{"query": [one]}, {"insert": [["a", other]], "query": [one, other]}]
        steps = {"concat": [{"repeat": turn, "count": count - 1}, end]}
        yield _update(f"again-{count}", f"an id that is inserted {count:,} times, at last with another value", steps)
        steps = {
            "concat": [
                [{"insert": [["b", one]]}],
                {"repeat": turn, "count": count},
                [{"query": [one]}, {"remove": ["b"], "query": [one]}],
            ]
        }
        yield _update(f"removals-{count}", f"{count:,} removals, one in each step, and one more", steps)
    for count in (255, 257):
        inserts = [{"insert": [[str(number), one]]} for number in range(count)]
        removes = [{"remove": [str(number)]} for number in range(count - 1)]
        end = [{"query": [one]}]
        steps = {"concat": [inserts, end, removes, end]}
        yield _update(f"one-by-one-{count}", f"{count} ids, each inserted and removed in a step of its own", steps)


def read_queries(entries: dict[str, Any]) -> list[str]:
    """Return the text form of the first entry of a recipe."""
    return [read_entries(entries)[0][1]]


GENERATORS = (sizes, orders, schemes, updates, batches, histories)
