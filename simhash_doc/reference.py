"""The specification in code, clause by clause: simple, unoptimized and authoritative.

Every engine must give the same results, and the test vectors are generated from it. Each method of `Reference`
is one step of the pipeline. The names in parentheses are the requirements of `spec/simhash-doc.md` that it
implements. Each step calls the others, so that a mutant can replace any one of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from xxhash import xxh64_intdigest

from simhash_doc.errors import (
    BadCharacterError,
    BadLengthError,
    NoTokenError,
    PaddingError,
    SchemeMismatchError,
    SpareBitsError,
    shortened,
)
from simhash_doc.schemes import get_scheme
from simhash_doc.unicode_data import REPLACEMENT, connectors, decomposition, fold_map, members, normalize

NONSTARTER_LIMIT = 30  # SD-FOLD-4
OCCURRENCE_CAP = 8  # SD-CAP-1
BUCKET_LIMIT = 127  # SD-BUCKET-1
LANE_BITS = 64
BASE32 = "abcdefghijklmnopqrstuvwxyz234567"  # RFC 4648, table 3, in lower case

# SD-LINK-2 to SD-LINK-8, tried in this order. \b is the boundary of [a-z0-9_] in folded text.
# Every repetition that can fail is bounded, so the search is linear.
LINK_TAIL = r"[a-z0-9._~:/?#\[\]@!$&'()*+,;=%-]"
LINK_FORMS = {
    "url": rf"[a-z][a-z0-9+.-]{{0,31}}://{LINK_TAIL}*",
    "named": rf"(?:doi|urn|arxiv|hdl):[a-z0-9]{LINK_TAIL}*",
    "www": rf"www\.[a-z0-9-]{{1,63}}\.{LINK_TAIL}*",
    "mail": r"(?:mailto:)?[a-z0-9][a-z0-9._%+-]{0,63}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+",
    "doi": rf"10\.[0-9]{{4,9}}(?:\.[0-9]{{1,9}}){{0,3}}/{LINK_TAIL}+",
    "uuid": r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b",
    "digest": r"[0-9a-f]{32,128}\b",
}
LINK = re.compile(rf"\b(?:{'|'.join(LINK_FORMS.values())})", re.ASCII)


class Reference:
    """The steps of the specification, in its order.

    A document is given as text, or as bytes in UTF-8.
    """

    nonstarter_limit = NONSTARTER_LIMIT
    cap = OCCURRENCE_CAP

    # Section 3: input

    def read(self, given: str | bytes) -> str:
        """Return the text of a document, without surrogates."""
        return self.decode_utf8(given) if isinstance(given, bytes) else self.scalar_values(given)

    def decode_utf8(self, data: bytes) -> str:
        """Return the text of UTF-8 bytes, each ill-formed part as U+FFFD (SD-INPUT-1, SD-INPUT-2)."""
        return data.decode("utf-8", errors="replace").removeprefix("\ufeff")

    def scalar_values(self, text: str) -> str:
        """Replace each lone surrogate by U+FFFD (SD-INPUT-3)."""
        return "".join(REPLACEMENT if "\ud800" <= character <= "\udfff" else character for character in text)

    # Section 4: folding

    def fold(self, text: str) -> str:
        """Return toNFKC_Casefold of the text with the Unicode data of the specification (SD-FOLD-1 to SD-FOLD-5)."""
        return self.compose(self.bound_nonstarters(self.map_characters(text)))

    def map_characters(self, text: str) -> str:
        """Apply `nfkc_casefold.txt`; unassigned code points become U+FFFD (SD-FOLD-1, SD-FOLD-2)."""
        return text.translate(fold_map())

    def bound_nonstarters(self, text: str) -> str:
        """Decompose, and replace each run of more than 30 non-starters (SD-FOLD-3, SD-FOLD-4)."""
        nonstarters = members("nonstarter")
        out: list[str] = []
        for is_run, group in groupby(self.decomposed(text), key=lambda character: bool(nonstarters[ord(character)])):
            run = "".join(group)
            out.append(self.long_run(run) if is_run and len(run) > self.nonstarter_limit else run)
        return "".join(out)

    def decomposed(self, text: str) -> str:
        """Return the NFD of each code point on its own, without reordering across them (SD-FOLD-3)."""
        return "".join(map(decomposition, text))

    def long_run(self, run: str) -> str:
        """Return the replacement of a run of too many non-starters (SD-FOLD-4)."""
        return REPLACEMENT

    def compose(self, text: str) -> str:
        """Return the NFC of the text (SD-FOLD-5)."""
        return normalize("NFC", text)

    # Section 5: links

    def link_forms(self) -> dict[str, str]:
        """Return the forms of links by name, in the order in which they are tried (SD-LINK-2 to SD-LINK-8)."""
        return dict(LINK_FORMS)

    def remove_links(self, folded: str) -> str:
        """Return the link-free text: each link replaced by one space (SD-LINK-1)."""
        return re.sub(rf"\b(?:{'|'.join(self.link_forms().values())})", " ", folded, flags=re.ASCII)

    # Section 6: tokens

    def runs(self, text: str) -> list[str]:
        """Return the maximal runs of word characters (SD-RUN-1)."""
        return ["".join(group) for inside, group in groupby(text, key=self.is_word) if inside]

    def is_word(self, character: str) -> bool:
        """Return True if the character is in `word.txt` (SD-RUN-1)."""
        return bool(members("word")[ord(character)])

    def split(self, run: str) -> list[str]:
        """Cut a run into stretches, and those of scriptio continua into bigrams (SD-SPLIT-1 to SD-SPLIT-3)."""
        candidates: list[str] = []
        for continua, group in groupby(run, key=self.is_continua):
            stretch = "".join(group)
            candidates += self.bigrams(stretch) if continua else [stretch]
        return candidates

    def is_continua(self, character: str) -> bool:
        """Return True if the character is in `continua.txt` (SD-SPLIT-1)."""
        return bool(members("continua")[ord(character)])

    def bigrams(self, stretch: str) -> list[str]:
        """Return the overlapping bigrams, or a single character as it is (SD-SPLIT-2, SD-SPLIT-3)."""
        return [stretch[i : i + 2] for i in range(max(1, len(stretch) - 1))]

    def trim(self, candidate: str) -> str | None:
        """Trim connectors; return None if the rest is not a token (SD-FILTER-1, SD-FILTER-2)."""
        trimmed = self.trim_connectors(candidate)
        return trimmed if self.is_token(trimmed) else None

    def trim_connectors(self, candidate: str) -> str:
        """Remove connectors from both ends (SD-FILTER-1)."""
        return candidate.strip(connectors())

    def is_token(self, trimmed: str) -> bool:
        """Return True if at least one character is in `alphabetic.txt` (SD-FILTER-2)."""
        alphabetic = members("alphabetic")
        return any(alphabetic[ord(character)] for character in trimmed)

    def link_free_tokens(self, text: str) -> list[str]:
        """Return the tokens of a link-free text, repeated ones repeated (SD-RUN-1 to SD-FILTER-2)."""
        candidates = (candidate for run in self.runs(text) for candidate in self.split(run))
        return [token for candidate in candidates if (token := self.trim(candidate)) is not None]

    def tokens(self, given: str | bytes) -> list[str]:
        """Return the tokens of a document, repeated ones repeated. Their order has no meaning."""
        return self.link_free_tokens(self.remove_links(self.fold(self.read(given))))

    # Section 7: counting and hashing

    def capped_counts(self, tokens: Iterable[str]) -> dict[str, int]:
        """Count each distinct token, at most 8 times (SD-CAP-1)."""
        return {token: min(self.cap, count) for token, count in Counter(tokens).items()}

    def hash_token(self, token: str, seed: int = 0) -> int:
        """Return XXH64 of the token's UTF-8 bytes; lane j has the seed j (SD-HASH-1, SD-WIDE-2)."""
        return xxh64_intdigest(token.encode("utf-8"), seed)

    # Section 8: sums, buckets and bits

    def bit_sums(self, counts: dict[str, int], lanes: int = 1) -> list[int]:
        """Add each count for a set bit of the token's hash and subtract it for a clear one (SD-SUM-1, SD-WIDE-2).

        Returns:
            Exact sums; index 64 j + i is bit i of lane j.

        Raises:
            NoTokenError: there is no token (SD-SUM-2).
        """
        if not counts:
            return self.no_token(lanes)
        sums = [0] * (LANE_BITS * lanes)
        for token, count in counts.items():
            for lane in range(lanes):
                token_hash = self.hash_token(token, lane)
                for bit in range(LANE_BITS):
                    sums[LANE_BITS * lane + bit] += count if token_hash >> bit & 1 else -count
        return sums

    def no_token(self, lanes: int) -> list[int]:
        """Raise `NoTokenError` (SD-SUM-2)."""
        raise NoTokenError("the text holds no token, so it has no fingerprint")

    def to_buckets(self, sums: Sequence[int]) -> list[int]:
        """Clamp each sum to [-127, 127] (SD-BUCKET-1).

        Only the final sums are clamped: clamping earlier would make the result depend on the order of the tokens.
        """
        return [max(-BUCKET_LIMIT, min(BUCKET_LIMIT, total)) for total in sums]

    def buckets(self, given: str | bytes, scheme_id: str = "sd64") -> list[int]:
        """Return the buckets of a document, lane by lane, bit 0 first."""
        return self.to_buckets(self.bit_sums(self.capped_counts(self.tokens(given)), get_scheme(scheme_id).lanes))

    def to_bytes(self, buckets: Sequence[int]) -> bytes:
        """Return the fingerprint: 8 bytes per lane, most significant first (SD-SIGN-1, SD-TEXT-1, SD-WIDE-3)."""
        lanes = (buckets[start : start + LANE_BITS] for start in range(0, len(buckets), LANE_BITS))
        values = (sum((bucket > 0) << bit for bit, bucket in enumerate(lane)) for lane in lanes)
        return b"".join(value.to_bytes(LANE_BITS // 8, "big") for value in values)

    # Section 9: text form

    def encode(self, data: bytes) -> str:
        """Return the base32 digits: lower case, no padding, spare bits 0 (SD-TEXT-1, SD-TEXT-2)."""
        characters = -(-8 * len(data) // 5)
        value = int.from_bytes(data, "big") << 5 * characters - 8 * len(data)
        return "".join(BASE32[value >> 5 * i & 31] for i in reversed(range(characters)))

    def decode(self, text: str, scheme_id: str = "sd64") -> bytes:
        """Return the bytes of base32 digits in lower or upper case (SD-TEXT-3, SD-TEXT-4).

        Raises:
            PaddingError, BadCharacterError, BadLengthError, SpareBitsError: in this order.
        """
        expected = get_scheme(scheme_id)
        if "=" in text:
            raise PaddingError(f"{shortened(text)} is padded with '='; remove the padding")
        digits = [BASE32.find(character.lower() if character.isascii() else "?") for character in text]
        if -1 in digits:
            position = digits.index(-1)
            raise BadCharacterError(
                f"{shortened(text)} has {text[position]!r} at position {position}; base32 has a to z and 2 to 7"
            )
        if len(text) != expected.characters:
            raise BadLengthError(
                f"{shortened(text)} has length {len(text)}; {expected.id} has {expected.characters} characters"
            )
        value = 0
        for digit in digits:
            value = value << 5 | digit
        spare = 5 * len(text) - expected.bits
        if value & (1 << spare) - 1:
            raise SpareBitsError(
                f"the last character of {shortened(text)} has a spare bit set; the lowest {spare} must be 0"
            )
        return (value >> spare).to_bytes(expected.bits // 8, "big")

    def fingerprint(self, given: str | bytes, scheme_id: str = "sd64") -> str:
        """Return the base32 digits of the fingerprint of a document (section 2).

        >>> Reference().fingerprint("The quick brown fox")
        'larqgiqsckcca'
        """
        return self.encode(self.to_bytes(self.buckets(given, scheme_id)))

    # Section 10: distance and similarity

    def distance(self, a: str, b: str, scheme_a: str = "sd64", scheme_b: str = "sd64") -> int:
        """Return the Hamming distance of two fingerprints in base32 (SD-DIST-1).

        Raises:
            SchemeMismatchError: their schemes differ (SD-DIST-2).
        """
        if get_scheme(scheme_a) != get_scheme(scheme_b):
            raise SchemeMismatchError(f"{scheme_a} and {scheme_b} fingerprints cannot be compared")
        left, right = (int.from_bytes(self.decode(text, name), "big") for text, name in ((a, scheme_a), (b, scheme_b)))
        return (left ^ right).bit_count()

    def similarity(self, distance: int, bits: int) -> float:
        """Return 1 - distance / bits (SD-DIST-3)."""
        return 1 - distance / bits


_reference = Reference()
decode_utf8 = _reference.decode_utf8
fold = _reference.fold
bound_nonstarters = _reference.bound_nonstarters
remove_links = _reference.remove_links
runs = _reference.runs
split = _reference.split
trim = _reference.trim
tokens = _reference.tokens
capped_counts = _reference.capped_counts
hash_token = _reference.hash_token
bit_sums = _reference.bit_sums
to_buckets = _reference.to_buckets
to_bytes = _reference.to_bytes
encode = _reference.encode
decode = _reference.decode
fingerprint = _reference.fingerprint
distance = _reference.distance
