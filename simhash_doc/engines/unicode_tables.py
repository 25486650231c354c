"""The Unicode tables as arrays over all code points, for the engines `numpy` and `numba`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simhash_doc.unicode_data import (
    CODE_POINTS,
    REPLACEMENT,
    combining_class,
    connectors,
    fold_map,
    members,
    normalize,
)

# Classes of a character of folded text.
WORD, CONTINUA, CONNECTOR, ALPHABETIC = 1, 2, 4, 8

# The action of folding on a character of the input.
KEEP = 0  # it stays, and does not change the text before it
COPY = 1  # it is replaced by characters that are all of the kind KEEP
DROP = 2  # it is removed
MARK = 3  # it stays; it is a non-starter that does not compose
SECOND = 4  # it stays, unless it composes with a starter before it
NORMALIZE = 5  # it is, or is replaced by, characters that may be reordered or composed with their neighbours

PAIRS = 1 << 16  # slots for the 12,113 pairs that compose

_HANGUL = range(0xAC00, 0xAC00 + 11172)
_MEDIAL_AND_FINAL_JAMO = (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))


CodePoints = npt.NDArray[np.uint32]


class UnicodeTables(NamedTuple):
    """Arrays indexed by code point, and the pools that they refer to."""

    classes: npt.NDArray[np.uint8]  # of a character of folded text: bits such as WORD
    actions: npt.NDArray[np.uint8]  # of a character of the input: a kind such as KEEP
    ccc: npt.NDArray[np.uint8]  # Canonical_Combining_Class
    records: npt.NDArray[np.uint32]  # index into copy_starts (COPY) or nfd_starts (all others)
    copy_starts: npt.NDArray[np.uint32]  # COPY: record r is copied[copy_starts[r] : copy_starts[r + 1]]
    copied: npt.NDArray[np.uint8]  # UTF-8
    nfd_starts: npt.NDArray[np.uint32]  # NFD of the mapping; record 0 stands for the character itself
    nfd: npt.NDArray[np.uint32]  # code points
    pairs: npt.NDArray[np.uint64]  # open addressing: first << 21 | second, all ones where empty
    composites: npt.NDArray[np.uint32]  # of each pair


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
    # By halves, because NFD of a million single characters takes half a second.
    decomposed = normalize("NFD", characters)
    if decomposed == characters:
        return
    if len(characters) == 1:
        yield ord(characters), decomposed
        return
    half = len(characters) // 2
    yield from _decomposable_of(characters[:half])
    yield from _decomposable_of(characters[half:])


def to_code_points(text: str) -> CodePoints:
    """Return the code points of a text, shape (len(text),)."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


@cache
def tables() -> UnicodeTables:
    """Return the tables, computed at the first call (about a tenth of a second)."""
    ccc = _combining_classes()
    decompositions = dict(_decomposable())
    composing = _composing(decompositions)
    actions = np.full(CODE_POINTS, KEEP, np.uint8)
    actions[ccc > 0] = MARK
    actions[list({second for _, second in composing} | set(_MEDIAL_AND_FINAL_JAMO))] = SECOND
    records = np.zeros(CODE_POINTS, np.uint32)
    nfd = [""]
    copies = [REPLACEMENT]
    _add_decompositions(decompositions, actions, records, nfd)
    _add_mappings(actions, records, nfd, copies)
    return UnicodeTables(
        _classes(),
        actions,
        ccc,
        records,
        _starts([len(sequence.encode()) for sequence in copies]),
        np.frombuffer("".join(copies).encode(), np.uint8),
        _starts([len(sequence) for sequence in nfd]),
        to_code_points("".join(nfd)),
        *_hash_table(composing),
    )


def _starts(lengths: list[int]) -> npt.NDArray[np.uint32]:
    """Return where each of the sequences of a pool starts, and the end of the last."""
    return np.cumsum([0, *lengths]).astype(np.uint32)


def _classes() -> npt.NDArray[np.uint8]:
    word, continua, alphabetic = (_set(members(name)) for name in ("word", "continua", "alphabetic"))
    classes = (word * WORD | continua * CONTINUA | alphabetic * ALPHABETIC).astype(np.uint8)
    for connector in map(ord, connectors()):
        classes[connector] |= CONNECTOR
        assert not classes[connector] & CONTINUA
    return classes


def _combining_classes() -> npt.NDArray[np.uint8]:
    ccc = np.zeros(CODE_POINTS, np.uint8)
    for nonstarter in np.flatnonzero(_set(members("nonstarter"))).tolist():
        ccc[nonstarter] = combining_class(chr(nonstarter))
    return ccc


def _composing(decompositions: dict[int, str]) -> dict[tuple[int, int], int]:
    """Return the composite of each pair of characters that compose."""
    composing: dict[tuple[int, int], int] = {}
    for character, decomposed in decompositions.items():
        # Composites are what NFC does not decompose; its last step adds the last character to all others.
        if normalize("NFC", decomposed) == chr(character):
            first = normalize("NFC", decomposed[:-1])
            assert len(first) == 1
            composing[ord(first), ord(decomposed[-1])] = character
    return composing


def _add_decompositions(
    decompositions: dict[int, str], actions: npt.NDArray[np.uint8], records: npt.NDArray[np.uint32], nfd: list[str]
) -> None:
    for character, decomposed in decompositions.items():
        records[character] = len(nfd)
        nfd.append(decomposed)
        if normalize("NFC", chr(character)) != chr(character) or actions[ord(decomposed[0])] != KEEP:
            actions[character] = NORMALIZE


def _add_mappings(
    actions: npt.NDArray[np.uint8], records: npt.NDArray[np.uint32], nfd: list[str], copies: list[str]
) -> None:
    """Set the action of each character that folding replaces or removes (SD-FOLD-1, SD-FOLD-2)."""
    keep = actions == KEEP
    unassigned = ~_set(members("assigned"))
    actions[unassigned], records[unassigned] = COPY, 0
    mapped = {character: target for character, target in fold_map().items() if target != chr(character)}
    for character, target in mapped.items():
        assert not any(ord(part) in mapped for part in target)  # folding is idempotent
        if not target:
            actions[character] = DROP
        elif all(keep[ord(part)] for part in target):
            actions[character] = COPY
            records[character] = len(copies)
            copies.append(target)
        else:
            actions[character] = NORMALIZE
            records[character] = len(nfd)
            nfd.append("".join(normalize("NFD", part) for part in target))  # not reordered across parts (SD-FOLD-3)


def _hash_table(composing: dict[tuple[int, int], int]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]:
    """Return the pairs that compose, as a hash table with open addressing, and their composites."""
    pairs = np.full(PAIRS, ~np.uint64(0), np.uint64)
    composites = np.zeros(PAIRS, np.uint32)
    for (first, second), composite in composing.items():
        key = first << 21 | second
        place = (key * 0x9E3779B97F4A7C15 & (1 << 64) - 1) >> 40 & PAIRS - 1  # as the compiled loops compute it
        while pairs[place] != ~np.uint64(0):
            place = (place + 1) & PAIRS - 1
        pairs[place], composites[place] = key, composite
    return pairs, composites
