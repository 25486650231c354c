"""Mutants of the Unicode tables: other scripts, other properties, other versions, and borders that are off by one."""

from __future__ import annotations

from functools import cache
from itertools import groupby

from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.mutants import mutant
from simhash_doc.unicode_data import REPLACEMENT, fold_map, members, ranges, word_categories

_NEW_MARKS_15 = {"\u0ece", *map(chr, (*range(0x10EFD, 0x10F00), 0x11F41, 0x11F42, 0x1E08F, *range(0x1E4EC, 0x1E4F0)))}


class _Continua(Implementation):
    """Leaves ranges out of scriptio continua, or adds some."""

    without: tuple[tuple[int, int], ...] = ()
    extra: tuple[tuple[int, int], ...] = ()

    def is_continua(self, character: str) -> bool:
        code = ord(character)
        if any(first <= code <= last for first, last in self.without):
            return False
        return any(first <= code <= last for first, last in self.extra) or super().is_continua(character)


@mutant(
    "SD-SPLIT-1", "omits U+309D to U+309F and U+30FD to U+30FF, the iteration marks of kana, from scriptio continua"
)
class ContinuaNo309d(_Continua):
    without = ((0x309D, 0x309F), (0x30FD, 0x30FF))


@mutant("SD-SPLIT-1", "omits the small Katakana of U+31F0 to U+31FF from scriptio continua")
class ContinuaNo31f0(_Continua):
    without = ((0x31F0, 0x31FF),)


@mutant("SD-SPLIT-1", "treats only U+4E00 to U+9FA5 of the main block as Han")
class ContinuaTo9fa5(_Continua):
    without = ((0x9FA6, 0x9FFF),)


@mutant("SD-SPLIT-1", "omits the ideographs of Extension A from scriptio continua")
class ContinuaNoExtensionA(_Continua):
    without = ((0x3400, 0x4DBF),)


@mutant("SD-SPLIT-1", "omits the unified ideographs of the compatibility block from scriptio continua")
class ContinuaNoCompatibility(_Continua):
    without = ((0xF900, 0xFAFF),)


@mutant("SD-SPLIT-1", "omits the ideographs that are new in Unicode 15.0 from scriptio continua")
class ContinuaNoExtensionH(_Continua):
    without = ((0x31350, 0x323AF),)


@mutant("SD-SPLIT-1", "omits kana beyond U+FFFF from scriptio continua")
class ContinuaNoHistoricKana(_Continua):
    without = ((0x1AFF0, 0x1B16F),)


@mutant("SD-SPLIT-1", "omits Lao from scriptio continua")
class ContinuaNoLao(_Continua):
    without = ((0x0E80, 0x0EFF),)


@mutant("SD-SPLIT-1", "omits Khmer from scriptio continua")
class ContinuaNoKhmer(_Continua):
    without = ((0x1780, 0x17FF),)


@mutant("SD-SPLIT-1", "omits the extensions of Myanmar from scriptio continua")
class ContinuaNoMyanmarExtended(_Continua):
    without = ((0xA9E0, 0xA9FF), (0xAA60, 0xAA7F))


@mutant("SD-SPLIT-1", "omits Tai Le, New Tai Lue, Tai Tham, Tai Viet and Ahom from scriptio continua")
class ContinuaNoTai(_Continua):
    without = ((0x1950, 0x1AAF), (0xAA80, 0xAADF), (0x11700, 0x1174F))


@mutant("SD-SPLIT-1", "omits combining marks from scriptio continua: only letters of Thai and others are split")
class ContinuaLettersOnly(Implementation):
    def is_continua(self, character: str) -> bool:
        return super().is_continua(character) and word_categories().get(ord(character), "")[:1] != "M"


@mutant("SD-SPLIT-1", "treats Tangut, Nushu and Khitan as scriptio continua")
class ContinuaTangut(_Continua):
    extra = ((0x16FE0, 0x16FE4), (0x17000, 0x18D08), (0x1B170, 0x1B2FB))


