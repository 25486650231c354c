"""Steps 1 to 5 of the pipeline on complete strings, through regular expressions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from operator import add, and_, gt

from simhash_doc.engines.python.links import remove_links
from simhash_doc.reference import NONSTARTER_LIMIT, trim
from simhash_doc.unicode_data import CODE_POINTS, REPLACEMENT, connectors, fold_map, members, normalize, ranges

# A folded character decomposes into at most one starter and two non-starters, so a run
# of over 30 non-starters after decomposition has at least 29 adjacent ones before it.
_ADJACENT_NONSTARTERS = NONSTARTER_LIMIT - 1
_BIGRAM_SLICE = 1 << 17  # characters, and so distinct bigrams, in a counter


def classes(table: bytes) -> tuple[str, str]:
    """Return a table of 0 and 1 bytes as two character classes: up to U+FFFF, and beyond.

    `re` tests characters beyond U+FFFF against hundreds of ranges, one after the other. The
    look-ahead before the second class prevents this test for other characters.
    """
    supplementary = 0x10000
    inside = ["", ""]
    for part, start in enumerate((0, supplementary)):
        for match in re.finditer(b"\1+", table[start : CODE_POINTS if part else supplementary]):
            inside[part] += f"\\U{start + match.start():08x}-\\U{start + match.end() - 1:08x}"
    return f"[{inside[0]}]", f"(?=[\\U00010000-\\U0010ffff])[{inside[1]}]"


def stretch_of(table: bytes) -> re.Pattern[str]:
    """Return the pattern of one or more characters of a table."""
    low, high = classes(table)
    return re.compile(f"(?:{low}+|{high}+)+")


@cache
def nonstarter_run() -> re.Pattern[str]:
    """Return the pattern of the long runs of non-starters, with the character before the run as a group."""
    low, high = classes(members("nonstarter"))
    return re.compile(f"(.?)((?:{low}|{high}){{{_ADJACENT_NONSTARTERS},}})", re.DOTALL)


@cache
def word_stretch() -> re.Pattern[str]:
    """Return the pattern of word characters that are not scriptio continua."""
    return stretch_of(bytes(map(gt, members("word"), members("continua"))))


@cache
def continua_stretch() -> re.Pattern[str]:
    """Return the pattern of word characters that are scriptio continua."""
    return stretch_of(bytes(map(and_, members("word"), members("continua"))))


def fold(text: str) -> str:
    """Return `reference.fold` of the text."""
    return text.lower() if text.isascii() else compose(text.translate(fold_map()))


def compose(mapped: str, *, long_runs: bool = True) -> str:
    """Return the NFC of a mapped text, with long runs of non-starters replaced (SD-FOLD-3 to SD-FOLD-5).

    Args:
        mapped: the text after `fold_map`.
        long_runs: False if the text is known to have no long run.
    """
    # If there is a long run, one of every `_ADJACENT_NONSTARTERS` characters is in it.
    if long_runs and not _nonstarter_set().isdisjoint(mapped[::_ADJACENT_NONSTARTERS]):
        mapped = nonstarter_run().sub(_bounded, mapped)
    return normalize("NFC", mapped)


def _bounded(found: re.Match[str]) -> str:
    """Return the run, or U+FFFD if it is too long together with the marks of the character before it (SD-FOLD-4)."""
    before, run = found.groups()
    # At the start of a text, the character before the run may itself be a mark.
    decomposed = normalize("NFD", before)
    starters = decomposed.rstrip(nonstarters())
    if len(decomposed) - len(starters) + len(run) <= NONSTARTER_LIMIT:
        return found[0]
    return starters + REPLACEMENT


@cache
def nonstarters() -> str:
    """Return all non-starters."""
    return "".join(chr(c) for first, last in ranges("nonstarter") for c in range(first, last + 1))


@cache
def _nonstarter_set() -> frozenset[str]:
    return frozenset(nonstarters())


def link_free_text(text: str) -> str:
    """Return the folded text with a space in place of each link."""
    return remove_links(fold(text))


def token_counts(link_free: str) -> Iterator[Counter[str]]:
    """Yield the occurrences of the tokens of a link-free text, in several counters of bounded size."""
    yield _kept(Counter(word_stretch().findall(link_free)))
    if not link_free.isascii():
        yield from bigram_counts(link_free)


def bigram_counts(folded: str) -> Iterator[Counter[str]]:
    """Yield the occurrences of the bigrams, and stretches of one, of a folded text (SD-SPLIT-2, SD-SPLIT-3)."""
    bigrams: Counter[str] = Counter()
    for match in continua_stretch().finditer(folded):
        if match.end() - match.start() == 1:
            bigrams[match[0]] += 1
        # The length of a stretch is not bounded, so it is counted in slices that overlap by one character.
        for start in range(match.start(), match.end() - 1, _BIGRAM_SLICE):
            end = min(start + _BIGRAM_SLICE + 1, match.end())
            bigrams.update(map(add, folded[start : end - 1], folded[start + 1 : end]))
            if len(bigrams) > _BIGRAM_SLICE:
                yield _kept(bigrams)
                bigrams = Counter()
    yield _kept(bigrams)


def _kept(cut: Counter[str]) -> Counter[str]:
    """Return the tokens that the filter keeps, with connectors trimmed (SD-FILTER-1, SD-FILTER-2)."""
    edges = connectors()
    alphabetic = members("alphabetic")
    kept: Counter[str] = Counter()
    for token, count in cut.items():
        first, last = token[0], token[-1]
        if alphabetic[ord(first)] and (alphabetic[ord(last)] or last not in edges):
            kept[token] += count
        elif (trimmed := trim(token)) is not None:
            kept[trimmed] += count
    return kept
