"""Wrong ports of section 6 up to the filter: runs and scriptio continua."""

from __future__ import annotations

import re

from simhash_doc.conformance.mutants import wrong
from simhash_doc.conformance.steps import Steps
from simhash_doc.pinned import members, word_categories


class _WithoutCategory(Steps):
    category = ""

    def is_word(self, character: str) -> bool:
        return super().is_word(character) and word_categories().get(ord(character)) != self.category


@wrong("SD-RUN-1", "you leave out Mc: the vowel signs of most Indic scripts cut words")
class RunWithoutMc(_WithoutCategory):
    category = "Mc"


@wrong("SD-RUN-1", "you leave out Mn: combining marks cut words")
class RunWithoutMn(_WithoutCategory):
    category = "Mn"


@wrong("SD-RUN-1", "you leave out Nd: digits cut words")
class RunWithoutNd(_WithoutCategory):
    category = "Nd"


@wrong("SD-RUN-1", "you leave out Pc: underscores cut words")
class RunWithoutPc(_WithoutCategory):
    category = "Pc"


@wrong("SD-RUN-1", "you leave out Lm: modifier letters cut words")
class RunWithoutLm(_WithoutCategory):
    category = "Lm"


@wrong("SD-RUN-1", "you leave out Lo: letters without case are no letters for you")
class RunWithoutLo(_WithoutCategory):
    category = "Lo"


@wrong("SD-RUN-1", "you leave out Lu: Cherokee letters stay capital after folding")
class RunWithoutLu(_WithoutCategory):
    category = "Lu"


@wrong("SD-RUN-1", "you leave out Lt", equivalent="no character of General_Category Lt is left after folding")
class RunWithoutLt(_WithoutCategory):
    category = "Lt"


class _WithExtra(Steps):
    extra = ""

    def is_word(self, character: str) -> bool:
        return character in self.extra or super().is_word(character)


@wrong("SD-RUN-1", "you take letter-like numbers (Nl), such as Roman numerals or U+3007, for word characters")
class RunWithNl(_WithExtra):
    extra = "\u3007\u16ee\u2180\u3021\U00010140\U00012400"


@wrong("SD-RUN-1", "you take other numbers (No), such as circled ones, for word characters")
class RunWithNo(_WithExtra):
    extra = "\u09f4\u0f2a\u1369\u19da\u2776\U00010107"


@wrong("SD-RUN-1", "you take enclosing marks (Me) for word characters")
class RunWithMe(_WithExtra):
    extra = "\u0488\u0489\u1abe\u20dd\u20e3"


@wrong("SD-RUN-1", "you keep the apostrophe inside words (don't)")
class RunWithApostrophe(_WithExtra):
    extra = "'\u2019"


@wrong("SD-RUN-1", "you keep the hyphen inside words")
class RunWithHyphen(_WithExtra):
    extra = "-\u2010"


@wrong("SD-RUN-1", "you take emoji and other symbols (So) for word characters")
class RunWithSymbols(_WithExtra):
    extra = "\u2600\u2764\U0001f600\ufffd\u00b0"


@wrong("SD-RUN-1", "you take only ASCII letters, digits and _ for word characters (\\w without a Unicode flag)")
class RunAsciiOnly(Steps):
    def is_word(self, character: str) -> bool:
        return character.isascii() and super().is_word(character)


@wrong("SD-RUN-1", "you know only the Basic Multilingual Plane")
class RunBmpOnly(Steps):
    def is_word(self, character: str) -> bool:
        return character <= "\uffff" and super().is_word(character)


@wrong("SD-RUN-1", "you use your platform's \\w, which leaves out marks (as Python's re does)")
class RunPlatformWord(Steps):
    def is_word(self, character: str) -> bool:
        return super().is_word(character) and (character.isalnum() or character == "_")


@wrong("SD-RUN-1", "you cut only at white space, so punctuation stays in tokens")
class RunAtWhiteSpace(Steps):
    def is_word(self, character: str) -> bool:
        return not character.isspace()


class _OtherContinua(Steps):
    left_out: tuple[tuple[int, int], ...] = ()

    def is_continua(self, character: str) -> bool:
        out = any(first <= ord(character) <= last for first, last in self.left_out)
        return super().is_continua(character) and not out


@wrong("SD-SPLIT-1", "you keep stretches of scriptio continua whole")
class SplitMissing(Steps):
    def is_continua(self, character: str) -> bool:
        return False


@wrong("SD-SPLIT-1", "you keep Thai, Lao, Khmer and Myanmar stretches whole")
class SplitWithoutSoutheastAsia(_OtherContinua):
    left_out = (
        (0xE01, 0xEFF),
        (0x1000, 0x109F),
        (0x1780, 0x17FF),
        (0x1950, 0x1AAF),
        (0xA9E0, 0xAADF),
        (0x11700, 0x1174F),
    )


