"""Wrong ports of section 4, folding, and section 15, Unicode versions."""

from __future__ import annotations

import re
import unicodedata

from simhash_doc.conformance.mutants import wrong
from simhash_doc.conformance.steps import Steps
from simhash_doc.pinned import REPLACEMENT, fold_map, members, normalize

_IGNORABLE = {c for c, target in list(fold_map().items()) if not target}
# A few characters of the versions next to 15.0, standing for all of them.
_NEW_IN_15 = "\u0cf3\u0ece\U00010efd\U00010efe\U00010eff\U00011b00\U00011f02\U0001e030\U0001e4d0\U00031350"
_NEW_IN_16 = {"\u1c89": "\u1c8a", "\ua7da": "\ua7db", "\U00010d50": "\U00010d70", "\U00016d40": "\U00016d40"}


def _without_ignorables(text: str) -> str:
    return "".join(character for character in text if ord(character) not in _IGNORABLE)


@wrong("SD-FOLD-1", "you use plain lower-casing instead of case folding (ß, ſ, final sigma)")
class FoldLowerOnly(Steps):
    def map_characters(self, text: str) -> str:
        kept = text.translate(dict.fromkeys(map(ord, "ßſς"), "\ue000"))
        odd = iter(re.findall("[ßſς]", text))
        return re.sub("\ue000", lambda _: next(odd), kept.translate(fold_map()))


@wrong("SD-FOLD-1", "you use simple case folding, one character to one (ß stays ß, İ becomes i)")
class FoldSimple(Steps):
    def map_characters(self, text: str) -> str:
        return "".join(
            character
            if len(character.casefold()) > 1 and not unicodedata.decomposition(character)
            else character.translate(fold_map())
            for character in text
        )


@wrong("SD-FOLD-1", "you fold case but leave compatibility characters (NFC in place of NFKC)")
class FoldWithoutCompatibility(Steps):
    def map_characters(self, text: str) -> str:
        return _without_ignorables(text.casefold())


@wrong("SD-FOLD-1", "you apply NFKC but do not fold case")
class FoldWithoutCase(Steps):
    def map_characters(self, text: str) -> str:
        return _without_ignorables(normalize("NFKC", text))


@wrong("SD-FOLD-1", "you fold case only in ASCII")
class FoldAsciiCase(Steps):
    def map_characters(self, text: str) -> str:
        return "".join(
            character.translate(fold_map())
            if character.isascii()
            else _without_ignorables(normalize("NFKC", character))
            for character in text
        )


@wrong("SD-FOLD-1", "you keep default-ignorable characters (soft hyphen, zero-width characters)")
class FoldKeepsIgnorables(Steps):
    def map_characters(self, text: str) -> str:
        return "".join(c if ord(c) in _IGNORABLE else c.translate(fold_map()) for c in text)


@wrong("SD-FOLD-1", "you turn default-ignorable characters into spaces, which cuts words")
class FoldIgnorablesToSpace(Steps):
    def map_characters(self, text: str) -> str:
        return "".join(" " if ord(c) in _IGNORABLE else c.translate(fold_map()) for c in text)


@wrong("SD-FOLD-1", "you remove the soft hyphen and zero-width spaces, but not the other default-ignorable characters")
class FoldFewIgnorables(Steps):
    def map_characters(self, text: str) -> str:
        kept = _IGNORABLE - {0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF}
        return "".join(c if ord(c) in kept else c.translate(fold_map()) for c in text)


@wrong("SD-FOLD-1", "you keep variation selectors")
class FoldKeepsVariationSelectors(Steps):
    def map_characters(self, text: str) -> str:
        kept = {*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}
        return "".join(c if ord(c) in kept else c.translate(fold_map()) for c in text)


@wrong("SD-FOLD-1", "you fold with Turkish rules (I becomes dotless i)")
class FoldTurkish(Steps):
    def map_characters(self, text: str) -> str:
        return super().map_characters(text.replace("I", "ı").replace("İ", "i"))


@wrong("SD-FOLD-1", "you fold only the Basic Multilingual Plane")
class FoldBmpOnly(Steps):
    def map_characters(self, text: str) -> str:
        return "".join(c if c > "\uffff" else c.translate(fold_map()) for c in text)


@wrong("SD-FOLD-1", "you map Cherokee small letters to themselves; they fold to the capital letters")
class FoldCherokeeKept(Steps):
    def map_characters(self, text: str) -> str:
        return "".join(c if 0xAB70 <= ord(c) <= 0xABBF else c.translate(fold_map()) for c in text)


@wrong("SD-FOLD-2", "you keep code points that Unicode 15.0 does not assign")
class UnassignedKept(Steps):
    def map_characters(self, text: str) -> str:
        return "".join(c if c.translate(fold_map()) == REPLACEMENT else c.translate(fold_map()) for c in text)


@wrong("SD-FOLD-2", "you drop code points that Unicode 15.0 does not assign, so that words on both sides join")
class UnassignedDropped(Steps):
    def map_characters(self, text: str) -> str:
        return "".join("" if c.translate(fold_map()) == REPLACEMENT != c else c.translate(fold_map()) for c in text)


