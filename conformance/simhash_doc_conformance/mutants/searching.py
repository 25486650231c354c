"""Mutants of section 10, distance, and of search: limits, tables and ids."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from simhash_doc.errors import SchemeMismatchError, SpecError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.schemes import get_scheme
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.mutants import after, before, failing, first, mutant, of_sizes, table
from simhash_doc_conformance.vectors.inputs import Entry


def _masked(fingerprint: Fingerprint, bits: int) -> Fingerprint:
    """Return a fingerprint with all but its first bits cleared."""
    low = 2 ** (fingerprint.scheme.bits - bits)
    return Fingerprint(fingerprint.value // low * low, fingerprint.scheme.id, canonical=fingerprint.canonical)


class _Distance(Implementation):
    """Compares fingerprints of one scheme."""

    difference: Callable[..., int]

    def differing_bits(self, a: Fingerprint, b: Fingerprint) -> int:
        super().differing_bits(a, b)
        return self.difference(a, b)


def _first_lane(fingerprint: Fingerprint) -> int:
    return int.from_bytes(bytes(fingerprint)[:8])


table("SD-DIST-1", _Distance, difference={
    "distance-characters": ("counts differing characters instead of bits",
        lambda a, b: sum(x != y for x, y in zip(str(a), str(b), strict=True))),
    "distance-bytes": ("counts differing bytes instead of bits",
        lambda a, b: sum(x != y for x, y in zip(bytes(a), bytes(b), strict=True))),
    "distance-first-word": ("compares the first lane only", lambda a, b: (_first_lane(a) ^ _first_lane(b)).bit_count()),
    "distance-signed": ("loses the highest bit", lambda a, b: ((a.value ^ b.value) & ~(1 << 63)).bit_count()),
    "distance-double": ("loses the low bits (53-bit integers, as in JavaScript numbers)",
        lambda a, b: (int(float(a.value)) ^ int(float(b.value))).bit_count()),
})  # fmt: skip


def _bare_compared(right: Implementation, a: str, b: str) -> dict[str, Any]:
    """Return the distance of a text form without a scheme from the first lanes of the other."""
    one, other = right.parse_all([a, b])
    if (":" in a) != (":" in b):
        narrowest = min(one, other, key=lambda found: found.scheme.bits).scheme.id
        one, other = one.narrow(narrowest), other.narrow(narrowest)
    distance = right.differing_bits(one, other)
    return {"distance": distance, "similarity": right.similarity(distance, one.scheme.bits)}


def _marked_compared(right: Implementation, a: str, b: str) -> dict[str, Any]:
    one, other = right.parse_all([a, b])
    if "+" in a or "+" in b:
        narrowest = min(one, other, key=lambda found: found.scheme.bits).scheme.id
        one, other = one.narrow(narrowest), other.narrow(narrowest)
    distance = right.differing_bits(one, other)
    return {"distance": distance, "similarity": right.similarity(distance, one.scheme.bits)}


def _bare_mismatch(right: Implementation, a: str, b: str) -> dict[str, Any]:
    if (":" in a) != (":" in b) and right.parse_all([a, b]):
        raise SchemeMismatchError("one of them names no scheme")
    return right.compare(a, b)


table("SD-DIST-2", compare={
    "distance-bare": ("compares a text form without a scheme with any other", _bare_compared),
    "distance-custom": ("compares a customised fingerprint with any other", _marked_compared),
    "distance-bare-mismatch": ("refuses to compare text forms of which one names no scheme", _bare_mismatch),
})  # fmt: skip

table("SD-DIST-2", differing_bits={
    "distance-any-schemes": ("compares different schemes", lambda a, b: (_first_lane(a) ^ _first_lane(b)).bit_count()),
})  # fmt: skip

table("SD-NARROW-1", in_scheme={
    "narrow-characters": ("cuts the characters of the text form, not its bytes",
        lambda wide, scheme: f"{scheme}{'' if wide.canonical else '+custom'}:"
        f"{wide.base32[: get_scheme(scheme).characters]}"),
    "narrow-last-lanes": ("keeps the last lanes instead of the first",
        lambda wide, scheme: str(
            Fingerprint(wide.value % 2 ** get_scheme(scheme).bits, scheme, canonical=wide.canonical))),
    "narrow-loses-custom": ("loses the mark of a customised fingerprint",
        lambda wide, scheme: str(Fingerprint(wide.value, wide.scheme.id).narrow(scheme))),
    "narrow-one-lane": ("keeps one lane only, and fills the others with zeros", before(lambda wide: _masked(wide, 64))),
    "narrow-same-refused": ("refuses the scheme that a fingerprint has",
        lambda step, wide, scheme: step(wide, scheme) if scheme != wide.scheme.id
        else failing(SchemeMismatchError("the fingerprint has this scheme"))),
})  # fmt: skip

table("SD-NARROW-2", in_scheme={
    "narrow-widens": ("pads with zeros to a wider scheme",
        lambda step, wide, scheme: step(wide, scheme) if wide.scheme.bits >= get_scheme(scheme).bits else
        str(Fingerprint(wide.value << get_scheme(scheme).bits - wide.scheme.bits, scheme, canonical=wide.canonical))),
    "narrow-wider-unchanged": ("gives a fingerprint unchanged if the scheme is wider",
        lambda step, wide, scheme: str(wide) if wide.scheme.bits < get_scheme(scheme).bits else
        step(wide, scheme)),
}, narrow={
    "narrow-text-first": ("checks the text form before the scheme",
        lambda right, text, scheme: right.in_scheme(right.parse(text), scheme)),
    "narrow-expects-scheme": ("expects the scheme in the text form, and changes nothing",
        lambda text, scheme: str(Fingerprint.parse(text, scheme))),
    "narrow-any-case": ("takes the scheme's name in any case", lambda step, text, scheme: step(text, scheme.lower())),
    "narrow-mark": ("takes a name with +custom", lambda step, text, scheme: step(text, scheme.removesuffix("+custom"))),
})  # fmt: skip


class Search(Implementation):
    """Searches other entries, or within another distance."""

    def searched(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        return entries

    def is_answer(self, text: str, wanted: str, distance: int) -> bool:
        """Return True if an entry may be an answer to a query."""
        return True

    def within(self, distance: int, bits: int) -> int:
        """Return the distance that is used for a scheme of so many bits."""
        return distance

    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        bits = self.parse(wanted).scheme.bits
        kept = [entry for entry in self.searched(entries) if self.is_answer(entry[1], wanted, distance)]
        return super().query(kept, wanted, self.within(distance, bits))

    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        searched = self.searched(entries)
        if searched:
            distance = self.within(distance, self.parse(searched[0][1]).scheme.bits)
        return super().find_all(searched, distance)


def _lookup_repeats(right: Implementation, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
    target, texts = bytes(right.parse(wanted)), dict(entries)
    return [
        key
        for key in right.query(entries, wanted, distance)
        for start in range(0, 8, 2)
        if bytes(right.parse(texts[key]))[start : start + 2] == target[start : start + 2]
    ]


table("SD-LOOK-2", Search, query={
    "lookup-drops-duplicates": ("keeps only one entry per fingerprint",
        before(lambda entries: [(key, text) for text, key in {text: key for key, text in entries}.items()])),
}, searched={
    "lookup-skips-zero": ("treats the all-zero fingerprint as an empty slot",
        lambda right, entries: [entry for entry in entries if right.parse(entry[1]).value]),
    "index-equal2000": ("keeps at most 2,000 entries of one fingerprint",
        lambda entries: _first_of_each(entries, itemgetter(1), lambda count: 2000)),
}, is_answer={
    "index-zero-query": ("finds nothing for the query 0",
        lambda right, text, wanted, distance: right.parse(wanted).value),
})  # fmt: skip


table("SD-LOOK-3", find_all={
    "pairs-without-equal": ("omits pairs with equal fingerprints",
        lambda right, entries, distance: [
            (a, b) for a, b in right.find_all(entries, distance)
            if right.parse(dict(entries)[a]) != right.parse(dict(entries)[b])]),
    "pairs-twice": ("returns each pair in both orders",
        after(lambda pairs: [pair for a, b in pairs for pair in ((a, b), (b, a))])),
    "pairs-with-self": ("pairs each entry with itself",
        lambda step, entries, distance: step(entries, distance) + [(key, key) for key, _ in entries]),
    "pairs-neighbours-only": ("compares only neighbours in sorted order",
        lambda right, entries, distance: [
            pair for both in itertools.pairwise(sorted(entries, key=lambda entry: right.parse(entry[1]).value))
            for pair in right.find_all(both, distance)]),
    **of_sizes("pairs-answers{}", "gives at most {:,} pairs", first, 100, 1000, 10_000, 65_535),
    "pairs-entries10000": ("finds pairs of the first 10,000 entries", before(lambda entries: entries[:10_000])),
    "pairs-entries65536": ("finds pairs of the first 65,536 entries", before(lambda entries: entries[: 2**16])),
})  # fmt: skip


class Selection(Search):
    """Silently leaves out entries."""

    def check_search(self, entries: Sequence[Entry], queries: Sequence[str]) -> None:
        super().check_search(self.searched(entries), queries)


def _is_well_formed(right: Implementation, text: str) -> bool:
    try:
        right.parse(text)
    except SpecError:
        return False
    return True


table("SD-LOOK-4", Selection, searched={
    "index-malformed-skipped": ("skips malformed entries of an index",
        lambda right, entries: [entry for entry in entries if _is_well_formed(right, entry[1])]),
    "index-mixed-skipped": ("skips entries of another scheme than the first one",
        lambda right, entries: [
            entry for entry, found in zip(entries, right.parse_all([text for _, text in entries]), strict=True)
            if found.scheme.id == right.parse(entries[0][1]).scheme.id]),
    "index-custom-left-out": ("leaves customised fingerprints out of an index",
        lambda entries: [entry for entry in entries if "+" not in entry[1]]),
})  # fmt: skip


def _one_mark(right: Implementation, entries: Sequence[Entry], queries: Sequence[str]) -> None:
    right.check_search(entries, queries)
    if len({"+" in text for text in [*(text for _, text in entries), *queries]}) > 1:
        raise SchemeMismatchError("customised and canonical")


table("SD-LOOK-4", check_search={
    "index-custom-mismatch": ("treats a customised fingerprint as another scheme in an index", _one_mark),
})  # fmt: skip


def _checked_apart(right: Implementation, entries: Sequence[Entry], queries: Sequence[str]) -> None:
    right.check_search(entries, ())
    right.parse_all(queries)


def _query_of_scheme(right: Implementation, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
    scheme = right.parse(wanted).scheme.id
    return right.query([e for e in entries if right.parse(e[1]).scheme.id == scheme], wanted, distance)


mutant(
    "index-query-mismatch-empty", "SD-LOOK-4", "finds nothing for a query of another scheme than the entries",
    check_search=_checked_apart, query=_query_of_scheme,
)  # fmt: skip


def _narrowed(right: Implementation, entries: Sequence[Entry]) -> list[Entry]:
    return [(key, str(right.parse(text).narrow("sd64"))) for key, text in entries]


mutant(
    "index-first-lane", "SD-LOOK-4", "compares the first lane only in an index of a wide scheme",
    query=lambda right, entries, wanted, distance: right.query(
        _narrowed(right, entries), str(right.parse(wanted).narrow("sd64")), distance),
    find_all=lambda right, entries, distance: right.find_all(_narrowed(right, entries), distance),
)  # fmt: skip


def _first_values(self: Implementation, stored: Mapping[str, str], change: Mapping[str, Any]) -> dict[str, str]:
    known = vars(self).setdefault("first_values", {})
    inserted = [(key, known.setdefault(key, text)) for key, text in change.get("insert", ())]
    return Implementation.changed(self, stored, {**change, "insert": inserted})


def _insertions(number: int) -> Callable[..., dict[str, str]]:
    """Return the step that loses an insertion of an id."""

    def changed(self: Implementation, stored: Mapping[str, str], change: Mapping[str, Any]) -> dict[str, str]:
        counts: Counter[str] = vars(self).setdefault("insertions", Counter())
        inserted = list(change.get("insert", ()))
        counts.update(key for key, _ in inserted)
        kept = [entry for entry in inserted if counts[entry[0]] != number]
        return Implementation.changed(self, stored, {**change, "insert": kept})

    return changed


def _removals(number: int) -> Callable[..., dict[str, str]]:
    """Return the step that loses a removal, counted from the first step."""

    def changed(self: Implementation, stored: Mapping[str, str], change: Mapping[str, Any]) -> dict[str, str]:
        before = vars(self).setdefault("removals", 0)
        removed = list(change.get("remove", ()))
        vars(self)["removals"] = before + len(removed)
        kept = [key for at, key in enumerate(removed, before + 1) if at != number]
        return Implementation.changed(self, stored, {**change, "remove": kept})

    return changed


def _steps(most: int) -> Callable[..., dict[str, str]]:
    """Return the step that changes nothing after so many steps."""

    def changed(self: Implementation, stored: Mapping[str, str], change: Mapping[str, Any]) -> dict[str, str]:
        number = vars(self)["steps"] = vars(self).get("steps", 0) + 1
        return Implementation.changed(self, stored, change if number <= most else {})

    return changed


def _stays_removed(self: Implementation, stored: Mapping[str, str], change: Mapping[str, Any]) -> dict[str, str]:
    gone: set[str] = vars(self).setdefault("gone", set())
    found = Implementation.changed(self, stored, change)
    gone.update(change.get("remove", ()))
    return {key: text for key, text in found.items() if key not in gone}


def _queries(most: int) -> Callable[..., list[list[str]]]:
    """Return the step that answers so many queries, and finds nothing for the others."""

    def search(
        step: Callable[..., list[list[str]]], entries: Sequence[Entry], queries: Sequence[str], distance: int
    ) -> list[list[str]]:
        return [answer if at < most else [] for at, answer in enumerate(step(entries, queries, distance))]

    return search


table("SD-LOOK-1", search={
    **of_sizes("query-batch{}", "answers at most {:,} queries at once", _queries,
        127, 128, 255, 256, 998, 999, 1000, 1023, 32_766, 65_535, 65_536),
})  # fmt: skip

table("SD-HASH-1", token_hashes={
    **of_sizes("hashes-most{}", "hashes at most {:,} tokens at once", first, 128, 255, 256, 1000),
    "hashes-trim": ("drops white space around tokens",
        lambda step, tokens, scheme: step([token.strip() for token in tokens], scheme)),
})  # fmt: skip

table("SD-LOOK-1", query={
    "lookup-repeats": ("returns an entry once per table in which it is found", _lookup_repeats),
    **of_sizes("index-answers{}", "gives at most {:,} answers", first, 10, 100, 255, 1000, 10_000),
    "index-answers-one": ("gives one answer", first(1)),
}, changed={
    "update-keeps": ("keeps removed entries", lambda step, stored, change: step(stored, {**change, "remove": []})),
    "update-removes-equal": ("removes all entries with the fingerprint of one that is removed",
        lambda step, stored, change: step(stored, {**change, "remove": [
            key for key, text in stored.items() if text in {stored[gone] for gone in change.get("remove", ())}]})),
    "update-loses-later": ("loses entries that are inserted after a removal",
        lambda step, stored, change: step(stored, {**change, "insert": []} if stored else change)),
    "update-removes-one": ("removes the first of several entries only",
        lambda step, stored, change: step(stored, {**change, "remove": change.get("remove", [])[:1]})),
    "update-removes-first": ("removes before it inserts, so that an id of both stays",
        lambda step, stored, change: step(
            step(stored, {"remove": change.get("remove", [])}), {"insert": change.get("insert", [])})),
    "update-keeps-last": ("keeps the last entry when all are removed",
        lambda step, stored, change: step(stored, change) or dict(list(stored.items())[-1:])),
    "update-first-value": ("keeps the first value of an id that comes back",
        _first_values),
    "update-only-insert": ("ignores the removals of a step without insertions",
        lambda step, stored, change: step(stored, change if change.get("insert") else {**change, "remove": []})),
    "update-only-query": ("ignores the removals of a step without queries",
        lambda step, stored, change: step(stored, change if "query" in change else {**change, "remove": []})),
    "update-by-value": ("inserts no entry whose value is there already",
        lambda step, stored, change: step(stored, {**change, "insert": [
            (key, text) for key, text in change.get("insert", ()) if text not in stored.values()]})),
    "update-replaces": ("forgets the entries of earlier insertions",
        lambda step, stored, change: step({} if "insert" in change else stored, change)),
    **of_sizes("update-insertion{}", "loses the insertion {} of an id", _insertions, 2, 3, 4, 8, 16, 128, 256),
    **of_sizes("update-removal{}", "loses the removal {}", _removals, 2, 16, 127, 128, 255, 256, 1000, 1024, 4096),
    **of_sizes("update-steps{}", "ignores the insertions and removals after step {}", _steps, 8, 16, 127, 128, 255, 256,
    512, 1024),
    **of_sizes("update-removes-at-most{}", "removes at most {:,} ids in one step",
        lambda most: lambda step, stored,
        change: step(stored, {**change, "remove": [*change.get("remove", ())][:most]}),
        100, 127, 128, 255, 256, 998, 999, 1000, 1023, 4096),
    "update-stays-removed": ("keeps removed ids that come back removed", _stays_removed),
}, update={
    "update-empty-queries": ("gives no answer to a step with an empty list of queries",
        before(lambda steps: [{name: value for name, value in step.items() if value} for step in steps])),
})  # fmt: skip


def _first_of_each(
    entries: Sequence[Entry], key: Callable[[Entry], object], kept_of: Callable[[int], int]
) -> list[Entry]:
    """Return the first entries of each key, as many as a function returns for their number."""
    keys = list(map(key, entries))
    counts, seen, kept = Counter(keys), Counter[object](), []
    for entry, value in zip(entries, keys, strict=True):
        seen[value] += 1
        if seen[value] <= kept_of(counts[value]):
            kept.append(entry)
    return kept


class _Bucket(Implementation):
    """Compares only some of the entries that share their first 16 bits."""

    seen_of: Callable[..., int]

    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        seen = _first_of_each(entries, lambda entry: bytes(self.parse(entry[1]))[:2], self.seen_of)
        return super().query(seen, wanted, distance)


class _Blocks(Search):
    """Finds an entry of sd64 within 3 bits only if enough of five blocks are equal: those of one of the tables."""

    borders: tuple[int, ...] = (0, 13, 26, 39, 52, 64)  # from the most significant bit
    most = 3  # the largest distance for which the tables are used

    def is_found(self, equal: list[int]) -> bool:
        """Return True if there is a table of some of these blocks."""
        return len(equal) >= 2

    def is_answer(self, text: str, wanted: str, distance: int) -> bool:
        a, b = self.parse(text), self.parse(wanted)
        return b.scheme.id != "sd64" or distance > self.most or self.is_found(self.equal_blocks(a.value ^ b.value))

    def equal_blocks(self, difference: int) -> list[int]:
        bits = f"{difference:064b}"
        return [n for n, (start, end) in enumerate(itertools.pairwise(self.borders)) if "1" not in bits[start:end]]


mutant(
    "index-four-blocks-of-four", "SD-LOOK-1",
    "uses the tables for distance 3 (four blocks of 16 bits) for larger distances, too", _Blocks,
    borders=(0, 16, 32, 48, 64), most=2**62, is_found=bool,
)  # fmt: skip


def _index_prefix_overflow(right: _Blocks, text: str, wanted: str, distance: int) -> bool:
    target = right.parse(wanted)
    if target.scheme.id != "sd64" or target.value >> 38 != 2**26 - 1:
        return True
    return max(right.equal_blocks(target.value ^ right.parse(text).value), default=0) > 1


table("SD-LOOK-1", _Blocks, is_found={
    "index-table-missing-first": ("lacks the first of ten tables: that of the first two blocks",
        lambda equal: len(equal) >= 2 and equal != [0, 1]),
    "index-table-missing-last": ("lacks the last of ten tables: that of the last two blocks",
        lambda equal: len(equal) >= 2 and equal != [3, 4]),
    "index-tables-adjacent": ("builds a table for adjacent blocks only",
        lambda equal: any(block + 1 in equal for block in equal)),
    "index-three-blocks": ("requires three equal blocks of five", lambda equal: len(equal) >= 3),
}, equal_blocks={
    "index-block-overlap": ("cuts blocks of 13 bits, the last of which begins at 51 and overlaps another",
        lambda difference: [
            start for start in (0, 13, 26, 39, 51) if "1" not in f"{difference:064b}"[start : start + 13]]),
}, is_answer={
    "index-prefix-overflow": ("finds nothing after a prefix of ones: its range overflows", _index_prefix_overflow),
})  # fmt: skip


table("SD-LOOK-1", search={
    "index-one-query": ("answers the first of several queries only",
        after(lambda answers: answers[:1] + [[] for _ in answers[1:]])),
    "index-queries-deduplicated": ("answers equal queries once",
        lambda step, entries, queries, distance: [
            answer if queries.index(query) == number else []
            for number, (query, answer) in enumerate(zip(queries, step(entries, queries, distance), strict=True))]),
})  # fmt: skip


table("SD-LOOK-4", Search, is_answer={
    "index-first-lane-filter": ("looks up a wide fingerprint by its first lane, within 3 bits, and verifies the rest",
        lambda right, text, wanted, distance: right.parse(wanted).scheme.id == "sd64"
        or right.parse(wanted).narrow("sd64").distance(right.parse(text).narrow("sd64")) <= 3),
    "index-capital-entries": ("compares text forms as they stand for distance 0, so capitals are another value",
        lambda text, wanted, distance: distance or text == wanted),
})  # fmt: skip

table("SD-DIST-1", differing_bits={
    "distance-uint8": ("keeps the distance in a byte: 256 is 0", after(lambda result: result % 256)),
})  # fmt: skip

table("SD-DIST-3", similarity={
    "similarity-by-sixty-four": ("divides by 64 for every scheme", lambda distance, bits: 1 - distance / 64),
    "similarity-distance-wide": ("divides by 63 for each lane of a wide scheme",
        lambda distance, bits: 1 - distance / (bits if bits == 64 else bits // 64 * 63)),
    "similarity-inverted": ("returns the share of differing bits", lambda distance, bits: distance / bits),
    "similarity-cosine": ("returns the estimated cosine instead of 1 - distance / bits",
        lambda distance, bits: math.cos(math.pi * distance / bits)),
    "similarity-round-six": ("rounds the similarity to 6 places", after(lambda similarity: round(similarity, 6))),
    "similarity-round-two": ("rounds the similarity to 2 places", after(lambda similarity: round(similarity, 2))),
    "similarity-percent": ("returns the similarity as percent", after(lambda similarity: 100 * similarity)),
})  # fmt: skip

table("SD-LOOK-1", Search, within={
    "lookup-strict-radius": ("uses less than the distance as radius, not at most", lambda distance, bits: distance - 1),
}, is_answer={
    "lookup-one-table": ("searches only where the leading 16 bits agree",
        lambda right, text, wanted, distance: bytes(right.parse(text))[:2] == bytes(right.parse(wanted))[:2]),
    "lookup-without-equal": ("omits entries that are equal to the query",
        lambda right, text, wanted, distance: right.parse(text) != right.parse(wanted)),
}, searched={
    "index-empty-error": ("reports an empty index as an error",
        lambda entries: entries or failing(ValueError("the index is empty"))),
    **of_sizes("index-first{}", "forgets what comes after entry {:,}", lambda size: itemgetter(slice(size)),
        255, 256, 1250, 2047, 2048, 10_000, 65_535, 65_536, 100_000, 1_000_000),
    "index-positions16": ("keeps the number of an entry in 16 bits, so that later entries replace the first ones",
        lambda entries: entries[-(len(entries) % 2**16) :] + entries[len(entries) % 2**16 : 2**16]
        if len(entries) > 2**16 else entries),
})  # fmt: skip


table("SD-LOOK-2", _Bucket, seen_of={
    "index-bucket16": ("looks at the first 16 entries of a bucket only", lambda count: 16),
    "index-bucket100": ("looks at the first 100 entries of a bucket only", lambda count: 100),
    "index-bucket1000": ("looks at the first 1,000 entries of a bucket only", lambda count: 1000),
    "index-bucket256": ("keeps the size of a bucket in a byte: 256 is 0", lambda count: count % 256),
    "index-bucket-int8": ("keeps a bucket's size in a signed byte", lambda count: (count + 128) % 256 - 128),
    "index-bucket65535": ("looks at the first 65,535 entries of a bucket only", lambda count: 65_535),
    "index-bucket-uint16": ("keeps the size of a bucket in 16 bits: 65,536 is 0", lambda count: count % 2**16),
})  # fmt: skip


def _at_most(most: int) -> Callable[..., int]:
    return lambda distance, bits: min(most, distance)


table("SD-LOOK-5", Search, within={
    "distance-over-bits-refused": ("refuses a distance of more than the number of bits",
        lambda distance, bits: distance if distance <= bits else failing(ValueError("too far"))),
    "distance-zero-is-default": ("treats distance 0 as the default of 3", lambda distance, bits: distance or 3),
    "distance-six-bits": ("keeps the distance in 6 bits: 64 is 0", lambda distance, bits: distance % 64),
    "distance-below-bits": ("limits the distance to one less than the number of bits",
        lambda distance, bits: min(distance, bits - 1)),
    "index-distance-uint8": ("keeps the distance of a query in 8 bits", lambda distance, bits: distance % 2**8),
    "index-distance-uint16": ("keeps the distance of a query in 16 bits", lambda distance, bits: distance % 2**16),
    "index-distance-uint32": ("keeps the distance of a query in 32 bits", lambda distance, bits: distance % 2**32),
    **of_sizes("index-distance{}", "searches at most {} bits away", _at_most, 255, 511),
    **of_sizes("index-distance-most{}", "searches at most {} bits away", _at_most,
        16, 31, 32, 63, 64, 127, 128, 254, 256, 510),
    "index-distance-int8": ("keeps the distance of a query in a signed byte: 128 is -128",
        lambda distance, bits: (distance + 128) % 256 - 128),
    "index-distance-half": ("searches at most half of the bits away", lambda distance, bits: min(bits // 2, distance)),
    "index-distance-lane": ("searches at most one bit of each lane less than the distance away",
        lambda distance, bits: min(distance, bits - bits // 64)),
}, query={
    "index-distance-eight": ("searches at most 8 bits away",
        lambda step, entries, wanted, distance: step(entries, wanted, min(8, distance))),
})  # fmt: skip


class _SmallDistances(Implementation):
    """Keeps the distances in an index, and there alone, in too few bits."""

    small: Callable[..., int]

    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        target = self.parse(wanted)
        return [key for key, text in entries if self.small(self.differing_bits(target, self.parse(text))) <= distance]

    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        parsed = [(key, self.parse(text)) for key, text in entries]
        return [
            (a, b)
            for (a, left), (b, right) in itertools.combinations(parsed, 2)
            if self.small(self.differing_bits(left, right)) <= distance
        ]


table("SD-LOOK-4", _SmallDistances, small={
    "index-differing-uint8": ("keeps the distances in an index in a byte: 256 is 0", lambda bits: bits % 256),
    "index-differing-int8": ("keeps distances in an index in a signed byte", lambda bits: (bits + 128) % 256 - 128),
    "index-differing-nine-bits": ("keeps the distances in an index in 9 bits: 512 is 0", lambda bits: bits % 512),
    "index-differing-saturates": ("saturates the distances in an index at 255", lambda bits: min(255, bits)),
    "index-differing-seven-bits": ("keeps the distances in an index in 7 bits: 128 is 0", lambda bits: bits % 128),
})  # fmt: skip
