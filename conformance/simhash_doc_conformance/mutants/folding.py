"""Mutants of section 4, folding, of section 15, Unicode versions, and of appendix C, normalization."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from itertools import groupby

from simhash_doc.published_files import data_path
from simhash_doc.unicode_data import REPLACEMENT, combining_class, fold_map, members, normalize
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.mutants import after, before, in_pieces, mutant, of_sizes, table

_IGNORABLE = {c for c, target in list(fold_map().items()) if not target}
_ZERO_WIDTH = {0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF}
_VARIATION_SELECTORS = {*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}
# A few characters of the versions next to 15.0, standing for all of them.
_NEW_IN_15 = "\u0cf3\u0ece\U00010efd\U00010efe\U00010eff\U00011b00\U00011f02\U0001e030\U0001e4d0\U00031350"
_NEW_IN_16 = {"\u1c89": "\u1c8a", "\ua7da": "\ua7db", "\U00010d50": "\U00010d70", "\U00016d40": "\U00016d40"}
_NEW_MARKS_IN_15 = "[\U00010efd-\U00010eff\U0001e4ec-\U0001e4ef\u0ece]"


def _mapped(character: str) -> str:
    return character.translate(fold_map())


def _each(changed: Callable[[str], str]) -> Callable[..., str]:
    """Return a map of characters one by one."""
    return lambda text: "".join(map(changed, text))


def _except(kept: Callable[[str], bool]) -> Callable[..., str]:
    """Return the map of characters that keeps some as they are."""
    return _each(lambda c: c if kept(c) else _mapped(c))


def _without_ignorables(text: str) -> str:
    return "".join(character for character in text if ord(character) not in _IGNORABLE)


def _fold_lower_only(right: Implementation, text: str) -> str:
    kept = text.translate(dict.fromkeys(map(ord, "ßſς"), "\ue000"))
    odd = iter(re.findall("[ßſς]", text))
    return re.sub("\ue000", lambda match: next(odd), kept.translate(fold_map()))


table("SD-FOLD-2", map_characters={
    "unassigned-kept": ("keeps what Unicode 15.0 does not assign", _except(lambda c: _mapped(c) == REPLACEMENT)),
    "unassigned-dropped": ("drops code points that Unicode 15.0 does not assign, so that words on both sides join",
        _each(lambda c: "" if _mapped(c) == REPLACEMENT != c else _mapped(c))),
    "unassigned-ignorable-replaced": (
        "replaces unassigned code points that are default-ignorable by U+FFFD; the map removes them",
        _each(lambda c: _mapped(c) if members("assigned")[ord(c)] else REPLACEMENT)),
    "private-use-replaced": ("replaces private-use characters by U+FFFD; they are assigned",
        after(lambda result: re.sub("[\ue000-\uf8ff\U000f0000-\U0010ffff]", REPLACEMENT, result))),
})  # fmt: skip

table("SD-FOLD-3", decomposed={
    "marks-counted-composed": ("counts non-starters before decomposing, so a precomposed letter hides one",
        lambda text: normalize("NFC", text)),
})  # fmt: skip


def _marks_by_category(right: Implementation, text: str) -> str:
    marks = "".join(c for c in set(text) if unicodedata.category(c) in ("Mn", "Mc"))
    return right.bound_nonstarters(re.sub(f"[{marks}\ue000]{{31,}}", REPLACEMENT, text))


mutant(
    "compose-missing", "SD-FOLD-5", "omits the normalization to NFC after the map",
    compose=lambda text: text, bound_nonstarters=lambda text: text,
)  # fmt: skip


def _nfc_except(pattern: str) -> Callable[..., str]:
    """Return NFC that copies what matches a pattern, and composes nothing across it."""

    def parts(text: str) -> Iterator[str]:
        for number, part in enumerate(re.split(f"({pattern})", text)):
            yield part if number % 2 else normalize("NFC", part)

    return lambda text: "".join(parts(text))


mutant(
    "tables-newer", "SD-UNI-1", "uses tables of a Unicode version after 15.0",
    map_characters=_each(lambda c: _NEW_IN_16.get(c) or _mapped(c)),
    is_word=lambda step, character: character in _NEW_IN_16.values() or step(character),
    is_token=lambda step, trimmed: any(c in _NEW_IN_16.values() for c in trimmed) or step(trimmed),
)  # fmt: skip

table("SD-UNI-1", map_characters={
    "tables-older": ("uses tables of a Unicode version before 15.0",
        _each(lambda c: REPLACEMENT if c in _NEW_IN_15 else _mapped(c))),
})  # fmt: skip

table("SD-UNI-2", compose={
    "normalization-older": (
        "uses a normalization older than Unicode 15.0, which does not reorder the marks of that version",
        _nfc_except(_NEW_MARKS_IN_15)),
})  # fmt: skip

S, L, V, T = 0xAC00, 0x1100, 0x1161, 0x11A7  # the first code points of Hangul syllables and jamo
_NONSTARTER_PAIRS = {
    "\u0308\u0301": "\u0344",
    "\u0f71\u0f72": "\u0f73",
    "\u0f71\u0f74": "\u0f75",
    "\u0f71\u0f80": "\u0f81",
}


@cache
def _pairs(table: str) -> dict[str, str]:
    """Return the composite of each pair of code points of `composition.txt` or `decomposition.txt`."""
    lines = (data_path("spec/data") / f"{table}.txt").read_text(encoding="ascii").splitlines()
    rows = (line.split(" ; ") for line in lines if not line.startswith("#"))
    texts = {"".join(chr(int(code, 16)) for code in value.split()): chr(int(key, 16)) for key, value in rows}
    return {pair: composite for pair, composite in texts.items() if len(pair) == 2}


class _OwnNfc(Implementation):
    """NFC as in appendix C. Mutants change a bound, the order, the condition or the table."""

    leading, vowels, trailing = (0, 18), (0, 20), (1, 27)

    def __init__(self) -> None:
        super().__init__()
        self._composed: dict[str, str] = {}

    def compose(self, text: str) -> str:
        # Spaces and line ends compose with nothing, so that parts can be kept: most texts repeat them.
        return "".join(part if part.isascii() else self.part(part) for part in re.split("([ \n]+)", text))

    def part(self, text: str) -> str:
        if text not in self._composed:
            self._composed[text] = self.composed(self.ordered(normalize("NFD", text)))
        return self._composed[text]

    def ordered(self, decomposed: str) -> str:
        return decomposed

    def composed(self, text: str) -> str:
        out: list[str] = []
        base = -1  # the place of the last starter in the output
        for character in text:
            number = combining_class(character)
            between = [combining_class(other) for other in out[base + 1 :]]
            if base >= 0 and not self.is_blocked(between, number):
                composite = self.composite(out[base], character)
                if composite is not None:
                    out[base] = composite
                    continue
            out.append(character)
            if number == 0:
                base = len(out) - 1
        return "".join(out)

    def is_blocked(self, between: list[int], number: int) -> bool:
        return bool(between) and between[-1] >= number

    def composite(self, base: str, character: str) -> str | None:
        b, c = ord(base), ord(character)
        if self.leading[0] <= b - L <= self.leading[1] and self.vowels[0] <= c - V <= self.vowels[1]:
            return chr(S + ((b - L) * 21 + (c - V)) * 28)
        if 0 <= b - S < 11_172 and self.takes_trailing(b) and self.trailing[0] <= c - T <= self.trailing[1]:
            return chr(b + c - T)
        return self.pair(base + character)

    def takes_trailing(self, syllable: int) -> bool:
        return (syllable - S) % 28 == 0

    def pair(self, pair: str) -> str | None:
        return _pairs("composition").get(pair)


def _sorted_marks(
    decomposed: str, place: Callable[[str], int], least: int, key: Callable[[int], int] = lambda number: number
) -> str:
    """Sort each run of so many marks or more by a key of their class, and within a class by a place."""
    out: list[str] = []
    for marked, group in groupby(decomposed, key=lambda character: combining_class(character) > 0):
        run = list(group)
        out += sorted(run, key=lambda c: (key(combining_class(c)), place(c))) if marked and len(run) >= least else run
    return "".join(out)


def _nfc_nonstarter_pair_composed(right: Implementation, text: str) -> str:
    composed = right.compose(text)
    for pair, composite in _NONSTARTER_PAIRS.items():
        composed = composed.replace(pair, composite)
    return composed


table("SD-FOLD-5", compose={
    "compose-decomposes": ("normalizes to NFD instead of NFC", lambda text: normalize("NFD", text)),
    "compose-strips-accents": ("strips accents",
        lambda text: normalize("NFC", re.sub("[\u0300-\u036f]", "", normalize("NFD", text)))),
    "compose-hangul-missing": ("does not compose Hangul jamo into syllables", _nfc_except("[\u1100-\u11ff]+")),
    "nfc-nonstarter-pair-composed": ("composes two non-starters, as U+0308 U+0301", _nfc_nonstarter_pair_composed),
}, map_characters={
    "fold-nfd-first": ("puts the text into NFD before it is mapped", before(lambda text: normalize("NFD", text))),
    "fold-nfc-first": ("puts the text into NFC before it is mapped", before(lambda text: normalize("NFC", text))),
})  # fmt: skip

table("SD-FOLD-5", _OwnNfc, leading={
    "hangul-l-last-missing": ("does not compose the last leading consonant of Hangul, U+1112", (0, 17)),
    "hangul-l-first-missing": ("does not compose the first leading consonant of Hangul, U+1100", (1, 18)),
    "hangul-l-beyond": ("composes U+1113, which is not a leading consonant of a syllable", (0, 19)),
}, vowels={
    "hangul-v-last-missing": ("does not compose the last vowel of Hangul, U+1175", (0, 19)),
    "hangul-v-first-missing": ("does not compose the first vowel of Hangul, U+1161", (1, 20)),
    "hangul-v-beyond": ("composes U+1176, which is not a vowel of a syllable", (0, 21)),
}, trailing={
    "hangul-t-last-missing": ("does not compose the last trailing consonant of Hangul, U+11C2", (1, 26)),
    "hangul-t-first-missing": ("does not compose the first trailing consonant of Hangul, U+11A8", (2, 27)),
    "hangul-t-base": ("composes U+11A7, which is not a trailing consonant: it disappears", (0, 27)),
    "hangul-t-beyond": ("composes U+11C3, which is not a trailing consonant of a syllable", (1, 28)),
}, takes_trailing={
    "hangul-lvt-takes-t": ("composes a trailing consonant with a syllable that has one", lambda syllable: True),
    "hangul-lv-keeps-t": ("does not compose a trailing consonant with a syllable", lambda syllable: False),
}, pair={
    "nfc-exclusions-composed": ("composes the pairs that NFC excludes, such as U+0915 U+093C",
        lambda pair: _pairs("decomposition").get(pair)),
    "nfc-one-mark": ("composes each letter with one mark only",
        lambda step, pair: None if normalize("NFD", pair[0]) != pair[0] else step(pair)),
    "nfc-bmp-only": ("does not compose beyond U+FFFF", lambda step, pair: None if max(pair) > "\uffff" else step(pair)),
    "nfc-marks-only": ("does not compose a starter with a starter other than Hangul",
        lambda step, pair: step(pair) if combining_class(pair[1]) else None),
    "nfc-latin-only": ("composes only the marks from U+0300 to U+036F, and Hangul",
        lambda step, pair: step(pair) if "\u0300" <= pair[1] <= "\u036f" else None),
}, ordered={
    "nfc-sort-unstable-over12": ("sorts marks by an algorithm that is not stable for more than 12",
        lambda text: _sorted_marks(text, lambda c: -ord(c), least=13)),
    "nfc-classes-signed": ("keeps combining classes in signed bytes, so that those over 127 come first",
        lambda text: _sorted_marks(text, ord, least=1, key=lambda number: (number + 128) % 256 - 128)),
    "nfc-sort-by-code-point": ("sorts marks of a class by code point", lambda text: _sorted_marks(text, ord, least=1)),
}, part={
    "nfc-unsorted": ("does not sort marks before composing",
        lambda right, text: right.composed("".join(normalize("NFD", character) for character in text))),
}, is_blocked={
    "nfc-equal-not-blocked": ("composes a mark although a mark of its class comes before it",
        lambda between, number: bool(between) and between[-1] > number),
    "nfc-starter-not-blocked": ("composes a starter although a mark comes before it",
        lambda step, between, number: bool(number) and step(between, number)),
    "nfc-adjacent-only": ("composes adjacent characters only", lambda between, number: bool(between)),
})  # fmt: skip


def _platform(step: Callable[[str], str]) -> Callable[..., str]:
    """Return a step of a platform. Characters of later versions of Unicode, which platforms treat differently, stay."""

    def fold(right: Implementation, text: str) -> str:
        groups = groupby(text, key=lambda character: bool(members("assigned")[ord(character)]))
        return "".join(step("".join(group)) if assigned else "".join(group) for assigned, group in groups)

    return fold


table("SD-FOLD-1", map_characters={
    "fold-lower-only": ("uses plain lower-casing instead of case folding (ß, ſ, final sigma)", _fold_lower_only),
    "fold-final-sigma": ("writes a final sigma at the end of words",
        after(lambda mapped: re.sub(r"(?<=\w)\u03c3(?!\w)", "\u03c2", mapped))),
    "fold-simple": ("uses simple case folding, one character to one (ß stays ß, İ becomes i)",
        _except(lambda c: len(c.casefold()) > 1 and not unicodedata.decomposition(c))),
    "fold-without-compatibility": ("folds case but keeps compatibility characters (NFC instead of NFKC)",
        lambda text: _without_ignorables(text.casefold())),
    "fold-without-case": ("applies NFKC without folding", lambda text: _without_ignorables(normalize("NFKC", text))),
    "fold-ascii-case": ("folds case only in ASCII",
        _each(lambda c: _mapped(c) if c.isascii() else _without_ignorables(normalize("NFKC", c)))),
    "fold-keeps-ignorables": ("keeps default-ignorable characters (soft hyphen, zero-width characters)",
        _except(lambda c: ord(c) in _IGNORABLE)),
    "fold-ignorables-to-space": ("replaces default-ignorable characters by spaces, which cut words",
        _each(lambda c: " " if ord(c) in _IGNORABLE else _mapped(c))),
    "fold-few-ignorables": (
        "removes the soft hyphen and zero-width spaces, but not the other default-ignorable characters",
        _except(lambda c: ord(c) in _IGNORABLE - _ZERO_WIDTH)),
    "fold-keeps-variation-selectors": ("keeps variation selectors", _except(lambda c: ord(c) in _VARIATION_SELECTORS)),
    "fold-turkish": ("folds with Turkish rules (I becomes dotless i)",
        before(lambda text: text.replace("I", "ı").replace("İ", "i"))),
    "fold-bmp-only": ("folds only the Basic Multilingual Plane", _except(lambda c: c > "\uffff")),
    "fold-cherokee-kept": ("does not fold Cherokee small letters", _except(lambda c: 0xAB70 <= ord(c) <= 0xABBF)),
}, fold={
    "fold-nothing": ("does not fold", lambda text: text),
    "fold-lower-alone": ("lower-cases, and neither folds compatibility characters nor normalizes",
        _platform(str.lower)),
    "fold-case-alone": ("folds case, and neither folds compatibility characters nor normalizes",
        _platform(str.casefold)),
    "fold-nfkc-lower": ("normalizes to NFKC and lower-cases (keeps ignorable characters)",
        _platform(lambda text: normalize("NFKC", text).lower())),
    "fold-nfc-lower": ("normalizes to NFC and lower-cases", _platform(lambda text: normalize("NFC", text).lower())),
})  # fmt: skip


table("SD-FOLD-4", nonstarter_limit={
    "marks-unbounded": ("does not bound runs of non-starters", 10**9),
    "marks-limit-twenty-nine": ("replaces runs of 30 non-starters; 30 are allowed", 29),
    "marks-limit-thirty-one": ("allows 31 non-starters in a row", 31),
}, long_run={
    "marks-cut": ("cuts a long run of non-starters to 30 instead of replacing the run", lambda run: run[:30]),
    "marks-dropped": ("drops a long run of non-starters, so that the letters on both sides join", lambda run: ""),
    "marks-stream-safe": ("inserts U+034F after 30 non-starters (Stream-Safe Text Format) instead of replacing the run",
        lambda run: "\u034f".join(run[i : i + 30] for i in range(0, len(run), 30))),
    **of_sizes("marks-modulo{}", "keeps the length of a run of non-starters modulo {:,}",
        lambda size: lambda run: run if len(run) % size <= 30 else REPLACEMENT, 2**8, 2**16),
    **of_sizes("marks-most{}", "replaces 31 to {:,} non-starters at a time, and keeps the rest of the run",
        lambda size: lambda run: "".join(
            REPLACEMENT if len(run[at : at + size]) > 30 else run[at : at + size] for at in range(0, len(run), size)),
        63, 64, 100, 127, 128, 255, 256, 1000, 1023, 1024, 4096, 10_000, 65_535, 65_536),
    **of_sizes("marks-kept-over{}", "keeps a run of more than {:,} non-starters",
        lambda size: lambda run: REPLACEMENT if len(run) <= size else run, 255, 1024, 65_535, 100_000),
    "marks-replaced-each": ("replaces each non-starter of a long run by U+FFFD", lambda run: REPLACEMENT * len(run)),
}, bound_nonstarters={
    "marks-by-category": ("counts all marks (General_Category Mn and Mc), not only non-starters", _marks_by_category),
    **of_sizes("marks-pieces{}", "counts non-starters in pieces of {:,} characters", in_pieces,
        1000, 4096, 10_000, 65_536),
})  # fmt: skip
