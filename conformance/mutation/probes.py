"""Requests that may tell a surviving mutant from the reference: swept, generated, and made for what it changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from generators.table_lines import blocks
from mutation import appendix_c
from mutation.code import CodeMutant
from mutation.equivalents import relevant_code_points
from mutation.mutant import Mutant, Step, time_limit
from mutation.patterns import CHARACTERS, NOT_ASCII, LinkMutant
from mutation.tables import TableMutant
from simhash_doc.reference import LINK, Reference
from simhash_doc.schemes import get_schemes
from simhash_doc_conformance.generated.requests import WITHOUT_SCHEME, Stage, Understood, generate, requests
from simhash_doc_conformance.generated.sweep import TEMPLATES
from simhash_doc_conformance.generated.texts import Members

Probe = tuple[str, dict[str, Any]]  # how it was found, request
SEED, REQUESTS = 15, (40, 300)  # for each scheme, and of operations without one
_TEXT_FORMS = ("encode", "decode", "narrow", "distance", "query", "find_all")
# The operations of the generated requests, by the step that is changed.
_OPERATIONS: dict[Step, tuple[str, ...]] = {
    **dict.fromkeys((Step.COUNTING, Step.HASHING, Step.SUMS), ("buckets", "fingerprint")),
    **dict.fromkeys((Step.TEXT_FORM, Step.COMPARING, Step.SEARCH), _TEXT_FORMS),
    **dict.fromkeys((Step.INPUT, Step.LINKS, Step.TOKENS), ("tokens",)),
    Step.FOLDING: ("fold",),
    Step.SCHEMES: (*_TEXT_FORMS, "buckets"),
}
_ACUTE = "\u0301"
_SHORT = 36  # characters of an example that is edited at each place
_BATCH = 100
_SHOWN = 6  # code points of a range
_EXAMPLES = {
    "url": ("a://b/c", "abc+d.e-f://x.y", "a" * 32 + "://x", "a" * 33 + "://x", "a" * 31 + "://x"),
    "named": ("doi:a/b", "urn:a.b", "arxiv:12", "hdl:a", "xdoi:a", "-urn:a"),
    "www": ("www.a.b", "www.a-b.c/d", *(f"www.{'a' * n}.b" for n in (62, 63, 64))),
    "mail": (
        "ab@cd.ef", "mailto:ab@cd.ef", "a.b_c%d+e-f@gh-i.jk.lm", "a@b.c", "a@b.c.d",
        "mailto:mailto:ab@cd.ef", f"mailto{'a' * 64}@b.c",
        *(f"{'a' * n}@b.c" for n in (63, 64, 65)), *(f"x@{'a' * n}.c" for n in (62, 63, 64)),
        *(f"x@b.{'a' * n}" for n in (62, 63, 64)), *(f"x.{'a' * n}@b.c" for n in (61, 62, 63)),
        *(f"x@a{'.a' * n}" for n in (1, 2, 254, 255, 256, 4095, 4096, 4097)),
    ),
    "doi": (
        "10.1234/ab", "10.1234.5/ab", "10.1234.5.6.7/ab", "10.1234.5.6.7.8/ab",
        *(f"10.{'1' * n}/a" for n in (3, 4, 5, 8, 9, 10)), *(f"10.1234.{'1' * n}/a" for n in (0, 1, 8, 9, 10)),
    ),
    "uuid": (
        "123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-7890-426614174000",
        "123e4567-e89b-12d3-426614174000", "abcdefab-cdef-abcd-efab-cdefabcdefab",
        "00000000-0000-0000-0000-000000000000x",
    ),
    "digest": tuple("0123456789abcdef"[n % 16] * n for n in (31, 32, 33, 127, 128, 129)),
}  # fmt: skip
_TAILS = tuple("/" * n for n in (253, 254, 255, 256, 257, 4095, 4096, 4097))


def probes(mutant: Mutant) -> Iterator[Probe]:
    """Yield requests for a mutant: those made for it, swept ones, and generated ones."""
    if isinstance(mutant, TableMutant):
        yield from _table_probes(mutant)
    elif isinstance(mutant, LinkMutant):
        yield from (("directed", request) for request in _link_requests(mutant))
        return
    elif isinstance(mutant, CodeMutant) and mutant.appendix == "appendix_c":
        yield from (("directed", {"op": "fold", "text": text}) for text in _lines())
    if not isinstance(mutant, TableMutant):
        yield from (("fuzz", request) for op in _OPERATIONS[mutant.step] for request in _generated(op))


@cache
def _generated(op: str) -> tuple[Members, ...]:
    """Return requests of an operation from the suite's generator; the same each time."""
    found: list[Members] = []
    for scheme in ("sd64",) if op in WITHOUT_SCHEME else get_schemes():
        strategy = requests(op, scheme, Understood(pieces=frozenset()))
        generate(Stage(op, strategy, REQUESTS[op in WITHOUT_SCHEME]), SEED, found.append)
    return tuple(sorted(found, key=lambda request: len(str(request))))


