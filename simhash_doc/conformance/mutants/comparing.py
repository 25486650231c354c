"""Wrong ports of section 10, distance, and section 13, look-up."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from simhash_doc.conformance.mutants import wrong
from simhash_doc.conformance.steps import Entry, Steps
from simhash_doc.value import Fingerprint


@wrong("SD-DIST-1", "you count the characters that differ, not the bits")
class DistanceCharacters(Steps):
    def distance(self, a: Fingerprint, b: Fingerprint) -> int:
        super().distance(a, b)
        return sum(x != y for x, y in zip(str(a), str(b), strict=True))


@wrong("SD-DIST-1", "you count the bytes that differ, not the bits")
class DistanceBytes(Steps):
    def distance(self, a: Fingerprint, b: Fingerprint) -> int:
        super().distance(a, b)
        return sum(x != y for x, y in zip(bytes(a), bytes(b), strict=True))


@wrong("SD-DIST-1", "you compare the first 64 bits only")
class DistanceFirstWord(Steps):
    def distance(self, a: Fingerprint, b: Fingerprint) -> int:
        super().distance(a, b)
        return (int.from_bytes(bytes(a)[:8]) ^ int.from_bytes(bytes(b)[:8])).bit_count()


@wrong("SD-DIST-1", "you lose the highest bit (a signed 64-bit integer)")
class DistanceSigned(Steps):
    def distance(self, a: Fingerprint, b: Fingerprint) -> int:
        super().distance(a, b)
        return ((a.value ^ b.value) & ~(1 << 63)).bit_count()


@wrong("SD-DIST-1", "you lose the low bits (53-bit integers, as in JavaScript numbers)")
class DistanceDouble(Steps):
    def distance(self, a: Fingerprint, b: Fingerprint) -> int:
        super().distance(a, b)
        return (int(float(a.value)) ^ int(float(b.value))).bit_count()


@wrong("SD-DIST-2", "you compare fingerprints of different schemes")
class DistanceAnySchemes(Steps):
    def distance(self, a: Fingerprint, b: Fingerprint) -> int:
        return (int.from_bytes(bytes(a)[:8]) ^ int.from_bytes(bytes(b)[:8])).bit_count()


@wrong("SD-DIST-3", "you divide by 64 for every scheme")
class SimilarityBySixtyFour(Steps):
    def similarity(self, distance: int, bits: int) -> float:
        return 1 - distance / 64


@wrong("SD-DIST-3", "you give the share of differing bits instead of the similarity")
class SimilarityInverted(Steps):
    def similarity(self, distance: int, bits: int) -> float:
        return distance / bits


@wrong("SD-DIST-3", "you give the cosine that the angle estimates instead of 1 - distance / bits")
class SimilarityCosine(Steps):
    def similarity(self, distance: int, bits: int) -> float:
        import math

        return math.cos(math.pi * distance / bits)


@wrong("SD-LOOK-1", "your radius is strict: you find less than the distance, not at most")
class LookupStrictRadius(Steps):
    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        return super().query(entries, wanted, distance - 1)

    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        return super().find_all(entries, distance - 1)


@wrong("SD-LOOK-1", "your index is incomplete: it looks only where the leading 16 bits agree")
class LookupOneTable(Steps):
    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        leading = bytes(self.decode(wanted))[:2]
        return super().query([e for e in entries if bytes(self.decode(e[1]))[:2] == leading], wanted, distance)


@wrong("SD-LOOK-1", "you give an entry once for each table in which it is found")
class LookupRepeats(Steps):
    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        target = bytes(self.decode(wanted))
        found = super().query(entries, wanted, distance)
        texts = dict(entries)
        return [
            key
            for key in found
            for block in range(4)
            if bytes(self.decode(texts[key]))[2 * block : 2 * block + 2] == target[2 * block : 2 * block + 2]
        ]


@wrong("SD-LOOK-1", "your query leaves out an entry with the very fingerprint asked for")
class LookupWithoutEqual(Steps):
    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        target = self.decode(wanted)
        return [k for k in super().query(entries, wanted, distance) if self.decode(dict(entries)[k]) != target]


@wrong("SD-LOOK-2", "you keep one entry for each fingerprint")
class LookupDropsDuplicates(Steps):
    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        return super().query(
            [(key, text) for text, key in {text: key for key, text in entries}.items()], wanted, distance
        )


@wrong("SD-LOOK-2", "you take the all-zero fingerprint for an empty slot")
class LookupSkipsZero(Steps):
    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        return super().query([e for e in entries if self.decode(e[1]).value], wanted, distance)

    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        return super().find_all([e for e in entries if self.decode(e[1]).value], distance)


@wrong("SD-LOOK-3", "you leave out pairs with equal fingerprints")
class PairsWithoutEqual(Steps):
    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        texts = {key: self.decode(text) for key, text in entries}
        return [(a, b) for a, b in super().find_all(entries, distance) if texts[a] != texts[b]]


@wrong("SD-LOOK-3", "you give each pair both ways round")
class PairsTwice(Steps):
    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        found = super().find_all(entries, distance)
        return found + [(b, a) for a, b in found]


@wrong("SD-LOOK-3", "you pair each entry with itself")
class PairsWithSelf(Steps):
    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        return super().find_all(entries, distance) + [(key, key) for key, _ in entries]


@wrong("SD-LOOK-3", "you compare only neighbours in sorted order")
class PairsNeighboursOnly(Steps):
    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        ordered = sorted(entries, key=lambda entry: self.decode(entry[1]).value)
        return [
            pair
            for a, b in itertools.pairwise(ordered)
            for pair in super(PairsNeighboursOnly, self).find_all([a, b], distance)
        ]
