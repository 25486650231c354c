"""Distinct tokens of a document with their counts: an open-addressing table.

A token's bytes stand once in an arena, and an entry holds where. Tokens are the same if
their bytes are, whatever their hashes (SD-CAP-1).

Where the search in the table begins is a keyed function of the token's XXH64, so that nobody
can choose hashes that crowd together. What can be chosen are tokens with one and the same
XXH64. Once a search is long, the table begins its searches at a keyed hash of the bytes
instead, a polynomial with a secret argument: two tokens of n bytes that were chosen without
the key begin at the same place with a probability of n / 2^31 or less.
"""

from __future__ import annotations

import secrets
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from numba import njit

from simhash_doc.bulk.compiled.memory import (
    address,
    byte_at,
    eight_at,
    four_at,
    int64_item,
    put_byte,
    put_eight,
    put_int64,
    put_uint32,
    put_uint64,
    uint32_item,
    uint64_item,
)
from simhash_doc.bulk.compiled.xxh64 import xxh64
from simhash_doc.reference import OCCURRENCE_CAP

# State, in an array of int64.
ENTRIES = 0  # distinct tokens
ARENA = 1  # bytes of the arena in use
MASK = 2  # slots in use, less one
TOTAL = 3  # occurrences of tokens
CAREFUL = 4  # 1 once searches begin at a hash of the bytes
PROBE_LIMIT = 5  # steps of a search that are taken for long
ENTRY_ROOM = 6  # distinct tokens that the arrays have room for
ARENA_ROOM = 7  # bytes that the arena has room for
TABLE_STATE_SIZE = 8
FIRST_SLOTS = 256
PADDING = 16  # bytes behind the last token of the arena, which a copy may touch

Item = TypeVar("Item", np.uint8, np.uint32, np.int64, np.uint64)
_SHIFT = np.uint64(32)
_ZERO = np.uint64(0)
_PRIME = 2**31 - 1
_LARGEST_ARENA = 2**32 - 2 * PADDING


class Addresses(NamedTuple):
    """Where the arrays of a table are; an entry is one distinct token."""

    slots: int  # uint32: entry + 1, or 0
    hashes: int  # uint64, of an entry
    starts: int  # uint32, of an entry in the arena; the next one starts where it ends
    counts: int  # bytes: of an entry, at most 8
    arena: int
    state: int
    key: int  # uint64: an offset, two odd factors, the argument of the polynomial


class Table:
    """An empty table with room for so many distinct tokens of so many bytes in all."""

    def __init__(self, entries: int, arena: int) -> None:
        self.state = np.zeros(TABLE_STATE_SIZE, np.int64)
        random = [secrets.randbits(64), secrets.randbits(64) | 1, secrets.randbits(64) | 1, secrets.randbelow(_PRIME)]
        self.key = np.array(random, np.uint64)
        self.slots = np.zeros(0, np.uint32)
        self.hashes = np.zeros(0, np.uint64)
        self.starts = np.zeros(0, np.uint32)
        self.counts = np.zeros(0, np.uint8)
        self.arena = np.zeros(0, np.uint8)
        self.state[MASK], self.state[PROBE_LIMIT] = FIRST_SLOTS - 1, 256
        self._reserve(entries, arena)

    def grow(self, size: int) -> None:
        """Make room for the tokens of `size` bytes of text: twice the room of what is too small.

        Raises:
            MemoryError: the distinct tokens take more than 4 GiB.
        """
        entries, arena = int(self.state[ENTRIES]) + size // 2 + 1, int(self.state[ARENA]) + 3 * size
        entry_room, arena_room = int(self.state[ENTRY_ROOM]), int(self.state[ARENA_ROOM])
        if arena > _LARGEST_ARENA:
            raise MemoryError("the distinct tokens of one text take more than 4 GiB")
        self._reserve(
            max(entries, 2 * entry_room) if entries > entry_room else entry_room,
            max(arena, min(2 * arena_room, _LARGEST_ARENA)) if arena > arena_room else arena_room,
        )

    def _reserve(self, entries: int, arena: int) -> None:
        count, slots = int(self.state[ENTRIES]), max(FIRST_SLOTS, 1 << (2 * entries + 2).bit_length())
        self.slots = _grown(self.slots, slots, int(self.state[MASK]) + 1)
        self.hashes = _grown(self.hashes, entries + 1, count)
        self.starts = _grown(self.starts, entries + 2, count + 1)
        self.counts = _grown(self.counts, entries + 1, count)
        self.arena = _grown(self.arena, arena + PADDING, int(self.state[ARENA]))
        self.state[ENTRY_ROOM], self.state[ARENA_ROOM] = entries, arena
        self._find()

    def _find(self) -> None:
        arrays: tuple[npt.NDArray[Any], ...] = (
            self.slots,
            self.hashes,
            self.starts,
            self.counts,
            self.arena,
            self.state,
            self.key,
        )
        self.addresses = tuple(address(array) for array in arrays)  # in the order of `Addresses`

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "addresses"}

    def __setstate__(self, state: dict[str, npt.NDArray[np.uint8]]) -> None:
        self.__dict__.update(state)
        self._find()