@mutant("SD-SPLIT-1", "treats Bopomofo as scriptio continua")
class ContinuaBopomofo(_Continua):
    extra = ((0x02EA, 0x02EB), (0x3105, 0x312F), (0x31A0, 0x31BF))


@mutant("SD-SPLIT-1", "treats Yi as scriptio continua")
class ContinuaYi(_Continua):
    extra = ((0xA000, 0xA4C6),)


@mutant("SD-SPLIT-1", "treats Tibetan as scriptio continua")
class ContinuaTibetan(_Continua):
    extra = ((0x0F00, 0x0FFF),)


@mutant("SD-SPLIT-1", "treats Javanese, Balinese and Sundanese as scriptio continua")
class ContinuaJavanese(_Continua):
    extra = ((0xA980, 0xA9DF), (0x1B00, 0x1BBF))


@mutant("SD-SPLIT-1", "treats digits of Thai and others as scriptio continua")
class ContinuaThaiDigits(_Continua):
    extra = ((0x0E50, 0x0E59), (0x0ED0, 0x0ED9), (0x1040, 0x1049), (0x17E0, 0x17E9))


@mutant("SD-SPLIT-1", "uses Script_Extensions instead of Script: U+3006, U+3031, U+303C and U+3099 count")
class ContinuaScx(_Continua):
    extra = ((0x3006, 0x3006), (0x302A, 0x302D), (0x3031, 0x3035), (0x303C, 0x303C), (0x3099, 0x309A), (0xFF70, 0xFF70))


@cache
def _cut(name: str, first: int, last: int) -> frozenset[int]:
    """Return the code points that a table gains or loses if each range begins and ends later or earlier."""
    table = members(name)
    changed = {code for a, b in ranges(name) for code in range(a + first, b + 1 + last)}
    touched = {a + d for a, _ in ranges(name) for d in (-1, 0)} | {b + d for _, b in ranges(name) for d in (0, 1)}
    return frozenset(code for code in touched if 0 <= code < len(table) and (code in changed) != bool(table[code]))


class _OffByOne(Implementation):
    """Shifts the range borders of a table."""

    changed: frozenset[int]


class _WordOffByOne(_OffByOne):
    def is_word(self, character: str) -> bool:
        return super().is_word(character) != (ord(character) in self.changed)


class _ContinuaOffByOne(_OffByOne):
    def is_continua(self, character: str) -> bool:
        return super().is_continua(character) != (ord(character) in self.changed)


class _AlphabeticOffByOne(_OffByOne):
    def is_token(self, trimmed: str) -> bool:
        alphabetic = members("alphabetic")
        return any(bool(alphabetic[ord(c)]) != (ord(c) in self.changed) for c in trimmed)


class _AssignedOffByOne(_OffByOne):
    def map_characters(self, text: str) -> str:
        return "".join(self._mapped(character) for character in text)

    def _mapped(self, character: str) -> str:
        mapped = fold_map()[ord(character)]
        if ord(character) not in self.changed or mapped not in (character, REPLACEMENT):
            return mapped
        return REPLACEMENT if members("assigned")[ord(character)] else character


class _NonstarterOffByOne(_OffByOne):
    def is_nonstarter(self, character: str) -> bool:
        return bool(members("nonstarter")[ord(character)]) != (ord(character) in self.changed)

    def bound_nonstarters(self, text: str) -> str:
        out: list[str] = []
        for is_run, group in groupby(self.decomposed(text), key=self.is_nonstarter):
            run = "".join(group)
            out.append(self.long_run(run) if is_run and len(run) > self.nonstarter_limit else run)
        return "".join(out)


@mutant("SD-RUN-1", "excludes the last code point of each range of word.txt")
class WordEndExcluded(_WordOffByOne):
    changed = _cut("word", 0, -1)


