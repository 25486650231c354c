"""Mutants of section 10, distance, and section 13, search."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from simhash_doc.conformance.implementation import Entry, Implementation
from simhash_doc.conformance.mutants import mutant
from simhash_doc.fingerprint import Fingerprint


@mutant("SD-DIST-1", "counts differing characters instead of bits")
class DistanceCharacters(Implementation):
    def differing_bits(self, a: Fingerprint, b: Fingerprint) -> int:
        super().differing_bits(a, b)
        return sum(x != y for x, y in zip(str(a), str(b), strict=True))


@mutant("SD-DIST-1", "counts differing bytes instead of bits")
class DistanceBytes(Implementation):
    def differing_bits(self, a: Fingerprint, b: Fingerprint) -> int:
        super().differing_bits(a, b)
        return sum(x != y for x, y in zip(bytes(a), bytes(b), strict=True))


@mutant("SD-DIST-1", "compares the first 64 bits only")
class DistanceFirstWord(Implementation):
    def differing_bits(self, a: Fingerprint, b: Fingerprint) -> int:
        super().differing_bits(a, b)
        return (int.from_bytes(bytes(a)[:8]) ^ int.from_bytes(bytes(b)[:8])).bit_count()


@mutant("SD-DIST-1", "loses the highest bit (a signed 64-bit integer)")
class DistanceSigned(Implementation):
    def differing_bits(self, a: Fingerprint, b: Fingerprint) -> int:
        super().differing_bits(a, b)
        return ((a.value ^ b.value) & ~(1 << 63)).bit_count()


@mutant("SD-DIST-1", "loses the low bits (53-bit integers, as in JavaScript numbers)")
class DistanceDouble(Implementation):
    def differing_bits(self, a: Fingerprint, b: Fingerprint) -> int:
        super().differing_bits(a, b)
        return (int(float(a.value)) ^ int(float(b.value))).bit_count()


@mutant("SD-DIST-2", "compares fingerprints of different schemes")
class DistanceAnySchemes(Implementation):
    def differing_bits(self, a: Fingerprint, b: Fingerprint) -> int:
        return (int.from_bytes(bytes(a)[:8]) ^ int.from_bytes(bytes(b)[:8])).bit_count()


@mutant("SD-DIST-3", "divides by 64 for every scheme")
class SimilarityBySixtyFour(Implementation):
    def similarity(self, distance: int, bits: int) -> float:
        return 1 - distance / 64


@mutant("SD-DIST-3", "divides by 63 for each lane of a wide scheme")
class SimilarityDistanceWide(Implementation):
    def similarity(self, distance: int, bits: int) -> float:
        return 1 - distance / (bits if bits == 64 else bits // 64 * 63)


@mutant("SD-DIST-3", "returns the share of differing bits instead of the similarity")
class SimilarityInverted(Implementation):
    def similarity(self, distance: int, bits: int) -> float:
        return distance / bits


@mutant("SD-DIST-3", "returns the estimated cosine instead of 1 - distance / bits")
class SimilarityCosine(Implementation):
    def similarity(self, distance: int, bits: int) -> float:
        import math

        return math.cos(math.pi * distance / bits)


@mutant("SD-LOOK-1", "uses a strict radius: less than the distance, not at most")
class LookupStrictRadius(Implementation):
    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        return super().query(entries, wanted, distance - 1)

    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        return super().find_all(entries, distance - 1)


@mutant("SD-LOOK-1", "searches only where the leading 16 bits agree")
class LookupOneTable(Implementation):
    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        leading = bytes(self.parse(wanted))[:2]
        return super().query([e for e in entries if bytes(self.parse(e[1]))[:2] == leading], wanted, distance)


@mutant("SD-LOOK-1", "returns an entry once per table in which it is found")
class LookupRepeats(Implementation):
    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        target = bytes(self.parse(wanted))
        found = super().query(entries, wanted, distance)
        texts = dict(entries)
        return [
            key
            for key in found
            for block in range(4)
            if bytes(self.parse(texts[key]))[2 * block : 2 * block + 2] == target[2 * block : 2 * block + 2]
        ]


@mutant("SD-LOOK-1", "omits entries that are equal to the query")
class LookupWithoutEqual(Implementation):
    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        target = self.parse(wanted)
        return [k for k in super().query(entries, wanted, distance) if self.parse(dict(entries)[k]) != target]


@mutant("SD-LOOK-2", "keeps only one entry per fingerprint")
class LookupDropsDuplicates(Implementation):
    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        return super().query(
            [(key, text) for text, key in {text: key for key, text in entries}.items()], wanted, distance
        )


@mutant("SD-LOOK-2", "treats the all-zero fingerprint as an empty slot")
class LookupSkipsZero(Implementation):
    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        return super().query([e for e in entries if self.parse(e[1]).value], wanted, distance)

    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        return super().find_all([e for e in entries if self.parse(e[1]).value], distance)


@mutant("SD-LOOK-3", "omits pairs with equal fingerprints")
class PairsWithoutEqual(Implementation):
    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        texts = {key: self.parse(text) for key, text in entries}
        return [(a, b) for a, b in super().find_all(entries, distance) if texts[a] != texts[b]]


@mutant("SD-LOOK-3", "returns each pair in both orders")
class PairsTwice(Implementation):
    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        found = super().find_all(entries, distance)
        return found + [(b, a) for a, b in found]


@mutant("SD-LOOK-3", "pairs each entry with itself")
class PairsWithSelf(Implementation):
    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        return super().find_all(entries, distance) + [(key, key) for key, _ in entries]


@mutant("SD-LOOK-3", "compares only neighbours in sorted order")
class PairsNeighboursOnly(Implementation):
    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        ordered = sorted(entries, key=lambda entry: self.parse(entry[1]).value)
        return [
            pair
            for a, b in itertools.pairwise(ordered)
            for pair in super(PairsNeighboursOnly, self).find_all([a, b], distance)
        ]
