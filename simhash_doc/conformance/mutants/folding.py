"""Mutants of section 4, folding, and section 15, Unicode versions."""

from __future__ import annotations

import re
import unicodedata

from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.mutants import mutant
from simhash_doc.unicode_data import REPLACEMENT, fold_map, members, normalize

_IGNORABLE = {c for c, target in list(fold_map().items()) if not target}
# A few characters of the versions next to 15.0, standing for all of them.
_NEW_IN_15 = "\u0cf3\u0ece\U00010efd\U00010efe\U00010eff\U00011b00\U00011f02\U0001e030\U0001e4d0\U00031350"
_NEW_IN_16 = {"\u1c89": "\u1c8a", "\ua7da": "\ua7db", "\U00010d50": "\U00010d70", "\U00016d40": "\U00016d40"}


def _without_ignorables(text: str) -> str:
    return "".join(character for character in text if ord(character) not in _IGNORABLE)


@mutant("SD-FOLD-1", "uses plain lower-casing instead of case folding (ß, ſ, final sigma)")
class FoldLowerOnly(Implementation):
    def map_characters(self, text: str) -> str:
        kept = text.translate(dict.fromkeys(map(ord, "ßſς"), "\ue000"))
        odd = iter(re.findall("[ßſς]", text))
        return re.sub("\ue000", lambda _: next(odd), kept.translate(fold_map()))


@mutant("SD-FOLD-1", "uses simple case folding, one character to one (ß stays ß, İ becomes i)")
class FoldSimple(Implementation):
    def map_characters(self, text: str) -> str:
        return "".join(
            character
            if len(character.casefold()) > 1 and not unicodedata.decomposition(character)
            else character.translate(fold_map())
            for character in text
        )


@mutant("SD-FOLD-1", "folds case but keeps compatibility characters (NFC instead of NFKC)")
class FoldWithoutCompatibility(Implementation):
    def map_characters(self, text: str) -> str:
        return _without_ignorables(text.casefold())


@mutant("SD-FOLD-1", "applies NFKC but does not fold case")
class FoldWithoutCase(Implementation):
    def map_characters(self, text: str) -> str:
        return _without_ignorables(normalize("NFKC", text))


@mutant("SD-FOLD-1", "folds case only in ASCII")
class FoldAsciiCase(Implementation):
    def map_characters(self, text: str) -> str:
        return "".join(
            character.translate(fold_map())
            if character.isascii()
            else _without_ignorables(normalize("NFKC", character))
            for character in text
        )


@mutant("SD-FOLD-1", "keeps default-ignorable characters (soft hyphen, zero-width characters)")
class FoldKeepsIgnorables(Implementation):
    def map_characters(self, text: str) -> str:
        return "".join(c if ord(c) in _IGNORABLE else c.translate(fold_map()) for c in text)


@mutant("SD-FOLD-1", "replaces default-ignorable characters by spaces, which cut words")
class FoldIgnorablesToSpace(Implementation):
    def map_characters(self, text: str) -> str:
        return "".join(" " if ord(c) in _IGNORABLE else c.translate(fold_map()) for c in text)


@mutant("SD-FOLD-1", "removes the soft hyphen and zero-width spaces, but not the other default-ignorable characters")
class FoldFewIgnorables(Implementation):
    def map_characters(self, text: str) -> str:
        kept = _IGNORABLE - {0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF}
        return "".join(c if ord(c) in kept else c.translate(fold_map()) for c in text)


@mutant("SD-FOLD-1", "keeps variation selectors")
class FoldKeepsVariationSelectors(Implementation):
    def map_characters(self, text: str) -> str:
        kept = {*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}
        return "".join(c if ord(c) in kept else c.translate(fold_map()) for c in text)


@mutant("SD-FOLD-1", "folds with Turkish rules (I becomes dotless i)")
class FoldTurkish(Implementation):
    def map_characters(self, text: str) -> str:
        return super().map_characters(text.replace("I", "ı").replace("İ", "i"))


@mutant("SD-FOLD-1", "folds only the Basic Multilingual Plane")
class FoldBmpOnly(Implementation):
    def map_characters(self, text: str) -> str:
        return "".join(c if c > "\uffff" else c.translate(fold_map()) for c in text)


@mutant("SD-FOLD-1", "keeps Cherokee small letters, which fold to the capital letters")
class FoldCherokeeKept(Implementation):
    def map_characters(self, text: str) -> str:
        return "".join(c if 0xAB70 <= ord(c) <= 0xABBF else c.translate(fold_map()) for c in text)


@mutant("SD-FOLD-2", "keeps code points that Unicode 15.0 does not assign")
class UnassignedKept(Implementation):
    def map_characters(self, text: str) -> str:
        return "".join(c if c.translate(fold_map()) == REPLACEMENT else c.translate(fold_map()) for c in text)


@mutant("SD-FOLD-2", "drops code points that Unicode 15.0 does not assign, so that words on both sides join")
class UnassignedDropped(Implementation):
    def map_characters(self, text: str) -> str:
        return "".join("" if c.translate(fold_map()) == REPLACEMENT != c else c.translate(fold_map()) for c in text)


