"""Mutants of section 6 up to the filter: runs and scriptio continua."""

from __future__ import annotations

import re
from itertools import groupby

from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.mutants import mutant
from simhash_doc.unicode_data import members, word_categories


class _WithoutCategory(Implementation):
    category = ""

    def is_word(self, character: str) -> bool:
        return super().is_word(character) and word_categories().get(ord(character)) != self.category


@mutant("SD-RUN-1", "omits Mc: the vowel signs of most Indic scripts cut words")
class RunWithoutMc(_WithoutCategory):
    category = "Mc"


@mutant("SD-RUN-1", "omits Mn: combining marks cut words")
class RunWithoutMn(_WithoutCategory):
    category = "Mn"


@mutant("SD-RUN-1", "omits Nd: digits cut words")
class RunWithoutNd(_WithoutCategory):
    category = "Nd"


@mutant("SD-RUN-1", "omits Pc: underscores cut words")
class RunWithoutPc(_WithoutCategory):
    category = "Pc"


@mutant("SD-RUN-1", "omits Lm: modifier letters cut words")
class RunWithoutLm(_WithoutCategory):
    category = "Lm"


@mutant("SD-RUN-1", "omits Lo: letters without case are not letters")
class RunWithoutLo(_WithoutCategory):
    category = "Lo"


@mutant("SD-RUN-1", "omits Lu: Cherokee letters stay capital after folding")
class RunWithoutLu(_WithoutCategory):
    category = "Lu"


@mutant("SD-RUN-1", "omits Lt", equivalent="no character of General_Category Lt is left after folding")
class RunWithoutLt(_WithoutCategory):
    category = "Lt"


class _WithExtra(Implementation):
    extra = ""

    def is_word(self, character: str) -> bool:
        return character in self.extra or super().is_word(character)


@mutant("SD-RUN-1", "treats letter-like numbers (Nl), such as Roman numerals or U+3007, as word characters")
class RunWithNl(_WithExtra):
    extra = "\u3007\u16ee\u2180\u3021\U00010140\U00012400"


@mutant("SD-RUN-1", "treats other numbers (No), such as circled ones, as word characters")
class RunWithNo(_WithExtra):
    extra = "\u09f4\u0f2a\u1369\u19da\u2776\U00010107"


@mutant("SD-RUN-1", "treats enclosing marks (Me) as word characters")
class RunWithMe(_WithExtra):
    extra = "\u0488\u0489\u1abe\u20dd\u20e3"


@mutant("SD-RUN-1", "keeps the apostrophe inside words (don't)")
class RunWithApostrophe(_WithExtra):
    extra = "'\u2019"


@mutant("SD-RUN-1", "keeps the hyphen inside words")
class RunWithHyphen(_WithExtra):
    extra = "-\u2010"


@mutant("SD-RUN-1", "treats emoji and other symbols (So) as word characters")
class RunWithSymbols(_WithExtra):
    extra = "\u2600\u2764\U0001f600\ufffd\u00b0"


@mutant("SD-RUN-1", "treats only ASCII letters, digits and _ as word characters (\\w without a Unicode flag)")
class RunAsciiOnly(Implementation):
    def is_word(self, character: str) -> bool:
        return character.isascii() and super().is_word(character)


@mutant("SD-RUN-1", "supports only the Basic Multilingual Plane")
class RunBmpOnly(Implementation):
    def is_word(self, character: str) -> bool:
        return character <= "\uffff" and super().is_word(character)


@mutant("SD-RUN-1", "uses the platform's \\w, which omits marks (as in Python's re)")
class RunPlatformWord(Implementation):
    def is_word(self, character: str) -> bool:
        return super().is_word(character) and (character.isalnum() or character == "_")


@mutant("SD-RUN-1", "cuts only at white space, so punctuation stays in tokens")
class RunAtWhiteSpace(Implementation):
    def is_word(self, character: str) -> bool:
        return not character.isspace()


class _OtherContinua(Implementation):
    left_out: tuple[tuple[int, int], ...] = ()

    def is_continua(self, character: str) -> bool:
        out = any(first <= ord(character) <= last for first, last in self.left_out)
        return super().is_continua(character) and not out


@mutant("SD-SPLIT-1", "does not split stretches of scriptio continua")
class SplitMissing(Implementation):
    def is_continua(self, character: str) -> bool:
        return False


@mutant("SD-SPLIT-1", "does not split Thai, Lao, Khmer and Myanmar stretches")
class SplitWithoutSoutheastAsia(_OtherContinua):
    left_out = (
        (0xE01, 0xEFF),
        (0x1000, 0x109F),
        (0x1780, 0x17FF),
        (0x1950, 0x1AAF),
        (0xA9E0, 0xAADF),
        (0x11700, 0x1174F),
    )


@mutant("SD-SPLIT-1", "does not split Hiragana and Katakana stretches")
class SplitWithoutKana(_OtherContinua):
    left_out = ((0x3040, 0x30FF), (0x31F0, 0x31FF), (0x1AFF0, 0x1B16F))


