"""The pinned data as arrays over all code points, for both engines."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simhash_doc.pinned import CODE_POINTS, REPLACEMENT, combining_class, connectors, fold_map, members, normalize

# What a character of a folded text is.
WORD, CONTINUA, CONNECTOR, ALPHABETIC = 1, 2, 4, 8

# What folding does with a character of the input.
KEEP = 0  # it stays, and nothing before it changes because of it
COPY = 1  # it becomes characters that are all of the kind KEEP
DROP = 2  # it becomes nothing
MARK = 3  # it stays, and is a non-starter that composes with nothing
SECOND = 4  # it stays, unless it composes with a starter before it
NORMALIZE = 5  # it becomes, or is, something that may be reordered or composed with its neighbours

PAIRS = 1 << 16  # places for the 12,113 pairs that compose

_HANGUL = range(0xAC00, 0xAC00 + 11172)
_MEDIAL_AND_FINAL_JAMO = (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))


class Tables(NamedTuple):
    """Arrays indexed by code point, and pools that they point into."""

    classes: npt.NDArray[np.uint8]  # of a character of folded text: WORD and the other bits
    actions: npt.NDArray[np.uint8]  # of a character of the input: KEEP and the other kinds
    ccc: npt.NDArray[np.uint8]  # Canonical_Combining_Class
    records: npt.NDArray[np.uint32]  # index into copy_starts (COPY) or nfd_starts (all others)
    copy_starts: npt.NDArray[np.uint32]  # COPY: record r is copied[copy_starts[r] : copy_starts[r + 1]]
    copied: npt.NDArray[np.uint8]  # UTF-8
    nfd_starts: npt.NDArray[np.uint32]  # NFD of what the character maps to; record 0 stands for "itself"
    nfd: npt.NDArray[np.uint32]  # code points
    pairs: npt.NDArray[np.uint64]  # open addressing: first << 21 | second, all ones where empty
    composites: npt.NDArray[np.uint32]  # what they compose to


def _set(table: bytes) -> npt.NDArray[np.bool_]:
    return np.frombuffer(table, np.uint8).astype(bool)


def _decomposable() -> Iterator[tuple[int, str]]:
    """Yield the assigned characters that have a canonical decomposition, with their NFD."""
    assigned = _set(members("assigned"))
    assigned[_HANGUL.start : _HANGUL.stop] = False
    yield from _decomposable_of(np.flatnonzero(assigned).astype("<u4").tobytes().decode("utf-32-le", "surrogatepass"))
    for syllable in _HANGUL:
        yield syllable, normalize("NFD", chr(syllable))


def _decomposable_of(characters: str) -> Iterator[tuple[int, str]]:
    # Halved until nothing changes: NFD of a million characters one by one takes half a second.
    decomposed = normalize("NFD", characters)
    if decomposed == characters:
        return
    if len(characters) == 1:
        yield ord(characters), decomposed
        return
    half = len(characters) // 2
    yield from _decomposable_of(characters[:half])
    yield from _decomposable_of(characters[half:])


class _Pool:
    """Sequences laid end to end."""

    def __init__(self) -> None:
        self.starts = [0]
        self.items: list[int] = []
        self._known: dict[tuple[int, ...], int] = {}

    def add(self, sequence: tuple[int, ...]) -> int:
        """Return the record number of a sequence."""
        if sequence not in self._known:
            self._known[sequence] = len(self.starts) - 1
            self.items += sequence
            self.starts.append(len(self.items))
        return self._known[sequence]


def mix_pair(key: int) -> int:
    """Return where the search for a pair begins, before the mask."""
    return (key * 0x9E3779B97F4A7C15 & (1 << 64) - 1) >> 40


@cache
def tables() -> Tables:
    """Return the tables, made when they are first asked for (about a tenth of a second)."""
    word, continua, alphabetic = (_set(members(name)) for name in ("word", "continua", "alphabetic"))
    classes = (word * WORD | continua * CONTINUA | alphabetic * ALPHABETIC).astype(np.uint8)
    for connector in map(ord, connectors()):
        classes[connector] |= CONNECTOR
        assert not classes[connector] & CONTINUA

    ccc = np.zeros(CODE_POINTS, np.uint8)
    for nonstarter in np.flatnonzero(_set(members("nonstarter"))).tolist():
        ccc[nonstarter] = combining_class(chr(nonstarter))

    decompositions = dict(_decomposable())
    composing: dict[tuple[int, int], int] = {}
    for character, decomposed in decompositions.items():
        # Composites are what NFC leaves whole; the last step composes all but the last character with it.
        if normalize("NFC", decomposed) == chr(character):
            first = normalize("NFC", decomposed[:-1])
            assert len(first) == 1
            composing[ord(first), ord(decomposed[-1])] = character
    seconds = {second for _, second in composing} | set(_MEDIAL_AND_FINAL_JAMO)

    actions = np.full(CODE_POINTS, KEEP, np.uint8)
    actions[ccc > 0] = MARK
    actions[list(seconds)] = SECOND
    records = np.zeros(CODE_POINTS, np.uint32)
    nfd, copies = _Pool(), _Pool()
    nfd.add(())
    for character, decomposed in decompositions.items():
        records[character] = nfd.add(tuple(map(ord, decomposed)))
        if normalize("NFC", chr(character)) != chr(character) or actions[ord(decomposed[0])] != KEEP:
            actions[character] = NORMALIZE

    keep = actions == KEEP
    unassigned = ~_set(members("assigned"))
    actions[unassigned] = COPY
    records[unassigned] = copies.add(tuple(REPLACEMENT.encode()))
    mapped = {character: target for character, target in fold_map().items() if target != chr(character)}
    for character, target in mapped.items():
        assert not any(ord(part) in mapped for part in target)  # what is folded stays as it is
        if not target:
            actions[character] = DROP
        elif all(keep[ord(part)] for part in target):
            actions[character] = COPY
            records[character] = copies.add(tuple(target.encode()))
        else:
            actions[character] = NORMALIZE
            records[character] = nfd.add(tuple(map(ord, normalize_each(target))))

    pairs = np.full(PAIRS, ~np.uint64(0), np.uint64)
    composites = np.zeros(PAIRS, np.uint32)
    for (first_part, second_part), composite in composing.items():
        key = first_part << 21 | second_part
        place = mix_pair(key) & PAIRS - 1
        while pairs[place] != ~np.uint64(0):
            place = (place + 1) & PAIRS - 1
        pairs[place], composites[place] = key, composite
    return Tables(
        classes,
        actions,
        ccc,
        records,
        np.array(copies.starts, np.uint32),
        np.array(copies.items, np.uint8),
        np.array(nfd.starts, np.uint32),
        np.array(nfd.items, np.uint32),
        pairs,
        composites,
    )


def normalize_each(text: str) -> str:
    """Return NFD of each character, not reordered across characters (SD-FOLD-3)."""
    return "".join(normalize("NFD", character) for character in text)
