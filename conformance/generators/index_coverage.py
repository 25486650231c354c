"""Sections 10 and 13: distances bit by bit, and indexes with many answers, large buckets and every spread of bits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, combinations_with_replacement
from typing import Any

from generators.case_builder import Draft, draft
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.schemes import get_schemes

Entries = list[tuple[str, str]]
ONES = 2**64 - 1


def _text(value: int, scheme: str = "sd64") -> str:
    return str(Fingerprint(value, scheme))


def _bits(bits: Iterable[int]) -> int:
    return sum(1 << bit for bit in set(bits))


def _mixed(number: int) -> int:
    return (number + 1) * 0x9E3779B97F4A7C15 % 2**64


def _wide(number: int, lanes: int) -> int:
    return sum(_mixed(number + 100 * lane) << 64 * lane for lane in range(lanes))


def _query(
    slug: str, comment: str, entries: Entries, queries: list[str], distance: int, *flags: str, scheme: str = ""
) -> Draft:
    wide: dict[str, Any] = {"scheme": scheme} if scheme and scheme != "sd64" else {}
    return draft(
        f"query/{slug}", "query", ("SD-LOOK-1", "SD-LOOK-2"), comment, *flags, entries=entries, queries=queries,
        distance=distance, **wide,
    )  # fmt: skip


def _pairs(slug: str, comment: str, entries: Entries, distance: int, *flags: str, scheme: str = "") -> Draft:
    wide: dict[str, Any] = {"scheme": scheme} if scheme and scheme != "sd64" else {}
    return draft(f"pairs/{slug}", "find_all", "SD-LOOK-3", comment, *flags, entries=entries, distance=distance, **wide)


def distances() -> Iterator[Draft]:
    """Every single bit, and every number of bits, of each scheme at the borders of its lanes."""
    for bit in range(64):
        yield draft(
            f"distance/bit-{bit:02}",
            "distance",
            ("SD-DIST-1", "SD-DIST-3"),
            f"bit {bit}",
            a=_text(_mixed(bit)),
            b=_text(_mixed(bit) ^ 1 << bit),
        )
    for known in get_schemes().values():
        counts = {1, 2, 3, 5, 31, 33, 62, 63, 64, 65, 100, 127, 128, 129, 191, 255, 256, 257, 384, 511, 512}
        for count in sorted(n for n in counts if n <= known.bits):
            base = _wide(count, known.lanes)
            for side, flipped in (("low", 2**count - 1), ("high", (2**count - 1) << known.bits - count)):
                yield draft(
                    f"distance/{known.id}-{side}-{count:03}", "distance", ("SD-DIST-1", "SD-DIST-3"),
                    f"the {count} {side} bits of {known.id} differ", a=_text(base, known.id), b=_text(base ^ flipped, known.id),
                )  # fmt: skip


def _spreads(distance: int, base: int) -> Entries:
    """Return an entry for every way to spread differing bits over 4, 5 and 6 blocks, at both ends of the blocks."""
    entries: dict[str, str] = {}
    for blocks in (4, 5, 6):
        # Blocks of nearly equal size, the larger ones first or last; a block is (first bit, last bit) from above.
        for larger_first in (True, False):
            sizes = [64 // blocks + ((i if larger_first else blocks - 1 - i) < 64 % blocks) for i in range(blocks)]
            ends = [sum(sizes[: i + 1]) for i in range(blocks)]
            for chosen in combinations_with_replacement(range(blocks), distance):
                for side in ("start", "end"):
                    places = [
                        ends[b] - 1 - chosen[:i].count(b) if side == "end" else ends[b] - sizes[b] + chosen[:i].count(b)
                        for i, b in enumerate(chosen)
                    ]
                    text = _text(base ^ _bits(63 - place for place in places))
                    entries.setdefault(
                        text, f"{blocks}{'f' if larger_first else 'l'}-{''.join(map(str, chosen))}-{side}"
                    )
    return [(key, text) for text, key in entries.items()]


def spreads() -> Iterator[Draft]:
    """An entry for every way to spread the differing bits over the blocks of an index."""
    for distance in (1, 2, 3, 4):
        for number, base in enumerate((0, ONES, _mixed(77))):
            entries = _spreads(distance, base)
            for radius in (distance - 1, distance):
                if radius == distance - 1 and number < 2:
                    continue
                yield _query(
                    f"spread-{distance}-{number}-within-{radius}", f"{distance} bits, spread over 4, 5 and 6 blocks in every way",
                    entries, [_text(base)], radius, "boundary",
                )  # fmt: skip
    entries = [("base", _text(_mixed(77))), *_spreads(3, _mixed(77))[::7]]
    for distance in (2, 3, 4):
        yield _pairs(
            f"spread-{distance}", "3 bits, spread over blocks, among each other", entries, distance, "boundary"
        )
    two = [(f"{i}-{j}", _text(_mixed(5) ^ 1 << i ^ 1 << j)) for i, j in combinations(range(64), 2) if (i + j) % 3 == 0]
    yield _query("two-bits", "two bits, at many places", two, [_text(_mixed(5))], 2, "boundary")
    for start in (0, 13, 16, 26, 32, 39, 48, 51):
        prefix = ONES << 64 - start & ONES if start else 0
        entries = [(f"p{n}", _text(prefix ^ (_mixed(n) >> 45) ^ (1 << n % 64))) for n in range(24)]
        yield _query(
            f"prefix-{start}", f"values that begin with {start} ones", entries, [_text(prefix), _text(ONES)], 12
        )
        yield _pairs(f"prefix-{start}", f"values that begin with {start} ones", entries, 9)


def many() -> Iterator[Draft]:
    """Many answers, large buckets, many queries, and values that repeat."""
    base = _mixed(9)
    numbered: Entries = [(f"n{number}", _text(base ^ (number & 7))) for number in range(1100)]
    others: Entries = [(f"far-{number}", _text(_mixed(1000 + number))) for number in range(150)]
    for distance in (0, 1, 3):
        yield _query(
            f"many-{distance}",
            "1,100 entries of eight values, and 150 others",
            numbered + others,
            [_text(base)],
            distance,
            "boundary",
        )
    for count in (10, 11, 16, 32, 33, 64, 65, 99, 100, 127, 128, 129, 255, 256):
        entries = [(f"n{number}", _text(base ^ (number % 3 == 0))) for number in range(count)]
        yield _query(f"bucket-{count}", f"{count} entries of two values", entries, [_text(base)], 3, "boundary")
    for count in (2, 3, 17, 46):
        yield _pairs(
            f"bucket-{count}",
            f"{count} entries of one value",
            [(f"n{n}", _text(base)) for n in range(count)],
            0,
            "boundary",
        )
        yield _pairs(
            f"bucket-{count}-zero",
            f"{count} entries of the value 0",
            [(f"n{n}", _text(0)) for n in range(count)],
            3,
            "boundary",
        )
    near: Entries = [(f"e{n}", _text(_mixed(n // 3) ^ 1 << n % 61)) for n in range(300)]
    yield _query("many-queries", "100 queries", near, [_text(_mixed(n)) for n in range(100)], 3)
    yield _query(
        "many-equal-queries", "300 equal queries and another", near[:20], [_text(_mixed(1))] * 300 + [_text(0)], 3
    )
    yield _pairs("many", "40 groups of three", near[:120], 3)
    yield _pairs("many-far", "nothing is near", others, 3)
    yield _query(
        "ordered-values",
        "the values 0 to 299",
        [(f"v{n}", _text(n)) for n in range(300)],
        [_text(n) for n in (0, 1, 127, 128, 255, 256)],
        2,
    )
    yield _pairs("ordered-values", "the values 0 to 63", [(f"v{n}", _text(n)) for n in range(64)], 1)


def shared_blocks() -> Iterator[Draft]:
    """300 entries that share a block, of which the last are near: a bucket with few answers."""
    base = _mixed(31)
    for start, size in ((0, 16), (16, 16), (32, 16), (48, 16), (0, 26), (13, 26), (26, 26), (38, 26)):
        block = (2**size - 1) << 64 - start - size
        entries = [(f"s{n}", _text(base & block | _mixed(500 + n) & ~block & ONES)) for n in range(300)]
        entries += [("near", _text(base)), ("nearer", _text(base ^ 1)), ("nearest", _text(base ^ (1 << 63)))]
        yield _query(
            f"shared-{start}-{size}",
            f"entries that share the {size} bits from bit {start} on",
            entries,
            [_text(base)],
            3,
        )
        yield _pairs(
            f"shared-{start}-{size}", f"entries that share the {size} bits from bit {start} on", entries[-120:], 3
        )


def kinds() -> Iterator[Draft]:
    """Entries and queries that are zero, equal, customised, in capitals and without a scheme, together."""
    zero = "a" * 13
    forms = {"plain": f"sd64:{zero}", "capitals": f"SD64:{zero.upper()}", "custom": f"sd64+custom:{zero}", "bare": zero, "bare-capitals": zero.upper(),
             "custom-capitals": f"SD64+CUSTOM:{zero.upper()}", "near": f"sd64:{zero[:-1]}o", "near-custom": f"sd64+custom:{zero[:-1]}o", "ones": _text(ONES)}  # fmt: skip
    entries = list(forms.items())
    for distance in (0, 2, 3, 63, 64):
        yield _query(f"kinds-{distance}", "text forms of every kind", entries, list(forms.values()), distance)
        yield _pairs(f"kinds-{distance}", "text forms of every kind", entries, distance)
    for distance in (2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**32 + 3, 2**53 - 1):
        yield _query(
            f"distance-{distance}",
            "a distance that no type of 16 or 32 bits holds",
            entries,
            [forms["plain"]],
            distance,
            "boundary",
        )
        yield _pairs(
            f"distance-{distance}", "a distance that no type of 16 or 32 bits holds", entries, distance, "boundary"
        )
    for distance in (4, 5, 6, 7, 8, 9, 10, 15, 16, 17, 24, 31, 32, 33, 48):
        flips = [
            (f"f{n:02}", _text(_mixed(21) ^ _bits(63 - i * 64 // max(n, 1) for i in range(n)))) for n in range(0, 65, 1)
        ]
        yield _query(
            f"counts-{distance}",
            "entries with 0 to 64 bits that differ, spread evenly",
            flips,
            [_text(_mixed(21))],
            distance,
        )


def wide() -> Iterator[Draft]:
    """Bits in every lane of the wide schemes, alone and together, at many distances."""
    for known in get_schemes().values():
        if known.lanes == 1:
            continue
        for slug, base in (("zero", 0), ("ones", 2**known.bits - 1), ("mixed", _wide(3, known.lanes))):
            entries: Entries = [("equal", _text(base, known.id))]
            for lane in range(known.lanes):
                for count in (1, 3, 4, 10, 11, 20, 64):
                    flipped = _bits(64 * lane + (5 * lane + 3 * i) % 64 for i in range(count))
                    entries.append((f"lane{lane}-{count}", _text(base ^ flipped, known.id)))
            for step in (64, 63, 32, 21, 16, 7):
                entries.append((f"every-{step}", _text(base ^ _bits(range(0, known.bits, step)), known.id)))
            for distance in sorted({0, 1, 3, 4, 10, 11, known.close, known.close + 1, 64, known.bits - 1, known.bits}):
                if slug != "mixed" and distance not in (3, known.close):
                    continue
                yield _query(
                    f"lanes-{known.id}-{slug}-{distance}",
                    f"{known.id}: bits in every lane",
                    entries,
                    [_text(base, known.id)],
                    distance,
                    "wide",
                    scheme=known.id,
                )
            if slug == "mixed":
                for distance in (0, 3, known.close):
                    yield _pairs(
                        f"lanes-{known.id}-{distance}",
                        f"{known.id}: bits in every lane",
                        entries[:40],
                        distance,
                        "wide",
                        scheme=known.id,
                    )
        equal: Entries = [(f"n{n}", _text(_wide(8, known.lanes) ^ n % 2, known.id)) for n in range(140)]
        yield _query(
            f"bucket-{known.id}",
            "140 entries of two values",
            equal,
            [_text(_wide(8, known.lanes), known.id)],
            0,
            "wide",
            scheme=known.id,
        )


GENERATORS = (distances, spreads, many, shared_blocks, kinds, wide)