@mutant("SD-FOLD-2", "replaces unassigned code points that are default-ignorable by U+FFFD; the map removes them")
class UnassignedIgnorableReplaced(Implementation):
    def map_characters(self, text: str) -> str:
        return "".join(c.translate(fold_map()) if members("assigned")[ord(c)] else REPLACEMENT for c in text)


@mutant("SD-FOLD-2", "replaces private-use characters by U+FFFD; they are assigned")
class PrivateUseReplaced(Implementation):
    def map_characters(self, text: str) -> str:
        return re.sub("[\ue000-\uf8ff\U000f0000-\U0010ffff]", REPLACEMENT, super().map_characters(text))


@mutant("SD-FOLD-3", "counts non-starters before decomposing, so a precomposed letter hides one")
class MarksCountedComposed(Implementation):
    def decomposed(self, text: str) -> str:
        return normalize("NFC", text)


@mutant("SD-FOLD-4", "does not bound runs of non-starters")
class MarksUnbounded(Implementation):
    nonstarter_limit = 10**9


@mutant("SD-FOLD-4", "replaces runs of 30 non-starters; 30 are allowed")
class MarksLimitTwentyNine(Implementation):
    nonstarter_limit = 29


@mutant("SD-FOLD-4", "allows 31 non-starters in a row")
class MarksLimitThirtyOne(Implementation):
    nonstarter_limit = 31


@mutant("SD-FOLD-4", "cuts a long run of non-starters to 30 instead of replacing the run")
class MarksCut(Implementation):
    def long_run(self, run: str) -> str:
        return run[: self.nonstarter_limit]


@mutant("SD-FOLD-4", "drops a long run of non-starters, so that the letters on both sides join")
class MarksDropped(Implementation):
    def long_run(self, run: str) -> str:
        return ""


@mutant("SD-FOLD-4", "inserts U+034F after 30 non-starters (Stream-Safe Text Format) instead of replacing the run")
class MarksStreamSafe(Implementation):
    def long_run(self, run: str) -> str:
        return "\u034f".join(run[i : i + 30] for i in range(0, len(run), 30))


@mutant("SD-FOLD-4", "replaces each of the non-starters by U+FFFD instead of the run by one")
class MarksReplacedEach(Implementation):
    def long_run(self, run: str) -> str:
        return REPLACEMENT * len(run)


@mutant("SD-FOLD-4", "counts all combining marks (General_Category Mn and Mc), not only non-starters")
class MarksByCategory(Implementation):
    def bound_nonstarters(self, text: str) -> str:
        marks = re.compile(
            "[" + "".join(c for c in set(text) if unicodedata.category(c) in ("Mn", "Mc")) + "\ue000]{31,}"
        )
        return super().bound_nonstarters(marks.sub(REPLACEMENT, text))


@mutant("SD-FOLD-5", "omits the normalization to NFC after the map")
class ComposeMissing(Implementation):
    def compose(self, text: str) -> str:
        return text

    def bound_nonstarters(self, text: str) -> str:
        return text


@mutant("SD-FOLD-5", "normalizes to NFD instead of NFC")
class ComposeDecomposes(Implementation):
    def compose(self, text: str) -> str:
        return normalize("NFD", text)


@mutant("SD-FOLD-5", "strips accents")
class ComposeStripsAccents(Implementation):
    def compose(self, text: str) -> str:
        return normalize("NFC", re.sub("[\u0300-\u036f]", "", normalize("NFD", text)))


@mutant("SD-FOLD-5", "does not compose Hangul jamo into syllables")
class ComposeHangulMissing(Implementation):
    def compose(self, text: str) -> str:
        return "".join(
            part if index % 2 else normalize("NFC", part)
            for index, part in enumerate(re.split("([\u1100-\u11ff]+)", text))
        )


@mutant("SD-UNI-1", "uses tables of a Unicode version after 15.0")
class TablesNewer(Implementation):
    def map_characters(self, text: str) -> str:
        return "".join(_NEW_IN_16.get(c) or c.translate(fold_map()) for c in text)

    def is_word(self, character: str) -> bool:
        return character in _NEW_IN_16.values() or super().is_word(character)

    def is_token(self, trimmed: str) -> bool:
        return any(c in _NEW_IN_16.values() for c in trimmed) or super().is_token(trimmed)


@mutant("SD-UNI-1", "uses tables of a Unicode version before 15.0")
class TablesOlder(Implementation):
    def map_characters(self, text: str) -> str:
        return "".join(REPLACEMENT if c in _NEW_IN_15 else c.translate(fold_map()) for c in text)


@mutant(
    "SD-UNI-2",
    "uses a normalization older than Unicode 15.0, which does not reorder the marks of that version",
)
class NormalizationOlder(Implementation):
    def compose(self, text: str) -> str:
        parts = re.split("([\U00010efd-\U00010eff\U0001e4ec-\U0001e4ef\u0ece])", text)
        return "".join(part if i % 2 else normalize("NFC", part) for i, part in enumerate(parts))
