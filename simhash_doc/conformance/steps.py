"""The specification as an object whose steps can be replaced one at a time: what wrong ports are patches over."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib import metadata
from io import BytesIO
from itertools import groupby

from simhash_doc import reference
from simhash_doc.conformance.extraction import NoTextError, Part, Truth, truth_of
from simhash_doc.errors import SchemeMismatchError
from simhash_doc.pinned import REPLACEMENT, connectors, fold_map, members, normalize
from simhash_doc.pinned import scheme as find_scheme
from simhash_doc.value import Fingerprint

Entry = tuple[str, str]


class Steps:
    """Each method is one step and calls the others; a wrong port replaces one of them.

    A test holds this equal to `reference` on every vector.
    """

    nonstarter_limit = reference.NONSTARTER_LIMIT
    cap = reference.OCCURRENCE_CAP
    extracts = False  # whether extraction is declared: the steps know the texts of the suite, and read no media

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
        """Replace long runs of non-starters (SD-FOLD-3, SD-FOLD-4)."""
        nonstarters = members("nonstarter")
        out: list[str] = []
        for is_run, group in groupby(self.decomposed(text), key=lambda character: bool(nonstarters[ord(character)])):
            run = "".join(group)
            out.append(self.long_run(run) if is_run and len(run) > self.nonstarter_limit else run)
        return "".join(out)

    def decomposed(self, text: str) -> str:
        """Decompose each code point on its own (SD-FOLD-3)."""
        return "".join(normalize("NFD", character) for character in text)

    def long_run(self, run: str) -> str:
        """Return what replaces a run of too many non-starters (SD-FOLD-4)."""
        return REPLACEMENT

    def compose(self, text: str) -> str:
        return normalize("NFC", text)

    def link_forms(self) -> dict[str, str]:
        """Return the forms of links, by name, in the order in which they are tried (SD-LINK-2 to SD-LINK-8)."""
        return dict(reference.LINK_FORMS)

    def remove_links(self, folded: str) -> str:
        return re.sub(rf"\b(?:{'|'.join(self.link_forms().values())})", " ", folded, flags=re.ASCII)

    def is_word(self, character: str) -> bool:
        return bool(members("word")[ord(character)])

    def runs(self, text: str) -> list[str]:
        """Return the maximal runs of word characters (SD-RUN-1)."""
        return ["".join(group) for inside, group in groupby(text, key=self.is_word) if inside]

    def is_continua(self, character: str) -> bool:
        return bool(members("continua")[ord(character)])

    def split(self, run: str) -> list[str]:
        """Cut a run into stretches, and those of scriptio continua into bigrams (SD-SPLIT-1 to SD-SPLIT-3)."""
        candidates: list[str] = []
        for continua, group in groupby(run, key=self.is_continua):
            stretch = "".join(group)
            candidates += self.bigrams(stretch) if continua else [stretch]
        return candidates

    def bigrams(self, stretch: str) -> list[str]:
        return [stretch[i : i + 2] for i in range(max(1, len(stretch) - 1))]

    def trim(self, candidate: str) -> str:
        """Trim connectors from both ends (SD-FILTER-1)."""
        return candidate.strip(connectors())

    def is_token(self, trimmed: str) -> bool:
        """Tell whether a trimmed candidate is a token (SD-FILTER-2)."""
        return any(members("alphabetic")[ord(character)] for character in trimmed)

    def prepared_tokens(self, prepared: str) -> list[str]:
        """Return the tokens of a prepared text (SD-RUN-1 to SD-FILTER-2)."""
        candidates = (candidate for run in self.runs(prepared) for candidate in self.split(run))
        return [token for candidate in candidates if self.is_token(token := self.trim(candidate))]

    def tokens(self, given: str | bytes) -> list[str]:
        """Return the tokens of an input, repeated ones repeated."""
        return self.prepared_tokens(self.remove_links(self.fold(self.read(given))))

    def count(self, tokens: Iterable[str]) -> dict[str, int]:
        """Count each distinct token up to the cap (SD-CAP-1)."""
        return {token: min(self.cap, count) for token, count in Counter(tokens).items()}

    def hash_token(self, token: str, word: int) -> int:
        return reference.hash_token(token, word)

    def bit_sums(self, counts: dict[str, int], words: int) -> list[int]:
        """Return the exact sums (SD-SUM-1)."""
        if not counts:
            return self.no_token(words)
        sums = [0] * (64 * words)
        for token, count in counts.items():
            for word in range(words):
                token_hash = self.hash_token(token, word)
                for bit in range(64):
                    sums[64 * word + bit] += count if token_hash >> bit & 1 else -count
        return sums

    def no_token(self, words: int) -> list[int]:
        """Raise `NoTokenError` (SD-SUM-2)."""
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
        """Return the text form with its scheme (SD-TEXT-5, SD-CUSTOM-2), or raise what is wrong with the bytes."""
        Fingerprint.from_bytes(data, scheme)
        return f"{scheme}{'' if canonical else '+custom'}:{self.base32(data)}"

    def base32(self, data: bytes) -> str:
        """Return the text form without its scheme (SD-TEXT-1, SD-TEXT-2)."""
        return reference.encode(data)

    def decode(self, text: str, scheme: str | None = None) -> Fingerprint:
        """Read a text form (SD-TEXT-3 to SD-TEXT-5)."""
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

    def extract(self, document: bytes, name: str | None) -> str:
        """Return the text of a document of the suite, from what the suite knows of it (SD-EXTRACT-1).

        Raises:
            NoTextError: it has none.
        """
        truth = truth_of(document)
        return self.no_text() if truth is None else self.assembled(truth)

    def no_text(self) -> str:
        """Raise `NoTextError` (SD-EXTRACT-11)."""
        raise NoTextError

    def assembled(self, truth: Truth) -> str:
        return "\n\n".join(self.part_text(part, truth) for part in truth.parts if self.is_content(part))

    def is_content(self, part: Part) -> bool:
        """Tell whether a part belongs to the text (SD-EXTRACT-1 to SD-EXTRACT-7)."""
        return not part.around

    def part_text(self, part: Part, truth: Truth) -> str:
        return part.text


def has_extra(extra: str) -> bool:
    """Tell whether all libraries of an extra of this package are installed."""
    wanted = re.compile(rf"([\w.-]+).*; .*extra == ['\"]{extra}['\"]")
    named = (wanted.match(requirement) for requirement in metadata.requires("simhash-doc") or ())
    try:
        return all(metadata.version(match[1]) for match in named if match)
    except metadata.PackageNotFoundError:
        return False


class PackageSteps(Steps):
    """The package as its users call it: the fast path."""

    def __init__(self) -> None:
        self.extracts = has_extra("extract")

    def extract(self, document: bytes, name: str | None) -> str:
        from simhash_doc.extract import ExtractionError, NoText, extract_each

        texts = []
        for extracted in extract_each(BytesIO(document), name=name):
            if isinstance(extracted, NoText):
                raise NoTextError
            if isinstance(extracted, ExtractionError):
                raise extracted
            texts.append(extracted.text)
        return "\n\n".join(texts)

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