def _grown(array: npt.NDArray[Item], size: int, used: int) -> npt.NDArray[Item]:
    """Return an array of this size with the items in use; memory that is not touched costs nothing."""
    if len(array) == size:
        return array
    grown = np.zeros(size, array.dtype)
    used = min(used, len(array))
    grown[:used] = array[:used]
    return grown


@njit
def _polynomial(text, start, end, argument):
    """Return bytes as the coefficients, three in each, of a polynomial modulo 2^31 - 1, and its value."""
    value = end - start
    for i in range(start, end, 3):
        three = np.int64(four_at(text, i)) & (0xFFFFFF >> 8 * max(0, i + 3 - end))
        value = (value + three) * argument % _PRIME
    return value


@njit
def _first_place(text, start, end, token_hash, table):
    """Return where the search for a token begins, before the mask."""
    key = table.key
    if int64_item(table.state, CAREFUL):
        return _polynomial(text, start, end, int64_item(key, 3))
    mixed = (token_hash ^ uint64_item(key, 0)) * uint64_item(key, 1)
    mixed ^= mixed >> _SHIFT
    return np.int64((mixed * uint64_item(key, 2)) >> _SHIFT)


@njit
def clear(table, expected):
    """Empty the table, with about as many slots as expected: each time they double, all tokens are placed anew."""
    for field in (ENTRIES, ARENA, TOTAL, CAREFUL):
        put_int64(table.state, field, 0)
    slots = FIRST_SLOTS
    while slots < expected and slots <= int64_item(table.state, ENTRY_ROOM):
        slots *= 2
    put_int64(table.state, MASK, slots - 1)
    put_uint32(table.starts, 0, 0)
    for place in range(slots):
        put_uint32(table.slots, place, 0)


@njit
def rebuild(table):
    """Fill the slots anew from the entries."""
    mask = int64_item(table.state, MASK)
    for place in range(mask + 1):
        put_uint32(table.slots, place, 0)
    for entry in range(int64_item(table.state, ENTRIES)):
        start, end = uint32_item(table.starts, entry), uint32_item(table.starts, entry + 1)
        place = _first_place(table.arena, start, end, uint64_item(table.hashes, entry), table) & mask
        while uint32_item(table.slots, place):
            place = (place + 1) & mask
        put_uint32(table.slots, place, entry + 1)


@njit(inline="always")
def _same(text, start, arena, other, length):
    while length >= 8:
        if eight_at(text, start) != eight_at(arena, other):
            return False
        start += 8
        other += 8
        length -= 8
    for i in range(length):
        if byte_at(text, start + i) != byte_at(arena, other + i):
            return False
    return True


@njit
def add(text, start, end, occurrences, table):
    """Count occurrences of the token text[start:end]; the caller has made room for an entry.

    Up to seven bytes behind the token are read; they do not matter.
    """
    token_hash = xxh64(text, start, end, _ZERO)
    length = end - start
    state = table.state
    mask = int64_item(state, MASK)
    place = _first_place(text, start, end, token_hash, table) & mask
    put_int64(state, TOTAL, int64_item(state, TOTAL) + occurrences)
    probes = 0
    while True:
        found = uint32_item(table.slots, place)
        if found == 0:
            break
        entry = found - 1
        if uint64_item(table.hashes, entry) == token_hash:
            begin = uint32_item(table.starts, entry)
            other_length = uint32_item(table.starts, entry + 1) - begin
            if other_length == length and _same(text, start, table.arena, begin, length):
                put_byte(table.counts, entry, min(OCCURRENCE_CAP, byte_at(table.counts, entry) + occurrences))
                return
        place = (place + 1) & mask
        probes += 1
    entry = int64_item(state, ENTRIES)
    begin = int64_item(state, ARENA)
    for i in range(0, length, 8):
        put_eight(table.arena, begin + i, eight_at(text, start + i))
    put_uint64(table.hashes, entry, token_hash)
    put_byte(table.counts, entry, min(occurrences, OCCURRENCE_CAP))
    put_uint32(table.starts, entry, begin)
    put_uint32(table.starts, entry + 1, begin + length)
    put_int64(state, ARENA, begin + length)
    put_int64(state, ENTRIES, entry + 1)
    put_uint32(table.slots, place, entry + 1)
    crowded = probes > int64_item(state, PROBE_LIMIT) and not int64_item(state, CAREFUL)
    if crowded:
        put_int64(state, CAREFUL, 1)
    elif 2 * (entry + 1) > mask:
        put_int64(state, MASK, 2 * mask + 1)
    else:
        return
    rebuild(table)
