"""Sections 10 and 13: distances bit by bit, and indexes with many answers, large buckets and every spread of bits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement, product

from generators.case_builder import Draft, draft
from generators.index_cases import mixed, numbered, pairs, query, text_form, with_bits
from simhash_doc.schemes import get_schemes

Entries = list[tuple[str, str]]
ONES = 2**64 - 1


def distances() -> Iterator[Draft]:
    """Every single bit, and every number of bits, of each scheme at the borders of its lanes."""
    required = ("SD-DIST-1", "SD-DIST-3")
    for bit in range(64):
        a, b = text_form(mixed(bit)), text_form(mixed(bit) ^ 1 << bit)
        yield draft(f"distance/bit-{bit:02}", "distance", required, f"bit {bit}", a=a, b=b)
    for known in get_schemes().values():
        counts = {1, 2, 3, 5, 31, 33, 62, 63, 64, 65, 100, 127, 128, 129, 191, 255, 256, 257, 384, 511, 512}
        for count in sorted(n for n in counts if n <= known.bits):
            base = mixed(count, known.lanes)
            for side, flipped in (("low", 2**count - 1), ("high", (2**count - 1) << known.bits - count)):
                slug, comment = f"{known.id}-{side}-{count:03}", f"the {count} {side} bits of {known.id} differ"
                a, b = text_form(base, known.id), text_form(base ^ flipped, known.id)
                yield draft(f"distance/{slug}", "distance", required, comment, a=a, b=b)


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
                    text = text_form(base ^ with_bits(*(63 - place for place in places)))
                    entries.setdefault(
                        text, f"{blocks}{'f' if larger_first else 'l'}-{''.join(map(str, chosen))}-{side}"
                    )
    return [(key, text) for text, key in entries.items()]


def spreads() -> Iterator[Draft]:
    """An entry for every way to spread the differing bits over the blocks of an index."""
    for distance in (1, 2, 3, 4):
        comment = f"{distance} bits, spread over 4, 5 and 6 blocks in every way"
        for number, base in enumerate((0, ONES, mixed(77))):
            entries = _spreads(distance, base)
            for radius in (distance - 1, distance) if number == 2 else (distance,):
                slug = f"spread-{distance}-{number}-within-{radius}"
                yield query(slug, comment, entries, [text_form(base)], radius, "boundary")
    entries = [("base", text_form(mixed(77))), *_spreads(3, mixed(77))[::7]]
    for distance in (2, 3, 4):
        yield pairs(f"spread-{distance}", "3 bits, spread over blocks, among each other", entries, distance, "boundary")
    flips = ((i, j) for i, j in combinations(range(64), 2) if (i + j) % 3 == 0)
    two = [(f"{i}-{j}", text_form(mixed(5) ^ 1 << i ^ 1 << j)) for i, j in flips]
    yield query("two-bits", "two bits, at many places", two, [text_form(mixed(5))], 2, "boundary")
    for start in (0, 13, 16, 26, 32, 39, 48, 51):
        prefix = ONES << 64 - start & ONES if start else 0
        entries = numbered("p", (prefix ^ (mixed(n) >> 45) ^ (1 << n % 64) for n in range(24)))
        comment = f"values that begin with {start} ones"
        yield query(f"prefix-{start}", comment, entries, [text_form(prefix), text_form(ONES)], 12)
        yield pairs(f"prefix-{start}", comment, entries, 9)


def many() -> Iterator[Draft]:
    """Many answers, large buckets, many queries, and values that repeat."""
    base, wanted = mixed(9), [text_form(mixed(9))]
    others: Entries = [(f"far-{number}", text_form(mixed(1000 + number))) for number in range(150)]
    entries = numbered("n", (base ^ (n & 7) for n in range(1100))) + others
    for distance in (0, 1, 3):
        comment = "1,100 entries of eight values, and 150 others"
        yield query(f"many-{distance}", comment, entries, wanted, distance, "boundary")
    for count in (10, 11, 16, 32, 33, 64, 65, 99, 100, 127, 128, 129, 255, 256):
        entries = numbered("n", (base ^ (n % 3 == 0) for n in range(count)))
        yield query(f"bucket-{count}", f"{count} entries of two values", entries, wanted, 3, "boundary")
    for count in (2, 3, 17, 46):
        equal, zeros = numbered("n", [base] * count), numbered("n", [0] * count)
        yield pairs(f"bucket-{count}", f"{count} entries of one value", equal, 0, "boundary")
        yield pairs(f"bucket-{count}-zero", f"{count} entries of the value 0", zeros, 3, "boundary")
    near = numbered("e", (mixed(n // 3) ^ 1 << n % 61 for n in range(300)))
    yield query("many-queries", "100 queries", near, [text_form(mixed(n)) for n in range(100)], 3)
    wanted = [text_form(mixed(1))] * 300 + [text_form(0)]
    yield query("many-equal-queries", "300 equal queries and another", near[:20], wanted, 3)
    yield pairs("many", "40 groups of three", near[:120], 3)
    yield pairs("many-far", "nothing is near", others, 3)
    wanted = [text_form(n) for n in (0, 1, 127, 128, 255, 256)]
    yield query("ordered-values", "the values 0 to 299", numbered("v", range(300)), wanted, 2)
    yield pairs("ordered-values", "the values 0 to 63", numbered("v", range(64)), 1)


def shared_blocks() -> Iterator[Draft]:
    """300 entries that share a block, of which the last are near: a bucket with few answers."""
    base = mixed(31)
    near = [("near", text_form(base)), ("nearer", text_form(base ^ 1)), ("nearest", text_form(base ^ (1 << 63)))]
    for start, size in ((0, 16), (16, 16), (32, 16), (48, 16), (0, 26), (13, 26), (26, 26), (38, 26)):
        block = (2**size - 1) << 64 - start - size
        entries = numbered("s", (base & block | mixed(500 + n) & ~block & ONES for n in range(300))) + near
        slug, comment = f"shared-{start}-{size}", f"entries that share the {size} bits from bit {start} on"
        yield query(slug, comment, entries, [text_form(base)], 3)
        yield pairs(slug, comment, entries[-120:], 3)


def kinds() -> Iterator[Draft]:
    """Entries and queries that are zero, equal, customised, in capitals and without a scheme, together."""
    zero = "a" * 13
    forms = {"plain": f"sd64:{zero}", "capitals": f"SD64:{zero.upper()}", "custom": f"sd64+custom:{zero}", "bare": zero, "bare-capitals": zero.upper(),
             "custom-capitals": f"SD64+CUSTOM:{zero.upper()}", "near": f"sd64:{zero[:-1]}o", "near-custom": f"sd64+custom:{zero[:-1]}o", "ones": text_form(ONES)}  # fmt: skip
    entries = list(forms.items())
    for distance in (0, 2, 3, 63, 64):
        yield query(f"kinds-{distance}", "text forms of every kind", entries, list(forms.values()), distance)
        yield pairs(f"kinds-{distance}", "text forms of every kind", entries, distance)
    for distance in (2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**32 + 3, 2**53 - 1):
        comment = "a distance that no type of 16 or 32 bits holds"
        yield query(f"distance-{distance}", comment, entries, [forms["plain"]], distance, "boundary")
        yield pairs(f"distance-{distance}", comment, entries, distance, "boundary")
    spread = [with_bits(*(63 - i * 64 // n for i in range(n))) for n in range(1, 65)]
    flips = [(f"f{n:02}", text_form(mixed(21) ^ flipped)) for n, flipped in enumerate([0, *spread])]
    for distance in (4, 5, 6, 7, 8, 9, 10, 15, 16, 17, 24, 31, 32, 33, 48):
        comment = "entries with 0 to 64 bits that differ, spread evenly"
        yield query(f"counts-{distance}", comment, flips, [text_form(mixed(21))], distance)


def wide() -> Iterator[Draft]:
    """Bits in every lane of the wide schemes, alone and together, at many distances."""
    for known in get_schemes().values():
        if known.lanes == 1:
            continue
        comment = f"{known.id}: bits in every lane"
        for slug, base in (("zero", 0), ("ones", 2**known.bits - 1), ("mixed", mixed(3, known.lanes))):
            flips = {"equal": 0}
            for lane, count in product(range(known.lanes), (1, 3, 4, 10, 11, 20, 64)):
                flips[f"lane{lane}-{count}"] = with_bits(*(64 * lane + (5 * lane + 3 * i) % 64 for i in range(count)))
            flips |= {f"every-{n}": with_bits(*range(0, known.bits, n)) for n in (64, 63, 32, 21, 16, 7)}
            entries = [(key, text_form(base ^ flipped, known.id)) for key, flipped in flips.items()]
            within = {3, known.close}
            if slug == "mixed":
                within |= {0, 1, 4, 10, 11, known.close + 1, 64, known.bits - 1, known.bits}
            for distance in sorted(within):
                name, wanted = f"lanes-{known.id}-{slug}-{distance}", [text_form(base, known.id)]
                yield query(name, comment, entries, wanted, distance, "wide", scheme=known.id)
        for distance in (0, 3, known.close):
            yield pairs(f"lanes-{known.id}-{distance}", comment, entries[:40], distance, "wide", scheme=known.id)
        base = mixed(8, known.lanes)
        equal, wanted = numbered("n", (base ^ n % 2 for n in range(140)), known.id), [text_form(base, known.id)]
        yield query(f"bucket-{known.id}", "140 entries of two values", equal, wanted, 0, "wide", scheme=known.id)


GENERATORS = (distances, spreads, many, shared_blocks, kinds, wide)
