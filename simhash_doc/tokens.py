"""Steps 1 to 5 of the pipeline on whole strings, through regular expressions: equal to `reference`, and faster."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from operator import add, and_, gt

from simhash_doc.links import remove_links
from simhash_doc.pinned import CODE_POINTS, REPLACEMENT, connectors, fold_map, members, normalize, ranges
from simhash_doc.reference import NONSTARTER_LIMIT, trim

# A folded character decomposes into at most one starter and two non-starters, so a run
# of over 30 non-starters after decomposition has at least 29 adjacent ones before it.
_ADJACENT_NONSTARTERS = NONSTARTER_LIMIT - 1
_BIGRAM_SLICE = 1 << 17  # characters, and so distinct bigrams, in a counter


def classes(table: bytes) -> tuple[str, str]:
    """Return a table of 0 and 1 bytes as two character classes: up to U+FFFF, and beyond.

    `re` tests characters beyond U+FFFF range by range, hundreds of them; the
    look-ahead before the second class keeps all other characters from that list.
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
    """Return the pattern of the long runs of non-starters, the character before one as a group."""
    low, high = classes(members("nonstarter"))
    return re.compile(f"(.?)((?:{low}|{high}){{{_ADJACENT_NONSTARTERS},}})", re.DOTALL)


@cache
def whole_stretch() -> re.Pattern[str]:
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
    """Return the NFC of a mapped text, long runs of non-starters replaced, if it may have any (SD-FOLD-3 to 5)."""
    # A long run holds one of each `_ADJACENT_NONSTARTERS` characters.
    if long_runs and not _nonstarter_set().isdisjoint(mapped[::_ADJACENT_NONSTARTERS]):
        mapped = nonstarter_run().sub(_bounded, mapped)
    return normalize("NFC", mapped)


def _bounded(found: re.Match[str]) -> str:
    """Return a run as it is, or as U+FFFD if it is too long, marks of the character before it counted (SD-FOLD-4)."""
    before, run = found.groups()
    # The character may be a mark itself, if the text begins with the run.
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


def prepare(text: str) -> str:
    """Return the folded text, each link replaced by a space."""
    return remove_links(fold(text))


def token_counts(prepared: str) -> Iterator[Counter[str]]:
    """Yield the counts of the tokens of a prepared text in several counters of bounded size."""
    yield _kept(Counter(whole_stretch().findall(prepared)))
    if prepared.isascii():
        return
    bigrams: Counter[str] = Counter()
    for match in continua_stretch().finditer(prepared):
        if match.end() - match.start() == 1:
            bigrams[match[0]] += 1
        # A stretch is as long as its author likes: slices overlap by one character.
        for start in range(match.start(), match.end() - 1, _BIGRAM_SLICE):
            end = min(start + _BIGRAM_SLICE + 1, match.end())
            bigrams.update(map(add, prepared[start : end - 1], prepared[start + 1 : end]))
            if len(bigrams) > _BIGRAM_SLICE:
                yield _kept(bigrams)
                bigrams = Counter()
    yield _kept(bigrams)


def _kept(cut: Counter[str]) -> Counter[str]:
    """Return the counts of the tokens that the filter keeps, connectors trimmed."""
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
