"""Wrong ports of the filter of section 6."""

from __future__ import annotations

from simhash_doc.conformance.mutants import wrong
from simhash_doc.conformance.steps import Steps
from simhash_doc.pinned import connectors, members, word_categories


@wrong("SD-FILTER-1", "you do not trim connectors")
class TrimMissing(Steps):
    def trim(self, candidate: str) -> str:
        return candidate


@wrong("SD-FILTER-1", "you trim only _ and no other connector")
class TrimUnderscoreOnly(Steps):
    def trim(self, candidate: str) -> str:
        return candidate.strip("_")


@wrong("SD-FILTER-1", "you trim connectors only at the start")
class TrimStartOnly(Steps):
    def trim(self, candidate: str) -> str:
        return candidate.lstrip(connectors())


@wrong("SD-FILTER-1", "you trim connectors only at the end")
class TrimEndOnly(Steps):
    def trim(self, candidate: str) -> str:
        return candidate.rstrip(connectors())


@wrong("SD-FILTER-1", "you trim only one connector at each end")
class TrimOne(Steps):
    def trim(self, candidate: str) -> str:
        for edge in (0, -1):
            if candidate and candidate[edge] in connectors():
                candidate = candidate[1:] if edge == 0 else candidate[:-1]
        return candidate


@wrong("SD-FILTER-1", "you remove connectors inside tokens too")
class TrimInside(Steps):
    def trim(self, candidate: str) -> str:
        return "".join(character for character in candidate if character not in connectors())


@wrong("SD-FILTER-1", "you trim runs before cutting them, not what was cut")
class TrimBeforeSplit(Steps):
    def split(self, run: str) -> list[str]:
        return super().split(run.strip(connectors()))

    def trim(self, candidate: str) -> str:
        return candidate


@wrong("SD-FILTER-1", "you trim digits as well as connectors")
class TrimDigits(Steps):
    def trim(self, candidate: str) -> str:
        return candidate.strip(connectors() + "0123456789")


@wrong("SD-FILTER-2", "you keep tokens without any letter, such as numbers")
class FilterMissing(Steps):
    def is_token(self, trimmed: str) -> bool:
        return bool(trimmed)


@wrong(
    "SD-FILTER-2",
    "you need a letter (General_Category L) where an Alphabetic character, such as a vowel sign, is enough",
)
class FilterNeedsLetter(Steps):
    def is_token(self, trimmed: str) -> bool:
        return any(word_categories().get(ord(character), "")[:1] == "L" for character in trimmed)


@wrong("SD-FILTER-2", "you drop tokens with any character that is not Alphabetic")
class FilterAllAlphabetic(Steps):
    def is_token(self, trimmed: str) -> bool:
        return bool(trimmed) and all(members("alphabetic")[ord(character)] for character in trimmed)


@wrong("SD-FILTER-2", "you drop tokens that begin with a digit")
class FilterDigitFirst(Steps):
    def is_token(self, trimmed: str) -> bool:
        return super().is_token(trimmed) and not trimmed[0].isdecimal()


@wrong("SD-FILTER-2", "you drop tokens of one character")
class FilterShort(Steps):
    def is_token(self, trimmed: str) -> bool:
        return len(trimmed) > 1 and super().is_token(trimmed)


@wrong("SD-FILTER-2", "you drop very long tokens")
class FilterLong(Steps):
    def is_token(self, trimmed: str) -> bool:
        return len(trimmed) <= 255 and super().is_token(trimmed)


@wrong("SD-FILTER-2", "you count combining marks as letters, so a run of marks alone is a token")
class FilterMarksCount(Steps):
    def is_token(self, trimmed: str) -> bool:
        return any(word_categories().get(ord(character)) == "Mn" for character in trimmed) or super().is_token(trimmed)


@wrong("SD-FILTER-2", "you take numbers of other scripts for letters: only ASCII digits are dropped")
class FilterAsciiDigitsOnly(Steps):
    def is_token(self, trimmed: str) -> bool:
        return bool(trimmed) and not all(character in "0123456789_" for character in trimmed)
