"""Mutants of appendix D: custom implementations of NFC with faults."""

from __future__ import annotations

import re
from functools import cache
from itertools import groupby

from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.mutants import mutant
from simhash_doc.schemes import data_path
from simhash_doc.unicode_data import combining_class, normalize

S, L, V, T = 0xAC00, 0x1100, 0x1161, 0x11A7
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
    """NFC as in appendix D. Mutants change a bound, the order, the condition or the table."""

    leading, vowels, trailing = (0, 18), (0, 20), (1, 27)

    def __init__(self) -> None:
        super().__init__()
        self._composed: dict[str, str] = {}

    def compose(self, text: str) -> str:
        # Spaces and line ends compose with nothing, so that parts can be kept: most texts repeat them.
        return "".join(part if part.isascii() else self._part(part) for part in re.split("([ \n]+)", text))

    def _part(self, text: str) -> str:
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


@mutant("SD-FOLD-5", "does not compose the last leading consonant of Hangul, U+1112")
class HangulLLastMissing(_OwnNfc):
    leading = (0, 17)


@mutant("SD-FOLD-5", "does not compose the first leading consonant of Hangul, U+1100")
class HangulLFirstMissing(_OwnNfc):
    leading = (1, 18)


@mutant("SD-FOLD-5", "composes U+1113, which is not a leading consonant of a syllable")
class HangulLBeyond(_OwnNfc):
    leading = (0, 19)


@mutant("SD-FOLD-5", "does not compose the last vowel of Hangul, U+1175")
class HangulVLastMissing(_OwnNfc):
    vowels = (0, 19)


@mutant("SD-FOLD-5", "does not compose the first vowel of Hangul, U+1161")
class HangulVFirstMissing(_OwnNfc):
    vowels = (1, 20)


@mutant("SD-FOLD-5", "composes U+1176, which is not a vowel of a syllable")
class HangulVBeyond(_OwnNfc):
    vowels = (0, 21)


@mutant("SD-FOLD-5", "does not compose the last trailing consonant of Hangul, U+11C2")
class HangulTLastMissing(_OwnNfc):
    trailing = (1, 26)


@mutant("SD-FOLD-5", "does not compose the first trailing consonant of Hangul, U+11A8")
class HangulTFirstMissing(_OwnNfc):
    trailing = (2, 27)


@mutant("SD-FOLD-5", "composes U+11A7, which is not a trailing consonant: it disappears")
class HangulTBase(_OwnNfc):
    trailing = (0, 27)


@mutant("SD-FOLD-5", "composes U+11C3, which is not a trailing consonant of a syllable")
class HangulTBeyond(_OwnNfc):
    trailing = (1, 28)


@mutant("SD-FOLD-5", "composes a trailing consonant with a syllable that has one")
class HangulLvtTakesT(_OwnNfc):
    def takes_trailing(self, syllable: int) -> bool:
        return True


@mutant("SD-FOLD-5", "does not compose a trailing consonant with a syllable")
class HangulLvKeepsT(_OwnNfc):
    def takes_trailing(self, syllable: int) -> bool:
        return False


@mutant("SD-FOLD-5", "composes U+0308 U+0301 and other pairs of two non-starters")
class NfcNonstarterPairComposed(Implementation):
    def compose(self, text: str) -> str:
        composed = super().compose(text)
        for pair, composite in _NONSTARTER_PAIRS.items():
            composed = composed.replace(pair, composite)
        return composed


@mutant("SD-FOLD-5", "composes the pairs that NFC excludes, such as U+0915 U+093C")
class NfcExclusionsComposed(_OwnNfc):
    def pair(self, pair: str) -> str | None:
        return _pairs("decomposition").get(pair)


@mutant("SD-FOLD-5", "sorts marks by an algorithm that is not stable for more than 12")
class NfcSortUnstableOver12(_OwnNfc):
    def ordered(self, decomposed: str) -> str:
        out = []
        for marked, group in groupby(decomposed, key=lambda character: combining_class(character) > 0):
            run = list(group)
            if marked and len(run) > 12:
                run.sort(key=lambda character: (combining_class(character), -ord(character)))
            out += run
        return "".join(out)


@mutant("SD-FOLD-5", "sorts marks of one class by their code points")
class NfcSortByCodePoint(_OwnNfc):
    def ordered(self, decomposed: str) -> str:
        return "".join(
            character
            for marked, group in groupby(decomposed, key=lambda character: combining_class(character) > 0)
            for character in (sorted(group, key=lambda c: (combining_class(c), c)) if marked else group)
        )


@mutant("SD-FOLD-5", "does not sort marks before composing")
class NfcUnsorted(_OwnNfc):
    def _part(self, text: str) -> str:
        return self.composed("".join(normalize("NFD", character) for character in text))


@mutant("SD-FOLD-5", "composes a mark although a mark of its class comes before it")
class NfcEqualNotBlocked(_OwnNfc):
    def is_blocked(self, between: list[int], number: int) -> bool:
        return bool(between) and between[-1] > number


@mutant("SD-FOLD-5", "composes a starter although a mark comes before it")
class NfcStarterNotBlocked(_OwnNfc):
    def is_blocked(self, between: list[int], number: int) -> bool:
        return bool(number) and super().is_blocked(between, number)


@mutant("SD-FOLD-5", "composes adjacent characters only")
class NfcAdjacentOnly(_OwnNfc):
    def is_blocked(self, between: list[int], number: int) -> bool:
        return bool(between)


@mutant("SD-FOLD-5", "composes each letter with one mark only")
class NfcOneMark(_OwnNfc):
    def pair(self, pair: str) -> str | None:
        return None if normalize("NFD", pair[0]) != pair[0] else super().pair(pair)


@mutant("SD-FOLD-5", "does not compose beyond U+FFFF")
class NfcBmpOnly(_OwnNfc):
    def pair(self, pair: str) -> str | None:
        return None if max(pair) > "\uffff" else super().pair(pair)


@mutant("SD-FOLD-5", "does not compose a starter with a starter other than Hangul")
class NfcMarksOnly(_OwnNfc):
    def pair(self, pair: str) -> str | None:
        return super().pair(pair) if combining_class(pair[1]) else None


@mutant("SD-FOLD-5", "composes only the marks from U+0300 to U+036F, and Hangul")
class NfcLatinOnly(_OwnNfc):
    def pair(self, pair: str) -> str | None:
        return super().pair(pair) if "\u0300" <= pair[1] <= "\u036f" else None


@mutant("SD-FOLD-5", "puts the text into NFD before it is mapped")
class FoldNfdFirst(Implementation):
    def map_characters(self, text: str) -> str:
        return super().map_characters(normalize("NFD", text))


@mutant("SD-FOLD-5", "puts the text into NFC before it is mapped")
class FoldNfcFirst(Implementation):
    def map_characters(self, text: str) -> str:
        return super().map_characters(normalize("NFC", text))