@wrong("SD-SPLIT-1", "you keep Hiragana and Katakana stretches whole")
class SplitWithoutKana(_OtherContinua):
    left_out = ((0x3040, 0x30FF), (0x31F0, 0x31FF), (0x1AFF0, 0x1B16F))


@wrong("SD-SPLIT-1", "you leave U+30FC out of scriptio continua")
class SplitWithoutProlongedSound(_OtherContinua):
    left_out = ((0x30FC, 0x30FC),)


@wrong("SD-SPLIT-1", "you leave Han of the supplementary planes out of scriptio continua")
class SplitBmpHanOnly(_OtherContinua):
    left_out = ((0x20000, 0x3FFFF),)


@wrong("SD-SPLIT-1", "you leave U+3005 and its like out of Han (only ideographs of the main blocks)")
class SplitWithoutIterationMarks(_OtherContinua):
    left_out = ((0x3005, 0x3005), (0x303B, 0x303B), (0x309D, 0x309E), (0x30FD, 0x30FE))


@wrong("SD-SPLIT-1", "you make bigrams of Hangul too")
class SplitWithHangul(Steps):
    def is_continua(self, character: str) -> bool:
        return 0xAC00 <= ord(character) <= 0xD7A3 or super().is_continua(character)


@wrong("SD-SPLIT-1", "you make bigrams of a whole run as soon as one of its characters is scriptio continua")
class SplitWholeRun(Steps):
    def split(self, run: str) -> list[str]:
        return self.bigrams(run) if any(map(self.is_continua, run)) else [run]


@wrong("SD-SPLIT-1", "you take every mark after a scriptio continua letter for part of its stretch")
class SplitWithMarks(Steps):
    def split(self, run: str) -> list[str]:
        marked = re.compile("(?<=[\u3041-\u30ff\u4e00-\u9fff])[\u0300-\u036f\u3099\u309a]+")
        return super().split(run) if not marked.search(run) else self.bigrams(run)


@wrong("SD-SPLIT-2", "you make trigrams")
class BigramsTrigrams(Steps):
    def bigrams(self, stretch: str) -> list[str]:
        return [stretch[i : i + 3] for i in range(max(1, len(stretch) - 2))]


@wrong("SD-SPLIT-2", "you make single characters")
class BigramsUnigrams(Steps):
    def bigrams(self, stretch: str) -> list[str]:
        return list(stretch)


@wrong("SD-SPLIT-2", "your bigrams do not overlap")
class BigramsDisjoint(Steps):
    def bigrams(self, stretch: str) -> list[str]:
        return [stretch[i : i + 2] for i in range(0, len(stretch), 2)]


@wrong("SD-SPLIT-2", "you give the last character of a stretch once more on its own")
class BigramsTail(Steps):
    def bigrams(self, stretch: str) -> list[str]:
        return [stretch[i : i + 2] for i in range(len(stretch))]


@wrong("SD-SPLIT-2", "you give the single characters beside the bigrams")
class BigramsAndUnigrams(Steps):
    def bigrams(self, stretch: str) -> list[str]:
        return super().bigrams(stretch) + (list(stretch) if len(stretch) > 1 else [])


@wrong("SD-SPLIT-2", "you make bigrams of grapheme clusters, not of code points")
class BigramsGraphemes(Steps):
    def bigrams(self, stretch: str) -> list[str]:
        marks = {"Mn", "Mc"}
        clusters: list[str] = []
        for character in stretch:
            if clusters and word_categories().get(ord(character)) in marks:
                clusters[-1] += character
            else:
                clusters.append(character)
        return ["".join(clusters[i : i + 2]) for i in range(max(1, len(clusters) - 1))]


@wrong("SD-SPLIT-2", "you count UTF-16 units: a character beyond U+FFFF is a bigram of its two halves")
class BigramsUtf16(Steps):
    def bigrams(self, stretch: str) -> list[str]:
        units = stretch.encode("utf-16-be")
        pairs = [units[i : i + 4] for i in range(0, max(2, len(units) - 2), 2)]
        return [pair.decode("utf-16-be", "replace") for pair in pairs]


@wrong("SD-SPLIT-3", "you drop stretches of one scriptio continua character")
class SingleDropped(Steps):
    def bigrams(self, stretch: str) -> list[str]:
        return [] if len(stretch) == 1 else super().bigrams(stretch)


@wrong("SD-SPLIT-3", "you join a stretch of one scriptio continua character to the letters beside it")
class SingleJoined(Steps):
    def split(self, run: str) -> list[str]:
        inside = [members("continua")[ord(character)] for character in run]
        lone = sum(inside) == 1 and len(run) > 1
        return [run] if lone else super().split(run)