@mutant("SD-SPLIT-1", "omits U+30FC from scriptio continua")
class SplitWithoutProlongedSound(_OtherContinua):
    left_out = ((0x30FC, 0x30FC),)


@mutant("SD-SPLIT-1", "omits Han of the supplementary planes from scriptio continua")
class SplitBmpHanOnly(_OtherContinua):
    left_out = ((0x20000, 0x3FFFF),)


@mutant("SD-SPLIT-1", "omits U+3005 and similar characters from Han (only ideographs of the main blocks)")
class SplitWithoutIterationMarks(_OtherContinua):
    left_out = ((0x3005, 0x3005), (0x303B, 0x303B), (0x309D, 0x309E), (0x30FD, 0x30FE))


@mutant("SD-SPLIT-1", "also makes bigrams of Hangul")
class SplitWithHangul(Implementation):
    def is_continua(self, character: str) -> bool:
        return 0xAC00 <= ord(character) <= 0xD7A3 or super().is_continua(character)


@mutant("SD-SPLIT-1", "makes bigrams of a complete run if one of its characters is scriptio continua")
class SplitWholeRun(Implementation):
    def split(self, run: str) -> list[str]:
        return self.bigrams(run) if any(map(self.is_continua, run)) else [run]


@mutant("SD-SPLIT-1", "treats every mark after a scriptio continua letter as part of its stretch")
class SplitWithMarks(Implementation):
    def split(self, run: str) -> list[str]:
        marked = re.compile("(?<=[\u3041-\u30ff\u4e00-\u9fff])[\u0300-\u036f\u3099\u309a]+")
        return super().split(run) if not marked.search(run) else self.bigrams(run)


@mutant("SD-SPLIT-2", "makes trigrams instead of bigrams")
class BigramsTrigrams(Implementation):
    def bigrams(self, stretch: str) -> list[str]:
        return [stretch[i : i + 3] for i in range(max(1, len(stretch) - 2))]


@mutant("SD-SPLIT-2", "makes single characters instead of bigrams")
class BigramsUnigrams(Implementation):
    def bigrams(self, stretch: str) -> list[str]:
        return list(stretch)


@mutant("SD-SPLIT-2", "makes bigrams that do not overlap")
class BigramsDisjoint(Implementation):
    def bigrams(self, stretch: str) -> list[str]:
        return [stretch[i : i + 2] for i in range(0, len(stretch), 2)]


@mutant("SD-SPLIT-2", "also returns the last character of a stretch")
class BigramsTail(Implementation):
    def bigrams(self, stretch: str) -> list[str]:
        return [stretch[i : i + 2] for i in range(len(stretch))]


@mutant("SD-SPLIT-2", "also returns the single characters")
class BigramsAndUnigrams(Implementation):
    def bigrams(self, stretch: str) -> list[str]:
        return super().bigrams(stretch) + (list(stretch) if len(stretch) > 1 else [])


@mutant("SD-SPLIT-2", "makes bigrams of grapheme clusters, not of code points")
class BigramsGraphemes(Implementation):
    def bigrams(self, stretch: str) -> list[str]:
        marks = {"Mn", "Mc"}
        clusters: list[str] = []
        for character in stretch:
            if clusters and word_categories().get(ord(character)) in marks:
                clusters[-1] += character
            else:
                clusters.append(character)
        return ["".join(clusters[i : i + 2]) for i in range(max(1, len(clusters) - 1))]


@mutant("SD-SPLIT-2", "counts UTF-16 units: a character beyond U+FFFF is a bigram of its two halves")
class BigramsUtf16(Implementation):
    def bigrams(self, stretch: str) -> list[str]:
        units = stretch.encode("utf-16-be")
        pairs = [units[i : i + 4] for i in range(0, max(2, len(units) - 2), 2)]
        return [pair.decode("utf-16-be", "replace") for pair in pairs]


@mutant("SD-SPLIT-3", "drops stretches of one scriptio continua character")
class SingleDropped(Implementation):
    def bigrams(self, stretch: str) -> list[str]:
        return [] if len(stretch) == 1 else super().bigrams(stretch)


@mutant("SD-SPLIT-3", "joins a stretch of one scriptio continua character to the adjacent letters")
class SingleJoined(Implementation):
    def split(self, run: str) -> list[str]:
        inside = [members("continua")[ord(character)] for character in run]
        lone = sum(inside) == 1 and len(run) > 1
        return [run] if lone else super().split(run)


@mutant("SD-SPLIT-1", "also cuts stretches between Han and kana")
class BigramsScriptChange(Implementation):
    def bigrams(self, stretch: str) -> list[str]:
        parts = ["".join(group) for _, group in groupby(stretch, key=lambda c: "\u3041" <= c <= "\u30ff")]
        return [bigram for part in parts for bigram in super(BigramsScriptChange, self).bigrams(part)]
