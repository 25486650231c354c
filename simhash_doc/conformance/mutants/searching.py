"""Mutants of the document on search: schemes, distances and ids of an index."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from simhash_doc.conformance.implementation import Entry, Implementation
from simhash_doc.conformance.mutants import mutant
from simhash_doc.errors import SchemeMismatchError, SpecError


class _Selecting(Implementation):
    """Silently leaves out entries."""

    def kept(self, entries: Sequence[Entry]) -> list[Entry]:
        raise AssertionError("each mutant replaces this")

    def check_search(self, entries: Sequence[Entry], queries: Sequence[str]) -> None:
        super().check_search(self.kept(entries), queries)

    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        return super().query(self.kept(entries), wanted, distance)

    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        return super().find_all(self.kept(entries), distance)


@mutant("SD-LOOK-4", "skips malformed entries of an index")
class IndexMalformedSkipped(_Selecting):
    def kept(self, entries: Sequence[Entry]) -> list[Entry]:
        return [entry for entry in entries if self._is_well_formed(entry[1])]

    def _is_well_formed(self, text: str) -> bool:
        try:
            self.parse(text)
        except SpecError:
            return False
        return True


@mutant("SD-LOOK-4", "skips entries of another scheme than the first one")
class IndexMixedSkipped(_Selecting):
    def kept(self, entries: Sequence[Entry]) -> list[Entry]:
        parsed = self.parse_all([text for _, text in entries])
        return [e for e, found in zip(entries, parsed, strict=True) if found.scheme_id == parsed[0].scheme_id]


@mutant("SD-LOOK-4", "leaves customised fingerprints out of an index")
class IndexCustomLeftOut(_Selecting):
    def kept(self, entries: Sequence[Entry]) -> list[Entry]:
        return [entry for entry in entries if "+" not in entry[1]]


@mutant("SD-LOOK-4", "treats a customised fingerprint as another scheme in an index")
class IndexCustomMismatch(Implementation):
    def check_search(self, entries: Sequence[Entry], queries: Sequence[str]) -> None:
        super().check_search(entries, queries)
        texts = [*(text for _, text in entries), *queries]
        if len({"+" in text for text in texts}) > 1:
            raise SchemeMismatchError("customised and canonical")


@mutant("SD-LOOK-4", "finds nothing for a query of another scheme than the entries")
class IndexQueryMismatchEmpty(Implementation):
    def check_search(self, entries: Sequence[Entry], queries: Sequence[str]) -> None:
        super().check_search(entries, ())
        self.parse_all(queries)

    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        target = self.parse(wanted)
        return super().query([e for e in entries if self.parse(e[1]).scheme_id == target.scheme_id], wanted, distance)


@mutant("SD-LOOK-4", "compares the first lane only in an index of a wide scheme")
class IndexFirstLane(Implementation):
    def narrowed(self, entries: Sequence[Entry]) -> list[Entry]:
        return [(key, str(self.parse(text).narrow("sd64"))) for key, text in entries]

    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        return super().query(self.narrowed(entries), str(self.parse(wanted).narrow("sd64")), distance)

    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        return super().find_all(self.narrowed(entries), distance)


@mutant("SD-LOOK-4", "looks up a wide fingerprint by its first lane, within 3 bits, and verifies the rest")
class IndexFirstLaneFilter(Implementation):
    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        first = self.parse(wanted).narrow("sd64")
        if self.parse(wanted).scheme_id == "sd64":
            return super().query(entries, wanted, distance)
        near = [e for e in entries if first.distance(self.parse(e[1]).narrow("sd64")) <= 3]
        return super().query(near, wanted, distance)


@mutant("SD-LOOK-5", "treats distance 0 as the default of 3")
class DistanceZeroIsDefault(Implementation):
    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        return super().query(entries, wanted, distance or 3)

    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        return super().find_all(entries, distance or 3)


class _Bounded(Implementation):
    def bound(self, text: str, distance: int) -> int:
        raise AssertionError("each mutant replaces this")

    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        return super().query(entries, wanted, self.bound(wanted, distance))

    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        return super().find_all(entries, self.bound(entries[0][1], distance) if entries else distance)


@mutant("SD-LOOK-5", "refuses a distance of more than the number of bits")
class DistanceOverBitsRefused(_Bounded):
    def bound(self, text: str, distance: int) -> int:
        if distance > self.parse(text).scheme.bits:
            raise ValueError("too far")
        return distance


@mutant("SD-LOOK-5", "keeps the distance in 6 bits: 64 is 0")
class DistanceSixBits(_Bounded):
    def bound(self, text: str, distance: int) -> int:
        return distance % 64


@mutant("SD-LOOK-5", "limits the distance to one less than the number of bits")
class DistanceBelowBits(_Bounded):
    def bound(self, text: str, distance: int) -> int:
        return min(distance, self.parse(text).scheme.bits - 1)


class _Renaming(Implementation):
    """Returns changed ids."""

    def renamed(self, key: str) -> str:
        raise AssertionError("each mutant replaces this")

    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        last = {self.renamed(key): text for key, text in entries}
        return super().query(list(last.items()), wanted, distance)

    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        last = {self.renamed(key): text for key, text in entries}
        return super().find_all(list(last.items()), distance)


@mutant("SD-LOOK-6", "keeps ids that look like numbers as numbers")
class IndexIdsAsNumbers(_Renaming):
    def renamed(self, key: str) -> str:
        return str(int(key)) if key.isascii() and key.isdecimal() else key


@mutant("SD-LOOK-6", "treats ids that differ in case as the same")
class IndexIdsOneCase(_Renaming):
    def renamed(self, key: str) -> str:
        return key.lower()


@mutant("SD-LOOK-6", "replaces characters of ids beyond ASCII")
class IndexIdsAscii(_Renaming):
    def renamed(self, key: str) -> str:
        return key.encode("ascii", "replace").decode()


@mutant("SD-LOOK-6", "normalizes ids")
class IndexIdsNormalized(_Renaming):
    def renamed(self, key: str) -> str:
        return unicodedata.normalize("NFC", key)


@mutant("SD-LOOK-6", "strips white space from ids")
class IndexIdsStripped(_Renaming):
    def renamed(self, key: str) -> str:
        return key.strip()


@mutant("SD-LOOK-6", "cuts ids at U+0000 (strings of C)")
class IndexIdsCutAtNul(_Renaming):
    def renamed(self, key: str) -> str:
        return key.partition("\0")[0]


@mutant("SD-LOOK-6", "leaves out entries with an empty id")
class IndexIdsEmptyLeftOut(_Selecting):
    def kept(self, entries: Sequence[Entry]) -> list[Entry]:
        return [entry for entry in entries if entry[0]]
