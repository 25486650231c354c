"""The pipeline with one design decision changed, as a baseline for that decision."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from simhash_doc.engines.strings import classes, fold
from simhash_doc.reference import LINK, OCCURRENCE_CAP, trim
from simhash_doc.unicode_data import connectors, members, normalize, word_categories


@dataclass(frozen=True, slots=True)
class Variant:
    """Which tokens count, and how often. The defaults are the decisions of the scheme."""

    folding: bool = True
    links: bool = True
    spacing_marks: bool = True  # General_Category Mc is part of words
    trimmed: bool = True
    split: str = "bigrams"  # of scriptio continua: bigrams, trigrams, single, or whole runs
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
    """Return the tokens of a text in document order, before the cap."""
    link_free = fold(text) if variant.folding else normalize("NFC", text)
    if variant.links:
        pattern = LINK if variant.folding else _link_in_any_case()
        link_free = pattern.sub(" ", link_free)
    return list(_filtered(_split(link_free, variant), trimmed=variant.trimmed))


def _split(link_free: str, variant: Variant) -> Iterator[str]:
    runs = _run_patterns(variant.spacing_marks)
    if variant.split == "whole":
        yield from runs["word"].findall(link_free)
        return
    grams = _GRAMS[variant.split]
    for match in runs["split"].finditer(link_free):
        if match.lastgroup == "whole":
            yield match[0]
        else:
            yield from grams(match[0])


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


def _n_grams(size: int) -> Callable[[str], list[str]]:
    return lambda run: [run[i : i + size] for i in range(max(1, len(run) - size + 1))]


_GRAMS = {"single": _n_grams(1), "bigrams": _n_grams(2), "trigrams": _n_grams(3)}


@cache
def _link_in_any_case() -> re.Pattern[str]:
    return re.compile(LINK.pattern, LINK.flags | re.IGNORECASE)


@cache
def _run_patterns(spacing_marks: bool) -> dict[str, re.Pattern[str]]:
    """Return the patterns of runs of word characters, and of such runs split at the borders of scriptio continua."""
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
