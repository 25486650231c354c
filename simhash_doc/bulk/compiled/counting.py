"""Distinct tokens of a document with their counts: an open-addressing table.

A token's bytes stand once in an arena, and an entry holds where. Tokens are the same if
their bytes are, whatever their hashes (SD-CAP-1). Where the search in the table begins is a
keyed function of the hash, so that nobody can choose tokens that crowd together; and should
a search be long all the same (chosen tokens with one and the same XXH64), the document is
given up and counted another way.
"""

from __future__ import annotations

import secrets
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from numba import njit

from simhash_doc.bulk.compiled.memory import (
    address,
    byte_at,
    eight_at,
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
CROWDED = 4  # 1 once a search was too long
ENTRY_ROOM = 5  # distinct tokens that the arrays have room for
ARENA_ROOM = 6  # bytes that the arena has room for
TABLE_STATE_SIZE = 7
PROBE_LIMIT = 256
FIRST_SLOTS = 256
PADDING = 16  # bytes behind the last token of the arena, which a copy may touch

Item = TypeVar("Item", np.uint8, np.uint32, np.int64, np.uint64)
_SHIFT = np.uint64(32)
_ZERO = np.uint64(0)


class Addresses(NamedTuple):
    """Where the arrays of a table are; an entry is one distinct token."""

    slots: int  # uint32: entry + 1, or 0
    hashes: int  # uint64, of an entry
    starts: int  # int64, of an entry in the arena; the next one starts where it ends
    counts: int  # bytes: of an entry, at most 8
    arena: int
    state: int
    key: int  # uint64: an offset and two odd factors


class Table:
    """An empty table with room for so many distinct tokens of so many bytes in all."""

    def __init__(self, entries: int, arena: int) -> None:
        self.state = np.zeros(TABLE_STATE_SIZE, np.int64)
        self.key = np.frombuffer(secrets.token_bytes(24), np.uint64) | np.array([0, 1, 1], np.uint64)
        self.slots = np.zeros(0, np.uint32)
        self.hashes = np.zeros(0, np.uint64)
        self.starts = np.zeros(0, np.int64)
        self.counts = np.zeros(0, np.uint8)
        self.arena = np.zeros(0, np.uint8)
        self.state[MASK] = FIRST_SLOTS - 1
        self.reserve(entries, arena)

    def reserve(self, entries: int, arena: int) -> None:
        """Make room, keeping what is counted."""
        self.slots = _grown(self.slots, 1 << (2 * entries + 2).bit_length())
        self.hashes = _grown(self.hashes, entries + 1)
        self.starts = _grown(self.starts, entries + 2)
        self.counts = _grown(self.counts, entries + 1)
        self.arena = _grown(self.arena, arena + PADDING)
        self.state[ENTRY_ROOM], self.state[ARENA_ROOM] = entries, arena
        arrays = (self.slots, self.hashes, self.starts, self.counts, self.arena, self.state, self.key)
        self.addresses = Addresses(*map(address, arrays))


def _grown(array: npt.NDArray[Item], size: int) -> npt.NDArray[Item]:
    grown = np.zeros(size, array.dtype)
    grown[: len(array)] = array
    return grown


@njit(inline="always")
def _slot(token_hash, key):  # type: ignore[no-untyped-def]
    mixed = (token_hash ^ uint64_item(key, 0)) * uint64_item(key, 1)
    mixed ^= mixed >> _SHIFT
    return np.int64((mixed * uint64_item(key, 2)) >> _SHIFT)


@njit
def clear(table):  # type: ignore[no-untyped-def]
    """Empty the table, the slots shrunk to the first size."""
    for field in (ENTRIES, ARENA, TOTAL, CROWDED):
        put_int64(table.state, field, 0)
    put_int64(table.state, MASK, FIRST_SLOTS - 1)
    for place in range(FIRST_SLOTS):
        put_uint32(table.slots, place, 0)


@njit
def rebuild(table):  # type: ignore[no-untyped-def]
    """Fill the slots anew from the entries."""
    mask = int64_item(table.state, MASK)
    for place in range(mask + 1):
        put_uint32(table.slots, place, 0)
    for entry in range(int64_item(table.state, ENTRIES)):
        place = _slot(uint64_item(table.hashes, entry), table.key) & mask
        while uint32_item(table.slots, place):
            place = (place + 1) & mask
        put_uint32(table.slots, place, entry + 1)


@njit(inline="always")
def _same(text, start, arena, other, length):  # type: ignore[no-untyped-def]
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
def add(text, start, end, occurrences, table):  # type: ignore[no-untyped-def]
    """Count occurrences of the token text[start:end]; the caller has made room for an entry."""
    token_hash = xxh64(text, start, end, _ZERO)
    length = end - start
    state = table.state
    mask = int64_item(state, MASK)
    place = _slot(token_hash, table.key) & mask
    put_int64(state, TOTAL, int64_item(state, TOTAL) + occurrences)
    for _ in range(PROBE_LIMIT):
        found = uint32_item(table.slots, place)
        if found == 0:
            entry = int64_item(state, ENTRIES)
            put_uint32(table.slots, place, entry + 1)
            begin = int64_item(state, ARENA)
            for i in range(0, length, 8):  # up to 7 bytes more: both have padding
                put_eight(table.arena, begin + i, eight_at(text, start + i))
            put_uint64(table.hashes, entry, token_hash)
            put_byte(table.counts, entry, min(occurrences, OCCURRENCE_CAP))
            put_int64(table.starts, entry, begin)
            put_int64(table.starts, entry + 1, begin + length)
            put_int64(state, ARENA, begin + length)
            put_int64(state, ENTRIES, entry + 1)
            if 2 * (entry + 1) > mask:
                put_int64(state, MASK, 2 * mask + 1)
                rebuild(table)
            return
        entry = found - 1
        if uint64_item(table.hashes, entry) == token_hash:
            begin = int64_item(table.starts, entry)
            other_length = int64_item(table.starts, entry + 1) - begin
            if other_length == length and _same(text, start, table.arena, begin, length):
                count = byte_at(table.counts, entry)
                put_byte(table.counts, entry, min(OCCURRENCE_CAP, count + occurrences))
                return
        place = (place + 1) & mask
    put_int64(state, CROWDED, 1)
