"""The pipeline with one decision changed: what each decision of the scheme is measured against."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from simhash_doc.pinned import connectors, members, normalize, word_categories
from simhash_doc.reference import LINK, OCCURRENCE_CAP, trim
from simhash_doc.tokens import classes, fold


@dataclass(frozen=True, slots=True)
class Variant:
    """Which tokens count, and how often. The defaults are the scheme's decisions."""

    folding: bool = True
    links: bool = True
    spacing_marks: bool = True  # General_Category Mc
    trimmed: bool = True
    split: str = "bigrams"  # of scriptio continua: bigrams, trigrams, single, whole
    cap: int | None = OCCURRENCE_CAP


SCHEME = Variant()
LITERAL = Variant(folding=False, spacing_marks=False, split="whole", trimmed=False, cap=None)

CAPS = {
    "every occurrence, the proposal read literally": LITERAL,
    "every occurrence": Variant(cap=None),
    "at most 16": Variant(cap=16),
    "at most 8": SCHEME,
    "at most 4": Variant(cap=4),
    "once": Variant(cap=1),
}
DECISIONS = {
    "version 1": SCHEME,
    "without folding": Variant(folding=False),
    "links kept": Variant(links=False),
    "without Mc": Variant(spacing_marks=False),
    "connectors not trimmed": Variant(trimmed=False),
    "scriptio continua whole": Variant(split="whole"),
    "scriptio continua in trigrams": Variant(split="trigrams"),
    "scriptio continua in single characters": Variant(split="single"),
}


def tokens(text: str, variant: Variant = SCHEME) -> list[str]:
    """Return the tokens of a text in the order of the document, before the cap."""
    prepared = fold(text) if variant.folding else normalize("NFC", text)
    if variant.links:
        pattern = LINK if variant.folding else _link_in_any_case()
        prepared = pattern.sub(" ", prepared)
    return list(_filtered(_cut(prepared, variant), trimmed=variant.trimmed))


def _cut(prepared: str, variant: Variant) -> Iterator[str]:
    stretch = _stretches(variant.spacing_marks)
    if variant.split == "whole":
        yield from stretch["word"].findall(prepared)
        return
    cut = _CUTS[variant.split]
    for match in stretch["split"].finditer(prepared):
        if match.lastgroup == "whole":
            yield match[0]
        else:
            yield from cut(match[0])


def _filtered(candidates: Iterable[str], *, trimmed: bool) -> Iterator[str]:
    alphabetic, edges = members("alphabetic"), connectors()
    for candidate in candidates:
        if alphabetic[ord(candidate[0])] and candidate[-1] not in edges:
            yield candidate
        elif trimmed:
            if (token := trim(candidate)) is not None:
                yield token
        elif any(alphabetic[ord(character)] for character in candidate):
            yield candidate


def _grams(size: int) -> Callable[[str], list[str]]:
    return lambda stretch: [stretch[i : i + size] for i in range(max(1, len(stretch) - size + 1))]


_CUTS = {"single": _grams(1), "bigrams": _grams(2), "trigrams": _grams(3)}


@cache
def _link_in_any_case() -> re.Pattern[str]:
    return re.compile(LINK.pattern, LINK.flags | re.IGNORECASE)


@cache
def _stretches(spacing_marks: bool) -> dict[str, re.Pattern[str]]:
    """Return the patterns of whole runs, and of runs cut where scriptio continua begins and ends."""
    word = bytearray(members("word"))
    if not spacing_marks:
        for code_point, category in word_categories().items():
            if category == "Mc":
                word[code_point] = 0
    continua = members("continua")
    inside = bytes(a & b for a, b in zip(word, continua, strict=True))
    outside = bytes(a & ~b & 1 for a, b in zip(word, continua, strict=True))
    return {
        "word": re.compile(_one_or_more(bytes(word))),
        "split": re.compile(f"(?P<whole>{_one_or_more(outside)})|(?P<continua>{_one_or_more(inside)})"),
    }


def _one_or_more(table: bytes) -> str:
    low, high = classes(table)
    return f"(?:{low}+|{high}+)+"