@mutant("SD-RUN-1", "excludes the first code point of each range of word.txt")
class WordStartExcluded(_WordOffByOne):
    changed = _cut("word", 1, 0)


@mutant("SD-RUN-1", "includes the code point after each range of word.txt")
class WordEndBeyond(_WordOffByOne):
    changed = _cut("word", 0, 1)


@mutant("SD-SPLIT-1", "excludes the last code point of each range of continua.txt")
class ContinuaEndExcluded(_ContinuaOffByOne):
    changed = _cut("continua", 0, -1)


@mutant("SD-SPLIT-1", "includes the code point after each range of continua.txt")
class ContinuaEndBeyond(_ContinuaOffByOne):
    changed = _cut("continua", 0, 1)


@mutant("SD-FILTER-2", "excludes the last code point of each range of alphabetic.txt")
class AlphabeticEndExcluded(_AlphabeticOffByOne):
    changed = _cut("alphabetic", 0, -1)


@mutant("SD-FILTER-2", "includes the code point after each range of alphabetic.txt")
class AlphabeticEndBeyond(_AlphabeticOffByOne):
    changed = _cut("alphabetic", 0, 1)


@mutant("SD-FOLD-2", "excludes the last code point of each range of assigned.txt")
class AssignedEndExcluded(_AssignedOffByOne):
    changed = _cut("assigned", 0, -1)


@mutant("SD-FOLD-2", "includes the code point after each range of assigned.txt")
class AssignedEndBeyond(_AssignedOffByOne):
    changed = _cut("assigned", 0, 1)


@mutant("SD-FOLD-4", "excludes the last code point of each range of nonstarter.txt")
class NonstarterEndExcluded(_NonstarterOffByOne):
    changed = _cut("nonstarter", 0, -1)


@mutant("SD-FOLD-4", "uses the non-starters of Unicode 14.0")
class NonstarterTable14(_NonstarterOffByOne):
    changed = frozenset(map(ord, _NEW_MARKS_15))


@mutant("SD-FOLD-4", "counts all marks of General_Category Mn as non-starters, such as U+0902")
class NonstarterIsMn(_NonstarterOffByOne):
    changed = frozenset()

    def is_nonstarter(self, character: str) -> bool:
        return super().is_nonstarter(character) or word_categories().get(ord(character)) == "Mn"


@mutant("SD-FOLD-4", "replaces a run of too many non-starters by a space")
class NonstarterSpaceNotFffd(Implementation):
    def long_run(self, run: str) -> str:
        return " "


@mutant("SD-FILTER-2", "counts all marks of General_Category Mc as Alphabetic")
class FilterMcAlphabetic(Implementation):
    def is_token(self, trimmed: str) -> bool:
        return any(word_categories().get(ord(c)) == "Mc" for c in trimmed) or super().is_token(trimmed)


@mutant("SD-FILTER-2", "requires the first character of a bigram to be Alphabetic")
class FilterFirstBigram(Implementation):
    def is_token(self, trimmed: str) -> bool:
        if len(trimmed) == 2 and all(map(self.is_continua, trimmed)):
            return super().is_token(trimmed[0])
        return super().is_token(trimmed)


@mutant("SD-FOLD-1", "folds Cherokee to small letters")
class FoldCherokeeLower(Implementation):
    def map_characters(self, text: str) -> str:
        folded = super().map_characters(text)
        return "".join(chr(ord(c) - 0x13A0 + 0xAB70) if 0x13A0 <= ord(c) <= 0x13EF else c for c in folded)


@mutant("SD-FOLD-1", "removes all format characters, such as U+0600 and U+06DD")
class FoldAlsoRemovesArabicCf(Implementation):
    removed = frozenset({0x6DD, 0x70F, 0x8E2, 0x110BD, 0x110CD, *range(0x600, 0x606), *range(0xFFF9, 0xFFFC)})

    def map_characters(self, text: str) -> str:
        return super().map_characters("".join(c for c in text if ord(c) not in self.removed))
