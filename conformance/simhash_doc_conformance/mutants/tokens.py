"""Mutants of section 6: runs, scriptio continua and the filter."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import groupby

from simhash_doc.unicode_data import connectors, members, word_categories
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.mutants import after, before, in_pieces, mutant, of_sizes, table

_MARKED = re.compile("[\u3041-\u30ff\u4e00-\u9fff][\u0300-\u036f\u3099\u309a]")


def _category(character: str) -> str:
    """Return the General_Category of a word character; empty if it is none."""
    return word_categories().get(ord(character), "")


def _without(category: str) -> Callable[..., bool]:
    return lambda right, c: right.is_word(c) and _category(c) != category


def _with(characters: str) -> Callable[..., bool]:
    return lambda right, c: c in characters or right.is_word(c)


def _except(*blocks: tuple[int, int]) -> Callable[..., bool]:
    """Return the test for scriptio continua that is false for some code points."""
    return lambda right, c: right.is_continua(c) and not any(first <= ord(c) <= last for first, last in blocks)


def _ngrams(units: str | list[str], size: int) -> list[str]:
    """Return the n-grams of some units; all units together if they are fewer."""
    return ["".join(units[i : i + size]) for i in range(max(1, len(units) - size + 1))]


def _clusters(stretch: str) -> list[str]:
    """Return about the grapheme clusters."""
    clusters: list[str] = []
    for character in stretch:
        if clusters and _category(character) in {"Mn", "Mc"}:
            clusters[-1] += character
        else:
            clusters.append(character)
    return clusters


def _bigrams_utf16(right: Implementation, stretch: str) -> list[str]:
    units = stretch.encode("utf-16-be")
    pairs = [units[i : i + 4] for i in range(0, max(2, len(units) - 2), 2)]
    return [pair.decode("utf-16-be", "replace") for pair in pairs]


table("SD-SPLIT-3", bigrams={
    "single-dropped": ("drops stretches of one scriptio continua character",
        lambda step, stretch: [] if len(stretch) == 1 else step(stretch)),
}, split={
    "single-joined": ("joins a stretch of one scriptio continua character to the adjacent letters",
        lambda right, run: [run] if sum(map(right.is_continua, run)) == 1 else right.split(run)),
})  # fmt: skip


table("SD-SPLIT-1", is_continua={
    "split-missing": ("does not split stretches of scriptio continua", lambda c: False),
    "split-without-southeast-asia": ("does not split Thai, Lao, Khmer and Myanmar stretches",
        _except((0xE01, 0xEFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x1950, 0x1AAF), (0xA9E0, 0xAADF),
                (0x11700, 0x1174F))),
    "split-without-kana": ("does not split kana", _except((0x3040, 0x30FF), (0x31F0, 0x31FF), (0x1AFF0, 0x1B16F))),
    "split-without-prolonged-sound": ("omits U+30FC from scriptio continua", _except((0x30FC, 0x30FC))),
    "split-bmp-han-only": ("omits Han of the supplementary planes from scriptio continua", _except((0x20000, 0x3FFFF))),
    "split-without-iteration-marks": (
        "omits U+3005 and similar characters from Han (only ideographs of the main blocks)",
        _except((0x3005, 0x3005), (0x303B, 0x303B), (0x309D, 0x309E), (0x30FD, 0x30FE))),
    "split-with-hangul": ("also makes bigrams of Hangul", lambda step, c: "\uac00" <= c <= "\ud7a3" or step(c)),
}, split={
    "split-whole-run": ("makes bigrams of a complete run if one of its characters is scriptio continua",
        lambda right, run: right.bigrams(run) if any(map(right.is_continua, run)) else [run]),
    "split-with-marks": ("treats every mark after a scriptio continua letter as part of its stretch",
        lambda right, run: right.bigrams(run) if _MARKED.search(run) else right.split(run)),
}, bigrams={
    "bigrams-script-change": ("also cuts stretches between Han and kana",
        lambda step, stretch: [
            bigram for _, part in groupby(stretch, key=lambda c: "\u3041" <= c <= "\u30ff")
            for bigram in step("".join(part))]),
})  # fmt: skip


mutant(
    "trim-before-split", "SD-FILTER-1", "trims runs before cutting, not the candidates after it",
    split=before(lambda run: run.strip(connectors())), trim_connectors=lambda candidate: candidate,
)  # fmt: skip


def _marks(text: str) -> str:
    return "".join(c for c in set(text) if _category(c) == "Mn")


table("SD-FILTER-1", trim_connectors={
    "trim-missing": ("does not trim connectors", lambda candidate: candidate),
    "trim-underscore-only": ("trims only _ and no other connector", lambda candidate: candidate.strip("_")),
    "trim-start-only": ("trims connectors only at the start", lambda candidate: candidate.lstrip(connectors())),
    "trim-end-only": ("trims connectors only at the end", lambda candidate: candidate.rstrip(connectors())),
    "trim-one": ("trims only one connector at each end",
        lambda candidate: re.sub(f"^[{connectors()}]|[{connectors()}]$", "", candidate)),
    "trim-inside": ("also removes connectors inside tokens",
        lambda candidate: "".join(c for c in candidate if c not in connectors())),
    "trim-digits": ("trims digits as well as connectors",
        lambda candidate: candidate.strip(connectors() + "0123456789")),
    "trim-collapses": ("joins connectors inside tokens", after(lambda result: re.sub("_{2,}", "_", result))),
    "trim-marks-too": ("trims combining marks as well as connectors",
        lambda candidate: candidate.lstrip(connectors() + _marks(candidate)).rstrip(connectors())),
}, split={
    "trim-splits": ("cuts tokens at two connectors in a row",
        lambda step, run: [part for piece in re.split("_{2,}", run) if piece for part in step(piece)]),
})  # fmt: skip


def _alphabetic(part: slice) -> Callable[..., bool]:
    """Return the test for tokens that looks at a part of them only."""
    return lambda right, trimmed: right.is_token(trimmed[part])


table("SD-FILTER-2", is_token={
    "filter-missing": ("keeps tokens without any letter, such as numbers", lambda trimmed: bool(trimmed)),
    "filter-needs-letter": (
        "requires a letter (General_Category L) where an Alphabetic character, such as a vowel sign, is enough",
        lambda trimmed: any(_category(c)[:1] == "L" for c in trimmed)),
    "filter-alphanumeric": (
        "drops tokens with any character that is not a letter or digit, such as a mark (isalnum)",
        lambda step, trimmed: step(trimmed) and all(_category(c)[:1] in ("L", "N") for c in trimmed)),
    "filter-all-alphabetic": ("drops tokens with any character that is not Alphabetic",
        lambda trimmed: bool(trimmed) and all(members("alphabetic")[ord(c)] for c in trimmed)),
    "filter-digit-first": ("drops tokens that begin with a digit",
        lambda step, trimmed: step(trimmed) and not trimmed[0].isdecimal()),
    "filter-short": ("drops tokens of one character", lambda step, trimmed: len(trimmed) > 1 and step(trimmed)),
    "filter-long": ("drops very long tokens", lambda step, trimmed: len(trimmed) <= 255 and step(trimmed)),
    "filter-marks-count": ("treats combining marks as letters, so a run of marks alone is a token",
        lambda step, trimmed: step(trimmed) or any(_category(c) == "Mn" for c in trimmed)),
    "filter-ascii-digits-only": ("treats digits of other scripts as letters: only ASCII digits are dropped",
        lambda trimmed: bool(trimmed) and not all(c in "0123456789_" for c in trimmed)),
    **of_sizes("filter-first{}", "looks for an Alphabetic character in the first {:,} characters of a token only",
        lambda size: _alphabetic(slice(size)),
        1, 2, 8, 16, 32, 64, 100, 128, 255, 256, 512, 1000, 1024, 4096, 65_535),
    "filter-last": ("looks for an Alphabetic character at the end of a token only", _alphabetic(slice(-1, None))),
    "filter-last-two": ("looks for an Alphabetic character in a token's last two only", _alphabetic(slice(-2, None))),
    "filter-ends": ("looks for an Alphabetic character at both ends of a token only",
        before(lambda trimmed: trimmed[:1] + trimmed[-1:])),
    "filter-not-first": ("does not look for an Alphabetic character at a token's start", _alphabetic(slice(1, None))),
    "filter-not-last": ("does not look for an Alphabetic character at the end of a token", _alphabetic(slice(-1))),
})  # fmt: skip


def _platform_words(pattern: str) -> Callable[..., list[str]]:
    return lambda text: re.findall(pattern, text)


table("SD-RUN-1", is_word={
    "run-without-mc": ("omits Mc: the vowel signs of most Indic scripts cut words", _without("Mc")),
    "run-without-mn": ("omits Mn: combining marks cut words", _without("Mn")),
    "run-without-nd": ("omits Nd: digits cut words", _without("Nd")),
    "run-without-pc": ("omits Pc: underscores cut words", _without("Pc")),
    "run-without-lm": ("omits Lm: modifier letters cut words", _without("Lm")),
    "run-without-lo": ("omits Lo: letters without case are not letters", _without("Lo")),
    "run-without-lu": ("omits Lu: Cherokee letters stay capital after folding", _without("Lu")),
    "run-without-lt": ("omits Lt", _without("Lt"), "no character of General_Category Lt is left after folding"),
    "run-with-nl": ("treats letter-like numbers (Nl), such as Roman numerals or U+3007, as word characters",
        _with("\u3007\u16ee\u2180\u3021\U00010140\U00012400")),
    "run-with-no": ("treats other numbers (No) as word characters", _with("\u09f4\u0f2a\u1369\u19da\u2776\U00010107")),
    "run-with-me": ("treats enclosing marks (Me) as word characters", _with("\u0488\u0489\u1abe\u20dd\u20e3")),
    "run-with-apostrophe": ("keeps the apostrophe inside words (don't)", _with("'\u2019")),
    "run-with-hyphen": ("keeps the hyphen inside words", _with("-\u2010")),
    "run-with-symbols": ("treats emoji and other symbols (So) as word characters",
        _with("\u2600\u2764\U0001f600\ufffd\u00b0")),
    "run-ascii-only": ("treats only ASCII letters, digits and _ as word characters (\\w without a Unicode flag)",
        lambda step, c: c.isascii() and step(c)),
    "run-bmp-only": ("supports only the Basic Multilingual Plane", lambda step, c: c <= "\uffff" and step(c)),
    "run-platform-word": ("uses the platform's \\w, which omits marks (as in Python's re)",
        lambda step, c: step(c) and (c.isalnum() or c == "_")),
    "run-at-white-space": ("cuts only at white space, so punctuation stays in tokens", lambda c: not c.isspace()),
}, link_free_tokens={
    "words-platform": ("takes all matches of \\w+ as tokens, unsplit and untrimmed", _platform_words(r"\w+")),
    "words-ascii": ("takes all matches of [a-z0-9]+ as tokens, unsplit and untrimmed", _platform_words("[a-z0-9]+")),
    "words-letters": ("takes runs of letters as tokens, unsplit", _platform_words(r"[^\W\d_]+")),
    "words-white-space": ("takes what is between white space for the tokens, and neither splits, trims nor drops any",
        lambda text: text.split()),
})  # fmt: skip


table("SD-SPLIT-2", bigrams={
    "bigrams-trigrams": ("makes trigrams instead of bigrams", lambda stretch: _ngrams(stretch, 3)),
    "bigrams-unigrams": ("makes single characters instead of bigrams", lambda stretch: list(stretch)),
    "bigrams-disjoint": ("makes bigrams that do not overlap",
        lambda stretch: [stretch[i : i + 2] for i in range(0, len(stretch), 2)]),
    "bigrams-tail": ("also returns the last character of a stretch",
        lambda stretch: [stretch[i : i + 2] for i in range(len(stretch))]),
    "bigrams-and-unigrams": ("also returns the single characters",
        lambda step, stretch: step(stretch) + (list(stretch) if len(stretch) > 1 else [])),
    "bigrams-graphemes": ("makes bigrams of grapheme clusters", lambda stretch: _ngrams(_clusters(stretch), 2)),
    "bigrams-utf16": ("counts UTF-16 units: a character beyond U+FFFF is a bigram of its two halves", _bigrams_utf16),
    **of_sizes("bigrams-pieces{}", "cuts a stretch of scriptio continua after {:,} characters", in_pieces,
        1000, 1024, 4096, 10_000, 32_768, 50_000, 65_536),
})  # fmt: skip
