"""Distinct tokens of a document with their counts: an open-addressing table.

A token's bytes stand once in an arena, and an entry holds where. Tokens are the same if
their bytes are, whatever their hashes (SD-CAP-1).

Where the search in the table begins is a keyed function of the token's XXH64, so that nobody
can choose hashes that crowd together. What can be chosen are tokens with one and the same
XXH64. Once a search is long, the table begins its searches at a keyed hash of the bytes
instead, a polynomial with a secret argument: two tokens of n bytes that were chosen without
the key begin at the same place with a probability of n / 2^31 or less.

A table that no cache holds costs the time of the memory. So a search looks at nothing but
slots until one has the same tag: the bits of the place that are above the mask, which stand
above the number of the entry. And in a large table tokens wait in a queue, while the slots in
which their searches begin are on the way. In a small table the queue would cost more than it saves.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from simhash_doc.bulk.compiled.memory import (
    byte_at,
    eight_at,
    four_at,
    int64_item,
    prefetch_byte,
    prefetch_uint32,
    put_byte,
    put_eight,
    put_int64,
    put_uint32,
    put_uint64,
    uint32_item,
    uint64_item,
)
from simhash_doc.bulk.compiled.token_table import (
    ARENA,
    CAREFUL,
    ENTRIES,
    ENTRY_ROOM,
    FIRST_SLOTS,
    MASK,
    PRIME,
    PROBE_LIMIT,
    QUEUE,
    QUEUE_LENGTH,
    TOTAL,
    WAITING,
)
from simhash_doc.bulk.compiled.xxh64 import xxh64, xxh64_of_six
from simhash_doc.reference import OCCURRENCE_CAP

_SHIFT = np.uint64(32)
_ZERO = np.uint64(0)
_AHEAD = 32  # entries whose slots are on the way while the slots are filled anew


@njit
def _polynomial(text, start, end, argument):
    """Return bytes as the coefficients, three in each, of a polynomial modulo 2^31 - 1, and its value."""
    value = end - start
    for i in range(start, end, 3):
        three = np.int64(four_at(text, i)) & (0xFFFFFF >> 8 * max(0, i + 3 - end))
        value = (value + three) * argument % PRIME
    return value


@njit
def _first_place(text, start, end, token_hash, table):
    """Return a number of 32 bits: where the search for a token begins, before the mask, and its tag above that."""
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


@njit(inline="always")
def _place_of_entry(entry, table):
    start, end = uint32_item(table.starts, entry), uint32_item(table.starts, entry + 1)
    return _first_place(table.arena, start, end, uint64_item(table.hashes, entry), table)


@njit
def rebuild(table):
    """Fill the slots anew from the entries."""
    mask = int64_item(table.state, MASK)
    for place in range(mask + 1):
        put_uint32(table.slots, place, 0)
    entries = int64_item(table.state, ENTRIES)
    for entry in range(entries):
        if entry + _AHEAD < entries:
            prefetch_uint32(table.slots, _place_of_entry(entry + _AHEAD, table) & mask)
        place = _place_of_entry(entry, table)
        tag = place & ~mask
        place &= mask
        while uint32_item(table.slots, place):
            place = (place + 1) & mask
        put_uint32(table.slots, place, tag | entry + 1)


@njit(inline="always")
def _same(text, start, arena, other, length):
    """Tell whether bytes are the same; up to seven behind both are read."""
    while length > 8:
        if eight_at(text, start) != eight_at(arena, other):
            return False
        start += 8
        other += 8
        length -= 8
    # The last one to eight at once: a loop over them would end where no processor can foresee it.
    return (eight_at(text, start) ^ eight_at(arena, other)) << np.uint64(64 - 8 * length) == _ZERO


@njit(inline="always")
def _add(text, start, end, token_hash, occurrences, table):
    length = end - start
    state = table.state
    mask = int64_item(state, MASK)
    place = _first_place(text, start, end, token_hash, table)
    tag = place & ~mask
    place &= mask
    put_int64(state, TOTAL, int64_item(state, TOTAL) + occurrences)
    probes = 0
    while True:
        found = uint32_item(table.slots, place)
        if found == 0:
            break
        if found & ~mask == tag:
            entry = (found & mask) - 1
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
    put_uint32(table.slots, place, tag | entry + 1)
    crowded = probes > int64_item(state, PROBE_LIMIT) and not int64_item(state, CAREFUL)
    if crowded:
        put_int64(state, CAREFUL, 1)
    elif 2 * (entry + 1) > mask:
        put_int64(state, MASK, 2 * mask + 1)
    else:
        return
    rebuild(table)


@njit
def add(text, start, end, occurrences, table):
    """Count occurrences of the token text[start:end]; the caller has made room for an entry.

    Up to seven bytes behind the token are read; they do not matter.
    """
    _add(text, start, end, xxh64(text, start, end, _ZERO), occurrences, table)


@njit
def add_six(text, start, table):
    """Count one occurrence of a token of six bytes, as nearly all bigrams are."""
    _add(text, start, start + 6, xxh64_of_six(text, start), 1, table)


@njit
def add_six_later(text, start, table):
    """Count one occurrence of a token of six bytes as `add_later` does."""
    add_later(text, start, start + 6, 1, table)


@njit
def add_later(text, start, end, occurrences, table):
    """Count one occurrence as `add` does, now or when `add_waiting` is called, before which the text must stay."""
    state = table.state
    waiting = int64_item(state, WAITING)
    put_int64(state, QUEUE + 3 * waiting, start)
    put_int64(state, QUEUE + 3 * waiting + 1, end)
    put_int64(state, WAITING, waiting + 1)
    if waiting + 1 == QUEUE_LENGTH:
        add_waiting(text, table)


@njit
def add_waiting(text, table):
    """Count the tokens that wait."""
    state = table.state
    mask = int64_item(state, MASK)
    last = QUEUE + 3 * int64_item(state, WAITING)
    put_int64(state, WAITING, 0)
    for i in range(QUEUE, last, 3):
        start, end = int64_item(state, i), int64_item(state, i + 1)
        token_hash = xxh64(text, start, end, _ZERO)
        put_uint64(state, i + 2, token_hash)
        prefetch_uint32(table.slots, _first_place(text, start, end, token_hash, table) & mask)
    for i in range(QUEUE, last, 3):
        place = _first_place(text, int64_item(state, i), int64_item(state, i + 1), uint64_item(state, i + 2), table)
        found = uint32_item(table.slots, place & mask)
        if found and (found ^ place) & ~mask == 0:
            prefetch_uint32(table.starts, (found & mask) - 1)
            prefetch_byte(table.counts, (found & mask) - 1)
    # Here nothing relies on the mask and on where searches begin being those of above: the table may grow meanwhile.
    for i in range(QUEUE, last, 3):
        _add(text, int64_item(state, i), int64_item(state, i + 1), uint64_item(state, i + 2), 1, table)
