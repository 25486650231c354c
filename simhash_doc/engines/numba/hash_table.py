"""Distinct tokens of a document with their counts: a hash table with open addressing.

The bytes of a token are stored once, in an arena, and its entry has their position. Tokens are equal if their bytes
are, whatever their hashes (SD-CAP-1).

Untrusted text must not make the table slow. The slot in which the search for a token begins (its place) is a keyed
function of its XXH64, so that nobody can choose hashes that cluster. It is possible to choose tokens with the same
XXH64, though. After a long search, the table therefore changes to places that are a keyed hash of the bytes, a
polynomial with a secret argument: two tokens of n bytes that were chosen without the key have the same place with a
probability of n / 2^31 or less.

Tokens are queued, hashed, and then counted: a branch that the processor predicted wrongly in one of these loops does
not delay the others. Those that are probably in the table are counted before those that are probably new, so that the
branch between the two is predicted.

The speed of a table that is larger than the caches is that of the memory. So a search reads only slots until one has
the same tag: the bits of the place above the mask, which the slot has above the number of the entry. In a large table
the slots at the places of queued tokens are prefetched.
"""

from __future__ import annotations

import numpy as np

from simhash_doc.engines.numba.compiled import inlined, inner
from simhash_doc.engines.numba.hash_table_arrays import (
    AHEAD_FROM,
    ARENA,
    CAREFUL,
    ENTRIES,
    ENTRY_ROOM,
    FIRST_SLOTS,
    MASK,
    ORDER,
    PRIME,
    PROBE_LIMIT,
    QUEUE,
    QUEUE_ITEMS,
    QUEUE_LENGTH,
    QUEUED,
    TOTAL,
)
from simhash_doc.engines.numba.raw_memory import (
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
from simhash_doc.engines.numba.xxh64 import xxh64
from simhash_doc.reference import OCCURRENCE_CAP

_SHIFT = np.uint64(32)
_ZERO = np.uint64(0)
_AHEAD = 32  # entries whose slots are prefetched while the table is rebuilt


@inner
def _polynomial(text, start, end, argument):
    """Return the value of a polynomial modulo 2^31 - 1 whose coefficients are three bytes each."""
    value = end - start
    for i in range(start, end, 3):
        three = np.int64(four_at(text, i)) & (0xFFFFFF >> 8 * max(0, i + 3 - end))
        value = (value + three) * argument % PRIME
    return value


@inner
def _first_place(text, start, end, token_hash, table):
    """Return the place of a token in 32 bits: the slot is in the bits of the mask, the tag in those above."""
    key = table.key
    if int64_item(table.state, CAREFUL):
        return _polynomial(text, start, end, int64_item(key, 3))
    mixed = (token_hash ^ uint64_item(key, 0)) * uint64_item(key, 1)
    mixed ^= mixed >> _SHIFT
    return np.int64((mixed * uint64_item(key, 2)) >> _SHIFT)


@inner
def clear(table, expected):
    """Empty the table. It gets about as many slots as are expected, because doubling them places all tokens again."""
    for field in (ENTRIES, ARENA, TOTAL, CAREFUL):
        put_int64(table.state, field, 0)
    slots = FIRST_SLOTS
    while slots < expected and slots <= int64_item(table.state, ENTRY_ROOM):
        slots *= 2
    put_int64(table.state, MASK, slots - 1)
    put_uint32(table.starts, 0, 0)
    for place in range(slots):
        put_uint32(table.slots, place, 0)


@inlined
def _place_of_entry(entry, table):
    start, end = uint32_item(table.starts, entry), uint32_item(table.starts, entry + 1)
    return _first_place(table.arena, start, end, uint64_item(table.hashes, entry), table)


@inner
def rebuild(table):
    """Fill the slots from the entries."""
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


@inlined
def _same(text, start, arena, other, length):
    """Return True if bytes are equal. Up to seven bytes after both are read."""
    while length > 8:
        if eight_at(text, start) != eight_at(arena, other):
            return False
        start += 8
        other += 8
        length -= 8
    # The last one to eight at once: the processor could not predict the end of a loop over them.
    return (eight_at(text, start) ^ eight_at(arena, other)) << np.uint64(64 - 8 * length) == _ZERO


@inlined
def _add(text, start, end, token_hash, place, occurrences, table):
    """Count occurrences of a token, but not in the total."""
    length = end - start
    state = table.state
    mask = int64_item(state, MASK)
    tag = place & ~mask
    place &= mask
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


@inner
def add(text, start, end, occurrences, table):
    """Count occurrences of the token text[start:end]. The caller has reserved room for an entry.

    Up to seven bytes after the token are read, and ignored.
    """
    token_hash = xxh64(text, start, end, _ZERO)
    put_int64(table.state, TOTAL, int64_item(table.state, TOTAL) + occurrences)
    _add(text, start, end, token_hash, _first_place(text, start, end, token_hash, table), occurrences, table)


@inlined
def enqueue(text, start, end, table):
    """Queue one occurrence; it is counted by `count_queued` at the latest. The text must not change until then."""
    state = table.state
    queued = int64_item(state, QUEUED)
    put_int64(state, QUEUE + QUEUE_ITEMS * queued, start)
    put_int64(state, QUEUE + QUEUE_ITEMS * queued + 1, end)
    put_int64(state, QUEUED, queued + 1)
    if queued + 1 == QUEUE_LENGTH:
        count_queued(text, table)


@inner
def count_queued(text, table):
    """Count the queued tokens."""
    state = table.state
    queued = int64_item(state, QUEUED)
    put_int64(state, QUEUED, 0)
    put_int64(state, TOTAL, int64_item(state, TOTAL) + queued)
    for at in range(QUEUE, QUEUE + QUEUE_ITEMS * queued, QUEUE_ITEMS):
        start, end = int64_item(state, at), int64_item(state, at + 1)
        token_hash = xxh64(text, start, end, _ZERO)
        put_uint64(state, at + 2, token_hash)
        put_int64(state, at + 3, _first_place(text, start, end, token_hash, table))
    if int64_item(state, ENTRIES) >= int64_item(state, AHEAD_FROM):
        _prefetch_queued(queued, table)
    _order_queued(queued, table)
    careful = int64_item(state, CAREFUL)
    for i in range(ORDER, ORDER + queued):
        at = int64_item(state, i)
        start, end, token_hash = int64_item(state, at), int64_item(state, at + 1), uint64_item(state, at + 2)
        place = int64_item(state, at + 3)
        if int64_item(state, CAREFUL) != careful:  # since an earlier token of this loop
            place = _first_place(text, start, end, token_hash, table)
        _add(text, start, end, token_hash, place, 1, table)


@inlined
def _order_queued(queued, table):
    """Order the queued tokens: those whose slot is in use, which are probably known, come before the new ones."""
    state = table.state
    mask = int64_item(state, MASK)
    known, new = ORDER, ORDER + queued - 1
    for at in range(QUEUE, QUEUE + QUEUE_ITEMS * queued, QUEUE_ITEMS):
        in_use = uint32_item(table.slots, int64_item(state, at + 3) & mask) != 0
        put_int64(state, known, at)
        put_int64(state, new, at)
        known += in_use
        new -= not in_use


@inner
def _prefetch_queued(queued, table):
    """Request the slots of the queued tokens, and then the entries that are in them."""
    state = table.state
    mask = int64_item(state, MASK)
    for at in range(QUEUE + 3, QUEUE + 3 + QUEUE_ITEMS * queued, QUEUE_ITEMS):
        prefetch_uint32(table.slots, int64_item(state, at) & mask)
    for at in range(QUEUE + 3, QUEUE + 3 + QUEUE_ITEMS * queued, QUEUE_ITEMS):
        place = int64_item(state, at)
        found = uint32_item(table.slots, place & mask)
        if found and (found ^ place) & ~mask == 0:
            prefetch_uint32(table.starts, (found & mask) - 1)
            prefetch_byte(table.counts, (found & mask) - 1)
