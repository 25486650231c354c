"""The reference with all operations of the protocol. An adapter serves an implementation; mutants patch it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from simhash_doc.arrays import lanes_from_ints, popcount
from simhash_doc.errors import SchemeMismatchError, SpecError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.reference import Reference
from simhash_doc.schemes import get_scheme
from simhash_doc_conformance.vectors.extraction import Part, Truth, truth_of
from simhash_doc_conformance.vectors.inputs import Entry
from simhash_doc_extraction import NoTextError

# A search reads each entry once per query.
_parsed = lru_cache(1 << 17)(Fingerprint.parse)
_BY_ARRAYS = 1000  # entries, from which on pairs are found by arrays


class Implementation(Reference):
    """The steps of the reference, and the operations on fingerprints, entries and documents.

    A mutant overrides one of the methods.
    """

    engine = "reference"
    index: str | None = None
    undeclared: frozenset[str] = frozenset({"extract"})  # the reference knows the suite's texts and reads no format

    def fingerprint_text_form(self, given: str | bytes, scheme: str) -> str:
        """Return the text form of a document's fingerprint."""
        return self.text_form(self.to_bytes(self.buckets(given, scheme)), scheme, canonical=True)

    def fingerprint_of_pieces(self, pieces: Sequence[str] | Sequence[bytes], scheme: str) -> str:
        """Return the text form of the fingerprint of a document that is given in pieces (SD-PIECE-1)."""
        return self.fingerprint_text_form(self.joined(pieces), scheme)

    def joined(self, pieces: Sequence[str] | Sequence[bytes]) -> str | bytes:
        """Return the document of these pieces. A surrogate pair may be in two of them."""
        if all(isinstance(piece, bytes) for piece in pieces):
            return b"".join(pieces)  # type: ignore[arg-type]
        units = "".join(pieces).encode("utf-16-be", "surrogatepass")  # type: ignore[arg-type]
        return units.decode("utf-16-be", "surrogatepass")

    def text_form(self, data: bytes, scheme: str, *, canonical: bool) -> str:
        """Return the text form with its scheme (SD-TEXT-5, SD-CUSTOM-2).

        Raises:
            UnknownSchemeError, BadLengthError: in this order (SD-TEXT-7, SD-TEXT-8).
        """
        Fingerprint.from_bytes(data, get_scheme(scheme))
        return f"{scheme}{'' if canonical else '+custom'}:{self.encode(data)}"

    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        """Read a text form (SD-TEXT-3 to SD-TEXT-7)."""
        return _parsed(text, scheme)

    def differing_bits(self, a: Fingerprint, b: Fingerprint) -> int:
        """Return the Hamming distance (SD-DIST-1).

        Raises:
            SchemeMismatchError: the schemes differ (SD-DIST-2).
        """
        return a.distance(b)

    def compare(self, a: str, b: str) -> dict[str, Any]:
        """Return the distance and the similarity of two text forms (SD-DIST-1, SD-DIST-3)."""
        one, other = self.parse_all([a, b])
        distance = self.differing_bits(one, other)
        return {"distance": distance, "similarity": self.similarity(distance, one.scheme.bits)}

    def narrow(self, text: str, scheme: str) -> str:
        """Return the text form of a fingerprint in another scheme (SD-NARROW-1, SD-NARROW-2)."""
        get_scheme(scheme)
        return self.in_scheme(self.parse(text), scheme)

    def in_scheme(self, fingerprint: Fingerprint, scheme: str) -> str:
        """Return the text form of the first lanes (SD-NARROW-1).

        Raises:
            SchemeMismatchError: the scheme is wider (SD-NARROW-2).
        """
        return self.text_form(bytes(fingerprint.narrow(get_scheme(scheme))), scheme, canonical=fingerprint.canonical)

    def parse_all(self, texts: Sequence[str]) -> list[Fingerprint]:
        """Read text forms in their order, each completely (SD-TEXT-9)."""
        return [self.parse(text) for text in texts]

    def check_search(self, entries: Sequence[Entry], queries: Sequence[str]) -> None:
        """Check the entries in their order, then the queries, then that all are of one scheme (SD-TEXT-9, SD-LOOK-4).

        Raises:
            SpecError: a text form is malformed.
            SchemeMismatchError: all are well-formed, but not of one scheme.
        """
        parsed = self.parse_all([*(text for _, text in entries), *queries])
        schemes = {fingerprint.scheme.id for fingerprint in parsed}
        if len(schemes) > 1:
            raise SchemeMismatchError(f"the fingerprints are of several schemes: {', '.join(sorted(schemes))}")

    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        """Return the ids of all entries within the distance (SD-LOOK-1, SD-LOOK-2, SD-LOOK-5, SD-LOOK-6)."""
        target = self.parse(wanted)
        return [key for key, text in entries if self.differing_bits(target, self.parse(text)) <= distance]

    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        """Return every pair of entries within the distance once (SD-LOOK-3)."""
        parsed = [(key, self.parse(text)) for key, text in entries]
        if len(parsed) > _BY_ARRAYS and type(self).differing_bits is Implementation.differing_bits:
            return _pairs_of_arrays(parsed, distance)
        return [
            (key, other)
            for i, (key, left) in enumerate(parsed)
            for other, right in parsed[i + 1 :]
            if self.differing_bits(left, right) <= distance
        ]

    def search(self, entries: Sequence[Entry], queries: Sequence[str], distance: int) -> list[list[str]]:
        """Return the answer to each query, if entries and queries are in order."""
        self.check_search(entries, queries)
        return [self.query(entries, wanted, distance) for wanted in queries]

    def all_pairs(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        """Return all pairs, if the entries are in order."""
        self.check_search(entries, ())
        return self.find_all(entries, distance)

    def update(self, steps: Sequence[Mapping[str, Any]], distance: int) -> list[list[list[str]]]:
        """Return the answers to the queries of each step that has some, after its insertions and removals."""
        stored: dict[str, str] = {}
        answers = []
        for step in steps:
            stored = self.changed(stored, step)
            if "query" in step:
                answers.append(self.search(list(stored.items()), step["query"], distance))
        return answers

    def changed(self, stored: Mapping[str, str], step: Mapping[str, Any]) -> dict[str, str]:
        """Return the entries of an index, text forms by id, after the insertions and removals of a step."""
        removed = set(step.get("remove", ()))
        return {key: text for key, text in {**stored, **dict(step.get("insert", ()))}.items() if key not in removed}

    def token_hashes(self, tokens: Sequence[str], scheme: str) -> list[str]:
        """Return the hash of each token in hexadecimal, lane 0 first (SD-HASH-1, SD-WIDE-2)."""
        lanes = range(get_scheme(scheme).lanes)
        return ["".join(f"{self.hash_token(token, lane):016x}" for lane in lanes) for token in tokens]

    def trace(self, given: str | bytes, scheme: str) -> dict[str, Any]:
        """Return the results of all steps."""
        folded = self.fold(self.read(given))
        traced: dict[str, Any] = {
            "folded": folded,
            "prepared": self.remove_links(folded),
            "tokens": self.tokens(given),
        }
        try:
            traced["buckets"] = self.buckets(given, scheme)
            traced["fingerprint"] = self.fingerprint_text_form(given, scheme)
        except SpecError as error:
            traced["error"] = error.code
        return traced

    def extract(self, document: bytes, name: str | None) -> str:
        """Return the text of a document of the suite, as its author wrote it (SD-EXTRACT-1).

        Raises:
            NoTextError: the document has no text.
        """
        truth = truth_of(document)
        return self.no_text() if truth is None else self.assembled(truth)

    def no_text(self) -> str:
        """Raise `NoTextError` (SD-EXTRACT-11)."""
        raise NoTextError("the document has no text")

    def assembled(self, truth: Truth) -> str:
        """Return the text of the parts that belong to it."""
        return "\n\n".join(self.part_text(part, truth) for part in truth.parts if self.is_content(part))

    def is_content(self, part: Part) -> bool:
        """Return True if a part belongs to the text (SD-EXTRACT-1 to SD-EXTRACT-7)."""
        return not part.around

    def part_text(self, part: Part, truth: Truth) -> str:
        """Return the text of one part (SD-EXTRACT-8, SD-EXTRACT-9)."""
        return part.text


def _pairs_of_arrays(entries: Sequence[tuple[str, Fingerprint]], distance: int) -> list[tuple[str, str]]:
    """Return every pair within the distance: each entry is compared with all after it at once."""
    names = [name for name, _ in entries]
    values = lanes_from_ints([value.value for _, value in entries], entries[0][1].scheme.lanes)
    return [
        (name, names[other])
        for at, name in enumerate(names, 1)
        for other in (at + np.flatnonzero(popcount(values[at:] ^ values[at - 1]) <= distance)).tolist()
    ]
