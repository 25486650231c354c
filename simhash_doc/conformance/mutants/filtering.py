"""Mutants of the filter of section 6."""

from __future__ import annotations

import re

from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.mutants import mutant
from simhash_doc.unicode_data import connectors, members, word_categories


@mutant("SD-FILTER-1", "does not trim connectors")
class TrimMissing(Implementation):
    def trim_connectors(self, candidate: str) -> str:
        return candidate


@mutant("SD-FILTER-1", "trims only _ and no other connector")
class TrimUnderscoreOnly(Implementation):
    def trim_connectors(self, candidate: str) -> str:
        return candidate.strip("_")


@mutant("SD-FILTER-1", "trims connectors only at the start")
class TrimStartOnly(Implementation):
    def trim_connectors(self, candidate: str) -> str:
        return candidate.lstrip(connectors())


@mutant("SD-FILTER-1", "trims connectors only at the end")
class TrimEndOnly(Implementation):
    def trim_connectors(self, candidate: str) -> str:
        return candidate.rstrip(connectors())


@mutant("SD-FILTER-1", "trims only one connector at each end")
class TrimOne(Implementation):
    def trim_connectors(self, candidate: str) -> str:
        for edge in (0, -1):
            if candidate and candidate[edge] in connectors():
                candidate = candidate[1:] if edge == 0 else candidate[:-1]
        return candidate


@mutant("SD-FILTER-1", "also removes connectors inside tokens")
class TrimInside(Implementation):
    def trim_connectors(self, candidate: str) -> str:
        return "".join(character for character in candidate if character not in connectors())


@mutant("SD-FILTER-1", "trims runs before cutting, not the candidates after it")
class TrimBeforeSplit(Implementation):
    def split(self, run: str) -> list[str]:
        return super().split(run.strip(connectors()))

    def trim_connectors(self, candidate: str) -> str:
        return candidate


@mutant("SD-FILTER-1", "trims digits as well as connectors")
class TrimDigits(Implementation):
    def trim_connectors(self, candidate: str) -> str:
        return candidate.strip(connectors() + "0123456789")


@mutant("SD-FILTER-1", "makes connectors inside tokens one")
class TrimCollapses(Implementation):
    def trim_connectors(self, candidate: str) -> str:
        return re.sub("_{2,}", "_", super().trim_connectors(candidate))


@mutant("SD-FILTER-1", "trims combining marks as well as connectors")
class TrimMarksToo(Implementation):
    def trim_connectors(self, candidate: str) -> str:
        marks = "".join(c for c in set(candidate) if word_categories().get(ord(c)) == "Mn")
        return candidate.lstrip(connectors() + marks).rstrip(connectors())


@mutant("SD-FILTER-1", "cuts tokens at two connectors in a row")
class TrimSplits(Implementation):
    def split(self, run: str) -> list[str]:
        return [part for piece in re.split("_{2,}", run) if piece for part in super(TrimSplits, self).split(piece)]


@mutant("SD-FILTER-2", "keeps tokens without any letter, such as numbers")
class FilterMissing(Implementation):
    def is_token(self, trimmed: str) -> bool:
        return bool(trimmed)


@mutant(
    "SD-FILTER-2",
    "requires a letter (General_Category L) where an Alphabetic character, such as a vowel sign, is enough",
)
class FilterNeedsLetter(Implementation):
    def is_token(self, trimmed: str) -> bool:
        return any(word_categories().get(ord(character), "")[:1] == "L" for character in trimmed)


@mutant("SD-FILTER-2", "drops tokens with any character that is not a letter or digit, such as a mark (isalnum)")
class FilterAlphanumeric(Implementation):
    def is_token(self, trimmed: str) -> bool:
        categories = (word_categories().get(ord(character), "")[:1] for character in trimmed)
        return super().is_token(trimmed) and all(category in {"L", "N"} for category in categories)


@mutant("SD-FILTER-2", "drops tokens with any character that is not Alphabetic")
class FilterAllAlphabetic(Implementation):
    def is_token(self, trimmed: str) -> bool:
        return bool(trimmed) and all(members("alphabetic")[ord(character)] for character in trimmed)


@mutant("SD-FILTER-2", "drops tokens that begin with a digit")
class FilterDigitFirst(Implementation):
    def is_token(self, trimmed: str) -> bool:
        return super().is_token(trimmed) and not trimmed[0].isdecimal()


@mutant("SD-FILTER-2", "drops tokens of one character")
class FilterShort(Implementation):
    def is_token(self, trimmed: str) -> bool:
        return len(trimmed) > 1 and super().is_token(trimmed)


@mutant("SD-FILTER-2", "drops very long tokens")
class FilterLong(Implementation):
    def is_token(self, trimmed: str) -> bool:
        return len(trimmed) <= 255 and super().is_token(trimmed)


@mutant("SD-FILTER-2", "treats combining marks as letters, so a run of marks alone is a token")
class FilterMarksCount(Implementation):
    def is_token(self, trimmed: str) -> bool:
        return any(word_categories().get(ord(character)) == "Mn" for character in trimmed) or super().is_token(trimmed)


@mutant("SD-FILTER-2", "treats digits of other scripts as letters: only ASCII digits are dropped")
class FilterAsciiDigitsOnly(Implementation):
    def is_token(self, trimmed: str) -> bool:
        return bool(trimmed) and not all(character in "0123456789_" for character in trimmed)
