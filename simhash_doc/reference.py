"""The specification in code, clause by clause: plain, slow, and the authority that the fast path must equal.

Each function is one step of the pipeline; the names in parentheses are the
requirements of `spec/simhash-doc.md` that it implements.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from xxhash import xxh64_intdigest

from simhash_doc.errors import (
    BadCharacterError,
    BadLengthError,
    NoTokenError,
    PaddingError,
    SchemeMismatchError,
    SpareBitsError,
)
from simhash_doc.pinned import REPLACEMENT, connectors, fold_map, members, normalize, scheme

NONSTARTER_LIMIT = 30  # SD-FOLD-4
OCCURRENCE_CAP = 8  # SD-CAP-1
BUCKET_LIMIT = 127  # SD-BUCKET-1
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


def decode_utf8(data: bytes) -> str:
    """Return the text of UTF-8 bytes, each ill-formed part as U+FFFD (SD-INPUT-1, SD-INPUT-2)."""
    return data.decode("utf-8", errors="replace").removeprefix("\ufeff")


def fold(text: str) -> str:
    """Return toNFKC_Casefold of the text by the pinned map (SD-FOLD-1 to SD-FOLD-5)."""
    mapped = text.translate(fold_map())
    return normalize("NFC", bound_nonstarters(mapped))


def bound_nonstarters(text: str) -> str:
    """Replace each run of more than 30 non-starters by U+FFFD (SD-FOLD-3, SD-FOLD-4)."""
    nonstarter = members("nonstarter")
    out: list[str] = []
    run: list[str] = []
    for character in "".join(normalize("NFD", character) for character in text) + "\0":
        if nonstarter[ord(character)]:
            run.append(character)
        else:
            out += run if len(run) <= NONSTARTER_LIMIT else [REPLACEMENT]
            out.append(character)
            run = []
    return "".join(out[:-1])


def remove_links(folded: str) -> str:
    """Replace each link by one space (SD-LINK-1)."""
    return LINK.sub(" ", folded)


def runs(text: str) -> list[str]:
    """Return the maximal runs of word characters (SD-RUN-1)."""
    return _stretches(text, members("word"))[1]


def split(run: str) -> list[str]:
    """Cut a run into whole stretches and bigrams of scriptio continua characters (SD-SPLIT-1 to SD-SPLIT-3)."""
    whole, continua = _stretches(run, members("continua"))
    bigrams = [stretch[i : i + 2] for stretch in continua for i in range(max(1, len(stretch) - 1))]
    return whole + bigrams


def _stretches(text: str, inside: bytes) -> tuple[list[str], list[str]]:
    """Return the maximal stretches of characters outside and inside a table."""
    found: tuple[list[str], list[str]] = ([], [])
    start = 0
    for i in range(1, len(text) + 1):
        if i == len(text) or inside[ord(text[i])] != inside[ord(text[start])]:
            found[inside[ord(text[start])]].append(text[start:i])
            start = i
    return found


def trim(token: str) -> str | None:
    """Trim connectors; None if no Alphabetic character is left (SD-FILTER-1, SD-FILTER-2)."""
    trimmed = token.strip(connectors())
    alphabetic = members("alphabetic")
    return trimmed if any(alphabetic[ord(character)] for character in trimmed) else None


def tokens(text: str) -> list[str]:
    """Return the tokens of a text, in no order that matters, repeated ones repeated."""
    cut = (token for run in runs(remove_links(fold(text))) for token in split(run))
    return [kept for token in cut if (kept := trim(token)) is not None]


def capped_counts(found: Iterable[str]) -> dict[str, int]:
    """Count each distinct token, at most 8 times (SD-CAP-1)."""
    counts: dict[str, int] = {}
    for token in found:
        counts[token] = min(OCCURRENCE_CAP, counts.get(token, 0) + 1)
    return counts


def hash_token(token: str, seed: int = 0) -> int:
    """Return XXH64 of the token's UTF-8 bytes (SD-HASH-1, SD-WIDE-2)."""
    return xxh64_intdigest(token.encode("utf-8"), seed)