@wrong("SD-FOLD-2", "you replace unassigned code points that are default-ignorable by U+FFFD; the map removes them")
class UnassignedIgnorableReplaced(Steps):
    def map_characters(self, text: str) -> str:
        return "".join(c.translate(fold_map()) if members("assigned")[ord(c)] else REPLACEMENT for c in text)


@wrong("SD-FOLD-2", "you replace private-use characters by U+FFFD; they are assigned")
class PrivateUseReplaced(Steps):
    def map_characters(self, text: str) -> str:
        return re.sub("[\ue000-\uf8ff\U000f0000-\U0010ffff]", REPLACEMENT, super().map_characters(text))


@wrong("SD-FOLD-3", "you count non-starters before decomposing, so a precomposed letter hides one")
class MarksCountedComposed(Steps):
    def decomposed(self, text: str) -> str:
        return normalize("NFC", text)


@wrong("SD-FOLD-4", "you do not bound runs of non-starters")
class MarksUnbounded(Steps):
    nonstarter_limit = 10**9


@wrong("SD-FOLD-4", "you replace runs of 30 non-starters; only more than 30 are too many")
class MarksLimitTwentyNine(Steps):
    nonstarter_limit = 29


@wrong("SD-FOLD-4", "you allow 31 non-starters in a row")
class MarksLimitThirtyOne(Steps):
    nonstarter_limit = 31


@wrong("SD-FOLD-4", "you cut a long run of non-starters to 30 instead of replacing the whole run")
class MarksCut(Steps):
    def long_run(self, run: str) -> str:
        return run[: self.nonstarter_limit]


@wrong("SD-FOLD-4", "you drop a long run of non-starters, so that the letters on both sides join")
class MarksDropped(Steps):
    def long_run(self, run: str) -> str:
        return ""


@wrong("SD-FOLD-4", "you insert U+034F after 30 non-starters (Stream-Safe Text Format) instead of replacing the run")
class MarksStreamSafe(Steps):
    def long_run(self, run: str) -> str:
        return "\u034f".join(run[i : i + 30] for i in range(0, len(run), 30))


@wrong("SD-FOLD-4", "you replace each of the non-starters by U+FFFD instead of the run by one")
class MarksReplacedEach(Steps):
    def long_run(self, run: str) -> str:
        return REPLACEMENT * len(run)


@wrong("SD-FOLD-4", "you count all combining marks (General_Category Mn and Mc) and not only non-starters")
class MarksByCategory(Steps):
    def bound_nonstarters(self, text: str) -> str:
        marks = re.compile(
            "[" + "".join(c for c in set(text) if unicodedata.category(c) in ("Mn", "Mc")) + "\ue000]{31,}"
        )
        return super().bound_nonstarters(marks.sub(REPLACEMENT, text))


@wrong("SD-FOLD-5", "you leave out the normalization to NFC after the map")
class ComposeMissing(Steps):
    def compose(self, text: str) -> str:
        return text

    def bound_nonstarters(self, text: str) -> str:
        return text


@wrong("SD-FOLD-5", "you normalize to NFD instead of NFC")
class ComposeDecomposes(Steps):
    def compose(self, text: str) -> str:
        return normalize("NFD", text)


@wrong("SD-FOLD-5", "you strip accents")
class ComposeStripsAccents(Steps):
    def compose(self, text: str) -> str:
        return normalize("NFC", re.sub("[\u0300-\u036f]", "", normalize("NFD", text)))


@wrong("SD-FOLD-5", "you do not compose Hangul jamo into syllables")
class ComposeHangulMissing(Steps):
    def compose(self, text: str) -> str:
        return "".join(
            part if index % 2 else normalize("NFC", part)
            for index, part in enumerate(re.split("([\u1100-\u11ff]+)", text))
        )


@wrong("SD-UNI-1", "you use tables of a Unicode version after 15.0")
class TablesNewer(Steps):
    def map_characters(self, text: str) -> str:
        return "".join(_NEW_IN_16.get(c) or c.translate(fold_map()) for c in text)

    def is_word(self, character: str) -> bool:
        return character in _NEW_IN_16.values() or super().is_word(character)

    def is_token(self, trimmed: str) -> bool:
        return any(c in _NEW_IN_16.values() for c in trimmed) or super().is_token(trimmed)


@wrong("SD-UNI-1", "you use tables of a Unicode version before 15.0")
class TablesOlder(Steps):
    def map_characters(self, text: str) -> str:
        return "".join(REPLACEMENT if c in _NEW_IN_15 else c.translate(fold_map()) for c in text)


@wrong(
    "SD-UNI-2",
    "your platform's normalization is older than Unicode 15.0 and does not reorder the marks that came with it",
)
class NormalizationOlder(Steps):
    def compose(self, text: str) -> str:
        parts = re.split("([\U00010efd-\U00010eff\U0001e4ec-\U0001e4ef\u0ece])", text)
        return "".join(part if i % 2 else normalize("NFC", part) for i, part in enumerate(parts))
