"""Extraction in the suite: texts judged by distance, and what is known of each published document.

The documents were written for the suite, so it knows of each what belongs to its text, part by part, and what its
medium put around that. Nothing here reads a medium.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from simhash_doc.api import fingerprint
from simhash_doc.errors import NoTokenError
from simhash_doc.resources import published
from simhash_doc.tokens import prepare, token_counts
from simhash_doc.value import Fingerprint

SCHEME = "sd256"  # its first 64 bits are the sd64 fingerprint
TRUTH = "extraction.json"
# Bits that may differ: SD-EXTRACT-1 and what follows it.
TOLERANCE = {"sd64": 3, "sd256": 10}
TOLERANCE_PDF = {"sd64": 6, "sd256": 18}
REDESIGN = {"sd64": 3, "sd256": 10}
_WORDS_SHOWN = 8
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


class NoTextError(Exception):
    """A document without text (SD-EXTRACT-11)."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a document: of its text, or `around` it. Roles are those of the specification, section 20."""

    role: str
    text: str
    around: bool = False


@dataclass(frozen=True, slots=True)
class Truth:
    """What is known of a document. `broken` maps words to the pieces in which the medium has them."""

    parts: tuple[Part, ...]
    encoding: str
    declared: str
    broken: Mapping[str, str]

    @property
    def text(self) -> str:
        return "\n\n".join(part.text for part in self.parts if not part.around)


def truth_of(document: bytes) -> Truth | None:
    """Return what is known of a document of the suite; None if it holds no text or is not of the suite."""
    return (_remembered or _published()).get(_digest(document))


_remembered: dict[str, Truth] = {}


def remember(known: Mapping[str, Any], read: Callable[[str], bytes]) -> None:
    """Use these in place of the published truths, as long as those are being made."""
    _remembered.update(_truths(known, read))


@cache
def _published() -> dict[str, Truth]:
    vectors = published("conformance/vectors")
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
    """Tell whether a text is near enough: to a published fingerprint, or, for redesigns, to another text."""
    if not isinstance(given, str):
        return False
    if isinstance(expected, str):
        return _near(fingerprint_of(expected), given, REDESIGN)
    return _near(Fingerprint.parse(expected["fingerprint"]), given, expected["distance"])


def _near(wanted: Fingerprint | None, given: str, allowed: Mapping[str, int]) -> bool:
    found = distances(wanted, given)
    return found is not None and all(found[scheme] <= most for scheme, most in allowed.items())


def fingerprint_of(text: str) -> Fingerprint | None:
    try:
        return fingerprint(text, SCHEME)
    except NoTokenError:
        return None


def distances(wanted: Fingerprint | None, given: str) -> dict[str, int] | None:
    """Return the distance of a text by scheme, None if it has no token."""
    found = fingerprint_of(given)
    if wanted is None or found is None:
        return None
    differing = wanted.value ^ found.value
    return {"sd64": (differing >> 192).bit_count(), SCHEME: differing.bit_count()}


def outcome(expected: Any, given: str) -> tuple[str, str]:
    """Return what was expected and what was given, each in a phrase."""
    if isinstance(expected, str):
        wanted, allowed = fingerprint_of(expected), REDESIGN
    else:
        wanted, allowed = Fingerprint.parse(expected["fingerprint"]), expected["distance"]
    found = distances(wanted, given)
    limit = f"a text at most {allowed['sd64']} of 64 bits and {allowed[SCHEME]} of 256 bits from {wanted}"
    if found is None:
        return limit, "a text without words"
    return limit, f"{found['sd64']} of 64 bits and {found[SCHEME]} of 256 bits away: {fingerprint_of(given)}"


def counted(text: str) -> Counter[str]:
    """Return the tokens of a text, before the cap."""
    return sum(token_counts(prepare(text)), Counter())


def differences(members: Mapping[str, Any], text: str) -> list[str]:
    """Return lines that name the words that are missing and those that are too many, and the parts that they are of."""
    truth = truth_of(base64.b64decode(members["document"]))
    if truth is None:
        return []
    wanted, found = counted(truth.text), counted(text)
    return [
        *_named("missing", wanted - found, found, [part for part in truth.parts if not part.around]),
        *_named("too many", found - wanted, wanted, [part for part in truth.parts if part.around]),
    ]


def _named(what: str, words: Counter[str], there: Counter[str], parts: list[Part]) -> list[str]:
    if not words:
        return []
    shown = sorted(words, key=there.__getitem__)[:_WORDS_SHOWN]  # first those that the other text has not at all
    lines = [f"{what}: {words.total()} words: {' '.join(shown)}{' ...' if len(words) > len(shown) else ''}"]
    by_role: dict[str, Counter[str]] = {}
    for part in parts:
        by_role.setdefault(part.role, Counter()).update(counted(part.text))
    for role, of_role in by_role.items():
        share = (words & of_role).total() / max(1, of_role.total())
        if share > 0.9:
            lines.append(f"  {what} is what is in {_PLURAL.get(role, f'the {role}')}: all or nearly all of its words")
    return lines
