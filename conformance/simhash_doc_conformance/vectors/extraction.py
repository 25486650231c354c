"""Extraction in the suite: texts are judged by distance, and compared with the ground truth of each document.

The documents were written for the suite, so the parts of each text, and the text that the format
adds around them, are known. Nothing here reads a document format.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from simhash_doc import reference
from simhash_doc.schemes import get_scheme
from simhash_doc_conformance.vectors.published import published_path

SCHEME = "sd256"  # its first 64 bits are the sd64 fingerprint
TRUTH = "extraction.json"
REDESIGN = {"sd64": 3, "sd256": 10}  # bits that may differ
_WORDS_SHOWN = 8
_FIELD = 40  # bits of a sum
_HALF = 2 ** (_FIELD - 1)
_PLURAL = {
    "title": "the title",
    "heading": "headings",
    "paragraph": "paragraphs",
    "item": "list items",
    "code": "code",
    "caption": "figure captions",
    "table": "tables",
    "quote": "quotations",
    "footnote": "footnotes",
    "reference": "the reference list",
}


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a document, within its text or `around` it. Roles are those of extraction.md."""

    role: str
    text: str
    around: bool = False


@dataclass(frozen=True, slots=True)
class Truth:
    """The ground truth of a document. `broken` maps words to the pieces into which the format splits them."""

    parts: tuple[Part, ...]
    encoding: str
    declared: str
    broken: Mapping[str, str]

    @property
    def text(self) -> str:
        """The text that an extractor should return."""
        return "\n\n".join(part.text for part in self.parts if not part.around)


def truth_of(document: bytes) -> Truth | None:
    """Return the ground truth of a document; None if it has no text or does not belong to the suite."""
    return (_remembered or _published()).get(_digest(document))


_remembered: dict[str, Truth] = {}


def remember(known: Mapping[str, Any], read: Callable[[str], bytes]) -> None:
    """Use this ground truth instead of the published one, while the latter is generated."""
    _remembered.update(_truths(known, read))


@cache
def _published() -> dict[str, Truth]:
    vectors = published_path("vectors")
    known = json.loads((vectors / TRUTH).read_text(encoding="utf-8"))
    return _truths(known, lambda file: (vectors / file).read_bytes())


def _truths(known: Mapping[str, Any], read: Callable[[str], bytes]) -> dict[str, Truth]:
    truths = {}
    for file, row in known["documents"].items():
        parts = [Part(role, text) for role, text in known["works"][row["work"]]["parts"]]
        parts += [Part(role, text, around=True) for role, text in row["around"]]
        truths[_digest(read(file))] = Truth(tuple(parts), row["encoding"], row["declared"], dict(row["broken"]))
    return truths


def _digest(document: bytes) -> str:
    return hashlib.sha256(document).hexdigest()


def within(expected: Any, given: Any) -> bool:
    """Return True if a text is close enough to a published fingerprint or, for redesigns, to another text."""
    if not isinstance(given, str):
        return False
    wanted, allowed = _wanted(expected)
    found = distances(wanted, given)
    return found is not None and all(found[scheme] <= most for scheme, most in allowed.items())


def _wanted(expected: Any) -> tuple[str | None, Mapping[str, int]]:
    """Return the fingerprint that is expected, and the numbers of bits that may differ."""
    if isinstance(expected, str):
        return fingerprint_of(expected), REDESIGN
    return expected["fingerprint"], expected["distance"]


@lru_cache(maxsize=16)
def fingerprint_of(text: str) -> str | None:
    """Return the text form of the fingerprint in 256 bits by the reference; None if the text has no token."""
    counts = reference.capped_counts(reference.tokens(text))
    if not counts:
        return None
    sums = bit_sums(counts, get_scheme(SCHEME).lanes)
    return f"{SCHEME}:{reference.encode(reference.to_bytes(sums))}"


def bit_sums(
    counts: Mapping[str, int], lanes: int, hash_token: Callable[[str, int], int] = reference.hash_token
) -> list[int]:
    """Return what `Reference.bit_sums` does for a text with tokens, faster: the sums of a lane are in one integer."""
    sums: list[int] = []
    total = sum(counts.values())
    for lane in range(lanes):
        ones = _HALF * _spread(2**64 - 1)  # so that no field is negative: some mutants count in signed types
        ones += sum(count * _spread(hash_token(token, lane)) for token, count in counts.items())
        sums += [2 * ((ones >> _FIELD * bit) % 2**_FIELD - _HALF) - total for bit in range(64)]
    return sums


@lru_cache(100_000)
def _spread(token_hash: int) -> int:
    """Return an integer with bit i of a hash in its i-th field."""
    return int(("0" * (_FIELD // 4 - 1)).join(f"{token_hash:064b}"), 16)


def distances(wanted: str | None, given: str) -> dict[str, int] | None:
    """Return the distance of a text from a fingerprint by scheme; None if it has no token."""
    found = fingerprint_of(given)
    if wanted is None or found is None:
        return None
    a, b = (reference.decode(text.removeprefix(f"{SCHEME}:"), SCHEME) for text in (wanted, found))
    differing = int.from_bytes(a) ^ int.from_bytes(b)
    return {"sd64": (differing >> 192).bit_count(), SCHEME: differing.bit_count()}


def outcome(expected: Any, given: str) -> tuple[str, str]:
    """Return the expected and the given outcome, each in a phrase."""
    wanted, allowed = _wanted(expected)
    found = distances(wanted, given)
    limit = f"a text at most {allowed['sd64']} of 64 bits and {allowed[SCHEME]} of 256 bits from {wanted}"
    if found is None:
        return limit, "a text without tokens"
    return limit, f"{found['sd64']} of 64 bits and {found[SCHEME]} of 256 bits away: {fingerprint_of(given)}"


def counted(text: str) -> Counter[str]:
    """Return the tokens of a text, before the cap."""
    return Counter(reference.tokens(text))


def differences(members: Mapping[str, Any], text: str) -> list[str]:
    """Return lines that name missing and extra words, and the parts that they belong to."""
    truth = truth_of(base64.b64decode(members["document"]))
    if truth is None:
        return []
    wanted, found = counted(truth.text), counted(text)
    return [
        *_named("missing", wanted - found, found, [part for part in truth.parts if not part.around]),
        *_named("extra", found - wanted, wanted, [part for part in truth.parts if part.around]),
    ]


def _named(what: str, words: Counter[str], other: Counter[str], parts: list[Part]) -> list[str]:
    if not words:
        return []
    shown = sorted(words, key=other.__getitem__)[:_WORDS_SHOWN]  # first those that the other text does not have
    lines = [f"{what}: {words.total()} words: {' '.join(shown)}{' ...' if len(words) > len(shown) else ''}"]
    by_role: dict[str, Counter[str]] = {}
    for part in parts:
        by_role.setdefault(part.role, Counter()).update(counted(part.text))
    for role, of_role in by_role.items():
        share = (words & of_role).total() / max(1, of_role.total())
        if share > 0.9:
            lines.append(f"  {what}: (nearly) all words of {_PLURAL.get(role, f'the {role}')}")
    return lines