def _table_probes(mutant: TableMutant) -> Iterator[Probe]:
    op = "tokens" if mutant.step is Step.TOKENS else "fold"
    code_points = mutant.code_points if mutant.table == "composition" else sorted(relevant_code_points(mutant))
    chosen = [*code_points[: _SHOWN // 2], *code_points[-_SHOWN // 2 :]]
    scalars = [chr(code_point) for code_point in chosen if not 0xD800 <= code_point <= 0xDFFF]
    for character in scalars if mutant.table != "composition" else ():
        yield "sweep", {"op": op, "text": TEMPLATES[op].replace("{}", character)}
    for character in scalars:
        yield from (("directed", {"op": op, "text": text}) for text in _contexts(character))
    if mutant.table == "composition":
        yield "directed", {"op": op, "text": "".join(scalars)}


def _contexts(character: str) -> Iterator[str]:
    yield from (character, f"a{character}", f"1{character}", f"{character}a", f"a{character}b", character * 2)
    yield from (f"{character}東", f"東{character}京", f"東{character}")
    yield from (f"a{character}{chr(mark)}" for mark in _marks())
    yield from (f"a{chr(mark)}{character}" for mark in _marks())
    yield from (f"a{_ACUTE * n}{character}{_ACUTE * (30 - n)}" for n in (0, 15, 30))
    yield from (f"a{character * n}" for n in (30, 31))
    yield from (f"{first}{character}" for first in "aeiou\u03b1\u0438\u304b\u0915\u09c7\u0d46\u1025\u1b05")


@cache
def _marks() -> tuple[int, ...]:
    """Return two marks of each combining class that do not fold to something else."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for mark, value in appendix_c.combining_classes().items():
        if Reference().fold(chr(mark)) == chr(mark):
            first.setdefault(value, mark)
            last[value] = mark
    return tuple(sorted({*first.values(), *last.values()} | {0x300, 0x301, 0x308, 0x327, 0x338, 0x3099}))


@cache
def _lines() -> tuple[str, ...]:
    """Return texts for normalization, many in each, a line each."""
    return tuple("\n".join(texts) for texts in blocks(_normalization_texts(), _BATCH))


def _normalization_texts() -> Iterator[str]:
    jamo = [*range(0x10FE, 0x1115), *range(0x115E, 0x1179), *range(0x11A5, 0x11C6)]
    syllables = [0xABFF, 0xAC00, 0xAC01, 0xAC1B, 0xAC1C, 0xAC1D, 0xD788, 0xD7A3, 0xD7A4, 0xD7C0]
    borders = [0x1100, 0x1113, 0x1160, 0x1161, 0x1175, 0x1176, 0x1177, 0x11A7, 0x11A8, 0x11C2, 0x11C3, 0x11C4]
    yield from (f"{chr(a)}{chr(b)}" for a in (*jamo, *syllables) for b in (*borders, *syllables))
    yield from (f"\u1100\u1161{chr(c)}" for c in jamo)
    yield from (chr(syllable) for syllable in range(0xAC00, 0xD7A4, 97))
    same_class = "\u0301\u0308\u030d"
    yield from ("\u09c7\u0301\u09be", "\u1100\u0301\u1161", "\uac00\u0301\u11a8")
    yield from (f"{first}{a}{b}" for first in "a\u00e5" for a in same_class for b in same_class)
    marks = [chr(mark) for mark in _marks()]
    for first in ("\u00e5", "\u0308"):
        yield from (f"{first}{a}{b}" for a in marks for b in (*marks[::2], "a", "\u09be", "\u1161"))
    yield from (f"{a}{b}" for a in "a\u1100\u09c7\uac00" for b in (*marks, "a", "\u09be", "\u1161", "\u11a8"))
    yield from (f"a{a}{b}{c}" for a in marks[::5] for b in marks[::5] for c in marks[::5])


def _link_requests(mutant: LinkMutant) -> Iterator[dict[str, Any]]:
    """Yield the texts from which other links are removed: those of its own form first, the shortest first."""
    pattern, form = mutant.pattern, mutant.name.partition(":")[0].partition(".")[2]
    names = [form, *(name for name in _EXAMPLES if name != form)] if form else [*_EXAMPLES]
    for name in names:
        for text, link_free in _link_texts(name):
            if _removed(pattern, text) != link_free:
                yield {"op": "tokens", "text": text}


def _removed(pattern: re.Pattern[str], text: str) -> str | None:
    """Return the text without links; None if that takes too long."""
    try:
        with time_limit():
            return pattern.sub(" ", text)
    except TimeoutError:
        return None


@cache
def _link_texts(form: str) -> tuple[tuple[str, str], ...]:
    found: set[str] = set()
    short = [example for examples in _EXAMPLES.values() for example in examples if len(example) <= _SHORT]
    for example in _EXAMPLES[form]:
        found |= {example, f"x{example}", f"x {example}y", f"_{example}", f"\u00e9{example}", f"{example}\u00e9z"}
        if len(example) <= _SHORT:
            found |= {f"{example}{tail}z" for tail in _TAILS} | {f"{example} {other}" for other in short}
            found |= {f"{other}{joint}{example}" for other in short for joint in ("", *":/.@-")}
            found |= {f"{example[:p]}{c}{example[q:]}{end}" for p in range(len(example) + 1) for q in (p, p + 1)
                      for c in (*CHARACTERS, *NOT_ASCII, "") for end in ("", "z")}  # fmt: skip
    folded = sorted({Reference().fold(text) for text in found}, key=len)
    return tuple((text, LINK.sub(" ", text)) for text in folded)
