"""Steps 1 to 5 of the pipeline on complete strings, through regular expressions.

Links are searched in UTF-8, and only in the parts in which one is possible (SD-LINK-1 to SD-LINK-8).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain, groupby

from simhash_doc.reference import LINK, NONSTARTER_LIMIT
from simhash_doc.unicode_data import CODE_POINTS, REPLACEMENT, combining_class, fold_map, members, normalize, ranges

# A folded character decomposes into at most one starter and two non-starters, so a run
# of over 30 non-starters after decomposition has at least 29 adjacent ones before it.
_ADJACENT_NONSTARTERS = NONSTARTER_LIMIT - 1


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


@cache
def nonstarter_run() -> re.Pattern[str]:
    """Return the pattern of the long runs of non-starters, with the character before the run as a group."""
    low, high = classes(members("nonstarter"))
    return re.compile(f"(.?)((?:{low}|{high}){{{_ADJACENT_NONSTARTERS},}})", re.DOTALL)


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


_OTHER_MARKS = "\u0f73\u0f75\u0f81\uff9e\uff9f"  # starters that decompose into non-starters


@cache
def _marks() -> bytes:
    """Return a table, as of `members`, of what can be a non-starter in NFKC; new versions of Unicode assign others."""
    unassigned = members("assigned").translate(b"\1\0" + bytes(254))
    either = int.from_bytes(members("nonstarter"), "little") | int.from_bytes(unassigned, "little")
    table = bytearray(either.to_bytes(CODE_POINTS, "little"))
    for character in _OTHER_MARKS:
        table[ord(character)] = 1
    return bytes(table)


@cache
def _run_of_marks() -> re.Pattern[str]:
    low, high = classes(_marks())
    return re.compile(f"(?:{low}|{high}){{{_ADJACENT_NONSTARTERS},}}")


def nfkc(text: str) -> str:
    """Return the NFKC of any text in linear time: platforms sort a run of marks in quadratic time.

    >>> nfkc("a" + "\u0301\u0327" * 9) == "\xe1" + "\u0327" * 9 + "\u0301" * 8
    True
    """
    if text.isascii():
        return text
    if any(map(_marks().__getitem__, map(ord, text[::_ADJACENT_NONSTARTERS]))):
        text = _run_of_marks().sub(_in_order, text)
    return normalize("NFKC", text)


def _in_order(found: re.Match[str]) -> str:
    """Return a run of marks in canonical order."""
    apart = "".join(normalize("NFKD", character) for character in found[0])
    marked = groupby(apart, lambda character: combining_class(character) > 0)
    return "".join(chain.from_iterable(sorted(run, key=combining_class) for _, run in marked))


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


# Bytes that UTF-8 does not use, so no word and no link has them: between documents, and in place of a link.
SEPARATOR = b"\xff"
REMOVED = b"\xfe"

# Possessive, so that a failed attempt is not repeated with every shorter form; the result is the same (section 5).
_LINK = re.compile(re.sub(r"(\{\d+,\d+\}|\*)", r"\1+", LINK.pattern).encode("ascii"))
_DENSE = 64  # bytes per mark; with more marks than that, one search of the complete text is faster
# Every link has one of these characters or texts, or is a digest.
MARKS = re.compile(rb"[@:-]|www\.|10\.")
_ADDRESS = re.compile(rb"@[a-z0-9-]{1,63}+\.[a-z0-9-]")
_COLON = re.compile(rb":(?://|(?<=doi:)|(?<=urn:)|(?<=hdl:)|(?<=arxiv:))")
_UUID_END = re.compile(rb"-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
# The text after a link that ended at the bound of its length is not at the start of a word.
_DIGEST = re.compile(rb"(?<![a-z0-9_\xfe])[0-9a-f]{32,128}(?![a-z0-9_])")
DIGEST_LENGTH = 32  # bytes of the shortest digest

_WHITE = bytes(byte if 0x20 < byte < SEPARATOR[0] else 0x20 for byte in range(256))


def remove_links(folded: str) -> str:
    """Return a folded text with a space in place of each link, as `reference.remove_links` does."""
    text = folded.encode("utf-8", "surrogatepass")
    link_free = without_digests(without_marked_links(text))
    if link_free is text:
        return folded
    return link_free.replace(REMOVED, b" ").decode("utf-8", "surrogatepass")


def without_marked_links(text: bytes) -> bytes:
    """Return folded texts with `REMOVED` in place of each link, except digests.

    Args:
        text: UTF-8; several texts may be joined by `SEPARATOR`.
    """
    places = {place for place in _positions(text, b"@") if _ADDRESS.match(text, place)}
    places.update([match.start() for match in _COLON.finditer(text)])
    places.update([match.start() for match in _UUID_END.finditer(text)])
    places.update(_positions(text, b"www."), _positions(text, b"10."))
    if not places:
        return text
    if len(places) > len(text) // _DENSE:
        return _LINK.sub(REMOVED, text)
    white = text.translate(_WHITE)
    parts = []
    done = 0
    for place in sorted(places):
        if place < done:
            continue
        start = max(white.rfind(b" ", done, place) + 1, done)
        end = white.find(b" ", place)
        end = len(white) if end < 0 else end
        parts += [text[done:start], _LINK.sub(REMOVED, text[start:end])]
        done = end
    return b"".join((*parts, text[done:]))


def without_digests(text: bytes) -> bytes:
    """Return a text without other links with a space in place of each digest (SD-LINK-8)."""
    return _DIGEST.sub(b" ", text)


def has_digest(word: bytes) -> bool:
    """Return True if a run of word characters may have a digest; the byte before the run decides."""
    return _DIGEST.search(word) is not None


def digests(text: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each digest in a run of word characters, in a text without other links (SD-LINK-8)."""
    return (match.span() for match in _DIGEST.finditer(text, start, end))


def _positions(text: bytes, mark: bytes) -> Iterator[int]:
    place = text.find(mark)
    while place >= 0:
        yield place
        place = text.find(mark, place + 1)
