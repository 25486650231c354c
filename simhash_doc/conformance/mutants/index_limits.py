"""Mutants of an index: limits of answers and buckets, blocks and tables, kinds of entries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from simhash_doc.conformance.implementation import Entry, Implementation
from simhash_doc.conformance.mutants import mutant
from simhash_doc.fingerprint import Fingerprint


class _Answers(Implementation):
    """Limits the number of answers."""

    most = 0

    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        return super().query(entries, wanted, distance)[: self.most]


@mutant("SD-LOOK-1", "gives at most 10 answers")
class IndexAnswers10(_Answers):
    most = 10


@mutant("SD-LOOK-1", "gives at most 100 answers")
class IndexAnswers100(_Answers):
    most = 100


@mutant("SD-LOOK-1", "gives at most 255 answers")
class IndexAnswers255(_Answers):
    most = 255


@mutant("SD-LOOK-1", "gives at most 1,000 answers")
class IndexAnswers1000(_Answers):
    most = 1000


@mutant("SD-LOOK-1", "gives one answer")
class IndexAnswersOne(_Answers):
    most = 1


@mutant("SD-LOOK-3", "gives at most 100 pairs")
class PairsAnswers100(Implementation):
    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        return super().find_all(entries, distance)[:100]


@mutant("SD-LOOK-3", "gives at most 1,000 pairs")
class PairsAnswers1000(Implementation):
    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        return super().find_all(entries, distance)[:1000]


class _Bucket(Implementation):
    """Compares only some of the entries that share their first 16 bits."""

    def size(self, count: int) -> int:
        raise AssertionError("each mutant replaces this")

    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        first = [bytes(self.parse(text))[:2] for _, text in entries]
        sizes = Counter(first)
        seen: Counter[bytes] = Counter()
        kept = []
        for entry, block in zip(entries, first, strict=True):
            seen[block] += 1
            if seen[block] <= self.size(sizes[block]):
                kept.append(entry)
        return super().query(kept, wanted, distance)


@mutant("SD-LOOK-2", "looks at the first 16 entries of a bucket only")
class IndexBucket16(_Bucket):
    def size(self, count: int) -> int:
        return 16


@mutant("SD-LOOK-2", "looks at the first 100 entries of a bucket only")
class IndexBucket100(_Bucket):
    def size(self, count: int) -> int:
        return 100


@mutant("SD-LOOK-2", "looks at the first 1,000 entries of a bucket only")
class IndexBucket1000(_Bucket):
    def size(self, count: int) -> int:
        return 1000


@mutant("SD-LOOK-2", "keeps the size of a bucket in a byte: 256 is 0")
class IndexBucket256(_Bucket):
    def size(self, count: int) -> int:
        return count % 256


@mutant("SD-LOOK-2", "keeps the size of a bucket in a signed byte: 128 is negative")
class IndexBucketInt8(_Bucket):
    def size(self, count: int) -> int:
        return (count + 128) % 256 - 128


class _Blocks(Implementation):
    """Finds an entry only if enough blocks are equal: those of one of the tables."""

    borders: tuple[int, ...] = (0, 13, 26, 39, 52, 64)  # from the most significant bit

    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        target = self.parse(wanted)
        if target.scheme_id != "sd64" or distance > 3:
            return super().query(entries, wanted, distance)
        near = [(key, text) for key, text in entries if self.is_candidate(target.value ^ self.parse(text).value)]
        return super().query(near, wanted, distance)

    def equal_blocks(self, difference: int) -> list[int]:
        bits = f"{difference:064b}"
        ends = zip(self.borders, self.borders[1:], strict=False)
        return [number for number, (start, end) in enumerate(ends) if "1" not in bits[start:end]]

    def is_candidate(self, difference: int) -> bool:
        return len(self.equal_blocks(difference)) >= 2


@mutant("SD-LOOK-1", "lacks the first of ten tables: that of the first two blocks")
class IndexTableMissingFirst(_Blocks):
    def is_candidate(self, difference: int) -> bool:
        equal = self.equal_blocks(difference)
        return len(equal) >= 2 and equal != [0, 1]


@mutant("SD-LOOK-1", "lacks the last of ten tables: that of the last two blocks")
class IndexTableMissingLast(_Blocks):
    def is_candidate(self, difference: int) -> bool:
        equal = self.equal_blocks(difference)
        return len(equal) >= 2 and equal != [3, 4]


@mutant("SD-LOOK-1", "builds a table for adjacent blocks only")
class IndexTablesAdjacent(_Blocks):
    def is_candidate(self, difference: int) -> bool:
        equal = self.equal_blocks(difference)
        return any(block + 1 in equal for block in equal)


@mutant("SD-LOOK-1", "cuts blocks of 13 bits, the last of which begins at 51 and overlaps another")
class IndexBlockOverlap(_Blocks):
    def is_candidate(self, difference: int) -> bool:
        bits = f"{difference:064b}"
        return sum("1" not in bits[start : start + 13] for start in (0, 13, 26, 39, 51)) >= 2


@mutant("SD-LOOK-1", "requires three equal blocks of five")
class IndexThreeBlocks(_Blocks):
    def is_candidate(self, difference: int) -> bool:
        return len(self.equal_blocks(difference)) >= 3


class _Quarters(_Blocks):
    """Requires one of four blocks of 16 bits to be equal, for every distance."""

    borders = (0, 16, 32, 48, 64)

    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        target = self.parse(wanted)
        if target.scheme_id != "sd64":
            return super().query(entries, wanted, distance)
        near = [(key, text) for key, text in entries if self.equal_blocks(target.value ^ self.parse(text).value)]
        return Implementation.query(self, near, wanted, distance)


@mutant("SD-LOOK-1", "uses the tables for distance 3 (four blocks of 16 bits) for larger distances, too")
class IndexFourBlocksOfFour(_Quarters):
    pass


@mutant("SD-LOOK-1", "finds nothing after a prefix of ones: the end of its range overflows")
class IndexPrefixOverflow(_Blocks):
    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        target = self.parse(wanted)
        if target.scheme_id == "sd64" and target.value >> 38 == 2**26 - 1:
            entries = [
                entry
                for entry in entries
                if any(b > 1 for b in self.equal_blocks(target.value ^ self.parse(entry[1]).value))
            ]
        return Implementation.query(self, entries, wanted, distance)


@mutant("SD-LOOK-2", "finds nothing for the query 0")
class IndexZeroQuery(Implementation):
    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        return super().query(entries, wanted, distance) if self.parse(wanted).value else []


class _Queries(Implementation):
    """Remembers the queries of a request."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def check_search(self, entries: Sequence[Entry], queries: Sequence[str]) -> None:
        super().check_search(entries, queries)
        self.asked = []


