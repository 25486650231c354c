"""Mutants of the Unicode tables: other scripts, other properties, other versions, and borders that are off by one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import groupby

from simhash_doc.unicode_data import REPLACEMENT, fold_map, members, ranges, word_categories
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.mutants import after, before, table

_NEW_MARKS_15 = frozenset({0xECE, *range(0x10EFD, 0x10F00), 0x11F41, 0x11F42, 0x1E08F, *range(0x1E4EC, 0x1E4F0)})
_FORMAT_CHARACTERS = {0x6DD, 0x70F, 0x8E2, 0x110BD, 0x110CD, *range(0x600, 0x606), *range(0xFFF9, 0xFFFC)}


def _is_among(character: str, blocks: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= ord(character) <= last for first, last in blocks)


def _without(*blocks: tuple[int, int]) -> Callable[..., bool]:
    """Return the test for scriptio continua that is false for some code points."""
    return lambda right, c: right.is_continua(c) and not _is_among(c, blocks)


def _with(*blocks: tuple[int, int]) -> Callable[..., bool]:
    """Return the test for scriptio continua that is also true for other code points."""
    return lambda right, c: right.is_continua(c) or _is_among(c, blocks)


@cache
def _cut(name: str, first: int, last: int) -> frozenset[int]:
    """Return the code points that a table gains or loses if each range begins and ends later or earlier."""
    members_of = members(name)
    changed = {code for a, b in ranges(name) for code in range(a + first, b + 1 + last)}
    touched = {a + d for a, _ in ranges(name) for d in (-1, 0)} | {b + d for _, b in ranges(name) for d in (0, 1)}
    return frozenset(c for c in touched if 0 <= c < len(members_of) and (c in changed) != bool(members_of[c]))


def _word(changed: frozenset[int]) -> Callable[..., bool]:
    return lambda right, c: right.is_word(c) != (ord(c) in changed)


def _continua(changed: frozenset[int]) -> Callable[..., bool]:
    return lambda right, c: right.is_continua(c) != (ord(c) in changed)


def _alphabetic(changed: frozenset[int]) -> Callable[..., bool]:
    return lambda trimmed: any(bool(members("alphabetic")[ord(c)]) != (ord(c) in changed) for c in trimmed)


def _assigned(changed: frozenset[int]) -> Callable[..., str]:
    def mapped(character: str) -> str:
        right = fold_map()[ord(character)]
        if ord(character) not in changed or right not in (character, REPLACEMENT):
            return right
        return REPLACEMENT if members("assigned")[ord(character)] else character

    return lambda text: "".join(map(mapped, text))


class _OtherNonstarters(Implementation):
    def is_nonstarter(self, character: str) -> bool:
        return bool(members("nonstarter")[ord(character)])

    def bound_nonstarters(self, text: str) -> str:
        out: list[str] = []
        for is_run, group in groupby(self.decomposed(text), key=self.is_nonstarter):
            run = "".join(group)
            out.append(self.long_run(run) if is_run and len(run) > self.nonstarter_limit else run)
        return "".join(out)


def _nonstarter(changed: frozenset[int]) -> Callable[..., bool]:
    return lambda right, c: right.is_nonstarter(c) != (ord(c) in changed)


table("SD-RUN-1", is_word={
    "word-end-excluded": ("excludes the last code point of each range of word.txt", _word(_cut("word", 0, -1))),
    "word-start-excluded": ("excludes the first code point of each range of word.txt", _word(_cut("word", 1, 0))),
    "word-end-beyond": ("includes the code point after each range of word.txt", _word(_cut("word", 0, 1))),
})  # fmt: skip

table("SD-SPLIT-1", is_continua={
    "continua-no309d": (
        "omits U+309D to U+309F and U+30FD to U+30FF, the iteration marks of kana, from scriptio continua",
        _without((0x309D, 0x309F), (0x30FD, 0x30FF))),
    "continua-no31f0": ("omits the small Katakana U+31F0 to U+31FF from scriptio continua", _without((0x31F0, 0x31FF))),
    "continua-to9fa5": ("treats only U+4E00 to U+9FA5 of the main block as Han", _without((0x9FA6, 0x9FFF))),
    "continua-no-extension-a": ("omits Extension A of Han from scriptio continua", _without((0x3400, 0x4DBF))),
    "continua-no-compatibility": ("omits the unified ideographs of the compatibility block from scriptio continua",
        _without((0xF900, 0xFAFF))),
    "continua-no-extension-h": ("omits the ideographs that are new in Unicode 15.0 from scriptio continua",
        _without((0x31350, 0x323AF))),
    "continua-no-historic-kana": ("omits kana beyond U+FFFF from scriptio continua", _without((0x1AFF0, 0x1B16F))),
    "continua-no-lao": ("omits Lao from scriptio continua", _without((0x0E80, 0x0EFF))),
    "continua-no-khmer": ("omits Khmer from scriptio continua", _without((0x1780, 0x17FF))),
    "continua-no-myanmar-extended": ("omits the extensions of Myanmar from scriptio continua",
        _without((0xA9E0, 0xA9FF), (0xAA60, 0xAA7F))),
    "continua-no-tai": ("omits Tai Le, New Tai Lue, Tai Tham, Tai Viet and Ahom from scriptio continua",
        _without((0x1950, 0x1AAF), (0xAA80, 0xAADF), (0x11700, 0x1174F))),
    "continua-letters-only": ("omits combining marks from scriptio continua: only letters of Thai and others are split",
        lambda step, c: step(c) and word_categories().get(ord(c), "")[:1] != "M"),
    "continua-tangut": ("treats Tangut, Nushu and Khitan as scriptio continua",
        _with((0x16FE0, 0x16FE4), (0x17000, 0x18D08), (0x1B170, 0x1B2FB))),
    "continua-bopomofo": ("treats Bopomofo as scriptio continua",
        _with((0x02EA, 0x02EB), (0x3105, 0x312F), (0x31A0, 0x31BF))),
    "continua-yi": ("treats Yi as scriptio continua", _with((0xA000, 0xA4C6))),
    "continua-tibetan": ("treats Tibetan as scriptio continua", _with((0x0F00, 0x0FFF))),
    "continua-javanese": ("treats Javanese, Balinese and Sundanese as scriptio continua",
        _with((0xA980, 0xA9DF), (0x1B00, 0x1BBF))),
    "continua-thai-digits": ("treats digits of Thai and others as scriptio continua",
        _with((0x0E50, 0x0E59), (0x0ED0, 0x0ED9), (0x1040, 0x1049), (0x17E0, 0x17E9))),
    "continua-scx": ("uses Script_Extensions instead of Script: U+3006, U+3031, U+303C and U+3099 count",
        _with((0x3006, 0x3006), (0x302A, 0x302D), (0x3031, 0x3035), (0x303C, 0x303C), (0x3099, 0x309A),
              (0xFF70, 0xFF70))),
    "continua-end-excluded": ("excludes the ends of ranges of continua.txt", _continua(_cut("continua", 0, -1))),
    "continua-end-beyond": ("includes what follows each range of continua.txt", _continua(_cut("continua", 0, 1))),
})  # fmt: skip

table("SD-FILTER-2", is_token={
    "alphabetic-end-excluded": ("excludes the last code point of each range of alphabetic.txt",
        _alphabetic(_cut("alphabetic", 0, -1))),
    "alphabetic-end-beyond": ("includes what follows ranges of alphabetic.txt", _alphabetic(_cut("alphabetic", 0, 1))),
    "filter-mc-alphabetic": ("counts all marks of General_Category Mc as Alphabetic",
        lambda step, trimmed: any(word_categories().get(ord(c)) == "Mc" for c in trimmed) or step(trimmed)),
    "filter-first-bigram": ("requires the first character of a bigram to be Alphabetic",
        lambda right, trimmed: right.is_token(
            trimmed[0] if len(trimmed) == 2 and all(map(right.is_continua, trimmed)) else trimmed)),
})  # fmt: skip

table("SD-FOLD-2", map_characters={
    "assigned-end-excluded": ("excludes the ends of ranges of assigned.txt", _assigned(_cut("assigned", 0, -1))),
    "assigned-end-beyond": ("includes what follows each range of assigned.txt", _assigned(_cut("assigned", 0, 1))),
})  # fmt: skip

table("SD-FOLD-4", _OtherNonstarters, is_nonstarter={
    "nonstarter-end-excluded": ("excludes the last code point of each range of nonstarter.txt",
        _nonstarter(_cut("nonstarter", 0, -1))),
    "nonstarter-table14": ("uses the non-starters of Unicode 14.0", _nonstarter(_NEW_MARKS_15)),
    "nonstarter-is-mn": ("counts all marks of General_Category Mn as non-starters, such as U+0902",
        lambda step, c: step(c) or word_categories().get(ord(c)) == "Mn"),
})  # fmt: skip

table("SD-FOLD-4", long_run={
    "nonstarter-space-not-fffd": ("replaces a run of too many non-starters by a space", lambda run: " "),
})  # fmt: skip


table("SD-FOLD-1", map_characters={
    "fold-cherokee-lower": ("folds Cherokee to small letters",
        after(lambda result: "".join(
            chr(ord(c) - 0x13A0 + 0xAB70) if 0x13A0 <= ord(c) <= 0x13EF else c for c in result))),
    "fold-also-removes-arabic-cf": ("removes all format characters, such as U+0600 and U+06DD",
        before(lambda text: "".join(c for c in text if ord(c) not in _FORMAT_CHARACTERS))),
})  # fmt: skip
