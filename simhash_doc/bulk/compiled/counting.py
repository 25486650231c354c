"""Distinct tokens of a document with their counts: an open-addressing table.

A token's bytes stand once in an arena, and an entry holds where. Tokens are the same if
their bytes are, whatever their hashes (SD-CAP-1). Where the search in the table begins is a
keyed function of the hash, so that nobody can choose tokens that crowd together; and should
a search be long all the same (chosen tokens with one and the same XXH64), the document is
given up and counted another way.
"""

from __future__ import annotations

import secrets
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from simhash_doc.bulk.compiled.memory import byte_at, eight_at, put_byte, put_eight
from simhash_doc.bulk.compiled.xxh64 import xxh64
from simhash_doc.reference import OCCURRENCE_CAP

# State, in an array of int64.
ENTRIES = 0  # distinct tokens
ARENA = 1  # bytes of the arena in use
MASK = 2  # slots in use, less one
TOTAL = 3  # occurrences of tokens
CROWDED = 4  # 1 once a search was too long
TABLE_STATE_SIZE = 5
PROBE_LIMIT = 256
FIRST_SLOTS = 256
PADDING = 16  # bytes behind the last token of the arena, which a copy may touch

_SHIFT = np.uint64(32)
_ZERO = np.uint64(0)


class Table(NamedTuple):
    """Arrays of the table; an entry is one distinct token."""

    slots: npt.NDArray[np.uint32]  # entry + 1, or 0
    hashes: npt.NDArray[np.uint64]  # of an entry
    starts: npt.NDArray[np.int64]  # of an entry in the arena; the next one starts where it ends
    counts: npt.NDArray[np.uint8]  # of an entry, at most 8
    arena: npt.NDArray[np.uint8]
    state: npt.NDArray[np.int64]


def make_key() -> npt.NDArray[np.uint64]:
    """Return a random key: an offset and two odd factors."""
    key = np.frombuffer(secrets.token_bytes(24), np.uint64).copy()
    key[1:] |= np.uint64(1)
    return key


@njit(inline="always")
def _slot(token_hash, key):  # type: ignore[no-untyped-def]
    mixed = (token_hash ^ key[0]) * key[1]
    mixed ^= mixed >> _SHIFT
    return np.int64((mixed * key[2]) >> _SHIFT)


@njit
def clear(table):  # type: ignore[no-untyped-def]
    """Empty the table, the slots shrunk to the first size."""
    table.state[:] = 0
    table.state[MASK] = FIRST_SLOTS - 1
    table.slots[:FIRST_SLOTS] = 0


@njit
def rebuild(table, key):  # type: ignore[no-untyped-def]
    """Fill the slots anew from the entries."""
    mask = table.state[MASK]
    table.slots[: mask + 1] = 0
    for entry in range(table.state[ENTRIES]):
        place = _slot(table.hashes[entry], key) & mask
        while table.slots[place]:
            place = (place + 1) & mask
        table.slots[place] = entry + 1


@njit(inline="always")
def _same(text, start, arena, other, length):  # type: ignore[no-untyped-def]
    """Compare bytes; both arrays have padding behind them."""
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
def add(text, start, end, occurrences, table, key):  # type: ignore[no-untyped-def]
    """Count occurrences of the token text[start:end]; the caller has made room for an entry."""
    token_hash = xxh64(text, start, end, _ZERO)
    length = end - start
    slots, state = table.slots, table.state
    mask = state[MASK]
    place = _slot(token_hash, key) & mask
    state[TOTAL] += occurrences
    for _ in range(PROBE_LIMIT):
        found = np.int64(slots[place])
        if found == 0:
            entry = state[ENTRIES]
            slots[place] = entry + 1
            begin = state[ARENA]
            if length <= 8:
                put_eight(table.arena, begin, eight_at(text, start))
            else:
                for i in range(length):
                    put_byte(table.arena, begin + i, byte_at(text, start + i))
            table.hashes[entry] = token_hash
            table.counts[entry] = min(occurrences, OCCURRENCE_CAP)
            table.starts[entry] = begin
            table.starts[entry + 1] = begin + length
            state[ARENA] = begin + length
            state[ENTRIES] = entry + 1
            if 2 * (entry + 1) > mask:
                state[MASK] = 2 * mask + 1
                rebuild(table, key)
            return
        entry = found - 1
        if table.hashes[entry] == token_hash:
            begin = table.starts[entry]
            if table.starts[entry + 1] - begin == length and _same(text, start, table.arena, begin, length):
                table.counts[entry] = min(OCCURRENCE_CAP, table.counts[entry] + occurrences)
                return
        place = (place + 1) & mask
    state[CROWDED] = 1
