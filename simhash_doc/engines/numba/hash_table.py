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
the same tag: the bits of the place above the mask, which the slot has above the number of the entry.

The exact sums per bit (SD-SUM-1), and their signs (SD-SIGN-1), are computed over the distinct tokens.
"""

from __future__ import annotations

import secrets
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.bit_sums import P1, P2, P3, P4, P5
from simhash_doc.engines.numba.intrinsics import (
    address,
    byte_at,
    eight_at,
    either,
    four_at,
    inlined,
    inner,
    int64_item,
    put_byte,
    put_eight,
    put_int64,
    put_uint32,
    put_uint64,
    uint32_item,
    uint64_item,
)
from simhash_doc.reference import OCCURRENCE_CAP

# State, in an array of int64.
ENTRIES = 0  # distinct tokens
ARENA = 1  # bytes of the arena in use
MASK = 2  # slots in use, less one
TOTAL = 3  # occurrences of tokens
CAREFUL = 4  # 1 once places are hashes of the bytes
PROBE_LIMIT = 5  # steps after which a search counts as long
ENTRY_ROOM = 6  # distinct tokens that the arrays have room for
ARENA_ROOM = 7  # bytes that the arena has room for
QUEUED = 8  # queued tokens
QUEUE = 9  # of each queued token: start and end in the text, hash, place
QUEUE_ITEMS = 4
QUEUE_LENGTH = 64
ORDER = QUEUE + QUEUE_ITEMS * QUEUE_LENGTH  # the queued tokens in the order in which they are counted
TABLE_STATE_SIZE = ORDER + QUEUE_LENGTH
FIRST_SLOTS = 256
PADDING = 16  # bytes after the last token of the arena, which a copy may overwrite

Item = TypeVar("Item", np.uint8, np.uint32, np.int64, np.uint64)
PRIME = 2**31 - 1
_LARGEST_ARENA = 2**32 - 2 * PADDING


class Addresses(NamedTuple):
    """The addresses of the arrays of a table. An entry is one distinct token."""

    slots: int  # uint32: 0, or entry + 1 in the bits of the mask, and the tag in those above
    hashes: int  # uint64, of an entry
    starts: int  # uint32, of an entry in the arena; it ends at the start of the next one
    counts: int  # uint8, of an entry, at most 8
    arena: int  # uint8: the bytes of the tokens
    state: int
    key: int  # uint64: an offset, two odd factors, the argument of the polynomial


class Table:
    """A hash table, empty at first.

    Args:
        entries: number of distinct tokens to reserve room for.
        arena: bytes of distinct tokens to reserve room for.
    """

    def __init__(self, entries: int, arena: int) -> None:
        self.state = np.zeros(TABLE_STATE_SIZE, np.int64)
        random = [secrets.randbits(64), secrets.randbits(64) | 1, secrets.randbits(64) | 1, secrets.randbelow(PRIME)]
        self.key = np.array(random, np.uint64)
        self.slots = np.zeros(0, np.uint32)
        self.hashes = np.zeros(0, np.uint64)
        self.starts = np.zeros(0, np.uint32)
        self.counts = np.zeros(0, np.uint8)
        self.arena = np.zeros(0, np.uint8)
        self.state[MASK], self.state[PROBE_LIMIT] = FIRST_SLOTS - 1, 256
        self._reserve(entries, arena)

    def grow(self, size: int) -> None:
        """Reserve room for the tokens of `size` more bytes of text; an array that is too small is doubled.

        Raises:
            MemoryError: the distinct tokens would take more than 4 GiB.
        """
        entries, arena = int(self.state[ENTRIES]) + size // 2 + 1, int(self.state[ARENA]) + 3 * size
        entry_room, arena_room = int(self.state[ENTRY_ROOM]), int(self.state[ARENA_ROOM])
        if arena > _LARGEST_ARENA:
            raise MemoryError(
                "the distinct tokens of one text take more than 4 GiB; the limit of the engine numba is 4 GiB"
            )
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

    @property
    def addresses(self) -> tuple[int, ...]:
        """The addresses of the arrays in the order of `Addresses`, valid until `grow`."""
        arrays: tuple[npt.NDArray[Any], ...] = (
            self.slots,
            self.hashes,
            self.starts,
            self.counts,
            self.arena,
            self.state,
            self.key,
        )
        return tuple(address(array) for array in arrays)


def _grown(array: npt.NDArray[Item], size: int, used: int) -> npt.NDArray[Item]:
    """Return an array of this size with the items in use. Untouched memory costs nothing."""
    if len(array) == size:
        return array
    grown = np.zeros(size, array.dtype)
    used = min(used, len(array))
    grown[:used] = array[:used]
    return grown


_BITS = np.uint64(64)
_BYTE = np.uint64(255)
_1, _2, _3, _4, _8, _16 = (np.uint64(n) for n in (1, 2, 3, 4, 8, 16))
_R1, _R7, _R11, _R12, _R18, _R23, _R27, _R31 = (np.uint64(n) for n in (1, 7, 11, 12, 18, 23, 27, 31))
_S29, _S32, _S33 = np.uint64(29), np.uint64(32), np.uint64(33)


@inlined
def _rotl(x, r):
    return (x << r) | (x >> (_BITS - r))


@inlined
def _round(acc, value):
    return _rotl(acc + value * P2, _R31) * P1


@inlined
def _merge(acc, value):
    return (acc ^ _round(np.uint64(0), value)) * P1 + P4


@inlined
def _tail_byte(acc, byte):
    return _rotl(acc ^ ((byte & _BYTE) * P5), _R11) * P1


@inner
def _long_start(data, start, end, seed):
    """Return the accumulator after all complete stripes of 32 bytes."""
    v1, v2, v3, v4 = seed + P1 + P2, seed + P2, seed, seed - P1
    while end - start >= 32:
        v1 = _round(v1, eight_at(data, start))
        v2 = _round(v2, eight_at(data, start + 8))
        v3 = _round(v3, eight_at(data, start + 16))
        v4 = _round(v4, eight_at(data, start + 24))
        start += 32
    acc = _rotl(v1, _R1) + _rotl(v2, _R7) + _rotl(v3, _R12) + _rotl(v4, _R18)
    return _merge(_merge(_merge(_merge(acc, v1), v2), v3), v4)


@inner
def xxh64(data, start, end, seed):
    """Return XXH64 of data[start:end]."""
    length = end - start
    if length >= 32:
        acc = _long_start(data, start, end, seed)
        start += length & ~31
    else:
        acc = seed + P5
    acc += np.uint64(length)
    while end - start >= 8:
        acc = _rotl(acc ^ _round(np.uint64(0), eight_at(data, start)), _R27) * P1 + P4
        start += 8
    rest = np.uint64(end - start)
    acc = either(rest & _4, _rotl(acc ^ (four_at(data, start) * P1), _R23) * P2 + P3, acc)
    tail = four_at(data, end - np.int64(rest & _3))
    acc = either(rest & _3, _tail_byte(acc, tail), acc)
    acc = either(rest & _2, _tail_byte(acc, tail >> _8), acc)
    acc = either(rest & _2 & rest << _1, _tail_byte(acc, tail >> _16), acc)
    acc = (acc ^ (acc >> _S33)) * P2
    acc = (acc ^ (acc >> _S29)) * P3
    return acc ^ (acc >> _S32)


_SHIFT = np.uint64(32)
_ZERO = np.uint64(0)


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


@inner
def rebuild(table):
    """Fill the slots from the entries."""
    mask = int64_item(table.state, MASK)
    for place in range(mask + 1):
        put_uint32(table.slots, place, 0)
    for entry in range(int64_item(table.state, ENTRIES)):
        start, end = uint32_item(table.starts, entry), uint32_item(table.starts, entry + 1)
        place = _first_place(table.arena, start, end, uint64_item(table.hashes, entry), table)
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


_BLOCK = 255 // OCCURRENCE_CAP  # tokens whose counts fit into one byte together
_ONES = np.uint64(0x0101010101010101)


@inner
def add_sums(table, lane, counters, sums):
    """Write the sums of a lane over the entries of a table to sums[64 * lane : 64 * lane + 64].

    Bit i + 8 b of a hash is counted in byte b of counter i, so that one instruction counts eight bits (32 or 64
    once the compiler has vectorized it). The counters are emptied before a byte can overflow.
    """
    weight = 0
    for bit in range(64):
        put_int64(sums, 64 * lane + bit, 0)
    entries = int64_item(table.state, ENTRIES)
    for start in range(0, entries, _BLOCK):
        for i in range(8):
            put_uint64(counters, i, np.uint64(0))
        for entry in range(start, min(start + _BLOCK, entries)):
            count = byte_at(table.counts, entry)
            weight += count
            token_hash = uint64_item(table.hashes, entry)
            if lane:
                begin, end = uint32_item(table.starts, entry), uint32_item(table.starts, entry + 1)
                token_hash = xxh64(table.arena, begin, end, np.uint64(lane))
            for i in range(8):
                ones = (token_hash >> np.uint64(i)) & _ONES
                put_uint64(counters, i, uint64_item(counters, i) + ones * np.uint64(count))
        for bit in range(64):
            ones = uint64_item(counters, bit & 7) >> np.uint64(bit & 56) & _BYTE
            put_int64(sums, 64 * lane + bit, int64_item(sums, 64 * lane + bit) + 2 * np.int64(ones))
    for bit in range(64):
        put_int64(sums, 64 * lane + bit, int64_item(sums, 64 * lane + bit) - weight)


@inner
def put_statistics(table, tokens, at):
    """Write the `Measurements.statistics` of a table to tokens[at : at + 3]."""
    entries = int64_item(table.state, ENTRIES)
    weight = squares = np.int64(0)
    for entry in range(entries):
        count = np.int64(byte_at(table.counts, entry))
        weight += count
        squares += count * count
    put_int64(tokens, at, entries)
    put_int64(tokens, at + 1, weight)
    put_int64(tokens, at + 2, squares)


@inner
def signs(sums, lane):
    """Return the bits of a lane: 1 where its sum is greater than 0."""
    value = np.uint64(0)
    for bit in range(64):
        if int64_item(sums, 64 * lane + bit) > 0:
            value |= np.uint64(1) << np.uint64(bit)
    return value