def bit_sums(counts: dict[str, int], words: int = 1) -> list[int]:
    """Sum +1 per set and -1 per clear bit; index 64 j + i is bit i of word j (SD-SUM-1, SD-WIDE-2).

    Raises:
        NoTokenError: there is no token (SD-SUM-2).
    """
    if not counts:
        raise NoTokenError("the text holds no token, so it has no fingerprint")
    sums = [0] * (64 * words)
    for token, count in counts.items():
        for word in range(words):
            token_hash = hash_token(token, seed=word)
            for bit in range(64):
                sums[64 * word + bit] += count if token_hash >> bit & 1 else -count
    return sums


def to_buckets(sums: Iterable[int]) -> list[int]:
    """Clamp each sum to [-127, 127] (SD-BUCKET-1).

    Only here: clamping on the way would make the result depend on token order.
    """
    return [max(-BUCKET_LIMIT, min(BUCKET_LIMIT, total)) for total in sums]


def to_bytes(buckets: list[int]) -> bytes:
    """Return the fingerprint: per word 8 bytes, most significant first (SD-SIGN-1, SD-TEXT-1, SD-WIDE-3)."""
    words = [buckets[i : i + 64] for i in range(0, len(buckets), 64)]
    return b"".join(sum((bucket > 0) << bit for bit, bucket in enumerate(word)).to_bytes(8, "big") for word in words)


def encode(fingerprint: bytes) -> str:
    """Return the text form: base32, lower case, no padding, spare bits 0 (SD-TEXT-1, SD-TEXT-2)."""
    characters = -(-8 * len(fingerprint) // 5)
    value = int.from_bytes(fingerprint, "big") << 5 * characters - 8 * len(fingerprint)
    return "".join(BASE32[value >> 5 * i & 31] for i in reversed(range(characters)))


def decode(text: str, scheme_id: str = "sd64") -> bytes:
    """Return the bytes of a text form in lower or upper case (SD-TEXT-3, SD-TEXT-4).

    Raises:
        PaddingError, BadCharacterError, BadLengthError, SpareBitsError: in this order.
    """
    expected = scheme(scheme_id)
    if "=" in text:
        raise PaddingError(f"{text!r} is padded with '='; the text form has no padding")
    value = 0
    for position, character in enumerate(text):
        digit = BASE32.find(character.lower() if character.isascii() else "?")
        if digit < 0:
            raise BadCharacterError(
                f"{text!r} holds {character!r} at position {position}; base32 has a to z and 2 to 7"
            )
        value = value << 5 | digit
    if len(text) != expected.characters:
        raise BadLengthError(f"{text!r} has {len(text)} characters; {expected.id} has {expected.characters}")
    spare = 5 * len(text) - expected.bits
    if value & (1 << spare) - 1:
        raise SpareBitsError(f"the last character of {text!r} has a spare bit set; the lowest {spare} must be 0")
    return (value >> spare).to_bytes(expected.bits // 8, "big")


def fingerprint(text: str | bytes, scheme_id: str = "sd64") -> str:
    """Return the text form of the fingerprint of a text, the whole pipeline (section 2).

    >>> fingerprint("The quick brown fox")
    '...'
    """
    decoded = decode_utf8(text) if isinstance(text, bytes) else text
    sums = bit_sums(capped_counts(tokens(decoded)), scheme(scheme_id).words)
    return encode(to_bytes(to_buckets(sums)))


def distance(a: str, b: str, scheme_a: str = "sd64", scheme_b: str = "sd64") -> int:
    """Return the Hamming distance of two text forms (SD-DIST-1, SD-DIST-2)."""
    if scheme(scheme_a) != scheme(scheme_b):
        raise SchemeMismatchError(f"{scheme_a} and {scheme_b} fingerprints cannot be compared")
    left, right = (int.from_bytes(decode(text, name), "big") for text, name in ((a, scheme_a), (b, scheme_b)))
    return (left ^ right).bit_count()
