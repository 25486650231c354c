"""The specification as an object whose steps can be replaced one at a time: what wrong ports are patches over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from simhash_doc import reference
from simhash_doc.errors import SchemeMismatchError
from simhash_doc.pinned import REPLACEMENT, fold_map, members, normalize
from simhash_doc.pinned import scheme as find_scheme
from simhash_doc.value import Fingerprint

Entry = tuple[str, str]


class Steps:
    """Each method is one step, and calls the others; here each is the reference implementation's."""

    def read(self, given: str | bytes) -> str:
        """Return the text of an input (SD-INPUT)."""
        return self.decode_utf8(given) if isinstance(given, bytes) else self.scalar_values(given)

    def decode_utf8(self, data: bytes) -> str:
        return reference.decode_utf8(data)

    def scalar_values(self, text: str) -> str:
        """Replace lone surrogates (SD-INPUT-3)."""
        return "".join(REPLACEMENT if "\ud800" <= character <= "\udfff" else character for character in text)

    def fold(self, text: str) -> str:
        return self.compose(self.bound_nonstarters(self.map_characters(text)))

    def map_characters(self, text: str) -> str:
        """Apply the pinned map (SD-FOLD-1, SD-FOLD-2)."""
        return text.translate(fold_map())

    def bound_nonstarters(self, text: str) -> str:
        return reference.bound_nonstarters(text)

    def compose(self, text: str) -> str:
        return normalize("NFC", text)

    def remove_links(self, folded: str) -> str:
        return reference.remove_links(folded)

    def is_word(self, character: str) -> bool:
        return bool(members("word")[ord(character)])

    def runs(self, text: str) -> list[str]:
        """Return the maximal runs of word characters (SD-RUN-1)."""
        return "".join(character if self.is_word(character) else "\n" for character in text).split("\n")

    def split(self, run: str) -> list[str]:
        return reference.split(run) if run else []

    def trim(self, candidate: str) -> str | None:
        return reference.trim(candidate)

    def prepared_tokens(self, prepared: str) -> list[str]:
        """Return the tokens of a prepared text (SD-RUN-1 to SD-FILTER-2)."""
        candidates = (candidate for run in self.runs(prepared) for candidate in self.split(run))
        return [token for candidate in candidates if (token := self.trim(candidate))]

    def tokens(self, given: str | bytes) -> list[str]:
        return self.prepared_tokens(self.remove_links(self.fold(self.read(given))))

    def count(self, tokens: Iterable[str]) -> dict[str, int]:
        return reference.capped_counts(tokens)

    def hash_token(self, token: str, word: int) -> int:
        return reference.hash_token(token, word)

    def bit_sums(self, counts: dict[str, int], words: int) -> list[int]:
        """Return the exact sums (SD-SUM-1), or raise `NoTokenError` (SD-SUM-2)."""
        hashes = {(token, word): self.hash_token(token, word) for token in counts for word in range(words)}
        if not counts:
            return self.no_token(words)
        sums = [0] * (64 * words)
        for (token, word), token_hash in hashes.items():
            for bit in range(64):
                sums[64 * word + bit] += counts[token] if token_hash >> bit & 1 else -counts[token]
        return sums

    def no_token(self, words: int) -> list[int]:
        return reference.bit_sums({}, words)

    def to_buckets(self, sums: list[int]) -> list[int]:
        return reference.to_buckets(sums)

    def buckets(self, given: str | bytes, scheme: str) -> list[int]:
        words = find_scheme(scheme).words
        return self.to_buckets(self.bit_sums(self.count(self.tokens(given)), words))

    def to_bytes(self, buckets: list[int]) -> bytes:
        return reference.to_bytes(buckets)

    def fingerprint(self, given: str | bytes, scheme: str) -> str:
        return self.encode(self.to_bytes(self.buckets(given, scheme)), scheme, canonical=True)

    def encode(self, data: bytes, scheme: str, *, canonical: bool) -> str:
        """Return the text form with its scheme (SD-TEXT-1, SD-TEXT-5, SD-CUSTOM-2)."""
        return Fingerprint.from_bytes(data, scheme, canonical=canonical).to_uri()

    def decode(self, text: str, scheme: str | None = None) -> Fingerprint:
        return Fingerprint.parse(text, scheme)

    def distance(self, a: Fingerprint, b: Fingerprint) -> int:
        """Return the Hamming distance (SD-DIST-1), or raise `SchemeMismatchError` (SD-DIST-2)."""
        if a.scheme_id != b.scheme_id:
            raise SchemeMismatchError(f"{a.scheme_id} and {b.scheme_id} fingerprints cannot be compared")
        return (a.value ^ b.value).bit_count()

    def similarity(self, distance: int, bits: int) -> float:
        return 1 - distance / bits

    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        """Return the ids of all entries within the distance (SD-LOOK-1, SD-LOOK-2)."""
        target = self.decode(wanted)
        return [key for key, text in entries if self.distance(target, self.decode(text)) <= distance]

    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        """Return every pair of entries within the distance once (SD-LOOK-3)."""
        parsed = [(key, self.decode(text)) for key, text in entries]
        return [
            (key, other)
            for i, (key, left) in enumerate(parsed)
            for other, right in parsed[i + 1 :]
            if self.distance(left, right) <= distance
        ]


class PackageSteps(Steps):
    """The package as its users call it: the fast path."""

    def fold(self, text: str) -> str:
        from simhash_doc import tokens

        return tokens.fold(text)

    def remove_links(self, folded: str) -> str:
        return reference.remove_links(folded)

    def prepared_tokens(self, prepared: str) -> list[str]:
        from simhash_doc.tokens import token_counts

        return [token for counts in token_counts(prepared) for token in counts.elements()]

    def buckets(self, given: str | bytes, scheme: str) -> list[int]:
        from simhash_doc import buckets

        return buckets(given, scheme)

    def fingerprint(self, given: str | bytes, scheme: str) -> str:
        from simhash_doc import fingerprint

        return fingerprint(given, scheme).to_uri()