@mutant("SD-LOOK-1", "answers the first of several queries only")
class IndexOneQuery(_Queries):
    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        self.asked.append(wanted)
        return super().query(entries, wanted, distance) if len(self.asked) == 1 else []


@mutant("SD-LOOK-1", "answers equal queries once")
class IndexQueriesDeduplicated(_Queries):
    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        self.asked.append(wanted)
        return super().query(entries, wanted, distance) if self.asked.count(wanted) == 1 else []


@mutant("SD-LOOK-1", "reports an empty index as an error")
class IndexEmptyError(Implementation):
    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        if not entries:
            raise ValueError("the index is empty")
        return super().query(entries, wanted, distance)

    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        if not entries:
            raise ValueError("the index is empty")
        return super().find_all(entries, distance)


@mutant("SD-LOOK-4", "compares text forms as they stand for distance 0, so capitals are another value")
class IndexCapitalEntries(Implementation):
    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        kept = [entry for entry in entries if distance or entry[1] == wanted]
        return super().query(kept, wanted, distance)


class _Distance(Implementation):
    """Keeps the distance in a type that is too small."""

    bits = 0

    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        return super().query(entries, wanted, distance % 2**self.bits)

    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        return super().find_all(entries, distance % 2**self.bits)


@mutant("SD-LOOK-5", "keeps the distance of a query in 8 bits")
class IndexDistanceUint8(_Distance):
    bits = 8


@mutant("SD-LOOK-5", "keeps the distance of a query in 16 bits")
class IndexDistanceUint16(_Distance):
    bits = 16


@mutant("SD-LOOK-5", "keeps the distance of a query in 32 bits")
class IndexDistanceUint32(_Distance):
    bits = 32


@mutant("SD-LOOK-5", "searches at most 8 bits away")
class IndexDistanceEight(Implementation):
    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        return super().query(entries, wanted, min(8, distance))


@mutant("SD-DIST-1", "keeps the distance in a byte: 256 is 0")
class DistanceUint8(Implementation):
    def differing_bits(self, a: Fingerprint, b: Fingerprint) -> int:
        return super().differing_bits(a, b) % 256


@mutant("SD-DIST-3", "rounds the similarity to six places")
class SimilarityRoundSix(Implementation):
    def similarity(self, distance: int, bits: int) -> float:
        return round(super().similarity(distance, bits), 6)


@mutant("SD-DIST-3", "rounds the similarity to two places")
class SimilarityRoundTwo(Implementation):
    def similarity(self, distance: int, bits: int) -> float:
        return round(super().similarity(distance, bits), 2)


@mutant("SD-DIST-3", "returns the similarity in percent")
class SimilarityPercent(Implementation):
    def similarity(self, distance: int, bits: int) -> float:
        return 100 * super().similarity(distance, bits)
